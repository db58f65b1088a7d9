/* test_agent_rounds.c - four heads on two bodies, round after round: one leaves, the next in line pairs, launches and streams. Trust stores
 * do not grow, nobody's memory or descriptors do, the next picture comes quickly, and a body's agent that is killed loses none.
 *
 *     test_agent_rounds                                    (a short run, in check)
 *     test_agent_rounds --rounds 1000 --quick 200 --kills 20 --limit-ms 300       (make agents-long) */
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/os/clock.h"
#include "process_size.h"
#include "sanitizer.h"
#include "site_picture.h"

#define BODIES          2
#define HEADS           4
#define PARTS           (1 + BODIES + HEADS)        /* the daemon, the agents */
#define QUICK_MAX       1000
#define WARM_AT         100                 /* round after which nothing may grow any more; a short run takes a third of its rounds */
#define WARM_LEAST      6                   /* before that every thread has not yet opened its connections */
#define GROWTH_KIB      1024                /* and a twentieth: what an allocator may keep */
#define GROWTH_PARTS    20
#define CLIENTS_MAX     HEADS               /* in a host's list, once its agent has trimmed it */
#define TRIM_MS         10000

#define ROUNDS          (UNDER_SANITIZER ? 2 : 20)
#define QUICK           (UNDER_SANITIZER ? 1 : 6)
#define FIRST_ROUNDS    (UNDER_SANITIZER ? HEADS : 2 * HEADS * BODIES)   /* whoever has forgotten a host pairs with it once more */

static struct { unsigned rounds, quick, kills, limit_ms; } wanted = { .rounds = ROUNDS, .quick = QUICK, .kills = 1, .limit_ms = 0 };
static struct site site;
static struct process_size warm[PARTS];

static void open_site(void)
{
    static const char *const body_names[BODIES] = { "boom", "bang" };
    site_open(&site, "claimThrottleWindow: 0s\n");
    for (size_t i = 0; i < BODIES; i++)
        (void)site_add_body(&site, body_names[i], &(struct site_body_options){ .enforce = true });
    for (size_t i = 0; i < HEADS; i++) {
        char name[SITE_NAME_SIZE];
        (void)snprintf(name, sizeof name, "head-%zu", i + 1);
        (void)site_add_head(&site, name);
    }
    site_watch(&site);
    for (size_t i = 0; i < HEADS; i++)
        agent_head_wants(&site.heads[i].agent, FLEET_EXPERIENCE);
}

static int close_site(void **state)
{
    (void)state;
    site_close(&site);
    return 0;
}

/* ---- one round ---- */

static size_t viewer_of(size_t body)
{
    for (size_t i = 0; i < HEADS; i++)
        if (site_has_picture(&site, body, i))
            return i;
    fail_msg("nobody views %s", site.bodies[body].name);
    return 0;
}

struct next { size_t body, before; int64_t since_ms; };
static bool next_streams(void *ctx)
{
    const struct next *next = ctx;
    struct watched seen = watch_look(&site.watch, next->body);
    return seen.app[0] != '\0' && seen.app_since_ms >= next->since_ms && seen.sessions == 1 &&
        !site_has_picture(&site, next->body, next->before);
}

static bool both_stream(void *ctx)
{
    (void)ctx;
    size_t found = 0;
    for (size_t i = 0; i < HEADS; i++)
        found += site_body_of(&site, i) >= 0 && agent_head_is(&site.heads[i].agent, "streaming");
    return found == BODIES;
}

static void all_settled(void)
{
    assert_true(site_waits(&site, both_stream, NULL, SITE_WAIT_MS));
}

/* The viewer of that body leaves and gets in line again; the next one streams. Milliseconds from the leaver's tap to the launch that the
 * host has let begin. */
static int64_t one_round(size_t body, bool forgets)
{
    size_t viewer = viewer_of(body);
    struct site_picture picture = site_picture_of(&site, body, viewer);
    site_picture_told(&site, &picture);     /* a visit that nobody was told of yet is found again, and ends as a stranger's */
    struct next next = { .body = body, .before = viewer, .since_ms = os_monotonic_ms() };
    struct site_head *leaver = &site.heads[next.before];
    agent_head_leaves(&leaver->agent);
    assert_true(site_waits(&site, next_streams, &next, SITE_WAIT_MS));
    int64_t took_ms = watch_look(&site.watch, body).app_since_ms - next.since_ms;
    if (forgets)
        site_head_forgets(leaver);
    assert_true(site_waits_status(&site, next.before, "ready", SITE_WAIT_MS));
    agent_head_wants(&leaver->agent, FLEET_EXPERIENCE);
    return took_ms;
}

/* ---- what must not grow ---- */

static pid_t pid_of(size_t part)
{
    return part == 0 ? site.daemon.process.pid
        : part <= BODIES ? site.bodies[part - 1].agent.process.pid : site.heads[part - 1 - BODIES].agent.local.process.pid;
}

static const char *name_of(size_t part)
{
    return part == 0 ? "hydraclusterd" : part <= BODIES ? site.bodies[part - 1].name : site.heads[part - 1 - BODIES].name;
}

static void measure(struct process_size sizes[PARTS])
{
    for (size_t i = 0; i < PARTS; i++)
        sizes[i] = process_size_of(pid_of(i));
}

/* A poll or a call more or less is under way at any moment: each holds a connection. */
#define CONNECTIONS_MORE 6

