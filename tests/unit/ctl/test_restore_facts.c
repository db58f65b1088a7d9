#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "../../../src/ctl/restore_facts.h"
#include "../../../src/ctl/value_text.h"

#define FILE_TEXT "generation: 42\nschema_version: 2\nsaved_at: 2026-09-04T11:43:18.042Z\nbodies:\n" \
                  "  b1:\n    slots:\n    - index: 0\n      epoch: 12\n      leases:\n" \
                  "      - id: lse-old\n        left_behind: true\n      - id: lse-1\n" \
                  "    - index: 1\n      epoch: 7\n  b2:\n    slots: []\n# lines: 15\nend: 42\n"

static json_t *of_file(const char *text)
{
    json_t *slots = NULL, *head = NULL;
    struct hc_diag diag = { "" };
    if (restore_slots_of_file("allocation.yaml", text, strlen(text), &slots, &head, &diag) != HC_OK)
        fail_msg("%s", diag.text);
    json_decref(head);
    return slots;
}

static json_t *of_answer(const char *text)
{
    json_t *slots = NULL, *answer = json_loads(text, 0, NULL);
    assert_non_null(answer);
    assert_int_equal(restore_slots_of_answer(answer, &slots, NULL), HC_OK);
    json_decref(answer);
    return slots;
}

static void test_restore__file__slots_epochs_leases_and_its_head(void **state)
{
    (void)state;
    json_t *slots = NULL, *head = NULL;
    assert_int_equal(restore_slots_of_file("allocation.yaml", FILE_TEXT, strlen(FILE_TEXT), &slots, &head, NULL), HC_OK);
    assert_int_equal(json_object_size(slots), 2);
    const json_t *first = json_object_get(slots, "b1/0"), *second = json_object_get(slots, "b1/1");
    assert_int_equal(json_integer_value(value_at(first, "epoch")), 12);
    assert_string_equal(value_str(first, "lease"), "lse-1");
    assert_int_equal(json_integer_value(value_at(second, "epoch")), 7);
    assert_true(json_is_null(value_at(second, "lease")));
    assert_int_equal(json_integer_value(value_at(head, "generation")), 42);
    assert_string_equal(value_str(head, "saved_at"), "2026-09-04T11:43:18.042Z");
    json_decref(slots);
    json_decref(head);
}

static void test_restore__file_that_is_not_whole__refused_with_its_place(void **state)
{
    (void)state;
    static const struct { const char *text, *says; } rows[] = {
        { "generation: 42\nbodies: {}\n", "end" },
        { "generation: 42\nbodies: {}\nend: 41\n", "not whole" },
        { "hello\n", "allocation.yaml:1" },
        { "a: 1\n", "generation" },
        { "generation: 1\nbodies:\n  b1:\n    slots:\n    - index: 0\nend: 1\n", "allocation.yaml:5:" },
        { "generation: 1\nbodies:\n  b1:\n    slots:\n    - index: 0\n      epoch: 99999999999999999999\nend: 1\n", "whole numbers" },
        { "generation: 1\n generation: 2\nend: 1\n", "allocation.yaml:2:" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_t *slots = NULL, *head = NULL;
        struct hc_diag diag = { "" };
        assert_int_not_equal(restore_slots_of_file("allocation.yaml", rows[i].text, strlen(rows[i].text), &slots, &head, &diag), HC_OK);
        assert_null(slots);
        assert_null(head);
        if (strstr(diag.text, rows[i].says) == NULL)
            fail_msg("row %zu: %s", i, diag.text);
    }
}

static void expect(const char *answer, const char *verdict, json_int_t older, json_int_t gone, json_int_t lost, const char *meaning)
{
    json_t *copy = of_file(FILE_TEXT), *now = of_answer(answer);
    json_t *facts = restore_compare(copy, now);
    assert_non_null(facts);
    assert_string_equal(value_str(json_array_get(value_at(facts, "slots"), 0), "verdict"), verdict);
    assert_int_equal(json_integer_value(value_at(facts, "slots_older")), older);
    assert_int_equal(json_integer_value(value_at(facts, "slots_gone")), gone);
    assert_int_equal(json_integer_value(value_at(facts, "leases_lost")), lost);
    assert_non_null(strstr(value_str(facts, "meaning"), meaning));
    json_decref(facts);
    json_decref(copy);
    json_decref(now);
}

#define SLOT(body, slot, epoch, lease) \
    "{\"body_id\":\"" body "\",\"slot\":" slot ",\"epoch\":" epoch ",\"lease\":" lease "}"
#define LEASE_1 "{\"id\":\"lse-1\"}"

static void test_restore__compared__each_verdict(void **state)
{
    (void)state;
    expect("[" SLOT("b1", "0", "12", LEASE_1) "," SLOT("b1", "1", "7", "null") "]", "same", 0, 0, 0, "no slot would be set back");
    expect("[" SLOT("b1", "0", "13", "null") "," SLOT("b1", "1", "7", "null") "]", "older", 1, 0, 0, "epoch_below_floor");
    expect("[" SLOT("b1", "0", "11", "null") "]", "newer", 0, 0, 0, "no slot would be set back");
    expect("[]", "not_now", 0, 0, 0, "no slot would be set back");
    expect("[" SLOT("b1", "0", "12", LEASE_1) "," SLOT("b9", "0", "1", "null") "]", "same", 0, 1, 0, "enrolled since");
    expect("[" SLOT("b1", "0", "12", "{\"id\":\"lse-2\"}") "]", "same", 0, 0, 1, "granted since");
    /* two rows of one slot: what was left behind is no lease of now */
    expect("[" SLOT("b1", "0", "12", LEASE_1) "," SLOT("b1", "0", "12", "{\"id\":\"lse-0\",\"left_behind\":true}") "]", "same", 0, 0, 0,
           "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_restore__file__slots_epochs_leases_and_its_head),
        cmocka_unit_test(test_restore__file_that_is_not_whole__refused_with_its_place),
        cmocka_unit_test(test_restore__compared__each_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
