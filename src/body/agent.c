/* agent.c - the agent's shared state, its beginning and its end. */
#include "agent_state.h"

#include <stdio.h>
#include <string.h>

#include "hydra/base/log.h"
#include "hydra/crypto/digest.h"
#include "hydra/os/clock.h"
#include "hydra/os/file.h"

#include "kernel_file.h"
#include "slot_loop.h"

void agent_lock(struct agent *agent)
{
    (void)pthread_mutex_lock(&agent->mutex);
}

void agent_unlock(struct agent *agent)
{
    (void)pthread_mutex_unlock(&agent->mutex);
}

void agent_beat(atomic_llong *beat_ms)
{
    atomic_store(beat_ms, os_monotonic_ms());
}

void agent_edge(struct agent *agent)
{
    agent->edge = true;
    bell_ring(&agent->report_bell);
}

void slot_edge(struct slot *slot)
{
    slot->fast_until_ms = os_monotonic_ms() + EDGE_FAST_MS;
    bell_ring(&slot->bell);
    agent_edge(slot->agent);
}

bool slot_session_is_leased(struct slot *slot)
{
    struct sessions_view view;
    sessions_look(&slot->sessions, os_monotonic_ms(), &view);
    for (size_t i = 0; i < view.row_count; i++) {
        const struct session_row *row = &view.rows[i];
        if (row->launch.lease_id[0] != '\0' && (row->state == SLOT_STARTING || row->state == SLOT_STREAMING))
            return true;
    }
    const struct kept_directive *directive = slot->agent->directive;
    const struct desired_slot *row = directive == NULL ? NULL : desired_slot_of(&directive->answer.desired, slot->index);
    bool served = row != NULL && row->action == DIRECTIVE_SERVE && row->lease_id[0] != '\0';
    return served && view.rows[0].state == SLOT_STREAMING;      /* the hook was missed, the lease is not */
}

struct kept_directive *agent_directive(struct agent *agent)
{
    if (agent->directive != NULL)
        kept_use(&agent->directive->kept);
    return agent->directive;
}

int64_t directive_age_ms(const struct kept_directive *directive, int64_t now_ms)
{
    return now_ms - directive->received_ms + directive->answer.desired.issued_ago_ms;
}

void agent_event(struct agent *agent, const struct body_status_event *event)
{
    agent_lock(agent);
    bool room = report_event_add(&agent->events, event->type, event->slot, event->launch_id, event->client_uuid, event->detail);
    agent_edge(agent);
    agent_unlock(agent);
    hc_log(HC_LOG_WARNING, event->type, "slot=%u launch=%s detail=%s%s", event->slot, event->launch_id, hc_logq(event->detail),
           room ? "" : " report=no_room");
}

bool agent_errand(struct agent *agent, struct errand *errand)
{
    struct slot *slot = &agent->slots[errand->slot];
    agent_lock(agent);
    bool room = slot->errand_count < ERRANDS_WAITING_MAX;
    if (room) {
        errand->next = NULL;
        *slot->errands_end = errand;
        slot->errands_end = &errand->next;
        slot->errand_count++;
        slot->launching += errand->kind == ERRAND_LAUNCH;      /* from now on no entry is changed */
        bell_ring(&slot->errand_bell);
    }
    agent_unlock(agent);
    return room;
}

struct errand *agent_errand_done(struct agent *agent)
{
    agent_lock(agent);
    struct errand *errand = agent->done;
    if (errand != NULL) {
        agent->done = errand->next;
        if (agent->done == NULL)
            agent->done_end = &agent->done;
    }
    agent_unlock(agent);
    return errand;
}

void agent_stream_ended(struct agent *agent, const struct stream_edge *edge)
{
    struct slot *slot = &agent->slots[edge->slot];
    agent_lock(agent);
    bool news = sessions_ended(&slot->sessions, edge->launch_id, os_monotonic_ms());
    if (news)
        slot_edge(slot);
    agent_unlock(agent);
    hc_log(HC_LOG_INFO, "stream_ended", "slot=%u known=%s", edge->slot, news ? "yes" : "no");
}

