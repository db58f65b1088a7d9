/* asks.c - the side of the lanes: what each question does on its thread. Nothing here logs or touches the agent. */
#include "asks.h"

#include <assert.h>
#include <string.h>

#include "hydra/codec/json.h"
#include "hydra/os/clock.h"

#define CALL_MS          15000     /* what shipping heads use */
#define RENEW_MS         10000     /* far below the time that a lease lives */
#define RELEASE_MS       5000
#define RELEASE_TRIES    3
#define AGAIN_MS         1000
#define BEAT_MS          10000
#define WAIT_SECONDS     20        /* the cluster allows 25 */
#define POLL_MS          ((WAIT_SECONDS + 10) * 1000)
#define POLL_LEAST_MS    250       /* a server that answers at once and says nothing new is not asked without a pause */
#define STATUS_IN_USE    409

struct identity_use *identity_use_new(struct identity *identity)
{
    struct identity_use *use = hc_alloc(sizeof *use);
    if (use != NULL) {
        *use = (struct identity_use){ .users = 1, .identity = *identity };
        *identity = (struct identity){ 0 };
    }
    return use;
}

struct identity_use *identity_use_drop(struct identity_use *use)
{
    if (use != NULL && --use->users == 0) {
        identity_free(&use->identity);
        hc_free(use);
    }
    return NULL;
}

/* ---- one question, one answer ---- */

static void ask_cluster(struct ask *ask, const struct request_text *request, int64_t timeout_ms, struct cluster_answer *answer)
{
    *answer = (struct cluster_answer){ .err = HC_ERR_NOMEM };
    if (!request_failed(request))
        cluster_ask(&ask->reach->lines[ask_lane(ask->kind)], request, timeout_ms, &ask->job.stop, answer);
    ask->status = answer->err == HC_OK ? answer->status : 0;
}

/* Sends the request, frees it, and makes the answer the event of that question. */
static void ask_as(struct ask *ask, enum head_question question, struct request_text *request, int64_t timeout_ms)
{
    struct cluster_answer answer;
    int64_t sent_ms = os_monotonic_ms();
    bool via_wireguard = ask->reach->config->network == NETWORK_WIREGUARD;
    ask_cluster(ask, request, timeout_ms, &answer);
    answer_event(question, ask->status, answer.body.data == NULL ? "" : answer.body.data, answer.body.len, via_wireguard, &ask->event);
    ask->event.sent_ms = sent_ms;
    ask->has_event = true;
    if (answer.body.data != NULL)
        explicit_bzero(answer.body.data, answer.body.size);     /* it may hold a claim token */
    hc_buf_free(&answer.body);
    request_drop(request);
}

static const char *head_id(const struct ask *ask) { return ask->reach->config->node_id; }

static void do_claim(struct ask *ask)
{
    struct request_text request;
    request_claim(head_id(ask), &ask->head, ask->identity->identity.device_uid, &request);
    ask_as(ask, ASK_CLAIM, &request, CALL_MS);
}

/* A lease that was collected before has no token in this answer; the repeat of its claim has. */
static void do_admission(struct ask *ask)
{
    struct request_text request;
    if (ask->head.phase == HEAD_QUEUED)
        cluster_pause(&ask->job.stop, ask->reach->polled_ms + POLL_LEAST_MS - os_monotonic_ms());
    ask->reach->polled_ms = os_monotonic_ms();
    request_admission(head_id(ask), ask->head.attempt_id, WAIT_SECONDS, &request);
    ask_as(ask, ASK_ADMISSION, &request, POLL_MS);
    if (ask->event.type == HEV_GRANTED && ask->event.lease.claim_token[0] == '\0' && ask->head.phase == HEAD_QUEUED)
        ask->event = (struct head_event){ .type = HEV_REFUSED, .refusal = REFUSE_LATER, .retry_after_ms = AGAIN_MS };
}

static void do_accept(struct ask *ask)
{
    struct request_text request;
    request_accept(head_id(ask), &request);
    ask_as(ask, ASK_ACCEPT, &request, CALL_MS);
}

static void do_renew(struct ask *ask)
{
    struct request_text request;
    request_renew(head_id(ask), &ask->head.lease, &request);
    ask_as(ask, ASK_RENEW, &request, RENEW_MS);
}

