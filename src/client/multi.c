/* multi.c - thousands of calls on one thread: libcurl's socket interface over epoll. Its plain poll loop walks every transfer at every
 * turn, which a fleet of parked long-polls cannot afford. The timer is a timerfd, so that no clock is read here. */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "hydra/base/arena.h"
#include "hydra/client/client.h"
#include "request.h"

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#define UNDER_WAY_MAX   ((size_t)65536)
#define LANES_MAX       ((size_t)65536)
#define SPARE_CALLS_MAX ((size_t)1024)      /* finished calls kept for the next ones */
#define POOL_MAX        256L                /* idle connections of lane 0 */
#define TURN_EVENTS_MAX 256
#define RECEIVE_BYTES   8192L               /* per call under way; the answers of this wire are small */

/* A lane's connection lives in a share of its own: no other lane can be given it. */
struct lane { uint64_t id; CURLSH *share; UT_hash_handle hh; };

struct call {
    struct request request;
    client_done_fn *done;
    void *ctx;
    struct call *next, *prev;               /* under way; `next` alone when spare */
};

struct client_multi {
    struct target target;
    CURLM *curl;
    int epoll_fd, timer_fd;
    bool timer_due, turning, closing;
    struct lane *lanes;
    struct call *under_way, *spare;
    size_t under_way_count, spare_count;
};

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *ctx, void *socket_ctx)
{
    (void)easy;
    (void)socket_ctx;
    struct client_multi *multi = ctx;
    if (what == CURL_POLL_REMOVE) {
        /* A socket that was closed before has left the set by itself. */
        (void)epoll_ctl(multi->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
        return 0;
    }
    struct epoll_event event = { .data.fd = fd };
    if (what == CURL_POLL_IN || what == CURL_POLL_INOUT)
        event.events |= EPOLLIN;
    if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT)
        event.events |= EPOLLOUT;
    if (epoll_ctl(multi->epoll_fd, EPOLL_CTL_MOD, fd, &event) == 0)
        return 0;
    return errno == ENOENT && epoll_ctl(multi->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : -1;
}

static int on_timer(CURLM *curl, long timeout_ms, void *ctx)
{
    (void)curl;
    struct client_multi *multi = ctx;
    multi->timer_due = timeout_ms == 0;
    struct itimerspec at = { 0 };
    if (timeout_ms > 0)
        at.it_value = (struct timespec){ .tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1000000 };
    return timerfd_settime(multi->timer_fd, 0, &at, NULL) == 0 ? 0 : -1;
}

static void close_fd(int fd)
{
    if (fd >= 0)
        (void)close(fd);
}

static bool set_up(struct client_multi *multi)
{
    multi->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    multi->timer_fd = timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC);
    multi->curl = curl_multi_init();
    if (multi->epoll_fd < 0 || multi->timer_fd < 0 || multi->curl == NULL)
        return false;
    struct epoll_event event = { .events = EPOLLIN, .data.fd = multi->timer_fd };
    return epoll_ctl(multi->epoll_fd, EPOLL_CTL_ADD, multi->timer_fd, &event) == 0 &&
           curl_multi_setopt(multi->curl, CURLMOPT_SOCKETFUNCTION, on_socket) == CURLM_OK &&
           curl_multi_setopt(multi->curl, CURLMOPT_SOCKETDATA, multi) == CURLM_OK &&
           curl_multi_setopt(multi->curl, CURLMOPT_TIMERFUNCTION, on_timer) == CURLM_OK &&
           curl_multi_setopt(multi->curl, CURLMOPT_TIMERDATA, multi) == CURLM_OK &&
           curl_multi_setopt(multi->curl, CURLMOPT_MAXCONNECTS, POOL_MAX) == CURLM_OK;
}

