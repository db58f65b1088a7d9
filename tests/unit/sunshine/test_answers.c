/* What is read of Sunshine's answers, over all its versions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../../src/sunshine/web.h"

static json_t *answer(const char *text)
{
    json_t *json = web_object(text, strlen(text));
    assert_non_null(json);
    return json;
}

static void test_object__html_and_bare_values__are_none(void **state)
{
    (void)state;
    static const char *const rows[] = { "", "<html></html>", "[]", "true", "{\"cut\":", "{} {}" };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_null(web_object(rows[i], strlen(rows[i])));
}

static void test_clients__empty_in_either_form__is_a_list_and_a_missing_one_is_not(void **state)
{
    (void)state;
    static const struct { const char *text; bool known; size_t count; } rows[] = {
        { "{\"named_certs\":[],\"status\":true}", true, 0 },
        { "{\"named_certs\":\"\",\"status\":\"true\"}", true, 0 },
        { "{\"named_certs\":[{\"uuid\":\"A\",\"name\":\"hydra-h1\"},{\"uuid\":\"B\"}]}", true, 2 },
        { "{\"status\":true}", false, 0 },
        { "{\"named_certs\":\"none\"}", false, 0 },
        { "{\"named_certs\":[{\"name\":\"without uuid\"}]}", false, 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct hc_arena arena = { 0 };
        struct sunshine_client *clients = NULL;
        size_t count = 0;
        json_t *json = answer(rows[i].text);
        assert_int_equal(web_named(json, &arena, &clients, &count), rows[i].known);
        assert_int_equal(rows[i].known ? count : 0, rows[i].count);
        json_decref(json);
        hc_arena_free(&arena);
    }
}

/* The last entry of a host of v0.23.1 or v2025.118 was removed: that list can be added to. */
static void test_apps__empty_in_either_form__is_a_list_and_a_missing_one_is_not(void **state)
{
    (void)state;
    static const struct { const char *text; bool known; } rows[] = {
        { "{\"apps\":[],\"env\":{}}", true },
        { "{\"apps\":\"\",\"env\":\"\"}", true },
        { "{\"apps\":[{\"name\":\"Desktop\"}]}", true },
        { "{\"env\":{}}", false },
        { "{\"apps\":\"Desktop\"}", false },
        { "{\"apps\":[{\"cmd\":\"nameless\"}]}", false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_t *json = answer(rows[i].text);
        assert_int_equal(web_has_apps(json), rows[i].known);
        json_decref(json);
    }
}

static void test_said__both_types_of_yes__and_nothing_at_all(void **state)
{
    (void)state;
    static const struct { const char *text; enum sunshine_outcome outcome; } rows[] = {
        { "{\"status\":true}", SUNSHINE_OK },      { "{\"status\":\"true\"}", SUNSHINE_OK },  { "{\"status\":false}", SUNSHINE_REFUSED },
        { "{\"status\":\"false\"}", SUNSHINE_REFUSED }, { "{}", SUNSHINE_UNKNOWN },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_t *json = answer(rows[i].text);
        assert_int_equal(web_said(json), rows[i].outcome);
        json_decref(json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_object__html_and_bare_values__are_none),
        cmocka_unit_test(test_clients__empty_in_either_form__is_a_list_and_a_missing_one_is_not),
        cmocka_unit_test(test_apps__empty_in_either_form__is_a_list_and_a_missing_one_is_not),
        cmocka_unit_test(test_said__both_types_of_yes__and_nothing_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
