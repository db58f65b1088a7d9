/* stream.c - the visit of a visitor, which outlives its leases (rules §9). */
#include <assert.h>
#include <string.h>

#include "core.h"

#define STREAM_RETURNS_MAX 2      /* rules §7.9: the third time it ends */

static struct stream_rec *edit_stream(struct step *s, const char *stream_id)
{
    return (struct stream_rec *)alloc_edit(s->live, REC_STREAM, stream_id);
}

enum hc_err stream_new(struct step *s, const char *head_id, const char *experience, uint32_t protocol, char ret_id[HC_ID_SIZE])
{
    char id[HC_ID_SIZE], head[HC_ID_SIZE], name[HC_NAME_SIZE], old_id[HC_ID_SIZE];
    HC_SET(head, head_id);
    HC_SET(name, experience);
    const char *old = alloc_head_stream(s->live, head);
    if (old != NULL) {
        HC_SET(old_id, old);
        enum hc_err err = stream_end(s, old_id, STREAM_WHY_SUPERSEDED);      /* a head has one stream that is not ended */
        if (err != HC_OK)
            return err;
    }
    step_id(s, "str", id);
    struct stream_rec *stream = (struct stream_rec *)alloc_create(s->live, REC_STREAM, id);
    if (stream == NULL)
        return HC_ERR_NOMEM;
    HC_SET(stream->head_id, head);
    HC_SET(stream->experience, name);
    stream->state = STREAM_SEEKING;
    stream->protocol = protocol;
    stream->created_at = s->now;
    enum hc_err err = alloc_reindex(s->live, REC_STREAM, id);
    if (err == HC_OK)
        hc_copy(ret_id, HC_ID_SIZE, id);
    return err;
}

static void remember_lease(struct stream_rec *stream, const char *lease_id)
{
    if (stream->lease_count > 0 && hc_same(stream->lease_ids[stream->lease_count - 1], lease_id))
        return;
    if (stream->lease_count == STREAM_LEASES_MAX) {
        memmove(stream->lease_ids[0], stream->lease_ids[1], (STREAM_LEASES_MAX - 1) * sizeof stream->lease_ids[0]);
        stream->lease_count--;
    }
    HC_SET(stream->lease_ids[stream->lease_count++], lease_id);
}

enum hc_err stream_bound(struct step *s, const char *stream_id, const char *lease_id)
{
    const struct lease *found = alloc_lease(s->live, lease_id, NULL, NULL);
    assert(found != NULL && alloc_stream(s->live, stream_id) != NULL);
    char body_id[HC_ID_SIZE], id[HC_ID_SIZE], lease_key[HC_ID_SIZE];
    HC_SET(body_id, alloc_lease_body(s->live, lease_id));
    HC_SET(id, stream_id);
    HC_SET(lease_key, lease_id);
    struct stream_rec *stream = edit_stream(s, id);
    struct body_rec *body = stream == NULL ? NULL : step_edit_body(s, body_id);
    if (stream == NULL || body == NULL)
        return HC_ERR_NOMEM;
    stream->state = STREAM_BINDING;
    stream->why = STREAM_WHY_NONE;
    stream->ended_at = HC_TIME_NEVER;
    remember_lease(stream, lease_key);
    struct lease *lease = lease_in(body, lease_key, NULL);
    assert(lease != NULL);
    HC_SET(lease->stream_id, id);
    if (lease->experience[0] != '\0')
        HC_SET(stream->experience, lease->experience);
    return alloc_reindex(s->live, REC_STREAM, id);
}

/* When its head last had a picture counts for the reserve (§7.6 b). */
static enum hc_err was_live(struct step *s, const char *head_id)
{
    if (s->ev->dry_run || head_id[0] == '\0')
        return HC_OK;
    struct node_obs *obs = step_edit_node_obs(s, head_id);
    if (obs == NULL)
        return HC_ERR_NOMEM;
    obs->live_at = s->now;
    return HC_OK;
}

enum hc_err stream_live(struct step *s, const char *stream_id)
{
    const struct stream_rec *now = alloc_stream(s->live, stream_id);
    if (now == NULL || now->state == STREAM_ENDED || now->state == STREAM_LIVE)
        return HC_OK;
    char id[HC_ID_SIZE];
    HC_SET(id, stream_id);
    struct stream_rec *stream = edit_stream(s, id);
    if (stream == NULL)
        return HC_ERR_NOMEM;
    stream->state = STREAM_LIVE;
    return was_live(s, stream->head_id);
}

