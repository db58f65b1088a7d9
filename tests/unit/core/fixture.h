/* fixture.h - a small fleet in memory under virtual time: everything goes through core_step().
 *
 *   struct fleet *f = *state;
 *   fleet_body(f, "b1", "north");  fleet_head(f, "h1", "north", "hydraheadipad");
 *   fleet_report(f, "b1");                        the body speaks: idle, epochs confirmed
 *   fleet_read(f, "h1", "rupelmonde");            f->last is the answer
 *   fleet_pass(f, 30000);                         30 s of ticks; bodies that spoke go on reporting every 5 s */
#ifndef CORE_FIXTURE_H
#define CORE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "hydra/core/query.h"

#define FLEET_BODIES_MAX  128
#define FLEET_DISTRICT    "d1"
#define FLEET_EXPERIENCE  "rupelmonde"
#define FLEET_OWNER       "acme"       /* of every node: one owner, so that venues may serve each other */

struct fleet_body {                    /* what the machine itself would say */
    char id[HC_ID_SIZE];
    bool modern, speaks;               /* speaks: fleet_pass() lets it report every 5 s */
    char boot_id[HC_ID_SIZE]; uint64_t seq; int64_t uptime_ms;
    size_t session_count; struct session_obs sessions[REPORT_SESSIONS_MAX];     /* not idle ones only */
    enum stream_status status;         /* of a legacy body */
    bool xr; char xr_state[WORD_SIZE], xr_session_id[HC_ID_SIZE], xr_reason[WORD_SIZE];      /* xr: it has the driver */
    hc_time spoke_at;
};
struct fleet {
    struct alloc *alloc;
    struct observed *obs;
    struct core_config config;
    hc_time now;
    uint32_t steps;                    /* the seed of the next event */
    bool store_down;
    struct core_result last;           /* of the last step; freed by the next */
    size_t body_count; struct fleet_body bodies[FLEET_BODIES_MAX];
};

int fleet_setup(void **state);         /* cmocka: *state is the fleet; CORE_START has run on an empty store */
int fleet_teardown(void **state);
#define FLEET_TEST(name) cmocka_unit_test_setup_teardown(name, fleet_setup, fleet_teardown)

/* An event of that type at the fleet's time with the next seed, as the caller; fill `u` and give it to fleet_step(). */
struct core_event fleet_event(struct fleet *f, enum core_event_type type, enum caller_kind caller, const char *node_id);
struct core_result *fleet_step(struct fleet *f, const struct core_event *ev);      /* asserts HC_OK */

/* Nodes of district d1 with that id, approved and just seen. A body is modern, has one slot and the experience, and has not
 * reported yet. */
void fleet_body(struct fleet *f, const char *id, const char *venue);
void fleet_legacy_body(struct fleet *f, const char *id, const char *venue);
void fleet_head(struct fleet *f, const char *id, const char *venue, const char *kind);
void fleet_slots(struct fleet *f, const char *body_id, uint32_t slots_total);
struct fleet_body *fleet_machine(struct fleet *f, const char *body_id);

/* The machine's state, told with the next report. */
void fleet_session(struct fleet *f, const char *body_id, uint32_t slot, enum session_state state, const char *lease_id,
    const char *launch_id);
void fleet_no_session(struct fleet *f, const char *body_id);
void fleet_reboot(struct fleet *f, const char *body_id);                            /* new boot id, no session, uptime 90 s */
struct core_result *fleet_report(struct fleet *f, const char *body_id);
void fleet_silent(struct fleet *f, const char *body_id);                            /* fleet_pass() lets it report no more */

struct core_result *fleet_heartbeat(struct fleet *f, const char *head_id, const char *status, const char *body_id);
struct core_result *fleet_heartbeat_lease(struct fleet *f, const char *head_id, const char *status, const char *lease_id,
    enum head_lease_state state);
struct core_result *fleet_read(struct fleet *f, const char *head_id, const char *experience);
struct core_result *fleet_claim(struct fleet *f, const char *head_id, const char *attempt_id, const char *experience);
struct core_result *fleet_renew(struct fleet *f, const char *head_id, const char *lease_id, const char *claim_token);
struct core_result *fleet_release(struct fleet *f, const char *head_id, const char *lease_id, const char *claim_token, enum lease_why why);
struct core_result *fleet_tick(struct fleet *f);
void fleet_pass(struct fleet *f, int64_t ms);

/* What is saved now. They assert that it is there. */
const struct lease *fleet_lease(struct fleet *f, const char *lease_id);
const struct slot *fleet_slot(struct fleet *f, const char *body_id, uint32_t slot);
const struct lease *fleet_live(struct fleet *f, const char *body_id, uint32_t slot);      /* NULL: none */
struct core_view fleet_view(struct fleet *f);
size_t fleet_notes(const struct core_result *result, enum note_type type);                /* how many of that type */

#endif
