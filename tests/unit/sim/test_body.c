#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../../../src/sim/body.h"

struct rig { struct body body; int64_t now_ms; struct body_acts acts; unsigned counts[BODY_ACT_DARK + 1]; };

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
    *rig = (struct rig){ .now_ms = 1000 };
    body_init(&rig->body, "b1", modern, slots, rig->now_ms);
    pass(rig, 500);
    assert_true(rig->counts[BODY_ACT_REPORT] > 0);
}

static void launch(struct rig *rig, size_t head, const char *app, bool joins)
{
    const struct body_event event = { .type = BODY_LAUNCH,
        .launch = { .head = head, .slot = 0, .joins_busy = joins, .app = app, .client_uuid = "uuid", .client_name = "roth" } };
    step(rig, &event);
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
    struct rig rig;
    make(&rig, false, 1);
    unsigned before = rig.counts[BODY_ACT_REPORT];
    pass(&rig, 60000);
    assert_int_equal(rig.counts[BODY_ACT_REPORT], before + 2);
    launch(&rig, 0, "mercator-talks", true);
    assert_int_equal(rig.counts[BODY_ACT_REPORT], before + 2);
    pass(&rig, 31000);
    assert_int_equal(rig.counts[BODY_ACT_PICTURE], 1);
    before = rig.counts[BODY_ACT_REPORT];
    pass(&rig, 20000);
    assert_int_equal(rig.counts[BODY_ACT_REPORT], before + 4);
    assert_int_equal(rig.counts[BODY_ACT_POLL], 0);
}

static void test_body__legacy_told_to_terminate__picture_ends(void **state)
{
    (void)state;
    struct rig rig;
    make(&rig, false, 1);
    launch(&rig, 4, "mercator-talks", true);
    pass(&rig, 3000);
    rig.body.report_under_way = true;
    const struct body_directive terminate = { .status = 200, .terminate_stream = true };
    answer(&rig, &terminate);
    assert_int_equal(rig.counts[BODY_ACT_DARK], 1);
    pass(&rig, 1000);
    assert_int_equal(rig.body.session_count, 0);
}

static void test_body__legacy_host_is_busy__an_ipad_joins_and_a_careful_head_does_not(void **state)
{
    (void)state;
    struct rig rig;
    make(&rig, false, 1);
    launch(&rig, 0, "mercator-talks", true);
    pass(&rig, 3000);
    launch(&rig, 1, "mercator-talks", false);
    assert_int_equal(rig.counts[BODY_ACT_REFUSED], 1);
    launch(&rig, 2, "mercator-talks", true);
    pass(&rig, 500);
    assert_int_equal(rig.counts[BODY_ACT_PICTURE], 2);       /* the incident */
    assert_int_equal(rig.body.session_count, 2);
}

static void test_body__modern__reports_changes_at_once_and_confirms_epochs(void **state)
{
    (void)state;
    struct rig rig;
    make(&rig, true, 1);
    unsigned polls = rig.counts[BODY_ACT_POLL], reports = rig.counts[BODY_ACT_REPORT];
    assert_int_equal(polls, 1);
    const struct body_directive directive = serve(7, BODY_SERVE, false);
    const struct body_event event = { .type = BODY_DESIRED, .directive = &directive };
    step(&rig, &event);
    assert_int_equal(rig.body.applied[0], 7);
    assert_int_equal(rig.counts[BODY_ACT_REPORT], reports + 1);
    assert_int_equal(rig.counts[BODY_ACT_POLL], polls + 1);
    launch(&rig, 3, "mercator-talks#0123", false);
    answer(&rig, &directive);
    assert_string_equal(body_session_of(&rig.body, 3)->lease_id, "lease-1");
    assert_int_equal(rig.counts[BODY_ACT_REPORT], reports + 2);
}

static void test_body__directive_below_the_floor__refused_also_after_a_reboot(void **state)
{
    (void)state;
    struct rig rig;
    make(&rig, true, 1);
    struct body_directive directive = serve(9, BODY_SERVE, false);
    answer(&rig, &directive);
    const struct body_event reboot = { .type = BODY_REBOOT, .down_ms = 5000 };
    step(&rig, &reboot);
    assert_int_equal(rig.body.applied[0], 0);
    rig.now_ms += 10000;
    rig.body.up_at = 0;
    directive = serve(8, BODY_TERMINATE, false);
    answer(&rig, &directive);
    assert_int_equal(rig.body.floor[0], 9);
    assert_int_equal(rig.body.applied[0], 0);
    assert_int_equal(rig.body.note_count, 1);
    assert_string_equal(rig.body.notes[0].type, "epoch_below_floor");
}

