#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hydra/codec/json.h"
#include "hydra/proto/directive.h"

static void test_directive__an_answer_of_the_cluster__read_whole(void **state)
{
    (void)state;
    static const char text[] =
        "{\"desired\":{\"digest\":\"0011\",\"epoch_floor\":42,\"enforce\":\"enforce\",\"maintenance\":false,\"slots\":[{\"index\":1,"
        "\"action\":\"serve\",\"lease_id\":\"lse-1\",\"epoch\":42,\"head_id\":\"h1\",\"device_uid\":\"3f2a91c4b8e07d55\","
        "\"sunshine_client_uuid\":null,\"app_entries\":[\"Rupelmonde#7c1e00112233445566778899aabbccdd\"],\"protocol\":2,\"evict\":[\"l9\"],"
        "\"gate\":{\"mode\":\"enforce\",\"enabled\":[\"A\",\"B\"]}}],\"issued_at_seconds_ago\":0},"
        "\"trust\":{\"desired_clients\":[{\"uuid\":\"A\",\"name\":\"hydra-h1\"}],\"remove\":[\"Z\"],\"max_clients\":150},"
        "\"next_report_seconds\":5,\"something_new\":[1]}";
    struct hc_arena arena = { 0 };
    struct directive_answer answer;
    struct json_refusal refusal;
    assert_int_equal(json_read(&directive_answer_table, text, strlen(text), false, &arena, &answer, &refusal), HC_OK);
    assert_null(desired_slot_of(&answer.desired, 0));
    const struct desired_slot *slot = desired_slot_of(&answer.desired, 1);
    assert_non_null(slot);
    assert_int_equal(slot->epoch, 42);
    assert_int_equal(slot->action, DIRECTIVE_SERVE);
    assert_int_equal(slot->gate.mode, DIRECTIVE_GATE_ENFORCE);
    assert_int_equal(slot->gate.enabled.count, 2);
    assert_string_equal(((const char *const *)slot->evict.items)[0], "l9");
    assert_string_equal(((const struct trusted_client *)answer.trust.desired_clients.items)[0].name, "hydra-h1");
    assert_int_equal(answer.trust.max_clients, 150);
    assert_int_equal(answer.next_report_ms, 5000);
    hc_arena_free(&arena);
}

static void test_directive__no_desired_or_a_slot_without_epoch__refused_by_name(void **state)
{
    (void)state;
    static const struct { const char *text, *field; } rows[] = {
        { "{}", "desired" },
        { "{\"desired\":{\"digest\":\"1\",\"slots\":[{\"index\":0,\"action\":\"serve\"}]}}", "desired.slots[0].epoch" },
        { "{\"desired\":{\"digest\":\"1\",\"slots\":[{\"index\":0,\"action\":\"kill\",\"epoch\":1}]}}", "desired.slots[0].action" },
        { "{\"desired\":{\"digest\":\"1\",\"slots\":[{\"index\":16,\"action\":\"free\",\"epoch\":1}]}}", "desired.slots[0].index" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct hc_arena arena = { 0 };
        struct directive_answer answer;
        struct json_refusal refusal;
        assert_int_not_equal(json_read(&directive_answer_table, rows[i].text, strlen(rows[i].text), false, &arena, &answer, &refusal),
                             HC_OK);
        assert_string_equal(refusal.field, rows[i].field);
        hc_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_directive__an_answer_of_the_cluster__read_whole),
        cmocka_unit_test(test_directive__no_desired_or_a_slot_without_epoch__refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
