#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "hydra/base/time.h"

static void test_time__format_and_parse__round_trip(void **state)
{
    (void)state;
    static const int64_t instants[] = { 0, 1, 951782399999, 1757068931042, 4102444800000, 253402300799999 };
    for (size_t i = 0; i < sizeof instants / sizeof instants[0]; i++) {
        char text[HC_TIME_TEXT_SIZE];
        hc_time back;
        hc_time_format((hc_time){ instants[i] }, text);
        assert_int_equal(hc_time_parse(text, &back), HC_OK);
        assert_int_equal(back.ms, instants[i]);
    }
}

static void test_time__known_instant__known_text(void **state)
{
    (void)state;
    char text[HC_TIME_TEXT_SIZE];
    hc_time_format((hc_time){ 1756986198042 }, text);
    assert_string_equal(text, "2025-09-04T11:43:18.042Z");
}

static void test_time__bad_text__refused(void **state)
{
    (void)state;
    static const char *const bad[] = { "", "2026-09-04", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-09-04T24:00:00Z",
                                       "2026-09-04T11:43:18", "2026-09-04T11:43:18.Z",
                                       "2026-09-04T11:43:18.0421Z", "2026-09-04T11:43:18Zx" };
    hc_time t;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_not_equal(hc_time_parse(bad[i], &t), HC_OK);
}

static void test_duration__units__in_ms(void **state)
{
    (void)state;
    static const struct { const char *text; int64_t ms; } good[] = {
        { "0", 0 }, { "0s", 0 }, { "250ms", 250 }, { "90s", 90000 }, { "10min", 600000 }, { "24h", 86400000 }, { "7d", 604800000 },
    };
    static const char *const bad[] = { "", "s", "90", "-1s", "9m", "1.5s", "90 s", "99999999d" };
    int64_t ms;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_int_equal(hc_duration_parse(good[i].text, &ms), HC_OK);
        assert_int_equal(ms, good[i].ms);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_not_equal(hc_duration_parse(bad[i], &ms), HC_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time__format_and_parse__round_trip),
        cmocka_unit_test(test_time__known_instant__known_text),
        cmocka_unit_test(test_time__bad_text__refused),
        cmocka_unit_test(test_duration__units__in_ms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
