#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "hydra/base/arena.h"

#include "../../../src/http/address_count.h"

#define ADDRESSES 40
#define STEPS     200000

static struct http_address address(unsigned n)
{
    struct http_address made = { .bytes = { 0x20, 0x01 } };
    made.bytes[15] = (uint8_t)n;
    made.bytes[7] = (uint8_t)(n * 7);
    return made;
}

static void test_address_count__random_adds_and_drops__as_a_plain_list_counts(void **state)
{
    (void)state;
    struct address_count *counts = address_count_new(ADDRESSES);
    assert_non_null(counts);
    unsigned plain[ADDRESSES] = { 0 };
    uint32_t seed = 12345;
    for (unsigned step = 0; step < STEPS; step++) {
        seed = seed * 1664525u + 1013904223u;
        unsigned n = (seed >> 16) % ADDRESSES;
        struct http_address who = address(n);
        if ((seed >> 8) % 2 == 0 || plain[n] == 0) {
            address_count_add(counts, &who);
            plain[n]++;
        } else {
            address_count_drop(counts, &who);
            plain[n]--;
        }
        struct http_address other = address((seed >> 20) % ADDRESSES);
        assert_int_equal(address_count_get(counts, &other), plain[(seed >> 20) % ADDRESSES]);
    }
    for (unsigned n = 0; n < ADDRESSES; n++) {
        struct http_address who = address(n);
        assert_int_equal(address_count_get(counts, &who), plain[n]);
    }
    address_count_free(counts);
}

static void test_address_count__no_memory__null(void **state)
{
    (void)state;
    hc_alloc_fail_after(1);
    assert_null(address_count_new(8192));
    hc_alloc_fail_after(0);
    address_count_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_address_count__random_adds_and_drops__as_a_plain_list_counts),
        cmocka_unit_test(test_address_count__no_memory__null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