/* A daemon that restarts just now is there again in a second or two. */
static void do_release(struct ask *ask)
{
    for (unsigned i = 0; i < RELEASE_TRIES; i++) {
        struct request_text request;
        if (i > 0)
            cluster_pause(&ask->job.stop, AGAIN_MS);
        request_release(head_id(ask), &ask->head.lease, ask->head.body.id, ask->reason, &request);
        ask_as(ask, ASK_RELEASE, &request, RELEASE_MS);
        if (ask->status != 0 && ask->status < 500)
            return;
    }
}

static void do_leave(struct ask *ask)
{
    for (unsigned i = 0; i < RELEASE_TRIES && (i == 0 || ask->status == 0 || ask->status >= 500); i++) {
        struct request_text request;
        struct cluster_answer answer;
        if (i > 0)
            cluster_pause(&ask->job.stop, AGAIN_MS);
        request_leave(head_id(ask), ask->stream_id, &request);
        ask_cluster(ask, &request, RELEASE_MS, &answer);
        hc_buf_free(&answer.body);
        request_drop(&request);
    }
}

/* ---- who we are ---- */

struct refusal_word { char error[65]; };
static const struct codec_field refusal_rows[] = {
    { .key = "error", .type = CODEC_STR, .offset = offsetof(struct refusal_word, error), .limit = 64 },
};
static const struct codec_table refusal_table = CODEC_TABLE("refusal", refusal_rows, struct refusal_word, CODEC_NO_PRESENT);

static bool says_in_use(const struct cluster_answer *answer)
{
    struct refusal_word word;
    struct json_refusal refusal;
    struct hc_arena arena = { 0 };
    bool in_use = answer->err == HC_OK && answer->status == STATUS_IN_USE && answer->body.len > 0 &&
                  json_read(&refusal_table, answer->body.data, answer->body.len, false, &arena, &word, &refusal) == HC_OK &&
                  strcmp(word.error, "identity_in_use") == 0;
    hc_arena_free(&arena);
    return in_use;
}

/* True: this certificate is another head's. */
static bool registered_elsewhere(struct ask *ask, const struct identity *identity)
{
    struct request_text request;
    struct cluster_answer answer = { .err = HC_ERR_NOMEM };
    request_identity(head_id(ask), &request);
    ask->event = (struct head_event){ .type = HEV_IDENTITY_FAILED };
    ask->status = 0;
    if (identity_registration(identity, &request.body, &ask->why) == HC_OK) {
        ask_cluster(ask, &request, CALL_MS, &answer);
        answer_event(ASK_REGISTER, ask->status, answer.body.data == NULL ? "" : answer.body.data, answer.body.len, false, &ask->event);
    }
    bool elsewhere = says_in_use(&answer);
    hc_buf_free(&answer.body);
    request_drop(&request);
    return elsewhere;
}

/* The device was cloned (rules §12.1): it becomes another one, and pairs anew where it needs to. */
static void do_register(struct ask *ask)
{
    ask->has_event = true;
    if (!registered_elsewhere(ask, &ask->identity->identity))
        return;
    if (identity_renew(ask->reach->state_fd, head_id(ask), &ask->fresh, &ask->why) != HC_OK)
        return;
    ask->has_fresh = true;
    (void)registered_elsewhere(ask, &ask->fresh);
}

/* ---- after a crash ---- */

static enum recovery of_lease(struct ask *ask)
{
    do_renew(ask);
    return ask->event.type == HEV_RENEWED ? RECOVER_RESUME : ask->status == 0 || ask->status >= 500 ? RECOVER_AGAIN : RECOVER_FORGET;
}

static enum recovery of_attempt(struct ask *ask)
{
    struct request_text request;
    request_admission(head_id(ask), ask->head.attempt_id, 0, &request);
    ask_as(ask, ASK_ADMISSION, &request, CALL_MS);
    if (ask->event.type == HEV_GRANTED || ask->event.type == HEV_WAITING)
        return RECOVER_RESUME;
    return ask->event.type == HEV_NO_ANSWER ? RECOVER_AGAIN : RECOVER_FORGET;
}

static void do_recover(struct ask *ask)
{
    ask->recovery = ask->head.lease.id[0] != '\0' ? of_lease(ask) : of_attempt(ask);
    ask->has_event = false;                 /* the visit begins with its claim, which the cluster answers with the same lease */
}

/* ---- at its own pace ---- */

static void do_beat(struct ask *ask)
{
    struct request_text request;
    struct cluster_answer answer;
    request_beat(head_id(ask), &ask->head, ask->diagnostics.data == NULL ? "{}" : ask->diagnostics.data, &request);
    ask_cluster(ask, &request, BEAT_MS, &answer);
    hc_buf_free(&answer.body);
    request_drop(&request);
}

