/* slot_steps.c - from what the directive wants to what the host has: asks converge.h what is next, and does it. */
#include "slot_loop.h"

#include <string.h>

#include "hydra/base/log.h"
#include "hydra/os/clock.h"
#include "hydra/os/random.h"

#include "session_file.h"
#include "stream_edge.h"

/* ---- sessions.json ---- */

bool slot_save(struct slot_loop *l)
{
    struct session_saved saved = { .slot = l->slot->index, .shut = { l->memory.shut, l->memory.shut_count } };
    struct hc_diag diag = { "" };
    agent_lock(l->agent);
    const struct session_launch *launch = sessions_launch(&l->slot->sessions);
    saved.has_launch = launch != NULL;
    if (launch != NULL)
        saved.launch = *launch;
    agent_unlock(l->agent);
    bool ok = session_file_save(l->slot->dir_fd, l->agent->boot_id, &saved, 1, &l->saved, &diag) == HC_OK;
    if (ok == l->save_failed)
        hc_log(ok ? HC_LOG_NOTICE : HC_LOG_ERR, ok ? "sessions_saved_again" : "sessions_not_saved", "slot=%u detail=%s", l->slot->index,
               hc_logq(diag.text));
    l->save_failed = !ok;
    return ok;
}

/* ---- idle ---- */

bool slot_host_is_idle(void *slot_loop)
{
    struct slot_loop *l = slot_loop;
    struct sessions_view view;
    slot_look(l);
    agent_lock(l->agent);
    sessions_look(&l->slot->sessions, os_monotonic_ms(), &view);
    bool idle = view.host_idle && l->host == HOST_STATE_FREE && l->slot->launching == 0;
    l->slot->changing = idle;           /* in one hold with the question: a hook that comes now waits for the change to be over */
    agent_unlock(l->agent);
    return idle;
}

static void hooks_go_on(struct slot_loop *l)
{
    agent_lock(l->agent);
    l->slot->changing = false;
    agent_unlock(l->agent);
}

static void change_over(struct slot_loop *l)
{
    hooks_go_on(l);
    l->apps_state = LIST_UNREAD;
    l->apps_own_change = true;
}

/* ---- the steps ---- */

static bool raise_floor(struct slot_loop *l, const struct converge_step *step)
{
    struct hc_diag diag = { "" };
    struct slot *slot = l->slot;
    enum floor_verdict verdict = floor_raise(slot->dir_fd, &l->floor, slot->index, step->epoch, &diag);
    if (verdict == FLOOR_NOT_WRITTEN && l->step_failures == 0)
        hc_log(HC_LOG_ERR, "floor_not_written", "slot=%u epoch=%llu detail=%s", slot->index, (unsigned long long)step->epoch,
               hc_logq(diag.text));
    agent_lock(l->agent);
    slot->shown.floor = l->floor.epoch[slot->index];
    agent_unlock(l->agent);
    return verdict == FLOOR_APPLY;
}

static enum sunshine_outcome close_app(struct slot_loop *l, struct hc_diag *diag)
{
    enum sunshine_outcome outcome = sunshine_close_app(l->api, diag);
    agent_lock(l->agent);
    if (outcome == SUNSHINE_OK && sessions_closing(&l->slot->sessions, os_monotonic_ms()))
        slot_edge(l->slot);
    agent_unlock(l->agent);
    if (outcome == SUNSHINE_OK)
        slot_look(l);                   /* it answers when the application is over: who is next in line need not wait for the next look */
    return outcome;
}

static enum sunshine_outcome add_entry(struct slot_loop *l, const struct converge_step *step, struct hc_diag *diag)
{
    const char *pattern = pattern_of(&l->patterns, step->pattern);
    return pattern == NULL ? SUNSHINE_REFUSED : sunshine_app_add(l->api, pattern, step->entry, diag);
}

static void enter_flip(struct slot_loop *l, const char *uuid, bool enabled)
{
    for (size_t i = 0; l->clients != NULL && i < l->clients->count; i++)
        if (strcmp(l->clients->working[i].uuid, uuid) == 0)
            l->clients->working[i].enabled = enabled;
}

/* A host ends an application that runs and that nobody views when any client is switched off (rules §13.5), and one may have been launched
 * since the step was decided. So either the session lives right now, or the host is idle and a hook that comes waits until the flip is
 * done. */
static bool may_disable(struct slot_loop *l)
{
    struct sessions_view view;
    agent_lock(l->agent);
    sessions_look(&l->slot->sessions, os_monotonic_ms(), &view);
    agent_unlock(l->agent);
    return (view.app_runs && view.viewers_known && view.viewers > 0) || slot_host_is_idle(l);
}

