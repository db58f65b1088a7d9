#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/client/client.h"
#include "raw_server.h"

#define TURN_MS   200
#define TURNS_MAX 100

static struct raw_server *server;
static struct client_stream *stream;
static struct hc_buf got;

static int set_up(void **state)
{
    (void)state;
    server = raw_server_start();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    stream = client_stream_close(stream);
    hc_buf_free(&got);
    server = raw_server_stop(server);
    return 0;
}

static enum hc_err try_open(const char *url, const struct client_stream_spec *spec, struct hc_diag *diag)
{
    const struct client_options options = { .server_url = url, .timeout_ms = 10000 };
    return client_stream_open(&options, spec, &stream, diag);
}

static void open_stream(const char *path, const char *token, const char *last_event_id, int64_t quiet_ms)
{
    const struct client_stream_spec spec = { .path = path, .token = token, .last_event_id = last_event_id, .quiet_ms = quiet_ms };
    struct hc_diag diag = { "" };
    if (try_open(raw_server_url(server), &spec, &diag) != HC_OK)
        fail_msg("%s", diag.text);
}

/* Turns until `text` has come or the stream is over; how it ended. */
static enum hc_err turn_until(const char *text, struct hc_diag *diag)
{
    enum hc_err err = HC_OK;
    for (int i = 0; i < TURNS_MAX && err == HC_OK; i++) {
        if (text != NULL && got.len > 0 && strstr(got.data, text) != NULL)
            return HC_OK;
        err = client_stream_turn(stream, TURN_MS, &got, diag);
    }
    return err;
}

static void test_stream__first_piece__handed_out_while_it_goes_on(void **state)
{
    (void)state;
    struct hc_diag diag = { "" };
    open_stream("/goes-on", NULL, NULL, 60000);
    assert_int_equal(client_stream_status(stream), 0);
    assert_int_equal(turn_until("one", &diag), HC_OK);
    assert_string_equal(got.data, "one");
    assert_int_equal(client_stream_status(stream), 200);
    assert_int_equal(client_stream_turn(stream, 0, &got, &diag), HC_OK);     /* nothing more, and not over */
    assert_string_equal(got.data, "one");
}

static void test_stream__token_and_last_id__are_sent(void **state)
{
    (void)state;
    struct hc_diag diag = { "" };
    open_stream("/echo", "secret-1", "18-4", 60000);
    assert_int_not_equal(turn_until(NULL, &diag), HC_OK);
    assert_non_null(strstr(got.data, "\r\nAuthorization: Bearer secret-1\r\n"));
    assert_non_null(strstr(got.data, "\r\nLast-Event-ID: 18-4\r\n"));
}

static void test_stream__last_id_that_would_split_the_header__is_not_sent(void **state)
{
    (void)state;
    struct hc_diag diag = { "" };
    open_stream("/echo", NULL, "1\r\nX-Evil: yes", 60000);
    assert_int_not_equal(turn_until(NULL, &diag), HC_OK);
    assert_null(strstr(got.data, "Last-Event-ID"));
    assert_null(strstr(got.data, "X-Evil"));
}

static void test_stream__server_ends_it__what_came_first_then_net(void **state)
{
    (void)state;
    struct hc_diag diag = { "" };
    open_stream("/cut", NULL, NULL, 60000);
    assert_int_equal(turn_until(NULL, &diag), HC_ERR_NET);
    assert_string_equal(got.data, "four");
    assert_true(diag.text[0] != '\0');
    assert_int_equal(client_stream_turn(stream, 0, &got, &diag), HC_ERR_NET);       /* and stays over */
}

static void test_stream__silent_peer__timeout(void **state)
{
    (void)state;
    struct hc_diag diag = { "" };
    open_stream("/silent", NULL, NULL, 1000);
    assert_int_equal(turn_until(NULL, &diag), HC_ERR_TIMEOUT);
}

static void test_stream__nobody_listens__net(void **state)
{
    (void)state;
    struct hc_diag diag = { "" };
    const struct client_stream_spec spec = { .path = "/", .quiet_ms = 60000 };
    assert_int_equal(try_open("http://127.0.0.1:1", &spec, &diag), HC_OK);
    assert_int_equal(turn_until(NULL, &diag), HC_ERR_NET);
    assert_int_equal(client_stream_status(stream), 0);
}

static void test_stream__bad_path_or_token__refused_at_once(void **state)
{
    (void)state;
    struct hc_diag diag = { "" };
    const struct client_stream_spec path = { .path = "/a b", .quiet_ms = 1000 };
    const struct client_stream_spec token = { .path = "/a", .token = "x\ny", .quiet_ms = 1000 };
    assert_int_equal(try_open(raw_server_url(server), &path, &diag), HC_ERR_SYNTAX);
    assert_int_equal(try_open(raw_server_url(server), &token, &diag), HC_ERR_SYNTAX);
    assert_null(client_stream_close(NULL));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_stream__first_piece__handed_out_while_it_goes_on),
        TEST(test_stream__token_and_last_id__are_sent),
        TEST(test_stream__last_id_that_would_split_the_header__is_not_sent),
        TEST(test_stream__server_ends_it__what_came_first_then_net),
        TEST(test_stream__silent_peer__timeout),
        TEST(test_stream__nobody_listens__net),
        TEST(test_stream__bad_path_or_token__refused_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
