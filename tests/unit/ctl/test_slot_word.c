#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "../../../src/ctl/slot_word.h"

static void test_slot_word__each_kind_of_row__its_word(void **state)
{
    (void)state;
    static const struct { const char *row, *word; } rows[] = {
        { "{\"occupied\":false,\"grantable\":true,\"why_not\":[],\"lease\":null,\"divergence\":[]}", "free" },
        { "{\"occupied\":false,\"grantable\":false,\"why_not\":[\"maintenance\"],\"lease\":null}", "closed" },
        { "{\"occupied\":true,\"grantable\":false,\"why_not\":[\"not_idle\"],\"lease\":null}", "busy" },
        { "{\"occupied\":true,\"grantable\":false,\"why_not\":[\"not_idle\"],\"divergence\":[\"unauthorized_stream\"]}", "foreign" },
        { "{\"occupied\":true,\"lease\":{\"state\":\"streaming\"},\"why_not\":[\"leased\"]}", "streaming" },
        { "{\"occupied\":true,\"lease\":{\"state\":\"draining\",\"left_behind\":true}}", "left_behind" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_t *row = json_loads(rows[i].row, 0, NULL);
        assert_string_equal(slot_word(row), rows[i].word);
        json_decref(row);
    }
}

/* Whatever else a row says: what nobody can say is never free. */
static void test_slot_word__nothing_known_of_it__never_free(void **state)
{
    (void)state;
    static const char *const reasons[] = { "no_report", "stale_report", "not_named", "offline", "slot_lowered" };
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        for (int occupied = 0; occupied < 2; occupied++) {
            json_t *row = json_pack("{s:b, s:b, s:[s], s:n}", "occupied", occupied, "grantable", !occupied, "why_not", reasons[i], "lease");
            assert_string_equal(slot_word(row), "unknown");
            json_decref(row);
        }
    json_t *empty = json_object();
    assert_string_not_equal(slot_word(empty), "free");
    json_decref(empty);
}

static void test_state_colour__unknown_and_free__differ(void **state)
{
    (void)state;
    assert_string_not_equal(state_colour("unknown"), state_colour("free"));
    assert_string_equal(state_colour("no such state"), "");
    assert_string_equal(state_colour(""), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slot_word__each_kind_of_row__its_word),
        cmocka_unit_test(test_slot_word__nothing_known_of_it__never_free),
        cmocka_unit_test(test_state_colour__unknown_and_free__differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
