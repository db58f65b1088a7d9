#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "hydra/codec/json.h"
#include "sample.h"

#define X10 "xxxxxxxxxx"
#define X60 X10 X10 X10 X10 X10 X10
#define X64 X60 "xxxx"
#define X120 X60 X60
#define X128 X120 "xxxxxxxx"

struct read { enum hc_err err; struct sample sample; struct json_refusal refusal; struct hc_arena arena; };

static void read_text(struct read *read, const char *text, size_t len)
{
    *read = (struct read){ .err = HC_OK };
    memset(&read->sample, 0xa5, sizeof read->sample);    /* the reader zeroes it */
    read->err = json_read(&sample_json, text, len, false, &read->arena, &read->sample, &read->refusal);
}

static void test_read__every_type__lands_in_its_field(void **state)
{
    (void)state;
    static const char text[] = "{\"unknown\":{\"deep\":[1.5]},\"label\":\"L\",\"id\":\"i-1\",\"other_id\":\"\",\"name\":\"N \\u00e9\","
                               "\"note\":\"a\\nb\",\"on\":true,\"small\":1000,\"big\":9007199254740991,\"delta\":-500,\"state\":\"busy\","
                               "\"at\":\"2025-09-04T11:43:18.042Z\",\"age_seconds\":90,\"wait\":\"90s\",\"part\":{\"id\":\"p\"},"
                               "\"maybe\":{},\"parts\":[{\"state\":\"idle\"},{}],\"names\":[\"a b\"],\"ids\":[\"x\",\"y\"],"
                               "\"numbers\":[1,2],\"raw\":{ \"k\" : [ 1 ] }}";
    struct read read;
    read_text(&read, text, sizeof text - 1);
    assert_int_equal(read.err, HC_OK);
    assert_string_equal(read.sample.label, "L");
    assert_string_equal(read.sample.id, "i-1");
    assert_string_equal(read.sample.other_id, "");
    assert_string_equal(read.sample.name, "N \xc3\xa9");
    assert_string_equal(read.sample.note, "a\nb");
    assert_true(read.sample.on);
    assert_int_equal(read.sample.small, 1000);
    assert_true(read.sample.big == 9007199254740991);
    assert_int_equal(read.sample.delta, -500);
    assert_int_equal(read.sample.state, SAMPLE_BUSY);
    assert_true(read.sample.at.ms == 1756986198042);
    assert_int_equal(read.sample.age_ms, 90000);
    assert_int_equal(read.sample.wait_ms, 90000);
    assert_string_equal(read.sample.part.id, "p");
    assert_int_equal(read.sample.part.present, 1);
    assert_true(read.sample.has_maybe);
    assert_int_equal(read.sample.parts.count, 2);
    assert_int_equal(((struct sample_part *)read.sample.parts.items)[0].state, SAMPLE_IDLE);
    assert_string_equal(((const char **)read.sample.names.items)[0], "a b");
    assert_string_equal(((const char **)read.sample.ids.items)[1], "y");
    assert_int_equal(((uint64_t *)read.sample.numbers.items)[1], 2);
    assert_string_equal(read.sample.raw, "{\"k\":[1]}");
    assert_true(codec_has(&sample_json, &read.sample, "raw"));
    assert_string_equal(read.refusal.field, "");
    hc_arena_free(&read.arena);
}

static void test_read__null_and_absent__the_same(void **state)
{
    (void)state;
    static const char text[] = "{\"id\":\"i\",\"label\":null,\"maybe\":null,\"names\":null,\"small\":null,\"raw\":null}";
    struct read read;
    read_text(&read, text, sizeof text - 1);
    assert_int_equal(read.err, HC_OK);
    assert_int_equal(read.sample.present, 2);
    assert_false(read.sample.has_maybe);
    assert_null(read.sample.names.items);
    assert_null(read.sample.raw);
    hc_arena_free(&read.arena);
}

