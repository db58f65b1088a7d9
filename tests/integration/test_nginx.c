/* test_nginx.c - docs/nginx.example.conf as it stands, in Debian's nginx, before the real daemon.
 *
 * Only what is of one machine is put into the example: ports, the paths of certificate and key. nginx runs as one process without rights,
 * in a folder of its own. Clients come from other addresses of loopback, so that one is told from another. */
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/base/buf.h"
#include "hydra/client/client.h"
#include "hydra/os/clock.h"
#include "hydra/os/file.h"
#include "scene.h"

#define EXAMPLE        "docs/nginx.example.conf"
#define EXAMPLE_MAX    ((size_t)64 * 1024)
#define OURS           "proxy/hydracluster.conf"
#define CONFIG_LINES   3                /* of hydraclusterd.yaml, in the example's first comment */
#define NOBODY         65534            /* Debian's nobody and nogroup, by policy */
#define STARTS_MAX     5                /* a free port may be taken before nginx has it */
#define OPENSSL_MS     20000
#define CURL_MS        60000
#define CURL_ARGS_MAX  32
#define AT_ONCE_MS     5000             /* generous for a busy machine; far below the 15 s after which a quiet stream speaks by itself */
#define POLL_SECONDS   25
#define WRONG_FREE     10
#define PER_ADDRESS    4
#define PICTURE_MAX    ((size_t)8 * 1024 * 1024)
#define BODY_MAX       ((size_t)256 * 1024)
#define SLOW_RATE      "2M"             /* bytes a second: a picture takes four */
#define ONE            "127.0.0.23"
#define ANOTHER        "127.0.0.24"
#define THIRD          "127.0.0.25"

static struct process nginx, followers[PER_ADDRESS];
static struct daemon proxied;           /* calls that go through nginx; its process is the scene's */
static unsigned port;
static char cert[HOME_PATH_SIZE], site[64];

/* ---- nginx ---- */

static const char *in_home(const char *name)
{
    static char paths[4][HOME_PATH_SIZE];
    static unsigned next;
    char *path = paths[next++ % 4];
    home_path(&scene.home, name, path);
    return path;
}

static void give_to_nobody(const char *name)
{
    if (geteuid() == 0)
        assert_int_equal(chown(in_home(name), NOBODY, NOBODY), 0);
}

static void make_certificate(void)
{
    (void)snprintf(cert, sizeof cert, "%s", in_home("proxy/cert.pem"));
    const char *const argv[] = { "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                                 "-subj", "/CN=hydra.example", "-addext", "subjectAltName=DNS:hydra.example,IP:127.0.0.1", "-days", "2",
                                 "-keyout", in_home("proxy/key.pem"), "-out", cert, NULL };
    struct process process;
    process_start(&process, argv, NULL, in_home("openssl.err"));
    assert_int_equal(process_wait(&process, OPENSSL_MS), 0);
}

/* The example, and around it what Debian's nginx.conf has: but in one process, in front, and with nothing outside the folder. */
static void write_files(void)
{
    static char text[EXAMPLE_MAX];
    char outer[2048];
    FILE *in = fopen(EXAMPLE, "r");
    assert_non_null(in);
    size_t len = fread(text, 1, sizeof text - 1, in);
    assert_int_equal(fclose(in), 0);
    assert_true(len > 0 && len < sizeof text - 1);
    text[len] = '\0';
    home_write(&scene.home, OURS, text);
    int made = snprintf(outer, sizeof outer,
                        "daemon off;\nmaster_process off;\npid nginx.pid;\nerror_log error.log info;\nevents { worker_connections 256; }\n"
                        "http {\n  access_log access.log;\n  client_body_temp_path body;\n  proxy_temp_path away;\n  fastcgi_temp_path f;\n"
                        "  uwsgi_temp_path u;\n  scgi_temp_path s;\n  include %s;\n}\n", in_home(OURS));
    assert_true(made > 0 && (size_t)made < sizeof outer);
    home_write(&scene.home, "proxy/nginx.conf", outer);
}

