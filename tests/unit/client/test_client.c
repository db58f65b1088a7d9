#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/client/client.h"
#include "raw_server.h"

static struct raw_server *server;
static struct client *client;

static struct client *client_to(const char *url, int64_t timeout_ms)
{
    struct client *opened = NULL;
    struct hc_diag diag;
    const struct client_options options = { .server_url = url, .timeout_ms = timeout_ms };
    assert_int_equal(client_open(&options, &opened, &diag), HC_OK);
    return opened;
}

static int set_up(void **state)
{
    (void)state;
    server = raw_server_start();
    client = client_to(raw_server_url(server), 10000);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    client = client_close(client);
    server = raw_server_stop(server);
    return 0;
}

static struct client_answer call(const char *method, const char *path, const char *token, const char *body)
{
    struct client_answer answer = { 0 };
    struct hc_diag diag = { .text = "" };
    enum hc_err err = client_call(client, method, path, token, body, &answer, &diag);
    if (err != HC_OK)
        fail_msg("%s %s: %s", method, path, diag.text);
    return answer;
}

static enum hc_err failing(const char *path, struct hc_diag *diag)
{
    struct client_answer answer = { .status = 77 };
    enum hc_err err = client_call(client, "GET", path, NULL, NULL, &answer, diag);
    assert_int_equal(answer.status, 77);            /* untouched on failure */
    return err;
}

static void test_client__get_with_token__request_and_answer(void **state)
{
    (void)state;
    struct client_answer answer = call("GET", "/echo", "secret-1", NULL);
    assert_int_equal(answer.status, 200);
    assert_non_null(strstr(answer.body.data, "GET /echo HTTP/1.1\r\n"));
    assert_non_null(strstr(answer.body.data, "\r\nAuthorization: Bearer secret-1\r\n"));
    assert_null(strstr(answer.body.data, "Content-Type"));
    assert_null(strstr(answer.body.data, "Expect"));
    assert_int_equal(answer.retry_after_seconds, -1);
    assert_true(answer.took_us > 0);
    client_answer_free(&answer);
    answer = call("GET", "/echo", NULL, NULL);
    assert_null(strstr(answer.body.data, "Authorization"));     /* the call before leaves nothing behind */
    client_answer_free(&answer);
}

static void test_client__each_method_with_body__sent_as_json(void **state)
{
    (void)state;
    static const char *const methods[] = { "POST", "PUT", "DELETE" };
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        struct client_answer answer = call(methods[i], "/echo", NULL, "{\"a\":1}");
        assert_memory_equal(answer.body.data, methods[i], strlen(methods[i]));
        assert_non_null(strstr(answer.body.data, "\r\nContent-Type: application/json\r\n"));
        assert_non_null(strstr(answer.body.data, "\r\nContent-Length: 7\r\n"));
        assert_string_equal(strstr(answer.body.data, "\r\n\r\n") + 4, "{\"a\":1}");
        client_answer_free(&answer);
    }
}

static void test_client__method_without_body__length_only_where_expected(void **state)
{
    (void)state;
    struct client_answer answer = call("POST", "/echo", NULL, NULL);
    assert_non_null(strstr(answer.body.data, "\r\nContent-Length: 0\r\n"));
    client_answer_free(&answer);
    answer = call("DELETE", "/echo", NULL, NULL);
    assert_null(strstr(answer.body.data, "Content-Length"));
    client_answer_free(&answer);
}

static void test_client__body_of_30_kib__arrives_whole(void **state)
{
    (void)state;
    char body[30001];
    memset(body, 'b', sizeof body - 1);
    body[sizeof body - 1] = '\0';
    struct client_answer answer = call("POST", "/echo", NULL, body);
    assert_string_equal(strstr(answer.body.data, "\r\n\r\n") + 4, body);
    client_answer_free(&answer);
}

