/* test_page.c - the operator page's door: login, cookie, slowed guessing, files; what stands in the page is for `make browser`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "raw.h"
#include "scene.h"

#define ASK_MS       20000
#define COOKIE_SIZE  512
#define REQUEST_SIZE 4096
#define WRONG_FREE   10u

/* The status of one request with these headers ("Name: value\r\n" each) and this body ("" none). */
static long ask(const char *method, const char *path, const char *headers, const char *body, char answer[RAW_TEXT_SIZE])
{
    char request[REQUEST_SIZE];
    int len = snprintf(request, sizeof request,
                       "%s %s HTTP/1.1\r\nHost: page.example\r\nConnection: close\r\nContent-Length: %zu\r\n%s\r\n%s", method, path,
                       strlen(body), headers, body);
    assert_true(len > 0 && (size_t)len < sizeof request);
    return raw_ask(scene.daemon.url, request, answer, ASK_MS);
}

static long post_login(const char *headers, const char *token, char answer[RAW_TEXT_SIZE])
{
    char body[HOME_TOKEN_SIZE + 64], all[REQUEST_SIZE];
    (void)snprintf(body, sizeof body, "token=%s&next=%%2F", token);
    (void)snprintf(all, sizeof all, "Content-Type: application/x-www-form-urlencoded\r\n%s", headers);
    return ask("POST", "/login", all, body, answer);
}

static bool has(const char *answer, const char *text)
{
    return strstr(answer, text) != NULL;
}

/* Logs in; `ret_cookie` is a Cookie header. */
static void log_in(const char *token, char ret_cookie[COOKIE_SIZE])
{
    char answer[RAW_TEXT_SIZE];
    assert_int_equal(post_login("Origin: http://page.example\r\n", token, answer), 303);
    const char *set = strstr(answer, "Set-Cookie: ");
    assert_non_null(set);
    set += strlen("Set-Cookie: ");
    (void)snprintf(ret_cookie, COOKIE_SIZE, "Cookie: %.*s\r\n", (int)strcspn(set, ";"), set);
}

static void test_page__without_a_session__leads_to_the_login(void **state)
{
    (void)state;
    char answer[RAW_TEXT_SIZE];
    assert_int_equal(ask("GET", "/", "", "", answer), 303);
    assert_true(has(answer, "Location: /login?next=/"));
    assert_int_equal(ask("GET", "/login?next=/enroll", "", "", answer), 200);
    assert_true(has(answer, "name=\"token\"") && has(answer, "name=\"next\" value=\"/enroll\""));
    assert_int_equal(ask("GET", "/login?next=//evil.example", "", "", answer), 200);
    assert_true(has(answer, "name=\"next\" value=\"/\""));
}

static void test_page__login__cookie_is_no_token_and_opens_the_page(void **state)
{
    (void)state;
    char answer[RAW_TEXT_SIZE], cookie[COOKIE_SIZE];
    assert_int_equal(post_login("", scene.home.admin_token, answer), 303);
    assert_true(has(answer, "Location: /\r\n") && has(answer, "; HttpOnly") && has(answer, "; SameSite=Lax") && has(answer, "; Path=/"));
    assert_false(has(answer, "; Secure"));
    assert_false(has(answer, scene.home.admin_token));
    assert_int_equal(post_login("X-Forwarded-Proto: https\r\n", scene.home.admin_token, answer), 303);
    assert_true(has(answer, "; Secure"));
    log_in(scene.home.admin_token, cookie);
    assert_int_equal(ask("GET", "/", cookie, "", answer), 200);
    assert_true(has(answer, "name=\"hydra-role\" content=\"admin\""));
    assert_int_equal(ask("GET", "/api/v1/slots", cookie, "", answer), 200);
    assert_false(scene_log_has(scene.home.admin_token));
    assert_int_equal(ask("POST", "/logout", cookie, "", answer), 303);
    assert_true(has(answer, "Set-Cookie: admin_session=gone; Path=/; Max-Age=0"));
}

