/* Equivalence with the shipped flow (seed, Step 9): the states that a headset sees, as tables. Each line: what happens, then for how long
 * things stay so, then what GET xr-session says, in which state the lease is, and what the body is asked to do. */
#include "headset.h"

#include <string.h>

#include "visits.h"

enum act {
    NOTHING, START, ENDS /* DELETE */, BODY /* reports `arg` */, REBOOTS /* the machine; reports idle */,
    AGENT /* restarts; reports `arg` */,
    SILENT /* the body */, RESTART /* the daemon, `arg` seconds away */, ERROR_BEAT, FLAT_READ, REVOKE
};
struct line { enum act act; const char *arg; int64_t seconds; const char *seen, *reason; enum lease_state lease; const char *asked; };
struct story { const char *name; bool head_stays; size_t count; struct line lines[14]; };
#define NO_LEASE LEASE_STATES
#define OVER     "over", ""

static const struct story stories[] = {
    { "arm, and the visitor plays", true, 5, {
        { START,   NULL,     0,    "requested", "",                LEASE_HELD,      "arm" },
        { BODY,    "arming", 60,   "arming",    "",                LEASE_PAIRING,   "arm" },
        { BODY,    "armed",  20,   "armed",     "",                LEASE_STARTING,  "arm" },
        { BODY,    "active", 0,    "active",    "",                LEASE_STREAMING, "keep" },
        { NOTHING, NULL,     3600, "active",    "",                LEASE_STREAMING, "keep" } } },
    { "arm timeout, 150 s, then the failed hold, 60 s", true, 6, {
        { START,   NULL,     0,    "requested", "",                LEASE_HELD,      "arm" },
        { BODY,    "arming", 140,  "arming",    "",                LEASE_PAIRING,   "arm" },
        { NOTHING, NULL,     19,   "failed",    "arm_timeout",     LEASE_FAILED,    "end" },
        { BODY,    "idle",   35,   "failed",    "arm_timeout",     LEASE_FAILED,    "end" },
        { NOTHING, NULL,     30,   OVER,                           NO_LEASE,        "" },
        { START,   NULL,     0,    "requested", "",                LEASE_HELD,      "arm" } } },
    { "a body that never heard of it", true, 3, {
        { START,   NULL,     0,    "requested", "",                LEASE_HELD,      "arm" },
        { NOTHING, NULL,     140,  "requested", "",                LEASE_HELD,      "arm" },
        { NOTHING, NULL,     20,   "failed",    "arm_timeout",     LEASE_FAILED,    "end" } } },
    { "armed, but nobody puts it on", true, 4, {
        { START,   NULL,     0,    "requested", "",                LEASE_HELD,      "arm" },
        { BODY,    "arming", 100,  "arming",    "",                LEASE_PAIRING,   "arm" },
        { BODY,    "armed",  90,   "armed",     "",                LEASE_STARTING,  "arm" },
        { NOTHING, NULL,     30,   "failed",    "connect_timeout", LEASE_FAILED,    "end" } } },
    { "doff and return", true, 7, {
        { START,   NULL,     0,    "requested", "",                LEASE_HELD,      "arm" },
        { BODY,    "arming", 45,   "arming",    "",                LEASE_PAIRING,   "arm" },
        { BODY,    "armed",  5,    "armed",     "",                LEASE_STARTING,  "arm" },
        { BODY,    "active", 300,  "active",    "",                LEASE_STREAMING, "keep" },
        { BODY,    "draining", 80, "draining",  "",                LEASE_STREAMING, "keep" },
        { BODY,    "active", 300,  "active",    "",                LEASE_STREAMING, "keep" },
        { ENDS,    NULL,     0,    "ending",    "released",        LEASE_DRAINING,  "end" } } },
    { "doffed for good: the body's grace runs out", true, 5, {
        { START,   NULL,     0,    "requested", "",                LEASE_HELD,      "arm" },
        { BODY,    "armed",  45,   "armed",     "",                LEASE_STARTING,  "arm" },
        { BODY,    "active", 300,  "active",    "",                LEASE_STREAMING, "keep" },
        { BODY,    "draining", 90, "draining",  "",                LEASE_STREAMING, "keep" },
        { BODY,    "idle",   0,    OVER,                           NO_LEASE,        "" } } },
    { "end", true, 6, {
        { START,   NULL,     0,    "requested", "",                LEASE_HELD,      "arm" },
        { BODY,    "armed",  45,   "armed",     "",                LEASE_STARTING,  "arm" },
        { BODY,    "active", 60,   "active",    "",                LEASE_STREAMING, "keep" },
        { ENDS,    NULL,     5,    "ending",    "released",        LEASE_DRAINING,  "end" },
        { BODY,    "ending", 5,    "ending",    "released",        LEASE_DRAINING,  "end" },
        { BODY,    "idle",   0,    OVER,                           NO_LEASE,        "" } } },
    { "end, and a body that does not take it down: the ending hold, 15 min", true, 5, {
        { START,   NULL,     0,    "requested", "",                LEASE_HELD,      "arm" },
        { BODY,    "armed",  45,   "armed",     "",                LEASE_STARTING,  "arm" },
        { BODY,    "active", 60,   "active",    "",                LEASE_STREAMING, "keep" },
        { ENDS,    NULL,     890,  "ending",    "released",        LEASE_DRAINING,  "end" },
        { NOTHING, NULL,     25,   OVER,                           NO_LEASE,        "" } } },
    { "the body ends it itself", true, 5, {
        { START,   NULL,     0,    "requested", "",                LEASE_HELD,      "arm" },
        { BODY,    "armed",  45,   "armed",     "",                LEASE_STARTING,  "arm" },
        { BODY,    "active", 60,   "active",    "",                LEASE_STREAMING, "keep" },
        { BODY,    "ending", 5,    "ending",    "body_ended",      LEASE_DRAINING,  "end" },
        { BODY,    "idle",   0,    OVER,                           NO_LEASE,        "" } } },
    { "the body says no more: one idle report is no evidence", true, 5, {
        { START,   NULL,     0,    "requested", "",                LEASE_HELD,      "arm" },
        { BODY,    "armed",  45,   "armed",     "",                LEASE_STARTING,  "arm" },
        { BODY,    "active", 60,   "active",    "",                LEASE_STREAMING, "keep" },
        { BODY,    "idle",   50,   "active",    "",                LEASE_STREAMING, "keep" },
        { NOTHING, NULL,     20,   OVER,                           NO_LEASE,        "" } } },
    { "head lost, 180 s", false, 5, {
        { START,   NULL,     0,    "requested", "",                LEASE_HELD,      "arm" },
        { BODY,    "armed",  45,   "armed",     "",                LEASE_STARTING,  "arm" },
        { BODY,    "active", 120,  "active",    "",                LEASE_STREAMING, "keep" },
        { NOTHING, NULL,     25,   "ending",    "head_lost",       LEASE_DRAINING,  "end" },
        { BODY,    "idle",   0,    OVER,                           NO_LEASE,        "" } } },
    { "body reboot while arming: it is asked again, the clock goes on", true, 5, {
        { START,   NULL,     0,    "requested", "",                LEASE_HELD,      "arm" },
        { BODY,    "arming", 30,   "arming",    "",                LEASE_PAIRING,   "arm" },
        { REBOOTS, NULL,     20,   "requested", "",                LEASE_PAIRING,   "arm" },
        { BODY,    "arming", 85,   "arming",    "",                LEASE_PAIRING,   "arm" },
        { NOTHING, NULL,     20,   "failed",    "arm_timeout",     LEASE_FAILED,    "end" } } },
    { "body reboot while arming, and it arms in time", true, 5, {
        { START,   NULL,     0,    "requested", "",                LEASE_HELD,      "arm" },
        { BODY,    "arming", 30,   "arming",    "",                LEASE_PAIRING,   "arm" },
        { REBOOTS, NULL,     20,   "requested", "",                LEASE_PAIRING,   "arm" },
        { BODY,    "armed",  5,    "armed",     "",                LEASE_STARTING,  "arm" },
        { BODY,    "active", 60,   "active",    "",                LEASE_STREAMING, "keep" } } },
    { "body reboot while it plays: it does not begin anew", true, 5, {
        { START,   NULL,     0,    "requested", "",                LEASE_HELD,      "arm" },
        { BODY,    "armed",  45,   "armed",     "",                LEASE_STARTING,  "arm" },
        { BODY,    "active", 60,   "active",    "",                LEASE_STREAMING, "keep" },
        { REBOOTS, NULL,     50,   "active",    "",                LEASE_STREAMING, "keep" },
        { NOTHING, NULL,     20,   OVER,                           NO_LEASE,        "" } } },
    { "the agent restarts and resumes", true, 5, {
        { START,   NULL,     0,    "requested", "",                LEASE_HELD,      "arm" },
        { BODY,    "armed",  45,   "armed",     "",                LEASE_STARTING,  "arm" },
        { BODY,    "active", 60,   "active",    "",                LEASE_STREAMING, "keep" },
        { AGENT,   "idle",   40,   "active",    "",                LEASE_STREAMING, "keep" },
        { BODY,    "active", 60,   "active",    "",                LEASE_STREAMING, "keep" } } },
    { "the body fails at arming", true, 5, {
        { START,   NULL,     0,    "requested", "",                LEASE_HELD,      "arm" },
        { BODY,    "arming", 30,   "arming",    "",                LEASE_PAIRING,   "arm" },
        { BODY,    "failed", 5,    "failed",    "body_failed",     LEASE_FAILED,    "end" },
        { ENDS,    NULL,     0,    OVER,                           LEASE_FAILED,    "end" },      /* read; the body is held all the same */
        { NOTHING, NULL,     65,   OVER,                           NO_LEASE,        "" } } },
    { "old news of a failure say nothing about what was just asked", true, 3, {
        { BODY,    "failed", 0,    OVER,                           NO_LEASE,        "" },
        { START,   NULL,     10,   "requested", "",                LEASE_HELD,      "arm" },
        { BODY,    "arming", 5,    "arming",    "",                LEASE_PAIRING,   "arm" } } },
    { "the head fails before it began", true, 4, {
        { START,   NULL,     0,    "requested", "",                LEASE_HELD,      "arm" },
        { BODY,    "arming", 30,   "arming",    "",                LEASE_PAIRING,   "arm" },
        { ERROR_BEAT, NULL,  0,    "ending",    "head_error",      LEASE_DRAINING,  "end" },
        { BODY,    "idle",   0,    OVER,                           NO_LEASE,        "" } } },
    { "the body falls silent while it plays, and comes back", true, 5, {
        { START,   NULL,     0,    "requested", "",                LEASE_HELD,      "arm" },
        { BODY,    "active", 60,   "active",    "",                LEASE_STREAMING, "keep" },
        { SILENT,  NULL,     120,  "active",    "",                LEASE_UNKNOWN,   "keep" },
        { BODY,    "active", 60,   "active",    "",                LEASE_STREAMING, "keep" },
        { NOTHING, NULL,     60,   "active",    "",                LEASE_STREAMING, "keep" } } },
    { "the body is lost: what cannot be asked is held until it could be", true, 4, {
        { START,   NULL,     0,    "requested", "",                LEASE_HELD,      "arm" },
        { BODY,    "active", 60,   "active",    "",                LEASE_STREAMING, "keep" },
        { SILENT,  NULL,     720,  "ending",    "unknown_hold",    LEASE_EXPIRED,   "end" },
        { NOTHING, NULL,     920,  OVER,                           NO_LEASE,        "" } } },
    { "an operator revokes it", true, 5, {
        { START,   NULL,     0,    "requested", "",                LEASE_HELD,      "arm" },
        { BODY,    "active", 60,   "active",    "",                LEASE_STREAMING, "keep" },
        { REVOKE,  NULL,     0,    "ending",    "operator_revoke", LEASE_REVOKED,   "end" },
        { BODY,    "ending", 10,   "ending",    "operator_revoke", LEASE_REVOKED,   "end" },
        { BODY,    "idle",   0,    OVER,                           NO_LEASE,        "" } } },
    { "the daemon restarts while the body arms", true, 5, {
        { START,   NULL,     0,    "requested", "",                LEASE_HELD,      "arm" },
        { BODY,    "arming", 30,   "arming",    "",                LEASE_PAIRING,   "arm" },
        { RESTART, "20",     0,    "arming",    "",                LEASE_PAIRING,   "arm" },
        { BODY,    "armed",  5,    "armed",     "",                LEASE_STARTING,  "arm" },
        { BODY,    "active", 60,   "active",    "",                LEASE_STREAMING, "keep" } } },
    { "our outage is not the head's silence", false, 4, {
        { START,   NULL,     0,    "requested", "",                LEASE_HELD,      "arm" },
        { BODY,    "active", 120,  "active",    "",                LEASE_STREAMING, "keep" },
        { RESTART, "600",    0,    "active",    "",                LEASE_STREAMING, "keep" },
        { BODY,    "active", 40,   "active",    "",                LEASE_STREAMING, "keep" } } },
    { "who asks for a flat picture wears no headset any more", true, 4, {
        { START,   NULL,     0,    "requested", "",                LEASE_HELD,      "arm" },
        { BODY,    "active", 60,   "active",    "",                LEASE_STREAMING, "keep" },
        { FLAT_READ, NULL,   0,    "ending",    "experience_changed", LEASE_DRAINING, "end" },
        { BODY,    "idle",   0,    OVER,                           NO_LEASE,        "" } } },
};

