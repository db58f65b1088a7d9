/* enumerate.c - one body, two heads, six kinds of events (ask, play, leave, report, time, crash): every sequence of a length, walked depth
 * first. A state is copied before each step and taken back after it, so a sequence costs its last step only. */
#include "enumerate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PASSES_MS     47000        /* longer than a grace, shorter than a fresh report: two of them are not */
#define WORLD_LEASES  64

enum letter { ASK, PLAY, LEAVE, REPORT, TIME, CRASH, LETTERS };
static const char *const letter_names[LETTERS] = { "asks", "plays", "leaves", "report", "time", "crash" };

struct setting { const char *name; bool modern; enum head_kind kinds[2]; };
static const struct setting settings[] = {
    { "two legacy heads, legacy body", false, { HEAD_IPAD, HEAD_IPAD } },
    { "two legacy heads, modern body", true, { HEAD_IPAD, HEAD_QUEST } },
    { "legacy and protocol 2", true, { HEAD_GO, HEAD_P2 } },
    { "two of protocol 2", true, { HEAD_P2, HEAD_P2 } },
};

/* All that a step may change. */
struct world {
    struct alloc *live, *committed;
    struct observed *obs;
    struct cluster cluster;
    struct machine machine;
    struct head heads[2];
    struct slot_epochs epochs;
    struct seen_lease leases[WORLD_LEASES];
    size_t lease_count, epoch_count, event_count;
    struct sim_event events[16];
    int64_t now, slack;
    uint64_t order, number;
};

static void must(enum hc_err err)
{
    if (err != HC_OK)
        abort();
}

static void save_world(struct sim *sim, struct world *w)
{
    must(alloc_snapshot(sim->cluster.live, &w->live));
    must(alloc_snapshot(sim->cluster.committed, &w->committed));
    must(observed_snapshot(sim->cluster.obs, &w->obs));
    w->obs->started_at = sim->cluster.obs->started_at;
    w->cluster = sim->cluster;
    w->machine = sim->bodies[0];
    memcpy(w->heads, sim->heads, sizeof w->heads);
    w->epochs = sim->epochs[0];
    w->lease_count = sim->lease_count < WORLD_LEASES ? sim->lease_count : WORLD_LEASES;
    memcpy(w->leases, sim->leases, w->lease_count * sizeof w->leases[0]);
    w->epoch_count = sim->epoch_count;
    w->event_count = sim->event_count < 16 ? sim->event_count : 16;
    memcpy(w->events, sim->events, w->event_count * sizeof w->events[0]);
    w->now = sim->now;
    w->slack = sim->clock_slack_until;
    w->order = sim->order;
    w->number = sim->number;
}

/* Takes the states of `w`. */
static void restore_world(struct sim *sim, struct world *w)
{
    struct cluster *c = &sim->cluster;
    alloc_free(c->live);
    alloc_free(c->committed);
    observed_free(c->obs);
    alloc_free(c->cut);
    alloc_free(c->disk);
    core_result_free(&c->last);
    *c = w->cluster;
    c->live = w->live;
    c->committed = w->committed;
    c->obs = w->obs;
    c->cut = c->disk = NULL;
    c->last = (struct core_result){ .dirty = false };
    sim->bodies[0] = w->machine;
    memcpy(sim->heads, w->heads, sizeof w->heads);
    sim->epochs[0] = w->epochs;
    sim->epochs[0].version = sim->epochs[0].committed_version = NULL;      /* the records are copies at other places */
    sim->lease_count = w->lease_count;
    memcpy(sim->leases, w->leases, w->lease_count * sizeof w->leases[0]);
    sim->epoch_count = w->epoch_count;
    sim->event_count = w->event_count;
    memcpy(sim->events, w->events, w->event_count * sizeof w->events[0]);
    sim->now = w->now;
    sim->clock_slack_until = w->slack;
    sim->order = w->order;
    sim->number = w->number;
    memset(sim->ops, 0, sizeof sim->ops);
}

/* Saves take no time here: what is due now happens now. */
static void settle(struct sim *sim, int64_t until)
{
    while (sim->event_count > 0 && sim->events[0].at <= until && sim->violations == 0)
        (void)sim_step(sim);
    sim->now = until;
}

static void take(struct sim *sim, struct head *h, const struct op *op)
{
    const struct answer *a = &op->answer;
    bool lease = a->arrived && a->has_lease && !a->uncollected && a->answer != ANSWER_REFUSED && a->answer != ANSWER_TICKET &&
        (h->kind != HEAD_P2 || a->token[0] != '\0');
    if (!lease)
        return;
    h->body = 0;
    h->slot = a->slot;
    h->standing = true;
    HC_SET(h->held_id, a->lease_id);
    HC_SET(h->lease_id, a->lease_id);
    HC_SET(h->token, a->token);
    sim->tally[1]++;
}

static void ask(struct sim *sim, struct head *h)
{
    struct op *op = op_new(sim, h->kind == HEAD_P2 ? CORE_CLAIM : CORE_READ, head_index(sim, h));
    HC_SET(op->experience, sim_experiences[0]);
    HC_SET(op->attempt_id, h->id);
    op_submit(sim, op);
    settle(sim, sim->now);
    if (op->parked) {
        op->parked_until = sim->now;
        op_run(sim, op, true);
        settle(sim, sim->now);
    }
    take(sim, h, op);
}

