#include "fixture.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "hydra/os/clock.h"

#define GET(target) "GET " target " HTTP/1.1\r\nHost: x\r\n\r\n"

static void test_connections__256_at_once__all_answered(void **state)
{
    (void)state;
    enum { CLIENTS = 256 };
    struct fixture f;
    fixture_open(&f);
    int fds[CLIENTS];
    for (int i = 0; i < CLIENTS; i++)
        fds[i] = client_open(&f);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < CLIENTS; i++)
            client_say(&f, fds[i], "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi");
        for (int i = 0; i < CLIENTS; i++) {
            struct reply reply;
            client_read(&f, fds[i], true, &reply);
            assert_int_equal(reply.status, 200);
            assert_string_equal(reply.body.data, "hi");
            reply_free(&reply);
        }
    }
    for (int i = 0; i < CLIENTS; i++)
        client_close(&fds[i]);
    fixture_close(&f);
}

static void test_connections__limit_reached_and_left__the_next_is_served(void **state)
{
    (void)state;
    enum { LIMIT = 4 };
    struct fixture f;
    struct http_config config = fixture_config();
    config.limits.connections = LIMIT;
    fixture_open_with(&f, config);
    int fds[LIMIT];
    for (int i = 0; i < LIMIT; i++) {
        fds[i] = client_open(&f);
        client_expect(&f, fds[i], GET("/show"), 200);
    }
    int more = client_open(&f);                    /* waits in the backlog */
    client_say(&f, more, GET("/show"));
    fixture_for(&f, 150);
    char byte;
    assert_int_equal(recv(more, &byte, 1, MSG_PEEK), -1);
    client_expect(&f, fds[1], GET("/show"), 200);  /* those inside are served meanwhile */
    client_close(&fds[0]);
    struct reply reply;
    client_read(&f, more, true, &reply);
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    client_close(&more);
    for (int i = 1; i < LIMIT; i++)
        client_close(&fds[i]);
    fixture_close(&f);
}

/* An address of this machine that is not loopback: only from such a one does the limit count. */
static bool own_address(char out[INET_ADDRSTRLEN])
{
    struct ifaddrs *all;
    bool found = false;
    if (getifaddrs(&all) != 0)
        return false;
    for (struct ifaddrs *at = all; at != NULL && !found; at = at->ifa_next) {
        if (at->ifa_addr == NULL || at->ifa_addr->sa_family != AF_INET || (at->ifa_flags & IFF_LOOPBACK) != 0)
            continue;
        struct sockaddr_in v4;
        memcpy(&v4, at->ifa_addr, sizeof v4);
        found = inet_ntop(AF_INET, &v4.sin_addr, out, INET_ADDRSTRLEN) != NULL;
    }
    freeifaddrs(all);
    return found;
}

static void test_connections__limit_of_one_address__refused_over_it_and_loopback_exempt(void **state)
{
    (void)state;
    enum { LIMIT = 3 };
    struct fixture f;
    struct http_config config = fixture_config();
    config.address = "0.0.0.0";
    config.limits.per_address = LIMIT;
    fixture_open_with(&f, config);
    int near[LIMIT + 2];
    for (int i = 0; i < LIMIT + 2; i++) {
        near[i] = client_open(&f);
        client_expect(&f, near[i], GET("/show"), 200);
    }
    for (int i = 0; i < LIMIT + 2; i++)
        client_close(&near[i]);
    char address[INET_ADDRSTRLEN];
    if (!own_address(address)) {
        fixture_close(&f);
        print_message("no address but loopback here: the limit itself is not tried\n");
        skip();
    }
    int fds[LIMIT];
    for (int i = 0; i < LIMIT; i++) {
        fds[i] = client_open_to(&f, address);
        client_expect(&f, fds[i], GET("/show"), 200);
    }
    int more = client_open_to(&f, address);
    client_until_closed(&f, more);
    client_close(&more);
    assert_true(fixture_metric(&f, "hydracluster_http_connections_refused_total{why=\"per_address\"} ") == 1);
    client_close(&fds[0]);
    while (fixture_metric(&f, "hydracluster_http_connections ") >= LIMIT)
        fixture_turn(&f, 2);
    more = client_open_to(&f, address);
    client_expect(&f, more, GET("/show"), 200);
    client_close(&more);
    for (int i = 1; i < LIMIT; i++)
        client_close(&fds[i]);
    fixture_close(&f);
}

static void test_connection__silent_from_the_start__closed_after_first_request_seconds(void **state)
{
    (void)state;
    struct fixture f;
    struct http_config config = fixture_config();
    config.limits.first_request_seconds = 1;
    fixture_open_with(&f, config);
    int silent = client_open(&f), used = client_open(&f);
    client_expect(&f, used, GET("/show"), 200);
    int64_t start = os_monotonic_ms();
    client_until_closed(&f, silent);
    assert_in_range(os_monotonic_ms() - start, 500, 6000);
    fixture_for(&f, 300);
    client_expect(&f, used, GET("/show"), 200);    /* has had its first request: idle_seconds now */
    client_close(&silent);
    client_close(&used);
    fixture_close(&f);
}