/* What the example's comment says belongs into hydraclusterd.yaml; the port of `listen` is the flag's. */
static void start_daemon(void)
{
    struct hc_buf config = { 0 };
    char *text = home_read(&scene.home, OURS), *rest = text;
    unsigned count = 0;
    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
        if (strncmp(line, "#     ", 6) != 0)
            continue;
        hc_buf_str(&config, line + 6);
        hc_buf_char(&config, '\n');
        count++;
    }
    assert_int_equal(count, CONFIG_LINES);
    assert_false(config.failed);
    home_write(&scene.home, "config.yaml", config.data);
    hc_buf_free(&config);
    hc_free(text);
    const char *const args[] = { "--config", in_home("config.yaml"), NULL };
    const struct daemon_options options = { .args = args };
    scene_start(&options);
}

static unsigned free_port(void)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof at;
    HC_CLEANUP(os_close) int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0 && bind(fd, (const struct sockaddr *)&at, sizeof at) == 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
    return ntohs(at.sin_port);
}

static void connect_through_it(void)
{
    char url[64];
    (void)snprintf(url, sizeof url, "https://127.0.0.1:%u", port);
    const struct client_options options = { .server_url = url, .timeout_ms = DAEMON_CALL_MS, .ca_file = cert };
    struct hc_diag diag;
    proxied.client = client_close(proxied.client);
    proxied = (struct daemon){ .home = &scene.home };
    if (client_open(&options, &proxied.client, &diag) != HC_OK)
        fail_msg("%s", diag.text);
}

/* True too when it has ended: nothing is to be waited for any more. It is ours when it shows our certificate: another program may have
 * taken the port since, and nginx then tries for seconds to get it before it ends. */
static bool serves_or_ended(void *ctx)
{
    (void)ctx;
    struct client_answer answer = { 0 };
    struct hc_diag diag;
    bool serves = client_call(proxied.client, "GET", "/livez", NULL, NULL, &answer, &diag) == HC_OK && answer.status == 200;
    client_answer_free(&answer);
    return serves || !process_running(&nginx);
}

static void run_nginx(void)
{
    static const char *const as_nobody[] = { "/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--pdeathsig=KILL" };
    const char *argv[16];
    size_t count = 0;
    for (size_t i = 0; geteuid() == 0 && i < sizeof as_nobody / sizeof as_nobody[0]; i++)
        argv[count++] = as_nobody[i];
    const char *const own[] = { "/usr/sbin/nginx", "-p", in_home("proxy"), "-c", in_home("proxy/nginx.conf"), "-e", "error.log", NULL };
    memcpy(&argv[count], own, sizeof own);
    process_start(&nginx, argv, NULL, in_home("nginx.err"));
}

static void start_both(void)
{
    char listen[64], upstream[128];
    unsigned old = 443;
    (void)snprintf(upstream, sizeof upstream, "    server %s;", scene.daemon.url + strlen("http://"));
    scene_edit(OURS, "    server 127.0.0.1:8080;", upstream);
    scene_edit(OURS, "    listen [::]:443 ssl http2;\n", "");
    scene_edit(OURS, "/etc/hydracluster/tls/cert.pem", cert);
    scene_edit(OURS, "/etc/hydracluster/tls/key.pem", in_home("proxy/key.pem"));
    for (unsigned i = 0; i < STARTS_MAX && !process_running(&nginx); i++) {
        char from[64];
        (void)snprintf(from, sizeof from, i == 0 ? "listen %u ssl" : "listen 127.0.0.1:%u ssl", old);
        port = free_port();
        (void)snprintf(listen, sizeof listen, "listen 127.0.0.1:%u ssl", port);
        scene_edit(OURS, from, listen);
        old = port;
        static const char *const names[] = { "proxy", "proxy/cert.pem", "proxy/key.pem", OURS, "proxy/nginx.conf" };
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
            give_to_nobody(names[k]);
        process_end(&nginx);
        run_nginx();
        connect_through_it();
        assert_true(wait_until(serves_or_ended, NULL, SCENE_WAIT_MS));
    }
    if (!process_running(&nginx))
        fail_msg("nginx does not run: %s", home_read(&scene.home, "nginx.err"));
    (void)snprintf(site, sizeof site, "https://hydra.example:%u", port);
}