static void test_client__calls_in_a_row__one_connection(void **state)
{
    (void)state;
    static const char *const expected[] = { "1.1", "1.2", "1.3" };
    for (size_t i = 0; i < 3; i++) {
        struct client_answer answer = call("GET", "/connection", NULL, NULL);
        assert_string_equal(answer.body.data, expected[i]);
        client_answer_free(&answer);
    }
    assert_int_equal(raw_server_connections(server), 1);
}

static void test_client__empty_answer__still_a_text(void **state)
{
    (void)state;
    struct client_answer answer = call("GET", "/nothing", NULL, NULL);
    assert_int_equal(answer.status, 204);
    assert_int_equal(answer.body.len, 0);
    assert_string_equal(answer.body.data, "");
    client_answer_free(&answer);
}

static void test_client__retry_after__seconds_or_none(void **state)
{
    (void)state;
    static const struct { const char *path; long status; int seconds; } cases[] = {
        { "/busy", 503, 7 }, { "/busy-now", 429, 0 }, { "/busy-long", 503, 86400 },
        { "/busy-until", 503, 86400 }, { "/busy-junk", 503, -1 }, { "/nothing", 204, -1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct client_answer answer = call("GET", cases[i].path, NULL, NULL);
        assert_int_equal(answer.status, cases[i].status);
        assert_int_equal(answer.retry_after_seconds, cases[i].seconds);
        client_answer_free(&answer);
    }
}

static void test_client__redirect__is_an_answer_not_followed(void **state)
{
    (void)state;
    struct client_answer answer = call("GET", "/moved", "secret-1", NULL);
    assert_int_equal(answer.status, 302);
    assert_string_equal(answer.body.data, "elsewhere");
    client_answer_free(&answer);
}

static void test_client__answer_at_and_over_the_limit__taken_and_refused(void **state)
{
    (void)state;
    struct hc_diag diag;
    struct client_answer answer = call("GET", "/largest", NULL, NULL);
    assert_int_equal(answer.body.len, CLIENT_ANSWER_MAX);
    client_answer_free(&answer);
    assert_int_equal(failing("/large", &diag), HC_ERR_LIMIT);
    assert_int_equal(failing("/endless-head", &diag), HC_ERR_LIMIT);
    assert_non_null(strstr(diag.text, "/endless-head: the answer is larger"));
}

static void test_client__no_answer_or_half_of_one__net_error_with_url(void **state)
{
    (void)state;
    struct hc_diag diag;
    assert_int_equal(failing("/hang-up", &diag), HC_ERR_NET);
    assert_non_null(strstr(diag.text, raw_server_url(server)));
    assert_int_equal(failing("/cut", &diag), HC_ERR_NET);
    struct client_answer answer = call("GET", "/connection", NULL, NULL);      /* and the client goes on */
    assert_int_equal(answer.status, 200);
    client_answer_free(&answer);
}

static void test_client__silent_server__timeout(void **state)
{
    (void)state;
    struct hc_diag diag;
    client = client_close(client);
    client = client_to(raw_server_url(server), 50);
    assert_int_equal(failing("/silent", &diag), HC_ERR_TIMEOUT);
}

static void test_client__nobody_listens__net_error(void **state)
{
    (void)state;
    struct hc_diag diag;
    server = raw_server_stop(server);
    assert_int_equal(failing("/echo", &diag), HC_ERR_NET);
    server = raw_server_start();
}

static void test_client__proxy_in_environment__not_used(void **state)
{
    (void)state;
    assert_int_equal(setenv("http_proxy", "http://127.0.0.1:1", 1), 0);
    struct client_answer answer = call("GET", "/echo", NULL, NULL);
    assert_int_equal(answer.status, 200);
    client_answer_free(&answer);
    assert_int_equal(unsetenv("http_proxy"), 0);
}

static void test_client__token_or_path_that_would_split_the_request__refused(void **state)
{
    (void)state;
    struct client_answer answer;
    struct hc_diag diag;
    static const char *const tokens[] = { "", "a b", "a\r\nX-Evil: 1", "caf\xc3\xa9" };
    for (size_t i = 0; i < sizeof tokens / sizeof tokens[0]; i++)
        assert_int_equal(client_call(client, "GET", "/echo", tokens[i], NULL, &answer, &diag), HC_ERR_SYNTAX);
    assert_int_equal(client_call(client, "GET", "/ec ho", NULL, NULL, &answer, &diag), HC_ERR_SYNTAX);
    assert_int_equal(client_call(client, "GET", "/echo\r\nX-Evil: 1", NULL, NULL, &answer, &diag), HC_ERR_SYNTAX);
    assert_int_equal(raw_server_connections(server), 0);
}

static void test_client__server_url__checked_when_opened(void **state)
{
    (void)state;
    static const char *const bad[] = { "", "127.0.0.1:8080", "ftp://host", "http://", "http:///", "http://user@host", "http://h?x=1",
                                       "http://h /" };
    struct client *opened = NULL;
    struct hc_diag diag;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const struct client_options options = { .server_url = bad[i], .timeout_ms = 1000 };
        assert_int_equal(client_open(&options, &opened, &diag), HC_ERR_CONFIG);
        assert_null(opened);
    }
    char with_slash[64];
    (void)snprintf(with_slash, sizeof with_slash, "%s//", raw_server_url(server));
    client = client_close(client);
    client = client_to(with_slash, 10000);
    struct client_answer answer = call("GET", "/echo", NULL, NULL);
    assert_non_null(strstr(answer.body.data, "GET /echo HTTP/1.1\r\n"));
    client_answer_free(&answer);
}

