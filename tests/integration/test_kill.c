/* test_kill.c - kill -9 in a loop while heads claim, renew and release: what was acknowledged is stored, no slot is held twice, no epoch
 * falls, every ended lease has its one line of history. Small by default; `--heads N --slots N --rounds N [--seed N]` for more. */
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/os/clock.h"
#include "crowd.h"
#include "fault.h"
#include "fleet.h"

#define HEADS_MAX     2000
#define SLOTS_MAX     200
#define ENROL_MS      60000
#define ROUND_MIN_MS  60
#define ROUND_SPAN_MS 500
#define SETTLE_MS     30000
#define HOLD_SPAN_MS  250
#define RETRY_MS      40
#define TURN_MS       5
#define NEW_MS        1000
#define SLOW_DISK     "fsync allocation.yaml delay=25\n"        /* mostly: more is on its way when the kill comes */
#define TEXT_SIZE     1024

static struct { unsigned heads, slots, rounds; uint64_t seed; } wanted = { 10, 8, 8, 1 };

/* Nothing ends by a clock here: what ends without its head's wish is a fault. */
static const char timers[] = "leaseTTL: 2h\nstartDeadline: 2h\ncollectWindow: 2h\nticketTTL: 2h\nticketMax: 3h\nclaimThrottleWindow: 0s\n";

enum doing { WANTS, CLAIMS, HOLDS, RENEWS, RELEASES };
struct actor {
    struct node node;
    struct held_lease lease;
    enum doing doing;
    unsigned attempt;
    int64_t not_before_ms, release_at_ms;
    bool in_flight;
    struct crowd_call call;
    char attempt_id[2 * HC_ID_SIZE], path[TEXT_SIZE], body[TEXT_SIZE];
};
struct machine {
    struct node node;
    bool in_flight, polls;
    int64_t not_before_ms, grant_epoch, epoch;      /* the newest grant that a head was told of; the newest epoch seen */
    struct crowd_call call;
    char digest[FLEET_TEXT_SIZE], path[TEXT_SIZE], body[TEXT_SIZE];
};

static struct home home;
static struct daemon daemon_;
static struct crowd crowd;
static struct actor *actors;
static struct machine *machines;
static json_t *released;                            /* lease id -> how often its history has it */
static uint64_t chance;
static uint64_t grants, new_grants, releases;       /* acknowledged ones; new: not out of the queue */

static uint64_t draw(uint64_t below)
{
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return chance % below;
}

/* ---- bodies: report, wait for news, confirm ---- */

static void machine_next(struct machine *m, int64_t now)
{
    if (m->in_flight || now < m->not_before_ms)
        return;
    m->call = (struct crowd_call){ .token = m->node.token, .method = m->polls ? "GET" : "POST", .path = m->path };
    if (m->polls) {
        (void)snprintf(m->path, sizeof m->path, "/api/v1/bodies/%s/desired?since=%s&wait=5", m->node.id, m->digest);
    } else {
        (void)snprintf(m->path, sizeof m->path, "/api/v1/body/status");
        fleet_modern_report(&m->node, "idle", NULL, m->body, sizeof m->body);
        m->call.body = m->body;
    }
    m->in_flight = true;
    crowd_start(&crowd, HEADS_MAX + 1 + (uint64_t)(m - machines), &m->call);
}

static void machine_answered(struct machine *m, int64_t now)
{
    struct call *call = &m->call.call;
    m->in_flight = false;
    if (call->err != HC_OK || call->status != 200) {
        m->polls = false;
        m->not_before_ms = now + RETRY_MS;
    } else {
        int64_t told = call_int(call, "desired.slots.0.epoch");
        if (told < m->epoch)
            fail_msg("%s is sent epoch %" PRId64 " after %" PRId64, m->node.id, told, m->epoch);
        m->epoch = told;
        m->polls = (uint64_t)told == m->node.applied_epoch && !m->polls;
        m->node.applied_epoch = (uint64_t)told;
        (void)snprintf(m->digest, sizeof m->digest, "%s", call_str(call, "desired.digest"));
    }
    call_free(call);
}

/* ---- heads ---- */

static void actor_next(struct actor *a, int64_t now)
{
    if (a->in_flight || now < a->not_before_ms)
        return;
    a->call = (struct crowd_call){ .token = a->node.token, .method = "POST", .path = a->path, .body = a->body };
    if (a->doing == WANTS) {
        (void)snprintf(a->attempt_id, sizeof a->attempt_id, "a-%s-%u", a->node.id, ++a->attempt);
        a->doing = CLAIMS;
    }
    if (a->doing == HOLDS)
        a->doing = now >= a->release_at_ms ? RELEASES : RENEWS;
    if (a->doing == CLAIMS) {
        fleet_claim_path(&a->node, a->path);
        fleet_claim_body(a->attempt_id, a->body);
    } else {
        bool renews = a->doing == RENEWS;
        a->call.method = renews ? "POST" : "DELETE";
        (void)snprintf(a->path, sizeof a->path, "/api/v1/heads/%s/slot-claims/%s%s", a->node.id, a->lease.id, renews ? "/renew" : "");
        (void)snprintf(a->body, sizeof a->body, "{\"claim_token\":\"%s\",\"reason\":\"user_exit\"}", a->lease.claim_token);
    }
    a->in_flight = true;
    crowd_start(&crowd, 1 + (uint64_t)(a - actors), &a->call);
}