static void act(struct fleet *f, const struct line *line)
{
    struct core_event ev;
    switch (line->act) {
    case NOTHING: break;
    case START: assert_int_equal(headset_start(f, "q1", "b1")->answer, ANSWER_XR); break;
    case ENDS: assert_int_equal(headset_end(f, "q1")->answer, ANSWER_DONE); break;
    case BODY: (void)headset_body_says(f, "b1", line->arg); break;
    case REBOOTS:
        fleet_reboot(f, "b1");
        (void)headset_body_says(f, "b1", "idle");
        break;
    case AGENT:
        fleet_machine(f, "b1")->uptime_ms = 0;
        (void)headset_body_says(f, "b1", line->arg);
        break;
    case SILENT: fleet_silent(f, "b1"); break;
    case RESTART: (void)visit_restart(f, 1000 * (line->arg[0] == '2' ? 20 : 600)); break;
    case ERROR_BEAT: (void)fleet_heartbeat(f, "q1", "error", ""); break;
    case FLAT_READ: (void)fleet_read(f, "q1", FLEET_EXPERIENCE); break;
    case REVOKE:
        ev = fleet_event(f, CORE_LEASE_END, CALLER_ADMIN, "");
        ev.u.lease_end = (struct lease_end_req){ .lease_id = headset_session(f, "b1")->session_id, .revoke = true, .reason = "" };
        (void)fleet_step(f, &ev);
        break;
    }
}

