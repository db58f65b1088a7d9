/* slot_reads.c - what the slot's host says of itself. What cannot be read is unknown, and changes nothing. */
#include "slot_loop.h"

#include <string.h>

#include "hydra/base/log.h"
#include "hydra/os/clock.h"

#define DESKTOP "Desktop"

void slot_look(struct slot_loop *l)
{
    struct slot *slot = l->slot;
    const struct gs_client client = { .unique_id = l->agent->unique_id };
    struct gs_serverinfo info = { .busy = false };
    struct hc_diag diag = { "" };
    int64_t asked_ms = os_monotonic_ms();
    bool answered = gs_serverinfo(&slot->host, &client, SLOT_HOST_CALL_MS, &info, &diag) == HC_OK;
    enum host_state host = !answered ? HOST_STATE_UNKNOWN : info.busy ? HOST_STATE_BUSY : HOST_STATE_FREE;
    if (!l->looked || answered != (l->host != HOST_STATE_UNKNOWN))
        hc_log(answered ? HC_LOG_NOTICE : HC_LOG_WARNING, answered ? "host_answers" : "host_away", "slot=%u detail=%s", slot->index,
               hc_logq(diag.text));
    l->host = host;
    l->looked = true;
    agent_lock(l->agent);
    if (sessions_serverinfo(&slot->sessions, host, answered ? info.current_game : 0, asked_ms, os_monotonic_ms()))
        slot_edge(slot);
    agent_unlock(l->agent);
}

static void on_line(void *ctx, const char *line, size_t len)
{
    struct slot_loop *l = ctx;
    struct log_event event;
    if (!log_line_read(line, len, &event))
        return;
    agent_lock(l->agent);
    if (sessions_log(&l->slot->sessions, &event, os_monotonic_ms()))
        slot_edge(l->slot);
    agent_unlock(l->agent);
    hc_log(HC_LOG_DEBUG, "host_log", "slot=%u event=%s", l->slot->index, log_kind_word(event.kind));
}

void slot_read_log(struct slot_loop *l)
{
    struct slot *slot = l->slot;
    struct log_polled polled;
    do {
        polled = log_follow_poll(&l->log, on_line, l);
        agent_lock(l->agent);
        int64_t now_ms = os_monotonic_ms();
        bool news = polled.restarted && sessions_log_restarted(&slot->sessions, now_ms);
        if (sessions_log_readable(&slot->sessions, polled.readable, now_ms) || news)
            slot_edge(slot);
        agent_unlock(l->agent);
    } while ((polled.more || polled.restarted) && !atomic_load(&l->agent->stop));
}

enum sunshine_outcome slot_web_worst(const struct slot *slot)
{
    enum sunshine_outcome worst = SUNSHINE_OK;
    for (size_t i = 0; i < WEB_CALLS; i++)
        worst = slot->shown.web[i] > worst ? slot->shown.web[i] : worst;
    return worst;
}

void slot_web_was(struct slot_loop *l, enum sunshine_outcome outcome, enum web_call call, const struct hc_diag *diag)
{
    static const char *const words[WEB_CALLS] = { [WEB_CONFIG] = "config", [WEB_APPS] = "apps", [WEB_CLIENTS] = "clients",
                                                  [WEB_ORDERS] = "orders" };
    struct slot_shown *shown = &l->slot->shown;
    bool spoke = outcome < SUNSHINE_AWAY;               /* it answered as itself: whatever it said, it is there */
    agent_lock(l->agent);
    bool news = shown->web[call] != (spoke ? SUNSHINE_OK : outcome);
    shown->web[call] = spoke ? SUNSHINE_OK : outcome;
    if (!spoke)
        shown->web_error = *diag;
    if (news)
        slot_edge(l->slot);
    agent_unlock(l->agent);
    if (news)
        hc_log(spoke ? HC_LOG_NOTICE : HC_LOG_ERR, "sunshine_web", "slot=%u call=%s outcome=%s detail=%s", l->slot->index, words[call],
               sunshine_outcome_word(outcome), hc_logq(spoke ? "" : diag->text));
}

/* ---- applications ---- */

