#include "fixture.h"

#include <string.h>
#include <sys/socket.h>

#include "hydra/os/service.h"

#define ASK "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n"

static bool has_stream(void *arg)
{
    struct fixture *f = arg;
    return f->stream != NULL && f->pulls > 0;
}

static bool is_over(void *arg)
{
    struct fixture *f = arg;
    return f->stream_over;
}

/* Reads what is there until `text` has come. */
static void read_until(struct fixture *f, int fd, struct hc_buf *got, const char *text)
{
    for (int tries = 0; got->data == NULL || strstr(got->data, text) == NULL; tries++) {
        char piece[512];
        ssize_t len = recv(fd, piece, sizeof piece, 0);
        if (len > 0)
            hc_buf_add(got, piece, (size_t)len);
        else
            fixture_turn(f, 2);
        if (tries > 4000)
            fail_msg("\"%s\" does not come", text);
    }
}

static void test_stream__woken__sends_what_pull_gives_and_ends(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    int fd = client_open(&f);
    HC_CLEANUP(hc_buf_freep) struct hc_buf got = { 0 };
    client_say(&f, fd, ASK);
    fixture_until(&f, has_stream, &f);
    read_until(&f, fd, &got, "\r\nTransfer-Encoding: chunked\r\n");
    assert_non_null(strstr(got.data, "\r\nContent-Type: text/event-stream\r\n"));
    fixture_for(&f, 50);
    unsigned pulls = f.pulls;
    assert_in_range(pulls, 1, 2);                  /* with nothing to send it sleeps */
    f.feed = "data: one\n\n";
    http_stream_wake(f.stream);
    read_until(&f, fd, &got, "data: one\n\n");
    f.feed = "data: two\n\n";
    http_stream_wake(f.stream);
    read_until(&f, fd, &got, "data: two\n\n");
    http_stream_end(f.stream);
    read_until(&f, fd, &got, "0\r\n\r\n");
    fixture_until(&f, is_over, &f);
    client_expect(&f, fd, "GET /show HTTP/1.1\r\nHost: x\r\n\r\n", 200);
    client_close(&fd);
    fixture_close(&f);
}

static void test_stream__reader_stops__pull_is_not_asked_and_others_are_served(void **state)
{
    (void)state;
    static char block[65537];
    memset(block, 'e', sizeof block - 1);
    struct fixture f;
    struct http_config config = fixture_config();
    config.limits.idle_seconds = 3;
    fixture_open_with(&f, config);
    int fd = client_open(&f), other = client_open(&f);
    f.feed = block;
    f.feed_for_ever = true;
    long before_kib = os_resident_kib();
    client_say(&f, fd, ASK);
    unsigned pulls;
    int rounds = 0;
    do {                                           /* until the sockets' buffers are full */
        pulls = f.pulls;
        fixture_for(&f, 150);
    } while (f.pulls != pulls && ++rounds < 20);
    assert_true(pulls > 0 && f.pulls == pulls);
    assert_true(os_resident_kib() - before_kib < 16 * 1024);
    client_expect(&f, other, "GET /show HTTP/1.1\r\nHost: x\r\n\r\n", 200);
    fixture_until(&f, is_over, &f);                /* no byte moved for idle_seconds */
    client_close(&fd);
    client_close(&other);
    fixture_close(&f);
}

static void test_stream__reader_leaves_while_it_sleeps__done(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    int fd = client_open(&f);
    client_say(&f, fd, ASK);
    fixture_until(&f, has_stream, &f);
    fixture_for(&f, 20);
    client_close(&fd);
    fixture_until(&f, is_over, &f);
    assert_int_equal(f.done, 1);
    fixture_close(&f);
}

static void test_stream__silent_for_longer_than_idle__stays(void **state)
{
    (void)state;
    struct fixture f;
    struct http_config config = fixture_config();
    config.limits.idle_seconds = 1;
    fixture_open_with(&f, config);
    int fd = client_open(&f);
    HC_CLEANUP(hc_buf_freep) struct hc_buf got = { 0 };
    client_say(&f, fd, ASK);
    fixture_for(&f, 2500);
    assert_non_null(f.stream);
    f.feed = ": still here\n\n";
    http_stream_wake(f.stream);
    read_until(&f, fd, &got, ": still here\n\n");
    client_close(&fd);
    fixture_close(&f);
}

static void test_stream__server_stops__ended_and_freed(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    int fd = client_open(&f);
    HC_CLEANUP(hc_buf_freep) struct hc_buf got = { 0 };
    client_say(&f, fd, ASK);
    fixture_until(&f, has_stream, &f);
    http_quiesce(f.server);
    read_until(&f, fd, &got, "0\r\n\r\n");
    fixture_until(&f, is_over, &f);
    assert_int_equal(http_open_requests(f.server), 0);
    client_close(&fd);
    fixture_close(&f);
}

static void test_free__with_sleeping_and_stuck_streams__no_abort(void **state)
{
    (void)state;
    static char block[65537];
    memset(block, 'e', sizeof block - 1);
    struct fixture f;
    fixture_open(&f);
    int fd = client_open(&f), stuck = client_open(&f);
    client_say(&f, fd, ASK);
    fixture_until(&f, has_stream, &f);
    f.feed = block;
    f.feed_for_ever = true;
    client_say(&f, stuck, ASK);
    fixture_for(&f, 200);
    http_free(f.server);
    f.server = NULL;
    assert_int_equal(f.done, 2);
    client_close(&fd);
    client_close(&stuck);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stream__woken__sends_what_pull_gives_and_ends),
        cmocka_unit_test(test_stream__reader_stops__pull_is_not_asked_and_others_are_served),
        cmocka_unit_test(test_stream__reader_leaves_while_it_sleeps__done),
        cmocka_unit_test(test_stream__silent_for_longer_than_idle__stays),
        cmocka_unit_test(test_stream__server_stops__ended_and_freed),
        cmocka_unit_test(test_free__with_sleeping_and_stuck_streams__no_abort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