static void test_connection__header_by_the_byte__cut_after_idle_seconds(void **state)
{
    (void)state;
    struct fixture f;
    struct http_config config = fixture_config();
    config.limits.idle_seconds = 2;
    config.limits.first_request_seconds = 2;
    fixture_open_with(&f, config);
    int fd = client_open(&f), other = client_open(&f);
    int64_t start = os_monotonic_ms();
    client_say(&f, fd, "GET /show HTTP/1.1\r\nX-Slow: ");
    while (!client_is_closed(fd)) {
        assert_true(os_monotonic_ms() - start < FIXTURE_WAIT_MS);
        client_say(&f, fd, "s");                   /* each byte starts the library's own time-out anew */
        fixture_for(&f, 100);
        client_expect(&f, other, GET("/show"), 200);
    }
    assert_in_range(os_monotonic_ms() - start, 1500, 7000);
    assert_int_equal(f.begun, f.done);
    client_close(&fd);
    client_close(&other);
    fixture_close(&f);
}

static void test_connection__whole_request_by_the_byte_in_time__answered(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    int fd = client_open(&f);
    static const char text[] = "POST /echo?x=%41 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello";
    for (size_t i = 0; i < sizeof text - 1; i++) {
        client_send(&f, fd, text + i, 1);
        fixture_turn(&f, 1);
    }
    struct reply reply;
    client_read(&f, fd, true, &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply.body.data, "hello");
    reply_free(&reply);
    client_close(&fd);
    fixture_close(&f);
}

static void test_connection__end_comes_along_with_the_last_bytes__noticed(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    int half = client_open(&f), whole = client_open(&f), late = client_open(&f);
    client_say(&f, half, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nabc");
    client_say(&f, whole, GET("/show"));
    client_say(&f, late, GET("/park?ms=2500"));
    (void)shutdown(half, SHUT_WR);                 /* all of it before the server looks */
    (void)shutdown(whole, SHUT_WR);
    (void)shutdown(late, SHUT_WR);
    int64_t start = os_monotonic_ms();
    struct reply reply;
    client_read(&f, whole, true, &reply);          /* one who has said all is answered */
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    client_until_closed(&f, half);
    client_until_closed(&f, whole);
    assert_true(os_monotonic_ms() - start < 5000);
    fixture_until_done(&f, 2);
    client_read(&f, late, true, &reply);
    assert_int_equal(reply.status, 503);
    reply_free(&reply);
    client_until_closed(&f, late);
    client_close(&half);
    client_close(&whole);
    client_close(&late);
    fixture_close(&f);
}

static void test_connection__parked_for_longer_than_idle__not_swept(void **state)
{
    (void)state;
    struct fixture f;
    struct http_config config = fixture_config();
    config.limits.idle_seconds = 1;
    fixture_open_with(&f, config);
    int fd = client_open(&f);
    client_expect(&f, fd, GET("/park?ms=2600"), 503);
    client_expect(&f, fd, GET("/show"), 200);
    client_close(&fd);
    fixture_close(&f);
}

static void test_connection__reader_of_a_long_answer_stops__cut(void **state)
{
    (void)state;
    struct fixture f;
    struct http_config config = fixture_config();
    config.limits.idle_seconds = 1;
    fixture_open_with(&f, config);
    int fd = client_open(&f);
    client_say(&f, fd, GET("/big?bytes=20000000"));
    int64_t end = os_monotonic_ms() + FIXTURE_WAIT_MS;
    while (f.done == 0 && os_monotonic_ms() < end)
        fixture_turn(&f, 10);
    assert_int_equal(f.done, 1);
    client_close(&fd);
    fixture_close(&f);
}

static int64_t cpu_us(void)
{
    struct rusage use;
    assert_int_equal(getrusage(RUSAGE_SELF, &use), 0);
    return (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * INT64_C(1000000) + use.ru_utime.tv_usec + use.ru_stime.tv_usec;
}

static void test_loop__nothing_to_do__sleeps(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    int fds[50];
    for (int i = 0; i < 50; i++) {
        fds[i] = client_open(&f);
        client_expect(&f, fds[i], GET("/show"), 200);
    }
    assert_in_range(http_wait_ms(f.server), 0, 250);
    int64_t before = cpu_us(), turns = 0;
    for (int64_t end = os_monotonic_ms() + 600; os_monotonic_ms() < end; turns++)
        fixture_turn(&f, 1000);
    assert_in_range(turns, 1, 30);
    assert_true(cpu_us() - before < 60000);
    for (int i = 0; i < 50; i++)
        client_close(&fds[i]);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_connections__256_at_once__all_answered),
        cmocka_unit_test(test_connections__limit_reached_and_left__the_next_is_served),
        cmocka_unit_test(test_connections__limit_of_one_address__refused_over_it_and_loopback_exempt),
        cmocka_unit_test(test_connection__silent_from_the_start__closed_after_first_request_seconds),
        cmocka_unit_test(test_connection__header_by_the_byte__cut_after_idle_seconds),
        cmocka_unit_test(test_connection__whole_request_by_the_byte_in_time__answered),
        cmocka_unit_test(test_connection__end_comes_along_with_the_last_bytes__noticed),
        cmocka_unit_test(test_connection__parked_for_longer_than_idle__not_swept),
        cmocka_unit_test(test_connection__reader_of_a_long_answer_stops__cut),
        cmocka_unit_test(test_loop__nothing_to_do__sleeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