static bool named_in_config(const struct body_config *config, const char *name)
{
    return config->experiences.count == 0 || hc_among(config->experiences.items, config->experiences.count, name);
}

static bool same_names(const struct kept_names *a, const struct kept_names *b)
{
    bool same = a != NULL && a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = strcmp(a->names[i], b->names[i]) == 0;
    return same;
}

void slot_show_experiences(struct slot_loop *l)
{
    struct slot *slot = l->slot;
    struct kept_names *made = kept_new(sizeof *made);
    if (made != NULL)
        made->names = hc_arena_array(&made->kept.arena, l->patterns.count + 1, sizeof made->names[0]);
    bool ok = made != NULL && made->names != NULL;
    for (size_t i = 0; ok && i < l->patterns.count; i++) {
        const char *name = l->patterns.rows[i].name;
        if (strcmp(name, DESKTOP) == 0 || !named_in_config(l->agent->config, name))
            continue;
        made->names[made->count] = hc_arena_strdup(&made->kept.arena, name);
        ok = made->names[made->count++] != NULL;
    }
    agent_lock(l->agent);
    bool news = ok && !same_names(slot->shown.experiences, made);
    if (news) {
        kept_drop((struct kept *)slot->shown.experiences);
        slot->shown.experiences = made;
        l->agent->generation++;                         /* directives that were made without knowing this are not applied */
        slot_edge(slot);
    } else {
        kept_drop((struct kept *)made);
    }
    agent_unlock(l->agent);
}

static bool keep_names(struct slot_loop *l, const struct sunshine_app *apps, size_t count)
{
    struct app_names made = { .count = count };
    made.names = hc_arena_array(&made.arena, count + 1, sizeof made.names[0]);
    bool ok = made.names != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        made.names[i] = hc_arena_strdup(&made.arena, apps[i].name);
        ok = made.names[i] != NULL;
    }
    if (!ok) {
        hc_arena_free(&made.arena);
        return false;
    }
    hc_arena_free(&l->apps.arena);
    l->apps = made;
    return true;
}

static enum hc_err learn(struct slot_loop *l, const struct sunshine_app *apps, size_t count)
{
    const struct pattern_news news = { .apps = apps, .count = count, .before = l->apps.names, .before_count = l->apps.count,
                                       .own = l->apps_own_change };
    const char *left_out = NULL;
    bool changed = false;
    struct hc_diag diag = { "" };
    enum hc_err err = patterns_learn(&l->patterns, &news, &changed, &left_out);
    if (err != HC_OK)
        return err;
    l->patterns_unsaved = l->patterns_unsaved || changed;
    if (changed && left_out != NULL)
        hc_log(HC_LOG_WARNING, "application_left_out", "slot=%u name=%s detail=%s", l->slot->index, hc_logq(left_out),
               hc_logq("its name or its entry is too long, or there are too many"));
    if (l->patterns_unsaved) {
        err = patterns_save(l->slot->dir_fd, &l->patterns, &diag);
        if (err != HC_OK)
            hc_log(HC_LOG_ERR, "patterns_not_saved", "slot=%u detail=%s", l->slot->index, hc_logq(diag.text));
        l->patterns_unsaved = err != HC_OK;
    }
    if (changed)
        slot_show_experiences(l);
    return err;
}

void slot_read_apps(struct slot_loop *l)
{
    struct hc_arena arena = { 0 };
    const struct sunshine_app *apps = NULL;
    size_t count = 0;
    struct hc_diag diag = { "" };
    enum sunshine_outcome outcome = sunshine_apps(l->api, &arena, &apps, &count, &diag);
    slot_web_was(l, outcome, WEB_APPS, &diag);
    /* Unless they are on the disk nothing is taken away: then the list counts as unread. */
    bool known = outcome == SUNSHINE_OK && learn(l, apps, count) == HC_OK && keep_names(l, apps, count);
    l->apps_state = known ? LIST_KNOWN : LIST_UNREADABLE;
    if (known)
        l->apps_own_change = false;
    hc_arena_free(&arena);
}

/* ---- clients ---- */

