/* tick.c - every watchdogTick: the clocks and the reconciler over all bodies in key order, and what is kept no longer than it is needed. */
#include <stdlib.h>
#include <string.h>

#include "core.h"

#define LAST_SEEN_EVERY_MS    (60 * HC_SECOND_MS)      /* how far `last_seen` may be behind on disk */
#define ENDED_STREAM_KEPT_MS  HC_HOUR_MS               /* the newest ended stream of a head, for GET streams */
#define BOOTS_UNCONFIRMED_MAX 3                        /* starts in a row without a report of a body: a crash loop must not hide it */

/* All clocks before anything is served: who returns to the line by one of them stands in it when the others are served (§4.4). */
static enum hc_err tick_bodies(struct step *s)
{
    enum hc_err err = HC_OK;
    for (unsigned pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < alloc_count(s->live, REC_BODY) && err == HC_OK; i++) {
            char body_id[HC_ID_SIZE];
            HC_SET(body_id, alloc_at(s->live, REC_BODY, i)->key);
            err = pass == 0 ? clocks_body(s, body_id) : reconcile_body(s, body_id);
        }
    return err;
}

/* §8.3: counted over our restarts, but not over our outages (start.c moves the instant on). */
static enum hc_err tick_confirmation(struct step *s)
{
    const struct core_view view = step_view(s);
    enum hc_err err = HC_OK;
    for (size_t i = 0; i < alloc_count(s->live, REC_BODY) && err == HC_OK; i++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(s->live, REC_BODY, i);
        const struct node_rec *node = body_node(s->live, body);
        const struct body_obs *obs = body_observed(s->obs, body);
        bool fresh = obs != NULL && body_fresh(&view, body->rec.key);
        if (node == NULL || body->unconfirmed_told || fresh || !body_online(&view, body->rec.key))
            continue;
        hc_time heard = body_heard_at(&view, body);
        bool looped = body->boots_unconfirmed >= BOOTS_UNCONFIRMED_MAX &&
                      hc_time_since(s->now, s->obs->started_at) > s->t->body_report_fresh_ms;
        if (hc_time_since(s->now, heard) <= s->t->body_unconfirmed_ms && !looped)
            continue;
        struct body_rec *edit = step_edit_body(s, body->rec.key);
        if (edit == NULL)
            return HC_ERR_NOMEM;
        edit->unconfirmed_told = true;
        err = step_note(s, NOTE_BODY_UNCONFIRMED, edit->rec.key, -1, NULL, "", "no report for %lld s, %u starts without one",
                        (long long)(hc_time_since(s->now, heard) / HC_SECOND_MS), edit->boots_unconfirmed);
    }
    return err;
}

static enum hc_err save_last_seen(struct step *s)
{
    for (size_t i = 0; i < alloc_count(s->live, REC_NODE); i++) {
        const struct node_rec *node = (const struct node_rec *)alloc_at(s->live, REC_NODE, i);
        const struct node_obs *obs = observed_node(s->obs, node->rec.key);
        if (obs == NULL || !hc_time_before(node->last_seen, obs->seen_at))
            continue;
        struct node_rec *edit = (struct node_rec *)alloc_edit(s->live, REC_NODE, node->rec.key);
        if (edit == NULL)
            return HC_ERR_NOMEM;
        edit->last_seen = obs->seen_at;
    }
    return HC_OK;
}

/* Edges of nodes that went away; node_seen() tells of those that came. */
static enum hc_err tick_nodes(struct step *s)
{
    const struct core_view view = step_view(s);
    enum hc_err err = HC_OK;
    bool save = false;
    for (size_t i = 0; i < alloc_count(s->live, REC_NODE) && err == HC_OK; i++) {
        const struct node_rec *node = (const struct node_rec *)alloc_at(s->live, REC_NODE, i);
        const struct node_obs *obs = observed_node(s->obs, node->rec.key);
        save = save || (obs != NULL && hc_time_since(obs->seen_at, node->last_seen) > LAST_SEEN_EVERY_MS);
        if (s->ev->dry_run || obs == NULL || !obs->told_online || body_online(&view, node->rec.key))
            continue;
        struct node_obs *edit = step_edit_node_obs(s, node->rec.key);
        if (edit == NULL)
            return HC_ERR_NOMEM;
        edit->told_online = false;
        bool is_body = (node->roles & ROLE_BODY) != 0;
        err = step_note(s, NOTE_NODE_OFFLINE, is_body ? node->rec.key : "", -1, NULL, is_body ? "" : node->rec.key, "%s", node->name);
    }
    /* One save for all: the first that is a minute behind takes the others along. */
    return err == HC_OK && save ? save_last_seen(s) : err;
}

