/* test_connections.c - peers that are slow, half-open or too many: they hold no slot, no mutex and a bounded number of connections. */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <cmocka.h>

#include "hydra/os/clock.h"
#include "crowd.h"
#include "raw.h"
#include "scene.h"

#define AT_ONCE      256
#define LIMIT        24
#define PER_ADDRESS  8
#define HALF_OPEN    64
#define FIRST_MS     10000              /* until the first complete request */
#define SLACK_MS     5000
#define EVENTS       200
#define ASK          "GET /health HTTP/1.1\r\nHost: x\r\n\r\n"

static struct crowd crowd;
static int fds[AT_ONCE];

static int set_up(void **state)
{
    for (size_t i = 0; i < AT_ONCE; i++)
        fds[i] = -1;
    return scene_open(state);
}

static int tear_down(void **state)
{
    crowd_close(&crowd);
    for (size_t i = 0; i < AT_ONCE; i++)
        raw_close(&fds[i]);
    return scene_close(state);
}

static void start_with(const char *config, const char *listen)
{
    static char path[HOME_PATH_SIZE];
    static const char *const args[] = { "--config", path, NULL };
    home_write(&scene.home, "config.yaml", config);
    home_path(&scene.home, "config.yaml", path);
    const struct daemon_options options = { .args = args, .listen = listen };
    scene_start(&options);
}

static bool is_served(int fd)
{
    char text[RAW_TEXT_SIZE];
    return raw_try_send(fd, ASK) && raw_read(fd, "\"hydraclusterd\"", text, SCENE_WAIT_MS);
}

static void test_connections__256_at_once__all_are_served(void **state)
{
    (void)state;
    static struct crowd_call calls[AT_ONCE];
    scene_start(NULL);
    crowd_open(&crowd, scene.daemon.url, NULL);
    for (unsigned round = 0; round < 2; round++) {      /* on new connections, then on kept ones */
        for (size_t i = 0; i < AT_ONCE; i++)
            calls[i] = (struct crowd_call){ .token = scene.home.admin_token, .method = "GET", .path = "/api/v1/slots" };
        crowd_run(&crowd, calls, AT_ONCE, SCENE_WAIT_MS);
        assert_int_equal(crowd_count(calls, AT_ONCE, 200), AT_ONCE);
        crowd_free(calls, AT_ONCE);
    }
}

struct served { const char *url; int *fd; };

static bool a_new_one_is_served(void *ctx)
{
    struct served *served = ctx;
    raw_close(served->fd);
    *served->fd = raw_connect(served->url);
    char text[RAW_TEXT_SIZE];
    return raw_try_send(*served->fd, ASK) && raw_read(*served->fd, "\"hydraclusterd\"", text, 500);
}

static void test_connections__limit_reached_and_left__the_next_is_served(void **state)
{
    (void)state;
    start_with("limits: {connections: 24}\n", NULL);
    for (size_t i = 0; i < LIMIT - 1; i++) {            /* the daemon's client of this test has none open yet, but may want one */
        fds[i] = raw_connect(scene.daemon.url);
        assert_true(is_served(fds[i]));
    }
    for (size_t i = LIMIT; i < LIMIT + 4; i++)          /* one of these may be the last that is let in */
        fds[i] = raw_connect(scene.daemon.url);
    size_t refused = 0;
    for (size_t i = LIMIT; i < LIMIT + 4; i++) {
        char text[RAW_TEXT_SIZE];
        refused += !raw_try_send(fds[i], ASK) || !raw_read(fds[i], "\"hydraclusterd\"", text, 300);
    }
    assert_true(refused >= 3);
    for (size_t i = 0; i < LIMIT - 1; i++)
        assert_true(is_served(fds[i]));                 /* those who are in stay in */
    for (size_t i = 0; i < AT_ONCE; i++)
        raw_close(&fds[i]);
    struct served served = { scene.daemon.url, &fds[0] };
    assert_true(wait_until(a_new_one_is_served, &served, SCENE_WAIT_MS));
}

static void test_connections__header_by_the_byte__does_not_delay_others(void **state)
{
    (void)state;
    static const char request[] = "GET /api/v1/health HTTP/1.1\r\nHost: slow\r\nX-Slow: 0123456789\r\n\r\n";
    char text[RAW_TEXT_SIZE];
    scene_start(NULL);
    fds[0] = raw_connect(scene.daemon.url);
    for (size_t i = 0; request[i] != '\0'; i++) {
        const char byte[] = { request[i], '\0' };
        raw_send(fds[0], byte);
        int64_t begin = os_monotonic_ms();
        assert_int_equal(scene_admin("GET", "/api/v1/slots", NULL), 200);
        assert_true(os_monotonic_ms() - begin < SLACK_MS);
    }
    assert_true(raw_read(fds[0], "\"hydraclusterd\"", text, SCENE_WAIT_MS));
}

static void test_connections__half_open__are_closed_and_nobody_waits_for_them(void **state)
{
    (void)state;
    static const char *const beginnings[] = { "", "GET", "GET /api/v1/slots HTTP/1.1\r\nHost: x\r\n",
                                              "POST /api/v1/body/status HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{\"gpu\":" };
    scene_start(NULL);
    int64_t begin = os_monotonic_ms();
    for (size_t i = 0; i < HALF_OPEN; i++) {
        fds[i] = raw_connect(scene.daemon.url);
        raw_send(fds[i], beginnings[i % 4]);
    }
    struct node body = fleet_body(&scene.daemon, "b1", "north"), head = fleet_head(&scene.daemon, "h1", "north");
    fleet_reports(&scene.daemon, &body, "idle");
    scene_expect(fleet_reads(&scene.daemon, &head), 200, "");
    assert_true(os_monotonic_ms() - begin < FIRST_MS);
    for (size_t i = 0; i < HALF_OPEN; i++)
        if (!raw_closed(fds[i], FIRST_MS + SLACK_MS - (os_monotonic_ms() - begin)))
            fail_msg("a connection with `%s` is still open after %lld ms", beginnings[i % 4], (long long)(os_monotonic_ms() - begin));
}

