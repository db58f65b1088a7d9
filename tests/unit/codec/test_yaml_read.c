#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "hydra/codec/yaml.h"
#include "sample.h"

#define X10 "xxxxxxxxxx"
#define X60 X10 X10 X10 X10 X10 X10
#define X64 X60 "xxxx"
#define X128 X60 X60 "xxxxxxxx"

struct read { enum hc_err err; struct sample sample; struct hc_diag diag; struct hc_arena arena; };

static void read_text(struct read *read, const char *text)
{
    *read = (struct read){ .err = HC_OK };
    memset(&read->sample, 0xa5, sizeof read->sample);
    struct yaml_node *root;
    assert_int_equal(yaml_parse("f.yaml", text, strlen(text), &read->arena, &root, &read->diag), HC_OK);
    read->err = yaml_read(&sample_yaml, "f.yaml", root, &read->arena, &read->sample, &read->diag);
}

/* "id: i" in line 1, the text in question from line 2 on. */
static void read_after_id(struct read *read, const char *text)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf whole = { 0 };
    hc_buf_printf(&whole, "id: i\n%s\n", text);
    read_text(read, whole.data);
}

static void test_read__texts_that_look_like_other_types__taken_as_the_row_says(void **state)
{
    (void)state;
    struct read read;
    read_text(&read, "id: 2026-01-01\nname: yes\nlabel: 1e3\nnote: true\nother_id: 007\nwait: \"90s\"\nstate: \"idle\"\n"
                     "at: \"2025-09-04T11:43:18Z\"\n"
                     "ids: [1, no]\n");
    assert_int_equal(read.err, HC_OK);
    assert_string_equal(read.sample.id, "2026-01-01");
    assert_string_equal(read.sample.name, "yes");
    assert_string_equal(read.sample.label, "1e3");
    assert_string_equal(read.sample.note, "true");
    assert_string_equal(read.sample.other_id, "007");
    assert_int_equal(read.sample.wait_ms, 90000);
    assert_int_equal(read.sample.state, SAMPLE_IDLE);
    assert_true(read.sample.at.ms == 1756986198000);
    assert_string_equal(((const char **)read.sample.ids.items)[1], "no");
    hc_arena_free(&read.arena);
}

static void test_read__null_and_absent__the_same(void **state)
{
    (void)state;
    struct read read;
    read_text(&read, "id: i\nlabel: null\nmaybe: ~\nnames:\nsmall: null\n");
    assert_int_equal(read.err, HC_OK);
    assert_int_equal(read.sample.present, 2);
    assert_false(read.sample.has_maybe);
    assert_null(read.sample.names.items);
    assert_int_equal(read.sample.small, 0);
    hc_arena_free(&read.arena);
}

static void test_read__value_at_its_limit__taken(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "label: " X10, "label: \"\"", "other_id: " X64, "other_id: \"\"", "name: " X128, "note: " X60, "note: |\n  a\n  b", "on: true",
        "on: false", "small: 0", "small: 1000", "big: 1152921504606846976", "delta: -500", "delta: 500", "age_seconds: 3600", "wait: 24h",
        "parts: [{}, {}, {}]", "names: [12345678, b, c]", "numbers: [0, 9007199254740991]", "state: \"\"", "maybe: {}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct read read;
        read_after_id(&read, texts[i]);
        assert_string_equal(read.diag.text, "");
        assert_int_equal(read.err, HC_OK);
        hc_arena_free(&read.arena);
    }
}