static bool behind(const struct step *s, hc_time saved, hc_time seen)
{
    int64_t most_ms = s->ev->type == CORE_STOP ? 0 : s->t->renew_write_quantum_ms;
    return hc_time_since(seen, saved) > most_ms;
}

/* §3.8: renewals are saved when they are more than renewWriteQuantum older on disk; clocks of leases that are gone go too. */
static enum hc_err tick_clocks(struct step *s)
{
    for (size_t i = observed_count(s->obs, OBS_CLOCK); i > 0; i--) {
        char lease_id[HC_ID_SIZE], body_id[HC_ID_SIZE];
        HC_SET(lease_id, observed_at(s->obs, OBS_CLOCK, i - 1)->key);
        const struct lease *lease = alloc_lease(s->live, lease_id, NULL, NULL);
        if (lease == NULL && !s->ev->dry_run)
            observed_remove(s->obs, OBS_CLOCK, lease_id);
        if (lease == NULL || lease_is_terminal(lease->state))
            continue;
        struct lease_clock clock = lease_clock(s->obs, lease);
        if (!behind(s, lease->renewed_at, clock.renewed_at) && !behind(s, lease->head_renewed_at, clock.head_renewed_at) &&
            !behind(s, lease->expires_at, clock.expires_at))
            continue;
        HC_SET(body_id, alloc_lease_body(s->live, lease_id));
        struct body_rec *body = step_edit_body(s, body_id);
        if (body == NULL)
            return HC_ERR_NOMEM;
        struct lease *edit = lease_in(body, lease_id, NULL);
        edit->renewed_at = clock.renewed_at;
        edit->head_renewed_at = clock.head_renewed_at;
        edit->expires_at = clock.expires_at;
    }
    return HC_OK;
}

/* The districts of tickets, then of safe modes: each once per tick. */
static enum hc_err tick_queues(struct step *s)
{
    size_t size = alloc_count(s->live, REC_TICKET), count = 0;
    const char **done = hc_arena_array(&s->out->arena, size + 1, sizeof done[0]);
    if (done == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0; i < size; i++) {
        const struct ticket_rec *ticket = (const struct ticket_rec *)alloc_at(s->live, REC_TICKET, i);
        bool known = false;
        for (size_t k = 0; k < count && !known; k++)
            known = hc_same(done[k], ticket->district);
        if (known)
            continue;
        done[count] = hc_arena_strdup(&s->out->arena, ticket->district);      /* a copy: the clocks may drop the ticket */
        if (done[count++] == NULL)
            return HC_ERR_NOMEM;
    }
    enum hc_err err = HC_OK;
    for (size_t k = 0; k < count && err == HC_OK; k++)
        err = queue_clocks(s, done[k]);
    for (size_t i = 0; i < alloc_count(s->live, REC_DISTRICT) && err == HC_OK; i++)
        err = safe_mode_clock(s, alloc_at(s->live, REC_DISTRICT, i)->key);
    return err;
}

static enum hc_err tick_witnesses(struct step *s)
{
    enum hc_err err = HC_OK;
    for (size_t i = 0; i < observed_count(s->obs, OBS_NODE) && err == HC_OK; i++)
        err = witness_check(s, observed_at(s->obs, OBS_NODE, i)->key);
    return err;
}

static enum hc_err prune_demotions(struct step *s)
{
    enum hc_err err = HC_OK;
    for (size_t i = alloc_count(s->live, REC_DEMOTION); i > 0 && err == HC_OK; i--) {
        const struct demotion_rec *rec = (const struct demotion_rec *)alloc_at(s->live, REC_DEMOTION, i - 1);
        if (!hc_time_before(s->now, rec->until))
            err = alloc_remove(s->live, REC_DEMOTION, rec->rec.key);
    }
    return err;
}