static void do_offers(struct ask *ask)
{
    struct request_text request;
    struct cluster_answer answer;
    request_offers(head_id(ask), &request);
    ask_cluster(ask, &request, BEAT_MS, &answer);
    if (ask->status == 200 && answer.body.len > 0)
        ask->text = answer.body;            /* taken over */
    else
        hc_buf_free(&answer.body);
    request_drop(&request);
}

/* ---- hosts ---- */

static struct host_step step_of(struct ask *ask)
{
    return (struct host_step){ .identity = &ask->identity->identity, .body = &ask->head.body, .pins_fd = ask->reach->pins_fd,
                               .line = &ask->reach->lines[LANE_HOST], .memory = &ask->reach->host, .stop = &ask->job.stop };
}

static void do_host(struct ask *ask, void (*what)(const struct host_step *step, struct head_event *ret_event))
{
    const struct host_step step = step_of(ask);
    what(&step, &ask->event);
    ask->has_event = true;
    HC_SET(ask->host_id, ask->reach->host.unique_id);
    HC_SET(ask->host_name, ask->reach->host.name);
}

static void do_verify(struct ask *ask) { do_host(ask, host_verify); }
static void do_pair(struct ask *ask) { do_host(ask, host_pair); }
static void do_probe(struct ask *ask) { do_host(ask, host_probe); }

/* What could not be stored is found by the verification that follows. */
static void do_repin(struct ask *ask)
{
    const struct host_step step = step_of(ask);
    if (host_repin(&step, &ask->why) != HC_OK && ask->why.text[0] == '\0')
        (void)hc_fail(&ask->why, HC_OK, "the certificate could not be stored");
}

/* ---- as jobs ---- */

static const struct { const char *word; enum lane_name lane; void (*run)(struct ask *ask); } kinds[DO_KINDS] = {
    [DO_CLAIM] = { "claim", LANE_CLUSTER, do_claim },
    [DO_ADMISSION] = { "admission", LANE_POLL, do_admission },
    [DO_ACCEPT] = { "accept", LANE_CLUSTER, do_accept },
    [DO_RENEW] = { "renew", LANE_CLUSTER, do_renew },
    [DO_RELEASE] = { "release", LANE_CLUSTER, do_release },
    [DO_LEAVE] = { "leave", LANE_CLUSTER, do_leave },
    [DO_REGISTER] = { "register", LANE_CLUSTER, do_register },
    [DO_RECOVER] = { "recover", LANE_CLUSTER, do_recover },
    [DO_BEAT] = { "heartbeat", LANE_BEAT, do_beat },
    [DO_OFFERS] = { "experiences", LANE_BEAT, do_offers },
    [DO_VERIFY] = { "verify", LANE_HOST, do_verify },
    [DO_REPIN] = { "repin", LANE_HOST, do_repin },
    [DO_PAIR] = { "pair", LANE_HOST, do_pair },
    [DO_PROBE] = { "probe", LANE_HOST, do_probe },
};

static void run(struct job *job)
{
    struct ask *ask = (struct ask *)job;
    kinds[ask->kind].run(ask);
}

static void free_job(struct job *job)
{
    ask_free((struct ask *)job);
}

struct ask *ask_new(enum ask_kind kind, struct reach *reach, const struct head_state *head, struct identity_use *identity)
{
    assert((size_t)kind < DO_KINDS);
    struct ask *ask = hc_alloc(sizeof *ask);
    if (ask == NULL)
        return NULL;
    ask->job.run = run;
    ask->job.free = free_job;
    atomic_init(&ask->job.stop, false);
    ask->kind = kind;
    ask->reach = reach;
    ask->head = *head;
    ask->identity = identity;
    identity->users++;
    ask->reason = "";
    return ask;
}

void ask_free(struct ask *ask)
{
    if (ask == NULL)
        return;
    (void)identity_use_drop(ask->identity);
    identity_free(&ask->fresh);
    hc_buf_free(&ask->diagnostics);
    hc_buf_free(&ask->text);
    explicit_bzero(ask, sizeof *ask);
    hc_free(ask);
}

enum lane_name ask_lane(enum ask_kind kind) { return kinds[kind].lane; }
const char *ask_word(enum ask_kind kind) { return kinds[kind].word; }
