/* test_enforcement.c - what a paired client without a lease can do to a body, release by release: refused, by whom; only reported, as what;
 * or neither. The table of docs/AGENTS.md is what comes out here: HYDRA_GOLDEN_UPDATE=1 (make agents-doc) runs all releases and writes it.
 * Else --all runs them all, and without it the oldest and the newest are compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "enforcement_page.h"
#include "hydra/base/arena.h"
#include "site.h"
#include "stranger.h"

#define STREAM_ARGS   "&rikey=000102030405060708090a0b0c0d0e0f&rikeyid=1&localAudioPlayMode=0"
#define TARGET_SIZE   256

enum kind { CONFLICT, DIVERGENCE, EVENT, KINDS };
static const char *const kind_texts[KINDS] = { "conflict", "divergence", "event" };

/* One release under one setting, with a body and a head of its own. */
struct trial {
    const char *version; bool enforce;
    size_t at;                              /* of its body and its head in the site */
    long answer;                            /* the act's: status of the root */
    char event_mark[64];                    /* the newest event before the act */
    char words[KINDS][ENFORCEMENT_CELL_SIZE];       /* "`a`, `b`" of each kind */
    unsigned session;                       /* that the stranger has; 0: none */
    bool ends;                              /* the act ends what runs */
};

static struct site site;
static struct stranger stranger;
static struct trial trials[ENFORCEMENT_VERSIONS * 2];
static size_t trial_count;
static bool all_versions;
static struct enforcement_table table;

static const struct sunshine *host_of(const struct trial *t) { return &site.bodies[t->at].host; }
static const char *body_id(const struct trial *t) { return site.bodies[t->at].node.id; }

/* ---- the site ---- */

/* A venue of its own: its head gets its body. */
static void add_trial(const char *version, bool enforce)
{
    static char venues[ENFORCEMENT_VERSIONS * 2][SITE_NAME_SIZE];
    char name[SITE_NAME_SIZE];
    struct trial *t = &trials[trial_count];
    *t = (struct trial){ .version = version, .enforce = enforce, .at = trial_count };
    (void)snprintf(venues[trial_count], sizeof venues[trial_count], "venue-%zu", trial_count);
    site.venue = venues[trial_count++];
    (void)snprintf(name, sizeof name, "body-%zu", t->at);
    (void)site_add_body(&site, name, &(struct site_body_options){ .version = version, .enforce = enforce });
    stranger_is_paired(&stranger, host_of(t));
    (void)snprintf(name, sizeof name, "head-%zu", t->at);
    (void)site_add_head(&site, name);
}

static void open_site(void)
{
    site_open(&site, "bodyIdleConfirm: 1s\n");
    stranger_make(&stranger, &site.home);
    trial_count = 0;
    for (size_t i = 0; i < ENFORCEMENT_VERSIONS; i++)
        if (all_versions || i == 0 || i == ENFORCEMENT_VERSIONS - 1) {
            add_trial(enforcement_versions[i], true);
            add_trial(enforcement_versions[i], false);
        }
}

static int close_site(void **state)
{
    (void)state;
    site_close(&site);
    return 0;
}

/* ---- the stranger ---- */

static long ask(const struct trial *t, const char *target)
{
    return stranger_asks(&stranger, host_of(t), target, NULL, NULL);
}

/* Of the first entry that the stranger is shown; one that nobody has when it is shown none. */
static long listed_app(const struct trial *t)
{
    long id = STRANGER_NO_ROOT;
    long status = stranger_asks(&stranger, host_of(t), "/applist?uniqueid=0123456789ABCDEF&uuid=1", "ID", &id);
    return status == 200 && id != STRANGER_NO_ROOT ? id : 1;
}

static void act_launch(struct trial *t)
{
    char target[TARGET_SIZE];
    (void)snprintf(target, sizeof target, "/launch?uniqueid=0123456789ABCDEF&uuid=2&appid=%ld" STREAM_ARGS, listed_app(t));
    t->answer = ask(t, target);
}

static void act_resume(struct trial *t)
{
    t->answer = ask(t, "/resume?uniqueid=0123456789ABCDEF&uuid=3" STREAM_ARGS);
}

static void act_cancel(struct trial *t)
{
    t->answer = ask(t, "/cancel?uniqueid=0123456789ABCDEF&uuid=4");
}

/* ---- what the cluster says ---- */

static void add_word(struct trial *t, enum kind kind, const char *word)
{
    char quoted[96], *words = t->words[kind];
    size_t len = strlen(words);
    (void)snprintf(quoted, sizeof quoted, "`%s`", word);
    if (strstr(words, quoted) != NULL)
        return;
    int added = snprintf(words + len, ENFORCEMENT_CELL_SIZE - len, "%s%s", len == 0 ? "" : ", ", quoted);
    assert_true(added > 0 && (size_t)added < ENFORCEMENT_CELL_SIZE - len);
}

static bool is_reported(const struct trial *t)
{
    return t->words[CONFLICT][0] != '\0' || t->words[DIVERGENCE][0] != '\0' || t->words[EVENT][0] != '\0';
}

