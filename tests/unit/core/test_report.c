/* POST /body/status: rules §3.4, §6.1, §6.2.5, §10.7, wire §4. */
#include "visits.h"

#include <string.h>

static struct report_req usual(struct fleet *f)
{
    struct fleet_body *machine = fleet_machine(f, "b1");
    static const struct session_obs idle = { .index = 0, .state = SESSION_IDLE, .since_ms = -1 };
    return (struct report_req){
        .body_id = "b1", .modern = true, .boot_id = machine->boot_id, .report_seq = ++machine->seq, .uptime_ms = 3600000,
        .stream_status = STATUS_IDLE, .xr_state = "", .gpu = "gpu", .provider_status = "ok", .provider_version = "1",
            .hydrabody_version = "2",
        .sunshine_cert_fp = "", .paired_digest = "", .sessions = &idle, .session_count = 1,
    };
}

static struct core_result *report(struct fleet *f, const struct report_req *req)
{
    f->now = hc_time_add(f->now, 5000);
    struct core_event ev = fleet_event(f, CORE_BODY_REPORT, CALLER_NODE, req->body_id);
    ev.u.report = *req;
    return fleet_step(f, &ev);
}

static void test_report__unknown_body__is_not_found(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    struct report_req req = usual(f);
    req.body_id = "h1";
    assert_int_equal(report(f, &req)->deny, DENY_NOT_FOUND);
}

static void test_report__stale_sequence__changes_nothing(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    struct report_req req = usual(f), late = req;
    (void)report(f, &req);
    hc_time at = observed_body(f->obs, "b1")->reported_at;
    const struct session_obs row = { .index = 0, .state = SESSION_STREAMING, .since_ms = -1 };
    late.sessions = &row;
    struct core_result *got = report(f, &late);
    assert_int_equal(got->answer, ANSWER_DONE);
    assert_int_equal(observed_body(f->obs, "b1")->reported_at.ms, at.ms);
    assert_null(fleet_live(f, "b1", 0));
    late.boot_id = "boot-9";                       /* another boot counts from anew */
    (void)report(f, &late);
    assert_int_equal(observed_body(f->obs, "b1")->reported_at.ms, f->now.ms);
}

static void test_report__out_of_range__is_refused_and_changes_nothing(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    hc_time at = observed_body(f->obs, "b1")->reported_at;
    const struct session_obs high_slot = { .index = BODY_SLOTS_MAX }, high_epoch = { .applied_epoch = HC_EPOCH_MAX + 1 };
    const uint64_t epoch = HC_EPOCH_MAX + 1;
    struct report_req reqs[6];
    for (size_t i = 0; i < 6; i++)
        reqs[i] = usual(f);
    reqs[0].sessions = &high_slot;
    reqs[1].sessions = &high_epoch;
    reqs[2].max_epoch_seen = &epoch, reqs[2].max_epoch_count = 1;
    reqs[3].session_count = REPORT_SESSIONS_MAX + 1;
    reqs[4].client_count = REPORT_CLIENTS_MAX + 1;
    reqs[5].event_count = REPORT_EVENTS_MAX + 1;
    const char *fields[6] = { "slots", "slots", "max_epoch_seen", "slots", "paired_clients", "events" };
    for (size_t i = 0; i < 6; i++) {
        const struct core_result *got = report(f, &reqs[i]);
        assert_int_equal(got->deny, DENY_BAD_REQUEST);
        assert_string_equal(got->field, fields[i]);
    }
    assert_int_equal(observed_body(f->obs, "b1")->reported_at.ms, at.ms);
}

/* pair_epoch goes up when the certificate changes; the first one is no change. */
static void test_report__certificate_changes__raises_the_pair_epoch(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    struct report_req req = usual(f);
    req.sunshine_cert_fp = "aa";
    (void)report(f, &req);
    assert_int_equal(alloc_body(f->alloc, "b1")->pair_epoch, 0);
    req = usual(f);
    req.sunshine_cert_fp = "bb";
    assert_int_equal(fleet_notes(report(f, &req), NOTE_CERT_ROTATED), 1);
    assert_int_equal(alloc_body(f->alloc, "b1")->pair_epoch, 1);
    assert_string_equal(alloc_body(f->alloc, "b1")->sunshine_cert_fp, "bb");
    req = usual(f);                                /* not told: it is still the same */
    (void)report(f, &req);
    assert_int_equal(alloc_body(f->alloc, "b1")->pair_epoch, 1);
}

static void test_report__experiences_change__all_ever_listed_are_kept(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    const char *mercator[] = { "mercator" };
    struct report_req req = usual(f);
    req.has_experiences = true;
    req.experiences = mercator;
    req.experience_count = 1;
    (void)report(f, &req);
    assert_true(strings_has(alloc_body(f->alloc, "b1")->listed_experiences, "mercator"));
    assert_true(strings_has(alloc_body(f->alloc, "b1")->listed_experiences, FLEET_EXPERIENCE));
    assert_false(strings_has(observed_body(f->obs, "b1")->experiences, FLEET_EXPERIENCE));
    req.report_seq = usual(f).report_seq;
    assert_false(report(f, &req)->dirty);
    req = usual(f);                                /* the list is not told: what is known stays */
    (void)report(f, &req);
    assert_true(strings_has(observed_body(f->obs, "b1")->experiences, "mercator"));
}

