#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../../../src/sim/body.h"

struct rig { struct body body; int64_t now_ms; struct body_acts acts; unsigned counts[BODY_ACTS]; };
static struct rig the;

static void step(struct rig *rig, const struct body_event *event)
{
    body_step(&rig->body, event, rig->now_ms, &rig->acts);
    for (size_t i = 0; i < rig->acts.count; i++)
        rig->counts[rig->acts.list[i].type]++;
}

static void answer(struct rig *rig, const struct body_directive *directive)
{
    const struct body_event event = { .type = BODY_REPORTED, .directive = directive };
    step(rig, &event);
}

static const struct body_directive nothing = { .status = 200, .next_report_ms = 30000 };

static void pass(struct rig *rig, int64_t ms)
{
    static const struct body_event timer = { .type = BODY_TIMER };
    for (int64_t end = rig->now_ms + ms; rig->now_ms < end; rig->now_ms += 100) {
        unsigned steps = 0;
        while (body_next(&rig->body) != 0 && body_next(&rig->body) <= rig->now_ms) {
            step(rig, &timer);
            assert_true(++steps < 50);
        }
        if (rig->body.report_under_way)
            answer(rig, rig->body.has_directive ? &rig->body.directive : &nothing);
    }
}

static void make(struct rig *rig, bool modern, uint32_t slots)
{
    body_free(&rig->body);                 /* of the test before */
    *rig = (struct rig){ .now_ms = 1000 };
    body_init(&rig->body, "b1", modern, slots, rig->now_ms);
    pass(rig, 500);
    assert_true(rig->counts[BODY_ACT_REPORT] > 0);
}

static void launch_only(struct rig *rig, size_t head, const char *app, bool joins)
{
    const struct body_event event = { .type = BODY_LAUNCH,
        .launch = { .head = head, .slot = 0, .joins_busy = joins, .app = app, .client_uuid = "uuid", .client_name = "roth" } };
    step(rig, &event);
}

static void pair(struct rig *rig)
{
    const struct body_event event = { .type = BODY_PAIRED, .launch = { .client_uuid = "uuid", .client_name = "roth" } };
    step(rig, &event);
}

static void launch(struct rig *rig, size_t head, const char *app, bool joins)
{
    pair(rig);
    launch_only(rig, head, app, joins);
}

static struct body_directive serve(uint64_t epoch, enum body_action action, bool enforce)
{
    struct body_directive directive = { .status = 200, .next_report_ms = 5000, .enforce = enforce, .digest = "d", .wish_count = 1 };
    directive.wishes[0] = (struct body_wish){ .action = action, .epoch = epoch, .lease_id = "lease-1", .protocol = 2, .entry_count = 1 };
    HC_SET(directive.wishes[0].entries[0], "mercator-talks#0123");
    return directive;
}

static void test_body__legacy__reports_every_30_s_and_every_5_s_while_it_streams(void **state)
{
    (void)state;
    make(&the, false, 1);
    unsigned before = the.counts[BODY_ACT_REPORT];
    pass(&the, 60000);
    assert_int_equal(the.counts[BODY_ACT_REPORT], before + 2);
    launch(&the, 0, "mercator-talks", true);
    assert_int_equal(the.counts[BODY_ACT_REPORT], before + 2);
    pass(&the, 31000);
    assert_int_equal(the.counts[BODY_ACT_PICTURE], 1);
    before = the.counts[BODY_ACT_REPORT];
    pass(&the, 20000);
    assert_int_equal(the.counts[BODY_ACT_REPORT], before + 4);
    assert_int_equal(the.counts[BODY_ACT_POLL], 0);
}

static void test_body__legacy_told_to_terminate__picture_ends(void **state)
{
    (void)state;
    make(&the, false, 1);
    launch(&the, 4, "mercator-talks", true);
    pass(&the, 3000);
    the.body.report_under_way = true;
    const struct body_directive terminate = { .status = 200, .terminate_stream = true };
    answer(&the, &terminate);
    assert_int_equal(the.counts[BODY_ACT_DARK], 1);
    pass(&the, 1000);
    assert_int_equal(the.body.session_count, 0);
}

static void test_body__legacy_host_is_busy__an_ipad_joins_and_a_careful_head_does_not(void **state)
{
    (void)state;
    make(&the, false, 1);
    launch(&the, 0, "mercator-talks", true);
    pass(&the, 3000);
    launch(&the, 1, "mercator-talks", false);
    assert_int_equal(the.counts[BODY_ACT_REFUSED], 1);
    launch(&the, 2, "mercator-talks", true);
    pass(&the, 500);
    assert_int_equal(the.counts[BODY_ACT_PICTURE], 2);       /* the incident */
    assert_int_equal(the.body.session_count, 2);
}