static void check_sizes(void)
{
    struct process_size now[PARTS];
    measure(now);
    for (size_t i = 0; i < PARTS; i++) {
        print_message("%-14s descriptors %zu -> %zu, resident %zu -> %zu KiB\n", name_of(i), warm[i].descriptors, now[i].descriptors,
                      warm[i].resident_kib, now[i].resident_kib);
        assert_true(now[i].descriptors <= warm[i].descriptors + CONNECTIONS_MORE);
        assert_true(UNDER_SANITIZER || now[i].resident_kib <= warm[i].resident_kib + warm[i].resident_kib / GROWTH_PARTS + GROWTH_KIB);
    }
}

static bool lists_are_short(void *ctx)
{
    (void)ctx;
    for (size_t i = 0; i < BODIES; i++)
        if (watch_look(&site.watch, i).clients > CLIENTS_MAX)
            return false;
    return true;
}

/* ---- the three parts ---- */

static void pair_round_after_round(void)
{
    unsigned warm_at = wanted.rounds > 2 * WARM_AT ? WARM_AT : wanted.rounds / 3;
    int64_t begin_ms = os_monotonic_ms();
    all_settled();
    for (unsigned i = 0; i < wanted.rounds; i++) {
        (void)one_round(i % BODIES, true);
        if (!site_waits(&site, lists_are_short, NULL, TRIM_MS))
            fail_msg("round %u: %zu and %zu clients", i, watch_look(&site.watch, 0).clients, watch_look(&site.watch, 1).clients);
        if (i + 1 == warm_at)
            measure(warm);
    }
    if (warm_at >= WARM_LEAST)
        check_sizes();
    print_message("%u rounds with a pairing each in %" PRId64 " s; at most %zu and %zu clients at any time\n", wanted.rounds,
                  (os_monotonic_ms() - begin_ms) / 1000, watch_look(&site.watch, 0).clients_most, watch_look(&site.watch, 1).clients_most);
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void next_picture_comes_quickly(void)
{
    static int64_t took_ms[QUICK_MAX];
    if (wanted.quick == 0)
        return;
    for (unsigned i = 0; i < FIRST_ROUNDS; i++)
        (void)one_round(i % BODIES, false);
    for (unsigned i = 0; i < wanted.quick; i++) {
        all_settled();
        took_ms[i] = one_round(i % BODIES, false);
    }
    qsort(took_ms, wanted.quick, sizeof took_ms[0], by_size);
    int64_t median = took_ms[wanted.quick / 2], p99 = took_ms[(size_t)wanted.quick * 99 / 100];
    print_message("from a head's stop to the next one's launch: median %" PRId64 " ms, p99 %" PRId64 " ms of %u\n", median, p99,
                  wanted.quick);
    if (wanted.limit_ms > 0 && median > (int64_t)wanted.limit_ms)
        fail_msg("the median is above %u ms", wanted.limit_ms);
}

static void killed_agents_lose_nothing(void)
{
    int64_t slowest_ms = 0;
    all_settled();
    for (unsigned i = 0; i < wanted.kills; i++) {
        size_t body = i % BODIES;
        struct site_picture pictures[BODIES];
        for (size_t k = 0; k < BODIES; k++) {
            pictures[k] = site_picture_of(&site, k, viewer_of(k));
            site_picture_told(&site, &pictures[k]);
        }
        int64_t killed_ms = os_monotonic_ms();
        agent_body_kill(&site.bodies[body].agent);
        agent_body_start(&site.bodies[body].agent);
        site_picture_told(&site, &pictures[body]);
        int64_t took_ms = os_monotonic_ms() - killed_ms;
        slowest_ms = took_ms > slowest_ms ? took_ms : slowest_ms;
        for (size_t k = 0; k < BODIES; k++)
            site_picture_check(&site, &pictures[k]);
        (void)one_round(body, false);
        all_settled();
    }
    print_message("from a body agent's kill -9 to its slot's return: at most %" PRId64 " ms of %u\n", slowest_ms, wanted.kills);
}

static void test_agent_rounds__pair_launch_release__nothing_grows_and_nobody_waits(void **state)
{
    (void)state;
    open_site();
    pair_round_after_round();
    next_picture_comes_quickly();
    killed_agents_lose_nothing();
    watch_check(&site.watch);
}

static bool take_number(const char *text, unsigned long most, unsigned *ret)
{
    char *end = NULL;
    unsigned long value = strtoul(text, &end, 10);
    *ret = (unsigned)value;
    return end != text && *end == '\0' && value <= most;
}

int main(int argc, char **argv)
{
    const struct { const char *name; unsigned *value; unsigned long most; } options[] = {
        { "--rounds", &wanted.rounds, 100000 }, { "--quick", &wanted.quick, QUICK_MAX }, { "--kills", &wanted.kills, 1000 },
        { "--limit-ms", &wanted.limit_ms, 60000 },
    };
    for (int i = 1; i < argc; i += 2) {
        bool ok = false;
        for (size_t k = 0; k < sizeof options / sizeof options[0]; k++)
            if (strcmp(argv[i], options[k].name) == 0)
                ok = i + 1 < argc && take_number(argv[i + 1], options[k].most, options[k].value);
        if (!ok) {
            (void)fprintf(stderr, "usage: test_agent_rounds [--rounds N] [--quick N] [--kills N] [--limit-ms N]\n");
            return 2;
        }
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_agent_rounds__pair_launch_release__nothing_grows_and_nobody_waits, close_site),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
