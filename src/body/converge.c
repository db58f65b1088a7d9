#include "converge.h"

#include <assert.h>
#include <string.h>

#include "hydra/sunshine/sunshine.h"

#include "entries.h"

/* Of entries, and of the gate: is what the directive wants what the host has? */
enum verdict { IN_PLACE, PENDING, NOT_KNOWN };

struct work {
    const struct converge_facts *facts;
    const struct desired_slot *slot;
    struct hc_arena *arena;
    struct converge_step *step;
    struct gate_plan gate_plan;
    enum verdict entries, gate;
};

const char *converge_word(enum converge_do what)
{
    static const char *const words[CONVERGE_DOINGS] = {
        [CONVERGE_NOTHING] = "nothing", [CONVERGE_RAISE_FLOOR] = "raise_floor", [CONVERGE_CLOSE_APP] = "close_app",
        [CONVERGE_READ_ENTRIES] = "read_entries", [CONVERGE_READ_CLIENTS] = "read_clients", [CONVERGE_REMOVE_ENTRY] = "remove_entry",
        [CONVERGE_ADD_ENTRY] = "add_entry", [CONVERGE_DISABLE] = "disable", [CONVERGE_ENABLE] = "enable", [CONVERGE_UNPAIR] = "unpair",
    };
    assert((size_t)what < CONVERGE_DOINGS);
    return words[what];
}

/* The first thing that is found to do is done. */
static void do_this(struct work *w, enum converge_do what)
{
    assert(w->step->what == CONVERGE_NOTHING);
    w->step->what = what;
}

static bool is_busy(const struct work *w)
{
    return w->step->what != CONVERGE_NOTHING;
}

static bool list_known(enum list_state state)
{
    return state == LIST_KNOWN || state == LIST_CHANGED;
}

/* ---- ends of an application ---- */

static bool nobody_views(const struct sessions_view *sessions)
{
    return sessions->viewers_known && sessions->viewers == 0;
}

/* Is what runs of the lease that the directive's row names? What has no lease that we know may be it. */
static bool is_of_the_row(const struct work *w)
{
    const char *lease_id = w->facts->sessions->launch.lease_id;
    return w->slot->lease_id[0] == '\0' || lease_id[0] == '\0' || strcmp(lease_id, w->slot->lease_id) == 0;
}

static bool may_close(const struct work *w, bool viewed)
{
    const struct converge_memory *memory = w->facts->memory;
    if (!viewed && w->facts->sessions->launch.since_ms > memory->closed_ms)
        return true;                                    /* another application than the one that was closed: nothing is repeated */
    int64_t wait_ms = viewed && !memory->close_failed ? CONVERGE_CLOSE_MS : CONVERGE_RECLOSE_MS;
    return !memory->closed || w->facts->now_ms - memory->closed_ms >= wait_ms;
}

/* An epoch below the floor does not come here, so that a terminate never meets the successor of the one that it was meant for. */
static void plan_terminate(struct work *w)
{
    const struct sessions_view *sessions = w->facts->sessions;
    if (w->slot->action != DIRECTIVE_TERMINATE || !sessions->app_runs || !is_of_the_row(w))
        return;
    bool viewed = !nobody_views(sessions), ending = sessions->rows[0].state == SLOT_ENDING;
    if (ending && !viewed && !sessions->abandoned)
        return;                                         /* it is on its way out */
    if (!may_close(w, viewed))
        return;
    do_this(w, CONVERGE_CLOSE_APP);
    w->step->terminates = viewed;
}

/* Its viewer has left, and the lease under which it was launched is over: nobody comes back to it, so who is next in line need not wait for
 * the time that a reconnection takes. */
static bool lease_is_over(const struct work *w)
{
    const struct sessions_view *sessions = w->facts->sessions;
    return sessions->launch.lease_id[0] != '\0' && w->slot->action == DIRECTIVE_FREE && w->slot->lease_id[0] == '\0' &&
           sessions->app_runs && sessions->rows[0].state == SLOT_STREAMING && nobody_views(sessions);
}

/* What its lease left running; of a workshop's own launch only outside maintenance. */
static void plan_leftover(struct work *w)
{
    const struct sessions_view *sessions = w->facts->sessions;
    bool served = w->slot->action == DIRECTIVE_SERVE && w->slot->lease_id[0] != '\0' && is_of_the_row(w);
    bool workshop = w->facts->desired->maintenance && sessions->launch.lease_id[0] == '\0';
    bool left = sessions->abandoned || lease_is_over(w);
    if (is_busy(w) || !left || served || workshop || !may_close(w, false))
        return;
    do_this(w, CONVERGE_CLOSE_APP);
}

/* ---- application entries ---- */

