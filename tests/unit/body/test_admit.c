#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "../../../src/body/admit.h"

#define TOKEN "Rupelmonde#7c1e00112233445566778899aabbccdd"
#define OTHER "Rupelmonde#00000000000000000000000000000000"
#define FRESH_MS 90000

static const char *const entries[] = { TOKEN };

struct row {
    const char *what, *app, *client_uuid;
    bool session_open, below_floor, maintenance, no_directive, stale, no_slot;
    enum host_state host;
    enum admit_verdict verdict;         /* with enforce */
    enum admit_why why;
    bool forget;
};
/* The numbers are the order of the rules: launch counting, maintenance, ambiguity, floor, token, the cluster. */
static const struct row rows[] = {
    { .what = "its token", .app = TOKEN, .host = HOST_STATE_FREE, .verdict = ADMIT, .why = ADMIT_TOKEN },
    { .what = "its token, the host does not answer", .app = TOKEN, .verdict = ADMIT, .why = ADMIT_TOKEN },
    { .what = "a token that is over", .app = OTHER, .host = HOST_STATE_FREE, .verdict = REFUSE, .why = REFUSE_NO_LEASE },
    { .what = "its token, another client (fork)", .app = TOKEN, .client_uuid = "STRANGER", .verdict = REFUSE, .why = REFUSE_WRONG_CLIENT },
    { .what = "its token, its client (fork)", .app = TOKEN, .client_uuid = "MINE", .verdict = ADMIT, .why = ADMIT_TOKEN },
    { .what = "a plain name", .app = "Rupelmonde", .host = HOST_STATE_FREE, .verdict = ASK_CLUSTER, .why = ADMIT_UNCLEAR },
    { .what = "second launch, the host is busy", .app = TOKEN, .session_open = true, .host = HOST_STATE_BUSY, .verdict = REFUSE,
      .why = REFUSE_SECOND_LAUNCH },
    { .what = "a count left over", .app = TOKEN, .session_open = true, .host = HOST_STATE_FREE, .verdict = ADMIT, .why = ADMIT_TOKEN,
      .forget = true },
    { .what = "a count, and the host does not say", .app = OTHER, .session_open = true, .verdict = ADMIT, .why = ADMIT_UNCLEAR },
    { .what = "maintenance", .app = "Desktop", .maintenance = true, .verdict = ADMIT, .why = ADMIT_MAINTENANCE },
    { .what = "no directive yet", .app = OTHER, .no_directive = true, .verdict = ADMIT, .why = ADMIT_UNCLEAR },
    { .what = "a directive that is too old", .app = OTHER, .stale = true, .verdict = ADMIT, .why = ADMIT_UNCLEAR },
    { .what = "a directive without this slot", .app = OTHER, .no_slot = true, .verdict = ADMIT, .why = ADMIT_UNCLEAR },
    { .what = "a directive below the floor, with a token", .app = TOKEN, .below_floor = true, .verdict = REFUSE,
        .why = REFUSE_STALE_EPOCH },
    { .what = "a directive below the floor, plain", .app = "Rupelmonde", .below_floor = true, .verdict = ADMIT, .why = ADMIT_UNCLEAR },
};

static struct admission judge(const struct row *row, enum directive_enforce enforce)
{
    struct desired_slot slot = { .index = row->no_slot ? 1 : 0, .app_entries = { (void *)(uintptr_t)entries, 1 } };
    HC_SET(slot.sunshine_client_uuid, "MINE");
    struct desired desired = { .enforce = (int)enforce, .maintenance = row->maintenance, .slots = { &slot, 1 } };
    const struct launch launch = { .launch_id = "l1", .app = row->app, .client_uuid = row->client_uuid == NULL ? "" : row->client_uuid,
                                   .client_name = "" };
    const struct admit_facts facts = { .desired = row->no_directive ? NULL : &desired, .directive_fresh_ms = FRESH_MS,
                                       .directive_age_ms = row->stale ? FRESH_MS + 1 : FRESH_MS, .below_floor = row->below_floor,
                                       .session_open = row->session_open, .host = row->host };
    return admit_launch(&launch, &facts);
}

static void test_admit__every_row__as_the_rules_say(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct admission got = judge(&rows[i], DIRECTIVE_ENFORCE);
        if (got.verdict != rows[i].verdict || got.why != rows[i].why || got.forget_session != rows[i].forget)
            fail_msg("%s: %d %s", rows[i].what, got.verdict, admit_why_word(got.why));
    }
}

static void test_admit__observe__admits_all_and_says_what_enforce_would(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct admission got = judge(&rows[i], DIRECTIVE_OBSERVE);
        assert_true(got.verdict != REFUSE);
        assert_int_equal(got.would, rows[i].why);
        assert_true(!admit_is_refusal(got.why));
    }
}

static void test_admit__cluster_answers__only_409_refuses(void **state)
{
    (void)state;
    const struct admission asked = { .verdict = ASK_CLUSTER };
    static const struct { long status; enum admit_verdict verdict; } answers[] = {
        { 201, ADMIT }, { 409, REFUSE }, { 0, ADMIT }, { 500, ADMIT }, { 503, ADMIT }, { 401, ADMIT }, { 404, ADMIT },
    };
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        assert_int_equal(admit_after_answer(&asked, answers[i].status, true).verdict, answers[i].verdict);
        assert_int_equal(admit_after_answer(&asked, answers[i].status, false).verdict, ADMIT);
    }
}

static void test_app_token__names__only_32_hex_digits_behind_the_last_mark(void **state)
{
    (void)state;
    assert_string_equal(app_token_in(TOKEN), "7c1e00112233445566778899aabbccdd");
    assert_string_equal(app_token_in("C#"), "");
    assert_string_equal(app_token_in("C# course#7c1e00112233445566778899aabbccdd"), "7c1e00112233445566778899aabbccdd");
    assert_string_equal(app_token_in("x#7C1E00112233445566778899AABBCCDD"), "");
    assert_string_equal(app_token_in("x#7c1e00112233445566778899aabbccd"), "");
    assert_string_equal(app_token_in("plain"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_admit__every_row__as_the_rules_say),
        cmocka_unit_test(test_admit__observe__admits_all_and_says_what_enforce_would),
        cmocka_unit_test(test_admit__cluster_answers__only_409_refuses),
        cmocka_unit_test(test_app_token__names__only_32_hex_digits_behind_the_last_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
