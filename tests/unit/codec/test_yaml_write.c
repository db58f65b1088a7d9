#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "hydra/codec/yaml.h"
#include "sample.h"

static void read_back(const struct hc_buf *text, struct hc_arena *arena, struct sample *back)
{
    struct yaml_node *root;
    struct hc_diag diag = { "" };
    assert_false(text->failed);
    enum hc_err err = yaml_parse("f.yaml", text->data, text->len, arena, &root, &diag);
    assert_string_equal(diag.text, "");
    assert_int_equal(err, HC_OK);
    err = yaml_read(&sample_yaml, "f.yaml", root, arena, back, &diag);
    assert_string_equal(diag.text, "");
    assert_int_equal(err, HC_OK);
}

static void test_write__every_type__read_back_equal(void **state)
{
    (void)state;
    struct sample full, back;
    struct hc_arena arena = { 0 };
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    sample_fill(&full);
    full.raw = NULL;
    full.present &= (UINT64_C(1) << sample_yaml.count) - 1;
    full.big = SAMPLE_BIG_MAX;
    yaml_write_members(&sample_yaml, &full, 0, &text);
    read_back(&text, &arena, &back);
    assert_same_sample(&full, &back);
    hc_arena_free(&arena);
}

static void test_write__nothing_set_but_the_id__read_back_equal(void **state)
{
    (void)state;
    struct sample empty = { .id = "i", .name = "", .age_ms = -1, .wait_ms = -1 }, back;
    struct hc_arena arena = { 0 };
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    yaml_write_members(&sample_yaml, &empty, 0, &text);
    assert_string_equal(text.data, "label: \"\"\nid: i\nother_id: \"\"\nname: null\nnote: null\non: false\n"
                                   "small: 0\nbig: 0\ndelta: 0\nstate: \"\"\n"
                                   "at: null\nage_seconds: null\nwait: null\npart: {}\nmaybe: null\n"
                                   "parts: []\nnames: []\nids: []\nnumbers: []\n");
    read_back(&text, &arena, &back);
    back.present = 0;
    back.part.present = 0;
    back.age_ms = back.wait_ms = -1;    /* null is absent, and absent is zero */
    assert_same_sample(&empty, &back);
    hc_arena_free(&arena);
}

static void test_write_members__indented__lists_as_block_sequences(void **state)
{
    (void)state;
    uint64_t numbers[] = { 1, 2 };
    struct sample_part parts[] = { { .id = "a", .state = SAMPLE_IDLE, .numbers = { numbers, 2 } },
                                   { .present = 0 }, { .state = SAMPLE_BUSY } };
    const struct codec_field rows[] = { { "parts", CODEC_LIST, 0, 9, 0, &sample_part_table, NULL, 0, 0 } };
    const struct codec_table table = { "list", rows, 1, sizeof(struct codec_list), CODEC_NO_PRESENT };
    const struct codec_list list = { parts, 3 };
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    yaml_write_members(&table, &list, 4, &text);
    assert_string_equal(text.data, "    parts:\n      - id: a\n        state: idle\n        numbers: [1, 2]\n"
                                   "      - {}\n      - state: busy\n");
    hc_buf_clear(&text);
    yaml_write_item(&sample_part_table, &parts[2], 0, &text);
    yaml_write_item(&sample_part_table, &parts[1], 2, &text);
    assert_string_equal(text.data, "- state: busy\n  - {}\n");
}

static void test_write_indent__any_width__that_many_spaces(void **state)
{
    (void)state;
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    yaml_write_indent(0, &text);
    assert_int_equal(text.len, 0);
    yaml_write_indent(70, &text);
    assert_int_equal(text.len, 70);
    assert_int_equal(strspn(text.data, " "), 70);
}

