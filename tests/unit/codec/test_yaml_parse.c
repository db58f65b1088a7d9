#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "hydra/codec/yaml.h"

static enum hc_err parse(const char *text, struct hc_arena *arena, struct yaml_node **ret_root, struct hc_diag *diag)
{
    *diag = (struct hc_diag){ "" };
    return yaml_parse("f.yaml", text, strlen(text), arena, ret_root, diag);
}

static void test_parse__maps_lists_scalars__tree_with_positions(void **state)
{
    (void)state;
    struct hc_arena arena = { 0 };
    struct yaml_node *root;
    struct hc_diag diag;
    assert_int_equal(parse("# note\na: 1\nb:\n  - x: 'q'\n  - [1, \"2\"]\nc: {}\n", &arena, &root, &diag), HC_OK);
    assert_int_equal(root->kind, YAML_MAP);
    assert_int_equal(root->count, 3);
    assert_string_equal(root->pairs[0].key, "a");
    assert_int_equal(root->pairs[0].key_line, 2);
    assert_int_equal(root->pairs[0].key_column, 1);
    assert_string_equal(root->pairs[0].value->scalar, "1");
    assert_false(root->pairs[0].value->quoted);
    assert_int_equal(root->pairs[0].value->column, 4);
    const struct yaml_node *b = yaml_get(root, "b");
    assert_int_equal(b->kind, YAML_SEQ);
    assert_int_equal(b->count, 2);
    assert_int_equal(b->items[0]->line, 4);
    assert_int_equal(b->items[0]->column, 5);
    assert_true(yaml_get(b->items[0], "x")->quoted);
    assert_string_equal(b->items[1]->items[1]->scalar, "2");
    assert_int_equal(yaml_get(root, "c")->count, 0);
    assert_null(yaml_get(root, "d"));
    assert_null(yaml_get(b, "x"));
    hc_arena_free(&arena);
}

static void test_parse__empty_documents__empty_map(void **state)
{
    (void)state;
    static const char *const texts[] = { "", "# only a note\n", "---\n", "~\n", "null", "{}", "\xef\xbb\xbf", "\xef\xbb\xbf{}" };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct hc_arena arena = { 0 };
        struct yaml_node *root;
        struct hc_diag diag;
        assert_int_equal(parse(texts[i], &arena, &root, &diag), HC_OK);
        assert_int_equal(root->kind, YAML_MAP);
        assert_int_equal(root->count, 0);
        hc_arena_free(&arena);
    }
}

static void test_is_null__unquoted_only__three_texts(void **state)
{
    (void)state;
    struct hc_arena arena = { 0 };
    struct yaml_node *root;
    struct hc_diag diag;
    assert_int_equal(parse("a:\nb: ~\nc: null\nd: \"\"\ne: 'null'\nf: Null\ng: []\n", &arena, &root, &diag), HC_OK);
    for (size_t i = 0; i < root->count; i++)
        assert_int_equal(yaml_is_null(root->pairs[i].value), i < 3);
    hc_arena_free(&arena);
}