static bool of_body(const json_t *row, const struct trial *t)
{
    const char *id = json_string_value(json_object_get(row, "body_id"));
    return id != NULL && strcmp(id, body_id(t)) == 0;
}

static void take_conflicts(struct trial *t)
{
    struct call call = daemon_call(&site.daemon, site.home.admin_token, "GET", "/api/v1/conflicts", NULL);
    size_t i;
    json_t *row;
    json_array_foreach(call.json, i, row)
        if (of_body(row, t))
            add_word(t, CONFLICT, json_string_value(json_object_get(row, "kind")));
    call_free(&call);
}

/* True: the body has told that the slot plays something. */
static bool take_divergences(struct trial *t)
{
    static const char *const told[] = { "unauthorized_stream", "adopted_unknown_head" };      /* the others are conflicts, and told there */
    struct call call = fleet_slots(&site.daemon);
    bool plays = false;
    size_t i, k;
    json_t *row, *word;
    json_array_foreach(call.json, i, row) {
        if (!of_body(row, t))
            continue;
        const char *state = json_string_value(json_object_get(json_object_get(row, "observed"), "state"));
        plays |= state != NULL && strcmp(state, "idle") != 0;
        json_array_foreach(json_object_get(row, "divergence"), k, word)
            for (size_t n = 0; n < sizeof told / sizeof told[0]; n++)
                if (strcmp(json_string_value(word), told[n]) == 0)
                    add_word(t, DIVERGENCE, told[n]);
    }
    call_free(&call);
    return plays;
}

static void take_events(struct trial *t)
{
    static const char *const told[] = { "unauthorized_launch", "second_launch_refused", "slot_conflict", "lease_adopted" };
    char path[128];
    (void)snprintf(path, sizeof path, "/api/v1/events?limit=1000&since=%s", t->event_mark);
    struct call call = daemon_call(&site.daemon, site.home.admin_token, "GET", path, NULL);
    size_t i;
    json_t *row;
    json_array_foreach(call.json, i, row)
        for (size_t n = 0; n < sizeof told / sizeof told[0]; n++)
            if (of_body(row, t) && strcmp(json_string_value(json_object_get(row, "type")), told[n]) == 0)
                add_word(t, EVENT, told[n]);
    call_free(&call);
}

static void mark(struct trial *t)
{
    struct call call = daemon_call(&site.daemon, site.home.admin_token, "GET", "/api/v1/events?limit=1", NULL);
    (void)snprintf(t->event_mark, sizeof t->event_mark, "%s", call_str(&call, "0.id"));
    call_free(&call);
    memset(t->words, 0, sizeof t->words);
}

/* A word, or the body has told the end of everything and there was none: then none will come. What belongs to a word is read once more, as
 * the lists are asked one after the other. */
static bool has_been_told(void *ctx)
{
    struct trial *t = ctx;
    bool told = is_reported(t);
    take_conflicts(t);
    bool plays = take_divergences(t);
    take_events(t);
    return told || (!is_reported(t) && !plays && t->ends);
}

/* ---- one act ---- */

/* The gate refuses before a request is read, the host by its own rules, the hook by making the launch fail. */
static const char *refused_by(long answer)
{
    static const struct { long answer; const char *who; } rows[] = {
        { 401, "gate" }, { -1, "hook" }, { 400, "Sunshine" }, { 503, "Sunshine" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].answer == answer)
            return rows[i].who;
    return NULL;
}

static void write_report(const struct trial *t, char *cell)
{
    size_t len = (size_t)snprintf(cell, ENFORCEMENT_CELL_SIZE, "reported:");
    for (size_t kind = 0; kind < KINDS; kind++)
        if (t->words[kind][0] != '\0') {
            int added = snprintf(cell + len, ENFORCEMENT_CELL_SIZE - len, "%s %s %s", cell[len - 1] == ':' ? "" : ",", kind_texts[kind],
                                 t->words[kind]);
            assert_true(added > 0 && (size_t)added < ENFORCEMENT_CELL_SIZE - len);
            len += (size_t)added;
        }
}

static void note(const struct trial *t, enum enforcement_act act)
{
    char *cell = enforcement_cell(&table, t->version, t->enforce, act);
    const char *who = refused_by(t->answer);
    if (who != NULL)
        (void)snprintf(cell, ENFORCEMENT_CELL_SIZE, "refused: %s", who);
    else if (t->answer != 200)
        fail_msg("%s: the host answered %ld", t->version, t->answer);
    else if (is_reported(t))
        write_report(t, cell);
    else
        (void)snprintf(cell, ENFORCEMENT_CELL_SIZE, "neither");
    print_message("%-10s %-8s %-22s %s\n", t->version, t->enforce ? "enforce" : "observe", enforcement_act_text(act), cell);
}

