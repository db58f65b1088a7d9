#include "operator_tokens.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>

#include "hydra/base/arena.h"
#include "hydra/base/derive.h"
#include "hydra/base/log.h"
#include "hydra/crypto/digest.h"
#include "hydra/os/clock.h"
#include "hydra/os/file.h"
#include "hydra/os/random.h"
#include "hydra/os/worker.h"
#include "hydra/store/tokens.h"

#define LOOK_EVERY_MS 1000
#define USED_EVERY_MS HC_MINUTE_MS
#define CLOSE_MS      10000          /* a disk that hangs longer is not waited for */
#define ENROL_PREFIX  "enroll-"       /* ids of rows whose token is derived, not given to anybody */
#define ENROL_BYTES   4

struct operator_tokens {
    char *data_dir;
    uint8_t secret[32];
    struct os_worker worker;
    int wake_fd;                      /* an eventfd: written when the thread is to stop, or to make an enrolment token */
    pthread_mutex_t mutex;
    /* mutex; the thread alone replaces the list */
    struct token_list list;
    bool stop;
    bool enrolment_wanted, enrolment_failed;
    bool *used;                       /* beside list.rows: its last_used_at waits to be written */
    /* thread */
    struct tokens_seen seen;
    bool complained;
};

static int find_row(const struct token_list *list, const char *id)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->rows[i].id, id) == 0)
            return (int)i;
    return -1;
}

/* What we saw of a token's use is newer than what the file says until it is written. */
static void keep_uses(const struct operator_tokens *t, struct token_list *fresh, bool *used)
{
    for (size_t i = 0; i < fresh->count; i++) {
        int old = find_row(&t->list, fresh->rows[i].id);
        if (old < 0)
            continue;
        fresh->rows[i].last_used_at = hc_time_later(fresh->rows[i].last_used_at, t->list.rows[old].last_used_at);
        used[i] = t->used[old];
    }
}

static enum hc_err reload(struct operator_tokens *t, struct hc_diag *diag)
{
    HC_CLEANUP(token_list_free) struct token_list fresh = { 0 };
    enum hc_err err = tokens_read(t->data_dir, &fresh, diag);
    if (err != HC_OK)
        return err;
    bool *used = hc_alloc((fresh.count + 1) * sizeof used[0]);
    if (used == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "no memory for the list of tokens");
    (void)pthread_mutex_lock(&t->mutex);
    keep_uses(t, &fresh, used);
    struct token_list old_list = t->list;
    bool *old_used = t->used;
    t->list = fresh;
    t->used = used;
    (void)pthread_mutex_unlock(&t->mutex);
    fresh = old_list;                 /* freed on the way out */
    hc_free(old_used);
    return HC_OK;
}

/* Takes copies of the rows whose use is to be written. NULL: none, or no memory, then later. */
static struct token_row *take_used(struct operator_tokens *t, size_t *ret_count)
{
    size_t count = 0;
    (void)pthread_mutex_lock(&t->mutex);
    for (size_t i = 0; i < t->list.count; i++)
        count += t->used[i];
    struct token_row *rows = count == 0 ? NULL : hc_alloc(count * sizeof rows[0]);
    *ret_count = 0;
    for (size_t i = 0; i < t->list.count && rows != NULL; i++) {
        if (!t->used[i])
            continue;
        rows[(*ret_count)++] = t->list.rows[i];
        t->used[i] = false;
    }
    (void)pthread_mutex_unlock(&t->mutex);
    return rows;
}

static void look(struct operator_tokens *t)
{
    struct hc_diag diag = { "" };
    struct tokens_seen before = t->seen;
    if (!tokens_changed(t->data_dir, &t->seen))
        return;
    if (reload(t, &diag) == HC_OK) {
        if (t->complained)
            hc_log(HC_LOG_NOTICE, "tokens_read", "detail=%s", hc_logq("the file is readable again"));
        t->complained = false;
        return;
    }
    t->seen = before;                 /* what was read before stays in force; look again in a second */
    if (!t->complained)
        hc_log(HC_LOG_ERR, "tokens_refused", "detail=%s", hc_logq(diag.text));
    t->complained = true;
}

