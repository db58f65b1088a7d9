/* GET /enroll: a page for an admin's eyes, with the fleet token in its picture and nowhere else. */
#include "fixture.h"

#include <stdio.h>
#include <string.h>

#include "../../../src/api/qr_svg.h"

static void page(struct rig *r, struct reply *reply)
{
    rig_ask(r, "GET", "/enroll", RIG_ADMIN, NULL, reply);
    assert_int_equal(reply->status, 200);
    assert_true(reply_has(reply, "Content-Type: text/html; charset=utf-8"));
}

/* The picture is that of the very JSON that the wire names. */
static void test_enroll__page__has_the_code_and_not_the_token(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    struct hc_buf svg = { 0 };
    page(r, &reply);
    assert_int_equal(qr_svg("{\"server_url\":\"http://cluster.example\",\"enrollment_token\":\"fleet-token\"}",
                            "QR code for enrolling a device", &svg), HC_OK);
    assert_non_null(strstr(reply.body, svg.data));
    hc_buf_free(&svg);
    assert_null(strstr(reply.body, RIG_FLEET));
    assert_null(strstr(reply.head, RIG_FLEET));
    assert_non_null(strstr(reply.body, "enroll-1"));
    assert_non_null(strstr(reply.body, "http://cluster.example"));
    assert_int_equal(r->enrolment_asked, 2);          /* it waited while the token was made */
    reply_free(&reply);
}

/* Nothing is loaded, run, framed, sent or kept; the one style is the page's own. */
static void test_enroll__page__is_closed_to_everything(void **state)
{
    static const char *const headers[] = { "Cache-Control: no-store", "X-Content-Type-Options: nosniff", "X-Frame-Options: DENY",
                                           "Referrer-Policy: no-referrer",
                                           "Content-Security-Policy: default-src 'none'; style-src 'nonce-" };
    static const char *const never[] = { "<script", "src=", "href=", "url(", "@import", "<img", "<form", "onload", "style=\"" };
    struct rig *r = *state;
    struct reply reply, again;
    page(r, &reply);
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        if (!reply_has(&reply, headers[i]))
            fail_msg("no %s in %s", headers[i], reply.head);
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
        if (strstr(reply.body, never[i]) != NULL)
            fail_msg("%s", never[i]);
    char nonce[64] = "";
    const char *at = strstr(reply.body, "<style nonce=\"");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "<style nonce=\"%63[0-9a-f]\">", nonce), 1);
    assert_int_equal(strlen(nonce), 32);
    assert_true(reply_has(&reply, nonce));
    page(r, &again);
    assert_null(strstr(again.body, nonce));
    reply_free(&again);
    reply_free(&reply);
}

static void test_enroll__others__do_not_see_it(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    char id[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    rig_head(r, "h1", "north", id, token);
    rig_expect(r, "GET", "/enroll", NULL, NULL, 401, "unauthorized", "");
    rig_expect(r, "GET", "/enroll", "wrong", NULL, 401, "unauthorized", "");
    rig_expect(r, "GET", "/enroll", RIG_READ, NULL, 403, "forbidden", "");
    rig_expect(r, "GET", "/enroll", RIG_FLEET, NULL, 403, "forbidden", "");
    rig_expect(r, "GET", "/enroll", token, NULL, 403, "forbidden", "");
    rig_expect(r, "POST", "/enroll", RIG_ADMIN, "{}", 405, "method_not_allowed", "");
    rig_ask(r, "HEAD", "/enroll", RIG_ADMIN, NULL, &reply);
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    assert_int_equal(r->enrolment_asked, 0);          /* no token was made for any of them */
}

static void test_enroll__token_cannot_be_stored__503(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    r->enrolment_fails = true;
    rig_ask(r, "GET", "/enroll", RIG_ADMIN, NULL, &reply);
    assert_int_equal(reply.status, 503);
    assert_string_equal(reply_text(&reply, "error"), "store_unavailable");
    assert_true(reply_has(&reply, "Retry-After: "));
    reply_free(&reply);
}

/* What an installation calls itself is text, whatever it has in it. */
static void test_enroll__server_url_with_markup__stays_text(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    struct api_config odd = r->config;
    odd.server_url = "https://x/<b>&\"y";
    api_configure(r->api, &odd);
    page(r, &reply);
    assert_non_null(strstr(reply.body, "<code>https://x/&lt;b&gt;&amp;\"y</code>"));
    assert_null(strstr(reply.body, "<b>"));
    reply_free(&reply);
}

static void test_qr_svg__too_long_a_text__is_refused(void **state)
{
    (void)state;
    static char text[4000];
    struct hc_buf svg = { 0 };
    memset(text, 'x', sizeof text - 1);
    assert_int_equal(qr_svg(text, "code", &svg), HC_ERR_LIMIT);
    assert_int_equal(qr_svg("a", "code", &svg), HC_OK);
    assert_int_equal(strncmp(svg.data, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 29 29\"", 58), 0);
    /* The first row: a finder pattern is seven dark modules, at both ends of the 21. */
    assert_non_null(strstr(svg.data, "d=\"M4 4h7v1h-7z"));
    assert_non_null(strstr(svg.data, "M18 4h7v1h-7z"));
    hc_buf_free(&svg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_enroll__page__has_the_code_and_not_the_token),
        RIG_TEST(test_enroll__page__is_closed_to_everything),
        RIG_TEST(test_enroll__others__do_not_see_it),
        RIG_TEST(test_enroll__token_cannot_be_stored__503),
        RIG_TEST(test_enroll__server_url_with_markup__stays_text),
        cmocka_unit_test(test_qr_svg__too_long_a_text__is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
