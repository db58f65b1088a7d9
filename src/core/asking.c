/* asking.c - a head asks for a slot: which one, or why none; then the grant or the ticket. */
#include "asking.h"

#include <assert.h>

#include "queue.h"
#include "seeking.h"

const struct lease *head_lease(const struct alloc *live, const char *head_id, const struct body_rec **ret_body)
{
    const char *lease_id = alloc_head_lease(live, head_id);
    return lease_id == NULL ? NULL : alloc_lease(live, lease_id, ret_body, NULL);
}

bool head_exists(const struct alloc *live, const char *head_id)
{
    const struct node_rec *node = alloc_node(live, head_id);
    return node != NULL && (node->roles & ROLE_HEAD) != 0;
}

bool token_fits(const char *token, const char token_hash[HC_HASH_SIZE])
{
    char digest[HC_HASH_SIZE];
    unsigned differ = 0;
    if (token == NULL || token[0] == '\0' || token_hash[0] == '\0')
        return false;
    token_digest(token, digest);
    for (size_t i = 0; i < HC_HASH_HEX; i++)         /* in constant time: it is a secret's digest */
        differ |= (unsigned)(unsigned char)digest[i] ^ (unsigned)(unsigned char)token_hash[i];
    return differ == 0;
}

enum hc_err refuse_retry(struct step *s, enum deny_reason why, int64_t retry_ms)
{
    s->out->retry_after_ms = retry_ms;
    return step_refuse(s, why);
}

void asking_start(struct asking *ask, const struct step *s, const struct node_rec *head, const char *experience, uint32_t protocol)
{
    *ask = (struct asking){ .protocol = protocol, .created_at = s->now };
    HC_SET(ask->head_id, head->rec.key);
    HC_SET(ask->district, head->district);
    HC_SET(ask->venue, head->venue);
    HC_SET(ask->experience, experience);
    const char *stream_id = alloc_head_stream(s->live, head->rec.key);
    if (stream_id != NULL) {
        HC_SET(ask->stream_id, stream_id);
        ask->created_at = alloc_stream(s->live, stream_id)->created_at;
    }
    const struct ticket_rec *ticket = alloc_ticket(s->live, head->rec.key);
    if (ticket != NULL)
        HC_SET(ask->ticket_id, ticket->id);
}

struct seeker asking_seeker(const struct asking *ask)
{
    return (struct seeker){ .head_id = ask->head_id, .experience = ask->experience, .ticket_id = ask->ticket_id, .mode = ask->mode,
                            .protocol = ask->protocol, .created_at = ask->created_at };
}

static bool only_ending(const struct body_obs *obs, uint32_t slot)
{
    size_t cursor = 0, count = 0;
    for (const struct session_obs *row; (row = session_next(obs, slot, &cursor)) != NULL; count++)
        if (row->state != SESSION_ENDING)
            return false;
    return count > 0;
}

/* Is this slot on its way to being free: its lease drains, its body has not confirmed the epoch, still closes the app, or has not
 * reported yet? */
static bool on_its_way(const struct core_view *v, const struct candidate *c)
{
    const struct lease *lease = slot_live_lease(&c->body->slots[c->slot]);
    const struct body_obs *obs = body_observed(v->obs, c->body);
    uint32_t mask = c->why_not & ~(uint32_t)WHY_NOT_DEMOTED, allowed = WHY_NOT_EPOCH_UNCONFIRMED;
    if (obs == NULL || !hc_time_set(obs->reported_at))
        allowed |= WHY_NOT_NO_REPORT;
    else if (only_ending(obs, c->slot))
        allowed |= WHY_NOT_NOT_IDLE;
    if (lease != NULL && lease->state == LEASE_DRAINING)
        allowed |= WHY_NOT_LEASED | WHY_NOT_NOT_IDLE;
    return mask != 0 && (mask & ~allowed) == 0;
}

/* Would this head get one of the slots that are on their way, or do older ones stand before it? */
static bool worth_waiting(const struct core_view *v, const struct seeker *who, const struct candidate *all, size_t count)
{
    const struct node_rec *head = alloc_node(v->saved, who->head_id);
    size_t coming = 0, older = 0;
    for (size_t i = 0; i < count; i++) {
        if (!on_its_way(v, &all[i]) || reserve_denies(v, all[i].body, head))
            continue;
        coming++;
        const struct slot *slot = &all[i].body->slots[all[i].slot];
        if (promise_holds(v, slot) && hc_same(slot->promise_ticket_id, who->ticket_id))
            return true;
    }
    for (size_t t = 0; t < alloc_count(v->saved, REC_TICKET) && older < coming; t++) {
        const struct ticket_rec *ticket = (const struct ticket_rec *)alloc_at(v->saved, REC_TICKET, t);
        if (!hc_same(ticket->district, head->district) || !ticket_is_older(ticket, who) || !ticket_alive(v, ticket))
            continue;
        const struct node_rec *other = alloc_node(v->saved, ticket->rec.key);
        bool could = false;
        for (size_t i = 0; i < count && !could; i++)
            could = on_its_way(v, &all[i]) && could_use(v, all[i].body, all[i].node, other, ticket);
        older += could ? 1 : 0;
    }
    return older < coming;
}

static enum hc_err judge_denial(struct step *s, const struct asking *ask, struct hc_arena *arena, struct verdict *verdict)
{
    struct core_view v = step_view(s);
    struct seeker who = asking_seeker(ask);
    struct candidate *all;
    size_t count;
    const char *body_venue = "";
    enum hc_err err = candidates(&v, &who, ask->prefer_body_id, true, arena, &all, &count);
    if (err != HC_OK)
        return err;
    verdict->why = denial_of(&v, &who, all, count, &body_venue);
    HC_SET(verdict->body_venue, body_venue);
    verdict->worth_waiting = worth_waiting(&v, &who, all, count);
    return HC_OK;
}

