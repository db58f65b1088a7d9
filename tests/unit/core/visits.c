#include "visits.h"

#define SAYS_EVERY_MS 10000

void visit_fleet(struct fleet *f)
{
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadipad");
    fleet_head(f, "h2", "north", "hydraheadipad");
    fleet_head(f, "p1", "north", "hydraheadflatscreen");
    fleet_head(f, "p2", "north", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
}

void visit_hold(struct fleet *f, const char *head_id, char ret_lease_id[HC_ID_SIZE])
{
    assert_int_equal(fleet_read(f, head_id, FLEET_EXPERIENCE)->answer, ANSWER_ROWS);
    const struct lease *lease = fleet_live(f, "b1", 0);
    assert_non_null(lease);
    assert_string_equal(lease->head_id, head_id);
    hc_copy(ret_lease_id, HC_ID_SIZE, lease->id);
}

void visit_grant(struct fleet *f, const char *head_id, const char *attempt_id, char ret_lease_id[HC_ID_SIZE],
                 char ret_token[CLAIM_TOKEN_SIZE])
{
    const struct core_result *got = fleet_claim(f, head_id, attempt_id, FLEET_EXPERIENCE);
    assert_int_equal(got->answer, ANSWER_LEASE_NEW);
    hc_copy(ret_lease_id, HC_ID_SIZE, got->lease.id);
    hc_copy(ret_token, CLAIM_TOKEN_SIZE, got->claim_token);
}

struct core_result *visit_shows(struct fleet *f, const char *body_id, enum session_state state, const char *lease_id, const char *launch_id)
{
    f->now = hc_time_add(f->now, 5000);
    fleet_no_session(f, body_id);
    fleet_session(f, body_id, 0, state, lease_id, launch_id);
    return fleet_report(f, body_id);
}

struct core_result *visit_idle(struct fleet *f, const char *body_id)
{
    f->now = hc_time_add(f->now, 5000);
    fleet_no_session(f, body_id);
    return fleet_report(f, body_id);
}

void visit_plays(struct fleet *f, char ret_lease_id[HC_ID_SIZE])
{
    visit_hold(f, "h1", ret_lease_id);
    f->now = hc_time_add(f->now, 1000);
    (void)fleet_heartbeat(f, "h1", "starting", "");
    (void)visit_shows(f, "b1", SESSION_STREAMING, "", "l1");
    assert_int_equal(fleet_lease(f, ret_lease_id)->state, LEASE_STREAMING);
}

void visit_beats(struct fleet *f, int64_t ms, const char *head_id, const char *status, const char *body_id)
{
    for (int64_t done = 0; done < ms; done += SAYS_EVERY_MS) {
        fleet_pass(f, ms - done < SAYS_EVERY_MS ? ms - done : SAYS_EVERY_MS);
        (void)fleet_heartbeat(f, head_id, status, body_id);
    }
}

void visit_revoke(struct fleet *f, const char *lease_id)
{
    struct core_event ev = fleet_event(f, CORE_LEASE_END, CALLER_ADMIN, "");
    ev.u.lease_end = (struct lease_end_req){ .lease_id = lease_id, .revoke = true, .reason = "test" };
    assert_int_equal(fleet_step(f, &ev)->answer, ANSWER_DONE);
}

struct core_result *visit_restart(struct fleet *f, int64_t outage_ms)
{
    hc_time saved_at = f->now;
    observed_free(f->obs);
    assert_int_equal(observed_new(&f->obs), HC_OK);
    f->now = hc_time_add(f->now, outage_ms);
    for (size_t i = 0; i < f->body_count; i++)
        f->bodies[i].speaks = false;
    struct core_event ev = fleet_event(f, CORE_START, CALLER_SYSTEM, "");
    ev.u.start = (struct start_req){ .outage_ms = outage_ms, .saved_at = saved_at };
    return fleet_step(f, &ev);
}

size_t visit_ghosts(struct fleet *f, const char *body_id)
{
    return fleet_slot(f, body_id, 0)->ghost_count;
}

const struct stream_rec *visit_stream(struct fleet *f, const char *lease_id)
{
    const struct stream_rec *stream = alloc_stream(f->alloc, fleet_lease(f, lease_id)->stream_id);
    assert_non_null(stream);
    return stream;
}

const struct core_note *visit_note(const struct core_result *result, enum note_type type)
{
    for (size_t i = 0; i < result->note_count; i++)
        if (result->notes[i].type == type)
            return &result->notes[i];
    fail_msg("no note %s", word_of(&note_words, (int)type));
    return NULL;
}
