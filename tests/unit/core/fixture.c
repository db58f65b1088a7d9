#include "fixture.h"

#include <string.h>

#define FLEET_START_MS    INT64_C(1788514800000)      /* some morning */
#define REPORT_EVERY_MS   5000
#define STEP_OF_PASS_MS   1000

static void put(struct fleet *f, struct rec *rec)
{
    assert_int_equal(alloc_put(f->alloc, rec->kind, rec->key, rec), HC_OK);
    rec_unref(rec);
}

int fleet_setup(void **state)
{
    struct fleet *f = hc_alloc(sizeof *f);
    assert_non_null(f);
    timers_default(&f->config.timers);
    memset(f->config.secret, 7, sizeof f->config.secret);
    HC_SET(f->config.default_district, FLEET_DISTRICT);
    f->config.queue_max_tickets = QUEUE_TICKETS_DEFAULT;
    f->now = (hc_time){ FLEET_START_MS };
    assert_int_equal(alloc_new(&f->config, &f->alloc), HC_OK);
    assert_int_equal(observed_new(&f->obs), HC_OK);
    struct core_event ev = fleet_event(f, CORE_START, CALLER_SYSTEM, "");
    (void)fleet_step(f, &ev);
    *state = f;
    return 0;
}

int fleet_teardown(void **state)
{
    struct fleet *f = *state;
    core_result_free(&f->last);
    alloc_free(f->alloc);
    observed_free(f->obs);
    hc_free(f);
    return 0;
}

struct core_event fleet_event(struct fleet *f, enum core_event_type type, enum caller_kind caller, const char *node_id)
{
    struct core_event ev = { .type = type, .now = f->now, .store_ok = !f->store_down, .caller = { .kind = caller } };
    uint32_t seed = ++f->steps;
    memcpy(ev.seed, &seed, sizeof seed);
    HC_SET(ev.caller.node_id, node_id);
    return ev;
}

struct core_result *fleet_step(struct fleet *f, const struct core_event *ev)
{
    core_result_free(&f->last);
    assert_int_equal(core_step(f->alloc, f->obs, ev, &f->last), HC_OK);
    return &f->last;
}

static const char *const experiences[] = { FLEET_EXPERIENCE };

static struct node_rec *new_node(struct fleet *f, const char *id, const char *venue, uint32_t roles, const char *kind)
{
    struct node_rec *node = (struct node_rec *)rec_new(REC_NODE, id);
    assert_non_null(node);
    HC_SET(node->name, id);
    HC_SET(node->district, FLEET_DISTRICT);
    HC_SET(node->venue, venue);
    HC_SET(node->owner, FLEET_OWNER);
    HC_SET(node->kind, kind);
    node->roles = roles;
    node->approval = APPROVAL_APPROVED;
    node->enrolled_at = node->last_seen = f->now;
    return node;
}

static struct fleet_body *add_body(struct fleet *f, const char *id, const char *venue)
{
    assert_true(f->body_count < FLEET_BODIES_MAX);
    struct node_rec *node = new_node(f, id, venue, ROLE_BODY, "hydrabody");
    HC_SET(node->ip, "10.0.0.1");
    put(f, &node->rec);
    struct body_rec *body = (struct body_rec *)rec_new(REC_BODY, id);
    assert_non_null(body);
    body->slots_total = 1;
    body->home_venue_reserve = RESERVE_AUTO;
    body->observing_since = f->now;
    body->listed_experiences = strings_new(experiences, 1);       /* as it listed them in some report of old */
    assert_non_null(body->listed_experiences);
    body->slots = hc_alloc(sizeof body->slots[0]);
    assert_non_null(body->slots);
    body->slot_count = 1;
    put(f, &body->rec);
    struct fleet_body *machine = &f->bodies[f->body_count++];
    *machine = (struct fleet_body){ .modern = true, .boot_id = "boot-1", .uptime_ms = 3600000, .status = STATUS_IDLE };
    HC_SET(machine->id, id);
    return machine;
}

void fleet_body(struct fleet *f, const char *id, const char *venue)
{
    (void)add_body(f, id, venue);
}

void fleet_legacy_body(struct fleet *f, const char *id, const char *venue)
{
    add_body(f, id, venue)->modern = false;
}

void fleet_head(struct fleet *f, const char *id, const char *venue, const char *kind)
{
    put(f, &new_node(f, id, venue, ROLE_HEAD, kind)->rec);
}

void fleet_slots(struct fleet *f, const char *body_id, uint32_t slots_total)
{
    struct core_event ev = fleet_event(f, CORE_SLOTS_PUT, CALLER_ADMIN, "");
    ev.u.slots = (struct slots_req){ .body_id = body_id, .slots_total = { true, slots_total } };
    assert_int_equal(fleet_step(f, &ev)->answer, ANSWER_DONE);
}

