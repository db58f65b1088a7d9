/* test_enforcement.c - what a paired client without a lease can do to a body, release by release: refused, by whom; only reported, as what;
 * or neither. The table of docs/AGENTS.md is what comes out here: HYDRA_GOLDEN_UPDATE=1 (make agents-doc) runs all releases and writes it.
 * Else --all runs them all, and without it the oldest and the newest are compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "../support/sunshine_host/peer.h"
#include "enforcement_page.h"
#include "hydra/base/arena.h"
#include "site.h"

#define STREAM_ARGS   "&rikey=000102030405060708090a0b0c0d0e0f&rikeyid=1&localAudioPlayMode=0"
#define TARGET_SIZE   256

/* One release under one setting, with a body and a head of its own. */
struct trial {
    const char *version; bool enforce;
    size_t at;                              /* of its body and its head in the site */
    long answer;                            /* the act's: status of the root */
    char event_mark[64];                    /* the newest event before the act */
    char words[ENFORCEMENT_CELL_SIZE];
    unsigned session;                       /* that the stranger has; 0: none */
    bool ends;                              /* the act ends what runs */
};

static struct site site;
static struct peer stranger;
static struct certificate host_key;
static struct trial trials[ENFORCEMENT_VERSIONS * 2];
static size_t trial_count;
static bool all_versions;
static struct enforcement_table table;

static const struct sunshine *host_of(const struct trial *t) { return &site.bodies[t->at].host; }
static const char *body_id(const struct trial *t) { return site.bodies[t->at].node.id; }

/* ---- the site ---- */

