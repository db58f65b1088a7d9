/* start.c - the first event of a daemon, and the end of a store outage: what the time that we did not look at means (rules §3.6, §3.7, §4,
 * §8). */
#include "clocks.h"
#include "record_times.h"
#include "safe_mode.h"
#include "xr.h"

/* nodes.yaml is written first: a body may be there whose record was never saved. */
static enum hc_err missing_bodies(struct step *s)
{
    enum hc_err err = HC_OK;
    for (size_t i = 0; i < alloc_count(s->live, REC_NODE) && err == HC_OK; i++) {
        const struct node_rec *node = (const struct node_rec *)alloc_at(s->live, REC_NODE, i);
        if ((node->roles & ROLE_BODY) != 0)
            err = body_rec_new(s, node->rec.key);
        if (err == HC_OK)
            err = xr_mirror(s, alloc_at(s->live, REC_NODE, i)->key);
    }
    return err;
}

/* A node that nodes.yaml no longer has waits for nothing. */
static enum hc_err orphan_tickets(struct step *s)
{
    enum hc_err err = HC_OK;
    for (size_t i = alloc_count(s->live, REC_TICKET); i > 0 && err == HC_OK; i--) {
        const struct ticket_rec *ticket = (const struct ticket_rec *)alloc_at(s->live, REC_TICKET, i - 1);
        if (alloc_node(s->live, ticket->rec.key) != NULL)
            continue;
        char head_id[HC_ID_SIZE], stream_id[HC_ID_SIZE];
        HC_SET(head_id, ticket->rec.key);
        HC_SET(stream_id, ticket->stream_id);
        err = stream_end(s, stream_id, STREAM_WHY_NODE_DELETED);
        if (err == HC_OK)
            err = ticket_drop(s, head_id);
    }
    return err;
}

static enum hc_err count_boots(struct step *s)
{
    enum hc_err err = HC_OK;
    for (size_t i = 0; i < alloc_count(s->live, REC_BODY) && err == HC_OK; i++) {
        char body_id[HC_ID_SIZE];
        HC_SET(body_id, alloc_at(s->live, REC_BODY, i)->key);
        struct body_rec *body = step_edit_body(s, body_id);
        if (body == NULL)
            return HC_ERR_NOMEM;
        body->boots_unconfirmed += body->boots_unconfirmed < UINT32_MAX ? 1 : 0;
        err = start_deadlines(s, body_id, HC_TIME_NEVER);
    }
    return err;
}

/* Who was online when we stopped is so still: only its going away is news. */
static enum hc_err known_online(struct step *s)
{
    const struct core_view view = step_view(s);
    for (size_t i = 0; i < alloc_count(s->live, REC_NODE); i++) {
        const char *node_id = alloc_at(s->live, REC_NODE, i)->key;
        if (!body_online(&view, node_id))
            continue;
        struct node_obs *node = step_edit_node_obs(s, node_id);
        if (node == NULL)
            return HC_ERR_NOMEM;
        node->told_online = true;
    }
    return HC_OK;
}

static enum hc_err enter_safe_modes(struct step *s, const struct start_req *req)
{
    bool downgrade = req->downgrade || req->allocation_missing;
    hc_time stopped = hc_time_set(req->saved_at) ? hc_time_earlier(req->saved_at, s->now) : s->now;
    if (req->allocation_missing)
        stopped = HC_TIME_NEVER;
    enum hc_err err = HC_OK;
    if (req->allocation_missing)
        err = step_note(s, NOTE_ALLOCATION_MISSING, "", -1, NULL, "", "%s", "allocation.yaml was missing, bodies are known");
    if (err == HC_OK && req->downgrade)
        err = step_note(s, NOTE_DOWNGRADE, "", -1, NULL, "", "%s", "an older version wrote nodes.yaml");
    return err == HC_OK ? safe_mode_enter_all(s, downgrade ? SAFE_DOWNGRADE : SAFE_BOOT, stopped) : err;
}

enum hc_err on_start(struct step *s)
{
    const struct start_req *req = &s->ev->u.start;
    if (!s->ev->dry_run)
        s->obs->started_at = s->now;
    enum hc_err err = times_clamp(s, req->saved_at);
    if (err == HC_OK)
        err = missing_bodies(s);
    if (err == HC_OK)
        err = enter_safe_modes(s, req);
    if (err == HC_OK)
        err = times_shift(s, req->outage_ms, false);
    if (err == HC_OK)
        err = count_boots(s);
    if (err == HC_OK)
        err = orphan_tickets(s);
    if (err == HC_OK)
        err = pins_drop(s);
    return err == HC_OK && !s->ev->dry_run ? known_online(s) : err;
}

enum hc_err on_outage_over(struct step *s)
{
    int64_t outage_ms = s->ev->u.outage.outage_ms;
    enum hc_err err = times_shift(s, outage_ms, true);
    hc_time since = hc_time_add(s->now, -outage_ms);
    for (size_t i = 0; i < alloc_count(s->live, REC_BODY) && err == HC_OK; i++) {
        char body_id[HC_ID_SIZE];
        HC_SET(body_id, alloc_at(s->live, REC_BODY, i)->key);
        if (s->ev->store_ok && outage_ms > 0)
            err = start_deadlines(s, body_id, since);
        if (err == HC_OK)
            err = step_touch(s, body_id);          /* what was reported meanwhile takes effect now */
    }
    return err;
}
