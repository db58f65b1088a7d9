#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "../../../src/ctl/value_text.h"
#include "hydra/base/arena.h"
#include "hydra/codec/yaml.h"

static json_t *parse(const char *text)
{
    json_error_t why;
    json_t *value = json_loads(text, JSON_DECODE_ANY, &why);
    if (value == NULL)
        fail_msg("%s: %s", text, why.text);
    return value;
}

static void expect(void (*write)(const json_t *, struct hc_buf *), const char *json, const char *text)
{
    json_t *value = parse(json);
    struct hc_buf out = { 0 };
    write(value, &out);
    assert_false(out.failed);
    assert_string_equal(out.data, text);
    hc_buf_free(&out);
    json_decref(value);
}

static void test_value_at__paths_and_alternatives(void **state)
{
    (void)state;
    json_t *row = parse("{\"a\":{\"b\":{\"c\":\"x\"},\"n\":null,\"e\":\"\"},\"id\":\"b1\",\"list\":[\"p\",7]}");
    assert_string_equal(value_str(row, "a.b.c"), "x");
    assert_ptr_equal(value_at(row, ""), row);
    assert_null(value_at(row, "a.b.d"));
    assert_null(value_at(row, "id.b"));                 /* a text has no members */
    assert_null(value_at(NULL, "a"));
    assert_string_equal(value_str(row, "a.n|id"), "b1");
    assert_string_equal(value_str(row, "a.e|id"), "b1");
    assert_string_equal(value_str(row, "zz|id"), "b1");
    assert_true(json_is_null(value_at(row, "a.n|zz")));
    assert_string_equal(value_str(row, "a.b.c|id"), "x");
    assert_true(value_holds(value_at(row, "list"), "p"));
    assert_false(value_holds(value_at(row, "list"), "7"));
    assert_false(value_true(row, "id"));
    json_decref(row);
}

static void test_value_json__every_kind__indented_and_on_one_line(void **state)
{
    (void)state;
    expect(value_json, "{\"a\":[1,-2,true,null,1.5],\"b\":{},\"c\":[],\"d\":{\"e\":\"f\"}}",
           "{\n  \"a\": [\n    1,\n    -2,\n    true,\n    null,\n    1.5\n  ],\n"
           "  \"b\": {},\n  \"c\": [],\n  \"d\": {\n    \"e\": \"f\"\n  }\n}\n");
    expect(value_json_line, "{\"a\":[1,{\"b\":\"c\"}]}", "{\"a\":[1,{\"b\":\"c\"}]}\n");
    expect(value_json, "[]", "[]\n");
}

static void test_value_json__what_steers_a_terminal__escaped_and_still_the_same_text(void **state)
{
    (void)state;
    static const char *const texts[] = { "{\"\\u001b[31m\":\"a\\nb\\u0007\\u009b\\u202e\\\"\\\\\\u007f\"}" };
    json_t *value = parse(texts[0]);
    struct hc_buf out = { 0 };
    value_json(value, &out);
    for (const char *at = out.data; *at != '\0'; at++)
        assert_true((unsigned char)*at >= 0x20 || *at == '\n');
    assert_null(strstr(out.data, "\xc2\x9b"));
    assert_null(strstr(out.data, "\xe2\x80\xae"));
    json_t *again = parse(out.data);
    assert_true(json_equal(value, again));
    json_decref(again);
    json_decref(value);
    hc_buf_free(&out);
}

static void test_value_yaml__every_kind__block_style(void **state)
{
    (void)state;
    expect(value_yaml,
           "[{\"id\":\"b1\",\"why_not\":[\"leased\"],\"lease\":{\"id\":\"lse-1\",\"age\":3},\"none\":null,\"empty\":[]},{\"id\":\"no\"}]",
           "- id: b1\n  why_not:\n    - leased\n  lease:\n    id: lse-1\n    age: 3\n  none: null\n  empty: []\n- id: \"no\"\n");
    expect(value_yaml, "{\"a\":[[1,2],[]],\"b\":{}}", "a:\n  - - 1\n    - 2\n  - []\nb: {}\n");
    expect(value_yaml, "[]", "[]\n");
    expect(value_yaml, "\"x: y\"", "\"x: y\"\n");
    expect(value_yaml_item, "{\"id\":\"1-2\",\"slot\":0}", "- id: \"1-2\"\n  slot: 0\n");
}

/* A strict reader of YAML finds what was written. */
static void test_value_yaml__hostile_texts__read_back(void **state)
{
    (void)state;
    static const char *const texts[] = { "plain", "null", "12", "- a", "# c", "a: b", "\033[2J", "\xc2\x9b", "tab\there", "two\nlines",
                                         "\"q\"",
                                         " lead", "\xe2\x80\xaertl", "caf\xc3\xa9", "{}", "*x", "&x", "!t", "%d", "@", "`" };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        json_t *value = json_pack("{s:s}", "key", texts[i]);
        struct hc_buf out = { 0 };
        struct hc_arena arena = { 0 };
        struct hc_diag diag = { "" };
        struct yaml_node *root = NULL;
        value_yaml(value, &out);
        if (yaml_parse("x.yaml", out.data, out.len, &arena, &root, &diag) != HC_OK)
            fail_msg("%s: %s", out.data, diag.text);
        assert_string_equal(yaml_get(root, "key")->scalar, texts[i]);
        assert_null(strchr(out.data, '\033'));
        hc_arena_free(&arena);
        hc_buf_free(&out);
        json_decref(value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_value_at__paths_and_alternatives),
        cmocka_unit_test(test_value_json__every_kind__indented_and_on_one_line),
        cmocka_unit_test(test_value_json__what_steers_a_terminal__escaped_and_still_the_same_text),
        cmocka_unit_test(test_value_yaml__every_kind__block_style),
        cmocka_unit_test(test_value_yaml__hostile_texts__read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
