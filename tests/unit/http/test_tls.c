#include "fixture.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hydra/os/clock.h"
#include "hydra/os/file.h"

#define HALF_OPEN 200

extern char **environ;

static char folder[] = "/tmp/hydra-http-test-XXXXXX";
static char *cert_pem, *key_pem;

static int run(char *const argv[])
{
    pid_t pid;
    int status = -1;
    posix_spawn_file_actions_t files;
    assert_int_equal(posix_spawn_file_actions_init(&files), 0);
    assert_int_equal(posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0), 0);
    assert_int_equal(posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0), 0);
    assert_int_equal(posix_spawnp(&pid, argv[0], &files, NULL, argv, environ), 0);
    (void)posix_spawn_file_actions_destroy(&files);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static int make_certificate(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    char cert[64], key[64];
    (void)snprintf(cert, sizeof cert, "%s/cert.pem", folder);
    (void)snprintf(key, sizeof key, "%s/key.pem", folder);
    char *argv[] = { "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
                     "-days", "2", "-keyout", key, "-out", cert, NULL };
    if (run(argv) != 0)
        return -1;
    int dir = -1;
    size_t len;
    if (os_dir_open(folder, &dir, NULL) != HC_OK || os_file_read(dir, "cert.pem", 65536, &cert_pem, &len, NULL, NULL) != HC_OK ||
        os_file_read(dir, "key.pem", 65536, &key_pem, &len, NULL, NULL) != HC_OK)
        return -1;
    os_close(&dir);
    return 0;
}

static int remove_certificate(void **state)
{
    (void)state;
    hc_free(cert_pem);
    hc_free(key_pem);
    char *argv[] = { "rm", "-rf", folder, NULL };
    return run(argv);
}

static struct http_config tls_config(void)
{
    struct http_config config = fixture_config();
    config.cert_pem = cert_pem;
    config.key_pem = key_pem;
    return config;
}

struct peer { pid_t pid; int in, out; };

/* `openssl s_client` towards the fixture; `option` may add one. */
static struct peer peer_open(struct fixture *f, char *option)
{
    int in[2], out[2];
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    char address[32];
    (void)snprintf(address, sizeof address, "127.0.0.1:%u", http_port(f->server));
    char *argv[] = { "openssl", "s_client", "-quiet", "-connect", address, option, NULL };
    posix_spawn_file_actions_t files;
    assert_int_equal(posix_spawn_file_actions_init(&files), 0);
    assert_int_equal(posix_spawn_file_actions_adddup2(&files, in[0], 0), 0);
    assert_int_equal(posix_spawn_file_actions_adddup2(&files, out[1], 1), 0);
    assert_int_equal(posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0), 0);
    struct peer peer = { .in = in[1], .out = out[0] };
    assert_int_equal(posix_spawnp(&peer.pid, argv[0], &files, NULL, argv, environ), 0);
    (void)posix_spawn_file_actions_destroy(&files);
    (void)close(in[0]);
    (void)close(out[1]);
    assert_int_equal(fcntl(peer.out, F_SETFL, O_NONBLOCK), 0);
    return peer;
}

static void peer_close(struct peer *peer)
{
    (void)close(peer->in);
    (void)close(peer->out);
    (void)kill(peer->pid, SIGKILL);
    assert_int_equal(waitpid(peer->pid, NULL, 0), peer->pid);
}

/* Until `text` has come, or the peer has ended (false). */
static bool peer_reads(struct fixture *f, struct peer *peer, struct hc_buf *got, const char *text)
{
    int64_t end = os_monotonic_ms() + FIXTURE_WAIT_MS;
    while (os_monotonic_ms() < end) {
        char piece[4096];
        ssize_t len = read(peer->out, piece, sizeof piece);
        if (len == 0)
            return false;
        if (len > 0)
            hc_buf_add(got, piece, (size_t)len);
        if (got->data != NULL && strstr(got->data, text) != NULL)
            return true;
        fixture_turn(f, 2);
    }
    fail_msg("\"%s\" does not come", text);
    return false;
}