static void test_write_scalar__plain_and_quoted__as_the_rule_says(void **state)
{
    (void)state;
    static const struct { const char *text, *written; } rows[] = {
        { "node-1a2b", "node-1a2b" }, { "Rupelmonde Castle", "Rupelmonde Castle" }, { "a.b_c/d", "a.b_c/d" }, { "nullify", "nullify" },
        { "", "\"\"" }, { "yes", "\"yes\"" }, { "No", "\"No\"" }, { "NULL", "\"NULL\"" }, { "true", "\"true\"" }, { "oN", "\"oN\"" },
        { "y", "\"y\"" }, { "NaN", "\"NaN\"" }, { "1e3", "\"1e3\"" }, { "0", "\"0\"" }, { "-", "\"-\"" }, { ".5", "\".5\"" },
        { "~", "\"~\"" },
        { "2026-01-01", "\"2026-01-01\"" }, { " a", "\" a\"" }, { "a ", "\"a \"" }, { "a  b", "\"a  b\"" }, { "a: b", "\"a: b\"" },
        { "a #b", "\"a #b\"" }, { "a,b", "\"a,b\"" }, { "say \"x\"", "\"say \\\"x\\\"\"" }, { "a\\b", "\"a\\\\b\"" },
        { "a\nb\tc\rd", "\"a\\nb\\tc\\rd\"" },
        { "\x01\x7f", "\"\\u0001\\u007f\"" }, { "\xc2\x85\xe2\x80\xa9\xef\xbb\xbf\xef\xbf\xbf", "\"\\u0085\\u2029\\ufeff\\uffff\"" },
        { "Zürich", "\"Zürich\"" }, { "<<", "\"<<\"" }, { "[x]", "\"[x]\"" }, { "*a", "\"*a\"" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
        yaml_write_scalar(rows[i].text, &text);
        assert_string_equal(text.data, rows[i].written);
    }
}

static uint64_t random_next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void add_character(uint32_t code, struct hc_buf *out)
{
    if (code < 0x80) {
        hc_buf_char(out, (char)code);
        return;
    }
    unsigned more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;    /* bytes after the first */
    hc_buf_char(out, (char)((more == 1 ? 0xc0 : more == 2 ? 0xe0 : 0xf0) | code >> 6 * more));
    while (more-- > 0)
        hc_buf_char(out, (char)(0x80 | (code >> 6 * more & 0x3f)));
}

/* Any text without NUL that is UTF-8: pieces that have broken somebody's YAML, and any code point. */
static void random_text(uint64_t *seed, struct hc_buf *out)
{
    static const char *const pieces[] = {
        "yes", "null", "1e3", "2026-01-01", "\"", "'", "\\", " ", "\t", "\n", "\r", ": ", " #", "- ", "? ", "{", "}", "[", "]",
        ",", "&", "*", "!",
        "|", ">", "%", "@", "`", "~", "<<", "---", "...", "=", "\xc2\x85", "\xc2\xa0", "\xe2\x80\xa8", "\xef\xbb\xbf", "a",
        "Z", "0", ".", "_", "/", "\x7f",
    };
    hc_buf_clear(out);
    hc_buf_add(out, "", 0);
    for (uint64_t left = random_next(seed) % 12; left > 0; left--) {
        uint64_t pick = random_next(seed) % 100;
        if (pick < 80) {
            hc_buf_str(out, pieces[random_next(seed) % (sizeof pieces / sizeof pieces[0])]);
            continue;
        }
        uint32_t code = (uint32_t)(random_next(seed) % (pick < 90 ? 0x3000 : 0x110000));
        if (code == 0 || (code >= 0xd800 && code <= 0xdfff))
            code = 'x';
        add_character(code, out);
    }
}

static void assert_text_is_back(const char *text, const struct yaml_node *node)
{
    assert_int_equal(node->kind, YAML_SCALAR);
    assert_false(yaml_is_null(node));
    assert_string_equal(node->scalar, text);
}

#define ROUNDS 20000
static void test_write_scalar__random_texts_as_value_item_and_key__read_back_equal(void **state)
{
    (void)state;
    uint64_t seed = 0x9e3779b97f4a7c15;
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 }, out = { 0 };
    for (int i = 0; i < ROUNDS; i++) {
        random_text(&seed, &text);
        hc_buf_clear(&out);
        hc_buf_str(&out, "v: ");
        yaml_write_scalar(text.data, &out);
        hc_buf_str(&out, "\nl: [");
        yaml_write_scalar(text.data, &out);
        hc_buf_str(&out, ", ");
        yaml_write_scalar(text.data, &out);
        hc_buf_str(&out, "]\nm:\n  ");
        yaml_write_scalar(text.data, &out);
        hc_buf_str(&out, ":\n    - ");
        yaml_write_scalar(text.data, &out);
        hc_buf_str(&out, "\n");
        struct hc_arena arena = { 0 };
        struct yaml_node *root;
        struct hc_diag diag = { "" };
        enum hc_err err = yaml_parse("f.yaml", out.data, out.len, &arena, &root, &diag);
        if (err != HC_OK)
            fail_msg("%s in round %d: %s", diag.text, i, out.data);
        assert_text_is_back(text.data, root->pairs[0].value);
        assert_int_equal(root->pairs[1].value->count, 2);
        assert_text_is_back(text.data, root->pairs[1].value->items[0]);
        assert_text_is_back(text.data, root->pairs[1].value->items[1]);
        assert_string_equal(root->pairs[2].value->pairs[0].key, text.data);
        assert_text_is_back(text.data, root->pairs[2].value->pairs[0].value->items[0]);
        hc_arena_free(&arena);
    }
}

static void test_write__memory_runs_out_anywhere__buffer_says_failed(void **state)
{
    (void)state;
    struct sample full;
    sample_fill(&full);
    bool done = false;
    for (unsigned n = 1; n < 100 && !done; n++) {
        struct hc_buf text = { 0 };
        hc_alloc_fail_after(n);
        yaml_write_item(&sample_yaml, &full, 2, &text);
        hc_alloc_fail_after(0);
        done = !text.failed;
        assert_true(!done || n > 1);
        hc_buf_free(&text);
    }
    assert_true(done);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write__every_type__read_back_equal),
        cmocka_unit_test(test_write__nothing_set_but_the_id__read_back_equal),
        cmocka_unit_test(test_write_members__indented__lists_as_block_sequences),
        cmocka_unit_test(test_write_indent__any_width__that_many_spaces),
        cmocka_unit_test(test_write_scalar__plain_and_quoted__as_the_rule_says),
        cmocka_unit_test(test_write_scalar__random_texts_as_value_item_and_key__read_back_equal),
        cmocka_unit_test(test_write__memory_runs_out_anywhere__buffer_says_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
