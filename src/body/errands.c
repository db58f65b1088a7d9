/* errands.c - the thread that judges launches, and stops what runs when an operator asks: one for each slot, so that a slow Sunshine keeps
 * no other slot's hook waiting (wire §6, rules §13.1, §13.2). */
#include "agent_state.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hydra/base/log.h"
#include "hydra/codec/json.h"
#include "hydra/os/clock.h"
#include "hydra/proto/admit_observed.h"

#define HOST_LOOK_MS     1000       /* /serverinfo right before the decision */
#define CHANGE_WAIT_MS   800        /* for entries that are being changed */
#define CHANGE_POLL_MS   20
#define CLUSTER_ASK_MS   2000       /* admit-observed (seed E4) */
#define ANSWER_SPARE_MS  100        /* left for the answer's way to the hook */
#define STOP_CALL_MS     15000      /* an application takes 5 s to end, sometimes more */
#define IDLE_WAIT_MS     10000

struct desk { struct slot *slot; struct agent *agent; struct cluster *cluster; struct sunshine_api *api; };

/* ---- a launch ---- */

/* Entries that change while a launch begins would end it (rules §13.4). */
static void wait_for_change(struct desk *d)
{
    int64_t until_ms = os_monotonic_ms() + CHANGE_WAIT_MS;
    bool changing = true;
    while (changing && os_monotonic_ms() < until_ms) {
        agent_lock(d->agent);
        changing = d->slot->changing;
        agent_unlock(d->agent);
        if (changing)
            os_pause_ms(CHANGE_POLL_MS);
    }
}

static enum host_state look_at_host(struct desk *d)
{
    const struct gs_client client = { .unique_id = d->agent->unique_id };
    struct gs_serverinfo info;
    if (gs_serverinfo(&d->slot->host, &client, HOST_LOOK_MS, &info, NULL) != HC_OK)
        return HOST_STATE_UNKNOWN;
    return info.busy ? HOST_STATE_BUSY : HOST_STATE_FREE;
}

struct lease_part { char id[HC_ID_SIZE]; };
struct admitted_part { struct lease_part lease; };
static const struct codec_field lease_rows[] = {
    { .key = "id", .type = CODEC_ID, .offset = offsetof(struct lease_part, id), .flags = CODEC_EMPTY_OK },
};
static const struct codec_table lease_table = CODEC_TABLE("lease", lease_rows, struct lease_part, CODEC_NO_PRESENT);
static const struct codec_field admitted_rows[] = {
    { .key = "lease", .type = CODEC_OBJECT, .offset = offsetof(struct admitted_part, lease), .sub = &lease_table },
};
static const struct codec_table admitted_table = CODEC_TABLE("admitted", admitted_rows, struct admitted_part, CODEC_NO_PRESENT);

static void read_lease(const struct cluster_answer *answer, char lease_id[HC_ID_SIZE])
{
    struct hc_arena arena = { 0 };
    struct admitted_part part;
    struct json_refusal refusal;
    if (json_read(&admitted_table, answer->body.data, answer->body.len, false, &arena, &part, &refusal) == HC_OK)
        hc_copy(lease_id, HC_ID_SIZE, part.lease.id);
    hc_arena_free(&arena);
}

/* The status of the cluster's answer, 0 without one; with 201 the lease. */
static long ask_cluster(struct desk *d, const struct errand *e, char lease_id[HC_ID_SIZE])
{
    struct admit_observed asked = { .slot = e->slot };
    HC_CLEANUP(hc_buf_freep) struct hc_buf path = { 0 };
    HC_CLEANUP(hc_buf_freep) struct hc_buf body = { 0 };
    struct cluster_answer answer = { 0 };
    int64_t left_ms = e->until_ms - ANSWER_SPARE_MS - os_monotonic_ms();
    HC_SET(asked.client_uuid, e->edge.client_uuid);
    HC_SET(asked.named_cert_name, e->edge.client_name);
    HC_SET(asked.app_name, e->edge.app);
    HC_SET(asked.launch_id, e->edge.launch_id);
    json_write(&admit_observed_table, &asked, &body);
    hc_buf_printf(&path, "/api/v1/bodies/%s/admit-observed", d->agent->config->node_id);
    long status = 0;
    if (left_ms > 0 && d->cluster != NULL && !path.failed && !body.failed &&
        cluster_call(d->cluster, "POST", path.data, body.data, left_ms < CLUSTER_ASK_MS ? left_ms : CLUSTER_ASK_MS, &answer, NULL) == HC_OK)
        status = answer.status;
    if (status == 201)
        read_lease(&answer, lease_id);
    cluster_answer_free(&answer);
    return status;
}