static int set_up(void **state)
{
    (void)scene_open(state);
    if (access("/usr/sbin/nginx", X_OK) != 0)
        fail_msg("nginx is not installed: scripts/install-deps check");
    assert_int_equal(chmod(scene.home.root, 0711), 0);      /* nobody passes through; the data folder stays 0700 */
    assert_int_equal(mkdir(in_home("proxy"), 0700), 0);
    make_certificate();
    write_files();
    start_daemon();
    return 0;
}

static int tear_down(void **state)
{
    for (size_t i = 0; i < PER_ADDRESS; i++)
        process_end(&followers[i]);
    proxied.client = client_close(proxied.client);
    process_end(&nginx);
    return scene_close(state);
}

/* ---- clients that are not ours ---- */

/* curl from this address of loopback; its answer's body in the file `out`, its headers in `head`. `more` ends with NULL. */
static void start_curl(struct process *curl, const char *from, const char *const *more)
{
    char resolve[64];
    (void)snprintf(resolve, sizeof resolve, "hydra.example:%u:127.0.0.1", port);
    const char *argv[CURL_ARGS_MAX] = { "/usr/bin/curl", "--silent", "--show-error", "--max-time", "50", "--interface", from, "--cacert",
                                        cert, "--resolve", resolve, "--write-out", "%{http_code}\n" };
    size_t count = 13;
    for (size_t i = 0; more[i] != NULL; i++) {
        assert_true(count < CURL_ARGS_MAX - 1);
        argv[count++] = more[i];
    }
    process_start(curl, argv, NULL, in_home("curl.err"));
}

static long status_of(struct process *curl)
{
    char line[PROCESS_LINE_MAX];
    if (!process_line(curl, line, CURL_MS))
        fail_msg("curl said nothing: %s", home_read(&scene.home, "curl.err"));
    int code = process_wait(curl, CURL_MS);
    if (code != 0)
        fail_msg("curl ended with %d: %s", code, home_read(&scene.home, "curl.err"));
    return strtol(line, NULL, 10);
}

static const char *url_of(const char *base, const char *path)
{
    static char urls[2][256];
    static unsigned next;
    char *url = urls[next++ % 2];
    (void)snprintf(url, sizeof urls[0], "%s%s", base, path);
    return url;
}

#define CURL_OUT "--output", in_home("out"), "--dump-header", in_home("head")

static long log_in(const char *base, const char *from, const char *header, const char *token)
{
    char field[HOME_TOKEN_SIZE + 16];
    struct process curl;
    (void)snprintf(field, sizeof field, "token=%s", token);
    const char *const args[] = { CURL_OUT, "--header", header, "--data", field, url_of(base, "/login"), NULL };
    start_curl(&curl, from, args);
    return status_of(&curl);
}

static const char *bearer(const char *token)
{
    static char header[HOME_TOKEN_SIZE + 32];
    (void)snprintf(header, sizeof header, "Authorization: Bearer %s", token);
    return header;
}

static bool file_has(const char *name, const char *text)
{
    char *all = home_read(&scene.home, name);
    bool has = strstr(all, text) != NULL;
    hc_free(all);
    return has;
}

/* ---- what it must not break ---- */

static void test_nginx__a_visit__works_through_it(void **state)
{
    (void)state;
    struct held_lease lease;
    start_both();
    fleet_venue(&proxied, "north", "museum");
    struct node body = fleet_body(&proxied, "b1", "north"), head = fleet_head(&proxied, "h1", "north");
    struct call call = fleet_reports_modern(&proxied, &body, "idle", NULL);
    call_free(&call);
    call = fleet_claims(&proxied, &head, "a-1");
    assert_int_equal(call.status, 201);
    assert_true(fleet_lease_of(&call, &lease));
    call_free(&call);
    assert_int_equal(fleet_renews(&proxied, &head, &lease), 200);
    assert_int_equal(fleet_releases(&proxied, &head, &lease, "user_exit"), 204);
}

