#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "hydra/base/arena.h"
#include "hydra/base/id.h"
#include "hydra/base/time.h"
#include "hydra/codec/json.h"

enum colour { COLOUR_NONE, COLOUR_RED, COLOUR_BLUE };
static const char *const colour_texts[] = { "none", "red", "blue" };
static const struct hc_words colours = { colour_texts, 3 };

struct line {
    char id[HC_ID_SIZE], note[64];
    uint32_t number; uint64_t epoch; bool flag; hc_time at; enum colour colour;
    uint64_t present;
};
#define AT(member) offsetof(struct line, member)
static const struct codec_field fields[] = {
    { .key = "id",     .type = CODEC_ID,   .offset = AT(id),     .flags = CODEC_REQUIRED },
    { .key = "note",   .type = CODEC_STR,  .offset = AT(note),   .limit = 63, .flags = CODEC_EMPTY_OK | CODEC_NULL_EMPTY },
    { .key = "number", .type = CODEC_U32,  .offset = AT(number), .limit = 1000 },
    { .key = "epoch",  .type = CODEC_U64,  .offset = AT(epoch),  .limit = UINT64_MAX },
    { .key = "flag",   .type = CODEC_BOOL, .offset = AT(flag) },
    { .key = "at",     .type = CODEC_TIME, .offset = AT(at),     .flags = CODEC_NULL_EMPTY },
    { .key = "colour", .type = CODEC_WORD, .offset = AT(colour), .words = &colours, .flags = CODEC_OMIT_EMPTY },
};
static const struct codec_table table = { "line", fields, sizeof fields / sizeof fields[0], sizeof(struct line), AT(present) };

static void assert_read_alike(const char *text, size_t len)
{
    struct line fast, slow;
    struct json_refusal refusal;
    struct hc_arena arena = { 0 };
    assert_int_equal(json_read_own(&table, text, len, &arena, &fast), HC_OK);
    assert_int_equal(json_read(&table, text, len, false, &arena, &slow, &refusal), HC_OK);
    assert_string_equal(fast.id, slow.id);
    assert_string_equal(fast.note, slow.note);
    assert_true(fast.number == slow.number && fast.epoch == slow.epoch && fast.flag == slow.flag && fast.at.ms == slow.at.ms);
    assert_true(fast.colour == slow.colour && fast.present == slow.present);
    hc_arena_free(&arena);
}

static void test_scan__what_was_written__is_read_as_the_parser_reads_it(void **state)
{
    (void)state;
    const struct line lines[] = {
        { .id = "a" },
        { .id = "lse-1", .note = "some text, with {braces} and \"", .number = 0 },
        { .id = "lse-2", .note = "plain", .number = 1000, .epoch = 123456789012345, .flag = true, .at = { 1700000000123 },
          .colour = COLOUR_BLUE },
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        HC_CLEANUP(hc_buf_freep) struct hc_buf out = { 0 };
        json_write(&table, &lines[i], &out);
        struct line line;
        struct hc_arena arena = { 0 };
        if (strchr(lines[i].note, '"') != NULL)
            assert_int_equal(json_read_own(&table, out.data, out.len, &arena, &line), HC_ERR_SYNTAX);      /* an escape */
        else
            assert_read_alike(out.data, out.len);
        hc_arena_free(&arena);
    }
}

static void test_scan__members_left_out_or_null__are_absent(void **state)
{
    (void)state;
    static const char *const texts[] = { "{\"id\":\"a\"}", "{\"id\":\"a\",\"note\":null,\"number\":7,\"colour\":\"red\"}",
                                         "{\"id\":\"a\",\"at\":null}" };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_read_alike(texts[i], strlen(texts[i]));
}

static void test_scan__anything_else__is_left_to_the_parser(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "", "{", "{}", "[]", "null", "{\"id\":\"a\"", "{\"id\":\"a\"} ", "{\"id\":\"a\"}x", " {\"id\":\"a\"}",
        "{ \"id\":\"a\"}", "{\"id\": \"a\"}",
        "{\"id\":null}", "{\"id\":\"a b\"}", "{\"id\":\"\"}", "{\"id\":7}", "{\"id\":\"a", "{\"id\":\"a\",}", "{\"id\":\"a\",\"other\":1}",
        "{\"number\":1,\"id\":\"a\"}", "{\"id\":\"a\",\"id\":\"b\"}", "{\"id\":\"a\",\"number\":-1}", "{\"id\":\"a\",\"number\":01}",
        "{\"id\":\"a\",\"number\":1001}", "{\"id\":\"a\",\"number\":1.0}", "{\"id\":\"a\",\"number\":1e1}", "{\"id\":\"a\",\"number\":}",
        "{\"id\":\"a\",\"number\":\"1\"}", "{\"id\":\"a\",\"epoch\":1234567890123456}", "{\"id\":\"a\",\"flag\":1}",
        "{\"id\":\"a\",\"flag\":tru}",
        "{\"id\":\"a\",\"note\":\"\\u0041\"}", "{\"id\":\"a\",\"note\":\"\xc3\xa9\"}", "{\"id\":\"a\",\"note\":\"\t\"}",
        "{\"id\":\"a\",\"colour\":\"green\"}", "{\"id\":\"a\",\"at\":\"yesterday\"}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct line line;
        struct hc_arena arena = { 0 };
        if (json_read_own(&table, texts[i], strlen(texts[i]), &arena, &line) != HC_ERR_SYNTAX)
            fail_msg("was read: %s", texts[i]);
        hc_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scan__what_was_written__is_read_as_the_parser_reads_it),
        cmocka_unit_test(test_scan__members_left_out_or_null__are_absent),
        cmocka_unit_test(test_scan__anything_else__is_left_to_the_parser),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
