/* Events and metrics: those that the design names are there with their labels, none is without a place that raises or feeds it, and their
 * number is bounded by venues and bodies, whoever enrols whatever. */
#include "fixture.h"
#include "sanitizer.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SOURCES_MAX ((size_t)8 * 1024 * 1024)
#define WORD_MAX    96
#define CROWD_FIRST 250               /* more than the queue of a district takes */
#define CROWD_BATCH 1000
#define CROWD_MORE  (UNDER_SANITIZER ? 2000 : 10000)

#define X(id_, type_, name_, labels_, help_) { "METRIC_" #id_, name_, labels_, help_ },
static const struct { const char *id, *name, *labels, *help; } metric_rows[] = { METRIC_LIST(X) };
#undef X
#define X(id_, word_) "NOTE_" #id_,
static const char *const note_ids[] = { NOTE_LIST(X) };
#undef X

/* The code of one layer or more, as one text. */
static char *read_sources(const char *const *patterns)
{
    char *text = calloc(1, SOURCES_MAX);
    size_t len = 0;
    assert_non_null(text);
    for (; *patterns != NULL; patterns++) {
        glob_t found;
        assert_int_equal(glob(*patterns, 0, NULL, &found), 0);
        for (size_t i = 0; i < found.gl_pathc; i++) {
            FILE *in = fopen(found.gl_pathv[i], "r");
            assert_non_null(in);
            len += fread(text + len, 1, SOURCES_MAX - 1 - len, in);
            assert_int_equal(fclose(in), 0);
            assert_true(len < SOURCES_MAX - 1);
        }
        globfree(&found);
    }
    return text;
}

static bool names(const char *text, const char *id)
{
    size_t len = strlen(id);
    for (const char *at = text; (at = strstr(at, id)) != NULL; at++)
        if (strspn(at + len, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == 0)
            return true;
    return false;
}

static void test_metrics__of_the_design__are_there_with_their_labels(void **state)
{
    (void)state;
    static const struct { const char *name, *labels; } wanted[] = {
        { "slots_total", "venue,body" },           { "slots_occupied", "venue,body,cause" },
        { "claims_granted_total", "venue,source" }, { "claims_denied_total", "venue,reason,head_venue,body_venue" },
        { "queue_depth", "venue" },                { "queue_wait_seconds", "venue" },
        { "lease_age_seconds", "venue,body,slot" }, { "seconds_since_head_renewal", "venue,body,slot" },
        { "claim_latency_seconds", "" },           { "body_report_age_seconds", "body" },
        { "named_certs_count", "body" },           { "pair_attempts_total", "result" },
        { "circuit_open", "body" },                { "events_total", "type,expected_legacy" },
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        bool found = false;
        for (size_t k = 0; k < METRIC_COUNT && !found; k++)
            found = strcmp(metric_rows[k].name, wanted[i].name) == 0 && strcmp(metric_rows[k].labels, wanted[i].labels) == 0;
        if (!found)
            fail_msg("%s{%s}", wanted[i].name, wanted[i].labels);
    }
}

static void test_events__of_the_design__are_there(void **state)
{
    (void)state;
    static const char *const wanted[] = {
        "slot_conflict", "unauthorized_launch", "second_launch_refused", "epoch_below_floor", "epoch_regressed", "pair_contention",
        "duplicate_head_identity", "cross_venue_grant", "home_venue_denied", "lease_unattended_expired", "body_unconfirmed",
        "downgrade_detected", "generation_conflict", "custodian_failed", "trim_parse_failed", "queue_promotion_wasted",
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        if (word_find(&note_words, wanted[i]) < 0)
            fail_msg("%s", wanted[i]);
}

static void test_metrics_and_events__each__is_fed_somewhere_and_explained(void **state)
{
    (void)state;
    static const char *const feeding[] = { "src/engine/*.c", "src/http/*.c", "src/api/*.c", NULL };
    static const char *const raising[] = { "src/core/*.c", "src/engine/*.c", NULL };
    char *feeds = read_sources(feeding), *raises = read_sources(raising);
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        if (!names(feeds, metric_rows[i].id))
            fail_msg("nothing feeds %s", metric_rows[i].name);
        if (strlen(metric_rows[i].help) < 6)
            fail_msg("%s needs an explanation", metric_rows[i].name);
    }
    for (size_t i = 0; i < NOTE_TYPES; i++)
        if (!names(raises, note_ids[i]))
            fail_msg("nothing raises %s", word_of(&note_words, (int)i));
    free(feeds);
    free(raises);
}

/* The alert's threshold is a bucket's bound, or its quantile would be a guess; waits have bounds where p50 and p90 are to be told. */
static void test_histograms__buckets__answer_the_thresholds(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "claim_latency_seconds_bucket{le=\"9\"}",         "claim_latency_seconds_bucket{le=\"15\"}",
        "queue_wait_seconds_bucket{venue=\"v\",le=\"30\"}", "queue_wait_seconds_bucket{venue=\"v\",le=\"60\"}",
        "queue_wait_seconds_bucket{venue=\"v\",le=\"600\"}",
    };
    struct metrics *m = metrics_new();
    struct hc_buf text = { 0 };
    assert_non_null(m);
    metrics_observe(m, METRIC_QUEUE_WAIT, 1, "v");
    metrics_write(m, &text);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (strstr(text.data, lines[i]) == NULL)
            fail_msg("%s", lines[i]);
    hc_buf_free(&text);
    metrics_free(m);
}