/* What the stream's ticket says: the claim of its last lease, at its first place in the line. */
static void ticket_facts_of(const struct step *s, const struct stream_rec *stream, const struct node_rec *head, struct ticket_rec *facts)
{
    *facts = (struct ticket_rec){ .protocol = stream->protocol, .created_at = stream->created_at, .renewed_at = s->now, .eta_ms = -1 };
    HC_SET(facts->stream_id, stream->rec.key);
    HC_SET(facts->district, head->district);
    HC_SET(facts->experience, stream->experience);
    const char *last = stream->lease_count == 0 ? "" : stream->lease_ids[stream->lease_count - 1];
    const struct lease *lease = alloc_lease(s->live, last, NULL, NULL);
    if (lease == NULL)
        return;
    facts->mode = lease->mode;
    HC_SET(facts->attempt_id, lease->attempt_id);
    HC_SET(facts->attempt_digest, lease->attempt_digest);
    HC_SET(facts->device_uid, lease->device_uid);
}

enum hc_err stream_seeks(struct step *s, const char *stream_id, bool counted)
{
    const struct stream_rec *now = alloc_stream(s->live, stream_id);
    if (now == NULL || now->state == STREAM_ENDED)
        return HC_OK;
    char id[HC_ID_SIZE], head_id[HC_ID_SIZE];
    HC_SET(id, stream_id);
    HC_SET(head_id, now->head_id);
    const struct node_rec *head = alloc_node(s->live, head_id);
    if (head == NULL)
        return stream_end(s, id, STREAM_WHY_NODE_DELETED);
    if (counted && now->returns >= STREAM_RETURNS_MAX)
        return stream_end(s, id, STREAM_WHY_START_FAILED);
    struct stream_rec *stream = edit_stream(s, id);
    if (stream == NULL)
        return HC_ERR_NOMEM;
    bool live = stream->state == STREAM_LIVE;
    stream->state = STREAM_SEEKING;
    stream->returns += counted ? 1 : 0;
    struct ticket_rec facts;
    ticket_facts_of(s, stream, head, &facts);
    enum hc_err err = live ? was_live(s, head_id) : HC_OK;
    if (err == HC_OK)
        err = ticket_put(s, head_id, id, &facts, WAIT_NO_SLOT);
    if (err == HC_OK)
        err = step_note(s, NOTE_STREAM_REHOMED, "", -1, NULL, head_id, "%s", id);
    return err == HC_OK ? step_queue_changed(s, facts.district) : err;
}

enum hc_err stream_end(struct step *s, const char *stream_id, enum stream_why why)
{
    const struct stream_rec *now = alloc_stream(s->live, stream_id);
    if (now == NULL || now->state == STREAM_ENDED)
        return HC_OK;
    char id[HC_ID_SIZE], head_id[HC_ID_SIZE];
    HC_SET(id, stream_id);
    struct stream_rec *stream = edit_stream(s, id);
    if (stream == NULL)
        return HC_ERR_NOMEM;
    HC_SET(head_id, stream->head_id);
    bool live = stream->state == STREAM_LIVE;
    stream->state = STREAM_ENDED;
    stream->why = why;
    stream->ended_at = s->now;
    enum hc_err err = alloc_reindex(s->live, REC_STREAM, id);
    if (err == HC_OK && live)
        err = was_live(s, head_id);
    const struct ticket_rec *ticket = alloc_ticket(s->live, head_id);
    if (err == HC_OK && ticket != NULL && hc_same(ticket->stream_id, id))
        err = ticket_drop(s, head_id);
    return err;
}

enum hc_err stream_leave_lease(struct step *s, const char *lease_id)
{
    const char *found = alloc_lease_body(s->live, lease_id);
    if (found == NULL)
        return HC_OK;
    char body_id[HC_ID_SIZE], id[HC_ID_SIZE];
    HC_SET(body_id, found);
    HC_SET(id, lease_id);
    struct body_rec *body = step_edit_body(s, body_id);
    if (body == NULL)
        return HC_ERR_NOMEM;
    struct lease *lease = lease_in(body, id, NULL);
    if (lease == NULL || lease_is_terminal(lease->state))
        return HC_OK;
    lease->left_behind = true;
    const struct node_rec *node = alloc_node(s->live, body_id);
    enum hc_err err = alloc_reindex(s->live, REC_BODY, body_id);
    return err == HC_OK && node != NULL ? step_queue_changed(s, node->district) : err;      /* it counts in no cap any more */
}
