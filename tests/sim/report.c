/* report.c - what a body says, how it travels, and what arrives. */
#include <assert.h>
#include <string.h>

#include "sim.h"

static void session_row(const struct session *session, struct session_obs *row)
{
    row->state = session->starting ? SESSION_STARTING : session->ending ? SESSION_ENDING : SESSION_STREAMING;
    HC_SET(row->lease_id, session->lease_id);
    HC_SET(row->launch_id, session->launch_id);
    HC_SET(row->client_uuid, session->client_uuid);
    HC_SET(row->client_name, session->client_name);
    HC_SET(row->app, session->app);
}

static void modern_rows(const struct machine *m, struct report *report)
{
    for (uint32_t slot = 0; slot < m->slots; slot++) {
        size_t first = report->row_count;
        for (size_t i = 0; i < SIM_SESSIONS_MAX; i++) {
            const struct session *session = &m->sessions[i];
            if (!session->on || session->hidden || session->slot != slot || report->row_count == SIM_ROWS_MAX)
                continue;
            report->rows[report->row_count] = (struct session_obs){ .index = slot, .since_ms = -1 };
            session_row(session, &report->rows[report->row_count++]);
        }
        if (report->row_count == first && report->row_count < SIM_ROWS_MAX)
            report->rows[report->row_count++] = (struct session_obs){ .index = slot, .state = SESSION_IDLE, .since_ms = -1 };
        for (size_t i = first; i < report->row_count; i++) {
            report->rows[i].has_applied_epoch = m->table[slot].told;
            report->rows[i].applied_epoch = m->table[slot].applied;
            report->rows[i].ports = (struct ports){ 47989 + 100 * slot, 47984 + 100 * slot, 47990 + 100 * slot };
        }
        report->max_epoch[slot] = m->table[slot].floor;
    }
    report->slot_count = m->slots;
}

void report_make(struct sim *sim, struct machine *m, struct report *report)
{
    *report = (struct report){ .used = true, .modern = m->modern, .body = (int)(m - sim->bodies), .boot = m->boot, .made_at = sim->now,
        .uptime_ms = m->sends_uptime ? sim->now - m->agent_since : -1, .xr = m->xr, .experiences = m->experiences,
        .number = ++sim->number, .second_launch = m->told_second, .second_launch_slot = m->second_slot, .floor_event = m->told_floor };
    for (size_t i = 0; i < SIM_SESSIONS_MAX; i++) {
        const struct session *session = &m->sessions[i];
        bool shown = session->on && !session->hidden;
        report->shown_since[i] = session->on ? session->since : 0;
        report->streaming = report->streaming || (shown && !session->starting && !(session->ending && !m->modern));
    }
    if (m->x.capable) {
        report->xr = m->x.state != XR_NONE && m->x.state != XR_FAILED;
        HC_SET(report->xr_word, m->x.state == XR_NONE ? "idle" : word_of(&xr_state_words, (int)m->x.state));
        HC_SET(report->xr_session_id, m->x.state == XR_NONE ? "" : m->x.session_id);
    }
    m->told_second = m->told_floor = false;
    if (!m->modern)
        return;
    report->seq = ++m->seq;
    modern_rows(m, report);
}

static struct report *flight(struct sim *sim)
{
    for (size_t i = 0; i < SIM_FLIGHTS_MAX; i++)
        if (!sim->flights[i].used)
            return &sim->flights[i];
    return NULL;
}

static void send(struct sim *sim, struct machine *m, const struct report *made, int64_t takes_ms)
{
    struct report *report = flight(sim);
    if (report == NULL)
        return;                              /* as good as lost */
    *report = *made;
    report->arrives_at = sim->now + takes_ms;
    if (!m->modern && report->arrives_at <= m->last_arrival)
        report->arrives_at = m->last_arrival + 1;      /* a legacy agent posts one after the other */
    m->last_arrival = report->arrives_at;
    sim_at(sim, report->arrives_at, EV_REPORT, (int)(report - sim->flights), report->number);
}

void report_send(struct sim *sim, struct machine *m)
{
    struct report made;
    bool faults = !sim->healed && !sim->calm;
    if (m->quiet)
        return;
    report_make(sim, m, &made);
    if (faults && chance_percent(&sim->chance, 2))
        return;                              /* lost */
    bool late = faults && m->modern && chance_percent(&sim->chance, 2);
    send(sim, m, &made, late ? chance_between(&sim->chance, 500, 8000) : chance_between(&sim->chance, 3, 80));
    if (faults && m->modern && chance_percent(&sim->chance, 1))
        send(sim, m, &made, chance_between(&sim->chance, 50, 6000));
}

static bool is_stale(const struct machine *m, const struct report *report)
{
    return m->heard_at != 0 && m->heard.modern && report->modern && m->heard.boot == report->boot && report->seq <= m->heard.seq;
}

static void boot_name(const struct report *report, char out[HC_ID_SIZE])
{
    uint8_t bytes[8];
    memcpy(bytes, &report->boot, sizeof bytes);
    hc_copy(out, HC_ID_SIZE, "boot-");
    hc_hex(bytes, sizeof bytes, out + 5);
}