static void test_body__modern__reports_changes_at_once_and_confirms_epochs(void **state)
{
    (void)state;
    make(&the, true, 1);
    unsigned polls = the.counts[BODY_ACT_POLL], reports = the.counts[BODY_ACT_REPORT];
    assert_int_equal(polls, 1);
    const struct body_directive directive = serve(7, BODY_SERVE, false);
    const struct body_event event = { .type = BODY_DESIRED, .directive = &directive };
    step(&the, &event);
    assert_int_equal(the.body.applied[0], 7);
    assert_int_equal(the.counts[BODY_ACT_REPORT], reports + 1);
    assert_int_equal(the.counts[BODY_ACT_POLL], polls + 1);
    launch(&the, 3, "mercator-talks#0123", false);
    answer(&the, &directive);
    assert_string_equal(body_session_of(&the.body, 3)->lease_id, "lease-1");
    assert_int_equal(the.counts[BODY_ACT_REPORT], reports + 2);
}

static void test_body__directive_below_the_floor__refused_also_after_a_reboot(void **state)
{
    (void)state;
    make(&the, true, 1);
    struct body_directive directive = serve(9, BODY_SERVE, false);
    answer(&the, &directive);
    const struct body_event reboot = { .type = BODY_REBOOT, .down_ms = 5000 };
    step(&the, &reboot);
    assert_int_equal(the.body.applied[0], 0);
    the.now_ms += 10000;
    the.body.up_at = 0;
    directive = serve(8, BODY_TERMINATE, false);
    answer(&the, &directive);
    assert_int_equal(the.body.floor[0], 9);
    assert_int_equal(the.body.applied[0], 0);
    assert_int_equal(the.body.note_count, 1);
    assert_string_equal(the.body.notes[0].type, "epoch_below_floor");
}

static void test_body__enforced__only_the_leases_token_or_an_admitted_launch_gets_in(void **state)
{
    (void)state;
    make(&the, true, 1);
    const struct body_directive directive = serve(7, BODY_SERVE, true);
    answer(&the, &directive);
    launch(&the, 1, "mercator-talks#9999", false);
    assert_int_equal(the.counts[BODY_ACT_REFUSED], 1);
    launch(&the, 2, "mercator-talks", true);
    assert_int_equal(the.counts[BODY_ACT_ADMIT], 1);
    const struct body_event no = { .type = BODY_ADMITTED, .launch = { .head = 2 }, .admitted_lease = "" };
    step(&the, &no);
    assert_int_equal(the.counts[BODY_ACT_REFUSED], 2);
    launch(&the, 3, "mercator-talks#0123", false);
    pass(&the, 3000);
    assert_int_equal(the.counts[BODY_ACT_PICTURE], 1);
    launch(&the, 4, "mercator-talks#0123", true);
    assert_int_equal(the.counts[BODY_ACT_REFUSED], 3);
}

static void test_body__admission_unanswered__lets_it_in(void **state)
{
    (void)state;
    make(&the, true, 1);
    const struct body_directive directive = serve(7, BODY_FREE, true);
    answer(&the, &directive);
    launch(&the, 2, "mercator-talks", true);
    const struct body_event silence = { .type = BODY_ADMITTED, .launch = { .head = 2 }, .admitted_lease = NULL };
    step(&the, &silence);
    pass(&the, 3000);
    assert_int_equal(the.counts[BODY_ACT_PICTURE], 1);
}

static void test_body__reboot__pictures_end_a_new_boot_counts_from_one(void **state)
{
    (void)state;
    make(&the, true, 1);
    launch(&the, 3, "mercator-talks", true);
    pass(&the, 3000);
    const struct body_event reboot = { .type = BODY_REBOOT, .down_ms = 20000 };
    step(&the, &reboot);
    assert_int_equal(the.counts[BODY_ACT_DARK], 1);
    assert_int_equal(the.body.session_count, 0);
    launch(&the, 4, "mercator-talks", true);
    assert_int_equal(the.counts[BODY_ACT_REFUSED], 1);
    unsigned reports = the.counts[BODY_ACT_REPORT];
    pass(&the, 19000);
    assert_int_equal(the.counts[BODY_ACT_REPORT], reports);
    pass(&the, 3000);
    assert_true(the.counts[BODY_ACT_REPORT] > reports);
    assert_int_equal(the.body.boots, 2);
}

static void test_body__agent_restart__sessions_live_on(void **state)
{
    (void)state;
    make(&the, true, 1);
    launch(&the, 3, "mercator-talks", true);
    pass(&the, 3000);
    uint64_t seq = the.body.report_seq;
    const struct body_event restart = { .type = BODY_AGENT_RESTART };
    step(&the, &restart);
    pass(&the, 5000);
    assert_int_equal(the.counts[BODY_ACT_DARK], 0);
    assert_true(body_streams(&the.body) && the.body.boots == 1 && the.body.report_seq > seq);
}

