#include "fixture.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define GET(target) "GET " target " HTTP/1.1\r\nHost: x\r\n\r\n"

static void test_request__echo_twice_on_one_connection__kept_open(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    int fd = client_open(&f);
    for (int i = 0; i < 2; i++) {
        struct reply reply;
        client_ask(&f, fd, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\n\r\n{\"a\":1}", 200, &reply);
        assert_string_equal(reply.body.data, "{\"a\":1}");
        assert_true(reply_has(&reply, "\r\nContent-Type: application/json\r\n"));
        assert_true(reply_has(&reply, "\r\nX-Request-Id: "));
        assert_false(reply.closed);
        reply_free(&reply);
    }
    assert_int_equal(f.ready, 2);
    client_close(&fd);
    fixture_close(&f);
}

static void test_request__two_pipelined__answered_in_order(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    int fd = client_open(&f);
    client_say(&f, fd, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\none"
                       "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ntwo\r\n0\r\n\r\n");
    struct reply one, two;
    client_read(&f, fd, true, &one);
    client_read(&f, fd, true, &two);
    assert_string_equal(one.body.data, "one");
    assert_string_equal(two.body.data, "two");
    reply_free(&one);
    reply_free(&two);
    client_close(&fd);
    fixture_close(&f);
}

static void test_request__pipelined_behind_a_parked_one__waits_for_it(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    int fd = client_open(&f);
    client_say(&f, fd, GET("/park?ms=5000") GET("/show"));
    fixture_until_parked(&f, 1);
    fixture_for(&f, 30);
    assert_int_equal(f.begun, 1);
    http_answer(f.parked[0], 200, NULL, "{}", 2);
    struct reply one, two;
    client_read(&f, fd, true, &one);
    client_read(&f, fd, true, &two);
    assert_string_equal(one.body.data, "{}");
    assert_non_null(strstr(two.body.data, "path=/show"));
    reply_free(&one);
    reply_free(&two);
    client_close(&fd);
    fixture_close(&f);
}

static void test_request__what_it_says__reaches_the_owner(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    int fd = client_open(&f);
    struct reply reply;
    client_ask(&f, fd, "GET /show/?a=%41&b HTTP/1.1\r\nHost: x\r\nX-TEST: yes\r\nX-Request-Id: my.id-1\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n",
               200, &reply);
    assert_string_equal(reply.body.data, "method=0 path=/show peer=127.0.0.1 loopback=1 id=my.id-1 body=0 [a=A] [b=]");
    assert_true(reply_has(&reply, "\r\nX-Request-Id: my.id-1\r\n"));
    assert_true(reply_has(&reply, "\r\nX-Test: yes\r\n"));
    reply_free(&reply);
    client_ask(&f, fd, "BREW /show HTTP/1.1\r\nHost: x\r\nX-Request-Id: not an id\r\n\r\n", 200, &reply);
    assert_null(strstr(reply.body.data, "not an id"));
    assert_non_null(strstr(reply.body.data, "method=5 "));
    reply_free(&reply);
    client_close(&fd);
    fixture_close(&f);
}

static void test_request__forwarded_by_a_trusted_proxy__peer_is_whom_it_names(void **state)
{
    (void)state;
    struct fixture f;
    struct http_config config = fixture_config();
    static const char *const proxies[] = { "127.0.0.1" };
    config.trusted_proxies = proxies;
    config.trusted_proxy_count = 1;
    fixture_open_with(&f, config);
    int fd = client_open(&f);
    struct reply reply;
    client_ask(&f, fd, "GET /show HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 9.9.9.9, 192.0.2.7\r\n\r\n", 200, &reply);
    assert_non_null(strstr(reply.body.data, "peer=192.0.2.7 loopback=1"));
    reply_free(&reply);
    client_close(&fd);
    fixture_close(&f);
}

static void test_request__head__headers_of_get_without_body(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    int fd = client_open(&f);
    struct reply reply;
    client_say(&f, fd, "HEAD /big?bytes=1000 HTTP/1.1\r\nHost: x\r\n\r\n");
    client_read(&f, fd, false, &reply);
    assert_int_equal(reply.status, 200);
    assert_true(reply_has(&reply, "\r\nContent-Length: 1000\r\n"));
    reply_free(&reply);
    client_expect(&f, fd, GET("/show"), 200);     /* no body byte was in between */
    client_say(&f, fd, "HEAD /stream HTTP/1.1\r\nHost: x\r\n\r\n");
    client_read(&f, fd, false, &reply);
    assert_int_equal(reply.status, 200);
    assert_int_equal(f.pulls, 0);
    reply_free(&reply);
    client_close(&fd);
    fixture_close(&f);
}

static void test_request__doubtful_frame_or_target__refused_and_closed(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\ncontent-length: 4\r\n\r\nabcd",
        "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length : 3\r\n\r\nabc",
        "POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        GET("/show%00"), GET("/a%2Fshow"), GET("/a%2fshow"), GET("/show%"), GET("/show%4"), GET("/show?x=%zz"), GET("show"),
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct fixture f;
        fixture_open(&f);
        int fd = client_open(&f);
        struct reply reply;
        client_ask(&f, fd, bad[i], 400, &reply);
        assert_non_null(strstr(reply.body.data, "{\"error\":\"bad_request\",\"code\":400,\"detail\":\""));
        assert_true(reply.closed);
        assert_true(reply_has(&reply, "\r\nX-Request-Id: "));
        reply_free(&reply);
        client_until_closed(&f, fd);
        assert_int_equal(f.begun, 0);
        client_close(&fd);
        fixture_close(&f);
    }
}