/* Wrong logins are counted by the address: each visitor's own, and not what he says it is. */
static void test_nginx__wrong_logins__slow_the_real_address_alone(void **state)
{
    (void)state;
    start_both();
    for (unsigned i = 1; i < WRONG_FREE; i++)
        assert_int_equal(log_in(site, ONE, "X-Forwarded-For: 10.66.66.66", "wrong"), 401);
    assert_int_equal(log_in(site, ONE, "X-Forwarded-For: 10.66.66.67", "wrong"), 429);
    assert_true(file_has("head", "retry-after: "));
    assert_true(file_has("out", "Too many wrong tokens came from this address."));
    assert_int_equal(log_in(site, ONE, "X-Forwarded-For: " ANOTHER, scene.home.admin_token), 429);
    assert_int_equal(log_in(site, ANOTHER, "Accept: */*", scene.home.admin_token), 303);
    assert_true(scene_log_has("event=page_login_refused address=" ONE));
    assert_true(scene_log_has("address=" ANOTHER));
    assert_false(scene_log_has("10.66.66.6"));
}

/* Past nginx, straight to the daemon's port: this address is no trusted proxy. */
static void test_nginx__forged_address_of_a_stranger__is_ignored(void **state)
{
    (void)state;
    start_both();
    for (unsigned i = 1; i < WRONG_FREE; i++)
        assert_int_equal(log_in(scene.daemon.url, THIRD, "X-Forwarded-For: " ONE, "wrong"), 401);
    assert_int_equal(log_in(scene.daemon.url, THIRD, "X-Forwarded-For: " ANOTHER, "wrong"), 429);
    assert_true(scene_log_has("event=page_login_refused address=" THIRD));
    assert_false(scene_log_has("address=" ONE));
    assert_int_equal(log_in(site, ONE, "Accept: */*", scene.home.admin_token), 303);       /* nobody else is slowed by it */
}

static void start_follower(struct process *curl, const char *from)
{
    char line[PROCESS_LINE_MAX];
    const char *const args[] = { "--no-buffer", "--include", "--header", bearer(scene.home.admin_token),
                                 url_of(site, "/api/v1/events?follow=1"), NULL };
    start_curl(curl, from, args);
    assert_true(process_line(curl, line, SCENE_WAIT_MS));
    if (strncmp(line, "HTTP/2 200", strlen("HTTP/2 200")) != 0)
        fail_msg("a follower got: %s %s", line, home_read(&scene.home, "curl.err"));
}

static void test_nginx__events__arrive_at_once(void **state)
{
    (void)state;
    char line[PROCESS_LINE_MAX] = "";
    start_both();
    start_follower(&followers[0], ONE);
    (void)fleet_body(&scene.daemon, "b1", "north");
    int64_t begin = os_monotonic_ms();
    while (strcmp(line, "event: node_enrolled") != 0)
        if (!process_line(&followers[0], line, AT_ONCE_MS - (os_monotonic_ms() - begin)))
            fail_msg("no event within %d ms", AT_ONCE_MS);
}

static void start_poll(struct process *curl, const struct node *head)
{
    char path[128];
    (void)snprintf(path, sizeof path, "/api/v1/heads/%s/admission?wait=%d", head->id, POLL_SECONDS);
    const char *const args[] = { CURL_OUT, "--header", bearer(head->token), url_of(site, path), NULL };
    start_curl(curl, ONE, args);
}

static bool one_waits(void *ctx)
{
    (void)ctx;
    return scene_parked("news") == 1;
}