static enum hc_err plan_entries(struct work *w)
{
    const struct converge_facts *facts = w->facts;
    const struct entries_facts entries = {
        .wanted = w->slot->app_entries.items, .wanted_count = w->slot->app_entries.count,
        .published = facts->published, .published_count = facts->published_count,
        .experiences = facts->experiences, .experience_count = facts->experience_count,
    };
    w->entries = IN_PLACE;
    if (entries.wanted_count == 0)
        return HC_OK;                                   /* an XR lease, or a cluster that does not know our experiences yet */
    w->entries = NOT_KNOWN;
    if (!list_known(facts->published_state))
        return HC_OK;
    struct entry_change *changes;
    size_t count;
    enum hc_err err = entries_plan(&entries, w->arena, &changes, &count, &w->step->missing);
    if (err != HC_OK)
        return err;
    bool lacks = w->step->missing != NULL && !facts->desired->maintenance;
    w->entries = count > 0 || lacks ? PENDING : IN_PLACE;
    if (count == 0 || is_busy(w) || !facts->sessions->host_idle)
        return HC_OK;
    do_this(w, changes[0].add ? CONVERGE_ADD_ENTRY : CONVERGE_REMOVE_ENTRY);
    w->step->entry = changes[0].name;
    w->step->pattern = changes[0].pattern;
    return HC_OK;
}

/* ---- the gate ---- */

static bool is_open(const struct sessions_view *sessions)
{
    return sessions->app_runs || sessions->launch.since_ms >= 0;
}

static bool is_live(const struct sessions_view *sessions)
{
    enum slot_state state = sessions->rows[0].state;
    return sessions->launch.since_ms >= 0 && (state == SLOT_STARTING || state == SLOT_STREAMING);
}

/* Its head was told that everything is in place, and comes. */
static bool may_launch(const struct work *w)
{
    return w->slot->action == DIRECTIVE_SERVE && w->slot->lease_id[0] != '\0' && w->facts->memory->ready_epoch >= w->slot->epoch;
}

static void judge_gate(struct work *w)
{
    const struct gate_plan *plan = &w->gate_plan;
    w->step->gate_mode = w->facts->desired->enforce == DIRECTIVE_ENFORCE ? DIRECTIVE_GATE_ENFORCE : DIRECTIVE_GATE_OBSERVE;
    switch (plan->outcome) {
    case GATE_IN_PLACE:
        w->gate = IN_PLACE;
        break;
    case GATE_FLIPS:
        w->gate = PENDING;
        break;
    case GATE_LATER:
        w->gate = PENDING;
        w->step->gate_reason = "waits until no application runs or is about to";
        break;
    case GATE_OBSERVED:
        w->gate = IN_PLACE;
        if (plan->would > 0)
            w->step->gate_reason = hc_arena_printf(w->arena, "enforce would change %zu clients", plan->would);
        break;
    case GATE_UNAVAILABLE:
        /* Where it cannot be it need not be; but not while it may still be shut as we left it for another lease. */
        w->gate = w->facts->memory->shut_count > 0 || w->facts->sessions->host == HOST_STATE_UNKNOWN ? NOT_KNOWN : IN_PLACE;
        w->step->gate_mode = DIRECTIVE_GATE_UNAVAILABLE;
        w->step->gate_reason = plan->reason;
        break;
    }
    if (w->facts->clients_state == LIST_UNREAD || w->facts->clients_state == LIST_CHANGED)
        w->gate = w->gate == PENDING ? PENDING : NOT_KNOWN;
}

static enum hc_err plan_gate(struct work *w)
{
    const struct converge_facts *facts = w->facts;
    const struct sessions_view *sessions = facts->sessions;
    const struct gate_facts gate = {
        .desired = facts->desired, .slot = facts->slot,
        .clients = facts->clients, .client_count = facts->client_count, .known = list_known(facts->clients_state),
        .can_enable = (facts->features & SUNSHINE_ENABLE) != 0, .ends_only_its_own = (facts->features & SUNSHINE_ENABLE_ONE) != 0,
        .app_runs = is_open(sessions), .may_launch = may_launch(w), .host_known = sessions->host != HOST_STATE_UNKNOWN,
        .live_uuid = sessions->launch.client_uuid, .session_live = is_live(sessions) && sessions->viewers_known && sessions->viewers > 0,
        .maintenance = facts->maintenance, .maintenance_count = facts->maintenance_count,
        .shut_by_us = (const char *const *)facts->memory->shut, .shut_by_us_count = facts->memory->shut_count,
    };
    enum hc_err err = gate_plan(&gate, w->arena, &w->gate_plan);
    if (err != HC_OK)
        return err;
    judge_gate(w);
    if (w->gate_plan.flip_count > 0 && !is_busy(w)) {   /* never back in whom an eviction shut out: gate.h flips nobody who streams */
        do_this(w, w->gate_plan.flips[0].enable ? CONVERGE_ENABLE : CONVERGE_DISABLE);
        w->step->uuid = w->gate_plan.flips[0].uuid;
    }
    return HC_OK;
}