static void test_request__nul_in_the_target__refused(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    int fd = client_open(&f);
    static const char text[] = "GET /show\0/../x HTTP/1.1\r\nHost: x\r\n\r\n";
    client_send(&f, fd, text, sizeof text - 1);
    struct reply reply;
    client_read(&f, fd, true, &reply);
    assert_int_equal(reply.status, 400);
    assert_true(reply.closed);
    assert_int_equal(f.begun, 0);
    reply_free(&reply);
    client_close(&fd);
    fixture_close(&f);
}

static void test_request__answered_in_begin__body_dropped_and_connection_kept(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    int fd = client_open(&f);
    client_expect(&f, fd, GET("/early?status=401"), 401);
    client_expect(&f, fd, "POST /early?status=403 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello", 403);
    client_expect(&f, fd, "POST /early?status=404 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", 404);
    client_expect(&f, fd, GET("/nowhere"), 404);
    assert_int_equal(f.ready, 0);
    assert_int_equal(f.done, 4);
    client_expect(&f, fd, GET("/show"), 200);
    client_close(&fd);
    fixture_close(&f);
}

static void test_request__answered_in_begin_while_the_peer_waits_for_100__told_at_once_and_closed(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    int fd = client_open(&f);
    struct reply reply;
    client_ask(&f, fd, "POST /early?status=401 HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\nExpect: 100-continue\r\n\r\n", 401, &reply);
    assert_true(reply.closed);
    reply_free(&reply);
    client_until_closed(&f, fd);
    client_close(&fd);
    fd = client_open(&f);
    client_ask(&f, fd, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 262145\r\nExpect: 100-continue\r\n\r\n", 413, &reply);
    assert_non_null(strstr(reply.body.data, "\"error\":\"body_too_large\",\"code\":413"));
    reply_free(&reply);
    client_close(&fd);
    fixture_close(&f);
}

static void test_request__expects_100__gets_it_when_wanted(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    int fd = client_open(&f);
    struct reply reply;
    client_say(&f, fd, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
    client_read(&f, fd, false, &reply);
    assert_int_equal(reply.status, 100);
    reply_free(&reply);
    client_expect(&f, fd, "ok", 200);
    client_close(&fd);
    fixture_close(&f);
}

static void say_bytes(struct fixture *f, int fd, size_t len)
{
    static char piece[65536];
    memset(piece, 'p', sizeof piece);
    for (; len > 0; len -= len < sizeof piece ? len : sizeof piece)
        client_send(f, fd, piece, len < sizeof piece ? len : sizeof piece);
}

static void test_request__body_at_and_over_the_limit__413_is_read_and_connection_kept(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    int fd = client_open(&f);
    struct reply reply;
    client_say(&f, fd, "POST /limit?bytes=10000 HTTP/1.1\r\nHost: x\r\nContent-Length: 10000\r\n\r\n");
    say_bytes(&f, fd, 10000);
    client_read(&f, fd, true, &reply);
    assert_int_equal(reply.status, 200);
    assert_int_equal(reply.body.len, 10000);
    reply_free(&reply);
    client_say(&f, fd, "POST /limit?bytes=10000 HTTP/1.1\r\nHost: x\r\nContent-Length: 10001\r\n\r\n");
    say_bytes(&f, fd, 10001);
    client_read(&f, fd, true, &reply);
    assert_int_equal(reply.status, 413);
    reply_free(&reply);
    client_say(&f, fd, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n");
    say_bytes(&f, fd, 300000);
    client_read(&f, fd, true, &reply);
    assert_int_equal(reply.status, 413);
    reply_free(&reply);
    assert_int_equal(f.ready, 1);
    client_expect(&f, fd, GET("/show"), 200);
    client_close(&fd);
    fixture_close(&f);
}

static void test_request__chunked_body_grows_over_the_limit__413(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    int fd = client_open(&f);
    struct reply reply;
    client_say(&f, fd, "POST /limit?bytes=20000 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 11; i++) {
        client_say(&f, fd, "7d0\r\n");
        say_bytes(&f, fd, 2000);
        client_say(&f, fd, "\r\n");
    }
    client_say(&f, fd, "0\r\n\r\n");
    client_read(&f, fd, true, &reply);
    assert_int_equal(reply.status, 413);
    assert_int_equal(f.ready, 0);
    reply_free(&reply);
    client_expect(&f, fd, GET("/show"), 200);
    client_close(&fd);
    fixture_close(&f);
}

static void test_request__chunked_body_without_end__cut_off(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    int fd = client_open(&f);
    client_say(&f, fd, "POST /early?status=401 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n");
    say_bytes(&f, fd, 9 * 1024 * 1024);
    client_until_closed(&f, fd);
    assert_int_equal(f.done, 1);
    client_close(&fd);
    fixture_close(&f);
}

static void test_request__bodies_of_all_together_over_the_bound__503_busy(void **state)
{
    (void)state;
    struct fixture f;
    struct http_config config = fixture_config();
    config.limits.header_bytes = 1024 * 1024;     /* the library reads in larger pieces: this test moves 64 MiB */
    fixture_open_with(&f, config);
    struct reply reply;
    int greedy = client_open(&f), fd = client_open(&f);
    client_expect(&f, fd, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi", 200);
    /* One byte below the bound, so that its memory with the closing NUL is all there is. */
    client_say(&f, greedy, "POST /limit?bytes=67108863 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3ffffff\r\n");
    say_bytes(&f, greedy, 67000000);
    fixture_for(&f, 50);
    client_ask(&f, fd, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi", 503, &reply);
    assert_non_null(strstr(reply.body.data, "\"error\":\"busy\",\"code\":503"));
    assert_true(reply_has(&reply, "\r\nRetry-After: 1\r\n"));
    assert_false(reply.closed);
    reply_free(&reply);
    client_expect(&f, fd, GET("/show"), 200);     /* what has no body is served */
    client_close(&greedy);                        /* and all of it is given back */
    fixture_until_done(&f, 4);
    client_expect(&f, fd, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi", 200);
    client_close(&fd);
    fixture_close(&f);
}

static void test_request__client_goes_in_the_middle_of_its_body__done_once(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    int fd = client_open(&f);
    client_say(&f, fd, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nabc");
    while (f.begun == 0)
        fixture_turn(&f, 2);
    client_close(&fd);
    fixture_until_done(&f, 1);
    assert_int_equal(f.ready, 0);
    fixture_close(&f);
}

static void test_request__large_headers__answered_up_to_the_limit_and_431_above(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    char text[9000];
    static char filler[8192];
    memset(filler, 'h', sizeof filler - 1);
    static const struct { int filler; bool ok; } rows[] = { { 6000, true }, { 7050, true }, { 7150, false }, { 7600, false } };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int fd = client_open(&f);
        struct reply reply;
        (void)snprintf(text, sizeof text, "POST /echo HTTP/1.1\r\nHost: x\r\nX-Test: %.*s\r\nContent-Length: 5000\r\n\r\n",
                       rows[i].filler, filler);
        client_say(&f, fd, text);
        say_bytes(&f, fd, 5000);
        client_read(&f, fd, true, &reply);
        assert_int_equal(reply.status, rows[i].ok ? 200 : 431);
        if (rows[i].ok)
            assert_int_equal(reply.body.len, 5000);
        reply_free(&reply);
        client_close(&fd);
    }
    fixture_close(&f);
}

static void test_request__many_small_headers_with_a_body__431_and_never_stuck(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    int answered = 0;
    for (int count = 10; count <= 110; count += 2) {
        char text[8192] = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2000\r\n";
        for (int i = 0; i < count; i++)
            strncat(text, "X-H: 0123456789\r\n", sizeof text - strlen(text) - 1);
        strncat(text, "\r\n", sizeof text - strlen(text) - 1);
        int fd = client_open(&f);
        struct reply reply;
        client_say(&f, fd, text);
        say_bytes(&f, fd, 2000);
        client_read(&f, fd, true, &reply);
        assert_true(reply.status == 200 || reply.status == 431);
        answered += reply.status == 200;
        reply_free(&reply);
        client_close(&fd);
    }
    assert_in_range(answered, 20, 45);
    fixture_close(&f);
}

static void test_request__malformed_chunk__library_refuses_and_done_comes(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    int fd = client_open(&f);
    client_expect(&f, fd, "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400);
    client_until_closed(&f, fd);
    assert_int_equal(f.done, 1);
    client_close(&fd);
    fixture_close(&f);
}

static void test_request__each_answered__counted_by_route_and_status(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    int fd = client_open(&f);
    client_expect(&f, fd, GET("/show"), 200);
    client_expect(&f, fd, GET("/show"), 200);
    client_expect(&f, fd, GET("/early?status=401"), 401);
    assert_true(fixture_metric(&f, "hydracluster_http_connections ") == 1);
    client_expect(&f, fd, GET("/show%"), 400);
    client_until_closed(&f, fd);
    client_close(&fd);
    assert_true(fixture_metric(&f, "hydracluster_http_requests_total{route=\"/show\",status=\"200\"} ") == 2);
    assert_true(fixture_metric(&f, "hydracluster_http_requests_total{route=\"/early\",status=\"401\"} ") == 1);
    assert_true(fixture_metric(&f, "hydracluster_http_requests_total{route=\"none\",status=\"400\"} ") == 1);
    assert_true(fixture_metric(&f, "hydracluster_http_connections ") == 0);
    fixture_close(&f);
}

static void test_request__no_memory_at_any_point__closed_or_refused_and_served_again(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    bool served = false;
    for (unsigned n = 1; n <= 20 && !served; n++) {
        int fd = client_open(&f);
        client_say(&f, fd, "POST /echo?a=1 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi");
        hc_alloc_fail_after(n);
        char text[16] = "";
        ssize_t got = -1;
        for (int tries = 0; tries < 4000 && got < 0; tries++) {
            fixture_turn(&f, 2);
            got = recv(fd, text, sizeof text - 1, 0);
        }
        hc_alloc_fail_after(0);
        served = got > 12 && strncmp(text + 9, "200", 3) == 0;
        assert_true(served || got == 0 || (got > 12 && strncmp(text + 9, "503", 3) == 0));
        client_close(&fd);
    }
    assert_true(served);
    fixture_close(&f);
}

static int status_of(struct fixture *f, const char *bytes, size_t len)
{
    struct reply reply;
    int fd = client_open(f);
    client_send(f, fd, bytes, len);
    client_read(f, fd, true, &reply);
    int status = reply.status;
    reply_free(&reply);
    client_close(&fd);
    return status;
}

/* The library ends a value at a NUL: "Bearer good\0bad" would be taken for "Bearer good". */
static void test_request__nul_in_a_header__refused_not_cut(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
#define ASK(text) status_of(&f, text, sizeof text - 1)
    assert_int_equal(ASK("GET /show HTTP/1.1\r\nHost: x\r\nX-A: a\0b\r\n\r\n"), 400);
    assert_int_equal(ASK("GET /show HTTP/1.1\r\nX-A: a\0b\r\nHost: x\r\n\r\n"), 400);
    assert_int_equal(ASK("GET /show HTTP/1.1\r\nHost: x\r\nX-A: \0b\r\nX-B: c\r\n\r\n"), 400);
    assert_int_equal(ASK("GET /show HTTP/1.1\nHost: x\nX-A: a\0b\n\n"), 400);
    assert_int_equal(ASK("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nX-A: a\0b\r\n\r\n{}"), 400);
    assert_int_equal(ASK("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\0 \r\n\r\n{}"), 400);
    assert_int_equal(ASK("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\0\r\n\r\n{}"), 400);
    assert_int_equal(ASK("GET /show HTTP/1.1\r\nX-A: a\0\r\nHost: x\r\n\r\n"), 400);
    assert_int_equal(ASK("GET /show HTTP/1.1\r\nHost: x\r\nX-A: a\r\n folded\r\nX-B: c\r\n\r\n"), 400);
    assert_int_equal(ASK("GET /show HTTP/1.1\r\nHost: x\r\nX-A: a b \t\r\nX-B:c\r\nX-C:\r\n\r\n"), 200);
    assert_int_equal(ASK("GET /show HTTP/1.1\r\nHost: x\r\nX-Empty:  \t  \r\nX-B:\t\t c\r\n\r\n"), 200);
    assert_int_equal(ASK("GET /show HTTP/1.1\nHost: x\nX-A: a\nCookie: a=b; c=d\n\n"), 200);
    assert_int_equal(ASK("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"), 200);
#undef ASK
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_request__echo_twice_on_one_connection__kept_open),
        cmocka_unit_test(test_request__two_pipelined__answered_in_order),
        cmocka_unit_test(test_request__pipelined_behind_a_parked_one__waits_for_it),
        cmocka_unit_test(test_request__what_it_says__reaches_the_owner),
        cmocka_unit_test(test_request__forwarded_by_a_trusted_proxy__peer_is_whom_it_names),
        cmocka_unit_test(test_request__head__headers_of_get_without_body),
        cmocka_unit_test(test_request__doubtful_frame_or_target__refused_and_closed),
        cmocka_unit_test(test_request__nul_in_the_target__refused),
        cmocka_unit_test(test_request__answered_in_begin__body_dropped_and_connection_kept),
        cmocka_unit_test(test_request__answered_in_begin_while_the_peer_waits_for_100__told_at_once_and_closed),
        cmocka_unit_test(test_request__expects_100__gets_it_when_wanted),
        cmocka_unit_test(test_request__body_at_and_over_the_limit__413_is_read_and_connection_kept),
        cmocka_unit_test(test_request__chunked_body_grows_over_the_limit__413),
        cmocka_unit_test(test_request__chunked_body_without_end__cut_off),
        cmocka_unit_test(test_request__bodies_of_all_together_over_the_bound__503_busy),
        cmocka_unit_test(test_request__client_goes_in_the_middle_of_its_body__done_once),
        cmocka_unit_test(test_request__large_headers__answered_up_to_the_limit_and_431_above),
        cmocka_unit_test(test_request__many_small_headers_with_a_body__431_and_never_stuck),
        cmocka_unit_test(test_request__malformed_chunk__library_refuses_and_done_comes),
        cmocka_unit_test(test_request__each_answered__counted_by_route_and_status),
        cmocka_unit_test(test_request__no_memory_at_any_point__closed_or_refused_and_served_again),
        cmocka_unit_test(test_request__nul_in_a_header__refused_not_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
