/* test_recorder.c - the flight recorder of a real daemon: ten thousand decisions made again, an altered one found, disks that fail it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "crowd.h"
#include "hydra/base/arena.h"
#include "hydra/os/clock.h"
#include "scene.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif
#ifdef SANITIZED
#define EVENTS       2000               /* enough for every path; ten thousand take a minute there */
#else
#define EVENTS       10000
#endif
#define BODIES       4
#define HEADS        8
#define CALLS        (BODIES + 3 * HEADS)
#define ROUNDS_MAX   2000
#define SEGMENT      "data/journal/journal-0000000001.jsonl"
#define PATH_SIZE    512
#define LINES_MAX    16
#define REPLAY_MS    60000
#define TIMERS       "claimThrottleWindow: 0s\n"

static struct node bodies[BODIES], heads[HEADS];
static struct held_lease leases[HEADS];
static struct crowd crowd;
static unsigned attempts;

static int close_all(void **state)
{
    crowd_close(&crowd);
    return scene_close(state);
}

static void fleet(const struct daemon_options *options)
{
    scene_start(options);
    attempts = 0;
    memset(leases, 0, sizeof leases);
    for (size_t i = 0; i < BODIES; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "b%zu", i);
        bodies[i] = fleet_body(&scene.daemon, name, i % 2 == 0 ? "north" : "south");
        struct call call = fleet_reports_modern(&scene.daemon, &bodies[i], "idle", NULL);
        call_free(&call);
    }
    for (size_t i = 0; i < HEADS; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "h%zu", i);
        heads[i] = fleet_head(&scene.daemon, name, i % 2 == 0 ? "south" : "north");
    }
}

/* One claim that is granted or queued, one release, so that leases come and go. */
static void claim_and_release(size_t head)
{
    char attempt[32];
    if (leases[head].id[0] != '\0') {
        (void)fleet_releases(&scene.daemon, &heads[head], &leases[head], "user_exit");
        leases[head].id[0] = '\0';
        return;
    }
    (void)snprintf(attempt, sizeof attempt, "a-%u", ++attempts);
    struct call call = fleet_claims(&scene.daemon, &heads[head], attempt);
    if (call.status == 201 || call.status == 200)      /* 200: it was promoted meanwhile */
        assert_true(fleet_lease_of(&call, &leases[head]));
    call_free(&call);
}

/* Bodies report, heads beat, renew and read, all at once; every answer is an answer of the protocol. */
static void round_of_calls(void)
{
    static char paths[CALLS][PATH_SIZE], texts[CALLS][2 * PATH_SIZE];
    static struct crowd_call calls[CALLS];
    size_t n = 0;
    for (size_t i = 0; i < BODIES; i++, n++) {
        fleet_modern_report(&bodies[i], "idle", NULL, texts[n], sizeof texts[n]);
        calls[n] = (struct crowd_call){ .token = bodies[i].token, .method = "POST", .path = "/api/v1/body/status", .body = texts[n] };
    }
    for (size_t i = 0; i < HEADS; i++, n++) {
        (void)snprintf(paths[n], PATH_SIZE, "/api/v1/heads/%.64s", heads[i].id);
        calls[n] = (struct crowd_call){ .token = heads[i].token, .method = "PUT", .path = paths[n], .body = "{\"status\":\"idle\"}" };
    }
    for (size_t i = 0; i < HEADS; i++, n++) {
        const struct held_lease *lease = &leases[i];
        (void)snprintf(paths[n], PATH_SIZE, "/api/v1/heads/%.64s/slot-claims/%.64s/renew", heads[i].id,
                       lease->id[0] == '\0' ? "lse-0" : lease->id);
        (void)snprintf(texts[n], sizeof texts[n], "{\"claim_token\":\"%s\"}", lease->id[0] == '\0' ? "none" : lease->claim_token);
        calls[n] = (struct crowd_call){ .token = heads[i].token, .method = "POST", .path = paths[n], .body = texts[n] };
    }
    for (size_t i = 0; i < HEADS; i++, n++) {
        (void)snprintf(paths[n], PATH_SIZE, "/api/v1/heads/%.64s", heads[i].id);
        calls[n] = (struct crowd_call){ .token = heads[i].token, .method = "GET", .path = paths[n] };
    }
    crowd_run(&crowd, calls, n, DAEMON_CALL_MS);
    for (size_t i = 0; i < BODIES; i++)
        bodies[i].applied_epoch = (uint64_t)call_int(&calls[i].call, "desired.slots.0.epoch");
    crowd_free(calls, n);
}

static size_t count_of(const char *text, const char *what)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at += strlen(what))
        count++;
    return count;
}

