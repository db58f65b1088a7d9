/* slot_loop.c - the thread of one slot: what it begins with, and its turn. */
#include "slot_loop.h"

#include <stdio.h>
#include <string.h>

#include "hydra/base/log.h"
#include "hydra/gamestream/pair.h"
#include "hydra/os/clock.h"
#include "hydra/os/file.h"

#include "session_file.h"

#define FOLDER_SIZE    16
#define SHARED_UID     "0123456789ABCDEF"       /* of every head that has none of its own */
#define SAVE_AGAIN_MS  2000

/* ---- beginning and end ---- */

static enum hc_err open_folder(struct slot *slot, struct hc_diag *diag)
{
    char name[FOLDER_SIZE];
    struct hc_buf path = { 0 };
    (void)snprintf(name, sizeof name, "slot-%u", slot->index);
    hc_buf_printf(&path, "%s/%s", slot->agent->config->state_dir, name);
    enum hc_err err = path.failed ? HC_ERR_NOMEM : os_dir_make_private(path.data, diag);
    if (err == HC_OK)
        err = os_dir_open(path.data, &slot->dir_fd, diag);
    hc_buf_free(&path);
    return err;
}

static enum hc_err open_api(struct slot_loop *l, struct hc_diag *diag)
{
    const struct slot_config *config = l->slot->config;
    const struct sunshine_access access = { .address = config->address, .port = config->web, .username = config->username,
                                            .password = config->password, .timeout_ms = SLOT_WEB_CALL_MS, .idle = slot_host_is_idle,
                                            .idle_ctx = l };
    return sunshine_open(&access, &l->api, diag);
}

/* What cannot be read of our own is said and done without: an agent that does not start is of no use to anybody. */
static void say_unreadable(const struct slot *slot, const char *what, const struct hc_diag *diag)
{
    hc_log(HC_LOG_ERR, "state_unreadable", "slot=%u what=%s detail=%s", slot->index, what, hc_logq(diag->text));
}

static enum hc_err restore_sessions(struct slot_loop *l, struct hc_diag *diag)
{
    struct hc_arena arena = { 0 };
    struct session_saved *saved = NULL;
    size_t count = 0;
    struct os_stamp stamp;
    if (os_file_stamp(l->slot->dir_fd, SESSION_FILE, &stamp) == HC_OK && !stamp.exists)
        return HC_OK;
    enum hc_err err = session_file_load(l->slot->dir_fd, l->agent->boot_id, &arena, &saved, &count, diag);
    if (diag->text[0] != '\0' || err != HC_OK)
        say_unreadable(l->slot, SESSION_FILE, diag);
    for (size_t i = 0; i < count && err == HC_OK; i++) {
        if (saved[i].slot != l->slot->index)
            continue;
        if (saved[i].has_launch)
            (void)sessions_restore(&l->slot->sessions, &saved[i].launch, os_monotonic_ms());
        const char *const *shut = saved[i].shut.items;
        for (size_t k = 0; k < saved[i].shut.count && err == HC_OK; k++)
            err = converge_shut_add(&l->memory, shut[k]);
    }
    hc_arena_free(&arena);
    return err == HC_ERR_NOMEM ? hc_fail(diag, err, "out of memory") : HC_OK;
}

enum hc_err slot_open(struct slot *slot, struct hc_diag *diag)
{
    struct hc_diag why = { "" };
    struct slot_loop *l = hc_alloc(sizeof *l);
    if (l == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "out of memory");
    slot->loop = l;
    l->slot = slot;
    l->agent = slot->agent;
    enum hc_err err = open_folder(slot, diag);
    if (err == HC_OK)
        err = open_api(l, diag);
    if (err == HC_OK && log_follow_open(&l->log, slot->config->log_file) != HC_OK)
        err = hc_fail(diag, HC_ERR_NOMEM, "out of memory");
    if (err != HC_OK)
        return err;
    l->floor_unusable = floor_load(slot->dir_fd, &l->floor, &why) != HC_OK;
    if (l->floor_unusable)
        say_unreadable(slot, FLOOR_FILE, &why);
    slot->shown.floor = l->floor.epoch[slot->index];
    slot->shown.floor_unusable = l->floor_unusable;
    if (patterns_load(slot->dir_fd, &l->patterns, &why) != HC_OK)
        say_unreadable(slot, PATTERN_FILE, &why);
    slot_show_experiences(l);
    why.text[0] = '\0';
    err = restore_sessions(l, &why);
    return err == HC_OK ? HC_OK : hc_fail(diag, err, "%s", why.text);
}

void slot_close(struct slot *slot)
{
    struct slot_loop *l = slot->loop;
    if (l == NULL)
        return;
    l->api = sunshine_close(l->api);
    log_follow_close(&l->log);
    converge_forget(&l->memory);
    hc_buf_free(&l->saved);
    patterns_free(&l->patterns);
    hc_arena_free(&l->apps.arena);
    kept_drop((struct kept *)l->clients);
    hc_free(l);
    slot->loop = NULL;
}

/* ---- what an older handshake left behind ---- */

struct lease_seen { char lease_id[HC_ID_SIZE], device_uid[HC_ID_SIZE]; bool legacy; };

