#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "hydra/base/arena.h"

#include "../../../src/sim/trust_store.h"

static void test_trust_store__pin_for_a_handshake__names_the_client_and_is_taken_once(void **state)
{
    (void)state;
    struct trust_store store = { 0 };
    assert_false(store_pin(&store, "hydra-node-1"));
    store_handshake(&store, "u1", "roth");
    store_handshake(&store, "u2", "roth");
    assert_true(store_pin(&store, "hydra-node-1"));
    assert_true(store_pair(&store, "u2", "roth"));
    assert_true(store_pair(&store, "u1", "roth"));
    assert_string_equal(store_find(&store, "u1")->name, "hydra-node-1");
    assert_string_equal(store_find(&store, "u2")->name, "roth");
    assert_false(store_pin(&store, "hydra-node-3"));
    store_free(&store);
}

static void test_trust_store__sunshine_restarts__handshakes_are_gone_and_clients_stay(void **state)
{
    (void)state;
    struct trust_store store = { 0 };
    assert_true(store_pair(&store, "u1", "roth"));
    store_handshake(&store, "u2", "roth");
    store_restart(&store);
    assert_false(store_pin(&store, "x"));
    assert_non_null(store_find(&store, "u1"));
    store_free(&store);
}

static void test_trust_store__paired_again__is_one_client_with_its_old_name(void **state)
{
    (void)state;
    struct trust_store store = { 0 };
    assert_true(store_pair(&store, "u1", "first") && store_pair(&store, "u1", "second"));
    assert_int_equal(store.count, 1);
    assert_string_equal(store.clients[0].name, "first");
    store_free(&store);
}

static void test_trust_store__removed__others_keep_their_order(void **state)
{
    (void)state;
    struct trust_store store = { 0 };
    char all[STORE_DIGEST_SIZE], fewer[STORE_DIGEST_SIZE], again[STORE_DIGEST_SIZE];
    assert_true(store_pair(&store, "u1", "a") && store_pair(&store, "u2", "b") && store_pair(&store, "u3", "c"));
    store_digest(&store, all);
    assert_false(store_remove(&store, "u4"));
    assert_true(store_remove(&store, "u2"));
    assert_false(store_remove(&store, "u2"));
    assert_null(store_find(&store, "u2"));
    assert_string_equal(store.clients[0].uuid, "u1");
    assert_string_equal(store.clients[1].uuid, "u3");
    store_digest(&store, fewer);
    assert_string_not_equal(all, fewer);
    store_digest(&store, again);
    assert_string_equal(fewer, again);
    store_free(&store);
}

static void test_trust_store__full__takes_nobody_until_one_goes(void **state)
{
    (void)state;
    struct trust_store store = { 0 };
    char uuid[HC_ID_SIZE];
    for (unsigned i = 0; i < STORE_CLIENTS_MAX; i++) {
        (void)snprintf(uuid, sizeof uuid, "u%u", i);
        assert_true(store_pair(&store, uuid, "x"));
    }
    assert_false(store_pair(&store, "one-more", "x"));
    assert_true(store_pair(&store, "u7", "x"));
    assert_true(store_remove(&store, "u7") && store_pair(&store, "one-more", "x"));
    store_free(&store);
}

static void test_trust_store__many_handshakes__the_oldest_goes(void **state)
{
    (void)state;
    struct trust_store store = { 0 };
    char uuid[HC_ID_SIZE];
    for (unsigned i = 0; i <= STORE_HANDSHAKES_MAX; i++) {
        (void)snprintf(uuid, sizeof uuid, "u%u", i);
        store_handshake(&store, uuid, uuid);
    }
    assert_int_equal(store.handshake_count, STORE_HANDSHAKES_MAX);
    assert_true(store_pin(&store, "named"));
    assert_true(store_pair(&store, "u0", "own") && store_pair(&store, "u1", "own"));
    assert_string_equal(store_find(&store, "u0")->name, "own");
    assert_string_equal(store_find(&store, "u1")->name, "named");
    store_handshake(&store, "u2", "once more");
    assert_int_equal(store.handshake_count, STORE_HANDSHAKES_MAX - 1);
    store_free(&store);
}

static void test_trust_store__no_memory__nobody_is_paired(void **state)
{
    (void)state;
    struct trust_store store = { 0 };
    hc_alloc_fail_after(1);
    bool paired = store_pair(&store, "u1", "x");
    hc_alloc_fail_after(0);
    assert_false(paired);
    assert_int_equal(store.count, 0);
    assert_true(store_pair(&store, "u1", "x"));
    store_free(&store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trust_store__pin_for_a_handshake__names_the_client_and_is_taken_once),
        cmocka_unit_test(test_trust_store__sunshine_restarts__handshakes_are_gone_and_clients_stay),
        cmocka_unit_test(test_trust_store__paired_again__is_one_client_with_its_old_name),
        cmocka_unit_test(test_trust_store__removed__others_keep_their_order),
        cmocka_unit_test(test_trust_store__full__takes_nobody_until_one_goes),
        cmocka_unit_test(test_trust_store__many_handshakes__the_oldest_goes),
        cmocka_unit_test(test_trust_store__no_memory__nobody_is_paired),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