/* What the agent says of its trust store; of an empty one it says nothing. A liar leaves one out and has seen another. */
static size_t told_clients(struct machine *m, struct client_obs out[SIM_CLIENTS_MAX], const char **ret_digest)
{
    *ret_digest = m->misreads ? "unknown" : m->pairings > 0 ? "told" : "";
    size_t count = m->client_count;
    for (size_t i = 0; i < count; i++) {
        const struct machine_client *client = &m->clients[i];
        out[i] = (struct client_obs){ .slot = CLIENT_OF_BODY };
        HC_SET(out[i].uuid, m->lies && i + 1 == count ? "uuid-ghost" : client->uuid);
        HC_SET(out[i].name, m->lies && i + 1 == count ? "hydra-h1" : client->name);
    }
    return count;
}

static void note_told(struct machine *m, const struct client_obs *clients, size_t count)
{
    m->told_known = !m->misreads && m->pairings > 0 && m->heard.modern;
    m->told_count = count;
    for (size_t i = 0; i < count; i++) {
        HC_SET(m->told[i].uuid, clients[i].uuid);
        HC_SET(m->told[i].name, clients[i].name);
    }
}

void report_delivered(struct sim *sim, const struct report *report)
{
    struct machine *m = &sim->bodies[report->body];
    static const char *const drivers[] = { "alvr" };
    const char *experiences[3];
    size_t count = 0;
    char boot[HC_ID_SIZE];
    struct body_event events[2];
    size_t event_count = 0;
    boot_name(report, boot);
    for (size_t i = 0; i < 2; i++)
        if ((report->experiences & (1U << i)) != 0)
            experiences[count++] = sim_experiences[i];
    if (m->x.capable)
        experiences[count++] = SIM_XR_EXPERIENCE;
    if (report->second_launch)
        events[event_count++] = (struct body_event){ .type = BODY_EVENT_SECOND_LAUNCH, .slot = report->second_launch_slot };
    if (report->floor_event)
        events[event_count++] = (struct body_event){ .type = BODY_EVENT_BELOW_FLOOR };
    struct client_obs clients[SIM_CLIENTS_MAX];
    const char *digest;
    size_t client_count = told_clients(m, clients, &digest);
    struct core_event ev = cluster_event(sim, CORE_BODY_REPORT, CALLER_NODE, m->id);
    ev.u.report = (struct report_req){ .body_id = m->id, .modern = report->modern, .boot_id = report->modern ? boot : "",
        .report_seq = report->seq, .uptime_ms = report->modern ? report->uptime_ms : -1,
        .stream_status = report->streaming ? STATUS_STREAMING : STATUS_IDLE,
        .xr_state = report->xr_word[0] != '\0' ? report->xr_word : report->xr ? "active" : "", .xr_session_id = report->xr_session_id,
        .xr_drivers = drivers,
        .xr_driver_count = report->xr_word[0] != '\0' ? 1 : 0, .has_experiences = true,
        .experiences = experiences, .experience_count = count, .gpu = "RTX 4090", .provider_status = "ok", .provider_version = "1",
        .hydrabody_version = "1", .gpu_memory_total_mb = 24576, .ports = { 47989, 47984, 47990 }, .sessions = report->rows,
        .session_count = report->modern ? report->row_count : 0, .max_epoch_seen = report->max_epoch,
        .max_epoch_count = report->modern ? report->slot_count : 0, .sunshine_cert_fp = "", .paired_digest = digest, .clients = clients,
        .client_count = client_count, .events = events,
        .event_count = event_count };
    m->any_request_at = sim->now;
    if (!is_stale(m, report)) {
        if (m->boot_unsure)
            m->seems_boot_at = sim->now;
        m->boot_unsure = false;
        if (m->heard.boot != report->boot)   /* our restart is not its reboot */
            m->boot_heard_at = sim->now;
        m->heard = *report;                  /* before the step: what the checks may believe */
        note_told(m, clients, client_count);
        m->heard_before_at = m->heard_at;
        m->heard_at = sim->now;
    }
    (void)cluster_step(sim, &ev, cluster_seed(sim));
    sim_check_i3_newest_report_counts(sim, m);
    sim_check_i2_reported_is_accounted(sim, m);
    sim_check_i9_overlap_is_visible(sim, m);
}

void report_arrives(struct sim *sim, struct report *report)
{
    struct report copy = *report;
    struct machine *m = &sim->bodies[report->body];
    report->used = false;
    if (!sim->cluster.running || !m->used || alloc_node(sim->cluster.live, m->id) == NULL)
        return;
    report_delivered(sim, &copy);
    bool answered = m->directive_at == 0 && !(chance_percent(&sim->chance, 2) && !sim->healed);
    if (!answered || sim->mode == MODE_SCRIPT)
        return;
    m->directive_at = sim->now + chance_between(&sim->chance, 5, 200);
    sim_at(sim, m->directive_at, EV_DIRECTIVE, copy.body, 0);
}