static void write_uses(struct operator_tokens *t)
{
    size_t count;
    struct hc_diag diag = { "" };
    struct token_row *rows = take_used(t, &count);
    if (count > 0 && tokens_used(t->data_dir, rows, count, &diag) != HC_OK)
        hc_log(HC_LOG_DEBUG, "tokens_use_not_written", "detail=%s", hc_logq(diag.text));
    hc_free(rows);
}

/* ---- the enrolment token ---- */

static void derive_enrolment(const struct operator_tokens *t, const char *id, char token[API_TOKEN_SIZE], char hash[HC_HASH_SIZE])
{
    uint8_t bytes[32];
    hc_derive(t->secret, "enrolment token", id, strlen(id), bytes);
    size_t len = crypto_base64url(bytes, sizeof bytes, token, API_TOKEN_SIZE);
    crypto_wipe(bytes, sizeof bytes);
    crypto_sha256_hex(token, len, hash);
}

/* The mutex is held. */
static bool find_enrolment(const struct operator_tokens *t, char ret_token[API_TOKEN_SIZE], char ret_id[HC_ID_SIZE])
{
    for (size_t i = 0; i < t->list.count; i++) {
        const struct token_row *row = &t->list.rows[i];
        char hash[HC_HASH_SIZE];
        if (row->kind != TOKEN_FLEET || strncmp(row->id, ENROL_PREFIX, strlen(ENROL_PREFIX)) != 0)
            continue;
        derive_enrolment(t, row->id, ret_token, hash);
        if (!crypto_same_text(hash, row->hash))
            continue;                 /* of another secret */
        hc_copy(ret_id, HC_ID_SIZE, row->id);
        return true;
    }
    return false;
}

static void make_enrolment(struct operator_tokens *t)
{
    uint8_t name[ENROL_BYTES];
    char hex[2 * ENROL_BYTES + 1], id[HC_ID_SIZE], token[API_TOKEN_SIZE], hash[HC_HASH_SIZE];
    struct hc_diag diag = { "" };
    (void)pthread_mutex_lock(&t->mutex);
    bool wanted = t->enrolment_wanted && !find_enrolment(t, token, id);
    (void)pthread_mutex_unlock(&t->mutex);
    if (wanted) {
        os_random(name, sizeof name);
        hc_hex(name, sizeof name, hex);
        (void)snprintf(id, sizeof id, ENROL_PREFIX "%s", hex);
        derive_enrolment(t, id, token, hash);
        if (tokens_add(t->data_dir, TOKEN_FLEET, id, hash, os_wall(), &diag) == HC_OK)
            look(t);
        else
            hc_log(HC_LOG_ERR, "enrolment_token_not_made", "detail=%s", hc_logq(diag.text));
    }
    (void)pthread_mutex_lock(&t->mutex);
    t->enrolment_failed = t->enrolment_wanted && !find_enrolment(t, token, id);
    t->enrolment_wanted = false;
    (void)pthread_mutex_unlock(&t->mutex);
    crypto_wipe(token, sizeof token);
}

enum api_enrolment operator_tokens_enrolment(void *tokens, char ret_token[API_TOKEN_SIZE], char ret_id[HC_ID_SIZE])
{
    struct operator_tokens *t = tokens;
    enum api_enrolment got = API_ENROLMENT_LATER;
    (void)pthread_mutex_lock(&t->mutex);
    if (find_enrolment(t, ret_token, ret_id))
        got = API_ENROLMENT_READY;
    else if (t->enrolment_failed)
        got = API_ENROLMENT_FAILED;
    bool wake = got == API_ENROLMENT_LATER && !t->enrolment_wanted;
    t->enrolment_wanted = t->enrolment_wanted || wake;
    t->enrolment_failed = false;      /* told once; who asks again has it tried again */
    (void)pthread_mutex_unlock(&t->mutex);
    if (wake)
        (void)eventfd_write(t->wake_fd, 1);
    return got;
}

/* ---- the thread ---- */

/* True: a while has passed, or something is wanted; false: stop. A poll that a signal cut short only looks earlier. */
static bool sleep_a_while(struct operator_tokens *t)
{
    struct pollfd fd = { .fd = t->wake_fd, .events = POLLIN };
    eventfd_t count;
    if (poll(&fd, 1, LOOK_EVERY_MS) > 0)
        (void)eventfd_read(t->wake_fd, &count);
    (void)pthread_mutex_lock(&t->mutex);
    bool stop = t->stop;
    (void)pthread_mutex_unlock(&t->mutex);
    return !stop;
}