static struct machine *machine_of(const char *id)
{
    for (unsigned i = 0; i < wanted.slots; i++)
        if (strcmp(machines[i].node.id, id) == 0)
            return &machines[i];
    fail_msg("%s is no body of ours", id);
    return NULL;
}

static struct actor *actor_of(const char *id)
{
    for (unsigned i = 0; i < wanted.heads; i++)
        if (strcmp(actors[i].node.id, id) == 0)
            return &actors[i];
    fail_msg("%s is no head of ours", id);
    return NULL;
}

/* Until its head asks for the release nobody else may be given the slot. */
static void granted(struct actor *a, int64_t now)
{
    struct machine *m = machine_of(a->lease.body_id);
    for (unsigned i = 0; i < wanted.heads; i++) {
        const struct actor *other = &actors[i];
        if (other != a && (other->doing == HOLDS || other->doing == RENEWS) && strcmp(other->lease.body_id, a->lease.body_id) == 0)
            fail_msg("%s is held by %s (%s) and %s (%s)", m->node.id, a->node.id, a->lease.id, other->node.id, other->lease.id);
    }
    if (a->lease.epoch <= m->grant_epoch)
        fail_msg("%s is granted with epoch %" PRId64 " after %" PRId64, m->node.id, a->lease.epoch, m->grant_epoch);
    m->grant_epoch = a->lease.epoch;
    a->doing = HOLDS;
    a->release_at_ms = now + 10 + (int64_t)draw(HOLD_SPAN_MS);
    a->not_before_ms = now + (int64_t)draw(HOLD_SPAN_MS / 2);
    grants++;
}

static void claim_answered(struct actor *a, const struct call *call, int64_t now)
{
    struct held_lease lease;
    a->not_before_ms = now + RETRY_MS + (int64_t)draw(HOLD_SPAN_MS);
    if ((call->status == 201 || call->status == 200) && fleet_lease_of(call, &lease)) {
        a->lease = lease;
        new_grants += call->status == 201;
        granted(a, now);
        return;
    }
    if (call->status != 202 && call->status != 429 && call->status != 503)
        fail_msg("claim %s: %ld %s", a->attempt_id, call->status, call->text);
}

static void actor_answered(struct actor *a, int64_t now)
{
    struct call *call = &a->call.call;
    a->in_flight = false;
    if (call->err != HC_OK) {
        a->not_before_ms = now + RETRY_MS;          /* the outcome is unknown: the same again */
    } else if (a->doing == CLAIMS) {
        claim_answered(a, call, now);
    } else if (call->status == 503) {
        a->not_before_ms = now + RETRY_MS;
    } else if (a->doing == RENEWS) {
        if (call->status != 200 || strcmp(call_str(call, "lease_id"), a->lease.id) != 0)
            fail_msg("renew %s: %ld %s", a->lease.id, call->status, call->text);
        a->doing = HOLDS;
        a->not_before_ms = now + (int64_t)draw(HOLD_SPAN_MS / 2);
    } else {
        if (call->status != 204)
            fail_msg("release %s: %ld %s", a->lease.id, call->status, call->text);
        assert_int_equal(json_object_set_new(released, a->lease.id, json_integer(0)), 0);
        releases++;
        a->doing = WANTS;
        a->not_before_ms = now + (int64_t)draw(HOLD_SPAN_MS / 4);
    }
    call_free(call);
}

static void take_answers(void)
{
    int64_t now = os_monotonic_ms();
    for (unsigned i = 0; i < wanted.slots; i++)
        if (machines[i].in_flight && machines[i].call.done)
            machine_answered(&machines[i], now);
    for (unsigned i = 0; i < wanted.heads; i++)
        if (actors[i].in_flight && actors[i].call.done)
            actor_answered(&actors[i], now);
}

static void turn(void)
{
    int64_t now = os_monotonic_ms();
    for (unsigned i = 0; i < wanted.slots; i++)
        machine_next(&machines[i], now);
    for (unsigned i = 0; i < wanted.heads; i++)
        actor_next(&actors[i], now);
    crowd_turn(&crowd, TURN_MS);
    take_answers();
}

