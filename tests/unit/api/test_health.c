/* /health, /livez, /readyz, /metrics: what an operator's tools ask, also while the store is down. */
#include "fixture.h"

#include <stdio.h>
#include <string.h>

#include "hydra/os/clock.h"

static const char *const prefixes[] = { "", "/api/v1" };

static void plain(struct rig *r, const char *name, int status, const char *text)
{
    for (size_t i = 0; i < 2; i++) {
        struct reply reply;
        char path[64];
        (void)snprintf(path, sizeof path, "%s%s", prefixes[i], name);
        rig_ask(r, "GET", path, NULL, NULL, &reply);
        if (reply.status != status || strncmp(reply.body, text, strlen(text)) != 0)
            fail_msg("%s: %d %s", path, reply.status, reply.body);
        assert_true(reply_has(&reply, "Content-Type: text/plain"));
        reply_free(&reply);
    }
}

static void health(struct rig *r, const char *status, const char *store)
{
    for (size_t i = 0; i < 2; i++) {
        struct reply reply;
        char path[64];
        (void)snprintf(path, sizeof path, "%s/health", prefixes[i]);
        rig_ask(r, "GET", path, NULL, NULL, &reply);
        assert_int_equal(reply.status, 200);
        assert_string_equal(reply_text(&reply, "service"), "hydraclusterd");
        assert_string_equal(reply_text(&reply, "version"), "0.0.1");
        assert_string_equal(reply_text(&reply, "district"), RIG_DISTRICT);
        assert_true(reply_int(&reply, "uptime_seconds") >= 0);
        assert_string_equal(reply_text(&reply, "status"), status);
        assert_string_equal(reply_text(&reply, "dependencies.store"), store);
        assert_string_equal(reply_text(&reply, "dependencies.history"), "ok");
        reply_free(&reply);
    }
}

static void test_health__all_is_well__says_so_to_everybody(void **state)
{
    struct rig *r = *state;
    health(r, "ok", "ok");
    plain(r, "/livez", 200, "ok");
    plain(r, "/readyz", 200, "ok");
}

static void test_readyz__store_is_down__names_the_reason(void **state)
{
    struct rig *r = *state;
    rig_store_fails(r, true);
    rig_expect(r, "PUT", "/api/v1/venues/x", RIG_ADMIN, "{}", 503, "store_unavailable", "");
    health(r, "degraded", "down");
    plain(r, "/livez", 200, "ok");
    plain(r, "/readyz", 503, "store_down: the disk is full\n");
}

static bool is_ready(void *arg)
{
    struct reply reply;
    rig_ask(arg, "GET", "/readyz", NULL, NULL, &reply);
    bool ready = reply.status == 200;
    reply_free(&reply);
    return ready;
}

static void test_readyz__store_comes_back__is_ready_by_itself(void **state)
{
    struct rig *r = *state;
    rig_store_fails(r, true);
    rig_expect(r, "PUT", "/api/v1/venues/x", RIG_ADMIN, "{}", 503, "store_unavailable", "");
    rig_store_fails(r, false);
    rig_until(r, is_ready, r);
    health(r, "ok", "ok");
}

static void test_readyz__stopping__is_not_ready(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    api_stopping(r->api);
    rig_ask(r, "GET", "/readyz", NULL, NULL, &reply);
    assert_int_equal(reply.status, 503);
    assert_string_equal(reply.body, "stopping\n");
    assert_true(reply_has(&reply, "Retry-After: "));
    reply_free(&reply);
    plain(r, "/livez", 200, "ok");
}

static void test_health__while_a_save_hangs__waits_for_nothing(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    rig_store_hangs(r, true);
    int fd = rig_start(r, "PUT", "/api/v1/venues/x", RIG_ADMIN, "{}");
    rig_parked(r, "commit", 1);
    int64_t start_ms = os_monotonic_ms();
    health(r, "ok", "ok");
    plain(r, "/readyz", 200, "ok");
    rig_ask(r, "GET", "/metrics", RIG_READ, NULL, &reply);
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
    assert_true(os_monotonic_ms() - start_ms < 3000);
    rig_store_hangs(r, false);
    rig_answer(r, fd, &reply);
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
}

