/* reporter.c - the thread that says to the cluster what is observed: in the cadence that the cluster asks for, and at once when something
 * changes (wire §4). */
#include "agent_state.h"

#include <string.h>

#include "hydra/base/log.h"
#include "hydra/codec/json.h"
#include "hydra/os/clock.h"
#include "hydra/os/random.h"

#define REPORT_PATH      "/api/v1/body/status"
#define CADENCE_MIN_MS   1000
#define CADENCE_MAX_MS   60000
#define FIRST_WAIT_MS    8000       /* the first report waits for a look at every host: nobody is granted what was not read yet */

struct reporter {
    struct agent *agent;
    struct cluster *cluster;
    uint64_t seq;
    int64_t cadence_ms, next_ms, tried_ms;
    unsigned failures;
};

/* One report: what was copied under the mutex, and what must be given back. */
struct draft {
    struct hc_arena arena;
    struct body_view view;
    struct body_view_slot slots[DIRECTIVE_SLOTS_MAX];
    struct kept_clients *clients[DIRECTIVE_SLOTS_MAX];
    struct report_events events;
    uint64_t generation;
    bool ok;                        /* memory sufficed */
};

/* ---- the draft, under the mutex ---- */

static void copy_slot(struct draft *d, struct slot *slot, int64_t now_ms)
{
    struct body_view_slot *to = &d->slots[slot->index];
    const struct slot_shown *shown = &slot->shown;
    sessions_look(&slot->sessions, now_ms, &to->sessions);
    to->applied_epoch = shown->applied_epoch;
    to->max_epoch_seen = shown->floor;
    to->ports = (struct body_status_ports){ slot->config->gamestream, slot->config->gamestream_tls, slot->config->web };
    to->sunshine_cert_fp = hc_arena_strdup(&d->arena, shown->sunshine_cert_fp);
    to->gate_mode = shown->gate_mode;
    to->gate_reason = hc_arena_strdup(&d->arena, shown->gate_reason);
    to->clients_known = shown->clients != NULL;
    d->clients[slot->index] = shown->clients;
    if (shown->clients != NULL) {
        kept_use(&shown->clients->kept);
        to->clients = shown->clients->clients;
        to->client_count = shown->clients->count;
    }
    d->ok = d->ok && to->sunshine_cert_fp != NULL && to->gate_reason != NULL;
}

/* Of all slots, each name once. */
static void copy_experiences(struct draft *d, const struct agent *agent)
{
    size_t most = 0;
    for (size_t i = 0; i < agent->slot_count; i++)
        most += agent->slots[i].shown.experiences == NULL ? 0 : agent->slots[i].shown.experiences->count;
    const char **names = hc_arena_array(&d->arena, most + 1, sizeof names[0]);
    size_t count = 0;
    d->ok = d->ok && names != NULL;
    for (size_t i = 0; i < agent->slot_count && d->ok; i++) {
        const struct kept_names *from = agent->slots[i].shown.experiences;
        for (size_t k = 0; from != NULL && k < from->count && d->ok; k++) {
            if (count >= BODY_STATUS_EXPERIENCES_MAX || hc_among(names, count, from->names[k]))
                continue;
            names[count] = hc_arena_strdup(&d->arena, from->names[k]);
            d->ok = names[count++] != NULL;
        }
    }
    d->view.experiences = names;
    d->view.experience_count = count;
}

/* In a word, what is wrong with the worst of them. */
static const char *provider_status(const struct draft *d, const struct agent *agent)
{
    enum sunshine_outcome worst = SUNSHINE_OK;
    for (size_t i = 0; i < agent->slot_count; i++) {
        if (d->slots[i].sessions.host == HOST_STATE_UNKNOWN)
            return "unreachable";
        enum sunshine_outcome web = slot_web_worst(&agent->slots[i]);
        worst = web > worst ? web : worst;
    }
    return worst == SUNSHINE_OK ? "running" : sunshine_outcome_word(worst);
}

