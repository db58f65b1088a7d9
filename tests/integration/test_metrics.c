/* test_metrics.c - no metric is dead: a small day in the life of a real daemon feeds every one of the table, but those that count what must
 * never happen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/metrics/metrics.h"
#include "scene.h"

#define PREFIX    "hydracluster_"
#define PATH_SIZE 512
#define LINE_SIZE 256

#define X(id_, type_, name_, labels_, help_) { METRIC_##type_, PREFIX name_, labels_, help_ },
static const struct { enum metric_type type; const char *name, *labels, *help; } rows[METRIC_COUNT] = { METRIC_LIST(X) };
#undef X

/* What these count is a bug of ours, a full machine or a flood; they start at 0, or with the first. */
static const enum metric_id silent[] = { METRIC_HTTP_REFUSED, METRIC_EDGE_ERRORS, METRIC_LOG_DROPPED, METRIC_JOURNAL_DROPPED };

static struct node body, first, second, home_head;

static bool is_silent(int id)
{
    for (size_t i = 0; i < sizeof silent / sizeof silent[0]; i++)
        if ((int)silent[i] == id)
            return true;
    return false;
}

static char *metrics(void)
{
    struct call call = daemon_call(&scene.daemon, scene.home.admin_token, "GET", "/metrics", NULL);
    assert_int_equal(call.status, 200);
    char *text = strdup(call.text);
    assert_non_null(text);
    call_free(&call);
    return text;
}

/* A sample of this family; of a counter one that has counted, of a histogram its count. */
static bool fed(const char *text, int id)
{
    char start[LINE_SIZE];
    (void)snprintf(start, sizeof start, "\n%s%s", rows[id].name, rows[id].type == METRIC_HISTOGRAM ? "_count" : "");
    for (const char *at = text; (at = strstr(at, start)) != NULL; at++) {
        const char *rest = at + strlen(start), *end = strchr(rest, '\n');
        if (*rest != ' ' && *rest != '{')
            continue;
        const char *value = end == NULL ? NULL : end;
        while (value != NULL && value > rest && value[-1] != ' ')
            value--;
        if (value != NULL && (rows[id].type == METRIC_GAUGE || strtod(value, NULL) > 0))
            return true;
    }
    return false;
}

static struct held_lease claims(const struct node *head, const char *attempt)
{
    struct held_lease lease;
    struct call call = fleet_claims(&scene.daemon, head, attempt);
    if (!fleet_lease_of(&call, &lease))
        fail_msg("%s: %ld %s", attempt, call.status, call.text);
    call_free(&call);
    return lease;
}

static void waits(const struct node *head, const char *attempt)
{
    struct call call = fleet_claims(&scene.daemon, head, attempt);
    assert_int_equal(call.status, 202);
    call_free(&call);
}

static void reports(const char *state, const char *lease_id)
{
    struct call call = fleet_reports_modern(&scene.daemon, &body, state, lease_id);
    call_free(&call);
}

/* The agent takes the custodian's list, and answers it with one client. */
static bool custodian_was_answered(void *ctx)
{
    char path[PATH_SIZE];
    (void)ctx;
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s/ops/next", body.id);
    struct call next = daemon_call(&scene.daemon, body.token, "GET", path, NULL);
    bool asked = next.status == 200 && strcmp(call_str(&next, "op"), "sunshine.list_clients") == 0;
    if (asked) {
        (void)snprintf(path, sizeof path, "/api/v1/nodes/%s/ops/%s/result", body.id, call_str(&next, "op_id"));
        struct call told = daemon_call(&scene.daemon, body.token, "POST", path,
                                       "{\"state\":\"done\",\"output\":{\"named_certs\":[{\"name\":\"roth\",\"uuid\":\"u-1\"}],"
                                       "\"status\":true}}");
        asked = told.status == 204;
        call_free(&told);
    }
    call_free(&next);
    return asked;
}

