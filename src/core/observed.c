#include "hydra/core/observed.h"

#include <assert.h>

#include "hydra/base/arena.h"
#include "record_version.h"

static size_t table_of(enum rec_kind kind)
{
    assert(kind >= REC_SAVED_KINDS && kind < REC_KINDS);
    return (size_t)kind - REC_SAVED_KINDS;
}

enum hc_err observed_new(struct observed **ret_observed)
{
    struct observed *obs = hc_alloc(sizeof *obs);
    if (obs == NULL)
        return HC_ERR_NOMEM;
    *ret_observed = obs;
    return HC_OK;
}

void observed_free(struct observed *obs)
{
    if (obs == NULL)
        return;
    for (size_t i = 0; i < sizeof obs->tables / sizeof obs->tables[0]; i++)
        rec_table_free(&obs->tables[i]);
    hc_free(obs);
}

const struct rec *observed_get(const struct observed *obs, enum rec_kind kind, const char *key)
{
    return rec_table_get(&obs->tables[table_of(kind)], key);
}

const struct rec *observed_like(const struct observed *obs, enum rec_kind kind, const struct rec *like)
{
    return rec_table_like(&obs->tables[table_of(kind)], like);
}

struct rec *observed_edit(struct observed *obs, enum rec_kind kind, const char *key)
{
    struct rec_table *table = &obs->tables[table_of(kind)];
    bool found;
    size_t i = rec_table_find(table, key, &found);
    if (!found) {
        struct rec *made = rec_new(kind, key);
        if (made == NULL || rec_table_insert(table, made) == HC_OK)
            return made;
        rec_unref(made);
        return NULL;
    }
    struct rec *now = table->at[i];
    if (now->refs == 1)
        return now;
    struct rec *copy = rec_clone(now);            /* a snapshot reads the old version */
    if (copy == NULL)
        return NULL;
    rec_table_set(table, i, copy);
    rec_unref(now);
    return copy;
}

enum hc_err observed_put(struct observed *obs, struct rec *version)
{
    struct rec_table *table = &obs->tables[table_of(version->kind)];
    bool found;
    (void)rec_table_find(table, version->key, &found);
    if (found)
        return HC_ERR_EXISTS;
    enum hc_err err = rec_table_reserve(table, 1);
    return err == HC_OK ? rec_table_insert(table, rec_ref(version)) : err;
}

void observed_remove(struct observed *obs, enum rec_kind kind, const char *key)
{
    rec_unref(rec_table_take(&obs->tables[table_of(kind)], key));
}

size_t observed_count(const struct observed *obs, enum rec_kind kind)
{
    return obs->tables[table_of(kind)].count;
}

const struct rec *observed_at(const struct observed *obs, enum rec_kind kind, size_t i)
{
    const struct rec_table *table = &obs->tables[table_of(kind)];
    assert(i < table->count);
    return table->at[i];
}

enum hc_err observed_snapshot(const struct observed *from, struct observed **ret_snapshot)
{
    struct observed *to;
    enum hc_err err = observed_new(&to);
    if (err != HC_OK)
        return err;
    to->started_at = from->started_at;
    to->store_down_since = from->store_down_since;
    to->memory_mb_most = from->memory_mb_most;
    for (size_t i = 0; i < sizeof to->tables / sizeof to->tables[0] && err == HC_OK; i++)
        err = rec_table_share(&from->tables[i], &to->tables[i]);
    if (err != HC_OK) {
        observed_free(to);
        return err;
    }
    *ret_snapshot = to;
    return HC_OK;
}

void observed_memory(struct observed *obs, struct body_obs *body, uint32_t memory_mb)
{
    body->gpu_memory_total_mb = memory_mb;
    obs->memory_mb_most = memory_mb > obs->memory_mb_most ? memory_mb : obs->memory_mb_most;
}

struct lease_clock lease_clock(const struct observed *obs, const struct lease *lease)
{
    struct lease_clock clock = { lease->renewed_at, lease->head_renewed_at, lease->expires_at };
    const struct clock_obs *seen = (const struct clock_obs *)observed_get(obs, OBS_CLOCK, lease->id);
    if (seen == NULL)
        return clock;
    clock.renewed_at = hc_time_later(clock.renewed_at, seen->renewed_at);
    clock.head_renewed_at = hc_time_later(clock.head_renewed_at, seen->head_renewed_at);
    /* A lease without a rolling clock (streaming, not collected) gets none from renewals of an earlier state. */
    if (hc_time_set(clock.expires_at))
        clock.expires_at = hc_time_later(clock.expires_at, seen->expires_at);
    return clock;
}

hc_time ticket_renewed_at(const struct observed *obs, const struct ticket_rec *ticket)
{
    const struct node_obs *head = observed_node(obs, ticket->rec.key);
    return head == NULL ? ticket->renewed_at : hc_time_later(ticket->renewed_at, head->ticket_renewed_at);
}

hc_time node_seen_at(const struct observed *obs, const struct node_rec *node)
{
    const struct node_obs *seen = (const struct node_obs *)observed_like(obs, OBS_NODE, &node->rec);
    return seen == NULL ? node->last_seen : hc_time_later(node->last_seen, seen->seen_at);
}
