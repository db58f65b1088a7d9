/* screenshots.c - an operator looks at what a head shows (wire §2). GET asks and waits; the head learns of it from its next
 * GET commands and POSTs a JPEG; everybody who waits gets that one picture.
 *
 * Pictures show visitors: they are handed on or dropped, in memory only, in no file, log or event. One that comes after its askers gave up
 * waits a few seconds for the next, so that a slow head can be looked at too. */
#include "screenshots.h"

#include <string.h>
#include <strings.h>

#include "hydra/base/arena.h"

#define BYTES_MAX        ((size_t)8 * 1024 * 1024)      /* of one picture: 413 above (wire §0) */
#define WAIT_MS          5000                           /* of an asker */
#define ASKED_MS         10000                          /* of a head: heads look every 3 s, and a picture takes its time */
#define KEPT_MS          10000                          /* a late picture waits for the next asker */
#define KEPT_BYTES_MAX   ((size_t)16 * 1024 * 1024)     /* of late pictures together: the oldest go */
#define HEADS_MAX        32                             /* heads asked, or with a late picture, at the same time: 429 above */
#define WAITING_MAX      8                              /* askers at the same time, for each may be sent BYTES_MAX: 429 above */
#define UPLOADS_MAX      2                              /* pictures on their way in: all other bodies share the server's memory with them */
#define ASK_RETRY_S      5
#define UPLOAD_RETRY_S   1

struct shot {
    char head_id[HC_ID_SIZE];                           /* "": free */
    int64_t asked_until_ms;                             /* 0: not asked */
    char *late;                                         /* a picture that nobody waited for */
    size_t late_len;
    int64_t late_until_ms;
};
struct screenshots { struct shot shots[HEADS_MAX]; struct call *waiting; unsigned waiting_count, uploads; };

struct screenshots *screenshots_new(void)
{
    return hc_alloc(sizeof(struct screenshots));
}

static void drop_late(struct shot *shot)
{
    hc_free(shot->late);
    shot->late = NULL;
    shot->late_len = 0;
}

static void drop(struct shot *shot)
{
    drop_late(shot);
    *shot = (struct shot){ .asked_until_ms = 0 };
}

void screenshots_free(struct screenshots *screenshots)
{
    if (screenshots == NULL)
        return;
    for (size_t i = 0; i < HEADS_MAX; i++)
        drop(&screenshots->shots[i]);
    hc_free(screenshots);
}

/* Frees what is over on its way. NULL: the head is not asked and has no late picture. */
static struct shot *find(struct screenshots *all, const char *head_id, int64_t now_ms)
{
    struct shot *found = NULL;
    for (size_t i = 0; i < HEADS_MAX; i++) {
        struct shot *shot = &all->shots[i];
        if (shot->late != NULL && now_ms >= shot->late_until_ms)
            drop_late(shot);
        if (shot->late == NULL && now_ms >= shot->asked_until_ms)
            drop(shot);
        if (shot->head_id[0] != '\0' && strcmp(shot->head_id, head_id) == 0)
            found = shot;
    }
    return found;
}

static struct shot *find_or_take(struct screenshots *all, const char *head_id, int64_t now_ms)
{
    struct shot *shot = find(all, head_id, now_ms);
    for (size_t i = 0; i < HEADS_MAX && shot == NULL; i++)
        if (all->shots[i].head_id[0] == '\0') {
            shot = &all->shots[i];
            HC_SET(shot->head_id, head_id);
        }
    return shot;
}

bool screenshot_asked(const struct call *call, const char *head_id)
{
    int64_t now_ms = call->api->config.monotonic_ms();
    const struct shot *shot = find(call->api->screenshots, head_id, now_ms);
    return shot != NULL && now_ms < shot->asked_until_ms;
}

/* ---- GET ---- */

static void answer_picture(struct call *call, const char *bytes, size_t len)
{
    http_header_add(call->req, "Cache-Control", "no-store");
    http_header_add(call->req, "X-Content-Type-Options", "nosniff");
    call_bytes(call, 200, "image/jpeg", bytes, len);
}

static void stop_waiting(struct call *call)
{
    struct screenshots *all = call->api->screenshots;
    struct call **at = &all->waiting;
    while (*at != NULL && *at != call)
        at = &(*at)->next;
    if (*at != call)
        return;
    *at = call->next;
    all->waiting_count--;
}

static void too_late(struct http_request *req)
{
    struct call *call = http_user(req);
    stop_waiting(call);
    if (call->api->stopping)
        call_error(call, 503, "stopping", "The service is stopping; ask again.", NULL, ASK_RETRY_S);
    else
        call_error(call, 504, "no_screenshot", "The head sent no picture in time.", NULL, 0);
}