/* Nobody answers the PIN: its time is over after a second here. */
static void pairs(const struct node *head)
{
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s/sunshine-pin", body.id);
    struct call call = daemon_call(&scene.daemon, head->token, "POST", path, "{\"pin\":\"1234\"}");
    assert_int_equal(call.status, 504);
    call_free(&call);
}

/* ctx: the first that is not. */
static bool all_fed(void *ctx)
{
    int *missing = ctx;
    char *text = metrics();
    for (*missing = 0; *missing < METRIC_COUNT; ++*missing)
        if (!fed(text, *missing) && !is_silent(*missing))
            break;
    free(text);
    return *missing == METRIC_COUNT;
}

static void test_metrics__a_small_day__feeds_every_one(void **state)
{
    (void)state;
    scene_start(&(struct daemon_options){ .timers = "opTTL: 1s\nwatchdogTick: 1s\n" });
    fleet_venue(&scene.daemon, "north", "museum");
    fleet_venue(&scene.daemon, "south", "museum");
    body = fleet_body(&scene.daemon, "b1", "north");
    first = fleet_head(&scene.daemon, "h1", "south");
    second = fleet_head(&scene.daemon, "h2", "south");
    home_head = fleet_head(&scene.daemon, "h3", "north");
    reports("idle", NULL);
    struct held_lease lease = claims(&first, "a-1");
    reports("streaming", lease.id);
    assert_int_equal(fleet_renews(&scene.daemon, &first, &lease), 200);
    assert_int_equal(fleet_releases(&scene.daemon, &first, &lease, "user_exit"), 204);
    reports("idle", NULL);                                             /* a session is over: there is an estimate from now on */
    lease = claims(&second, "a-2");
    waits(&first, "a-3");
    assert_int_equal(fleet_releases(&scene.daemon, &second, &lease, "user_exit"), 204);
    reports("idle", NULL);
    lease = claims(&first, "a-3");                                     /* promoted meanwhile */
    pairs(&first);
    assert_int_equal(fleet_releases(&scene.daemon, &first, &lease, "user_exit"), 204);
    assert_true(wait_until(custodian_was_answered, NULL, SCENE_WAIT_MS));
    reports("idle", NULL);
    lease = claims(&second, "a-4");
    reports("streaming", lease.id);
    waits(&home_head, "a-5");                                          /* its home body is taken by a visitor from elsewhere */
    fleet_beats(&scene.daemon, &first, "streaming", body.id);          /* a witness: two see one picture */
    int missing = 0;
    if (!wait_until(all_fed, &missing, SCENE_WAIT_MS))
        fail_msg("nothing feeds %s", rows[missing].name);
}

/* Before anything has happened: what starts from 0 is there, so that the first is a rise. */
static void test_metrics__a_fresh_daemon__has_its_zeros(void **state)
{
    (void)state;
    char *text = metrics();
    assert_non_null(strstr(text, "\nhydracluster_events_total{type=\"epoch_below_floor\",expected_legacy=\"false\"} 0\n"));
    assert_non_null(strstr(text, "\nhydracluster_events_total{type=\"slot_conflict\",expected_legacy=\"true\"} 0\n"));
    assert_non_null(strstr(text, "\nhydracluster_lease_edge_errors_total 0\n"));
    assert_non_null(strstr(text, "\nhydracluster_divergence{kind=\"unauthorized_stream\"} 0\n"));
    for (int id = 0; id < METRIC_COUNT; id++) {
        char help[LINE_SIZE];
        (void)snprintf(help, sizeof help, "# HELP %s %s\n", rows[id].name, rows[id].help);
        if (fed(text, id) && strstr(text, help) == NULL)
            fail_msg("%s has no help", rows[id].name);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCENE_TEST(test_metrics__a_small_day__feeds_every_one),
        SCENE_TEST_STARTED(test_metrics__a_fresh_daemon__has_its_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