static enum sunshine_outcome flip(struct slot_loop *l, const struct converge_step *step, struct hc_diag *diag)
{
    bool enable = step->what == CONVERGE_ENABLE;
    if (!enable && !step->evicts && !may_disable(l)) {
        (void)hc_fail(diag, HC_OK, "an application has been launched meanwhile");
        return SUNSHINE_BUSY;
    }
    enum sunshine_outcome outcome = sunshine_enable(l->api, step->uuid, enable, diag);
    hooks_go_on(l);
    if (outcome == SUNSHINE_OK)
        enter_flip(l, step->uuid, enable);
    l->clients_state = outcome == SUNSHINE_OK ? LIST_CHANGED : LIST_UNREAD;
    return outcome;
}

static enum sunshine_outcome order(struct slot_loop *l, const struct converge_step *step, struct hc_diag *diag)
{
    enum sunshine_outcome outcome = SUNSHINE_OK;
    switch (step->what) {
    case CONVERGE_CLOSE_APP:
        return close_app(l, diag);
    case CONVERGE_REMOVE_ENTRY:
    case CONVERGE_ADD_ENTRY:
        outcome = step->what == CONVERGE_ADD_ENTRY ? add_entry(l, step, diag) : sunshine_app_remove(l->api, step->entry, diag);
        change_over(l);
        return outcome;
    case CONVERGE_DISABLE:
    case CONVERGE_ENABLE:
        return flip(l, step, diag);
    default:
        outcome = sunshine_unpair(l->api, step->uuid, diag);
        l->clients_state = LIST_UNREAD;
        return outcome;
    }
}

static bool do_order(struct slot_loop *l, const struct converge_step *step)
{
    struct hc_diag diag = { "" };
    char entry[BODY_STATUS_APP_MAX + 1];
    enum sunshine_outcome outcome = order(l, step, &diag);
    slot_web_was(l, outcome, WEB_ORDERS, &diag);
    app_without_token(step->entry == NULL || strlen(step->entry) >= sizeof entry ? "" : step->entry, entry);
    bool done = outcome == SUNSHINE_OK;
    if (done || l->step_failures == 0)
        hc_log(done ? HC_LOG_NOTICE : HC_LOG_WARNING, "step", "slot=%u do=%s entry=%s client=%s outcome=%s%s%s detail=%s", l->slot->index,
               converge_word(step->what), hc_logq(entry), hc_logq(step->uuid == NULL ? "" : step->uuid), sunshine_outcome_word(outcome),
               step->terminates ? " for=terminate" : "", step->evicts ? " for=evict" : "", hc_logq(diag.text));
    return done;
}

static bool read_well(struct slot_loop *l, enum list_state state)
{
    if (state != LIST_KNOWN)
        l->lists_at_ms = os_monotonic_ms() + SLOT_AGAIN_MS;
    return state == LIST_KNOWN;
}

static bool carry_out(struct slot_loop *l, const struct converge_step *step)
{
    switch (step->what) {
    case CONVERGE_RAISE_FLOOR:
        return raise_floor(l, step);
    case CONVERGE_READ_ENTRIES:
        slot_read_apps(l);
        return read_well(l, l->apps_state);
    case CONVERGE_READ_CLIENTS:
        slot_read_clients(l);
        return read_well(l, l->clients_state);
    default:
        return do_order(l, step);
    }
}

/* ---- what is next ---- */

/* The newest directive, if it was made by a cluster that knows all our experiences: else it wants entries gone that it has not heard of. */
static struct kept_directive *usable_directive(struct slot_loop *l)
{
    struct kept_directive *directive = agent_directive(l->agent);
    if (directive == NULL || directive->generation >= l->agent->generation)
        return directive;
    kept_drop(&directive->kept);
    return NULL;
}

static const char **experience_names(struct slot_loop *l, struct hc_arena *arena, size_t *ret_count)
{
    const struct body_config *config = l->agent->config;
    const char **names = hc_arena_array(arena, l->patterns.count + 1, sizeof names[0]);
    *ret_count = 0;
    for (size_t i = 0; names != NULL && i < l->patterns.count; i++) {
        const char *name = l->patterns.rows[i].name;
        bool ours = config->experiences.count == 0 || strcmp(name, "Desktop") == 0 ||
                    hc_among(config->experiences.items, config->experiences.count, name);
        if (ours)
            names[(*ret_count)++] = name;
    }
    return names;
}

static void tell_below(struct slot_loop *l, const struct converge_step *step)
{
    if (!step->tell_below)
        return;
    struct body_status_event event = { .type = "epoch_below_floor", .slot = l->slot->index };
    HC_SET(event.detail, "a directive was issued before one that this body has applied: not applied");
    agent_event(l->agent, &event);
}

static void tell_missing(struct slot_loop *l, const char *missing)
{
    uint64_t hash = missing == NULL ? 0 : hc_fnv1a64(HC_FNV1A64_START, missing);
    if (hash == l->missing_told)
        return;
    l->missing_told = hash;
    char entry[BODY_STATUS_APP_MAX + 1];
    app_without_token(missing == NULL || strlen(missing) >= sizeof entry ? "" : missing, entry);
    if (missing != NULL)
        hc_log(HC_LOG_ERR, "entry_without_pattern", "slot=%u entry=%s detail=%s", l->slot->index, hc_logq(entry),
               hc_logq("the cluster wants an application that this host never had: make it in Sunshine, or take it off the list"));
}