/* The first address of this machine that is not loopback; false: there is none. */
static bool outer_address(char out[INET_ADDRSTRLEN])
{
    bool found = false;
    struct ifaddrs *all = NULL;
    assert_int_equal(getifaddrs(&all), 0);
    for (const struct ifaddrs *at = all; at != NULL && !found; at = at->ifa_next) {
        struct sockaddr_in v4;
        if (at->ifa_addr == NULL || at->ifa_addr->sa_family != AF_INET || (at->ifa_flags & IFF_LOOPBACK) != 0)
            continue;
        memcpy(&v4, at->ifa_addr, sizeof v4);
        found = inet_ntop(AF_INET, &v4.sin_addr, out, INET_ADDRSTRLEN) != NULL;
    }
    freeifaddrs(all);
    return found;
}

static void test_connections__too_many_of_one_address__the_rest_is_closed_and_loopback_is_exempt(void **state)
{
    (void)state;
    char address[INET_ADDRSTRLEN], url[64];
    size_t served = 0;
    if (!outer_address(address)) {
        print_message("this machine has loopback only: the limit per address cannot be reached\n");
        skip();
    }
    start_with("insecure_http: true\nlimits: {per_address: 8}\n", "0.0.0.0:0");
    unsigned port = (unsigned)strtoul(strrchr(scene.daemon.url, ':') + 1, NULL, 10);
    (void)snprintf(url, sizeof url, "http://%s:%u", address, port);
    for (size_t i = 0; i < 2 * PER_ADDRESS; i++)
        fds[i] = raw_connect(url);
    for (size_t i = 0; i < 2 * PER_ADDRESS; i++) {
        char text[RAW_TEXT_SIZE];
        served += raw_try_send(fds[i], ASK) && raw_read(fds[i], "\"hydraclusterd\"", text, 300);
    }
    assert_int_equal(served, PER_ADDRESS);
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%u", port);
    for (size_t i = 2 * PER_ADDRESS; i < 4 * PER_ADDRESS; i++) {
        fds[i] = raw_connect(url);
        assert_true(is_served(fds[i]));
    }
}

/* ---- readers of events ---- */

static int follow(const char *last_id)
{
    char request[1024], since[128] = "";
    if (last_id != NULL)
        (void)snprintf(since, sizeof since, "Last-Event-ID: %s\r\n", last_id);
    (void)snprintf(request, sizeof request,
                   "GET /api/v1/events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n%sAuthorization: Bearer %s\r\n\r\n", since,
                   scene.home.admin_token);
    int fd = raw_connect(scene.daemon.url);
    raw_send(fd, request);
    return fd;
}

static void test_events__follower__hears_what_is_committed_and_resumes(void **state)
{
    (void)state;
    char text[RAW_TEXT_SIZE], id[64] = "";
    scene_start(NULL);
    fds[0] = follow(NULL);
    assert_true(raw_read(fds[0], "\r\n\r\n", text, SCENE_WAIT_MS));
    (void)fleet_body(&scene.daemon, "b1", "north");
    assert_true(raw_read(fds[0], "\n\n", text, SCENE_WAIT_MS));
    assert_non_null(strstr(text, "event: node_enrolled\n"));
    const char *at = strstr(text, "id: ");
    assert_non_null(at);
    (void)snprintf(id, sizeof id, "%.*s", (int)strcspn(at + 4, "\n"), at + 4);
    raw_close(&fds[0]);
    (void)fleet_body(&scene.daemon, "missed", "north");
    fds[0] = follow(id);
    assert_true(raw_read(fds[0], "\"missed\"", text, SCENE_WAIT_MS));
    assert_null(strstr(text, "\"b1\""));
}

static void test_events__reader_that_stops__holds_nobody_up(void **state)
{
    (void)state;
    int small = 1;
    scene_start(NULL);
    fds[0] = follow(NULL);
    (void)setsockopt(fds[0], SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    struct node body = fleet_body(&scene.daemon, "b1", "north"), head = fleet_head(&scene.daemon, "h1", "north");
    fleet_reports(&scene.daemon, &body, "idle");
    int64_t slowest = 0;
    for (unsigned i = 0; i < EVENTS; i++) {             /* each pair of steps publishes a grant and an end */
        int64_t begin = os_monotonic_ms();
        struct call call = fleet_reads(&scene.daemon, &head);
        assert_int_equal(call.status, 200);
        call_free(&call);
        fleet_beats(&scene.daemon, &head, "error", NULL);
        int64_t took = os_monotonic_ms() - begin;
        slowest = took > slowest ? took : slowest;
    }
    print_message("slowest step beside a reader that stopped: %lld ms\n", (long long)slowest);
    assert_true(slowest < SLACK_MS);
    scene_stop();
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_connections__256_at_once__all_are_served),
        TEST(test_connections__limit_reached_and_left__the_next_is_served),
        TEST(test_connections__header_by_the_byte__does_not_delay_others),
        TEST(test_connections__half_open__are_closed_and_nobody_waits_for_them),
        TEST(test_connections__too_many_of_one_address__the_rest_is_closed_and_loopback_is_exempt),
        TEST(test_events__follower__hears_what_is_committed_and_resumes),
        TEST(test_events__reader_that_stops__holds_nobody_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