static void test_parse__what_we_refuse__position_and_reason(void **state)
{
    (void)state;
    static const struct { const char *text, *begins, *says; } rows[] = {
        { "a: &x 1\n", "f.yaml:1:4: ", "anchors" }, { "a: &x [1]\n", "f.yaml:1:4: ", "anchors" },
        { "a: &x {b: 1}\n", "f.yaml:1:4: ", "anchors" },
        { "&x a: 1\n", "f.yaml:1:1: ", "anchors" }, { "a: 1\nb: *x\n", "f.yaml:2:4: ", "aliases" },
        { "*x : 1\n", "f.yaml:1:1: ", "aliases" },
        { "a: !!str 1\n", "f.yaml:1:4: ", "tags" }, { "a: !t [1]\n", "f.yaml:1:4: ", "tags" }, { "a: !t {}\n", "f.yaml:1:4: ", "tags" },
        { "a: ! x\n", "f.yaml:1:4: ", "tags" }, { "!!map {a: 1}\n", "f.yaml:1:1: ", "tags" },
        { "a: 1\n<<: {b: 2}\n", "f.yaml:2:1: ", "merge" },
        { "%YAML 1.1\n---\na: 1\n", "f.yaml:1:1: ", "directives" }, { "%TAG !e! tag:x,2000:\n---\na: 1\n", "f.yaml:1:1: ", "directives" },
        { "%FOO bar\n---\na: 1\n", "f.yaml:1:", "directive" },
        { "a: 1\n---\nb: 2\n", "f.yaml:2:1: ", "second document" }, { "a: 1\n...\n---\n{}\n", "f.yaml:3:1: ", "second document" },
        { "a: 1\nb: 2\na: 3\n", "f.yaml:3:1: ", "a: the key is repeated" },
        { "x:\n  - {p: 1, q: 2, 'p': 3}\n", "f.yaml:2:18: ", "p: the key is repeated" },
        { "b: 1\na: 1\na: 2\nb: 2\n", "f.yaml:3:1: ", "a: the key is repeated" },
        { "? [a]\n: 1\n", "f.yaml:1:3: ", "a key must be text" }, { "? {a: 1}\n: 1\n", "f.yaml:1:3: ", "a key must be text" },
        { "? \n: 1\n", "f.yaml:1:", "a key is missing" }, { ": 1\n", "f.yaml:1:1: ", "expected key" },
        { "a: \"x\\0y\"\n", "f.yaml:1:4: ", "NUL" }, { "\"k\\0\": 1\n", "f.yaml:1:1: ", "NUL" },
        { "- a\n", "f.yaml:1:1: ", "must be a map" }, { "text\n", "f.yaml:1:1: ", "must be a map" },
        { "\"\"\n", "f.yaml:1:1: ", "must be a map" },
        { "a: 1\nb: \xff\n", "f.yaml:2:4: ", "" }, { "a: \xc3\xa9\x01\n", "f.yaml:1:5: ", "control characters" },
        { "\xff\xfe" "a", "f.yaml:1:1: ", "" }, { "a: [1\n", "f.yaml:2:1: ", "" }, { "a: \"x\n", "f.yaml:2:1: ", "" },
        { "a: 1\n b: 2\n", "f.yaml:2:", "" }, { "a:\n\t- 1\n", "f.yaml:2:1: ", "" }, { "a: b: c\n", "f.yaml:1:5: ", "" },
        { "a: @x\n", "f.yaml:1:4: ", "" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct hc_arena arena = { 0 };
        struct yaml_node *root = NULL;
        struct hc_diag diag;
        assert_int_equal(parse(rows[i].text, &arena, &root, &diag), HC_ERR_SYNTAX);
        if (strstr(diag.text, rows[i].begins) != diag.text)
            fail_msg("\"%s\" does not begin \"%s\"", rows[i].begins, diag.text);
        assert_true(strlen(diag.text) > strlen(rows[i].begins));
        if (strstr(diag.text, rows[i].says) == NULL)
            fail_msg("\"%s\" is not in \"%s\"", rows[i].says, diag.text);
        assert_null(root);
        hc_arena_free(&arena);
    }
}

static void test_parse__quoted_merge_sign__is_a_key(void **state)
{
    (void)state;
    struct hc_arena arena = { 0 };
    struct yaml_node *root;
    struct hc_diag diag;
    assert_int_equal(parse("\"<<\": 1\n", &arena, &root, &diag), HC_OK);
    assert_string_equal(root->pairs[0].key, "<<");
    hc_arena_free(&arena);
}

static enum hc_err parse_nested(size_t depth, bool maps, struct hc_diag *diag)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    struct hc_arena arena = { 0 };
    struct yaml_node *root;
    hc_buf_str(&text, "{k: ");
    for (size_t i = 1; i < depth; i++)
        hc_buf_str(&text, maps ? "{k: " : "[");
    for (size_t i = 1; i < depth; i++)
        hc_buf_str(&text, maps ? "}" : "]");
    hc_buf_str(&text, "}");
    enum hc_err err = parse(text.data, &arena, &root, diag);
    hc_arena_free(&arena);
    return err;
}