static void test_body__enforced__only_the_leases_token_or_an_admitted_launch_gets_in(void **state)
{
    (void)state;
    struct rig rig;
    make(&rig, true, 1);
    const struct body_directive directive = serve(7, BODY_SERVE, true);
    answer(&rig, &directive);
    launch(&rig, 1, "mercator-talks#9999", false);
    assert_int_equal(rig.counts[BODY_ACT_REFUSED], 1);
    launch(&rig, 2, "mercator-talks", true);
    assert_int_equal(rig.counts[BODY_ACT_ADMIT], 1);
    const struct body_event no = { .type = BODY_ADMITTED, .launch = { .head = 2 }, .admitted_lease = "" };
    step(&rig, &no);
    assert_int_equal(rig.counts[BODY_ACT_REFUSED], 2);
    launch(&rig, 3, "mercator-talks#0123", false);
    pass(&rig, 3000);
    assert_int_equal(rig.counts[BODY_ACT_PICTURE], 1);
    launch(&rig, 4, "mercator-talks#0123", true);
    assert_int_equal(rig.counts[BODY_ACT_REFUSED], 3);
}

static void test_body__admission_unanswered__lets_it_in(void **state)
{
    (void)state;
    struct rig rig;
    make(&rig, true, 1);
    const struct body_directive directive = serve(7, BODY_FREE, true);
    answer(&rig, &directive);
    launch(&rig, 2, "mercator-talks", true);
    const struct body_event silence = { .type = BODY_ADMITTED, .launch = { .head = 2 }, .admitted_lease = NULL };
    step(&rig, &silence);
    pass(&rig, 3000);
    assert_int_equal(rig.counts[BODY_ACT_PICTURE], 1);
}

static void test_body__reboot__pictures_end_a_new_boot_counts_from_one(void **state)
{
    (void)state;
    struct rig rig;
    make(&rig, true, 1);
    launch(&rig, 3, "mercator-talks", true);
    pass(&rig, 3000);
    const struct body_event reboot = { .type = BODY_REBOOT, .down_ms = 20000 };
    step(&rig, &reboot);
    assert_int_equal(rig.counts[BODY_ACT_DARK], 1);
    assert_int_equal(rig.body.session_count, 0);
    launch(&rig, 4, "mercator-talks", true);
    assert_int_equal(rig.counts[BODY_ACT_REFUSED], 1);
    unsigned reports = rig.counts[BODY_ACT_REPORT];
    pass(&rig, 19000);
    assert_int_equal(rig.counts[BODY_ACT_REPORT], reports);
    pass(&rig, 3000);
    assert_true(rig.counts[BODY_ACT_REPORT] > reports);
    assert_int_equal(rig.body.boots, 2);
}

static void test_body__agent_restart__sessions_live_on(void **state)
{
    (void)state;
    struct rig rig;
    make(&rig, true, 1);
    launch(&rig, 3, "mercator-talks", true);
    pass(&rig, 3000);
    uint64_t seq = rig.body.report_seq;
    const struct body_event restart = { .type = BODY_AGENT_RESTART };
    step(&rig, &restart);
    pass(&rig, 5000);
    assert_int_equal(rig.counts[BODY_ACT_DARK], 0);
    assert_true(body_streams(&rig.body) && rig.body.boots == 1 && rig.body.report_seq > seq);
}

static void test_body__client_switched_off__session_ends_after_a_while(void **state)
{
    (void)state;
    struct rig rig;
    make(&rig, true, 1);
    launch(&rig, 3, "mercator-talks", true);
    pass(&rig, 3000);
    const struct body_event away = { .type = BODY_CLIENT_AWAY, .launch = { .head = 3 } };
    step(&rig, &away);
    pass(&rig, 5000);
    assert_true(body_streams(&rig.body));
    pass(&rig, 10000);
    assert_int_equal(rig.body.session_count, 0);
    assert_int_equal(rig.counts[BODY_ACT_DARK], 0);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