/* Keys take long to make: all hosts have one. */
static void give_key(const char *name)
{
    char folder[HOME_PATH_SIZE], cert[HOME_PATH_SIZE], key[HOME_PATH_SIZE], file[HOME_PATH_SIZE];
    (void)snprintf(file, sizeof file, "%s-host", name);
    home_path(&site.home, file, folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    (void)snprintf(file, sizeof file, "%s-host/credentials", name);
    home_path(&site.home, file, folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_true(snprintf(cert, sizeof cert, "%s/cacert.pem", folder) < HOME_PATH_SIZE);
    assert_true(snprintf(key, sizeof key, "%s/cakey.pem", folder) < HOME_PATH_SIZE);
    assert_true(certificate_save(&host_key, cert, key));
}

/* A venue of its own: its head gets its body. */
static void add_trial(const char *version, bool enforce)
{
    static char venues[ENFORCEMENT_VERSIONS * 2][SITE_NAME_SIZE];
    char name[SITE_NAME_SIZE], line[HOME_PATH_SIZE + 64];
    struct trial *t = &trials[trial_count];
    *t = (struct trial){ .version = version, .enforce = enforce, .at = trial_count };
    (void)snprintf(venues[trial_count], sizeof venues[trial_count], "venue-%zu", trial_count);
    site.venue = venues[trial_count++];
    (void)snprintf(name, sizeof name, "body-%zu", t->at);
    give_key(name);
    (void)site_add_body(&site, name, &(struct site_body_options){ .version = version, .enforce = enforce });
    (void)snprintf(line, sizeof line, "pair stranger %s/stranger.pem", site.home.root);
    sunshine_say(host_of(t), line);
    (void)snprintf(name, sizeof name, "head-%zu", t->at);
    (void)site_add_head(&site, name);
}

static void open_site(void)
{
    peer_make(&stranger, NULL);
    assert_true(certificate_make("Sunshine Gamestream Host", NULL, &host_key));
    site_open(&site, "bodyIdleConfirm: 1s\n");
    home_write(&site.home, "stranger.pem", stranger.pem);
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
    peer_free(&stranger);
    certificate_free(&host_key);
    return 0;
}

/* ---- the stranger ---- */

static long ask(const struct trial *t, const char *target, struct reply *reply)
{
    peer_https(host_of(t), &stranger, target, reply);
    return reply_root(reply);
}

/* Of the first entry that the stranger is shown; one that nobody has when it is shown none. */
static long listed_app(const struct trial *t)
{
    struct reply reply;
    return ask(t, "/applist?uniqueid=0123456789ABCDEF&uuid=1", &reply) == 200 && strstr(reply.body, "<ID>") != NULL
        ? reply_number(&reply, "ID") : 1;
}

static void act_launch(struct trial *t)
{
    char target[TARGET_SIZE];
    struct reply reply;
    (void)snprintf(target, sizeof target, "/launch?uniqueid=0123456789ABCDEF&uuid=2&appid=%ld" STREAM_ARGS, listed_app(t));
    t->answer = ask(t, target, &reply);
}

static void act_resume(struct trial *t)
{
    struct reply reply;
    t->answer = ask(t, "/resume?uniqueid=0123456789ABCDEF&uuid=3" STREAM_ARGS, &reply);
}

static void act_cancel(struct trial *t)
{
    struct reply reply;
    t->answer = ask(t, "/cancel?uniqueid=0123456789ABCDEF&uuid=4", &reply);
}

/* ---- what the cluster says ---- */

/* Adds "KIND `word`" once; a divergence that is a conflict too is the conflict. */
static void add_word(struct trial *t, const char *kind, const char *word)
{
    char quoted[96];
    size_t len = strlen(t->words);
    (void)snprintf(quoted, sizeof quoted, "`%s`", word);
    if (strstr(t->words, quoted) != NULL)
        return;
    int added = snprintf(t->words + len, sizeof t->words - len, "%s%s %s", len == 0 ? "" : ", ", kind, quoted);
    assert_true(added > 0 && (size_t)added < sizeof t->words - len);
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
            add_word(t, "conflict", json_string_value(json_object_get(row, "kind")));
    call_free(&call);
}

/* True: the body has told that the slot plays something. */
static bool take_divergences(struct trial *t)
{
    static const char *const told[] = { "unauthorized_stream", "wrong_client", "second_launch", "adopted_unknown_head" };
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
                    add_word(t, "divergence", told[n]);
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
                add_word(t, "event", told[n]);
    call_free(&call);
}

static void mark(struct trial *t)
{
    struct call call = daemon_call(&site.daemon, site.home.admin_token, "GET", "/api/v1/events?limit=1", NULL);
    (void)snprintf(t->event_mark, sizeof t->event_mark, "%s", call_str(&call, "0.id"));
    call_free(&call);
    t->words[0] = '\0';
}

/* A word, or the body has told the end of everything and there was none: then none will come. What belongs to a word is read once more, as
 * the lists are asked one after the other. */
static bool has_been_told(void *ctx)
{
    struct trial *t = ctx;
    bool told = t->words[0] != '\0';
    take_conflicts(t);
    bool plays = take_divergences(t);
    take_events(t);
    return told || (t->words[0] == '\0' && !plays && t->ends);
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

static void note(const struct trial *t, enum enforcement_act act)
{
    char *cell = enforcement_cell(&table, t->version, t->enforce, act);
    const char *who = refused_by(t->answer);
    if (who != NULL)
        (void)snprintf(cell, ENFORCEMENT_CELL_SIZE, "refused: %s", who);
    else if (t->answer != 200)
        fail_msg("%s: the host answered %ld", t->version, t->answer);
    else if (t->words[0] != '\0')
        assert_true(snprintf(cell, ENFORCEMENT_CELL_SIZE, "reported: %s", t->words) < ENFORCEMENT_CELL_SIZE);
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
    bool yes = json_is_true(json_object_get(site_row(&site, t->at, &call), "grantable"));
    call_free(&call);
    return yes;
}

/* v0.23.1 ends nothing that is viewed: the viewer leaves first. */
static void leave_free_slots(void)
{
    for (size_t i = 0; i < trial_count; i++)
        if (trials[i].session != 0) {
            struct reply reply;
            sunshine_say(host_of(&trials[i]), "close all");
            assert_int_equal(ask(&trials[i], "/cancel?uniqueid=0123456789ABCDEF&uuid=5", &reply), 200);
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
