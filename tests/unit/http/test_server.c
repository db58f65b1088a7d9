#include "fixture.h"

#include <string.h>

#include "../../../src/http/refused_log.h"
#include "hydra/base/log.h"
#include "hydra/os/clock.h"

static void ignore(void *ctx, struct http_request *req)
{
    (void)ctx;
    (void)req;
}

static enum hc_err try_start(const struct http_config *config, struct hc_diag *diag)
{
    struct metrics *metrics = metrics_new();
    struct http_owner owner = { .begin = ignore, .ready = ignore, .done = ignore };
    struct http_server *server = NULL;
    enum hc_err err = http_start(config, &owner, metrics, &server, diag);
    assert_int_equal(err == HC_OK, server != NULL);
    http_free(server);
    metrics_free(metrics);
    return err;
}

static void test_start__unusable_configuration__refused_and_named(void **state)
{
    (void)state;
    struct hc_diag diag;
    struct http_config config = fixture_config();
    config.address = "localhost";
    assert_int_equal(try_start(&config, &diag), HC_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "localhost"));
    config = fixture_config();
    config.limits.per_address = 0;
    assert_int_equal(try_start(&config, &diag), HC_ERR_CONFIG);
    config = fixture_config();
    static const char *const proxies[] = { "127.0.0.1", "proxy.example" };
    config.trusted_proxies = proxies;
    config.trusted_proxy_count = 2;
    assert_int_equal(try_start(&config, &diag), HC_ERR_CONFIG);
    assert_non_null(strstr(diag.text, "proxy.example"));
    config = fixture_config();
    config.limits.connections = 1000000000;       /* more descriptors than there are */
    assert_int_not_equal(try_start(&config, &diag), HC_OK);
}

static void test_start__port_in_use__refused_and_free_again_after_stop(void **state)
{
    (void)state;
    struct fixture f;
    struct hc_diag diag;
    fixture_open(&f);
    struct http_config config = fixture_config();
    config.port = http_port(f.server);
    assert_int_equal(try_start(&config, &diag), HC_ERR_NET);
    assert_non_null(strstr(diag.text, "in use"));
    int fd = client_open(&f);                      /* a used connection must not hold the port */
    client_expect(&f, fd, "GET /show HTTP/1.1\r\nHost: x\r\n\r\n", 200);
    fixture_close(&f);
    assert_int_equal(try_start(&config, &diag), HC_OK);
    client_close(&fd);
}

static void test_start__ipv6_loopback__peer_named(void **state)
{
    (void)state;
    struct hc_diag diag;
    struct http_config config = fixture_config();
    config.address = "::1";
    enum hc_err err = try_start(&config, &diag);
    if (err == HC_ERR_NET) {
        print_message("no IPv6 here: %s\n", diag.text);
        skip();
    }
    assert_int_equal(err, HC_OK);
}

static void test_start__no_memory__said_and_nothing_kept(void **state)
{
    (void)state;
    struct http_config config = fixture_config();
    struct http_owner owner = { .begin = ignore, .ready = ignore, .done = ignore };
    struct metrics *metrics = metrics_new();
    struct http_server *server = NULL;
    unsigned n = 1;
    for (; n < 20; n++) {
        hc_alloc_fail_after(n);
        enum hc_err err = http_start(&config, &owner, metrics, &server, NULL);
        hc_alloc_fail_after(0);
        if (err == HC_OK)
            break;
        assert_int_equal(err, HC_ERR_NOMEM);
        assert_null(server);
    }
    assert_in_range(n, 3, 19);
    http_free(server);
    metrics_free(metrics);
}

static unsigned library_lines;

static void count_line(const char *line)
{
    library_lines += strstr(line, "event=http_library ") != NULL;
}

static void test_library_log__a_peer_that_provokes_lines__few_are_written_the_rest_counted(void **state)
{
    (void)state;
    enum { PROVOKED = 40 };
    struct fixture f;
    fixture_open(&f);
    library_lines = 0;
    hc_log_sink_set(count_line);
    int64_t start = os_monotonic_ms();
    for (int i = 0; i < PROVOKED; i++) {
        int fd = client_open(&f);
        client_say(&f, fd, "GET /show HTTP/1.1\r\n\r\n");       /* no Host */
        client_until_closed(&f, fd);
        client_close(&fd);
    }
    unsigned seconds = (unsigned)((os_monotonic_ms() - start) / 1000) + 2;
    assert_in_range(library_lines, 1, 5 * seconds);
    assert_true(fixture_metric(&f, "hydracluster_log_lines_dropped_total ") >= PROVOKED - 5 * (double)seconds);
    fixture_close(&f);
}