bool agent_lives(struct agent *agent)
{
    int64_t since_ms = os_monotonic_ms() - THREAD_SILENT_MS;
    bool lives = atomic_load(&agent->report_beat_ms) > since_ms && atomic_load(&agent->directive_beat_ms) > since_ms &&
                 atomic_load(&agent->operation_beat_ms) > since_ms;
    for (size_t i = 0; i < agent->slot_count; i++)
        lives = lives && atomic_load(&agent->slots[i].loop_beat_ms) > since_ms && atomic_load(&agent->slots[i].errand_beat_ms) > since_ms;
    return lives;
}

/* ---- beginning ---- */

/* The kernel's own: the same for every agent of this boot, another after the next. */
static enum hc_err read_boot_id(struct agent *agent, struct hc_diag *diag)
{
    bool ok = kernel_file_line(BOOT_ID_FILE, agent->boot_id, sizeof agent->boot_id) && hc_id_ok(agent->boot_id);
    return ok ? HC_OK : hc_fail(diag, HC_ERR_IO, "%s cannot be read: this needs a Linux with /proc", BOOT_ID_FILE);
}

static void name_us(struct agent *agent)
{
    char digest[HC_HASH_SIZE];
    crypto_sha256_hex(agent->config->node_id, strlen(agent->config->node_id), digest);
    digest[sizeof agent->unique_id - 1] = '\0';
    HC_SET(agent->unique_id, digest);
}

static enum hc_err open_slot(struct agent *agent, size_t i, struct hc_diag *diag)
{
    const struct slot_config *config = &agent->config->slots[i];
    struct slot *slot = &agent->slots[i];
    slot->agent = agent;
    slot->index = (uint32_t)i;
    slot->config = config;
    slot->host = (struct gs_host){ config->address, config->gamestream, config->gamestream_tls };
    slot->errands_end = &slot->errands;
    agent_beat(&slot->loop_beat_ms);
    agent_beat(&slot->errand_beat_ms);
    agent->slot_count++;
    if (!bell_open(&slot->bell) || !bell_open(&slot->errand_bell))
        return hc_fail(diag, HC_ERR_NOMEM, "no descriptors for slot %zu", i);
    return slot_open(slot, diag);
}

static enum hc_err open_all(struct agent *agent, struct hc_diag *diag)
{
    enum hc_err err = os_dir_make_private(agent->config->state_dir, diag);
    if (err == HC_OK)
        err = os_dir_open(agent->config->state_dir, &agent->state_fd, diag);
    if (err == HC_OK)
        err = read_boot_id(agent, diag);
    if (err == HC_OK && !bell_open(&agent->report_bell))
        err = hc_fail(diag, HC_ERR_NOMEM, "no descriptors to start with");
    for (size_t i = 0; i < agent->config->slot_count && err == HC_OK; i++)
        err = open_slot(agent, i, diag);
    return err;
}

static enum hc_err start_threads(struct agent *agent, struct hc_diag *diag)
{
    enum hc_err err = os_worker_start(&agent->report_worker, report_main, agent);
    if (err == HC_OK)
        err = os_worker_start(&agent->directive_worker, directive_main, agent);
    if (err == HC_OK)
        err = os_worker_start(&agent->operation_worker, operation_main, agent);
    for (size_t i = 0; i < agent->slot_count && err == HC_OK; i++) {
        err = os_worker_start(&agent->slots[i].loop_worker, slot_main, &agent->slots[i]);
        if (err == HC_OK)
            err = os_worker_start(&agent->slots[i].errand_worker, errand_main, &agent->slots[i]);
    }
    return err == HC_OK ? HC_OK : hc_fail(diag, err, "a thread cannot be started");
}