static void test_parse__nesting_at_and_over_the_limit__taken_and_refused(void **state)
{
    (void)state;
    struct hc_diag diag;
    for (int maps = 0; maps < 2; maps++) {
        assert_int_equal(parse_nested(YAML_NESTING_MAX, maps, &diag), HC_OK);
        assert_int_equal(parse_nested(YAML_NESTING_MAX + 1, maps, &diag), HC_ERR_SYNTAX);
        assert_non_null(strstr(diag.text, "deeper than 16"));
        assert_int_equal(parse_nested(500, maps, &diag), HC_ERR_SYNTAX);
    }
}

static void test_parse__over_the_size_limit__refused_unread(void **state)
{
    (void)state;
    struct hc_arena arena = { 0 };
    struct yaml_node *root;
    struct hc_diag diag;
    assert_int_equal(yaml_parse("f.yaml", "{}", YAML_BYTES_MAX + 1, &arena, &root, &diag), HC_ERR_SYNTAX);
    assert_ptr_equal(strstr(diag.text, "f.yaml:1:1: "), diag.text);
}

#define MANY 20000
static void test_parse__twenty_thousand_keys__all_there_and_a_repeat_is_found(void **state)
{
    (void)state;
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    struct hc_arena arena = { 0 };
    struct yaml_node *root;
    struct hc_diag diag;
    for (int i = 0; i < MANY; i++)
        hc_buf_printf(&text, "key-%d: {n: %d}\n", i, i);
    assert_int_equal(parse(text.data, &arena, &root, &diag), HC_OK);
    assert_int_equal(root->count, MANY);
    assert_string_equal(root->pairs[MANY - 1].key, "key-19999");
    hc_arena_free(&arena);
    hc_buf_str(&text, "key-10000: {}\n");
    assert_int_equal(parse(text.data, &arena, &root, &diag), HC_ERR_SYNTAX);
    assert_string_equal(diag.text, "f.yaml:20001:1: key-10000: the key is repeated");
    hc_arena_free(&arena);
}

static void test_parse__memory_runs_out_anywhere__nomem_and_no_leak(void **state)
{
    (void)state;
    bool done = false;
    for (unsigned n = 1; n < 1000 && !done; n++) {
        struct hc_arena arena = { 0 };
        struct yaml_node *root;
        struct hc_diag diag;
        hc_alloc_fail_after(n);
        enum hc_err err = parse("a: [1, 2]\nb: {c: d, e: f}\n", &arena, &root, &diag);
        done = err == HC_OK;
        hc_alloc_fail_after(0);
        assert_true(done || err == HC_ERR_NOMEM);
        assert_true(!done || n > 4);
        hc_arena_free(&arena);
    }
    assert_true(done);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse__maps_lists_scalars__tree_with_positions),
        cmocka_unit_test(test_parse__empty_documents__empty_map),
        cmocka_unit_test(test_is_null__unquoted_only__three_texts),
        cmocka_unit_test(test_parse__what_we_refuse__position_and_reason),
        cmocka_unit_test(test_parse__quoted_merge_sign__is_a_key),
        cmocka_unit_test(test_parse__nesting_at_and_over_the_limit__taken_and_refused),
        cmocka_unit_test(test_parse__over_the_size_limit__refused_unread),
        cmocka_unit_test(test_parse__twenty_thousand_keys__all_there_and_a_repeat_is_found),
        cmocka_unit_test(test_parse__memory_runs_out_anywhere__nomem_and_no_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
