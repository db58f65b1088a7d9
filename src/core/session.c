/* session.c - what a report says about a slot, and about a lease on it (rules §6.2, §10). Pure readings of the newest report. */
#include <string.h>

#include "core.h"

#define TOKEN_DIGITS  (APP_TOKEN_SIZE - 1)

/* What a legacy body's `stream_status: streaming` stands for. */
static const struct session_obs legacy_streaming = { .state = SESSION_STREAMING, .since_ms = -1 };

const char *app_token_of(const char *app)
{
    const char *hash = strrchr(app, '#');
    return hash != NULL && strlen(hash + 1) == TOKEN_DIGITS ? hash + 1 : "";
}

const char *client_head(const char *client_name)
{
    size_t len = sizeof CLIENT_PREFIX - 1;
    return strncmp(client_name, CLIENT_PREFIX, len) == 0 ? client_name + len : "";
}

const char *session_head(const struct session_obs *seen)
{
    return client_head(seen->client_name);
}

static bool both_same(const char *a, const char *b)
{
    return a[0] != '\0' && strcmp(a, b) == 0;
}

static bool both_differ(const char *a, const char *b)
{
    return a[0] != '\0' && b[0] != '\0' && strcmp(a, b) != 0;
}

bool session_wrong_client(const struct lease *lease, const struct session_obs *seen)
{
    const char *head = session_head(seen);
    if (head[0] != '\0' && lease->head_id[0] != '\0')
        return strcmp(head, lease->head_id) != 0;      /* the name is authenticated (§12.6); a uuid changes with every new pairing */
    return both_differ(seen->client_uuid, lease->sunshine_client_uuid);
}

enum session_claim session_names(const struct lease *lease, const struct session_obs *seen)
{
    const char *token = app_token_of(seen->app);
    if (lease->mode == MODE_XR)
        return SESSION_OTHER;                          /* it has no picture of Sunshine's: what one shows there is not its own */
    if (session_wrong_client(lease, seen))
        return SESSION_OTHER;                          /* its app or lease id may be the lease's: joined by /resume */
    if (both_same(seen->lease_id, lease->id) || both_same(token, lease->app_token) || both_same(seen->launch_id, lease->launch_id))
        return SESSION_OWN;
    if (seen->lease_id[0] != '\0' || token[0] != '\0')
        return SESSION_OTHER;                          /* names a lease, and not this one */
    if (both_same(session_head(seen), lease->head_id) || both_same(seen->client_uuid, lease->sunshine_client_uuid))
        return SESSION_OWN;
    return SESSION_SILENT;
}

bool session_live(const struct session_obs *seen)
{
    return seen->state == SESSION_STARTING || seen->state == SESSION_STREAMING;
}

const struct session_obs *session_next(const struct body_obs *obs, uint32_t slot, size_t *cursor)
{
    if (!obs->modern) {
        if (slot != 0 || obs->stream_status != STATUS_STREAMING || *cursor > 0)
            return NULL;
        *cursor = 1;
        return &legacy_streaming;
    }
    while (*cursor < obs->session_count) {
        const struct session_obs *row = &obs->sessions[(*cursor)++];
        if (row->index == slot && row->state != SESSION_IDLE)
            return row;
    }
    return NULL;
}

bool slot_named(const struct body_obs *obs, uint32_t slot)
{
    if (!obs->modern)
        return slot == 0 && obs->stream_status != STATUS_NONE;
    for (size_t i = 0; i < obs->session_count; i++)
        if (obs->sessions[i].index == slot)
            return true;
    return false;
}

bool slot_idle(const struct body_obs *obs, uint32_t slot)
{
    size_t cursor = 0;
    return slot_named(obs, slot) && session_next(obs, slot, &cursor) == NULL;
}

hc_time agent_warm_at(const struct body_obs *obs, const struct timers *t)
{
    if (obs == NULL || !obs->modern || !hc_time_set(obs->reported_at))
        return HC_TIME_NEVER;
    if (obs->uptime_ms >= 0)
        return hc_time_add(obs->reported_at, t->agent_warmup_ms - obs->uptime_ms);
    return hc_time_set(obs->boot_first_at) ? hc_time_add(obs->boot_first_at, t->agent_warmup_ms) : HC_TIME_NEVER;
}

bool agent_warming(const struct body_obs *obs, const struct timers *t, hc_time now)
{
    return hc_time_before(now, agent_warm_at(obs, t));
}

/* Is this the session that went on after its lease was taken away (§6.2.3)? */
static bool goes_on(const struct core_view *v, const struct body_obs *obs, uint32_t slot, const struct ghost *ghost,
                    const struct session_obs *seen)
{
    if (both_same(seen->lease_id, ghost->lease_id) || both_same(seen->launch_id, ghost->launch_id) ||
        both_same(seen->client_uuid, ghost->client_uuid) || both_same(app_token_of(seen->app), ghost->app_token))
        return true;
    bool launches = seen->launch_id[0] != '\0' && ghost->launch_id[0] != '\0';
    bool clients = seen->client_uuid[0] != '\0' && ghost->client_uuid[0] != '\0';
    if (launches || clients || seen->lease_id[0] != '\0' || app_token_of(seen->app)[0] != '\0')
        return false;
    /* Nothing to compare: the same if it was there before; an idle report in between would have taken the ghost away. */
    bool before = hc_time_set(obs->session_since[slot]) && !hc_time_before(ghost->ended_at, obs->session_since[slot]);
    return before || hc_time_before(ghost->ended_at, v->obs->started_at);
}

const struct ghost *session_refused(const struct core_view *v, const struct body_rec *body, uint32_t slot, const struct session_obs *seen)
{
    const struct body_obs *obs = body_observed(v->obs, body);
    if (obs == NULL || slot >= body->slot_count || slot >= BODY_SLOTS_MAX)
        return NULL;
    for (size_t i = 0; i < body->slots[slot].ghost_count; i++) {
        const struct ghost *ghost = &body->slots[slot].ghosts[i];
        bool laid = hc_time_before(ghost->ended_at, obs->idle_at[slot]);      /* known before it can be saved */
        if (ghost->refused && !laid && goes_on(v, obs, slot, ghost, seen))
            return ghost;
    }
    return NULL;
}