enum hc_err asking_judge(struct step *s, const struct asking *ask, struct verdict *ret)
{
    struct core_view v = step_view(s);
    struct seeker who = asking_seeker(ask);
    struct hc_arena arena = { 0 };
    struct candidate *free_slots;
    size_t count;
    *ret = (struct verdict){ 0 };
    enum hc_err err = candidates(&v, &who, ask->prefer_body_id, false, &arena, &free_slots, &count);
    if (err == HC_OK && count > 0) {
        ret->found = true;
        HC_SET(ret->body_id, free_slots[0].body->rec.key);
        ret->slot = free_slots[0].slot;
    } else if (err == HC_OK) {
        err = judge_denial(s, ask, &arena, ret);
    }
    hc_arena_free(&arena);
    return err;
}

/* "One stream, one visit": another experience or protocol is the same visit, in other words. */
static enum hc_err stream_renamed(struct step *s, const struct asking *ask)
{
    const struct stream_rec *stream = ask->stream_id[0] == '\0' ? NULL : alloc_stream(s->live, ask->stream_id);
    if (stream == NULL || (hc_same(stream->experience, ask->experience) && stream->protocol == ask->protocol))
        return HC_OK;
    struct stream_rec *edit = (struct stream_rec *)alloc_edit(s->live, REC_STREAM, ask->stream_id);
    if (edit == NULL)
        return HC_ERR_NOMEM;
    HC_SET(edit->experience, ask->experience);
    edit->protocol = ask->protocol;
    return HC_OK;
}

enum hc_err asking_grant(struct step *s, const struct asking *ask, const struct verdict *verdict, char ret_lease_id[HC_ID_SIZE])
{
    assert(verdict->found);
    struct grant grant = {
        .body_id = verdict->body_id, .slot = verdict->slot, .head_id = ask->head_id, .stream_id = ask->stream_id,
        .experience = ask->experience, .device_uid = ask->device_uid, .attempt_id = ask->attempt_id, .attempt_digest = ask->attempt_digest,
        .client_uuid = "", .source = ask->protocol >= 2 ? SOURCE_EXPLICIT : SOURCE_IMPLICIT, .mode = ask->mode, .protocol = ask->protocol,
        .client_ip = ask->client_ip,
        .preferred = ask->prefer_body_id[0] != '\0' && hc_same(ask->prefer_body_id, verdict->body_id),
    };
    enum hc_err err = stream_renamed(s, ask);
    return err == HC_OK ? lease_grant(s, &grant, ret_lease_id) : err;
}

enum hc_err asking_queue(struct step *s, struct asking *ask, enum wait_why why, bool *ret_new)
{
    *ret_new = false;
    enum hc_err err = stream_renamed(s, ask);
    if (err == HC_OK && ask->stream_id[0] == '\0')
        err = stream_new(s, ask->head_id, ask->experience, ask->protocol, ask->stream_id);
    if (err != HC_OK)
        return err;
    const struct stream_rec *stream = alloc_stream(s->live, ask->stream_id);
    assert(stream != NULL);
    if (stream->state != STREAM_SEEKING)
        err = stream_seeks(s, ask->stream_id, false);
    struct ticket_rec facts = { .mode = ask->mode, .protocol = ask->protocol };
    HC_SET(facts.attempt_id, ask->attempt_id);
    HC_SET(facts.attempt_digest, ask->attempt_digest);
    HC_SET(facts.experience, ask->experience);
    HC_SET(facts.device_uid, ask->device_uid);
    HC_SET(facts.prefer_body_id, ask->prefer_body_id);
    if (err == HC_OK)
        err = ticket_enter(s, ask->head_id, ask->stream_id, &facts, why, ret_new);
    const struct ticket_rec *ticket = alloc_ticket(s->live, ask->head_id);
    if (err == HC_OK && ticket != NULL)
        HC_SET(ask->ticket_id, ticket->id);
    return err;
}

/* Does a head of another venue sit on a body of this one, that this head could have had? */
static bool home_is_taken(const struct core_view *v, const struct asking *ask)
{
    const struct node_rec *head = alloc_node(v->saved, ask->head_id);
    for (size_t b = 0; b < alloc_count(v->saved, REC_BODY); b++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(v->saved, REC_BODY, b);
        const struct node_rec *node = body_node(v->saved, body);
        if (node == NULL || !hc_same(node->venue, ask->venue) || eligible_why_not(v, node, head, ask->experience, ask->mode) != 0)
            continue;
        for (size_t i = 0; i < body->slot_count; i++) {
            const struct lease *lease = slot_live_lease(&body->slots[i]);
            const struct node_rec *other = lease == NULL ? NULL : alloc_node(v->saved, lease->head_id);
            if (other != NULL && !hc_same(other->venue, ask->venue))
                return true;
        }
    }
    return false;
}

enum hc_err asking_denied(struct step *s, const struct asking *ask, const struct verdict *verdict, bool fresh)
{
    struct core_view v = step_view(s);
    s->out->wait = verdict->why;
    s->out->denied_for_capacity = true;
    HC_SET(s->out->head_venue, ask->venue);
    HC_SET(s->out->body_venue, verdict->body_venue);
    if (!fresh || !home_is_taken(&v, ask))
        return HC_OK;
    return step_note(s, NOTE_HOME_VENUE_DENIED, "", -1, NULL, ask->head_id, "%s", word_of(&wait_words, (int)verdict->why));
}