/* What the step says of the slot, for the report. */
static void show(struct slot_loop *l, const struct converge_step *step)
{
    struct slot_shown *shown = &l->slot->shown;
    const char *reason = step->gate_reason == NULL || strlen(step->gate_reason) > HC_NAME_MAX ? "" : step->gate_reason;
    agent_lock(l->agent);
    bool news = shown->applied_epoch != step->applied_epoch || shown->gate_mode != step->gate_mode ||
                strcmp(shown->gate_reason, reason) != 0;
    shown->applied_epoch = step->applied_epoch;
    shown->gate_mode = step->gate_mode;
    HC_SET(shown->gate_reason, reason);
    shown->below_floor = step->below_floor;
    if (news)
        agent_edge(l->agent);
    agent_unlock(l->agent);
    tell_below(l, step);
    tell_missing(l, step->missing);
}

static enum hc_err next_step(struct slot_loop *l, const struct kept_directive *directive, struct hc_arena *arena,
                             struct converge_step *ret_step)
{
    struct sessions_view view;
    int64_t now_ms = os_monotonic_ms();
    agent_lock(l->agent);
    sessions_look(&l->slot->sessions, now_ms, &view);
    unsigned features = l->slot->shown.features;
    agent_unlock(l->agent);
    size_t experience_count = 0;
    const char **experiences = experience_names(l, arena, &experience_count);
    if (experiences == NULL)
        return HC_ERR_NOMEM;
    const struct codec_list *maintenance = &l->agent->config->maintenance_clients;
    const struct converge_facts facts = {
        .slot = l->slot->index, .now_ms = now_ms, .desired = directive == NULL ? NULL : &directive->answer.desired,
        .trust = directive == NULL ? NULL : &directive->answer.trust,
        .directive_age_ms = directive == NULL ? 0 : directive_age_ms(directive, now_ms), .directive_fresh_ms = DIRECTIVE_FRESH_MS,
        .floor = l->floor.epoch[l->slot->index], .floor_unusable = l->floor_unusable, .sessions = &view,
        .clients = l->clients == NULL ? NULL : l->clients->working, .client_count = l->clients == NULL ? 0 : l->clients->count,
        .clients_state = l->clients_state, .published = l->apps.names, .published_count = l->apps.count, .published_state = l->apps_state,
        .experiences = experiences, .experience_count = experience_count, .features = features, .maintenance = maintenance->items,
        .maintenance_count = maintenance->count, .memory = &l->memory,
    };
    return converge_next(&facts, arena, ret_step);
}

/* The step was decided before lists were read and other steps done: seconds may have passed. */
static bool still_holds(struct slot_loop *l, const struct converge_step *step)
{
    struct sessions_view view;
    if (step->what == CONVERGE_CLOSE_APP)
        slot_read_log(l);
    agent_lock(l->agent);
    sessions_look(&l->slot->sessions, os_monotonic_ms(), &view);
    agent_unlock(l->agent);
    return converge_holds(step, &view);
}

/* True: something was done, ask again. */
static bool one_step(struct slot_loop *l)
{
    struct hc_arena arena = { 0 };
    struct converge_step step;
    bool save = false, done = false;
    agent_lock(l->agent);
    struct kept_directive *directive = usable_directive(l);
    agent_unlock(l->agent);
    enum hc_err err = next_step(l, directive, &arena, &step);
    if (err == HC_OK && !still_holds(l, &step))
        step.what = CONVERGE_NOTHING;   /* the next turn decides anew */
    bool acts = err == HC_OK && step.what != CONVERGE_NOTHING;
    if (err == HC_OK)
        show(l, &step);
    if (acts)
        err = converge_will(&l->memory, &step, os_monotonic_ms(), &save);
    if (acts && err == HC_OK && save && !slot_save(l))
        err = HC_ERR_IO;                /* a flag that we took must be known as ours after a kill */
    if (acts && err == HC_OK)
        done = carry_out(l, &step);
    if (err == HC_OK && converge_did(&l->memory, &step, done || !acts))
        (void)slot_save(l);
    bool failed = err != HC_OK || (acts && !done);
    l->step_failures = failed ? l->step_failures + 1 : 0;
    if (failed) {
        uint32_t random;
        os_random(&random, sizeof random);
        l->step_at_ms = os_monotonic_ms() + cluster_backoff_ms(l->step_failures, random);
    }
    agent_lock(l->agent);
    kept_drop((struct kept *)directive);
    agent_unlock(l->agent);
    hc_arena_free(&arena);
    return done;
}

void slot_converge(struct slot_loop *l)
{
    for (unsigned i = 0; i < SLOT_STEPS_MAX && !atomic_load(&l->agent->stop); i++)
        if (!one_step(l))
            return;
}
