#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "hydra/base/arena.h"
#include "hydra/base/id.h"
#include "hydra/metrics/metrics.h"

static int setup(void **state)
{
    *state = metrics_new();
    return *state == NULL;
}

static int teardown(void **state)
{
    metrics_free(*state);
    return 0;
}

static bool has_line(struct metrics *m, const char *line)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 }, want = { 0 };
    hc_buf_char(&text, '\n');
    metrics_write(m, &text);
    hc_buf_printf(&want, "\n%s\n", line);
    return strstr(text.data, want.data) != NULL;
}

static void test_counter__added_to__per_series(void **state)
{
    struct metrics *m = *state;
    metrics_add(m, METRIC_HTTP_REQUESTS, 1, "/slots", "200");
    metrics_add(m, METRIC_HTTP_REQUESTS, 2, "/slots", "200");
    metrics_add(m, METRIC_HTTP_REQUESTS, 0.5, "/slots", "503");
    assert_true(has_line(m, "# HELP hydracluster_http_requests_total Requests answered."));
    assert_true(has_line(m, "# TYPE hydracluster_http_requests_total counter"));
    assert_true(has_line(m, "hydracluster_http_requests_total{route=\"/slots\",status=\"200\"} 3"));
    assert_true(has_line(m, "hydracluster_http_requests_total{route=\"/slots\",status=\"503\"} 0.5"));
}

static void test_new__without_labels__counters_and_histograms_at_zero(void **state)
{
    struct metrics *m = *state;
    assert_true(has_line(m, "hydracluster_lease_edge_errors_total 0"));
    assert_true(has_line(m, "hydracluster_claim_latency_seconds_count 0"));
    assert_false(has_line(m, "# TYPE hydracluster_store_up gauge"));
    assert_false(has_line(m, "# TYPE hydracluster_http_requests_total counter"));
}

static void test_gauge__set_added_cleared_set__only_the_new(void **state)
{
    struct metrics *m = *state;
    metrics_set(m, METRIC_STORE_UP, 1);
    assert_true(has_line(m, "hydracluster_store_up 1"));
    metrics_set(m, METRIC_QUEUE_DEPTH, 4, "north");
    metrics_add(m, METRIC_QUEUE_DEPTH, -5, "north");
    metrics_set(m, METRIC_QUEUE_DEPTH, 2, "south");
    assert_true(has_line(m, "hydracluster_queue_depth{venue=\"north\"} -1"));
    metrics_clear(m, METRIC_QUEUE_DEPTH);
    assert_false(has_line(m, "# TYPE hydracluster_queue_depth gauge"));
    metrics_set(m, METRIC_QUEUE_DEPTH, 7, "south");
    assert_true(has_line(m, "hydracluster_queue_depth{venue=\"south\"} 7"));
    assert_false(has_line(m, "hydracluster_queue_depth{venue=\"north\"} -1"));
    metrics_clear(m, METRIC_DIVERGENCE);    /* nothing there */
}

static void test_labels__odd_values__escaped_and_cut(void **state)
{
    struct metrics *m = *state;
    char lengthy[HC_NAME_MAX + 20], line[400];
    memset(lengthy, 'x', sizeof lengthy);
    memcpy(lengthy + HC_NAME_MAX - 1, "\xc3\xa9", 3);    /* the cut would fall within a character */
    metrics_set(m, METRIC_QUEUE_DEPTH, 1, "a\"b\\c\nd");
    metrics_set(m, METRIC_QUEUE_DEPTH, 2, (const char *)NULL);
    metrics_set(m, METRIC_QUEUE_DEPTH, 3, lengthy);
    assert_true(has_line(m, "hydracluster_queue_depth{venue=\"a\\\"b\\\\c\\nd\"} 1"));
    assert_true(has_line(m, "hydracluster_queue_depth{venue=\"\"} 2"));
    (void)snprintf(line, sizeof line, "hydracluster_queue_depth{venue=\"%.*s\"} 3", HC_NAME_MAX - 1, lengthy);
    assert_true(has_line(m, line));
}

static void test_labels__every_row__as_many_values_as_names(void **state)
{
    struct metrics *m = *state;
    metrics_add(m, METRIC_CLAIMS_DENIED, 1, "v", "no_slot", "hv", "bv");
    metrics_set(m, METRIC_SLOTS_OCCUPIED, 2, "v", "b", "lease");
    assert_true(has_line(m, "hydracluster_claims_denied_total{venue=\"v\",reason=\"no_slot\",head_venue=\"hv\",body_venue=\"bv\"} 1"));
    assert_true(has_line(m, "hydracluster_slots_occupied{venue=\"v\",body=\"b\",cause=\"lease\"} 2"));
}