/* ---- evictions ---- */

static const struct host_client *client_of(const struct work *w, const char *uuid)
{
    for (size_t i = 0; list_known(w->facts->clients_state) && i < w->facts->client_count; i++)
        if (strcmp(w->facts->clients[i].uuid, uuid) == 0)
            return &w->facts->clients[i];
    return NULL;
}

/* By its own client's switch, where that ends nobody else's session. Its application is its own: the launch that is named began it. */
static void plan_evict(struct work *w)
{
    const struct session_launch *launch = &w->facts->sessions->launch;
    bool named = launch->launch_id[0] != '\0' && hc_among(w->slot->evict.items, w->slot->evict.count, launch->launch_id);
    bool can = (w->facts->features & SUNSHINE_ENABLE_ONE) != 0 && w->facts->desired->enforce == DIRECTIVE_ENFORCE;
    if (is_busy(w) || !named || !can || !is_live(w->facts->sessions) || !w->facts->sessions->app_runs)
        return;
    const struct host_client *client = client_of(w, launch->client_uuid);
    bool of_the_lease = strcmp(launch->client_uuid, w->slot->sunshine_client_uuid) == 0 ||
                        hc_among(w->slot->gate.enabled.items, w->slot->gate.enabled.count, launch->client_uuid);
    if (client == NULL || !client->enabled || !hc_id_ok(client->uuid) || of_the_lease || !may_close(w, true))
        return;
    do_this(w, CONVERGE_DISABLE);
    w->step->uuid = client->uuid;
    w->step->evicts = true;
}

/* Shut out to end its session, which has not ended yet. */
static bool is_evicted(const struct work *w, const char *uuid)
{
    return strcmp(w->facts->memory->evicting, uuid) == 0 && is_live(w->facts->sessions) &&
           strcmp(w->facts->sessions->launch.client_uuid, uuid) == 0;
}

/* Where the gate judges, it lets in again whom an eviction has shut out, or keeps them out. */
static void plan_let_in_again(struct work *w)
{
    const char *uuid = w->facts->memory->evicting;
    if (is_busy(w) || uuid[0] == '\0' || is_evicted(w, uuid) || w->gate_plan.outcome != GATE_UNAVAILABLE)
        return;
    const struct host_client *client = client_of(w, uuid);
    if (client == NULL || client->enabled)
        return;
    do_this(w, CONVERGE_ENABLE);
    w->step->uuid = client->uuid;
}

/* ---- trust ---- */

static enum hc_err plan_trust(struct work *w)
{
    const struct converge_facts *facts = w->facts;
    const char *in_use[2];
    size_t in_use_count = 0;
    if (facts->sessions->launch.client_uuid[0] != '\0')
        in_use[in_use_count++] = facts->sessions->launch.client_uuid;
    if (w->slot->sunshine_client_uuid[0] != '\0')
        in_use[in_use_count++] = w->slot->sunshine_client_uuid;
    const struct trust_facts trust = {
        .clients = facts->clients, .client_count = facts->client_count, .trust = facts->trust,
        .known = list_known(facts->clients_state) && (facts->features & SUNSHINE_NAMES) != 0,
        .in_use = in_use, .in_use_count = in_use_count,
    };
    /* Without its last client a host ends the application that runs. */
    bool last = facts->client_count <= 1 && (is_open(facts->sessions) || facts->sessions->host == HOST_STATE_UNKNOWN);
    const char *const *uuids;
    size_t count;
    enum hc_err err = trust_removals(&trust, w->arena, &uuids, &count);
    if (err != HC_OK || is_busy(w) || count == 0 || last)
        return err;
    do_this(w, CONVERGE_UNPAIR);
    w->step->uuid = uuids[0];
    return HC_OK;
}

/* ---- the whole ---- */

/* What was in place and is only not known at the moment still counts; what is seen to be otherwise does not. */
static uint64_t applied_of(const struct work *w)
{
    uint64_t before = w->facts->memory->applied_epoch, epoch = w->slot->epoch;
    if (w->entries == IN_PLACE && w->gate == IN_PLACE)
        return epoch;
    if (w->entries != PENDING && w->gate != PENDING)
        return before;
    return before < epoch ? before : epoch == 0 ? 0 : epoch - 1;
}

static void plan_reads(struct work *w)
{
    if (!is_busy(w) && w->facts->published_state == LIST_UNREAD)
        do_this(w, CONVERGE_READ_ENTRIES);
    if (!is_busy(w) && w->facts->clients_state == LIST_UNREAD)
        do_this(w, CONVERGE_READ_CLIENTS);
}