static void peer_says(struct peer *peer, const char *text)
{
    assert_int_equal(write(peer->in, text, strlen(text)), (ssize_t)strlen(text));
}

static void test_tls__requests_on_one_connection__answered(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open_with(&f, tls_config());
    assert_true(http_is_tls(f.server));
    struct peer peer = peer_open(&f, NULL);
    HC_CLEANUP(hc_buf_freep) struct hc_buf got = { 0 };
    peer_says(&peer, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nfirst one");
    assert_true(peer_reads(&f, &peer, &got, "first one"));
    peer_says(&peer, "GET /park?ms=100 HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_true(peer_reads(&f, &peer, &got, "\"late\""));
    peer_close(&peer);
    fixture_for(&f, 50);
    fixture_close(&f);
}

static void test_tls__long_answer__arrives_without_waits_between_records(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open_with(&f, tls_config());
    struct peer peer = peer_open(&f, NULL);
    HC_CLEANUP(hc_buf_freep) struct hc_buf got = { 0 };
    peer_says(&peer, "GET /show?warm HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_true(peer_reads(&f, &peer, &got, "[warm=]"));
    hc_buf_clear(&got);
    peer_says(&peer, "GET /big?bytes=3000000 HTTP/1.1\r\nHost: x\r\n\r\n");
    unsigned believed = 0;
    int64_t end = os_monotonic_ms() + FIXTURE_WAIT_MS;
    while (got.len < 3000000 && os_monotonic_ms() < end) {
        static char piece[65536];
        ssize_t len;
        while ((len = read(peer.out, piece, sizeof piece)) > 0)
            hc_buf_add(&got, piece, (size_t)len);
        believed += http_wait_ms(f.server) == 5;
        fixture_turn(&f, 2);
    }
    assert_true(got.len >= 3000000);
    assert_int_equal(believed, 0);                 /* never took the sending for a spin */
    peer_close(&peer);
    fixture_for(&f, 50);
    fixture_close(&f);
}

static void test_tls__old_version__refused(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open_with(&f, tls_config());
    static const struct { char *option; bool ok; } rows[] = { { "-tls1_3", true }, { "-tls1_2", true }, { "-tls1_1", false },
                                                              { "-tls1", false } };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct peer peer = peer_open(&f, rows[i].option);
        HC_CLEANUP(hc_buf_freep) struct hc_buf got = { 0 };
        peer_says(&peer, "GET /show HTTP/1.1\r\nHost: x\r\n\r\n");
        assert_int_equal(peer_reads(&f, &peer, &got, "path=/show"), rows[i].ok);
        peer_close(&peer);
    }
    fixture_close(&f);
}