enum hc_err client_multi_open(const struct client_options *options, struct client_multi **ret_multi, struct hc_diag *diag)
{
    struct client_multi *multi = hc_alloc(sizeof *multi);
    if (multi == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "no memory for the client");
    multi->epoll_fd = multi->timer_fd = -1;
    enum hc_err err = target_init(&multi->target, options, diag);
    if (err == HC_OK && !set_up(multi))
        err = hc_fail(diag, HC_ERR_NOMEM, "no memory or descriptors for the client");
    if (err != HC_OK) {
        (void)client_multi_close(multi);
        return err;
    }
    *ret_multi = multi;
    return HC_OK;
}

static void call_free(struct call *call)
{
    request_free(&call->request);
    hc_free(call);
}

static void under_way_add(struct client_multi *multi, struct call *call)
{
    call->prev = NULL;
    call->next = multi->under_way;
    if (call->next != NULL)
        call->next->prev = call;
    multi->under_way = call;
    multi->under_way_count++;
}

static void under_way_remove(struct client_multi *multi, struct call *call)
{
    *(call->prev != NULL ? &call->prev->next : &multi->under_way) = call->next;
    if (call->next != NULL)
        call->next->prev = call->prev;
    multi->under_way_count--;
}

static void call_spare(struct client_multi *multi, struct call *call)
{
    if (multi->closing || multi->spare_count >= SPARE_CALLS_MAX) {
        call_free(call);
        return;
    }
    call->next = multi->spare;
    multi->spare = call;
    multi->spare_count++;
}

static struct call *call_take(struct client_multi *multi)
{
    struct call *call = multi->spare;
    if (call != NULL) {
        multi->spare = call->next;
        multi->spare_count--;
        return call;
    }
    call = hc_alloc(sizeof *call);
    if (call != NULL && request_init(&call->request, NULL) != HC_OK) {
        call_free(call);
        return NULL;
    }
    return call;
}

/* Ends a call: tells its owner, then keeps or frees it. The owner may start another call from inside `done`. */
static void call_end(struct client_multi *multi, struct call *call, enum hc_err err)
{
    under_way_remove(multi, call);
    (void)curl_multi_remove_handle(multi->curl, call->request.easy);
    call->done(call->ctx, err, &call->request.answer);
    client_answer_free(&call->request.answer);
    call_spare(multi, call);
}

struct client_multi *client_multi_close(struct client_multi *multi)
{
    if (multi == NULL)
        return NULL;
    assert(!multi->turning);
    multi->closing = true;                  /* owners start no more calls: the loop ends */
    while (multi->under_way != NULL) {
        client_answer_free(&multi->under_way->request.answer);
        call_end(multi, multi->under_way, HC_ERR_NET);
    }
    while (multi->spare != NULL) {
        struct call *call = multi->spare;
        multi->spare = call->next;
        call_free(call);
    }
    struct lane *lane, *next;
    HASH_ITER(hh, multi->lanes, lane, next) {
        HASH_DEL(multi->lanes, lane);
        (void)curl_share_cleanup(lane->share);      /* closes the lane's connection; its easy handles are gone */
        hc_free(lane);
    }
    if (multi->curl != NULL)
        (void)curl_multi_cleanup(multi->curl);
    close_fd(multi->timer_fd);
    close_fd(multi->epoll_fd);
    target_free(&multi->target);
    hc_free(multi);
    return NULL;
}

static enum hc_err lane_find(struct client_multi *multi, uint64_t id, struct lane **ret_lane)
{
    struct lane *lane = NULL;
    HASH_FIND(hh, multi->lanes, &id, sizeof id, lane);
    *ret_lane = lane;
    if (lane != NULL || id == 0)
        return HC_OK;
    if (HASH_COUNT(multi->lanes) >= LANES_MAX)
        return HC_ERR_LIMIT;
    lane = hc_alloc(sizeof *lane);
    if (lane == NULL)
        return HC_ERR_NOMEM;
    lane->id = id;
    lane->share = curl_share_init();
    if (lane->share != NULL && curl_share_setopt(lane->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_CONNECT) == CURLSHE_OK) {
        size_t before = HASH_COUNT(multi->lanes);
        HASH_ADD(hh, multi->lanes, id, sizeof lane->id, lane);
        if (HASH_COUNT(multi->lanes) > before) {
            *ret_lane = lane;
            return HC_OK;
        }
    }
    if (lane->share != NULL)
        (void)curl_share_cleanup(lane->share);
    hc_free(lane);
    return HC_ERR_NOMEM;
}

