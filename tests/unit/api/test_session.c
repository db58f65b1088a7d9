/* Requests with the operator page's cookie: they may what its token may, and change something only when the page itself asks. */
#include "fixture.h"

#include <stdio.h>
#include <string.h>

#define HEADERS_SIZE 1024
#define OWN     "Origin: http://localhost\r\n"
#define FOREIGN "Origin: http://evil.example\r\n"

static int ask(struct rig *r, const char *method, const char *path, const char *cookie, const char *more, const char *body,
               const char *error)
{
    char headers[HEADERS_SIZE];
    struct reply reply;
    (void)snprintf(headers, sizeof headers, "Content-Type: application/json\r\nCookie: theme=dark; admin_session=%s\r\n%s", cookie, more);
    rig_ask_raw(r, method, path, NULL, headers, body, body == NULL ? 0 : strlen(body), &reply);
    if (error != NULL)
        assert_string_equal(reply_text(&reply, "error"), error);
    int status = reply.status;
    reply_free(&reply);
    return status;
}

static void login(struct rig *r, const char *token, enum principal_kind kind, char cookie[AUTH_COOKIE_SIZE])
{
    struct principal who;
    assert_true(api_login(r->api, token, &who, cookie));
    assert_int_equal(who.kind, kind);
}

static void test_session__admin_cookie__reads_and_changes_from_the_page(void **state)
{
    struct rig *r = *state;
    char cookie[AUTH_COOKIE_SIZE], id[HC_ID_SIZE], token[RIG_TOKEN_SIZE], path[128];
    login(r, RIG_ADMIN, PRINCIPAL_ADMIN, cookie);
    rig_body(r, "b1", "north", id, token);
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s/slots", id);
    assert_int_equal(ask(r, "GET", "/api/v1/slots", cookie, "", NULL, NULL), 200);
    assert_int_equal(ask(r, "PUT", path, cookie, OWN, "{\"maintenance\":true}", NULL), 200);
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s/drain", id);
    assert_int_equal(ask(r, "DELETE", path, cookie, OWN, NULL, NULL), 204);
}

/* A change by a page elsewhere, or by something that hides where it comes from, is none of the operator's wishes. */
static void test_session__change_from_another_origin__refused(void **state)
{
    static const char *const elsewhere[] = { "", FOREIGN, "Origin: null\r\n", "Origin: http://localhost.evil.example\r\n" };
    static const char *const methods[] = { "PUT", "POST", "DELETE" };
    struct rig *r = *state;
    char cookie[AUTH_COOKIE_SIZE], id[HC_ID_SIZE], token[RIG_TOKEN_SIZE], path[3][128];
    login(r, RIG_ADMIN, PRINCIPAL_ADMIN, cookie);
    rig_body(r, "b1", "north", id, token);
    (void)snprintf(path[0], sizeof path[0], "/api/v1/nodes/%s/slots", id);
    (void)snprintf(path[1], sizeof path[1], "/api/v1/nodes/%s/drain", id);
    (void)snprintf(path[2], sizeof path[2], "/api/v1/nodes/%s", id);
    for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++)
        for (size_t m = 0; m < 3; m++)
            assert_int_equal(ask(r, methods[m], path[m], cookie, elsewhere[i], "{}", "other_origin"), 403);
    assert_int_equal(ask(r, "GET", "/api/v1/slots", cookie, FOREIGN, NULL, NULL), 200);      /* SameSite and no CORS: nobody can read it */
}

/* A proxy that changes Host: the page's address is then what server_url says. */
static void test_session__origin_of_server_url__is_the_page(void **state)
{
    struct rig *r = *state;
    char cookie[AUTH_COOKIE_SIZE];
    login(r, RIG_ADMIN, PRINCIPAL_ADMIN, cookie);
    static const char path[] = "/api/v1/safe-mode/end", body[] = "{\"district\":\"d1\"}";
    assert_int_equal(ask(r, "POST", path, cookie, "Origin: http://cluster.example\r\n", body, NULL), 204);
    assert_int_equal(ask(r, "POST", path, cookie, "Origin: http://cluster.example.evil\r\n", body, "other_origin"), 403);
}