static void draft_make(struct draft *d, struct agent *agent, uint64_t seq)
{
    const struct body_config *config = agent->config;
    int64_t now_ms = os_monotonic_ms();
    *d = (struct draft){ .ok = true };
    agent_lock(agent);
    for (size_t i = 0; i < agent->slot_count; i++)
        copy_slot(d, &agent->slots[i], now_ms);
    copy_experiences(d, agent);
    d->events = agent->events;
    d->generation = agent->generation;
    const char *version = hc_arena_strdup(&d->arena, agent->slots[0].shown.version), *status = provider_status(d, agent);
    agent->edge = false;
    agent_unlock(agent);
    d->ok = d->ok && version != NULL;
    d->view.gpu = agent->gpu.name;
    d->view.gpu_memory_total_mb = agent->gpu.memory_total_mb;
    d->view.provider_status = status;
    d->view.provider_version = version;
    d->view.hydrabody_version = HYDRA_VERSION;
    d->view.xr_state = "";
    d->view.xr_drivers = config->xr_drivers.items;
    d->view.xr_driver_count = config->xr_drivers.count;
    d->view.boot_id = agent->boot_id;
    d->view.report_seq = seq;
    d->view.provider_uptime_ms = now_ms - agent->started_ms;
    d->view.slots = d->slots;
    d->view.slot_count = agent->slot_count;
    d->view.events = &d->events;
    d->view.now_ms = now_ms;
}

static void draft_free(struct draft *d, struct agent *agent)
{
    agent_lock(agent);
    for (size_t i = 0; i < agent->slot_count; i++)
        kept_drop((struct kept *)d->clients[i]);
    agent_unlock(agent);
    hc_arena_free(&d->arena);
}

/* ---- the answer ---- */

static int64_t cadence_of(const struct reporter *r, const struct directive_answer *answer)
{
    int64_t ms = answer->next_report_ms > 0 ? answer->next_report_ms : r->agent->config->report_ms;
    return ms < CADENCE_MIN_MS ? CADENCE_MIN_MS : ms > CADENCE_MAX_MS ? CADENCE_MAX_MS : ms;
}

/* The directive in the answer is the poll's to take: two that bring it could not be told older from newer. But one that says the same as
 * the newest proves that it holds with all our experiences known. */
static void take_answer(struct reporter *r, const struct draft *d, const struct cluster_answer *answer)
{
    struct agent *agent = r->agent;
    struct hc_arena arena = { 0 };
    struct directive_answer *read = hc_arena_alloc(&arena, sizeof *read);
    struct json_refusal refusal = { "", "" };
    bool ok = read != NULL && json_read(&directive_answer_table, answer->body.data, answer->body.len, false, &arena, read,
                                        &refusal) == HC_OK;
    r->cadence_ms = ok ? cadence_of(r, read) : agent->config->report_ms;
    agent_lock(agent);
    report_events_answered(&agent->events, d->events.count);
    agent->told_generation = d->generation > agent->told_generation ? d->generation : agent->told_generation;
    agent->met.reported_ms = os_monotonic_ms();
    agent->met.error.text[0] = '\0';
    struct kept_directive *newest = agent->directive;
    if (ok && newest != NULL && newest->generation < d->generation && strcmp(newest->answer.desired.digest, read->desired.digest) == 0) {
        newest->generation = d->generation;
        for (size_t i = 0; i < agent->slot_count; i++)
            bell_ring(&agent->slots[i].bell);
    }
    agent_unlock(agent);
    if (!ok)
        hc_log(HC_LOG_ERR, "report_answer_unreadable", "field=%s detail=%s", hc_logq(refusal.field), hc_logq(refusal.detail));
    hc_arena_free(&arena);
}

static void failed(struct reporter *r, long status, const struct hc_diag *diag)
{
    uint32_t random;
    os_random(&random, sizeof random);
    r->failures++;
    agent_lock(r->agent);
    bool news = r->agent->met.status != status || r->failures == 1;
    r->agent->met.status = status;
    r->agent->met.error = *diag;
    agent_unlock(r->agent);
    r->next_ms = os_monotonic_ms() + cluster_backoff_ms(r->failures, random);
    if (news)
        hc_log(HC_LOG_WARNING, "report_not_taken", "status=%ld detail=%s", status, hc_logq(diag->text));
}