struct fleet_body *fleet_machine(struct fleet *f, const char *body_id)
{
    for (size_t i = 0; i < f->body_count; i++)
        if (strcmp(f->bodies[i].id, body_id) == 0)
            return &f->bodies[i];
    fail_msg("the fleet has no body %s", body_id);
    return NULL;
}

void fleet_session(struct fleet *f, const char *body_id, uint32_t slot, enum session_state state, const char *lease_id,
    const char *launch_id)
{
    struct fleet_body *machine = fleet_machine(f, body_id);
    assert_true(machine->session_count < REPORT_SESSIONS_MAX);
    struct session_obs *session = &machine->sessions[machine->session_count++];
    *session = (struct session_obs){ .index = slot, .state = state, .since_ms = -1 };
    HC_SET(session->lease_id, lease_id);
    HC_SET(session->launch_id, launch_id);
    machine->status = STATUS_STREAMING;
}

void fleet_no_session(struct fleet *f, const char *body_id)
{
    struct fleet_body *machine = fleet_machine(f, body_id);
    machine->session_count = 0;
    machine->status = STATUS_IDLE;
}

void fleet_reboot(struct fleet *f, const char *body_id)
{
    struct fleet_body *machine = fleet_machine(f, body_id);
    fleet_no_session(f, body_id);
    HC_SET(machine->xr_state, machine->xr ? "idle" : "");
    machine->boot_id[strlen("boot-")]++;
    machine->seq = 0;
    machine->uptime_ms = 90000;
}

void fleet_silent(struct fleet *f, const char *body_id)
{
    fleet_machine(f, body_id)->speaks = false;
}

/* What slots[] would say: the sessions, and an idle row for every slot without one; all confirm the slot's epoch. */
static size_t fill_rows(struct fleet *f, const struct fleet_body *machine, struct session_obs rows[REPORT_SESSIONS_MAX])
{
    const struct body_rec *body = alloc_body(f->alloc, machine->id);
    assert_non_null(body);
    size_t count = 0;
    for (size_t i = 0; i < body->slot_count; i++) {
        bool busy = false;
        for (size_t k = 0; k < machine->session_count; k++)
            busy = busy || machine->sessions[k].index == i;
        if (!busy)
            rows[count++] = (struct session_obs){ .index = (uint32_t)i, .state = SESSION_IDLE, .since_ms = -1 };
    }
    for (size_t k = 0; k < machine->session_count; k++)
        rows[count++] = machine->sessions[k];
    for (size_t i = 0; i < count; i++) {
        bool known = rows[i].index < body->slot_count;
        rows[i].has_applied_epoch = true;
        rows[i].applied_epoch = known ? body->slots[rows[i].index].epoch : 0;
        rows[i].ports = (struct ports){ 47989 + 100 * rows[i].index, 47984 + 100 * rows[i].index, 47990 + 100 * rows[i].index };
    }
    return count;
}

struct core_result *fleet_report(struct fleet *f, const char *body_id)
{
    struct fleet_body *machine = fleet_machine(f, body_id);
    struct session_obs rows[REPORT_SESSIONS_MAX];
    struct core_event ev = fleet_event(f, CORE_BODY_REPORT, CALLER_NODE, body_id);
    ev.u.report = (struct report_req){
        .body_id = body_id, .modern = machine->modern, .boot_id = "", .uptime_ms = -1, .stream_status = machine->status,
        .has_experiences = true, .experiences = experiences, .experience_count = 1, .gpu = "RTX 4090", .provider_status = "ok",
        .provider_version = "2025.1", .hydrabody_version = "1.0", .gpu_memory_total_mb = 24576, .ports = { 47989, 47984, 47990 },
        .sunshine_cert_fp = "", .paired_digest = "",
    };
    static const char *const drivers[] = { "alvr" };
    ev.u.report.xr_state = machine->xr_state;
    ev.u.report.xr_session_id = machine->xr_session_id;
    ev.u.report.xr_reason = machine->xr_reason;
    ev.u.report.xr_drivers = drivers;
    ev.u.report.xr_driver_count = machine->xr ? 1 : 0;
    if (machine->modern) {
        ev.u.report.boot_id = machine->boot_id;
        ev.u.report.report_seq = ++machine->seq;
        ev.u.report.uptime_ms = machine->uptime_ms;
        ev.u.report.sessions = rows;
        ev.u.report.session_count = fill_rows(f, machine, rows);
    }
    machine->speaks = true;
    machine->spoke_at = f->now;
    return fleet_step(f, &ev);
}

static struct heartbeat_req heartbeat(const char *head_id, const char *status)
{
    return (struct heartbeat_req){ .head_id = head_id, .status = status, .body_id = "", .lease_id = "", .stream_id = "", .address = "",
        .version = "" };
}