/* ---- the crowd ---- */

struct member { struct engine_op op; char id[HC_ID_SIZE], name[32], venue[32], hash[HC_HASH_SIZE]; bool done; };

static void on_enrolled(void *ctx, enum engine_outcome outcome, enum hc_err err, struct core_result *result)
{
    struct member *m = ctx;
    assert_int_equal(outcome, ENGINE_DURABLE);
    assert_int_equal(err, HC_OK);
    HC_SET(m->id, result->id);
    m->done = true;
}

static void on_claimed(void *ctx, enum engine_outcome outcome, enum hc_err err, struct core_result *result)
{
    struct member *m = ctx;
    (void)result;
    assert_int_equal(outcome, ENGINE_DURABLE);
    assert_int_equal(err, HC_OK);
    m->done = true;
}

struct crowd { struct member *members; size_t count; };

static bool all_done(void *ctx)
{
    const struct crowd *crowd = ctx;
    for (size_t i = 0; i < crowd->count; i++)
        if (!crowd->members[i].done)
            return false;
    return true;
}

/* `count` heads (a batch), each at a venue that it made up, all of which want what no body can give them. */
static void crowd_comes(struct rig *r, size_t count)
{
    static size_t number;
    struct crowd crowd = { calloc(count, sizeof(struct member)), count };
    assert_non_null(crowd.members);
    for (size_t i = 0; i < count; i++) {
        struct member *m = &crowd.members[i];
        (void)snprintf(m->name, sizeof m->name, "h-%zu", ++number);
        (void)snprintf(m->venue, sizeof m->venue, "nowhere-%zu", number);
        (void)snprintf(m->hash, sizeof m->hash, "%064zx", number);
        m->op.ev = (struct core_event){ .type = CORE_NODE_ENROL, .caller.kind = CALLER_FLEET };
        m->op.ev.u.enrol = (struct enrol_req){ .name = m->name, .kind = "hydraheadipad", .district = RIG_DISTRICT, .venue = m->venue,
                                               .owner = RIG_OWNER, .machine_id = "", .ip = "", .wireguard_ip = "", .token_hash = m->hash,
                                               .roles = ROLE_HEAD };
        m->op.done = on_enrolled;
        m->op.ctx = m;
        engine_submit(r->engine, &m->op);
    }
    rig_until(r, all_done, &crowd);
    for (size_t i = 0; i < count; i++) {
        struct member *m = &crowd.members[i];
        m->done = false;
        m->op = (struct engine_op){ .ev = { .type = CORE_READ, .caller.kind = CALLER_NODE }, .done = on_claimed, .ctx = m };
        HC_SET(m->op.ev.caller.node_id, m->id);
        m->op.ev.u.read = (struct read_req){ .head_id = m->id, .district = RIG_DISTRICT, .venue = m->venue, .experience = RIG_EXPERIENCE,
                                             .stream_mode = "", .last_chance = true };
        engine_submit(r->engine, &m->op);
    }
    rig_until(r, all_done, &crowd);
    free(crowd.members);
}

static size_t series(struct rig *r)
{
    struct reply reply;
    size_t count = 0;
    rig_ask(r, "GET", "/metrics", RIG_ADMIN, NULL, &reply);
    assert_int_equal(reply.status, 200);
    for (const char *at = reply.body; (at = strstr(at, "\nhydracluster_")) != NULL; at++)
        count++;
    assert_null(strstr(reply.body, "nowhere"));
    assert_non_null(strstr(reply.body, "\nhydracluster_claims_denied_total{venue=\"other\",reason=\"no_slot_available\","
                                       "head_venue=\"other\","));
    reply_free(&reply);
    return count;
}

static void test_metrics__ten_thousand_heads_of_venues_that_are_none__add_no_series(void **state)
{
    struct rig *r = *state;
    char body_id[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    struct reply reply;
    rig_body(r, "b1", "north", body_id, token);
    rig_report(r, body_id);
    crowd_comes(r, CROWD_FIRST);
    (void)series(r);                  /* the request for metrics is counted itself */
    size_t before = series(r);
    for (size_t come = 0; come < CROWD_MORE; come += CROWD_BATCH)
        crowd_comes(r, CROWD_BATCH);
    assert_int_equal(series(r), before);
    rig_expect(r, "PUT", "/api/v1/venues/nowhere-else", RIG_ADMIN, "{}", 200, "", "");
    rig_ask(r, "GET", "/metrics", RIG_ADMIN, NULL, &reply);
    assert_non_null(strstr(reply.body, "\nhydracluster_queue_depth{venue=\"nowhere-else\"} 0\n"));      /* one that an admin PUT */
    reply_free(&reply);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_metrics__of_the_design__are_there_with_their_labels),
        cmocka_unit_test(test_events__of_the_design__are_there),
        cmocka_unit_test(test_metrics_and_events__each__is_fed_somewhere_and_explained),
        cmocka_unit_test(test_histograms__buckets__answer_the_thresholds),
        RIG_TEST(test_metrics__ten_thousand_heads_of_venues_that_are_none__add_no_series),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