struct judged { struct admission admission; bool enforce; char lease_id[HC_ID_SIZE]; };

static struct judged judge(struct desk *d, const struct errand *e, enum host_state host)
{
    struct judged judged = { .enforce = false };
    struct slot *slot = d->slot;
    const struct launch asks = { .slot = e->slot, .launch_id = e->edge.launch_id, .app = e->edge.app, .client_uuid = e->edge.client_uuid,
                                   .client_name = e->edge.client_name };
    agent_lock(d->agent);
    struct kept_directive *directive = d->agent->directive;
    const struct desired *desired = directive == NULL ? NULL : &directive->answer.desired;
    const struct desired_slot *row = desired == NULL ? NULL : desired_slot_of(desired, e->slot);
    struct admit_facts facts = { .desired = desired, .directive_fresh_ms = DIRECTIVE_FRESH_MS };
    facts.directive_age_ms = directive == NULL ? 0 : directive_age_ms(directive, os_monotonic_ms());
    facts.below_floor = row != NULL && row->epoch < slot->shown.floor;
    sessions_admit_facts(&slot->sessions, host, &facts);
    judged.admission = admit_launch(&asks, &facts);
    judged.enforce = desired != NULL && desired->enforce == DIRECTIVE_ENFORCE;
    if (row != NULL && judged.admission.why == ADMIT_TOKEN)
        HC_SET(judged.lease_id, row->lease_id);
    agent_unlock(d->agent);
    if (judged.admission.verdict == ASK_CLUSTER)
        judged.admission = admit_after_answer(&judged.admission, ask_cluster(d, e, judged.lease_id), judged.enforce);
    return judged;
}

/* Told in observe too: that is what observing is for. */
static void tell_refusal(struct desk *d, const struct errand *e, const struct judged *judged)
{
    enum admit_why why = judged->admission.would;
    if (!admit_is_refusal(why))
        return;
    struct body_status_event event = { .slot = e->slot };
    HC_SET(event.type, why == REFUSE_SECOND_LAUNCH ? "second_launch_refused" : "unauthorized_launch");
    HC_SET(event.launch_id, e->edge.launch_id);
    HC_SET(event.client_uuid, e->edge.client_uuid);
    (void)snprintf(event.detail, sizeof event.detail, "%s: %s", admit_why_word(why),
                   judged->admission.verdict == REFUSE ? "refused at the hook" : "let in, since this body only observes");
    agent_event(d->agent, &event);
}

static void note_launch(struct desk *d, struct errand *e, const struct judged *judged)
{
    struct sessions *sessions = &d->slot->sessions;
    struct session_launch launch = { .game = 0 };
    int64_t now_ms = os_monotonic_ms();
    HC_SET(launch.launch_id, e->edge.launch_id);
    HC_SET(launch.lease_id, judged->lease_id);
    HC_SET(launch.client_uuid, e->edge.client_uuid);
    HC_SET(launch.client_name, e->edge.client_name);
    HC_SET(launch.app, e->edge.app);
    agent_lock(d->agent);
    bool news = judged->admission.forget_session && sessions_forget(sessions, now_ms);
    if (e->admission.verdict == ADMIT)
        news = sessions_started(sessions, &launch, now_ms) || news;
    d->slot->launching--;
    if (news)
        slot_edge(d->slot);
    agent_unlock(d->agent);
}

static void run_launch(struct desk *d, struct errand *e)
{
    wait_for_change(d);
    struct judged judged = judge(d, e, look_at_host(d));
    e->admission = judged.admission;
    /* A refusal that comes too late is none: the hook has let the launch go on. */
    if (e->admission.verdict == REFUSE && os_monotonic_ms() >= e->until_ms - ANSWER_SPARE_MS)
        e->admission = (struct admission){ .verdict = ADMIT, .why = ADMIT_UNCLEAR, .would = judged.admission.would };
    note_launch(d, e, &judged);
    char app[BODY_STATUS_APP_MAX + 1];
    app_without_token(e->edge.app, app);
    hc_log(HC_LOG_NOTICE, "launch", "slot=%u launch=%s app=%s verdict=%s why=%s would=%s lease=%s", e->slot, e->edge.launch_id,
           hc_logq(app), e->admission.verdict == REFUSE ? "refused" : "admitted", admit_why_word(e->admission.why),
           admit_why_word(e->admission.would), hc_logq(judged.lease_id));
    tell_refusal(d, e, &judged);
}