/* Many calls at once want small buffers; and each new connection makes a whole TLS handshake, never with the session of another lane. */
static enum hc_err set_lane(struct client_multi *multi, struct call *call, uint64_t lane_id)
{
    struct lane *lane = NULL;
    enum hc_err err = lane_find(multi, lane_id, &lane);
    if (err != HC_OK)
        return err;
    CURL *easy = call->request.easy;
    return curl_easy_setopt(easy, CURLOPT_SHARE, lane == NULL ? NULL : lane->share) == CURLE_OK &&
                   curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, RECEIVE_BYTES) == CURLE_OK &&
                   curl_easy_setopt(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L) == CURLE_OK &&
                   curl_easy_setopt(easy, CURLOPT_PRIVATE, call) == CURLE_OK
               ? HC_OK
               : HC_ERR_NOMEM;
}

enum hc_err client_multi_call(struct client_multi *multi, uint64_t lane, const char *method, const char *path, const char *token,
                              const char *body, int64_t timeout_ms, client_done_fn *done, void *ctx)
{
    if (multi->closing)
        return HC_ERR_NET;
    if (multi->under_way_count >= UNDER_WAY_MAX)
        return HC_ERR_LIMIT;
    struct call *call = call_take(multi);
    if (call == NULL)
        return HC_ERR_NOMEM;
    const struct request_spec spec = { .method = method, .path = path, .token = token, .body = body, .timeout_ms = timeout_ms };
    enum hc_err err = request_prepare(&call->request, &multi->target, &spec, NULL);
    if (err == HC_OK)
        err = set_lane(multi, call, lane);
    if (err == HC_OK && curl_multi_add_handle(multi->curl, call->request.easy) != CURLM_OK)
        err = HC_ERR_NOMEM;
    if (err != HC_OK) {
        call_spare(multi, call);
        return err;
    }
    call->done = done;
    call->ctx = ctx;
    under_way_add(multi, call);
    return HC_OK;
}

static void take_finished(struct client_multi *multi)
{
    int left = 0;
    /* A call started by an owner needs a turn of its own to finish, so that this ends. */
    for (CURLMsg *message; (message = curl_multi_info_read(multi->curl, &left)) != NULL;) {
        if (message->msg != CURLMSG_DONE)
            continue;
        CURLcode code = message->data.result;           /* the message dies with the handle's removal */
        struct call *call = NULL;
        (void)curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&call);
        assert(call != NULL);
        call_end(multi, call, request_finish(&call->request, code, NULL));
    }
}

void client_multi_turn(struct client_multi *multi, int64_t wait_ms)
{
    assert(!multi->turning && !multi->closing && wait_ms >= 0);
    multi->turning = true;
    struct epoll_event events[TURN_EVENTS_MAX];
    int timeout = multi->timer_due ? 0 : wait_ms < INT_MAX ? (int)wait_ms : INT_MAX;
    int count = epoll_wait(multi->epoll_fd, events, TURN_EVENTS_MAX, timeout);
    int running = 0;
    for (int i = 0; i < count; i++) {
        if (events[i].data.fd == multi->timer_fd) {
            uint64_t expirations;
            multi->timer_due |= read(multi->timer_fd, &expirations, sizeof expirations) == (ssize_t)sizeof expirations;
            continue;
        }
        int what = (events[i].events & EPOLLIN ? CURL_CSELECT_IN : 0) | (events[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                   (events[i].events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
        (void)curl_multi_socket_action(multi->curl, events[i].data.fd, what, &running);
    }
    if (multi->timer_due) {
        multi->timer_due = false;
        (void)curl_multi_socket_action(multi->curl, CURL_SOCKET_TIMEOUT, 0, &running);
    }
    take_finished(multi);
    multi->turning = false;
}

size_t client_multi_under_way(const struct client_multi *multi)
{
    return multi->under_way_count;
}