struct core_result *fleet_heartbeat(struct fleet *f, const char *head_id, const char *status, const char *body_id)
{
    struct core_event ev = fleet_event(f, CORE_HEARTBEAT, CALLER_NODE, head_id);
    ev.u.heartbeat = heartbeat(head_id, status);
    ev.u.heartbeat.body_id = body_id;
    return fleet_step(f, &ev);
}

struct core_result *fleet_heartbeat_lease(struct fleet *f, const char *head_id, const char *status, const char *lease_id,
    enum head_lease_state state)
{
    struct core_event ev = fleet_event(f, CORE_HEARTBEAT, CALLER_NODE, head_id);
    ev.u.heartbeat = heartbeat(head_id, status);
    ev.u.heartbeat.lease_id = lease_id;
    ev.u.heartbeat.lease_state = state;
    ev.u.heartbeat.protocol_version = (struct opt_u32){ true, 2 };
    return fleet_step(f, &ev);
}

struct core_result *fleet_read(struct fleet *f, const char *head_id, const char *experience)
{
    struct core_event ev = fleet_event(f, CORE_READ, CALLER_NODE, head_id);
    ev.u.read = (struct read_req){ .head_id = head_id, .district = "", .venue = "", .experience = experience, .stream_mode = "",
        .last_chance = true };
    return fleet_step(f, &ev);
}

struct core_result *fleet_claim(struct fleet *f, const char *head_id, const char *attempt_id, const char *experience)
{
    struct core_event ev = fleet_event(f, CORE_CLAIM, CALLER_NODE, head_id);
    ev.u.claim = (struct claim_req){
        .head_id = head_id, .attempt_id = attempt_id, .experience = experience, .stream_mode = "", .device_uid = "", .prefer_body_id = "",
        .claim_token = "", .stream_id = "", .content_digest = experience, .protocol_version = 2,
    };
    return fleet_step(f, &ev);
}

struct core_result *fleet_renew(struct fleet *f, const char *head_id, const char *lease_id, const char *claim_token)
{
    struct core_event ev = fleet_event(f, CORE_RENEW, CALLER_NODE, head_id);
    ev.u.renew = (struct renew_req){ head_id, lease_id, claim_token };
    return fleet_step(f, &ev);
}

struct core_result *fleet_release(struct fleet *f, const char *head_id, const char *lease_id, const char *claim_token, enum lease_why why)
{
    struct core_event ev = fleet_event(f, CORE_RELEASE, CALLER_NODE, head_id);
    ev.u.release = (struct release_req){ head_id, lease_id, claim_token, why };
    return fleet_step(f, &ev);
}

struct core_result *fleet_tick(struct fleet *f)
{
    struct core_event ev = fleet_event(f, CORE_TICK, CALLER_SYSTEM, "");
    return fleet_step(f, &ev);
}

void fleet_pass(struct fleet *f, int64_t ms)
{
    hc_time end = hc_time_add(f->now, ms), tick = hc_time_add(f->now, f->config.timers.watchdog_tick_ms);
    while (hc_time_before(f->now, end)) {
        int64_t left = hc_time_since(end, f->now);
        f->now = hc_time_add(f->now, left < STEP_OF_PASS_MS ? left : STEP_OF_PASS_MS);
        for (size_t i = 0; i < f->body_count; i++) {
            struct fleet_body *machine = &f->bodies[i];
            if (!machine->speaks || hc_time_since(f->now, machine->spoke_at) < REPORT_EVERY_MS)
                continue;
            machine->uptime_ms += hc_time_since(f->now, machine->spoke_at);
            (void)fleet_report(f, machine->id);
        }
        if (!hc_time_due(tick, f->now))
            continue;
        (void)fleet_tick(f);
        tick = hc_time_add(f->now, f->config.timers.watchdog_tick_ms);
    }
}

const struct lease *fleet_lease(struct fleet *f, const char *lease_id)
{
    const struct lease *lease = alloc_lease(f->alloc, lease_id, NULL, NULL);
    assert_non_null(lease);
    return lease;
}

const struct slot *fleet_slot(struct fleet *f, const char *body_id, uint32_t slot)
{
    const struct body_rec *body = alloc_body(f->alloc, body_id);
    assert_non_null(body);
    assert_true(slot < body->slot_count);
    return &body->slots[slot];
}

const struct lease *fleet_live(struct fleet *f, const char *body_id, uint32_t slot)
{
    return slot_live_lease(fleet_slot(f, body_id, slot));
}

struct core_view fleet_view(struct fleet *f)
{
    return (struct core_view){ .saved = f->alloc, .obs = f->obs, .now = f->now };
}

size_t fleet_notes(const struct core_result *result, enum note_type type)
{
    size_t count = 0;
    for (size_t i = 0; i < result->note_count; i++)
        count += result->notes[i].type == type ? 1 : 0;
    return count;
}