static void send_report(struct reporter *r)
{
    struct agent *agent = r->agent;
    struct draft *d = hc_alloc(sizeof *d);
    HC_CLEANUP(hc_buf_freep) struct hc_buf body = { 0 };
    struct cluster_answer answer = { 0 };
    struct hc_diag diag = { "" };
    uint64_t now = (uint64_t)os_monotonic_ms();
    r->tried_ms = (int64_t)now;
    if (d == NULL) {
        (void)hc_fail(&diag, HC_ERR_NOMEM, "no memory for the report");
        failed(r, 0, &diag);
        return;
    }
    r->seq = now > r->seq ? now : r->seq + 1;      /* of this boot, and above what an agent before us has sent in it */
    draft_make(d, agent, r->seq);
    enum hc_err err = d->ok ? report_write(&d->view, &body) : HC_ERR_NOMEM;
    if (err != HC_OK)
        (void)hc_fail(&diag, err, "no memory for the report");
    else
        err = cluster_call(r->cluster, "POST", REPORT_PATH, body.data, CLUSTER_CALL_MS, &answer, &diag);
    bool taken = err == HC_OK && answer.status >= 200 && answer.status < 300;
    if (taken) {
        take_answer(r, d, &answer);
        r->next_ms = os_monotonic_ms() + r->cadence_ms;
        if (r->failures > 0)
            hc_log(HC_LOG_NOTICE, "report_taken_again", "failures=%u", r->failures);
        r->failures = 0;
        agent_lock(agent);
        agent->met.status = answer.status;
        agent_unlock(agent);
    } else {
        if (err == HC_OK)
            (void)hc_fail(&diag, HC_OK, "the cluster answered %ld: %.200s", answer.status, answer.body.len == 0 ? "" : answer.body.data);
        failed(r, answer.status, &diag);
    }
    cluster_answer_free(&answer);
    draft_free(d, agent);
    hc_free(d);
}

/* When the next report is due. */
static int64_t due_ms(struct reporter *r)
{
    agent_lock(r->agent);
    bool edge = r->agent->edge;
    agent_unlock(r->agent);
    return report_due_ms(edge, r->failures > 0, r->tried_ms, r->next_ms);
}

static bool all_looked(struct agent *agent)
{
    bool all = true;
    agent_lock(agent);
    for (size_t i = 0; i < agent->slot_count; i++)
        all = all && agent->slots[i].shown.looked;
    agent_unlock(agent);
    return all;
}

static void wait_for_first_look(struct agent *agent)
{
    int64_t until_ms = agent->started_ms + FIRST_WAIT_MS;
    for (int64_t left_ms = FIRST_WAIT_MS; left_ms > 0 && !all_looked(agent) && !atomic_load(&agent->stop);
         left_ms = until_ms - os_monotonic_ms())
        bell_wait(&agent->report_bell, left_ms);
}

void report_main(void *arg)
{
    struct agent *agent = arg;
    struct hc_diag diag = { "" };
    struct reporter r = { .agent = agent, .cadence_ms = agent->config->report_ms };
    if (cluster_open(agent->config, &agent->stop, &r.cluster, &diag) != HC_OK) {
        hc_log(HC_LOG_ERR, "cluster_not_opened", "detail=%s", hc_logq(diag.text));
        return;
    }
    wait_for_first_look(agent);
    while (!atomic_load(&agent->stop)) {
        agent_beat(&agent->report_beat_ms);
        int64_t wait_ms = due_ms(&r) - os_monotonic_ms();
        if (wait_ms <= 0)
            send_report(&r);
        else
            bell_wait(&agent->report_bell, wait_ms);
    }
    r.cluster = cluster_close(r.cluster);
}