static struct lease_seen served_now(struct slot_loop *l)
{
    struct lease_seen seen = { "", "", false };
    agent_lock(l->agent);
    const struct kept_directive *directive = l->agent->directive;
    const struct desired_slot *row = directive == NULL ? NULL : desired_slot_of(&directive->answer.desired, l->slot->index);
    if (row != NULL && row->action == DIRECTIVE_SERVE) {
        HC_SET(seen.lease_id, row->lease_id);
        HC_SET(seen.device_uid, row->device_uid);
        seen.legacy = row->lease_id[0] != '\0' && row->protocol < 2;
    } else if (directive == NULL) {
        HC_SET(seen.lease_id, l->lease_id);         /* nothing is known to have changed */
        HC_SET(seen.device_uid, l->device_uid);
    }
    agent_unlock(l->agent);
    return seen;
}

static void cancel_pending(struct slot_loop *l, const char *unique_id)
{
    const struct gs_client client = { .unique_id = unique_id };
    gs_pair_cancel(&l->slot->host, &client, SLOT_HOST_CALL_MS);
}

/* The host gives the next PIN to some pending handshake and forgets none: those of the lease before must not take it (rules §12.7). */
static void cancel_old_handshakes(struct slot_loop *l)
{
    struct lease_seen now = served_now(l);
    if (strcmp(now.lease_id, l->lease_id) == 0)
        return;
    bool other = strcmp(now.device_uid, l->device_uid) != 0;
    if (l->device_uid[0] != '\0' && other && strlen(l->device_uid) < GS_UNIQUE_ID_SIZE)
        cancel_pending(l, l->device_uid);
    if (!now.legacy)
        cancel_pending(l, SHARED_UID);
    HC_SET(l->lease_id, now.lease_id);
    HC_SET(l->device_uid, now.device_uid);
}

/* ---- the turn ---- */

static bool due(int64_t *at_ms, int64_t now_ms, int64_t every_ms)
{
    if (now_ms < *at_ms)
        return false;
    *at_ms = now_ms + every_ms;
    return true;
}

static void tick(struct slot_loop *l)
{
    struct slot *slot = l->slot;
    agent_lock(l->agent);
    if (sessions_tick(&slot->sessions, os_monotonic_ms()))
        slot_edge(slot);
    agent_unlock(l->agent);
}

/* Around changes: the times of the next looks move nearer, never away. */
static void hurry(struct slot_loop *l, int64_t now_ms)
{
    agent_lock(l->agent);
    bool fast = now_ms < l->slot->fast_until_ms, reread = now_ms < l->slot->reread_until_ms;
    agent_unlock(l->agent);
    if (fast && l->look_at_ms > now_ms + SLOT_LOOK_FAST_MS)
        l->look_at_ms = now_ms + SLOT_LOOK_FAST_MS;
    if (reread && l->host != HOST_STATE_UNKNOWN && due(&l->reread_at_ms, now_ms, SLOT_LOOK_FAST_MS))
        slot_read_clients(l);
}

static void look(struct slot_loop *l)
{
    enum host_state before = l->host;
    slot_look(l);
    if (l->host == HOST_STATE_UNKNOWN || before != HOST_STATE_UNKNOWN)
        return;
    l->apps_state = LIST_UNREAD;                /* it is back, and may be another one */
    l->clients_state = LIST_UNREAD;
    l->lists_at_ms = 0;
    l->step_at_ms = 0;
}

static void read_lists(struct slot_loop *l)
{
    if (l->host == HOST_STATE_UNKNOWN)
        return;
    slot_read_apps(l);
    slot_read_clients(l);
    slot_read_certificate(l);
    agent_lock(l->agent);
    bool all = l->apps_state == LIST_KNOWN && slot_web_worst(l->slot) == SUNSHINE_OK;
    agent_unlock(l->agent);
    if (!all)
        l->lists_at_ms = os_monotonic_ms() + SLOT_AGAIN_MS;
}

static void looked(struct slot_loop *l)
{
    agent_lock(l->agent);
    if (!l->slot->shown.looked)
        agent_edge(l->agent);
    l->slot->shown.looked = true;
    agent_unlock(l->agent);
}

static void turn(struct slot_loop *l)
{
    int64_t now_ms = os_monotonic_ms();
    slot_read_log(l);
    if (due(&l->tick_at_ms, now_ms, HC_SECOND_MS))
        tick(l);
    hurry(l, now_ms);
    if (due(&l->look_at_ms, now_ms, SLOT_LOOK_MS))
        look(l);
    if (due(&l->lists_at_ms, now_ms, SLOT_LISTS_MS)) {
        read_lists(l);
        looked(l);
    }
    if (l->host != HOST_STATE_UNKNOWN)
        cancel_old_handshakes(l);
    if (now_ms >= l->step_at_ms)
        slot_converge(l);
    if (!slot_save(l) && l->step_at_ms < now_ms + SAVE_AGAIN_MS)
        l->step_at_ms = now_ms + SAVE_AGAIN_MS;
}

void slot_main(void *arg)
{
    struct slot *slot = arg;
    while (!atomic_load(&slot->agent->stop)) {
        turn(slot->loop);
        agent_beat(&slot->loop_beat_ms);
        bell_wait(&slot->bell, SLOT_TURN_MS);
    }
    (void)slot_save(slot->loop);
}