static void test_read__value_that_does_not_suit__file_line_column_key(void **state)
{
    (void)state;
    static const struct { const char *text, *message; } rows[] = {
        { "zzz: 1", "f.yaml:2:1: zzz: unknown key" },
        { "raw: 1", "f.yaml:2:1: raw: unknown key" },
        { "part: {id: p, zzz: 1}", "f.yaml:2:15: part.zzz: unknown key" },
        { "label: " X10 "x", "f.yaml:2:8: label: is longer than 10 bytes" },
        { "label: [a]", "f.yaml:2:8: label: must be text" },
        { "label: \"a\\x07\"", "f.yaml:2:8: label: has a control character" },
        { "label: \"a\\nb\"", "f.yaml:2:8: label: has a control character" },
        { "other_id: a b", "f.yaml:2:11: other_id: must be 1 to 64 characters of A-Z a-z 0-9 . _ -" },
        { "other_id: " X64 "x", "f.yaml:2:11: other_id: must be 1 to 64 characters of A-Z a-z 0-9 . _ -" },
        { "name: \"\"", "f.yaml:2:7: name: must not be empty" },
        { "name: " X128 "x", "f.yaml:2:7: name: is longer than 128 bytes" },
        { "note: {}", "f.yaml:2:7: note: must be text" },
        { "note: " X60 "x", "f.yaml:2:7: note: is longer than 60 bytes" },
        { "on: yes", "f.yaml:2:5: on: must be true or false" },
        { "on: \"true\"", "f.yaml:2:5: on: must be true or false" },
        { "on: []", "f.yaml:2:5: on: must be true or false" },
        { "small: 1001", "f.yaml:2:8: small: is above 1000" },
        { "small: -1", "f.yaml:2:8: small: must not be negative" },
        { "small: 1.0", "f.yaml:2:8: small: must be a whole number" },
        { "small: +1", "f.yaml:2:8: small: must be a whole number" },
        { "small: 01", "f.yaml:2:8: small: must be a whole number" },
        { "small: 0x1", "f.yaml:2:8: small: must be a whole number" },
        { "small: \"1\"", "f.yaml:2:8: small: must be a whole number" },
        { "small: []", "f.yaml:2:8: small: must be a whole number" },
        { "big: 1152921504606846977", "f.yaml:2:6: big: is above 1152921504606846976" },
        { "big: 18446744073709551616", "f.yaml:2:6: big: must be a whole number" },
        { "delta: -501", "f.yaml:2:8: delta: is below -500" },
        { "delta: 501", "f.yaml:2:8: delta: is above 500" },
        { "state: asleep", "f.yaml:2:8: state: must be one of: idle, busy" },
        { "at: 2026-01-01", "f.yaml:2:5: at: must be an instant in UTC like 2026-09-04T11:43:18.042Z" },
        { "age_seconds: 3601", "f.yaml:2:14: age_seconds: is above 3600" },
        { "age_seconds: 90s", "f.yaml:2:14: age_seconds: must be a whole number" },
        { "wait: 90", "f.yaml:2:7: wait: must be a duration like 250ms, 90s, 10min, 24h or 7d" },
        { "wait: 25h", "f.yaml:2:7: wait: is above 86400000 ms" },
        { "part: 1", "f.yaml:2:7: part: must be a map" },
        { "part:\n  state: [x]", "f.yaml:3:10: part.state: must be text" },
        { "maybe: []", "f.yaml:2:8: maybe: must be a map" },
        { "parts: {}", "f.yaml:2:8: parts: must be a list" },
        { "parts: [{}, {}, {}, {}]", "f.yaml:2:8: parts: has more than 3 items" },
        { "parts: [{}, 5]", "f.yaml:2:13: parts[1]: must be a map" },
        { "parts:\n  - {}\n  - numbers: [1, x]", "f.yaml:4:18: parts[1].numbers[1]: must be a whole number" },
        { "names: a", "f.yaml:2:8: names: must be a list" },
        { "names: [a, b, c, d]", "f.yaml:2:8: names: has more than 3 items" },
        { "names: [123456789]", "f.yaml:2:9: names[0]: is longer than 8 bytes" },
        { "names: [\"\"]", "f.yaml:2:9: names[0]: must not be empty" },
        { "names: [~]", "f.yaml:2:9: names[0]: must be text" },
        { "names: [[a]]", "f.yaml:2:9: names[0]: must be text" },
        { "ids: [a/b]", "f.yaml:2:7: ids[0]: must be 1 to 64 characters of A-Z a-z 0-9 . _ -" },
        { "numbers: [-1]", "f.yaml:2:11: numbers[0]: must not be negative" },
        { "numbers: [9007199254740992]", "f.yaml:2:11: numbers[0]: is above 9007199254740991" },
        { "numbers: [1, 2, 3, 4]", "f.yaml:2:10: numbers: has more than 3 items" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct read read;
        read_after_id(&read, rows[i].text);
        assert_int_equal(read.err, HC_ERR_SCHEMA);
        assert_string_equal(read.diag.text, rows[i].message);
        hc_arena_free(&read.arena);
    }
}

static void test_read__required_key_missing_or_null__refused_at_the_map(void **state)
{
    (void)state;
    static const char *const texts[] = { "\n\nname: n\n", "\n\nid: null\n" };
    for (size_t i = 0; i < 2; i++) {
        struct read read;
        read_text(&read, texts[i]);
        assert_int_equal(read.err, HC_ERR_SCHEMA);
        assert_string_equal(read.diag.text, "f.yaml:3:1: id: is required");
        hc_arena_free(&read.arena);
    }
}

static void test_read__not_a_map__names_the_table(void **state)
{
    (void)state;
    const struct yaml_node scalar = { .kind = YAML_SCALAR, .line = 4, .column = 2, .scalar = "x" };
    struct hc_arena arena = { 0 };
    struct sample sample;
    struct hc_diag diag;
    assert_int_equal(yaml_read(&sample_yaml, "f.yaml", &scalar, &arena, &sample, &diag), HC_ERR_SCHEMA);
    assert_string_equal(diag.text, "f.yaml:4:2: sample: must be a map");
}

static void test_fail__callers_finding__same_form(void **state)
{
    (void)state;
    const struct yaml_node at = { .line = 12, .column = 5 };
    struct hc_diag diag;
    assert_int_equal(yaml_fail(&diag, "a.yaml", &at, "slots", "index %d is there twice", 3), HC_ERR_SCHEMA);
    assert_string_equal(diag.text, "a.yaml:12:5: slots: index 3 is there twice");
}

static void test_read__memory_runs_out_anywhere__nomem(void **state)
{
    (void)state;
    static const char text[] = "id: i\nnote: n\nparts: [{numbers: [1]}]\nnames: [a, b]\n";
    struct hc_arena tree = { 0 };
    struct yaml_node *root;
    struct hc_diag diag;
    assert_int_equal(yaml_parse("f.yaml", text, sizeof text - 1, &tree, &root, &diag), HC_OK);
    struct hc_arena arena = { 0 };
    struct sample sample;
    hc_alloc_fail_after(1);    /* one block holds all of it */
    assert_int_equal(yaml_read(&sample_yaml, "f.yaml", root, &arena, &sample, &diag), HC_ERR_NOMEM);
    hc_alloc_fail_after(0);
    assert_int_equal(yaml_read(&sample_yaml, "f.yaml", root, &arena, &sample, &diag), HC_OK);
    hc_arena_free(&arena);
    hc_arena_free(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read__texts_that_look_like_other_types__taken_as_the_row_says),
        cmocka_unit_test(test_read__null_and_absent__the_same),
        cmocka_unit_test(test_read__value_at_its_limit__taken),
        cmocka_unit_test(test_read__value_that_does_not_suit__file_line_column_key),
        cmocka_unit_test(test_read__required_key_missing_or_null__refused_at_the_map),
        cmocka_unit_test(test_read__not_a_map__names_the_table),
        cmocka_unit_test(test_fail__callers_finding__same_form),
        cmocka_unit_test(test_read__memory_runs_out_anywhere__nomem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