static enum hc_err plan(struct work *w)
{
    plan_terminate(w);
    plan_leftover(w);
    plan_reads(w);
    enum hc_err err = plan_entries(w);
    if (err == HC_OK)
        err = plan_gate(w);
    if (err != HC_OK)
        return err;
    plan_evict(w);
    plan_let_in_again(w);
    if (!is_busy(w) && w->facts->clients_state == LIST_CHANGED)
        do_this(w, CONVERGE_READ_CLIENTS);              /* believed only when the host says so itself */
    err = plan_trust(w);
    w->step->applied_epoch = applied_of(w);
    return err;
}

enum hc_err converge_next(const struct converge_facts *facts, struct hc_arena *arena, struct converge_step *ret_step)
{
    struct converge_step step = { .applied_epoch = facts->memory->applied_epoch };
    struct work w = { .facts = facts, .arena = arena, .step = &step };
    w.slot = facts->desired == NULL ? NULL : desired_slot_of(facts->desired, facts->slot);
    enum hc_err err = HC_OK;
    if (w.slot != NULL && !facts->floor_unusable) {
        step.epoch = w.slot->epoch;
        step.below_floor = w.slot->epoch < facts->floor;
        step.tell_below = step.below_floor && facts->memory->told_below != w.slot->epoch + 1;
        bool fresh = facts->directive_age_ms <= facts->directive_fresh_ms;
        if (fresh && w.slot->epoch > facts->floor)
            step.what = CONVERGE_RAISE_FLOOR;
        else if (fresh && !step.below_floor)
            err = plan(&w);
    }
    *ret_step = step;
    return err;
}

/* ---- what is remembered ---- */

static size_t place_of(const struct converge_memory *memory, const char *uuid)
{
    size_t at = 0;
    while (at < memory->shut_count && strcmp(memory->shut[at], uuid) != 0)
        at++;
    return at;
}

enum hc_err converge_shut_add(struct converge_memory *memory, const char *uuid)
{
    if (place_of(memory, uuid) < memory->shut_count)
        return HC_OK;
    char **more = hc_realloc(memory->shut, (memory->shut_count + 1) * sizeof *more);
    if (more == NULL)
        return HC_ERR_NOMEM;
    memory->shut = more;
    size_t size = strlen(uuid) + 1;
    char *copy = hc_alloc(size);
    if (copy == NULL)
        return HC_ERR_NOMEM;
    memcpy(copy, uuid, size);
    memory->shut[memory->shut_count++] = copy;
    return HC_OK;
}

static bool shut_remove(struct converge_memory *memory, const char *uuid)
{
    size_t at = place_of(memory, uuid);
    if (at == memory->shut_count)
        return false;
    hc_free(memory->shut[at]);
    memory->shut[at] = memory->shut[--memory->shut_count];
    return true;
}

void converge_forget(struct converge_memory *memory)
{
    for (size_t i = 0; i < memory->shut_count; i++)
        hc_free(memory->shut[i]);
    hc_free(memory->shut);
    *memory = (struct converge_memory){ 0 };
}

bool converge_holds(const struct converge_step *step, const struct sessions_view *sessions)
{
    return step->what != CONVERGE_CLOSE_APP || step->terminates || nobody_views(sessions);
}

enum hc_err converge_will(struct converge_memory *memory, const struct converge_step *step, int64_t now_ms, bool *ret_save)
{
    size_t before = memory->shut_count;
    *ret_save = false;
    if (step->what == CONVERGE_DISABLE) {
        enum hc_err err = converge_shut_add(memory, step->uuid);
        if (err != HC_OK)
            return err;
        *ret_save = memory->shut_count != before;
    }
    if (step->evicts)
        HC_SET(memory->evicting, step->uuid);
    if (step->evicts || step->what == CONVERGE_CLOSE_APP) {
        memory->closed = true;
        memory->closed_ms = now_ms;
    }
    return HC_OK;
}

bool converge_did(struct converge_memory *memory, const struct converge_step *step, bool done)
{
    memory->applied_epoch = step->applied_epoch;
    if (step->applied_epoch > memory->ready_epoch)
        memory->ready_epoch = step->applied_epoch;
    if (step->tell_below)
        memory->told_below = step->epoch + 1;
    if (step->evicts || step->what == CONVERGE_CLOSE_APP)
        memory->close_failed = !done;
    if (!done || (step->what != CONVERGE_ENABLE && step->what != CONVERGE_UNPAIR))
        return false;
    if (strcmp(memory->evicting, step->uuid) == 0)
        memory->evicting[0] = '\0';
    return shut_remove(memory, step->uuid);
}