static struct kept_clients *keep_clients(const struct sunshine_client *from, size_t count)
{
    struct kept_clients *made = kept_new(sizeof *made);
    struct host_client *clients = made == NULL ? NULL : hc_arena_array(&made->kept.arena, count + 1, sizeof *clients);
    if (clients != NULL)
        made->working = hc_arena_array(&made->kept.arena, count + 1, sizeof *clients);
    bool ok = clients != NULL && made->working != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        clients[i] = (struct host_client){ .uuid = hc_arena_strdup(&made->kept.arena, from[i].uuid),
                                           .name = hc_arena_strdup(&made->kept.arena, from[i].name), .enabled = from[i].enabled };
        made->working[i] = clients[i];
        ok = clients[i].uuid != NULL && clients[i].name != NULL;
    }
    if (!ok) {
        kept_drop((struct kept *)made);
        return NULL;
    }
    made->clients = clients;
    made->count = count;
    return made;
}

static bool same_clients(const struct kept_clients *a, const struct kept_clients *b)
{
    bool same = a != NULL && b != NULL && a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = strcmp(a->clients[i].uuid, b->clients[i].uuid) == 0 && strcmp(a->clients[i].name, b->clients[i].name) == 0;
    return same && a != NULL;
}

/* `made` NULL: not known any more. */
static void show_clients(struct slot_loop *l, struct kept_clients *made)
{
    agent_lock(l->agent);
    struct slot_shown *shown = &l->slot->shown;
    bool news = shown->clients != made && !same_clients(shown->clients, made);
    kept_drop((struct kept *)l->clients);
    kept_drop((struct kept *)shown->clients);
    l->clients = shown->clients = made;
    if (made != NULL)
        kept_use(&made->kept);
    if (news)
        agent_edge(l->agent);
    agent_unlock(l->agent);
}

static void read_version(struct slot_loop *l)
{
    char version[SUNSHINE_VERSION_SIZE] = "";
    unsigned features = 0;
    struct hc_diag diag = { "" };
    enum sunshine_outcome outcome = sunshine_version(l->api, version, &features, &diag);
    slot_web_was(l, outcome, WEB_CONFIG, &diag);
    if (outcome != SUNSHINE_OK)
        return;
    agent_lock(l->agent);
    HC_SET(l->slot->shown.version, version);
    l->slot->shown.features = features;
    agent_unlock(l->agent);
}

void slot_read_clients(struct slot_loop *l)
{
    struct hc_arena arena = { 0 };
    const struct sunshine_client *clients = NULL;
    size_t count = 0;
    struct hc_diag diag = { "" };
    read_version(l);
    enum sunshine_outcome outcome = sunshine_clients(l->api, &arena, &clients, &count, NULL, &diag);
    slot_web_was(l, outcome, WEB_CLIENTS, &diag);
    struct kept_clients *made = outcome == SUNSHINE_OK ? keep_clients(clients, count) : NULL;
    l->clients_state = made != NULL ? LIST_KNOWN : LIST_UNREADABLE;
    show_clients(l, made);
    hc_arena_free(&arena);
}

/* The page's port shows the same certificate as the one for heads, and has a thread for each caller. Its answer is no document of ours. */
void slot_read_certificate(struct slot_loop *l)
{
    const struct slot_config *config = l->slot->config;
    const struct gs_host host = { config->address, config->gamestream, config->web };
    const struct gs_client client = { .unique_id = l->agent->unique_id };
    const struct gs_request request = { .channel = GS_HTTPS, .path = "/", .query = "", .timeout_ms = SLOT_HOST_CALL_MS };
    struct gs_answer answer;
    enum hc_err err = gs_call(&host, &client, &request, &answer, NULL);
    (void)err;
    agent_lock(l->agent);
    char *shown = l->slot->shown.sunshine_cert_fp;
    if (answer.peer_fingerprint[0] != '\0' && strcmp(shown, answer.peer_fingerprint) != 0) {
        HC_SET(l->slot->shown.sunshine_cert_fp, answer.peer_fingerprint);
        slot_edge(l->slot);
    }
    agent_unlock(l->agent);
    gs_answer_free(&answer);
}