static void test_report__last_confirmation__is_saved_once_a_minute(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    unsigned saves = 0;
    for (unsigned i = 0; i < 60; i++) {
        struct report_req req = usual(f);
        saves += report(f, &req)->dirty ? 1 : 0;
    }
    assert_in_range(saves, 4, 5);
}

static struct core_result *tells(struct fleet *f, enum body_event_type type, const char *client_uuid)
{
    static const struct client_obs clients[] = { { "uuid-1", "hydra-h1", 0 }, { "uuid-2", "hydra-p2", 0 }, { "uuid-3", "roth", 0 } };
    struct body_event event = { .type = type, .slot = 0 };
    HC_SET(event.client_uuid, client_uuid);
    struct report_req req = usual(f);
    req.clients = clients;
    req.client_count = 3;
    req.events = &event;
    req.event_count = 1;
    return report(f, &req);
}

static void test_events__told_by_a_body__are_published(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    assert_int_equal(fleet_notes(tells(f, BODY_EVENT_SECOND_LAUNCH, "uuid-1"), NOTE_SECOND_LAUNCH), 1);
    assert_int_equal(observed_body(f->obs, "b1")->second_launch_at[0].ms, f->now.ms);
    assert_int_equal(fleet_notes(tells(f, BODY_EVENT_BELOW_FLOOR, ""), NOTE_EPOCH_BELOW_FLOOR), 1);
    assert_int_equal(observed_body(f->obs, "b1")->below_floor_at[0].ms, f->now.ms);
    assert_int_equal(fleet_notes(tells(f, BODY_EVENT_PAIR_CONTENTION, ""), NOTE_PAIR_CONTENTION), 1);
    assert_int_equal(fleet_notes(tells(f, BODY_EVENT_TRIM_PARSE_FAILED, ""), NOTE_TRIM_PARSE_FAILED), 1);
    assert_int_equal(tells(f, BODY_EVENT_OTHER, "")->note_count, 0);
}

/* §10.5, §10.7: what a legacy head does is expected, and does not put `enforce` off. */
static void test_unauthorized_launch__legacy_head_or_stranger__only_the_stranger_counts(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    const struct core_result *got = tells(f, BODY_EVENT_UNAUTHORIZED, "uuid-1");
    assert_true(visit_note(got, NOTE_UNAUTHORIZED_LAUNCH)->expected_legacy);
    assert_string_equal(visit_note(got, NOTE_UNAUTHORIZED_LAUNCH)->head_id, "h1");
    assert_false(hc_time_set(alloc_body(f->alloc, "b1")->last_unauthorized_at));
    got = tells(f, BODY_EVENT_UNAUTHORIZED, "uuid-3");
    assert_false(visit_note(got, NOTE_UNAUTHORIZED_LAUNCH)->expected_legacy);
    assert_int_equal(alloc_body(f->alloc, "b1")->last_unauthorized_at.ms, f->now.ms);
}

static void test_report__store_is_down__is_observed_only(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    f->store_down = true;
    const struct core_result *got = tells(f, BODY_EVENT_SECOND_LAUNCH, "uuid-1");
    assert_false(got->dirty);
    assert_int_equal(got->note_count, 0);
    assert_int_equal(observed_body(f->obs, "b1")->reported_at.ms, f->now.ms);
    assert_int_equal(observed_body(f->obs, "b1")->second_launch_at[0].ms, f->now.ms);
}

/* Every allocation that may fail does: the records are as before, and the next report is taken. */
static void test_report__each_allocation_failing__is_whole_or_not_at_all(void **state)
{
    struct fleet *f = *state;
    visit_fleet(f);
    const char *lists[] = { "mercator", "rupelmonde" };
    const struct session_obs row = { .index = 0, .state = SESSION_STREAMING, .since_ms = -1, .launch_id = "l1" };
    enum hc_err err = HC_ERR_NOMEM;
    for (unsigned n = 1; err != HC_OK; n++) {
        struct report_req req = usual(f);
        req.sessions = &row;
        req.has_experiences = true;
        req.experiences = lists;
        req.experience_count = 2;
        struct core_event ev = fleet_event(f, CORE_BODY_REPORT, CALLER_NODE, "b1");
        ev.u.report = req;
        core_result_free(&f->last);
        hc_alloc_fail_after(n);
        err = core_step(f->alloc, f->obs, &ev, &f->last);
        hc_alloc_fail_after(0);
        assert_true(err == HC_OK || err == HC_ERR_NOMEM);
        assert_int_equal(fleet_live(f, "b1", 0) != NULL, err == HC_OK);
        assert_true(n < 500);
    }
    assert_true(strings_has(alloc_body(f->alloc, "b1")->listed_experiences, "mercator"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_report__unknown_body__is_not_found),
        FLEET_TEST(test_report__stale_sequence__changes_nothing),
        FLEET_TEST(test_report__out_of_range__is_refused_and_changes_nothing),
        FLEET_TEST(test_report__certificate_changes__raises_the_pair_epoch),
        FLEET_TEST(test_report__experiences_change__all_ever_listed_are_kept),
        FLEET_TEST(test_report__last_confirmation__is_saved_once_a_minute),
        FLEET_TEST(test_events__told_by_a_body__are_published),
        FLEET_TEST(test_unauthorized_launch__legacy_head_or_stranger__only_the_stranger_counts),
        FLEET_TEST(test_report__store_is_down__is_observed_only),
        FLEET_TEST(test_report__each_allocation_failing__is_whole_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