/* A restart of the daemon logs nobody out; a wall screen goes on. */
static void test_page__daemon_restarted__session_goes_on(void **state)
{
    (void)state;
    char answer[RAW_TEXT_SIZE], cookie[COOKIE_SIZE];
    log_in(scene.home.admin_token, cookie);
    scene_restart_killed(NULL);
    assert_int_equal(ask("GET", "/api/v1/slots", cookie, "", answer), 200);
}

/* Nothing but this server's own files is loaded, and nothing that stands in the page is run. */
static void test_page__policy__strict_on_pages_and_files(void **state)
{
    (void)state;
    static const char *const headers[] = { "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self';",
                                           "form-action 'self'; base-uri 'none'; frame-ancestors 'none'", "X-Content-Type-Options: nosniff",
                                           "X-Frame-Options: DENY" };
    static const char *const never[] = { "<style", " style=", " onclick=", "http://", "https://", "<script>" };
    char answer[RAW_TEXT_SIZE], cookie[COOKIE_SIZE];
    log_in(scene.home.admin_token, cookie);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ask("GET", i == 0 ? "/login" : i == 1 ? "/" : "/page/login.css", cookie, "", answer), 200);
        for (size_t h = 0; h < sizeof headers / sizeof headers[0]; h++)
            if (!has(answer, headers[h]))
                fail_msg("%s: %s", headers[h], answer);
        for (size_t n = 0; n < sizeof never / sizeof never[0]; n++)
            if (has(answer, never[n]))
                fail_msg("%s: %s", never[n], answer);
    }
}

static void test_page__files__etag_answers_304(void **state)
{
    (void)state;
    char answer[RAW_TEXT_SIZE], etag[128], header[192];
    assert_int_equal(ask("GET", "/page/login.css", "", "", answer), 200);
    assert_true(has(answer, "Content-Type: text/css; charset=utf-8") && has(answer, "Cache-Control: no-cache"));
    const char *at = strstr(answer, "ETag: ");
    assert_non_null(at);
    (void)snprintf(etag, sizeof etag, "%.*s", (int)strcspn(at + 6, "\r"), at + 6);
    (void)snprintf(header, sizeof header, "If-None-Match: %s\r\n", etag);
    assert_int_equal(ask("GET", "/page/login.css", header, "", answer), 304);
    assert_int_equal(ask("GET", "/page/login.css", "If-None-Match: \"other\"\r\n", "", answer), 200);
    assert_int_equal(ask("GET", "/page/login.html", "", "", answer), 404);
    assert_int_equal(ask("GET", "/page/none.js", "", "", answer), 404);
    assert_int_equal(ask("GET", "/page/../login.css", "", "", answer), 404);
}

static void test_page__other_methods__405_with_allow(void **state)
{
    (void)state;
    static const struct { const char *method, *path, *allow; } rows[] = {
        { "POST", "/", "Allow: GET, HEAD\r\n" }, { "DELETE", "/login", "Allow: GET, HEAD, POST\r\n" },
        { "GET", "/logout", "Allow: POST\r\n" }, { "PUT", "/page/main.js", "Allow: GET, HEAD\r\n" },
    };
    char answer[RAW_TEXT_SIZE];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(ask(rows[i].method, rows[i].path, "", "", answer), 405);
        assert_true(has(answer, rows[i].allow) && has(answer, "\"method_not_allowed\""));
    }
    assert_int_equal(ask("HEAD", "/login", "", "", answer), 200);
}