static const char *asked(struct fleet *f)
{
    const struct core_view view = fleet_view(f);
    struct hc_arena arena = { 0 };
    struct directive directive;
    assert_int_equal(query_directive(&view, "b1", &arena, &directive), HC_OK);
    hc_arena_free(&arena);
    return directive.xr.present ? word_of(&xr_action_words, (int)directive.xr.action) : "";
}

/* What GET would say, without saying that the head is there. */
static const char *seen(struct fleet *f, const char **ret_reason)
{
    const struct xr_session *xr = headset_session(f, "b1");
    bool shown = xr->session_id[0] != '\0' && !xr->acknowledged;
    *ret_reason = shown ? xr->reason : "";
    return shown ? word_of(&xr_state_words, (int)xr->state) : "over";
}

static void check(struct fleet *f, const struct story *story, size_t at)
{
    const struct line *line = &story->lines[at];
    const struct xr_session *xr = headset_session(f, "b1");
    const struct node_rec *node = alloc_node(f->alloc, "b1");
    const struct lease *lease = xr->session_id[0] == '\0' ? NULL : alloc_lease(f->alloc, xr->session_id, NULL, NULL);
    const char *reason, *is = seen(f, &reason);
    bool lease_ok = line->lease == NO_LEASE ? lease == NULL : lease != NULL && lease->state == line->lease;
    if (strcmp(is, line->seen) != 0 || strcmp(reason, line->reason) != 0 || !lease_ok || strcmp(asked(f), line->asked) != 0)
        fail_msg("%s, line %zu: %s (%s), lease %s, asked %s", story->name, at + 1, is, reason,
                 lease == NULL ? "none" : word_of(&lease_state_words, (int)lease->state), asked(f));
    if (strcmp(node_xr(node)->session_id, xr->session_id) != 0 || node_xr(node)->state != xr->state)
        fail_msg("%s, line %zu: nodes.yaml says something else", story->name, at + 1);
    bool occupied = (slot_occupied(&(struct core_view){ f->alloc, f->obs, f->now }, alloc_body(f->alloc, "b1"), 0) & WHY_NOT_XR) != 0;
    if (xr->session_id[0] != '\0' && !occupied)
        fail_msg("%s, line %zu: the slot is not occupied", story->name, at + 1);
}

static void tell(struct fleet *f, const struct story *story)
{
    headset_fleet(f);
    for (size_t i = 0; i < story->count; i++) {
        const struct line *line = &story->lines[i];
        act(f, line);
        bool begun = strcmp(line->seen, "active") == 0 || strcmp(line->seen, "draining") == 0;
        headset_pass(f, 1000 * line->seconds, story->head_stays ? "q1" : NULL, begun ? "streaming-xr" : "pairing");
        check(f, story, i);
    }
}

static void test_xr__the_shipped_flows__go_through_the_shipped_states(void **state)
{
    for (size_t i = 0; i < sizeof stories / sizeof stories[0]; i++) {
        assert_int_equal(fleet_setup(state), 0);
        tell(*state, &stories[i]);
        assert_int_equal(fleet_teardown(state), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_xr__the_shipped_flows__go_through_the_shipped_states) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