static void test_nginx__long_poll__has_its_whole_time_and_news_end_it(void **state)
{
    (void)state;
    struct process curl;
    start_both();
    struct node body = fleet_body(&scene.daemon, "b1", "north"), head = fleet_head(&scene.daemon, "h1", "north");
    struct call call = fleet_reports_modern(&scene.daemon, &body, "idle", NULL);
    call_free(&call);
    int64_t begin = os_monotonic_ms();
    start_poll(&curl, &head);
    assert_int_equal(status_of(&curl), 200);
    assert_true(os_monotonic_ms() - begin >= POLL_SECONDS * INT64_C(1000) - 500);
    start_poll(&curl, &head);
    assert_true(wait_until(one_waits, NULL, SCENE_WAIT_MS));
    begin = os_monotonic_ms();
    call = fleet_claims(&scene.daemon, &head, "a-1");
    assert_true(call.status == 201 || call.status == 202);      /* its body may be stale by now: then it waits in line, which is news too */
    call_free(&call);
    assert_int_equal(status_of(&curl), 200);
    assert_true(os_monotonic_ms() - begin < AT_ONCE_MS);
    assert_true(file_has("out", "\"experience\":\"" FLEET_EXPERIENCE "\""));
}

/* With the cookie of the login: a look, and a hand that needs the page's own Origin. */
static void test_nginx__operator_page__logs_in_looks_and_acts(void **state)
{
    (void)state;
    char origin[96], field[HOME_TOKEN_SIZE + 16], path[128];
    struct process curl;
    start_both();
    struct node body = fleet_body(&scene.daemon, "b1", "north");
    (void)snprintf(origin, sizeof origin, "Origin: %s", site);
    (void)snprintf(field, sizeof field, "token=%s", scene.home.admin_token);
    const char *const login[] = { CURL_OUT, "--cookie-jar", in_home("jar"), "--header", origin, "--data", field, url_of(site, "/login"),
                                  NULL };
    start_curl(&curl, ONE, login);
    assert_int_equal(status_of(&curl), 303);
    assert_true(file_has("head", "; HttpOnly") && file_has("head", "; Secure"));
    const char *const look[] = { CURL_OUT, "--cookie", in_home("jar"), url_of(site, "/"), NULL };
    start_curl(&curl, ONE, look);
    assert_int_equal(status_of(&curl), 200);
    assert_true(file_has("out", "name=\"hydra-role\" content=\"admin\""));
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s/drain", body.id);
    for (unsigned i = 0; i < 2; i++) {
        const char *const drain[] = { CURL_OUT, "--cookie", in_home("jar"), "--header", i == 0 ? origin : "Origin: https://evil.example",
                                      "--header", "Content-Type: application/json", "--data",
                                      "{\"deadline_seconds\":60,\"dry_run\":true}", url_of(site, path), NULL };
        start_curl(&curl, ONE, drain);
        assert_int_equal(status_of(&curl), i == 0 ? 200 : 403);
    }
}

/* /metrics is open on loopback, and all that nginx brings comes from there. */
static void test_nginx__metrics__are_not_opened_by_it(void **state)
{
    (void)state;
    struct process curl;
    start_both();
    for (unsigned i = 0; i < 2; i++) {
        const char *const args[] = { CURL_OUT, url_of(i == 0 ? site : scene.daemon.url, "/metrics"), NULL };
        start_curl(&curl, "127.0.0.1", args);
        assert_int_equal(status_of(&curl), i == 0 ? 401 : 200);
    }
}

/* The status of this many bytes; the answer must be JSON whoever refuses. */
static long post_bytes(const char *path, const char *token, const char *type, size_t len)
{
    char from[HOME_PATH_SIZE + 8];
    struct process curl;
    home_write(&scene.home, "bytes", "\xff\xd8\xff");           /* how a JPEG begins */
    assert_int_equal(truncate(in_home("bytes"), (off_t)len), 0);
    (void)snprintf(from, sizeof from, "@%s", in_home("bytes"));
    const char *const args[] = { CURL_OUT, "--header", bearer(token), "--header", type, "--data-binary", from, url_of(site, path), NULL };
    start_curl(&curl, ONE, args);
    long status = status_of(&curl);
    if (status >= 400 && !file_has("out", "\"error\":"))
        fail_msg("%s, %zu bytes: %ld %s", path, len, status, home_read(&scene.home, "out"));
    return status;
}