static void live_for(int64_t ms)
{
    for (int64_t end = os_monotonic_ms() + ms; os_monotonic_ms() < end;)
        turn();
}

/* The moment at which an answer that left too early shows. */
static bool live_to_the_next(const uint64_t *acknowledged, int64_t at_most_ms)
{
    uint64_t before = *acknowledged;
    for (int64_t end = os_monotonic_ms() + at_most_ms; *acknowledged == before && os_monotonic_ms() < end;)
        turn();
    return *acknowledged > before;
}

/* ---- after the kill ---- */

static bool is_over(const char *lease_id)
{
    return json_object_get(released, lease_id) != NULL;
}

static void check_row(const json_t *row)
{
    const char *body_id = json_string_value(json_object_get(row, "body_id"));
    struct machine *m = machine_of(body_id);
    int64_t epoch = json_integer_value(json_object_get(row, "epoch"));
    if (epoch < m->epoch || epoch < m->grant_epoch)
        fail_msg("%s came back with epoch %" PRId64 ", it had %" PRId64 " and granted %" PRId64, body_id, epoch, m->epoch, m->grant_epoch);
    m->epoch = epoch;
    const json_t *lease = json_object_get(row, "lease");
    if (json_is_null(lease))
        return;
    const char *id = json_string_value(json_object_get(lease, "id")), *state = json_string_value(json_object_get(lease, "state"));
    if (strcmp(state, "draining") == 0)
        return;                                     /* released before any report of this life */
    const struct actor *a = actor_of(json_string_value(json_object_get(lease, "head_id")));
    bool holds = a->doing == HOLDS || a->doing == RENEWS || a->doing == RELEASES;
    if (is_over(id) || (holds && strcmp(a->lease.id, id) != 0) || a->doing == WANTS)
        fail_msg("%s came back with lease %s (%s) of %s, who %s", body_id, id, state, a->node.id,
                 is_over(id) ? "released it" : "has another");
}

static void check_kept(const struct actor *a, const struct call *slots)
{
    if (a->doing != HOLDS && a->doing != RENEWS)
        return;
    const json_t *lease = json_object_get(fleet_row(slots, a->lease.body_id), "lease");
    const char *id = json_is_null(lease) ? "nothing" : json_string_value(json_object_get(lease, "id"));
    if (strcmp(id, a->lease.id) != 0 || json_integer_value(json_object_get(lease, "grant_epoch")) != a->lease.epoch ||
        strcmp(json_string_value(json_object_get(lease, "state")), "granted") != 0)
        fail_msg("lease %s of %s on %s was acknowledged; after the restart there is %s", a->lease.id, a->node.id, a->lease.body_id, id);
}

static void check_stored(void)
{
    size_t i;
    json_t *row;
    struct call slots = fleet_slots(&daemon_);
    assert_int_equal(json_array_size(slots.json), wanted.slots);
    json_array_foreach(slots.json, i, row)
        check_row(row);
    for (unsigned a = 0; a < wanted.heads; a++)
        check_kept(&actors[a], &slots);
    call_free(&slots);
}

static void start_again(void)
{
    char address[DAEMON_URL_SIZE];
    (void)snprintf(address, sizeof address, "%s", strstr(daemon_.url, "127."));
    const struct daemon_options options = { .listen = address, .timers = timers, .faults = true };
    daemon_start(&daemon_, &home, &options);
}

static void kill_and_check(void)
{
    daemon_kill(&daemon_);
    assert_true(crowd_done(&crowd, SETTLE_MS));     /* every call ends with its connection */
    take_answers();
    start_again();
    check_stored();
}

/* ---- history ---- */

static void count_lines(void)
{
    const char *id;
    json_t *value;
    json_object_foreach(released, id, value)
        assert_int_equal(json_integer_set(value, 0), 0);
    char *text = home_read(&home, "data/sessions.jsonl"), *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        json_t *row = json_loads(line, 0, NULL);
        json_t *count = json_object_get(released, row == NULL ? "" : json_string_value(json_object_get(row, "lease_id")));
        if (count != NULL)
            (void)json_integer_set(count, json_integer_value(count) + 1);
        json_decref(row);
    }
    hc_free(text);
}

static bool all_have_lines(void *ctx)
{
    const char *id;
    json_t *value;
    (void)ctx;
    live_for(RETRY_MS);
    count_lines();
    json_object_foreach(released, id, value)
        if (json_integer_value(value) == 0)
            return false;
    return true;
}

static void check_history(void)
{
    const char *id;
    json_t *value;
    if (!wait_until(all_have_lines, NULL, SETTLE_MS))
        json_object_foreach(released, id, value)
            if (json_integer_value(value) == 0)
                fail_msg("lease %s was released and has no line of history", id);
    json_object_foreach(released, id, value)
        if (json_integer_value(value) != 1)
            fail_msg("lease %s has %lld lines of history", id, (long long)json_integer_value(value));
}