static void has_line(const struct reply *reply, const char *format, ...) HC_PRINTF(2, 3);
static void has_line(const struct reply *reply, const char *format, ...)
{
    char line[512] = "\n";
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line + 1, sizeof line - 1, format, args);
    va_end(args);
    if (strstr(reply->body, line) == NULL)
        fail_msg("no line %s in:\n%s", line + 1, reply->body);
}

static void test_metrics__fleet__has_its_gauges(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    char b1[HC_ID_SIZE], b2[HC_ID_SIZE], h1[HC_ID_SIZE], h2[HC_ID_SIZE], token[RIG_TOKEN_SIZE], head_token[RIG_TOKEN_SIZE],
        second_token[RIG_TOKEN_SIZE];
    rig_body(r, "b1", "north", b1, token);
    rig_body(r, "b2", "north", b2, token);
    rig_head(r, "h1", "south", h1, head_token);
    rig_head(r, "h2", "south", h2, second_token);
    rig_report(r, b1);
    rig_claim(r, h1, head_token, "a-1", 201, &reply);
    reply_free(&reply);
    rig_claim(r, h2, second_token, "a-2", 202, &reply);
    reply_free(&reply);
    rig_ask(r, "GET", "/metrics", RIG_READ, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_true(reply_has(&reply, "Content-Type: text/plain; version=0.0.4"));
    has_line(&reply, "hydracluster_slots_total{venue=\"north\",body=\"%s\"} 1\n", b1);
    has_line(&reply, "hydracluster_slots_occupied{venue=\"north\",body=\"%s\",cause=\"leased\"} 1\n", b1);
    has_line(&reply, "hydracluster_slots_occupied{venue=\"north\",body=\"%s\",cause=\"no_report\"} 1\n", b2);
    has_line(&reply, "hydracluster_queue_depth{venue=\"other\"} 1\n");         /* nobody PUT `south`, and no body stands there */
    has_line(&reply, "hydracluster_lease_age_seconds{venue=\"north\",body=\"%s\",slot=\"0\"} ", b1);
    has_line(&reply, "hydracluster_body_report_age_seconds{body=\"%s\"} ", b1);
    has_line(&reply, "hydracluster_circuit_open{body=\"%s\"} 0\n", b1);
    has_line(&reply, "hydracluster_divergence{kind=\"unauthorized_stream\"} 0\n");
    has_line(&reply, "hydracluster_claims_granted_total{");
    has_line(&reply, "hydracluster_body_report_age_seconds{body=\"%s\"} ", b2);      /* since it was enrolled */
    has_line(&reply, "hydracluster_body_online{body=\"%s\"} 1\n", b1);
    char absent[160];
    (void)snprintf(absent, sizeof absent, "hydracluster_named_certs_count{body=\"%s\"}", b2);
    assert_null(strstr(reply.body, absent));
    reply_free(&reply);
}

struct asked { struct rig *r; const char *path, *token; char op_id[HC_ID_SIZE]; };

static bool is_asked(void *arg)
{
    struct asked *asked = arg;
    struct reply reply;
    rig_ask(asked->r, "GET", asked->path, asked->token, NULL, &reply);
    if (reply.status == 200)
        HC_SET(asked->op_id, reply_text(&reply, "op_id"));
    reply_free(&reply);
    return asked->op_id[0] != '\0';
}

/* A body that lists no clients in its reports is known by the custodian's list. */
static void test_metrics__custodian__is_timed_and_counts_the_clients(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    char b1[HC_ID_SIZE], token[RIG_TOKEN_SIZE], next[128], result[256];
    rig_body(r, "b1", "north", b1, token);
    rig_report(r, b1);
    rig_ask(r, "GET", "/metrics", RIG_READ, NULL, &reply);
    has_line(&reply, "hydracluster_named_certs_count{body=\"%s\"} 0\n", b1);
    assert_null(strstr(reply.body, "\nhydracluster_custodian_last_success_timestamp_seconds{"));      /* its agent takes no operations */
    reply_free(&reply);
    (void)snprintf(next, sizeof next, "/api/v1/nodes/%s/ops/next", b1);
    rig_expect(r, "GET", next, token, NULL, 204, "", "");
    rig_ask(r, "GET", "/metrics", RIG_READ, NULL, &reply);
    has_line(&reply, "hydracluster_custodian_last_success_timestamp_seconds{body=\"%s\"} ", b1);     /* since when it could have been */
    reply_free(&reply);
    struct core_event tick = { .type = CORE_TICK };
    rig_event(r, &tick);
    struct asked asked = { r, next, token, "" };
    rig_until(r, is_asked, &asked);
    (void)snprintf(result, sizeof result, "/api/v1/nodes/%s/ops/%s/result", b1, asked.op_id);
    rig_expect(r, "POST", result, token, "{\"state\":\"done\",\"output\":{\"status\":true,\"named_certs\":["
               "{\"name\":\"a\",\"uuid\":\"u-1\"},{\"name\":\"b\",\"uuid\":\"u-2\"}]}}", 204, "", "");
    rig_ask(r, "GET", "/metrics", RIG_READ, NULL, &reply);
    has_line(&reply, "hydracluster_named_certs_count{body=\"%s\"} 2\n", b1);
    reply_free(&reply);
}

static void test_metrics__lease_is_over__its_series_goes(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    char b1[HC_ID_SIZE], h1[HC_ID_SIZE], token[RIG_TOKEN_SIZE], head_token[RIG_TOKEN_SIZE], path[160];
    rig_body(r, "b1", "north", b1, token);
    rig_head(r, "h1", "north", h1, head_token);
    rig_report(r, b1);
    rig_claim(r, h1, head_token, "a-1", 201, &reply);
    (void)snprintf(path, sizeof path, "/api/v1/leases/%s/revoke", reply_text(&reply, "lease.id"));
    reply_free(&reply);
    rig_ask(r, "GET", "/metrics", RIG_READ, NULL, &reply);
    assert_non_null(strstr(reply.body, "\nhydracluster_lease_age_seconds{"));
    reply_free(&reply);
    rig_expect(r, "POST", path, RIG_ADMIN, "{}", 200, "", "");
    rig_ask(r, "GET", "/metrics", RIG_READ, NULL, &reply);
    assert_null(strstr(reply.body, "\nhydracluster_lease_age_seconds{"));
    reply_free(&reply);
}

static void test_metrics__open_on_loopback__only_while_configured_and_not_for_proxies(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    for (size_t i = 0; i < 2; i++) {
        char path[64];
        (void)snprintf(path, sizeof path, "%s/metrics", prefixes[i]);
        rig_ask(r, "GET", path, NULL, NULL, &reply);
        assert_int_equal(reply.status, 200);
        reply_free(&reply);
    }
    rig_ask_raw(r, "GET", "/metrics", NULL, "X-Forwarded-For: 203.0.113.7\r\n", NULL, 0, &reply);
    assert_int_equal(reply.status, 401);
    reply_free(&reply);
    struct api_config closed = r->config;
    closed.metrics_on_loopback = false;
    api_configure(r->api, &closed);
    rig_expect(r, "GET", "/metrics", NULL, NULL, 401, "unauthorized", "");
    rig_expect(r, "GET", "/metrics", RIG_FLEET, NULL, 403, "forbidden", "");
    rig_ask(r, "GET", "/metrics", RIG_ADMIN, NULL, &reply);
    assert_int_equal(reply.status, 200);
    reply_free(&reply);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_health__all_is_well__says_so_to_everybody),
        RIG_TEST(test_readyz__store_is_down__names_the_reason),
        RIG_TEST(test_readyz__store_comes_back__is_ready_by_itself),
        RIG_TEST(test_readyz__stopping__is_not_ready),
        RIG_TEST(test_health__while_a_save_hangs__waits_for_nothing),
        RIG_TEST(test_metrics__fleet__has_its_gauges),
        RIG_TEST(test_metrics__custodian__is_timed_and_counts_the_clients),
        RIG_TEST(test_metrics__lease_is_over__its_series_goes),
        RIG_TEST(test_metrics__open_on_loopback__only_while_configured_and_not_for_proxies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