/* On both sides of both limits, and with a token that the daemon refuses before it has read the body. */
static void test_nginx__large_bodies__taken_or_refused_as_without_it(void **state)
{
    (void)state;
    static const char picture[] = "Content-Type: image/jpeg", json[] = "Content-Type: application/json";
    char path[128];
    start_both();
    struct node body = fleet_body(&scene.daemon, "b1", "north"), head = fleet_head(&scene.daemon, "h1", "north");
    (void)snprintf(path, sizeof path, "/api/v1/heads/%s/screenshot", head.id);
    assert_int_equal(post_bytes(path, head.token, picture, PICTURE_MAX), 204);
    assert_int_equal(post_bytes(path, head.token, picture, PICTURE_MAX + 1), 413);
    assert_int_equal(post_bytes("/api/v1/body/status", body.token, json, BODY_MAX), 400);       /* it is no JSON */
    assert_int_equal(post_bytes("/api/v1/body/status", body.token, json, BODY_MAX + 1), 413);
    assert_int_equal(post_bytes("/api/v1/body/status", body.token, json, PICTURE_MAX), 413);
    assert_int_equal(post_bytes("/api/v1/body/status", "no-such-token", json, BODY_MAX), 401);
}

/* More than the sockets on the way hold. With `proxy_buffering on` nginx takes it all from the daemon at once, puts what the reader has not
 * taken into a file, and says so; without it the daemon sees how slow the reader is. */
static void test_nginx__slow_reader__nothing_is_put_aside(void **state)
{
    (void)state;
    char path[128];
    struct process curl;
    start_both();
    struct node head = fleet_head(&scene.daemon, "h1", "north");
    (void)snprintf(path, sizeof path, "/api/v1/heads/%s/screenshot", head.id);
    const char *const args[] = { "--output", in_home("picture"), "--http1.1", "--limit-rate", SLOW_RATE, "--header",
                                 bearer(scene.home.admin_token), url_of(site, path), NULL };
    start_curl(&curl, ONE, args);
    assert_true(wait_until(one_waits, NULL, SCENE_WAIT_MS));        /* for the head's picture */
    assert_int_equal(post_bytes(path, head.token, "Content-Type: image/jpeg", PICTURE_MAX), 204);
    assert_int_equal(status_of(&curl), 200);
    assert_false(file_has("proxy/error.log", "an upstream response is buffered to a temporary file"));
}

static void test_nginx__too_many_of_one_address__told_and_others_are_served(void **state)
{
    (void)state;
    struct process curl;
    scene_edit(OURS, "limit_conn hydracluster_address 256;", "limit_conn hydracluster_address 4;");
    start_both();
    for (size_t i = 0; i < PER_ADDRESS; i++)
        start_follower(&followers[i], ONE);
    for (unsigned i = 0; i < 2; i++) {
        const char *const args[] = { CURL_OUT, url_of(site, "/livez"), NULL };
        start_curl(&curl, i == 0 ? ONE : ANOTHER, args);
        assert_int_equal(status_of(&curl), i == 0 ? 429 : 200);
        if (i == 0)
            assert_true(file_has("head", "retry-after: ") && file_has("out", "\"error\":\"too_many_connections\""));
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_nginx__a_visit__works_through_it),
        TEST(test_nginx__wrong_logins__slow_the_real_address_alone),
        TEST(test_nginx__forged_address_of_a_stranger__is_ignored),
        TEST(test_nginx__events__arrive_at_once),
        TEST(test_nginx__long_poll__has_its_whole_time_and_news_end_it),
        TEST(test_nginx__operator_page__logs_in_looks_and_acts),
        TEST(test_nginx__metrics__are_not_opened_by_it),
        TEST(test_nginx__large_bodies__taken_or_refused_as_without_it),
        TEST(test_nginx__slow_reader__nothing_is_put_aside),
        TEST(test_nginx__too_many_of_one_address__told_and_others_are_served),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