/* ---- the fleet ---- */

static void enrol(void)
{
    size_t count = wanted.heads + wanted.slots;
    struct crowd_call *calls = hc_alloc(count * sizeof calls[0]);
    char (*bodies)[TEXT_SIZE] = hc_alloc(count * sizeof bodies[0]);
    assert_true(calls != NULL && bodies != NULL);
    for (size_t i = 0; i < count; i++) {
        bool body = i < wanted.slots;
        (void)snprintf(bodies[i], sizeof bodies[i], "{\"name\":\"n%zu\",\"roles\":[\"%s\"],\"venue\":\"north\"}", i,
                       body ? "body" : "head");
        calls[i] = (struct crowd_call){ .token = home.admin_token, .method = "POST", .path = "/api/v1/nodes", .body = bodies[i] };
    }
    crowd_run(&crowd, calls, count, ENROL_MS);
    for (size_t i = 0; i < count; i++) {
        const struct call *call = &calls[i].call;
        struct node *node = i < wanted.slots ? &machines[i].node : &actors[i - wanted.slots].node;
        if (call->status != 201)
            fail_msg("enrolment: %ld %s", call->status, call->text);
        (void)snprintf(node->id, sizeof node->id, "%s", call_str(call, "node_id"));
        (void)snprintf(node->token, sizeof node->token, "%s", call_str(call, "token"));
        (void)snprintf(node->boot_id, sizeof node->boot_id, "boot-%zu", i);
    }
    crowd_free(calls, count);
    hc_free(calls);
    hc_free(bodies);
    for (unsigned i = 0; i < wanted.slots; i++) {   /* before it no body has listed the experience, and a claim is refused */
        struct call call = fleet_reports_modern(&daemon_, &machines[i].node, "idle", NULL);
        call_free(&call);
    }
}

static int set_up(void **state)
{
    (void)state;
    chance = wanted.seed * 0x9E3779B97F4A7C15u + 1;
    actors = hc_alloc(wanted.heads * sizeof actors[0]);
    machines = hc_alloc(wanted.slots * sizeof machines[0]);
    released = json_object();
    assert_true(actors != NULL && machines != NULL && released != NULL);
    home_init(&home);
    fault_set(&home, "");
    const struct daemon_options options = { .timers = timers, .faults = true };
    daemon_start(&daemon_, &home, &options);
    crowd_open(&crowd, daemon_.url, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    crowd_close(&crowd);
    daemon_end(&daemon_);
    home_remove(&home);
    json_decref(released);
    hc_free(actors);
    hc_free(machines);
    return 0;
}

static void test_kill__in_a_loop_under_claims__acknowledged_is_stored(void **state)
{
    (void)state;
    enrol();
    for (unsigned round = 0; round < wanted.rounds; round++) {
        fault_set(&home, round % 4 < 3 ? SLOW_DISK : "");
        live_for(ROUND_MIN_MS + (int64_t)draw(ROUND_SPAN_MS));
        /* In a long queue nobody is granted anew; a round in which nothing is acknowledged at all shows nothing. */
        if (round % 4 != 0 || !live_to_the_next(&new_grants, NEW_MS))
            assert_true(live_to_the_next(round % 4 == 1 ? &grants : &releases, SETTLE_MS));
        kill_and_check();
    }
    fault_set(&home, "");
    live_for(ROUND_SPAN_MS);
    check_history();
    print_message("%u rounds, %" PRIu64 " grants, %zu releases\n", wanted.rounds, grants, json_object_size(released));
    assert_true(json_object_size(released) > 0);
    assert_int_equal(daemon_stop(&daemon_), 0);
}

static bool take_number(const char *text, unsigned least, unsigned most, unsigned *ret)
{
    char *end = NULL;
    unsigned long value = strtoul(text, &end, 10);
    *ret = (unsigned)value;
    return *end == '\0' && value >= least && value <= most;
}

int main(int argc, char **argv)
{
    unsigned seed = 1;
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        bool ok = (strcmp(argv[i], "--heads") == 0 && take_number(value, 1, HEADS_MAX, &wanted.heads)) ||
                  (strcmp(argv[i], "--slots") == 0 && take_number(value, 1, SLOTS_MAX, &wanted.slots)) ||
                  (strcmp(argv[i], "--rounds") == 0 && take_number(value, 1, 100000, &wanted.rounds)) ||
                  (strcmp(argv[i], "--seed") == 0 && take_number(value, 0, UINT32_MAX, &seed));
        if (!ok) {
            (void)fprintf(stderr, "usage: test_kill [--heads N] [--slots N] [--rounds N] [--seed N]\n");
            return 2;
        }
    }
    wanted.seed = seed;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_kill__in_a_loop_under_claims__acknowledged_is_stored, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