/* ---- a stop ---- */

static void refuse_stop(struct errand *e, unsigned status, const char *error, const char *detail)
{
    e->status = status;
    e->error = error;
    HC_SET(e->detail, strlen(detail) < sizeof e->detail ? detail : "see the agent's log");
}

static void run_stop(struct desk *d, struct errand *e)
{
    struct hc_diag diag = { "" };
    agent_lock(d->agent);
    bool leased = slot_session_is_leased(d->slot);
    agent_unlock(d->agent);
    if (leased && !e->force) {
        refuse_stop(e, 409, "session_live", "A leased session is live: release its lease, or say force.");
        return;
    }
    enum sunshine_outcome outcome = sunshine_close_app(d->api, &diag);
    hc_log(HC_LOG_NOTICE, "stream_stop", "slot=%u force=%s outcome=%s detail=%s", e->slot, e->force ? "yes" : "no",
           sunshine_outcome_word(outcome), hc_logq(diag.text));
    if (outcome != SUNSHINE_OK) {
        refuse_stop(e, outcome == SUNSHINE_AWAY ? 504 : 502, outcome == SUNSHINE_AWAY ? "host_unreachable" : "host_refused", diag.text);
        return;
    }
    e->status = 200;
    agent_lock(d->agent);
    if (sessions_closing(&d->slot->sessions, os_monotonic_ms()))
        slot_edge(d->slot);
    agent_unlock(d->agent);
}

/* ---- the thread ---- */

static struct errand *next(struct slot *slot)
{
    agent_lock(slot->agent);
    struct errand *errand = slot->errands;
    if (errand != NULL) {
        slot->errands = errand->next;
        if (slot->errands == NULL)
            slot->errands_end = &slot->errands;
        slot->errand_count--;
    }
    agent_unlock(slot->agent);
    return errand;
}

static void give_back(struct agent *agent, struct errand *errand)
{
    uint64_t one = 1;
    agent_lock(agent);
    errand->next = NULL;
    *agent->done_end = errand;
    agent->done_end = &errand->next;
    agent_unlock(agent);
    ssize_t n = write(agent->wake_fd, &one, sizeof one);
    (void)n;                    /* a full counter is a wake that stands already */
}

static void open_desk(struct desk *d)
{
    const struct slot_config *config = d->slot->config;
    struct hc_diag diag = { "" };
    const struct sunshine_access access = { .address = config->address, .port = config->web, .username = config->username,
                                            .password = config->password, .timeout_ms = STOP_CALL_MS };
    if (cluster_open(d->agent->config, &d->agent->stop, &d->cluster, &diag) != HC_OK)
        hc_log(HC_LOG_ERR, "cluster_not_opened", "detail=%s", hc_logq(diag.text));
    if (sunshine_open(&access, &d->api, &diag) != HC_OK)
        hc_log(HC_LOG_ERR, "sunshine_not_opened", "detail=%s", hc_logq(diag.text));
}

void errand_main(void *arg)
{
    struct slot *slot = arg;
    struct desk d = { .slot = slot, .agent = slot->agent };
    open_desk(&d);
    while (!atomic_load(&slot->agent->stop)) {
        struct errand *errand = next(slot);
        agent_beat(&slot->errand_beat_ms);
        if (errand == NULL) {
            bell_wait(&slot->errand_bell, IDLE_WAIT_MS);
            continue;
        }
        if (errand->kind == ERRAND_LAUNCH)
            run_launch(&d, errand);
        else if (d.api != NULL)
            run_stop(&d, errand);
        else
            refuse_stop(errand, 500, "internal", "There is no memory for this request.");
        give_back(slot->agent, errand);
    }
    d.cluster = cluster_close(d.cluster);
    d.api = sunshine_close(d.api);
}