static unsigned request_lines;

static void keep_line(const char *line)
{
    request_lines += strstr(line, "event=http_request id=log.1 peer=127.0.0.1 method=GET path=/show route=/show status=200 ") != NULL;
}

static void test_request_log__when_asked_for__one_line_with_the_id(void **state)
{
    (void)state;
    struct fixture f;
    struct http_config config = fixture_config();
    config.log_each_request = true;
    fixture_open_with(&f, config);
    hc_log_sink_set(keep_line);
    int fd = client_open(&f);
    client_expect(&f, fd, "GET /show HTTP/1.1\r\nHost: x\r\nX-Request-Id: log.1\r\n\r\n", 200);
    fixture_for(&f, 20);
    assert_int_equal(request_lines, 1);
    client_close(&fd);
    fixture_close(&f);
}

static struct { unsigned all, named, quiet, secrets; } refused_lines;

static void count_refused(const char *line)
{
    refused_lines.all += strstr(line, "event=http_refused ") != NULL;
    refused_lines.named += strstr(line, "event=http_refused id=log.2 peer=127.0.0.1 method=GET path=/early route=/early status=401 ") ||
                           strstr(line, "event=http_refused id=log.3 peer=127.0.0.1 method=GET path=- route=none status=400 ");
    refused_lines.quiet += strstr(line, "event=http_refused_quiet dropped=") != NULL;
    refused_lines.secrets += strstr(line, "s3cret") != NULL;
}

static void test_refused_log__400_and_above__a_line_with_the_id_that_the_peer_got(void **state)
{
    (void)state;
    struct fixture f;
    fixture_open(&f);
    memset(&refused_lines, 0, sizeof refused_lines);
    hc_log_sink_set(count_refused);
    int fd = client_open(&f);
    client_expect(&f, fd, "GET /show HTTP/1.1\r\nHost: x\r\nX-Request-Id: log.1\r\n\r\n", 200);
    client_expect(&f, fd, "GET /early?status=401&k=s3cret HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer s3cret\r\n"
                          "X-Request-Id: log.2\r\n\r\n", 401);
    client_expect(&f, fd, "GET /show?k=%00 HTTP/1.1\r\nHost: x\r\nX-Request-Id: log.3\r\n\r\n", 400);
    fixture_for(&f, 20);
    assert_int_equal(refused_lines.all, 2);
    assert_int_equal(refused_lines.named, 2);
    assert_int_equal(refused_lines.secrets, 0);
    client_close(&fd);
    fixture_close(&f);
}

static void test_refused_log__many_in_a_second__few_lines_and_how_many_not(void **state)
{
    (void)state;
    struct refused_log log = { 0 };
    memset(&refused_lines, 0, sizeof refused_lines);
    hc_log_sink_set(count_refused);
    unsigned room = 0;
    for (unsigned i = 0; i < 3 * REFUSED_LINES_PER_SECOND; i++)
        room += refused_log_room(&log, 5000, NULL);
    assert_int_equal(room, REFUSED_LINES_PER_SECOND);
    assert_int_equal(log.dropped, 2 * REFUSED_LINES_PER_SECOND);
    assert_false(refused_log_room(&log, 5999, NULL));
    assert_int_equal(refused_lines.quiet, 0);
    assert_true(refused_log_room(&log, 6000, NULL));
    assert_int_equal(refused_lines.quiet, 1);
    hc_log_sink_set(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start__unusable_configuration__refused_and_named),
        cmocka_unit_test(test_start__port_in_use__refused_and_free_again_after_stop),
        cmocka_unit_test(test_start__ipv6_loopback__peer_named),
        cmocka_unit_test(test_start__no_memory__said_and_nothing_kept),
        cmocka_unit_test(test_library_log__a_peer_that_provokes_lines__few_are_written_the_rest_counted),
        cmocka_unit_test(test_request_log__when_asked_for__one_line_with_the_id),
        cmocka_unit_test(test_refused_log__400_and_above__a_line_with_the_id_that_the_peer_got),
        cmocka_unit_test(test_refused_log__many_in_a_second__few_lines_and_how_many_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