static void thread_main(void *arg)
{
    struct operator_tokens *t = arg;
    while (sleep_a_while(t)) {
        look(t);
        make_enrolment(t);
        write_uses(t);
    }
    write_uses(t);
}

static enum hc_err start(struct operator_tokens *t, const char *data_dir, struct hc_diag *diag)
{
    size_t size = strlen(data_dir) + 1;
    t->data_dir = hc_alloc(size);
    if (t->data_dir == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "no memory for the list of tokens");
    hc_copy(t->data_dir, size, data_dir);
    (void)tokens_changed(t->data_dir, &t->seen);
    enum hc_err err = reload(t, diag);
    if (err != HC_OK)
        return err;
    t->wake_fd = eventfd(0, EFD_CLOEXEC);
    if (t->wake_fd < 0)
        return hc_fail(diag, HC_ERR_IO, "no descriptor for the list of tokens: %s", strerror(errno));
    err = os_worker_start(&t->worker, thread_main, t);
    return err == HC_OK ? HC_OK : hc_fail(diag, err, "no thread for the list of tokens");
}

enum hc_err operator_tokens_open(const char *data_dir, const uint8_t secret[32], struct operator_tokens **ret_tokens,
                                 struct hc_diag *diag)
{
    struct operator_tokens *t = hc_alloc(sizeof *t);
    if (t == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "no memory for the list of tokens");
    (void)pthread_mutex_init(&t->mutex, NULL);
    t->wake_fd = -1;
    memcpy(t->secret, secret, sizeof t->secret);
    enum hc_err err = start(t, data_dir, diag);
    if (err != HC_OK) {
        operator_tokens_close(t);
        return err;
    }
    *ret_tokens = t;
    return HC_OK;
}

bool operator_tokens_stop(struct operator_tokens *tokens, int64_t most_ms)
{
    if (tokens == NULL || !tokens->worker.running)
        return true;
    (void)pthread_mutex_lock(&tokens->mutex);
    tokens->stop = true;
    (void)pthread_mutex_unlock(&tokens->mutex);
    (void)eventfd_write(tokens->wake_fd, 1);
    return os_worker_end(&tokens->worker, most_ms);
}

void operator_tokens_close(struct operator_tokens *tokens)
{
    struct operator_tokens *t = tokens;
    if (t == NULL || !operator_tokens_stop(t, CLOSE_MS))
        return;                               /* its thread hangs and still uses it */
    token_list_free(&t->list);
    hc_free(t->used);
    os_close(&t->wake_fd);
    (void)pthread_mutex_destroy(&t->mutex);
    crypto_wipe(t->secret, sizeof t->secret);
    hc_free(t->data_dir);
    hc_free(t);
}

bool operator_tokens_find(void *tokens, const char *token_hash, struct principal *ret)
{
    static const enum principal_kind kinds[TOKEN_KINDS] = { [TOKEN_ADMIN] = PRINCIPAL_ADMIN, [TOKEN_READ] = PRINCIPAL_READ,
                                                            [TOKEN_FLEET] = PRINCIPAL_FLEET };
    struct operator_tokens *t = tokens;
    hc_time now = os_now();
    bool found = false;
    (void)pthread_mutex_lock(&t->mutex);
    for (size_t i = 0; i < t->list.count && !found; i++) {
        struct token_row *row = &t->list.rows[i];
        found = crypto_same_text(row->hash, token_hash);
        if (!found)
            continue;
        ret->kind = kinds[row->kind];
        ret->approval = AUTH_APPROVED;
        HC_SET(ret->id, row->id);
        if (hc_time_since(now, row->last_used_at) < USED_EVERY_MS)
            continue;
        row->last_used_at = now;
        t->used[i] = true;
    }
    (void)pthread_mutex_unlock(&t->mutex);
    return found;
}

bool operator_tokens_hash(void *tokens, const char *token_id, char ret_hash[HC_HASH_SIZE])
{
    struct operator_tokens *t = tokens;
    (void)pthread_mutex_lock(&t->mutex);
    int row = find_row(&t->list, token_id);
    if (row >= 0)
        hc_copy(ret_hash, HC_HASH_SIZE, t->list.rows[row].hash);
    (void)pthread_mutex_unlock(&t->mutex);
    return row >= 0;
}
