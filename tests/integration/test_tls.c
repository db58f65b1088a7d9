/* test_tls.c - the daemon with a certificate: verified calls, a visit, peers that never finish their handshake. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/os/clock.h"
#include "crowd.h"
#include "raw.h"
#include "scene.h"

#define AT_ONCE    64
#define HALF_OPEN  64
#define OPENSSL_MS 20000
#define FIRST_MS   10000                /* until the first complete request */
#define SLACK_MS   5000

static struct crowd crowd;
static char cert[HOME_PATH_SIZE], key[HOME_PATH_SIZE];
static int fds[HALF_OPEN];

static void make_certificate(void)
{
    home_path(&scene.home, "cert.pem", cert);
    home_path(&scene.home, "key.pem", key);
    const char *const argv[] = { "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                                 "-subj", "/CN=hydracluster", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2", "-keyout", key,
                                 "-out", cert, NULL };
    struct process process;
    process_start(&process, argv, NULL, scene.home.log);
    assert_int_equal(process_wait(&process, OPENSSL_MS), 0);
}

static int set_up(void **state)
{
    for (size_t i = 0; i < HALF_OPEN; i++)
        fds[i] = -1;
    (void)scene_open(state);
    make_certificate();
    const char *const args[] = { "--tls-cert", cert, "--tls-key", key, NULL };
    const struct daemon_options options = { .args = args, .ca_file = cert };
    scene_start(&options);
    crowd_open(&crowd, scene.daemon.url, cert);
    return 0;
}

static int tear_down(void **state)
{
    crowd_close(&crowd);
    for (size_t i = 0; i < HALF_OPEN; i++)
        raw_close(&fds[i]);
    return scene_close(state);
}

static void test_tls__a_visit_with_a_verified_certificate__works(void **state)
{
    (void)state;
    struct held_lease lease;
    assert_int_equal(strncmp(scene.daemon.url, "https://", strlen("https://")), 0);
    struct node body = fleet_body(&scene.daemon, "b1", "north"), head = fleet_head(&scene.daemon, "h1", "north");
    struct call call = fleet_reports_modern(&scene.daemon, &body, "idle", NULL);
    call_free(&call);
    call = fleet_claims(&scene.daemon, &head, "a-1");
    assert_int_equal(call.status, 201);
    assert_true(fleet_lease_of(&call, &lease));
    call_free(&call);
    assert_int_equal(fleet_releases(&scene.daemon, &head, &lease, "user_exit"), 204);
}

static void test_tls__plain_http_on_the_port__is_not_answered(void **state)
{
    (void)state;
    static const char request[] = "GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    assert_int_equal(raw_ask(scene.daemon.url, request, NULL, FIRST_MS + SLACK_MS), 0);
    assert_int_equal(scene_admin("GET", "/api/v1/slots", NULL), 200);
}

static void test_tls__many_at_once__all_are_served(void **state)
{
    (void)state;
    static struct crowd_call calls[AT_ONCE];
    for (size_t i = 0; i < AT_ONCE; i++)
        calls[i] = (struct crowd_call){ .token = scene.home.admin_token, .method = "GET", .path = "/api/v1/slots" };
    crowd_run(&crowd, calls, AT_ONCE, SCENE_WAIT_MS);
    assert_int_equal(crowd_count(calls, AT_ONCE, 200), AT_ONCE);
    crowd_free(calls, AT_ONCE);
}

static void test_tls__six_bytes_of_a_client_hello__closed_in_time_and_nobody_waits(void **state)
{
    (void)state;
    int64_t begin = os_monotonic_ms(), slowest = 0;
    for (size_t i = 0; i < HALF_OPEN; i++) {
        fds[i] = raw_connect(scene.daemon.url);
        raw_send(fds[i], "\x16\x03\x01\x02\x01\x01");
    }
    for (unsigned i = 0; i < 50; i++) {
        int64_t asked = os_monotonic_ms();
        assert_int_equal(scene_admin("GET", "/api/v1/slots", NULL), 200);
        int64_t took = os_monotonic_ms() - asked;
        slowest = took > slowest ? took : slowest;
    }
    print_message("slowest call beside %d half-open handshakes: %lld ms\n", HALF_OPEN, (long long)slowest);
    assert_true(slowest < SLACK_MS);
    for (size_t i = 0; i < HALF_OPEN; i++)
        if (!raw_closed(fds[i], FIRST_MS + SLACK_MS - (os_monotonic_ms() - begin)))
            fail_msg("handshake %zu is still open after %lld ms", i, (long long)(os_monotonic_ms() - begin));
}

static void test_tls__key_of_another_certificate__is_refused(void **state)
{
    (void)state;
    char other[HOME_PATH_SIZE], wrong[HOME_PATH_SIZE];
    scene_stop();
    home_path(&scene.home, "wrong.pem", wrong);
    home_path(&scene.home, "missing.pem", other);
    home_write(&scene.home, "wrong.pem", "not a key\n");
    const char *const wrong_key[] = { "--tls-cert", cert, "--tls-key", wrong, NULL };
    const char *const no_key[] = { "--tls-cert", cert, "--tls-key", other, NULL };
    const struct daemon_options options[] = { { .args = wrong_key }, { .args = no_key } };
    for (size_t i = 0; i < 2; i++) {
        int code = daemon_refuses(&scene.home, &options[i], NULL);
        assert_true(code == 1 || code == 2);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_tls__a_visit_with_a_verified_certificate__works),
        TEST(test_tls__plain_http_on_the_port__is_not_answered),
        TEST(test_tls__many_at_once__all_are_served),
        TEST(test_tls__six_bytes_of_a_client_hello__closed_in_time_and_nobody_waits),
        TEST(test_tls__key_of_another_certificate__is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