/* Exit code of `hydraclusterd replay`; what it says on stdout. */
static int replay(const char *journal, const char *store, char out[4096])
{
    char program[HOME_PATH_SIZE], path[HOME_PATH_SIZE], store_path[HOME_PATH_SIZE], secret[HOME_PATH_SIZE], line[PROCESS_LINE_MAX];
    struct process process;
    size_t len = 0;
    program_path("HYDRACLUSTERD", "hydraclusterd", program, sizeof program);
    home_path(&scene.home, journal, path);
    home_path(&scene.home, store, store_path);
    home_path(&scene.home, "data/secret", secret);
    const char *const argv[] = { program, "replay", path, "--store", store_path, "--secret", secret, NULL };
    process_start(&process, argv, NULL, scene.home.log);
    out[0] = '\0';
    for (unsigned i = 0; i < LINES_MAX && process_line(&process, line, REPLAY_MS); i++)
        len += (size_t)snprintf(out + len, 4096 - len, "%s\n", line);
    int code = process_wait(&process, REPLAY_MS);
    process_end(&process);
    return code;
}

static void expect_same(char said[4096])
{
    int code = replay("data/journal", "data/allocation.yaml", said);
    if (code != 0 || strstr(said, "every decision is the same") == NULL)
        fail_msg("replay: %d\n%s", code, said);
}

/* Alters the n-th claim that was granted; the number of its line. */
static unsigned alter_a_claim(unsigned nth)
{
    char *text = home_read(&scene.home, SEGMENT), *at = text;
    for (; nth > 0; nth--) {
        at = strstr(at + 1, "\"type\":\"claim\"");
        assert_non_null(at);
        const char *granted = strstr(at, "\"answer\":\"lease_"), *end = strchr(at, '\n');
        nth += granted == NULL || granted > end ? 1 : 0;
    }
    char *experience = strstr(at, "\"experience\":\"rupelmonde\"");
    assert_non_null(experience);
    memcpy(experience, "\"experience\":\"rupelMONDE\"", strlen("\"experience\":\"rupelmonde\""));
    unsigned line = 1;
    for (const char *c = text; c < at; c++)
        line += *c == '\n';
    home_write(&scene.home, "altered.jsonl", text);
    hc_free(text);
    return line;
}

static void test_replay__ten_thousand_events__reproduces_every_decision_and_finds_an_altered_one(void **state)
{
    (void)state;
    char said[4096], place[64];
    const struct daemon_options options = { .timers = TIMERS };
    size_t events = 0;
    fleet(&options);
    crowd_open(&crowd, scene.daemon.url, NULL);
    for (unsigned i = 0; i < ROUNDS_MAX && events < EVENTS; i++) {
        round_of_calls();
        claim_and_release(i % HEADS);
        claim_and_release((i + 3) % HEADS);
        if (i % 50 != 49)
            continue;
        char *text = home_read(&scene.home, SEGMENT);
        events = count_of(text, "\n{\"n\":");
        hc_free(text);
    }
    scene_stop();
    expect_same(said);
    unsigned long replayed = 0;
    assert_int_equal(sscanf(said, "replayed: %lu events of 1 segments", &replayed), 1);
    assert_true(replayed >= EVENTS);
    unsigned line = alter_a_claim(20);
    assert_int_equal(replay("altered.jsonl", "data/allocation.yaml", said), 1);
    (void)snprintf(place, sizeof place, "altered.jsonl:%u: event ", line);
    if (strstr(said, place) == NULL || strstr(said, "(claim)") == NULL || strstr(said, "decision: answer") == NULL)
        fail_msg("wanted %s: %s", place, said);
}

/* The journal is written a little after the decisions; a kill before that loses the first life's lines, as it may. */
static bool all_claims_written(void *ctx)
{
    (void)ctx;
    if (!home_has(&scene.home, SEGMENT))
        return false;
    char *text = home_read(&scene.home, SEGMENT);
    size_t claims = count_of(text, "\"type\":\"claim\"");
    hc_free(text);
    return claims >= HEADS;
}

static void test_replay__killed_and_started_again__both_lives_are_replayed(void **state)
{
    (void)state;
    char said[4096];
    const struct daemon_options options = { .timers = TIMERS };
    fleet(&options);
    for (size_t i = 0; i < HEADS; i++)
        claim_and_release(i);
    assert_true(wait_until(all_claims_written, NULL, SCENE_WAIT_MS));
    scene_restart_killed(&options);
    for (size_t i = 0; i < BODIES; i++) {
        struct call call = fleet_reports_modern(&scene.daemon, &bodies[i], "idle", NULL);
        call_free(&call);
    }
    for (size_t i = 0; i < HEADS; i++)
        claim_and_release(i);
    scene_stop();
    expect_same(said);
    assert_non_null(strstr(said, " of 2 segments"));
}