static void test_body__client_switched_off__session_ends_after_a_while(void **state)
{
    (void)state;
    make(&the, true, 1);
    launch(&the, 3, "mercator-talks", true);
    pass(&the, 3000);
    const struct body_event away = { .type = BODY_CLIENT_AWAY, .launch = { .head = 3 } };
    step(&the, &away);
    pass(&the, 5000);
    assert_true(body_streams(&the.body));
    pass(&the, 10000);
    assert_int_equal(the.body.session_count, 0);
    assert_int_equal(the.counts[BODY_ACT_DARK], 0);
}

static void test_body__client_not_paired__is_refused(void **state)
{
    (void)state;
    make(&the, true, 1);
    launch_only(&the, 3, "mercator-talks", true);
    assert_int_equal(the.counts[BODY_ACT_REFUSED], 1);
    pair(&the);
    launch_only(&the, 3, "mercator-talks", true);
    pass(&the, 3000);
    assert_int_equal(the.counts[BODY_ACT_PICTURE], 1);
    assert_string_equal(body_session_of(&the.body, 3)->client_name, "roth");
}

static void test_body__pairing__told_at_once_and_outlives_a_reboot(void **state)
{
    (void)state;
    make(&the, true, 1);
    unsigned reports = the.counts[BODY_ACT_REPORT];
    pair(&the);
    assert_int_equal(the.counts[BODY_ACT_REPORT], reports + 1);
    pass(&the, 100);
    reports = the.counts[BODY_ACT_REPORT];
    pair(&the);
    assert_int_equal(the.counts[BODY_ACT_REPORT], reports);
    const struct body_event reboot = { .type = BODY_REBOOT, .down_ms = 20000 };
    step(&the, &reboot);
    assert_non_null(store_find(&the.body.trust, "uuid"));
}

static void test_body__host_is_off__nobody_pairs(void **state)
{
    (void)state;
    make(&the, true, 1);
    const struct body_event reboot = { .type = BODY_REBOOT, .down_ms = 20000 };
    step(&the, &reboot);
    pair(&the);
    assert_int_equal(the.body.trust.count, 0);
}

static void test_body__told_to_remove_clients__only_those_go_and_a_legacy_body_keeps_all(void **state)
{
    (void)state;
    for (int modern = 0; modern < 2; modern++) {
        make(&the, modern == 1, 1);
        const struct body_event other = { .type = BODY_PAIRED, .launch = { .client_uuid = "other", .client_name = "roth" } };
        pair(&the);
        step(&the, &other);
        pass(&the, 100);
        struct body_directive directive = nothing;
        directive.remove_count = 2;
        HC_SET(directive.remove[0], "uuid");
        HC_SET(directive.remove[1], "never-seen");
        unsigned reports = the.counts[BODY_ACT_REPORT];
        the.body.report_under_way = true;
        answer(&the, &directive);
        assert_true((store_find(&the.body.trust, "uuid") == NULL) == (modern == 1));
        assert_non_null(store_find(&the.body.trust, "other"));
        assert_int_equal(the.counts[BODY_ACT_REPORT], reports + (modern == 1 ? 1 : 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_body__legacy__reports_every_30_s_and_every_5_s_while_it_streams),
        cmocka_unit_test(test_body__legacy_told_to_terminate__picture_ends),
        cmocka_unit_test(test_body__legacy_host_is_busy__an_ipad_joins_and_a_careful_head_does_not),
        cmocka_unit_test(test_body__modern__reports_changes_at_once_and_confirms_epochs),
        cmocka_unit_test(test_body__directive_below_the_floor__refused_also_after_a_reboot),
        cmocka_unit_test(test_body__enforced__only_the_leases_token_or_an_admitted_launch_gets_in),
        cmocka_unit_test(test_body__admission_unanswered__lets_it_in),
        cmocka_unit_test(test_body__reboot__pictures_end_a_new_boot_counts_from_one),
        cmocka_unit_test(test_body__agent_restart__sessions_live_on),
        cmocka_unit_test(test_body__client_switched_off__session_ends_after_a_while),
        cmocka_unit_test(test_body__client_not_paired__is_refused),
        cmocka_unit_test(test_body__pairing__told_at_once_and_outlives_a_reboot),
        cmocka_unit_test(test_body__host_is_off__nobody_pairs),
        cmocka_unit_test(test_body__told_to_remove_clients__only_those_go_and_a_legacy_body_keeps_all),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    body_free(&the.body);
    return failed;
}