static void test_session__read_cookie__looks_and_does_not_touch(void **state)
{
    struct rig *r = *state;
    char cookie[AUTH_COOKIE_SIZE];
    login(r, RIG_READ, PRINCIPAL_READ, cookie);
    assert_int_equal(ask(r, "GET", "/api/v1/slots", cookie, "", NULL, NULL), 200);
    assert_int_equal(ask(r, "GET", "/enroll", cookie, "", NULL, "forbidden"), 403);
    assert_int_equal(ask(r, "POST", "/api/v1/safe-mode/end", cookie, OWN, "{}", "forbidden"), 403);
}

static void test_session__tokens_of_others__open_none(void **state)
{
    struct rig *r = *state;
    char cookie[AUTH_COOKIE_SIZE] = "", id[HC_ID_SIZE], token[RIG_TOKEN_SIZE], longer[AUTH_TOKEN_MAX + 2];
    struct principal who;
    rig_head(r, "h1", "north", id, token);
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_false(api_login(r->api, token, &who, cookie));
    assert_false(api_login(r->api, RIG_FLEET, &who, cookie));
    assert_false(api_login(r->api, "wrong", &who, cookie));
    assert_false(api_login(r->api, "", &who, cookie));
    assert_false(api_login(r->api, longer, &who, cookie));
    assert_string_equal(cookie, "");
}

/* Revoking the token is what ends a lost device's session. */
static void test_session__token_revoked__ends_it(void **state)
{
    struct rig *r = *state;
    char cookie[AUTH_COOKIE_SIZE];
    login(r, RIG_ADMIN, PRINCIPAL_ADMIN, cookie);
    assert_int_equal(ask(r, "GET", "/api/v1/slots", cookie, "", NULL, NULL), 200);
    r->revoked = PRINCIPAL_ADMIN;
    assert_int_equal(ask(r, "GET", "/api/v1/slots", cookie, "", NULL, "unauthorized"), 401);
    assert_int_equal(ask(r, "POST", "/api/v1/safe-mode/end", cookie, OWN, "{}", "unauthorized"), 401);
}

static void test_session__month_over__ends_it(void **state)
{
    struct rig *r = *state;
    char cookie[AUTH_COOKIE_SIZE];
    login(r, RIG_READ, PRINCIPAL_READ, cookie);
    rig_pass(r, AUTH_SESSION_SECONDS * HC_SECOND_MS - HC_MINUTE_MS);
    assert_int_equal(ask(r, "GET", "/api/v1/queue", cookie, "", NULL, NULL), 200);
    rig_pass(r, 2 * HC_MINUTE_MS);
    assert_int_equal(ask(r, "GET", "/api/v1/queue", cookie, "", NULL, "unauthorized"), 401);
}

/* Who brings a token is judged by it, whatever cookie lies beside it; a made-up cookie is nobody's. */
static void test_session__authorization__goes_before_the_cookie(void **state)
{
    struct rig *r = *state;
    char cookie[AUTH_COOKIE_SIZE];
    login(r, RIG_ADMIN, PRINCIPAL_ADMIN, cookie);
    assert_int_equal(ask(r, "GET", "/api/v1/slots", cookie, "Authorization: Bearer wrong\r\n", NULL, "unauthorized"), 401);
    assert_int_equal(ask(r, "POST", "/api/v1/safe-mode/end", cookie, "Authorization: Bearer read-token\r\n" OWN, "{}", "forbidden"), 403);
    assert_int_equal(ask(r, "GET", "/api/v1/slots", "tok-admin.9999999999.00", "", NULL, "unauthorized"), 401);
    assert_int_equal(ask(r, "GET", "/api/v1/slots", RIG_ADMIN, "", NULL, "unauthorized"), 401);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_session__admin_cookie__reads_and_changes_from_the_page),
        RIG_TEST(test_session__change_from_another_origin__refused),
        RIG_TEST(test_session__origin_of_server_url__is_the_page),
        RIG_TEST(test_session__read_cookie__looks_and_does_not_touch),
        RIG_TEST(test_session__tokens_of_others__open_none),
        RIG_TEST(test_session__token_revoked__ends_it),
        RIG_TEST(test_session__month_over__ends_it),
        RIG_TEST(test_session__authorization__goes_before_the_cookie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