static int64_t cpu_us(void)
{
    struct rusage use;
    assert_int_equal(getrusage(RUSAGE_SELF, &use), 0);
    return (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * INT64_C(1000000) + use.ru_utime.tv_usec + use.ru_stime.tv_usec;
}

static void test_tls__half_open_beside_requests__waits_grow_all_the_same(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open_with(&f, tls_config());
    int fd = client_open(&f);
    struct peer peer = peer_open(&f, NULL);
    client_send(&f, fd, "\x16\x03\x01\x02\x00\x01", 6);
    int64_t longest = 0;
    for (unsigned round = 0; round < 4; round++) {
        HC_CLEANUP(hc_buf_freep) struct hc_buf got = { 0 };
        peer_says(&peer, "GET /show HTTP/1.1\r\nHost: x\r\n\r\n");
        assert_true(peer_reads(&f, &peer, &got, "path=/show"));
        for (unsigned turn = 0; turn < 25; turn++) {          /* fewer than one step of the growth takes */
            fixture_turn(&f, 1);
            longest = http_wait_ms(f.server) > longest ? http_wait_ms(f.server) : longest;
        }
    }
    assert_true(longest >= 20);                    /* a request does not start the growth anew */
    (void)close(fd);
    peer_close(&peer);
    fixture_for(&f, 50);
    fixture_close(&f);
}

static void test_tls__six_bytes_of_a_client_hello_from_many__others_served_little_cpu_then_cut(void **state)
{
    (void)state;
    struct fixture f;
    struct http_config config = tls_config();
    config.limits.first_request_seconds = 2;
    fixture_open_with(&f, config);
    int fds[HALF_OPEN];
    for (int i = 0; i < HALF_OPEN; i++) {
        fds[i] = client_open(&f);
        client_send(&f, fds[i], "\x16\x03\x01\x02\x00\x01", 6);
        fixture_turn(&f, 0);
    }
    fixture_for(&f, 100);
    int64_t cpu = cpu_us(), start = os_monotonic_ms(), turns = 0;
    for (; os_monotonic_ms() - start < 1000; turns++)
        fixture_turn(&f, 250);
    assert_in_range(turns, 1, 260);                /* 5 to 20 ms each, not a spin */
    print_message("%d half-open TLS clients: %lld us of CPU a second\n", HALF_OPEN, (long long)(cpu_us() - cpu));
    struct peer peer = peer_open(&f, NULL);
    HC_CLEANUP(hc_buf_freep) struct hc_buf got = { 0 };
    peer_says(&peer, "GET /show HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_true(peer_reads(&f, &peer, &got, "path=/show"));
    peer_close(&peer);
    for (int i = 0; i < HALF_OPEN; i++) {
        client_until_closed(&f, fds[i]);
        client_close(&fds[i]);
    }
    assert_int_equal(f.begun, 1);
    fixture_close(&f);
}

static void test_tls__stops_with_a_parked_request__answered(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open_with(&f, tls_config());
    struct peer peer = peer_open(&f, NULL);
    HC_CLEANUP(hc_buf_freep) struct hc_buf got = { 0 };
    peer_says(&peer, "GET /park?ms=60000 HTTP/1.1\r\nHost: x\r\n\r\n");
    int64_t end = os_monotonic_ms() + FIXTURE_WAIT_MS;
    while (f.parked_count == 0 && os_monotonic_ms() < end)
        fixture_turn(&f, 2);
    assert_int_equal(f.parked_count, 1);
    http_quiesce(f.server);
    assert_true(peer_reads(&f, &peer, &got, "\"late\""));
    assert_non_null(strstr(got.data, "Connection: close"));
    peer_close(&peer);
    fixture_close(&f);
}

static void test_start__certificate_that_is_none__refused_with_the_reason(void **state)
{
    (void)state;
    struct http_config config = tls_config();
    struct http_owner owner = { 0 };
    struct hc_diag diag = { 0 };
    struct http_server *server = NULL;
    struct fixture f;
    fixture_open(&f);                              /* for callbacks that exist */
    config.cert_pem = "no certificate\n";
    owner.begin = owner.ready = owner.done = (void (*)(void *, struct http_request *))abort;
    assert_int_equal(http_start(&config, &owner, f.metrics, &server, &diag), HC_ERR_CONFIG);
    assert_null(server);
    assert_true(strlen(diag.text) > 20);
    config.cert_pem = NULL;
    assert_int_equal(http_start(&config, &owner, f.metrics, &server, &diag), HC_ERR_CONFIG);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tls__requests_on_one_connection__answered),
        cmocka_unit_test(test_tls__long_answer__arrives_without_waits_between_records),
        cmocka_unit_test(test_tls__old_version__refused),
        cmocka_unit_test(test_tls__half_open_beside_requests__waits_grow_all_the_same),
        cmocka_unit_test(test_tls__six_bytes_of_a_client_hello_from_many__others_served_little_cpu_then_cut),
        cmocka_unit_test(test_tls__stops_with_a_parked_request__answered),
        cmocka_unit_test(test_start__certificate_that_is_none__refused_with_the_reason),
    };
    return cmocka_run_group_tests(tests, make_certificate, remove_certificate);
}