static void test_histogram__below_at_and_above_bounds__cumulative(void **state)
{
    struct metrics *m = *state;
    static const double values[] = { 0, 0.0005, 0.00051, 9, 9.01, 1e9 };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        metrics_observe(m, METRIC_CLAIM_LATENCY, values[i]);
    assert_true(has_line(m, "# TYPE hydracluster_claim_latency_seconds histogram"));
    assert_true(has_line(m, "hydracluster_claim_latency_seconds_bucket{le=\"0.0005\"} 2"));
    assert_true(has_line(m, "hydracluster_claim_latency_seconds_bucket{le=\"0.001\"} 3"));
    assert_true(has_line(m, "hydracluster_claim_latency_seconds_bucket{le=\"5\"} 3"));
    assert_true(has_line(m, "hydracluster_claim_latency_seconds_bucket{le=\"9\"} 4"));
    assert_true(has_line(m, "hydracluster_claim_latency_seconds_bucket{le=\"15\"} 5"));
    assert_true(has_line(m, "hydracluster_claim_latency_seconds_bucket{le=\"1800\"} 5"));
    assert_true(has_line(m, "hydracluster_claim_latency_seconds_bucket{le=\"+Inf\"} 6"));
    assert_true(has_line(m, "hydracluster_claim_latency_seconds_count 6"));
    assert_true(has_line(m, "hydracluster_claim_latency_seconds_sum 1000000018.01101"));
    metrics_observe(m, METRIC_QUEUE_WAIT, 61, "north");
    assert_true(has_line(m, "hydracluster_queue_wait_seconds_bucket{venue=\"north\",le=\"60\"} 0"));
    assert_true(has_line(m, "hydracluster_queue_wait_seconds_bucket{venue=\"north\",le=\"120\"} 1"));
    metrics_observe(m, METRIC_SAVE_GROUP, 4096);
    assert_true(has_line(m, "hydracluster_store_save_group_size_bucket{le=\"2048\"} 0"));
    assert_true(has_line(m, "hydracluster_store_save_group_size_bucket{le=\"4096\"} 1"));
    metrics_observe(m, METRIC_MUTEX_HELD, 0.0021);
    assert_true(has_line(m, "hydracluster_mutex_held_seconds_bucket{le=\"0.002\"} 0"));
}

static void test_series__over_the_limit__counted_as_other(void **state)
{
    struct metrics *m = *state;
    char venue[16];
    for (int i = 0; i < METRIC_SERIES_MAX + 10; i++) {
        (void)snprintf(venue, sizeof venue, "v%d", i);
        metrics_add(m, METRIC_CLAIMS_GRANTED, 1, venue, "explicit");
    }
    metrics_add(m, METRIC_CLAIMS_GRANTED, 1, "v0", "explicit");    /* known ones go on */
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    metrics_write(m, &text);
    size_t series = 0;
    for (const char *at = text.data; (at = strstr(at, "hydracluster_claims_granted_total{")) != NULL; at++)
        series++;
    assert_int_equal(series, METRIC_SERIES_MAX);
    assert_true(has_line(m, "hydracluster_claims_granted_total{venue=\"other\",source=\"other\"} 11"));
    assert_true(has_line(m, "hydracluster_claims_granted_total{venue=\"v0\",source=\"explicit\"} 2"));
}

static void *add_often(void *arg)
{
    for (int i = 0; i < 1000; i++)
        metrics_add(arg, METRIC_SAVES, 1, i % 2 == 0 ? "durable" : "failed");
    return NULL;
}

static void test_add__two_threads__nothing_lost(void **state)
{
    struct metrics *m = *state;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_often, m), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_true(has_line(m, "hydracluster_store_saves_total{outcome=\"durable\"} 1000"));
    assert_true(has_line(m, "hydracluster_store_saves_total{outcome=\"failed\"} 1000"));
}

static void test_memory__runs_out_anywhere__no_metrics_or_a_lost_sample(void **state)
{
    (void)state;
    struct metrics *m = NULL;
    for (unsigned n = 1; n < 1000 && m == NULL; n++) {
        hc_alloc_fail_after(n);
        m = metrics_new();
        hc_alloc_fail_after(0);
        assert_true(m == NULL || n > 10);
    }
    assert_non_null(m);
    static const unsigned fails[] = { 1, 2, 3, 2 };    /* the family's two arrays; then the series; its counts */
    for (size_t i = 0; i < sizeof fails / sizeof fails[0]; i++) {
        hc_alloc_fail_after(fails[i]);
        metrics_observe(m, METRIC_QUEUE_WAIT, 1, "v");
        hc_alloc_fail_after(0);
        assert_false(has_line(m, "# TYPE hydracluster_queue_wait_seconds histogram"));
    }
    metrics_observe(m, METRIC_QUEUE_WAIT, 1, "v");
    assert_true(has_line(m, "hydracluster_queue_wait_seconds_count{venue=\"v\"} 1"));
    metrics_free(m);
    metrics_free(NULL);
}

int main(void)
{
#define WITH_METRICS(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        WITH_METRICS(test_counter__added_to__per_series),
        WITH_METRICS(test_new__without_labels__counters_and_histograms_at_zero),
        WITH_METRICS(test_gauge__set_added_cleared_set__only_the_new),
        WITH_METRICS(test_labels__odd_values__escaped_and_cut),
        WITH_METRICS(test_labels__every_row__as_many_values_as_names),
        WITH_METRICS(test_histogram__below_at_and_above_bounds__cumulative),
        WITH_METRICS(test_series__over_the_limit__counted_as_other),
        WITH_METRICS(test_add__two_threads__nothing_lost),
        cmocka_unit_test(test_memory__runs_out_anywhere__no_metrics_or_a_lost_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
