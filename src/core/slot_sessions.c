#include "slot_sessions.h"

#include <stdlib.h>
#include <string.h>

void slot_sessions(const struct core_view *v, const struct body_rec *body, uint32_t slot, struct slot_sessions *ret)
{
    *ret = (struct slot_sessions){ .lease = slot < body->slot_count ? slot_live_lease(&body->slots[slot]) : NULL };
    const struct body_obs *obs = body_observed(v->obs, body);
    if (obs == NULL)
        return;
    const struct session_obs *seen;
    /* The session that names the lease is the lease's; else the first that contradicts nothing. */
    for (size_t at = 0; ret->lease != NULL && (seen = session_next(obs, slot, &at)) != NULL;) {
        if (!session_live(seen) || session_wrong_client(ret->lease, seen))
            continue;
        enum session_claim claim = session_names(ret->lease, seen);
        if (claim == SESSION_OWN || (claim == SESSION_SILENT && ret->covered == NULL))
            ret->covered = seen;
        if (claim == SESSION_OWN)
            break;
    }
    for (size_t at = 0; (seen = session_next(obs, slot, &at)) != NULL;) {
        if (!session_live(seen)) {
            ret->shown = ret->shown == NULL ? seen : ret->shown;
            continue;
        }
        ret->live_count++;
        if (seen != ret->covered && ret->extra_count < REPORT_SESSIONS_MAX)
            ret->extras[ret->extra_count++] = (struct slot_extra){ seen, ret->lease != NULL && session_wrong_client(ret->lease, seen) };
    }
    for (size_t i = 0; i < obs->session_count && ret->shown == NULL; i++)
        if (obs->sessions[i].index == slot && !session_live(&obs->sessions[i]))
            ret->shown = &obs->sessions[i];
    bool told = slot < BODY_SLOTS_MAX && hc_time_set(obs->second_launch_at[slot]) &&
                hc_time_since(v->now, obs->second_launch_at[slot]) <= SECOND_LAUNCH_SHOWN_MS;
    ret->second_launch = told || ret->live_count > 1;
}

uint32_t slots_shown(const struct core_view *v, const struct body_rec *body)
{
    uint32_t count = (uint32_t)body->slot_count;
    const struct body_obs *obs = body_observed(v->obs, body);
    for (size_t i = 0; obs != NULL && i < obs->session_count; i++)
        if (session_live(&obs->sessions[i]) && obs->sessions[i].index >= count && obs->sessions[i].index < BODY_SLOTS_MAX)
            count = obs->sessions[i].index + 1;
    return count;
}

static int witness_order(const struct witness *a, const char *body_id, uint32_t slot)
{
    int order = strcmp(a->body_id, body_id);
    return order != 0 ? order : (a->slot > slot) - (a->slot < slot);
}

static int by_place(const void *a, const void *b)
{
    const struct witness *one = a, *two = b;
    int order = witness_order(one, two->body_id, two->slot);
    return order != 0 ? order : strcmp(one->head->rec.key, two->head->rec.key);
}

enum hc_err witnesses(const struct core_view *v, struct hc_arena *arena, struct witness **ret, size_t *ret_count)
{
    size_t heads = observed_count(v->obs, OBS_NODE), count = 0;
    struct witness *all = hc_arena_array(arena, heads + 1, sizeof all[0]);
    if (all == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0; i < heads; i++) {
        const struct node_obs *head = (const struct node_obs *)observed_at(v->obs, OBS_NODE, i);
        struct witness seen = { .head = head };
        if (witness_slot(v, head->rec.key, &seen.body_id, &seen.slot))
            all[count++] = seen;
    }
    if (count > 1)
        qsort(all, count, sizeof all[0], by_place);
    *ret = all;
    *ret_count = count;
    return HC_OK;
}

size_t witnesses_of(const struct witness *all, size_t count, const char *body_id, uint32_t slot, const struct witness **ret_first)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (witness_order(&all[mid], body_id, slot) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    size_t n = 0;
    while (low + n < count && witness_order(&all[low + n], body_id, slot) == 0)
        n++;
    *ret_first = &all[low];
    return n;
}