/* `value` for `key`, beside the required id. */
static void read_member(struct read *read, const char *key, const char *value)
{
    char text[2048];
    int len = strcmp(key, "id") == 0 ? snprintf(text, sizeof text, "{\"id\":%s}", value)
                                     : snprintf(text, sizeof text, "{\"id\":\"i\",\"%s\":%s}", key, value);
    assert_true(len > 0 && (size_t)len < sizeof text);
    read_text(read, text, (size_t)len);
}

static void test_read__value_at_its_limit__taken(void **state)
{
    (void)state;
    static const struct { const char *key, *value; } rows[] = {
        { "label", "\"" X10 "\"" }, { "label", "\"\"" }, { "id", "\"" X64 "\"" }, { "name", "\"" X128 "\"" }, { "note", "\"" X60 "\"" },
        { "note", "\"\\t\\r\\n\"" }, { "small", "0" }, { "small", "1000" }, { "small", "-0" }, { "big", "9007199254740991" },
        { "delta", "500" }, { "delta", "-500" }, { "age_seconds", "3600" }, { "wait", "\"24h\"" }, { "wait", "\"0\"" },
        { "parts", "[{},{},{}]" }, { "names", "[\"12345678\",\"b\",\"c\"]" }, { "ids", "[\"" X64 "\"]" },
        { "numbers", "[1,2,9007199254740991]" },
        { "raw", "\"123456789012345678901234567890\"" }, { "raw", "1.5" }, { "raw", "false" }, { "state", "\"\"" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct read read;
        read_member(&read, rows[i].key, rows[i].value);
        assert_int_equal(read.err, HC_OK);
        assert_true(codec_has(&sample_json, &read.sample, rows[i].key));
        hc_arena_free(&read.arena);
    }
}

static void test_read__value_that_does_not_suit__names_the_field(void **state)
{
    (void)state;
    static const struct { const char *key, *value, *field, *says; } rows[] = {
        { "label", "\"" X10 "x\"", "label", "longer than 10 bytes" }, { "label", "5", "label", "must be text" },
        { "label", "\"a\\u0001\"", "label", "control character" }, { "label", "\"a\\n\"", "label", "control character" },
        { "label", "\"\\u007f\"", "label", "control character" },
        { "id", "\"" X64 "x\"", "id", "1 to 64" }, { "id", "\"a b\"", "id", "1 to 64" }, { "id", "\"\"", "id", "must not be empty" },
        { "id", "null", "id", "is required" }, { "id", "7", "id", "must be text" }, { "other_id", "\"/\"", "other_id", "1 to 64" },
        { "name", "\"\"", "name", "must not be empty" }, { "name", "\"" X128 "x\"", "name", "longer than 128 bytes" },
        { "name", "\"a\\tb\"", "name", "control character" }, { "name", "[]", "name", "must be text" },
        { "note", "\"" X60 "x\"", "note", "longer than 60 bytes" }, { "note", "\"\\u0007\"", "note", "control character" },
        { "on", "1", "on", "true or false" }, { "on", "\"true\"", "on", "true or false" },
        { "small", "1001", "small", "above 1000" }, { "small", "-1", "small", "negative" }, { "small", "1.0", "small", "whole number" },
        { "small", "1e2", "small", "whole number" }, { "small", "\"1\"", "small", "whole number" },
        { "small", "true", "small", "whole number" },
        { "big", "9007199254740992", "big", "above 9007199254740991" }, { "big", "-1", "big", "negative" },
        { "delta", "501", "delta", "above 500" }, { "delta", "-501", "delta", "below -500" },
        { "delta", "-9223372036854775808", "delta", "below -500" }, { "delta", "1.0", "delta", "whole number" },
        { "state", "\"asleep\"", "state", "one of: idle, busy" }, { "state", "1", "state", "must be text" },
        { "at", "\"yesterday\"", "at", "instant" }, { "at", "1757068931", "at", "must be text" },
        { "age_seconds", "3601", "age_seconds", "above 3600" }, { "age_seconds", "-1", "age_seconds", "negative" },
        { "age_seconds", "1.5", "age_seconds", "whole number" },
        { "wait", "\"25h\"", "wait", "above 86400000 ms" }, { "wait", "\"9 s\"", "wait", "duration" },
        { "wait", "9", "wait", "must be text" },
        { "part", "[]", "part", "must be an object" }, { "part", "{\"state\":\"x\"}", "part.state", "one of" },
        { "maybe", "\"\"", "maybe", "must be an object" },
        { "parts", "{}", "parts", "must be a list" }, { "parts", "[{},{},{},{}]", "parts", "more than 3 items" },
        { "parts", "[{},{},{\"state\":\"x\"}]", "parts[2].state", "one of" }, { "parts", "[{},null]", "parts[1]", "must be an object" },
        { "parts", "[{\"numbers\":[1,2,-3]}]", "parts[0].numbers[2]", "negative" },
        { "names", "[\"a\",\"b\",\"c\",\"d\"]", "names", "more than 3 items" },
        { "names", "[\"123456789\"]", "names[0]", "longer than 8 bytes" },
        { "names", "[\"\"]", "names[0]", "must not be empty" }, { "names", "[\"a\",1]", "names[1]", "must be text" },
        { "names", "\"a\"", "names", "must be a list" }, { "names", "[\"\\u0002\"]", "names[0]", "control character" },
        { "ids", "[\"a b\"]", "ids[0]", "1 to 64" }, { "ids", "[\"" X64 "x\"]", "ids[0]", "longer than 64 bytes" },
        { "numbers", "[1,2,3,4]", "numbers", "more than 3 items" }, { "numbers", "[9007199254740992]", "numbers[0]", "above" },
        { "numbers", "[1.0]", "numbers[0]", "whole number" }, { "numbers", "7", "numbers", "must be a list" },
        { "raw", "\"1234567890123456789012345678901\"", "raw", "longer than 32 bytes" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct read read;
        read_member(&read, rows[i].key, rows[i].value);
        assert_int_equal(read.err, HC_ERR_SCHEMA);
        assert_string_equal(read.refusal.field, rows[i].field);
        assert_ptr_equal(strstr(read.refusal.detail, rows[i].field), read.refusal.detail);
        assert_non_null(strstr(read.refusal.detail, rows[i].says));
        hc_arena_free(&read.arena);
    }
}

static void test_read__no_required_field__refused(void **state)
{
    (void)state;
    struct read read;
    read_text(&read, "{}", 2);
    assert_int_equal(read.err, HC_ERR_SCHEMA);
    assert_string_equal(read.refusal.field, "id");
    assert_string_equal(read.refusal.detail, "id is required");
    hc_arena_free(&read.arena);
}

static void test_read__text_that_is_no_object__refused_as_a_whole(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "", " ", "{", "}", "nul", "5", "\"x\"", "{\"id\":\"i\"} x", "{\"id\":\"i\",}", "{'id':'i'}", "{\"id\":\"i\",\"id\":\"j\"}",
        "{\"id\":\"i\",\"zz\":{\"a\":1,\"a\":2}}", "{\"id\":\"i\",\"zz\":\"\\u0000\"}", "{\"i\\u0000d\":1}",
        "{\"id\":\"\xff\"}", "{\"id\":\"\xc3\"}", "{\"id\":\"\xed\xa0\x80\"}", "{\"id\":\"i\",\"small\":01}",
        "{\"id\":\"i\",\"zz\":99999999999999999999}", "{\"id\":\"i\",\"zz\":NaN}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct read read;
        read_text(&read, texts[i], strlen(texts[i]));
        assert_int_equal(read.err, HC_ERR_SYNTAX);
        assert_string_equal(read.refusal.field, "");
        assert_true(strlen(read.refusal.detail) > 10);
        assert_true(hc_utf8_ok(read.refusal.detail, strlen(read.refusal.detail)));
        hc_arena_free(&read.arena);
    }
    struct read read;
    read_text(&read, "[]", 2);
    assert_int_equal(read.err, HC_ERR_SCHEMA);
    assert_string_equal(read.refusal.field, "");
    hc_arena_free(&read.arena);
    read_text(&read, "{\"id\":\"i\"\0}", 11);
    assert_int_equal(read.err, HC_ERR_SYNTAX);
    hc_arena_free(&read.arena);
}

static void test_read__no_json__says_where_and_why_in_our_words(void **state)
{
    (void)state;
    static const struct { const char *text, *says; } rows[] = {
        { "{", "at line 1, column 1: the text ends too early" },
        { "{\"id\":\"i\"} x", "at line 1, column 12: something follows the value" },
        { "{\n \"id\": nul}", "at line 2, column 10: this is no JSON" },
        { "{\n\n'id':'i'}", "at line 3, column 1: this is no JSON" },
        { "{\"id\":\"i\",\"id\":\"j\"}", "a key is repeated in its object" },
        { "{\"id\":\"\\u0000\"}", "a NUL character is not allowed" },
        { "{\"i\\u0000d\":1}", "NUL character" },
        { "{\"id\":\"\xff\"}", "this is not UTF-8" },
        { "{\"big\":99999999999999999999}", "the number is too large" },
        { "{\"big\":1e999}", "the number is too large" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct read read;
        read_text(&read, rows[i].text, strlen(rows[i].text));
        assert_int_equal(read.err, HC_ERR_SYNTAX);
        if (strstr(read.refusal.detail, rows[i].says) == NULL)
            fail_msg("%s: %s", rows[i].text, read.refusal.detail);
        assert_null(strstr(read.refusal.detail, "near"));      /* the library's way to quote what it was given */
        hc_arena_free(&read.arena);
    }
}

static void test_read__empty_text__by_leave_of_the_caller(void **state)
{
    (void)state;
    struct sample_part part;
    struct hc_arena arena = { 0 };
    struct json_refusal refusal;
    assert_int_equal(json_read(&sample_part_table, "", 0, true, &arena, &part, &refusal), HC_OK);
    assert_int_equal(part.present, 0);
    assert_int_equal(json_read(&sample_part_table, "", 0, false, &arena, &part, &refusal), HC_ERR_SYNTAX);
    hc_arena_free(&arena);
}

/* {"id":"i","zz":[[...]]} with `depth` levels in all. */
static void read_nested(struct read *read, size_t depth, char opens, char closes)
{
    char text[4096];
    size_t len = (size_t)snprintf(text, sizeof text, "{\"id\":\"i\",\"yy\":\"[[[[{{{{\\\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\",\"zz\":");
    for (size_t i = 1; i < depth; i++) {
        text[len++] = opens;
        if (opens == '{' && i + 1 < depth)
            len += (size_t)snprintf(text + len, sizeof text - len, "\"k\":");
    }
    for (size_t i = 1; i < depth; i++)
        text[len++] = closes;
    text[len++] = '}';
    read_text(read, text, len);
}

static void test_read__nesting_at_and_over_the_limit__taken_and_refused(void **state)
{
    (void)state;
    struct read read;
    for (int i = 0; i < 2; i++) {
        read_nested(&read, JSON_NESTING_MAX, "[{"[i], "]}"[i]);
        assert_int_equal(read.err, HC_OK);
        hc_arena_free(&read.arena);
        read_nested(&read, JSON_NESTING_MAX + 1, "[{"[i], "]}"[i]);
        assert_int_equal(read.err, HC_ERR_SYNTAX);
        assert_non_null(strstr(read.refusal.detail, "32"));
        hc_arena_free(&read.arena);
    }
}

static void test_read__long_foreign_text_in_a_refusal__cut_at_a_character(void **state)
{
    (void)state;
    char text[1200] = "{\"id\":\"i\" ";
    for (size_t i = 0; i < 300; i++)
        memcpy(text + strlen(text), "\xe6\xbc\xa2", 4);
    struct read read;
    read_text(&read, text, strlen(text));
    assert_int_equal(read.err, HC_ERR_SYNTAX);
    assert_true(hc_utf8_ok(read.refusal.detail, strlen(read.refusal.detail)));
    hc_arena_free(&read.arena);
}

#define ALLOCATIONS_MAX 1000    /* of one reading */
static void test_read__memory_runs_out_anywhere__nomem_and_no_leak(void **state)
{
    (void)state;
    struct sample full;
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    bool done = false;
    sample_fill(&full);
    json_write(&sample_json, &full, &text);
    assert_false(text.failed);
    for (unsigned n = 1; n <= ALLOCATIONS_MAX && !done; n++) {
        struct sample sample;
        struct hc_arena arena = { 0 };
        struct json_refusal refusal;
        hc_alloc_fail_after(n);
        enum hc_err err = json_read(&sample_json, text.data, text.len, false, &arena, &sample, &refusal);
        hc_alloc_fail_after(0);
        done = err == HC_OK;
        assert_true(done || err == HC_ERR_NOMEM);
        assert_true(!done || n > 50);
        hc_arena_free(&arena);
    }
    assert_true(done);
}

static void test_read__value_that_the_parser_refuses__its_field_is_named(void **state)
{
    (void)state;
    static const struct { const char *text, *field; } rows[] = {
        { "{\"id\":\"i\",\"label\":\"a\\u0000b\"}", "label" },     { "{\"label\":\"a\\ud800\",\"id\":\"i\"}", "label" },
        { "{\"label\":\"\\udc00x\"}", "label" },                  { "{\"label\":\"a\\ud800\\u0041\"}", "label" },
        { "{\"label\":\"[{,\\\"\",\"small\":18446744073709551616}", "small" }, { "{\"big\":1e400 , \"id\":\"i\"}", "big" },
        { "{\"part\":{\"id\":\"\\u0000\"}}", "part.id" },          { "{\"part\":{\"x\":\"\\u0000\"}}", "part" },
        { "{\"parts\":[{},{\"numbers\":[1,2,18446744073709551616]}]}", "parts[1].numbers[2]" },
        { "{\"names\":[\"a\",\"\\u0000\"]}", "names[1]" },          { "{\"raw\":{\"k\":[[\"\\u0000\"]]}}", "raw" },
        { "{\"unknown\":{\"label\":\"\\u0000\"}}", "" },            { "{\"unknown\":[1e400]}", "" },
        { "{\"parts\":[{}],\"label\":\"\\u0000\"}", "label" },      { "[\"\\u0000\"]", "" },
        { "{\"lab\\u0000el\":1}", "" },                            { "{\"label\":\"a\",}", "" },
        { "{\"label\":\"a\nb\"}", "label" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct read read;
        read_text(&read, rows[i].text, strlen(rows[i].text));
        assert_int_equal(read.err, HC_ERR_SYNTAX);
        if (strcmp(read.refusal.field, rows[i].field) != 0)
            fail_msg("`%s`: the field is `%s`, not `%s`", rows[i].text, read.refusal.field, rows[i].field);
        hc_arena_free(&read.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read__every_type__lands_in_its_field),
        cmocka_unit_test(test_read__null_and_absent__the_same),
        cmocka_unit_test(test_read__value_at_its_limit__taken),
        cmocka_unit_test(test_read__value_that_does_not_suit__names_the_field),
        cmocka_unit_test(test_read__no_required_field__refused),
        cmocka_unit_test(test_read__text_that_is_no_object__refused_as_a_whole),
        cmocka_unit_test(test_read__no_json__says_where_and_why_in_our_words),
        cmocka_unit_test(test_read__empty_text__by_leave_of_the_caller),
        cmocka_unit_test(test_read__nesting_at_and_over_the_limit__taken_and_refused),
        cmocka_unit_test(test_read__long_foreign_text_in_a_refusal__cut_at_a_character),
        cmocka_unit_test(test_read__memory_runs_out_anywhere__nomem_and_no_leak),
        cmocka_unit_test(test_read__value_that_the_parser_refuses__its_field_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
