/* test_tls.c - the daemon with a certificate: verified calls, a visit, peers that never finish their handshake. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/client/client.h"
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
static char cert_path[HOME_PATH_SIZE], key_path[HOME_PATH_SIZE];
static int fds[HALF_OPEN];

static void make_certificate(const char *cert_name, const char *key_name)
{
    char cert[HOME_PATH_SIZE], key[HOME_PATH_SIZE];
    home_path(&scene.home, cert_name, cert);
    home_path(&scene.home, key_name, key);
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
    make_certificate("cert.pem", "key.pem");
    home_path(&scene.home, "cert.pem", cert_path);
    home_path(&scene.home, "key.pem", key_path);
    const char *const args[] = { "--tls-cert", cert_path, "--tls-key", key_path, NULL };
    const struct daemon_options options = { .args = args, .ca_file = cert_path };
    scene_start(&options);
    crowd_open(&crowd, scene.daemon.url, cert_path);
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
    const char *const wrong_key[] = { "--tls-cert", cert_path, "--tls-key", wrong, NULL };
    const char *const no_key[] = { "--tls-cert", cert_path, "--tls-key", other, NULL };
    const struct daemon_options options[] = { { .args = wrong_key }, { .args = no_key } };
    for (size_t i = 0; i < 2; i++) {
        int code = daemon_refuses(&scene.home, &options[i], NULL);
        assert_true(code == 1 || code == 2);
    }
}

/* ---- a certificate that is renewed while the daemon runs ---- */

static struct client *trusting(const char *name)
{
    char path[HOME_PATH_SIZE];
    struct client *client = NULL;
    home_path(&scene.home, name, path);
    const struct client_options options = { .server_url = scene.daemon.url, .ca_file = path, .timeout_ms = DAEMON_CALL_MS };
    assert_int_equal(client_open(&options, &client, NULL), HC_OK);
    return client;
}

static bool is_served(struct client *client)
{
    struct client_answer answer = { 0 };
    bool served = client_call(client, "GET", "/readyz", NULL, NULL, &answer, NULL) == HC_OK && answer.status == 200;
    client_answer_free(&answer);
    return served;
}

/* A new connection each time: who trusts this certificate alone is served. */
static bool greets_with(void *name)
{
    struct client *client = trusting(name);
    bool served = is_served(client);
    (void)client_close(client);
    return served;
}

static bool log_has(void *text) { return scene_log_has(text); }

static void copy_file(const char *from, const char *to)
{
    char *text = home_read(&scene.home, from);
    home_write(&scene.home, to, text);
    hc_free(text);
}

static void test_tls__certificate_renewed__new_connections_see_it_and_open_ones_go_on(void **state)
{
    (void)state;
    copy_file("cert.pem", "old.pem");
    make_certificate("new.pem", "new-key.pem");
    struct client *open = trusting("old.pem");
    assert_true(is_served(open));
    assert_false(greets_with("new.pem"));
    copy_file("new.pem", "cert.pem");
    copy_file("new-key.pem", "key.pem");
    daemon_signal(&scene.daemon, SIGHUP);
    assert_true(wait_until(greets_with, "new.pem", SCENE_WAIT_MS));
    assert_false(greets_with("old.pem"));
    assert_true(is_served(open));           /* a new connection of this client would be refused by itself: it trusts the old one alone */
    (void)client_close(open);
}

static void test_tls__renewed_with_the_key_of_another__refused_and_the_last_one_stays(void **state)
{
    (void)state;
    copy_file("cert.pem", "old.pem");
    make_certificate("new.pem", "new-key.pem");
    copy_file("new.pem", "cert.pem");
    daemon_signal(&scene.daemon, SIGHUP);
    assert_true(wait_until(log_has, "certificate_refused", SCENE_WAIT_MS));
    assert_true(greets_with("old.pem"));
    assert_false(greets_with("new.pem"));
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
        TEST(test_tls__certificate_renewed__new_connections_see_it_and_open_ones_go_on),
        TEST(test_tls__renewed_with_the_key_of_another__refused_and_the_last_one_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
