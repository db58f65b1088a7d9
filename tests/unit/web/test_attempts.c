/* Wrong logins: slowed, never locked out, and nobody waits for another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "../../../src/web/attempts.h"

static struct attempts attempts;

static int start(void **state)
{
    (void)state;
    attempts = (struct attempts){ 0 };
    return 0;
}

static void wrong(const char *address, unsigned times, int64_t now_ms)
{
    for (unsigned i = 0; i < times; i++)
        attempts_wrong(&attempts, address, now_ms);
}

static void test_attempts__tenth_wrong__waits_then_may_again(void **state)
{
    (void)state;
    wrong("10.0.0.1", 9, 1000);
    assert_int_equal(attempts_wait_ms(&attempts, "10.0.0.1", 1000), 0);
    wrong("10.0.0.1", 1, 1000);
    assert_int_equal(attempts_wait_ms(&attempts, "10.0.0.1", 1000), ATTEMPTS_WAIT_MS);
    assert_int_equal(attempts_wait_ms(&attempts, "10.0.0.1", 1000 + ATTEMPTS_WAIT_MS - 1), 1);
    assert_int_equal(attempts_wait_ms(&attempts, "10.0.0.1", 1000 + ATTEMPTS_WAIT_MS), 0);
}

static void test_attempts__another_address__does_not_wait(void **state)
{
    (void)state;
    wrong("10.0.0.1", 30, 1000);
    assert_int_equal(attempts_wait_ms(&attempts, "10.0.0.2", 1000), 0);
}

static void test_attempts__each_further_one__doubles_up_to_a_minute(void **state)
{
    (void)state;
    static const int64_t waits_ms[] = { 5000, 10000, 20000, 40000, 60000, 60000 };
    wrong("a", 9, 1);
    for (size_t i = 0; i < sizeof waits_ms / sizeof waits_ms[0]; i++) {
        wrong("a", 1, 1);
        assert_int_equal(attempts_wait_ms(&attempts, "a", 1), waits_ms[i]);
    }
    wrong("a", 1000, 1);
    assert_int_equal(attempts_wait_ms(&attempts, "a", 1), ATTEMPTS_WAIT_MAX_MS);
}

static void test_attempts__right_or_long_quiet__starts_anew(void **state)
{
    (void)state;
    wrong("a", 12, 1);
    attempts_right(&attempts, "a");
    assert_int_equal(attempts_wait_ms(&attempts, "a", 1), 0);
    wrong("a", 9, 1);
    assert_int_equal(attempts_wait_ms(&attempts, "a", 1), 0);
    wrong("a", 1, 2 + ATTEMPTS_MEMORY_MS);
    assert_int_equal(attempts_wait_ms(&attempts, "a", 2 + ATTEMPTS_MEMORY_MS), 0);
}

static void test_attempts__more_addresses_than_rows__the_oldest_gives_way(void **state)
{
    (void)state;
    char address[32];
    wrong("slow", ATTEMPTS_FREE, 5);
    for (int i = 0; i < ATTEMPTS_ADDRESSES - 1; i++) {
        (void)snprintf(address, sizeof address, "10.1.%d.%d", i / 256, i % 256);
        wrong(address, 1, 10 + i);
    }
    assert_true(attempts_wait_ms(&attempts, "slow", 6) > 0);
    wrong("one more", 1, 10000);
    assert_int_equal(attempts_wait_ms(&attempts, "slow", 6), 0);
    wrong("10.1.0.0", 9, 10001);
    assert_true(attempts_wait_ms(&attempts, "10.1.0.0", 10001) > 0);
}

#define TEST(function) cmocka_unit_test_setup(function, start)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_attempts__tenth_wrong__waits_then_may_again),
        TEST(test_attempts__another_address__does_not_wait),
        TEST(test_attempts__each_further_one__doubles_up_to_a_minute),
        TEST(test_attempts__right_or_long_quiet__starts_anew),
        TEST(test_attempts__more_addresses_than_rows__the_oldest_gives_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