enum hc_err agent_start(const struct body_config *config, int wake_fd, struct agent **ret_agent, struct hc_diag *diag)
{
    struct agent *agent = hc_alloc(sizeof *agent);
    if (agent == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "out of memory");
    agent->config = config;
    agent->wake_fd = wake_fd;
    agent->state_fd = -1;
    agent->report_bell.fd = -1;
    agent->started_ms = os_monotonic_ms();
    agent->done_end = &agent->done;
    agent->generation = 1;
    agent_beat(&agent->report_beat_ms);
    agent_beat(&agent->directive_beat_ms);
    agent_beat(&agent->operation_beat_ms);
    for (size_t i = 0; i < DIRECTIVE_SLOTS_MAX; i++)
        agent->slots[i].dir_fd = agent->slots[i].bell.fd = agent->slots[i].errand_bell.fd = -1;
    (void)pthread_mutex_init(&agent->mutex, NULL);
    name_us(agent);
    gpu_look(&agent->gpu);
    if (config->gpu[0] != '\0')
        HC_SET(agent->gpu.name, config->gpu);
    if (config->gpu_memory_total_mb > 0)
        agent->gpu.memory_total_mb = config->gpu_memory_total_mb;
    enum hc_err err = open_all(agent, diag);
    if (err == HC_OK)
        err = start_threads(agent, diag);
    if (err != HC_OK)
        return agent_stop(agent) ? err : HC_ERR_TIMEOUT;        /* no thread has got to a call that could hang */
    *ret_agent = agent;
    return HC_OK;
}

/* ---- end ---- */

static int64_t left_ms(int64_t by_ms)
{
    int64_t left = by_ms - os_monotonic_ms();
    return left < 0 ? 0 : left;
}

static bool end_threads(struct agent *agent)
{
    int64_t by_ms = os_monotonic_ms() + AGENT_STOP_MS;
    atomic_store(&agent->stop, true);
    bell_ring(&agent->report_bell);
    for (size_t i = 0; i < agent->slot_count; i++) {
        bell_ring(&agent->slots[i].bell);
        bell_ring(&agent->slots[i].errand_bell);
    }
    bool over = os_worker_end(&agent->report_worker, left_ms(by_ms));
    over = os_worker_end(&agent->directive_worker, left_ms(by_ms)) && over;
    over = os_worker_end(&agent->operation_worker, left_ms(by_ms)) && over;
    for (size_t i = 0; i < agent->slot_count; i++) {
        over = os_worker_end(&agent->slots[i].loop_worker, left_ms(by_ms)) && over;
        over = os_worker_end(&agent->slots[i].errand_worker, left_ms(by_ms)) && over;
    }
    return over;
}

static void free_errands(struct errand *errand)
{
    while (errand != NULL) {
        struct errand *next = errand->next;
        hc_free(errand);
        errand = next;
    }
}

bool agent_stop(struct agent *agent)
{
    if (agent == NULL)
        return true;
    if (!end_threads(agent)) {
        hc_log(HC_LOG_WARNING, "stop_without_waiting", "detail=%s",
               hc_logq("a call to the cluster or to Sunshine has not come back; what must be kept is on the disk"));
        return false;
    }
    for (size_t i = 0; i < agent->slot_count; i++) {
        struct slot *slot = &agent->slots[i];
        slot_close(slot);
        kept_drop((struct kept *)slot->shown.clients);
        kept_drop((struct kept *)slot->shown.experiences);
        free_errands(slot->errands);
        bell_close(&slot->bell);
        bell_close(&slot->errand_bell);
        os_close(&slot->dir_fd);
    }
    kept_drop((struct kept *)agent->directive);
    free_errands(agent->done);
    bell_close(&agent->report_bell);
    os_close(&agent->state_fd);
    (void)pthread_mutex_destroy(&agent->mutex);
    hc_free(agent);
    return true;
}
