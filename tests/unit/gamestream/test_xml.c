#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hydra/base/buf.h"
#include "hydra/gamestream/xml.h"

static enum hc_err parse(const char *text, struct hc_arena *arena, const struct gs_xml **root, struct hc_diag *diag)
{
    *diag = (struct hc_diag){ "" };
    return gs_xml_parse(text, strlen(text), arena, root, diag);
}

static void test_xml__serverinfo__read(void **state)
{
    (void)state;
    struct hc_arena arena = { 0 };
    struct hc_diag diag;
    const struct gs_xml *root = NULL;
    assert_int_equal(parse("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<root status_code=\"200\" query=''>\n"
                           "  <!-- who -->\n  <hostname>Tom &amp; Jerry &#x2014; &#65;</hostname>"
                           "<PairStatus>1</PairStatus><empty/>\n</root>\n",
                           &arena, &root, &diag), HC_OK);
    assert_string_equal(root->name, "root");
    assert_string_equal(gs_xml_attr(root, "status_code"), "200");
    assert_string_equal(gs_xml_attr(root, "query"), "");
    assert_null(gs_xml_attr(root, "status_message"));
    assert_string_equal(gs_xml_text(root, "hostname"), "Tom & Jerry \xe2\x80\x94 A");
    assert_string_equal(gs_xml_text(root, "PairStatus"), "1");
    assert_string_equal(gs_xml_text(root, "empty"), "");
    assert_null(gs_xml_text(root, "currentgame"));
    hc_arena_free(&arena);
}

static void test_xml__applist__two_levels_in_order(void **state)
{
    (void)state;
    struct hc_arena arena = { 0 };
    struct hc_diag diag;
    const struct gs_xml *root = NULL;
    assert_int_equal(parse("<root status_code=\"200\"><App><AppTitle>A&lt;B</AppTitle><ID>1</ID></App>"
                           "<App><AppTitle/><ID>2</ID></App></root>",
                           &arena, &root, &diag), HC_OK);
    const struct gs_xml *app = root->child;
    assert_string_equal(gs_xml_text(app, "AppTitle"), "A<B");
    app = app->next;
    assert_string_equal(gs_xml_text(app, "AppTitle"), "");
    assert_string_equal(gs_xml_text(app, "ID"), "2");
    assert_null(app->next);
    hc_arena_free(&arena);
}

static void test_xml__not_well_formed__refused_with_its_line(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "", "   \n", "<?xml version=\"1.0\"?>\n", "<?xml version=\"1.0\"", "plain", "<root", "<root>", "<root><a></root>", "<root></rot>",
        "<root/><root/>", "<root/>text", "<root a=1/>", "<root a='1' a='2'/>", "<root a='1'b='2'/>", "<root a='<'/>", "<root a='1/>",
        "<root>&copy;</root>", "<root>&</root>", "<root>&#0;</root>", "<root>&#xd800;</root>", "<root>&#x110000;</root>",
            "<root>&#;</root>",
        "<root>\x01</root>", "<root>\xff</root>", "<!DOCTYPE root><root/>", "<root><![CDATA[x]]></root>", "<root><?php x?></root>",
            "</root>",
        "<root><!-- no end</root>", "< root/>", "<1root/>", "<root/", "<html><body>Sign in<br></body></html>",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct hc_arena arena = { 0 };
        struct hc_diag diag;
        const struct gs_xml *root = NULL;
        if (parse(texts[i], &arena, &root, &diag) != HC_ERR_SYNTAX)
            fail_msg("taken: %s", texts[i]);
        assert_non_null(strstr(diag.text, "line "));
        assert_null(root);
        hc_arena_free(&arena);
    }
}

static void test_xml__deep_large_or_many__limit(void **state)
{
    (void)state;
    struct hc_arena arena = { 0 };
    struct hc_diag diag;
    const struct gs_xml *root = NULL;
    struct hc_buf text = { 0 };
    for (int i = 0; i <= GS_XML_DEPTH_MAX; i++)
        hc_buf_str(&text, "<a>");
    assert_int_equal(gs_xml_parse(text.data, text.len, &arena, &root, &diag), HC_ERR_LIMIT);
    hc_buf_clear(&text);
    hc_buf_str(&text, "<root>");
    for (int i = 0; i <= GS_XML_NODES_MAX; i++)
        hc_buf_str(&text, "<a/>");
    hc_buf_str(&text, "</root>");
    assert_int_equal(gs_xml_parse(text.data, text.len, &arena, &root, &diag), HC_ERR_LIMIT);
    assert_int_equal(gs_xml_parse(text.data, GS_XML_BYTES_MAX + 1, &arena, &root, &diag), HC_ERR_LIMIT);
    hc_buf_free(&text);
    hc_arena_free(&arena);
}

static void test_xml__no_memory_at_any_point__said_and_nothing_lost(void **state)
{
    (void)state;
    static const char text[] = "<root a='1'><App><AppTitle>x &amp; y</AppTitle><ID>1</ID></App></root>";
    for (unsigned n = 1;; n++) {
        struct hc_arena arena = { 0 };
        struct hc_diag diag;
        const struct gs_xml *root = NULL;
        hc_alloc_fail_after(n);
        enum hc_err err = parse(text, &arena, &root, &diag);
        hc_alloc_fail_after(0);
        hc_arena_free(&arena);
        if (err == HC_OK)
            break;
        assert_int_equal(err, HC_ERR_NOMEM);
        assert_true(n < 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_xml__serverinfo__read),
        cmocka_unit_test(test_xml__applist__two_levels_in_order),
        cmocka_unit_test(test_xml__not_well_formed__refused_with_its_line),
        cmocka_unit_test(test_xml__deep_large_or_many__limit),
        cmocka_unit_test(test_xml__no_memory_at_any_point__said_and_nothing_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