static void test_page__bad_logins__told_in_the_page(void **state)
{
    (void)state;
    char answer[RAW_TEXT_SIZE], body[4200];
    assert_int_equal(post_login("", "wrong", answer), 401);
    assert_true(has(answer, "This is not the token of an operator."));
    assert_int_equal(post_login("", scene.home.fleet_token, answer), 401);
    assert_int_equal(post_login("", "%zz", answer), 401);
    assert_int_equal(ask("POST", "/login", "", "", answer), 401);
    assert_int_equal(post_login("Origin: http://evil.example\r\n", scene.home.admin_token, answer), 403);
    assert_false(has(answer, "Set-Cookie"));
    memset(body, 'x', sizeof body - 1);
    body[sizeof body - 1] = '\0';
    char request[sizeof body + 256];
    (void)snprintf(request, sizeof request, "POST /login HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n%s",
                   strlen(body), body);
    assert_int_equal(raw_ask(scene.daemon.url, request, answer, ASK_MS), 413);
}

/* The right token waits too: a guesser must not learn by it. Others are served meanwhile. */
static void test_page__ten_wrong_tokens__slowed_told_others_not(void **state)
{
    (void)state;
    static const char mine[] = "X-Forwarded-For: 10.0.0.1\r\n", another[] = "X-Forwarded-For: 10.0.0.2\r\n";
    char answer[RAW_TEXT_SIZE], config[HOME_PATH_SIZE];
    home_write(&scene.home, "config.yaml", "trusted_proxies: [127.0.0.1]\n");
    home_path(&scene.home, "config.yaml", config);
    const char *const args[] = { "--config", config, NULL };
    const struct daemon_options options = { .args = args };
    scene_start(&options);
    for (unsigned i = 1; i < WRONG_FREE; i++)
        assert_int_equal(post_login(mine, "wrong", answer), 401);
    assert_int_equal(post_login(mine, "wrong", answer), 429);
    assert_true(has(answer, "Retry-After: ") && has(answer, "Too many wrong tokens came from this address. Wait "));
    assert_int_equal(post_login(mine, scene.home.admin_token, answer), 429);
    assert_int_equal(post_login(another, scene.home.admin_token, answer), 303);
}

static bool is_logged_out(void *cookie)
{
    char answer[RAW_TEXT_SIZE];
    return ask("GET", "/api/v1/slots", cookie, "", answer) == 401;
}

static void test_page__token_revoked__session_ends(void **state)
{
    (void)state;
    char cookie[COOKIE_SIZE], answer[RAW_TEXT_SIZE];
    log_in(scene.home.admin_token, cookie);
    assert_int_equal(ask("GET", "/api/v1/slots", cookie, "", answer), 200);
    char id[128], program[HOME_PATH_SIZE];
    const char *at = strstr(cookie, "admin_session=");
    assert_non_null(at);
    at += strlen("admin_session=");
    (void)snprintf(id, sizeof id, "%.*s", (int)strcspn(at, "."), at);
    program_path("HYDRACLUSTERD", "hydraclusterd", program, sizeof program);
    const char *const argv[] = { program, "token", "revoke", id, "--data-dir", scene.home.data, NULL };
    struct process process;
    process_start(&process, argv, NULL, scene.home.log);
    assert_int_equal(process_wait(&process, ASK_MS), 0);
    assert_true(wait_until(is_logged_out, cookie, SCENE_WAIT_MS));
    assert_int_equal(ask("GET", "/", cookie, "", answer), 303);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCENE_TEST_STARTED(test_page__without_a_session__leads_to_the_login),
        SCENE_TEST_STARTED(test_page__login__cookie_is_no_token_and_opens_the_page),
        SCENE_TEST_STARTED(test_page__daemon_restarted__session_goes_on),
        SCENE_TEST_STARTED(test_page__policy__strict_on_pages_and_files),
        SCENE_TEST_STARTED(test_page__files__etag_answers_304),
        SCENE_TEST_STARTED(test_page__other_methods__405_with_allow),
        SCENE_TEST_STARTED(test_page__bad_logins__told_in_the_page),
        SCENE_TEST(test_page__ten_wrong_tokens__slowed_told_others_not),
        SCENE_TEST_STARTED(test_page__token_revoked__session_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