static void play(struct sim *sim, struct head *h)
{
    struct session *session = h->body < 0 ? NULL : machine_session_of(&sim->bodies[0], head_index(sim, h));
    struct op *op = op_new(sim, CORE_HEARTBEAT, head_index(sim, h));
    if (h->body >= 0 && session == NULL && h->standing)
        session = machine_launch(sim, &sim->bodies[0], h->slot, head_index(sim, h), h->kind == HEAD_P2 ? h->lease_id : "",
                                 sim_experiences[0]);
    if (session != NULL) {
        session->starting = false;
        session->next_at = 0;
    }
    sim_check_i1_one_admitted_session(sim, &sim->bodies[0]);
    HC_SET(op->status, session != NULL ? "streaming" : "idle");
    HC_SET(op->body_id, session != NULL ? sim->bodies[0].id : "");
    HC_SET(op->lease_id, h->kind == HEAD_P2 ? h->lease_id : "");
    op_submit(sim, op);
}

static void leave(struct sim *sim, struct head *h)
{
    struct session *session = machine_session_of(&sim->bodies[0], head_index(sim, h));
    struct op *op = op_new(sim, h->kind == HEAD_P2 ? CORE_RELEASE : CORE_STREAM_STOP, head_index(sim, h));
    if (session != NULL)
        session->on = false;
    HC_SET(op->lease_id, h->lease_id);
    HC_SET(op->token, h->token);
    op->why = WHY_USER_EXIT;
    op_submit(sim, op);
    h->body = -1;
    h->standing = false;
}

static void report(struct sim *sim)
{
    struct report made;
    struct machine *m = &sim->bodies[0];
    machine_directive(sim, m);
    report_make(sim, m, &made);
    report_delivered(sim, &made);
}

static void pass(struct sim *sim, int64_t ms)
{
    settle(sim, sim->now + ms);
    for (size_t i = 0; i < SIM_SESSIONS_MAX; i++)
        if (sim->bodies[0].sessions[i].ending)
            sim->bodies[0].sessions[i].on = false;
}

static void crash(struct sim *sim)
{
    cluster_crash(sim, 3000);
    settle(sim, sim->now + 3000);
}

static const char *play_letter(struct sim *sim, int letter, char text[32])
{
    struct head *h = &sim->heads[letter % 2];
    enum letter kind = letter < 6 ? (enum letter)(letter / 2) : (enum letter)(letter - 3);
    (void)snprintf(text, 32, "%.8s%s%s", kind <= LEAVE ? h->id : "", kind <= LEAVE ? " " : "", letter_names[kind]);
    switch (kind) {
    case ASK:
        ask(sim, h);
        break;
    case PLAY:
        play(sim, h);
        break;
    case LEAVE:
        leave(sim, h);
        break;
    case REPORT:
        report(sim);
        break;
    case TIME:
        pass(sim, PASSES_MS);
        break;
    default:
        crash(sim);
    }
    settle(sim, sim->now);
    return text;
}

struct walk { struct sim *sim; unsigned depth; uint64_t sequences; int path[ENUMERATE_DEPTH_MAX]; };

static void tell_path(const struct walk *walk, unsigned length)
{
    printf("enumeration: %s\n  after:", walk->sim->violation);
    for (unsigned i = 0; i <= length; i++) {
        int letter = walk->path[i];
        enum letter kind = letter < 6 ? (enum letter)(letter / 2) : (enum letter)(letter - 3);
        printf(" %s%s,", kind <= LEAVE ? letter % 2 == 0 ? "h1 " : "h2 " : "", letter_names[kind]);
    }
    printf("\n");
    sim_print_trace(walk->sim);
}

static void descend(struct walk *walk, unsigned at)
{
    char text[32];
    if (at == walk->depth) {
        walk->sequences++;
        return;
    }
    struct world *w = malloc(sizeof *w);
    if (w == NULL)
        abort();
    for (int letter = 0; letter < 6 + LETTERS - REPORT && walk->sim->violations == 0; letter++) {
        save_world(walk->sim, w);
        walk->path[at] = letter;
        sim_trace(walk->sim, "-- %s", play_letter(walk->sim, letter, text));
        if (walk->sim->violations > 0)
            tell_path(walk, at);
        else
            descend(walk, at + 1);
        restore_world(walk->sim, w);
    }
    free(w);
}

static void make_world(struct sim *sim, const struct setting *setting)
{
    sim_start(sim, 1, MODE_SCRIPT);
    sim->keeps_history = false;
    int body = machine_add(sim, "b1", sim_venues[0], setting->modern, 1, 3);
    fleet_node(sim, "b1", sim_venues[0], ROLE_BODY, "hydrabody", 1);
    for (size_t i = 0; i < 2; i++) {
        const char *id = i == 0 ? "h1" : "h2";
        (void)head_add(sim, id, sim_venues[0], setting->kinds[i]);
        fleet_node(sim, id, sim_venues[0], ROLE_HEAD, setting->kinds[i] == HEAD_QUEST ? "hydraheadquest" : "hydraheadipad", 0);
    }
    sim->bodies[body].tells_client = setting->kinds[0] == HEAD_P2;
    sim->cluster.running = true;
    struct core_event ev = cluster_event(sim, CORE_START, CALLER_SYSTEM, "");
    (void)cluster_step(sim, &ev, cluster_seed(sim));
    cluster_first_save(sim);
    report(sim);
    report(sim);
    settle(sim, sim->now + 100);
}

int enumerate(struct sim *sim, unsigned depth)
{
    unsigned passed = 0, failed = 0;
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        struct walk walk = { .sim = sim, .depth = depth };
        make_world(sim, &settings[i]);
        descend(&walk, 0);
        bool good = sim->violations == 0 && sim->tally[1] > 0;
        passed += good ? 1 : 0;
        failed += good ? 0 : 1;
        printf("enumeration: %s: %" PRIu64 " sequences of %u steps, %" PRIu64 " grants\n", settings[i].name, walk.sequences, depth,
               sim->tally[1]);
        sim_free(sim);
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