static enum hc_err prune_attempts(struct step *s)
{
    enum hc_err err = HC_OK;
    for (size_t i = alloc_count(s->live, REC_ATTEMPTS); i > 0 && err == HC_OK; i--) {
        const struct attempts_rec *rec = (const struct attempts_rec *)alloc_at(s->live, REC_ATTEMPTS, i - 1);
        size_t kept = 0;
        for (size_t k = 0; k < rec->count; k++)
            kept += hc_time_before(s->now, rec->at[k].until) ? 1 : 0;
        if (kept == rec->count)
            continue;
        if (kept == 0) {
            err = alloc_remove(s->live, REC_ATTEMPTS, rec->rec.key);
            continue;
        }
        struct attempts_rec *edit = (struct attempts_rec *)alloc_edit(s->live, REC_ATTEMPTS, rec->rec.key);
        if (edit == NULL)
            return HC_ERR_NOMEM;
        kept = 0;
        for (size_t k = 0; k < edit->count; k++)
            if (hc_time_before(s->now, edit->at[k].until))
                edit->at[kept++] = edit->at[k];
        edit->count = kept;
    }
    return err;
}

/* By head, the newest end first. */
static int by_head(const void *a, const void *b)
{
    const struct stream_rec *const *one = a, *const *two = b;
    int order = strcmp((*one)->head_id, (*two)->head_id);
    if (order != 0)
        return order;
    if ((*one)->ended_at.ms != (*two)->ended_at.ms)
        return (*one)->ended_at.ms > (*two)->ended_at.ms ? -1 : 1;
    return strcmp((*one)->rec.key, (*two)->rec.key);
}

static enum hc_err prune_streams(struct step *s)
{
    size_t size = alloc_count(s->live, REC_STREAM), count = 0;
    const struct stream_rec **ended = hc_arena_array(&s->out->arena, size + 1, sizeof ended[0]);
    if (ended == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0; i < size; i++) {
        const struct stream_rec *stream = (const struct stream_rec *)alloc_at(s->live, REC_STREAM, i);
        if (stream->state == STREAM_ENDED)
            ended[count++] = stream;
    }
    if (count > 1)
        qsort(ended, count, sizeof ended[0], by_head);
    size_t gone = 0;
    const struct stream_rec **out = hc_arena_array(&s->out->arena, count + 1, sizeof out[0]);
    if (out == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0; i < count; i++) {           /* chosen first: a record that was removed can no longer be compared with */
        bool newest = i == 0 || !hc_same(ended[i]->head_id, ended[i - 1]->head_id);
        if (!newest || hc_time_since(s->now, ended[i]->ended_at) >= ENDED_STREAM_KEPT_MS)
            out[gone++] = ended[i];
    }
    enum hc_err err = HC_OK;
    for (size_t i = 0; i < gone && err == HC_OK; i++)
        err = alloc_remove(s->live, REC_STREAM, out[i]->rec.key);
    return err;
}

enum hc_err on_tick(struct step *s)
{
    static enum hc_err (*const parts[])(struct step *) = {
        tick_ops, tick_bodies, tick_queues, tick_witnesses, tick_confirmation, tick_nodes, tick_clocks, prune_demotions, prune_attempts,
            prune_streams, tick_custodian, identities_clock, latches_clock,
    };
    enum hc_err err = HC_OK;
    for (size_t i = 0; s->ev->store_ok && i < sizeof parts / sizeof parts[0] && err == HC_OK; i++)
        err = parts[i](s);
    return err;
}

/* A clean stop: what may otherwise be a while behind on disk is written, so that the next start knows who was there until the end. */
enum hc_err on_stop(struct step *s)
{
    enum hc_err err = s->ev->store_ok ? save_last_seen(s) : HC_OK;
    if (err == HC_OK && s->ev->store_ok)
        err = pins_drop(s);
    return err == HC_OK && s->ev->store_ok ? tick_clocks(s) : err;
}