/* What is rolled back was never decided, as far as later decisions go: a new segment says so. */
static void test_replay__saves_that_fail__roll_backs_begin_a_segment(void **state)
{
    (void)state;
    char said[4096], attempt[32];
    const struct daemon_options options = { .timers = TIMERS, .faults = true };
    fault_set(&scene.home, "");
    fleet(&options);
    for (unsigned i = 0; i < 3; i++) {
        claim_and_release(i);
        fault_set(&scene.home, "fsync allocation.yaml EIO\n");
        (void)snprintf(attempt, sizeof attempt, "lost-%u", i);
        struct call call = fleet_claims(&scene.daemon, &heads[4 + i], attempt);
        assert_int_equal(call.status, 503);
        call_free(&call);
        fault_set(&scene.home, "");
        assert_true(fleet_waits_ready(&scene.daemon, true, SCENE_WAIT_MS));
    }
    scene_stop();
    expect_same(said);
    assert_null(strstr(said, " of 1 segments"));
}

static bool journal_is_down(void *ctx)
{
    (void)ctx;
    claim_and_release(0);
    return scene_log_has("event=journal_down");
}

static void test_recorder__its_disk_is_full__decisions_go_on(void **state)
{
    (void)state;
    const struct daemon_options options = { .timers = TIMERS, .faults = true };
    fault_set(&scene.home, "");
    fleet(&options);
    fault_set(&scene.home, "write journal-* ENOSPC\n");
    assert_true(wait_until(journal_is_down, NULL, SCENE_WAIT_MS));
    struct call call = daemon_call(&scene.daemon, scene.home.admin_token, "GET", "/metrics", NULL);
    assert_non_null(strstr(call.text, "hydracluster_journal_up 0"));
    call_free(&call);
    claim_and_release(1);
    assert_int_not_equal(leases[1].id[0], '\0');
    scene_stop();
}

/* The commit thread, not the journal's, decides what is answered: a write that hangs holds nobody. */
static void test_recorder__its_disk_hangs__nobody_waits(void **state)
{
    (void)state;
    const struct daemon_options options = { .timers = TIMERS, .faults = true };
    fault_set(&scene.home, "");
    fleet(&options);
    fault_set(&scene.home, "write journal-* hang\n");
    for (size_t i = 0; i < HEADS; i++)
        claim_and_release(i);
    fault_wait_hits(&scene.home, "write journal-0000000001.jsonl hang", 1, SCENE_WAIT_MS);
    int64_t before_ms = os_monotonic_ms();
    claim_and_release(0);
    assert_true(os_monotonic_ms() - before_ms < DAEMON_CALL_MS / 2);
    fault_set(&scene.home, "");
    scene_stop();
}

static void test_replay__no_journal_there__is_said_of_it_and_not_of_a_secret(void **state)
{
    (void)state;
    char program[HOME_PATH_SIZE];
    struct process process;
    program_path("HYDRACLUSTERD", "hydraclusterd", program, sizeof program);
    const char *const argv[] = { program, "replay", "/nonexistent", NULL };
    process_start(&process, argv, NULL, scene.home.log);
    assert_int_equal(process_wait(&process, REPLAY_MS), 2);
    process_end(&process);
    char *said = home_read(&scene.home, strrchr(scene.home.log, '/') + 1);
    assert_non_null(strstr(said, "/nonexistent: No such file"));
    assert_null(strstr(said, "secret"));
    hc_free(said);
}

static void test_replay__no_secret_or_no_journal__exits_with_usage(void **state)
{
    (void)state;
    char said[4096];
    scene_start(NULL);
    scene_stop();
    assert_int_equal(replay("data/nothing", "data/allocation.yaml", said), 2);
    home_write(&scene.home, "hello.jsonl", "hello\n");
    assert_int_equal(replay("hello.jsonl", "data/allocation.yaml", said), 4);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scene_open, close_all)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_replay__ten_thousand_events__reproduces_every_decision_and_finds_an_altered_one),
        TEST(test_replay__killed_and_started_again__both_lives_are_replayed),
        TEST(test_replay__saves_that_fail__roll_backs_begin_a_segment),
        TEST(test_recorder__its_disk_is_full__decisions_go_on),
        TEST(test_recorder__its_disk_hangs__nobody_waits),
        TEST(test_replay__no_journal_there__is_said_of_it_and_not_of_a_secret),
        TEST(test_replay__no_secret_or_no_journal__exits_with_usage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