void screenshot_get(struct call *call)
{
    struct screenshots *all = call->api->screenshots;
    int64_t now_ms = call->api->config.monotonic_ms();
    if (http_method(call->req) == HTTP_HEAD) {                        /* shows no picture, so it asks for none */
        call_empty(call, 200);
        return;
    }
    struct shot *shot = all->waiting_count < WAITING_MAX ? find_or_take(all, call->ids[0], now_ms) : NULL;
    if (shot == NULL) {
        call_error(call, 429, "too_many_askers", "Too many wait for pictures at this moment.", NULL, ASK_RETRY_S);
        return;
    }
    if (shot->late != NULL) {
        answer_picture(call, shot->late, shot->late_len);
        drop(shot);
        return;
    }
    shot->asked_until_ms = now_ms + ASKED_MS;
    call->gone = stop_waiting;
    call->next = all->waiting;
    all->waiting = call;
    all->waiting_count++;
    http_park(call->req, HTTP_PARK_NEWS, now_ms + WAIT_MS, too_late);
}

/* ---- POST ---- */

static void upload_over(struct call *call)
{
    call->api->screenshots->uploads--;
}

void screenshot_begin(struct call *call)
{
    struct screenshots *all = call->api->screenshots;
    if (all->uploads >= UPLOADS_MAX) {
        call_error(call, 429, "too_many_uploads", "Other pictures are on their way; send it again.", NULL, UPLOAD_RETRY_S);
        return;
    }
    all->uploads++;
    call->gone = upload_over;
    http_set_body_limit(call->req, BYTES_MAX);
}

/* What says that it is something else. Clients that name no type, or one that their library adds by itself, are believed: the bytes say. */
static bool other_type(const char *type)
{
    static const char *const fine[] = { "image/jpeg", "image/jpg", "application/octet-stream", "application/x-www-form-urlencoded" };
    if (type == NULL || type[0] == '\0')
        return false;
    size_t len = strcspn(type, "; \t");
    for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++)
        if (strlen(fine[i]) == len && strncasecmp(fine[i], type, len) == 0)
            return false;
    return true;
}

static bool is_jpeg(const char *bytes, size_t len)
{
    static const unsigned char magic[] = { 0xff, 0xd8, 0xff };
    return len > sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

/* True: somebody waited. */
static bool hand_on(struct screenshots *all, const char *head_id, const char *bytes, size_t len)
{
    bool any = false;
    for (struct call *call = all->waiting, *next; call != NULL; call = next) {
        next = call->next;
        if (strcmp(call->ids[0], head_id) != 0)
            continue;
        stop_waiting(call);
        if (!call_still_allowed(call))
            continue;
        answer_picture(call, bytes, len);
        any = true;
    }
    return any;
}

static size_t kept_bytes(struct screenshots *all, struct shot **ret_oldest)
{
    size_t bytes = 0;
    *ret_oldest = NULL;
    for (size_t i = 0; i < HEADS_MAX; i++) {
        struct shot *shot = &all->shots[i];
        bytes += shot->late_len;
        if (shot->late != NULL && (*ret_oldest == NULL || shot->late_until_ms < (*ret_oldest)->late_until_ms))
            *ret_oldest = shot;
    }
    return bytes;
}

static void keep(struct screenshots *all, struct shot *shot, const char *bytes, size_t len, int64_t now_ms)
{
    struct shot *oldest;
    drop_late(shot);
    while (kept_bytes(all, &oldest) + len > KEPT_BYTES_MAX && oldest != NULL)
        drop(oldest);
    shot->asked_until_ms = 0;
    shot->late = hc_alloc(len);
    if (shot->late == NULL) {
        drop(shot);                                                   /* the next asker asks anew */
        return;
    }
    memcpy(shot->late, bytes, len);
    shot->late_len = len;
    shot->late_until_ms = now_ms + KEPT_MS;
}

void screenshot_post(struct call *call)
{
    struct screenshots *all = call->api->screenshots;
    size_t len = 0;
    const char *bytes = http_body(call->req, &len);
    if (other_type(http_header(call->req, "Content-Type")) || !is_jpeg(bytes == NULL ? "" : bytes, len)) {
        call_error(call, 415, "unsupported_media_type", "The body must be a JPEG.", NULL, 0);
        return;
    }
    int64_t now_ms = call->api->config.monotonic_ms();
    struct shot *shot = find(all, call->ids[0], now_ms);
    if (shot != NULL && now_ms < shot->asked_until_ms) {              /* else nobody wants it */
        if (hand_on(all, call->ids[0], bytes, len))
            drop(shot);
        else
            keep(all, shot, bytes, len, now_ms);
    }
    call_empty(call, 204);
}
