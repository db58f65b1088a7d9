#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../../../src/sim/scenario.h"

static int make(void **state)
{
    static struct scenario scenario;
    scenario_init(&scenario);
    *state = &scenario;
    return 0;
}

static int drop(void **state)
{
    scenario_free(*state);
    return 0;
}

#define PLACES "venue v1 owner o cap 3 accept confirm\nexperience talk\nbody b1 venue v1 kind legacy\n" \
               "body b2 venue v1 slots 4 enforce yes\nhead h1 venue v1 kind quest\nheads 2 kiosk venue v1 kind p2\n"

static void test_scenario__whole_file__every_statement_lands(void **state)
{
    struct scenario *s = *state;
    struct hc_diag diag = { "" };
    const char *text = "# a comment\ntitle  a fine day  # with a note\nseed 7\ntime-scale 5\nduration 2min\nend when-expected\n"
                       "faults random\n"
                       "org o cap 9\n" PLACES
                       "at 2s heads h1 kiosk-2 ask talk\nat 1s body b2 reboots-for 20s\nat 3s head h1 loses-answers 2\n"
                       "expect by 40s head h1 sees-a-picture from b1\nexpect at 50s pictures 2\nexpect by 9s body b2 shows kiosk-1\n";
    if (scenario_parse(s, "f", text, &diag) != HC_OK)
        fail_msg("%s", diag.text);
    assert_true(s->seed == 7 && s->scale == 5 && s->duration_ms == 120000 && s->ends_when_expected && s->random_faults);
    assert_string_equal(s->title, "a fine day");
    assert_int_equal(s->orgs[0].cap, 9);
    assert_int_equal(s->venues[0].cap, 3);
    assert_string_equal(s->venues[0].accept, "confirm");
    assert_true(s->bodies[0].legacy && !s->bodies[1].legacy && s->bodies[1].enforce && s->bodies[1].slots == 4);
    assert_int_equal(s->head_count, 3);
    assert_int_equal(s->heads[0].kind, HEAD_QUEST);
    assert_string_equal(s->heads[2].name, "kiosk-2");
    assert_int_equal(s->steps[0].type, STEP_ASKS);
    assert_int_equal(s->steps[0].target_count, 2);
    assert_int_equal(s->steps[0].targets[1], 2);
    assert_string_equal(s->steps[0].experience, "talk");
    assert_int_equal(s->steps[1].duration_ms, 20000);
    assert_int_equal(s->steps[2].count, 2);
    assert_int_equal(s->expects[0].type, EXPECT_SEES_FROM);
    assert_int_equal(s->expects[0].other, 0);
    assert_int_equal(s->expects[0].from_ms, 3000);
    assert_true(s->expects[1].at && s->expects[1].count == 2 && s->expects[1].by_ms == 50000);
    assert_true(s->expects[2].type == EXPECT_BODY_SHOWS && s->expects[2].node == 1 && s->expects[2].other == 1);
}

static void test_scenario__mistakes__refused_with_file_line_and_word(void **state)
{
    static const struct { const char *line, *names; } rows[] = {
        { "venu x", "venu" },
        { "venue", "venue" },
        { "seed 7 8", "seed" },
        { "seed x", "x" },
        { "time-scale 0", "time-scale" },
        { "time-scale 101", "101" },
        { "duration soon", "soon" },
        { "body b9 venue nowhere", "nowhere" },
        { "body b9", "venue" },
        { "body b1 venue v1", "b1" },
        { "body b9 venue v1 slots 17", "17" },
        { "body b9 venue v1 kind old", "old" },
        { "body b9 venue v1 kind legacy slots 2", "legacy" },
        { "body b9 venue v1 colour blue", "colour" },
        { "body b9 venue v1 slots", "slots" },
        { "head h9 venue v1 kind phone", "phone" },
        { "head h1 venue v1", "h1" },
        { "at 2s heads h1 h7 ask talk", "h7" },
        { "at 2s head h1 asks", "asks" },
        { "at 2s head h1 asks nothing-known", "nothing-known" },
        { "at 2s head h1 leaves now", "leaves" },
        { "at 2s head h1 dances", "head" },
        { "at 2s body b1 asks talk", "body" },
        { "at 2s head asks talk", "asks" },
        { "at noon head h1 leaves", "noon" },
        { "at 2s cat h1 leaves", "cat" },
        { "expect by 2s pictures many", "many" },
        { "expect by 2s happiness 3", "expect" },
        { "expect in 2s pictures 3", "in" },
        { "expect by 2s head b1 sees-nothing", "b1" },
        { "end now", "end" },
        { "at 9s head h1 leaves\nexpect by 9s pictures 0", "9s" },
        { "visits planned", "visits" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct scenario s;
        struct hc_diag diag = { "" };
        char text[1000];
        (void)snprintf(text, sizeof text, PLACES "%s\n", rows[i].line);
        scenario_init(&s);
        assert_int_equal(scenario_parse(&s, "day.scenario", text, &diag), HC_ERR_SYNTAX);
        const char *at = strchr(rows[i].line, '\n') == NULL ? "day.scenario:7: " : "day.scenario:8: ";
        if (strncmp(diag.text, at, 16) != 0 || strstr(diag.text + 16, rows[i].names) == NULL)
            fail_msg("%s -> %s", rows[i].line, diag.text);
        scenario_free(&s);
    }
}

static void test_scenario__line_too_long__refused(void **state)
{
    struct hc_diag diag = { "" };
    char text[1200];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_int_equal(scenario_parse(*state, "f", text, &diag), HC_ERR_SYNTAX);
    assert_non_null(strstr(diag.text, "f:1: "));
}

static void test_scenario__missing_file__named(void **state)
{
    struct hc_diag diag = { "" };
    assert_int_equal(scenario_read(*state, "no-such.scenario", &diag), HC_ERR_NOTFOUND);
    assert_non_null(strstr(diag.text, "no-such.scenario"));
}

static void test_scenario__plan__deals_kinds_by_their_shares(void **state)
{
    struct scenario *s = *state;
    const struct fleet_plan plan = { .bodies = 4, .legacy_bodies = 1, .heads = 18, .mix = { 4, 2, 1, 2 } };
    assert_int_equal(scenario_plan(s, &plan), HC_OK);
    size_t counts[HEAD_KINDS] = { 0 }, legacy = 0;
    for (size_t i = 0; i < s->head_count; i++)
        counts[s->heads[i].kind]++;
    for (size_t i = 0; i < s->body_count; i++)
        legacy += s->bodies[i].legacy;
    assert_true(counts[HEAD_IPAD] == 8 && counts[HEAD_GO] == 4 && counts[HEAD_QUEST] == 2 && counts[HEAD_P2] == 4);
    assert_true(legacy == 1 && s->body_count == 4 && s->experience_count > 0 && s->venue_count == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_scenario__whole_file__every_statement_lands, make, drop),
        cmocka_unit_test_setup_teardown(test_scenario__mistakes__refused_with_file_line_and_word, make, drop),
        cmocka_unit_test_setup_teardown(test_scenario__line_too_long__refused, make, drop),
        cmocka_unit_test_setup_teardown(test_scenario__missing_file__named, make, drop),
        cmocka_unit_test_setup_teardown(test_scenario__plan__deals_kinds_by_their_shares, make, drop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