/* All trials at once: most of it is waiting. Who was let in streams, and is told of by nobody but the body's own witnesses. */
static void try_all(enum enforcement_act act, void (*run)(struct trial *t))
{
    for (size_t i = 0; i < trial_count; i++) {
        struct trial *t = &trials[i];
        mark(t);
        run(t);
        t->ends = act == ACT_CANCEL;
        t->session = !t->ends && t->answer == 200 ? (unsigned)sunshine_number(host_of(t), "connect") : 0;
    }
    for (size_t i = 0; i < trial_count; i++) {
        if (refused_by(trials[i].answer) == NULL)
            assert_true(site_waits(&site, has_been_told, &trials[i], SITE_WAIT_MS));
        note(&trials[i], act);
    }
}

/* ---- between the acts ---- */

static bool is_free(void *ctx)
{
    const struct trial *t = ctx;
    struct call call;
    const json_t *grantable = json_object_get(site_row(&site, t->at, &call), "grantable");
    bool yes = json_is_true(grantable);
    call_free(&call);
    return yes;
}

/* v0.23.1 ends nothing that is viewed: the viewer leaves first. */
static void leave_free_slots(void)
{
    for (size_t i = 0; i < trial_count; i++)
        if (trials[i].session != 0) {
            sunshine_say(host_of(&trials[i]), "close all");
            assert_int_equal(ask(&trials[i], "/cancel?uniqueid=0123456789ABCDEF&uuid=5"), 200);
        }
    for (size_t i = 0; i < trial_count; i++)
        assert_true(site_waits(&site, is_free, &trials[i], SITE_WAIT_MS));
}

/* The host has a viewer, and the cluster has heard of it. */
static bool has_picture(void *ctx)
{
    const struct trial *t = ctx;
    struct call call;
    const json_t *observed = json_object_get(site_row(&site, t->at, &call), "observed");
    const char *state = json_string_value(json_object_get(observed, "state"));
    json_t *status = sunshine_status(host_of(t));
    bool yes = strcmp(fleet_lease_state(&call, body_id(t)), "streaming") == 0 && state != NULL && strcmp(state, "streaming") == 0 &&
        json_array_size(json_object_get(status, "sessions")) == 1;
    json_decref(status);
    call_free(&call);
    return yes;
}

/* And what it told the body is in place. */
static bool streams(void *ctx)
{
    const struct trial *t = ctx;
    struct call call;
    const json_t *row = site_row(&site, t->at, &call), *observed = json_object_get(row, "observed");
    bool in_place = json_is_string(json_object_get(json_object_get(observed, "gate"), "mode")) &&
        json_integer_value(json_object_get(observed, "applied_epoch")) >= json_integer_value(json_object_get(row, "epoch"));
    call_free(&call);
    return in_place && has_picture(ctx);
}

static void wait_until_it_streams(struct trial *t)
{
    if (!site_waits(&site, streams, t, SITE_WAIT_MS)) {
        struct call call = fleet_slots(&site.daemon);
        char *text = json_dumps(json_object_get(fleet_row(&call, body_id(t)), "observed"), 0);
        fail_msg("%s with %s does not stream: %s", t->version, t->enforce ? "enforce" : "observe", text);
    }
}

/* At the second visit: at the first the host learns only by its pairing which client is the head's, and the picture may be faster than the
 * gate. */
static void all_heads_stream(void)
{
    for (size_t i = 0; i < trial_count; i++)
        agent_head_wants(&site.heads[i].agent, FLEET_EXPERIENCE);
    for (size_t i = 0; i < trial_count; i++)
        assert_true(site_waits(&site, has_picture, &trials[i], SITE_WAIT_MS));
    for (size_t i = 0; i < trial_count; i++)
        agent_head_leaves(&site.heads[i].agent);
    for (size_t i = 0; i < trial_count; i++)
        assert_true(site_waits(&site, is_free, &trials[i], SITE_WAIT_MS));
    for (size_t i = 0; i < trial_count; i++)
        agent_head_wants(&site.heads[i].agent, FLEET_EXPERIENCE);
    for (size_t i = 0; i < trial_count; i++)
        wait_until_it_streams(&trials[i]);
}

static void strangers_leave(void)
{
    char line[32];
    for (size_t i = 0; i < trial_count; i++)
        if (trials[i].session != 0) {
            (void)snprintf(line, sizeof line, "close %u", trials[i].session);
            sunshine_say(host_of(&trials[i]), line);
        }
    for (size_t i = 0; i < trial_count; i++)
        wait_until_it_streams(&trials[i]);
}

static void test_enforcement__a_paired_stranger__can_do_what_the_page_says(void **state)
{
    (void)state;
    open_site();
    try_all(ACT_LAUNCH_FREE, act_launch);
    leave_free_slots();
    all_heads_stream();
    try_all(ACT_LAUNCH_SECOND, act_launch);
    try_all(ACT_RESUME, act_resume);
    strangers_leave();
    try_all(ACT_CANCEL, act_cancel);
    enforcement_page_check(&table, all_versions);
}

int main(int argc, char **argv)
{
    const char *update = getenv("HYDRA_GOLDEN_UPDATE");
    all_versions = (argc == 2 && strcmp(argv[1], "--all") == 0) || (update != NULL && strcmp(update, "1") == 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_enforcement__a_paired_stranger__can_do_what_the_page_says, close_site),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