static void test_client__missing_ca_file__config_error_that_names_it(void **state)
{
    (void)state;
    client = client_close(client);
    char url[64];
    (void)snprintf(url, sizeof url, "https%s", raw_server_url(server) + strlen("http"));
    const struct client_options options = { .server_url = url, .ca_file = "/nonexistent/ca.pem", .timeout_ms = 1000 };
    struct hc_diag diag;
    assert_int_equal(client_open(&options, &client, &diag), HC_OK);
    assert_int_equal(failing("/echo", &diag), HC_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "/nonexistent/ca.pem"));
}

static void test_client__each_allocation_fails__no_memory_and_no_leak(void **state)
{
    (void)state;
    client = client_close(client);
    const struct client_options options = { .server_url = raw_server_url(server), .timeout_ms = 10000 };
    unsigned n = 1;
    for (enum hc_err err = HC_ERR_NOMEM; err != HC_OK; n++) {
        assert_true(n < 100);
        struct client *opened = NULL;
        struct client_answer answer = { 0 };
        hc_alloc_fail_after(n);
        err = client_open(&options, &opened, NULL);
        if (err == HC_OK)
            err = client_call(opened, "POST", "/echo", "secret-1", "{}", &answer, NULL);
        hc_alloc_fail_after(0);
        if (err != HC_OK)
            assert_int_equal(err, HC_ERR_NOMEM);
        client_answer_free(&answer);
        (void)client_close(opened);
    }
    assert_true(n > 4);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_client__get_with_token__request_and_answer),
        TEST(test_client__each_method_with_body__sent_as_json),
        TEST(test_client__method_without_body__length_only_where_expected),
        TEST(test_client__body_of_30_kib__arrives_whole),
        TEST(test_client__calls_in_a_row__one_connection),
        TEST(test_client__empty_answer__still_a_text),
        TEST(test_client__retry_after__seconds_or_none),
        TEST(test_client__redirect__is_an_answer_not_followed),
        TEST(test_client__answer_at_and_over_the_limit__taken_and_refused),
        TEST(test_client__no_answer_or_half_of_one__net_error_with_url),
        TEST(test_client__silent_server__timeout),
        TEST(test_client__nobody_listens__net_error),
        TEST(test_client__proxy_in_environment__not_used),
        TEST(test_client__token_or_path_that_would_split_the_request__refused),
        TEST(test_client__server_url__checked_when_opened),
        TEST(test_client__missing_ca_file__config_error_that_names_it),
        TEST(test_client__each_allocation_fails__no_memory_and_no_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
