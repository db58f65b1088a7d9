/* query_sessions.c - /sessions, the lines of the history, and the facts of one stream. */
#include "core.h"
#include "view.h"

static void fill_row(const struct core_view *v, const struct body_rec *body, const struct slot *slot, const struct lease *lease,
    struct session_row *row)
{
    const struct node_rec *head = alloc_node(v->saved, lease->head_id), *node = body_node(v->saved, body);
    HC_SET(row->lease_id, lease->id);
    HC_SET(row->stream_id, lease->stream_id);
    HC_SET(row->head_id, lease->head_id);
    HC_SET(row->body_id, body->rec.key);
    HC_SET(row->experience, lease->experience);
    if (head != NULL)
        HC_SET(row->head_venue, head->venue);
    if (node != NULL)
        HC_SET(row->body_venue, node->venue);
    row->slot = slot->index;
    row->protocol = lease->protocol;
    row->source = lease->source;
    row->mode = lease->mode;
    row->grant_epoch = lease->grant_epoch;
    row->granted_at = lease->granted_at;
    row->streaming_at = lease->streaming_at;
    row->ended_at = lease_is_terminal(lease->state) ? lease->changed_at : HC_TIME_NEVER;
    row->state = lease->state;
    row->why = lease->why;
    HC_SET(row->grant_facts, lease->grant_facts);
}

/* Counts, and fills when there are rows. */
static size_t walk(const struct core_view *v, bool terminal, struct session_row *rows)
{
    size_t count = 0;
    for (size_t b = 0; b < alloc_count(v->saved, REC_BODY); b++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(v->saved, REC_BODY, b);
        for (size_t i = 0; i < body->slot_count; i++)
            for (size_t k = 0; k < body->slots[i].lease_count; k++) {
                const struct lease *lease = &body->slots[i].leases[k];
                if (lease_is_terminal(lease->state) != terminal)
                    continue;
                if (rows != NULL)
                    fill_row(v, body, &body->slots[i], lease, &rows[count]);
                count++;
            }
    }
    return count;
}

enum hc_err query_sessions(const struct core_view *v, bool terminal, struct hc_arena *arena, struct session_row **ret_rows,
    size_t *ret_count)
{
    size_t count = walk(v, terminal, NULL);
    struct session_row *rows = hc_arena_array(arena, count + 1, sizeof rows[0]);
    if (rows == NULL)
        return HC_ERR_NOMEM;
    *ret_count = walk(v, terminal, rows);
    *ret_rows = rows;
    return HC_OK;
}

enum hc_err query_session(const struct core_view *v, const char *lease_id, struct session_row *ret)
{
    const struct body_rec *body;
    const struct slot *slot;
    const struct lease *lease = alloc_lease(v->saved, lease_id, &body, &slot);
    if (lease == NULL)
        return HC_ERR_NOTFOUND;
    *ret = (struct session_row){ .lease_id = "" };
    fill_row(v, body, slot, lease, ret);
    return HC_OK;
}

enum hc_err query_stream(const struct core_view *v, const char *stream_id, struct stream_facts *ret)
{
    const struct stream_rec *stream = alloc_stream(v->saved, stream_id);
    if (stream == NULL)
        return HC_ERR_NOTFOUND;
    struct stream_facts facts = { .state = stream->state, .why = stream->why, .created_at = stream->created_at, .unattended_ms = -1 };
    HC_SET(facts.id, stream->rec.key);
    HC_SET(facts.head_id, stream->head_id);
    HC_SET(facts.experience, stream->experience);
    if (stream->state != STREAM_ENDED) {
        const char *lease_id = alloc_head_lease(v->saved, stream->head_id);
        const struct lease *lease = lease_id == NULL ? NULL : alloc_lease(v->saved, lease_id, NULL, NULL);
        if (lease != NULL && hc_same(lease->stream_id, stream_id)) {
            HC_SET(facts.lease_id, lease->id);
            facts.unattended_ms = lease_unattended_ms(v, lease);
        }
        const struct ticket_rec *ticket = alloc_ticket(v->saved, stream->head_id);
        if (ticket != NULL && hc_same(ticket->stream_id, stream_id))
            HC_SET(facts.ticket_id, ticket->id);
    }
    *ret = facts;
    return HC_OK;
}
