/* Words and limits of proto's messages that the core has too: same order, same size. */
#include "fixture.h"

#include <string.h>

#include "hydra/proto/body_settings.h"
#include "hydra/proto/claim.h"
#include "hydra/proto/head_put.h"
#include "hydra/proto/node_put.h"

static void same_words(const struct hc_words *a, const struct hc_words *b, size_t count)
{
    assert_true(a->count >= count && b->count >= count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(a->words[i], b->words[i]);
}

static void test_words__of_heads_and_nodes__are_the_cores_in_its_order(void **state)
{
    (void)state;
    same_words(&heartbeat_lease_words, &head_lease_state_words, HEAD_LEASE_STATES);
    same_words(&slots_put_enforce_words, &enforce_words, ENFORCE_MODES);
    same_words(&node_approval_words, &approval_words, 2);
    assert_int_equal(APPROVAL_APPROVED, 0);
    assert_int_equal(APPROVAL_DENIED, 1);
    assert_int_equal(heartbeat_lease_words.count, HEAD_LEASE_STATES);
}

static void test_words__of_release__are_reasons_of_leases(void **state)
{
    (void)state;
    for (size_t i = 1; i < release_words.count; i++)
        assert_true(word_find(&lease_why_words, release_words.words[i]) > 0);
}

static void test_limits__of_messages__fit_the_cores_records(void **state)
{
    (void)state;
    assert_true(NODE_KIND_MAX < WORD_SIZE && NODE_VERSION_MAX < WORD_SIZE && HEAD_STATUS_MAX < WORD_SIZE);
    assert_int_equal(CLAIM_DEVICE_MAX + 1, DEVICE_UID_SIZE);
    assert_int_equal(HEAD_URL_MAX + 1, URL_SIZE);
    assert_int_equal(HEAD_DIAGNOSTICS_MAX, DIAGNOSTICS_MAX);
    assert_int_equal(SLOTS_PUT_TOTAL_MAX, BODY_SLOTS_MAX);
    assert_int_equal(SLOTS_PUT_RESERVE_AUTO, RESERVE_AUTO);
    assert_int_equal(sizeof(((struct stream_block *)0)->stream_url), sizeof(((struct head_stream *)0)->stream_url));
    assert_int_equal(sizeof(((struct stream_block *)0)->stream_app_id), sizeof(((struct head_stream *)0)->stream_app_id));
    assert_int_equal(sizeof(((struct stream_block *)0)->stream_mode), sizeof(((struct head_stream *)0)->stream_mode));
}

static void test_reserve__numbers_and_auto__are_read_others_not(void **state)
{
    (void)state;
    static const struct { const char *json; bool ok; int32_t value; } rows[] = {
        { "0", true, 0 }, { "16", true, 16 }, { "\"auto\"", true, RESERVE_AUTO }, { "17", false, 0 }, { "-1", false, 0 },
        { "1.5", false, 0 }, { "\"none\"", false, 0 }, { "true", false, 0 }, { "[]", false, 0 }, { "100", false, 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int32_t value = 99;
        assert_int_equal(slots_put_reserve(rows[i].json, &value), rows[i].ok);
        if (rows[i].ok)
            assert_int_equal(value, rows[i].value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words__of_heads_and_nodes__are_the_cores_in_its_order),
        cmocka_unit_test(test_words__of_release__are_reasons_of_leases),
        cmocka_unit_test(test_limits__of_messages__fit_the_cores_records),
        cmocka_unit_test(test_reserve__numbers_and_auto__are_read_others_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
