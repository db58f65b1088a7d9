/* queue.c - tickets: places in the queue of a district (§7.1 to §7.5, §7.11). */
#include "queue.h"

#include <assert.h>
#include <string.h>

#include "hydra/base/arena.h"
#include "seeking.h"

#define TICKET_PREFIX "tkt"

void ticket_id_of(const char *stream_id, char out[HC_ID_SIZE])
{
    const char *dash = strchr(stream_id, '-');
    size_t prefix = sizeof TICKET_PREFIX - 1, len = dash == NULL ? 0 : strlen(dash);
    len = len > HC_ID_MAX - prefix ? HC_ID_MAX - prefix : len;
    memcpy(out, TICKET_PREFIX, prefix);
    if (len > 0)
        memcpy(out + prefix, dash, len);
    out[prefix + len] = '\0';
}

bool queue_has_room(const struct core_view *v, const char *district, const char *head_id)
{
    size_t count = 0;
    if (alloc_ticket(v->saved, head_id) != NULL)
        return true;
    for (size_t i = 0; i < alloc_count(v->saved, REC_TICKET); i++)
        count += hc_same(((const struct ticket_rec *)alloc_at(v->saved, REC_TICKET, i))->district, district) ? 1 : 0;
    return count < v->saved->config->queue_max_tickets;
}

static bool same_ticket(const struct ticket_rec *a, const struct ticket_rec *b)
{
    return hc_same(a->id, b->id) && hc_same(a->stream_id, b->stream_id) && hc_same(a->attempt_id, b->attempt_id) &&
           hc_same(a->attempt_digest, b->attempt_digest) && hc_same(a->district, b->district) && hc_same(a->experience, b->experience) &&
           hc_same(a->device_uid, b->device_uid) && hc_same(a->prefer_body_id, b->prefer_body_id) && a->state == b->state &&
           a->why == b->why && a->mode == b->mode && a->protocol == b->protocol && a->created_at.ms == b->created_at.ms &&
           a->asked_at.ms == b->asked_at.ms && a->confirm_by.ms == b->confirm_by.ms;
}

/* What the ticket should say now, in a struct that is no record. */
static void ticket_wanted(const struct step *s, const struct ticket_rec *old, const struct stream_rec *stream, const struct node_rec *head,
                          const struct ticket_rec *facts, enum wait_why why, struct ticket_rec *want)
{
    bool same_stream = old != NULL && hc_same(old->stream_id, stream->rec.key);
    if (old != NULL)
        *want = *old;
    if (!same_stream) {
        want->state = TICKET_WAITING;
        want->asked_at = want->renewed_at = s->now;
        want->confirm_by = HC_TIME_NEVER;
        want->eta_ms = -1;
        ticket_id_of(stream->rec.key, want->id);
        HC_SET(want->stream_id, stream->rec.key);
    }
    HC_SET(want->district, head->district);
    want->created_at = stream->created_at;
    want->why = why;
    if (facts != NULL) {
        HC_SET(want->attempt_id, facts->attempt_id);
        HC_SET(want->attempt_digest, facts->attempt_digest);
        HC_SET(want->experience, facts->experience);
        HC_SET(want->device_uid, facts->device_uid);
        HC_SET(want->prefer_body_id, facts->prefer_body_id);
        want->mode = facts->mode;
        want->protocol = facts->protocol;
    }
    if (want->experience[0] == '\0')
        HC_SET(want->experience, stream->experience);
    if (want->protocol == 0)
        want->protocol = stream->protocol;
}

static enum hc_err write_ticket(struct step *s, const char *head_id, const struct ticket_rec *want)
{
    bool known = alloc_ticket(s->live, head_id) != NULL;
    struct rec *made = known ? alloc_edit(s->live, REC_TICKET, head_id) : alloc_create(s->live, REC_TICKET, head_id);
    struct ticket_rec *ticket = (struct ticket_rec *)made;
    if (ticket == NULL)
        return HC_ERR_NOMEM;
    struct rec rec = ticket->rec;
    *ticket = *want;
    ticket->rec = rec;
    return HC_OK;
}

static enum hc_err note_queued(struct step *s, const char *head_id)
{
    struct ticket_rec *ticket = (struct ticket_rec *)alloc_edit(s->live, REC_TICKET, head_id);
    if (ticket == NULL)
        return HC_ERR_NOMEM;
    struct core_view v = step_view(s);
    struct ticket_facts facts;
    query_ticket(&v, ticket, &facts);
    ticket->eta_ms = facts.eta_ms;           /* the first estimate, whose error is measured */
    enum hc_err err = step_note(s, NOTE_QUEUED, "", -1, NULL, head_id, "%s, position %u", word_of(&wait_words, (int)ticket->why),
                                facts.position);
    if (err == HC_OK)
        step_last_note(s)->eta_ms = facts.eta_ms;
    return err;
}

enum hc_err ticket_enter(struct step *s, const char *head_id_given, const char *stream_id, const struct ticket_rec *facts,
                         enum wait_why why, bool *ret_new)
{
    char head_id[HC_ID_SIZE];
    HC_SET(head_id, head_id_given);          /* it may stand in a record that goes */
    const struct stream_rec *stream = alloc_stream(s->live, stream_id);
    const struct node_rec *head = alloc_node(s->live, head_id);
    *ret_new = false;
    if (stream == NULL || head == NULL)
        return HC_OK;                        /* nobody is left to wait */
    const struct ticket_rec *old = alloc_ticket(s->live, head_id);
    struct ticket_rec want = { 0 };
    ticket_wanted(s, old, stream, head, facts, why, &want);
    bool fresh = old == NULL || !hc_same(old->id, want.id);
    enum hc_err err = HC_OK;
    if (fresh || !same_ticket(old, &want))
        err = write_ticket(s, head_id, &want);
    if (err == HC_OK && fresh)
        err = note_queued(s, head_id);
    if (err == HC_OK)
        err = ticket_renew(s, head_id);
    if (err == HC_OK)
        *ret_new = fresh;
    return err;
}

enum hc_err ticket_put(struct step *s, const char *head_id, const char *stream_id, const struct ticket_rec *facts, enum wait_why why)
{
    bool fresh;
    enum hc_err err = ticket_enter(s, head_id, stream_id, facts, why, &fresh);
    const struct node_rec *head = alloc_node(s->live, head_id);
    return err == HC_OK && head != NULL ? step_queue_changed(s, head->district) : err;      /* something elsewhere may be free for it */
}

enum hc_err ticket_drop(struct step *s, const char *head_id)
{
    const struct ticket_rec *ticket = alloc_ticket(s->live, head_id);
    if (ticket == NULL)
        return HC_OK;
    char district[HC_NAME_SIZE], key[HC_ID_SIZE];
    HC_SET(district, ticket->district);
    HC_SET(key, head_id);
    enum hc_err err = alloc_remove(s->live, REC_TICKET, key);
    return err == HC_OK ? step_queue_changed(s, district) : err;      /* what was kept for it is free for others */
}

enum hc_err ticket_renew(struct step *s, const char *head_id)
{
    if (s->ev->dry_run || alloc_ticket(s->live, head_id) == NULL)
        return HC_OK;
    struct node_obs *head = step_edit_node_obs(s, head_id);
    if (head == NULL)
        return HC_ERR_NOMEM;
    head->ticket_renewed_at = s->now;
    return HC_OK;
}

enum hc_err ticket_confirm(struct step *s, const char *head_id)
{
    const struct ticket_rec *known = alloc_ticket(s->live, head_id);
    if (known == NULL || known->state != TICKET_CONFIRM)
        return HC_OK;
    struct ticket_rec *ticket = (struct ticket_rec *)alloc_edit(s->live, REC_TICKET, head_id);
    if (ticket == NULL)
        return HC_ERR_NOMEM;
    ticket->state = TICKET_WAITING;
    ticket->asked_at = s->now;
    ticket->confirm_by = HC_TIME_NEVER;
    return HC_OK;
}

static enum hc_err end_ticket(struct step *s, const struct ticket_rec *ticket, enum stream_why why)
{
    char stream_id[HC_ID_SIZE], head_id[HC_ID_SIZE];
    HC_SET(stream_id, ticket->stream_id);
    HC_SET(head_id, ticket->rec.key);
    enum hc_err err = step_note(s, NOTE_TICKET_ENDED, "", -1, NULL, head_id, "%s", word_of(&stream_why_words, (int)why));
    if (err == HC_OK && alloc_stream(s->live, stream_id) != NULL)
        err = stream_end(s, stream_id, why);
    return err == HC_OK ? ticket_drop(s, head_id) : err;
}

static enum hc_err ticket_clock(struct step *s, const struct ticket_rec *ticket)
{
    const char *head_id = ticket->rec.key;
    struct core_view v = step_view(s);
    hc_time renewed = ticket_renewed_at(s->obs, ticket);
    if (!ticket_alive(&v, ticket))
        return end_ticket(s, ticket, STREAM_WHY_TICKET_EXPIRED);
    if (ticket->state == TICKET_CONFIRM && hc_time_due(ticket->confirm_by, s->now))
        return end_ticket(s, ticket, STREAM_WHY_QUEUE_TIMEOUT);
    bool ask = ticket->state == TICKET_WAITING && hc_time_since(s->now, ticket->asked_at) >= s->t->ticket_max_ms;
    bool save = hc_time_since(renewed, ticket->renewed_at) > s->t->renew_write_quantum_ms;      /* §3.8 */
    if (!ask && !save)
        return HC_OK;
    struct ticket_rec *edit = (struct ticket_rec *)alloc_edit(s->live, REC_TICKET, head_id);
    if (edit == NULL)
        return HC_ERR_NOMEM;
    edit->renewed_at = renewed;
    if (ask) {
        edit->state = TICKET_CONFIRM;
        edit->confirm_by = hc_time_add(s->now, s->t->confirm_window_ms);
    }
    return HC_OK;
}

enum hc_err queue_clocks(struct step *s, const char *district_given)
{
    char district[HC_NAME_SIZE];
    HC_SET(district, district_given);
    enum hc_err err = HC_OK;
    /* From the end: a ticket that goes moves only those behind it. */
    for (size_t i = s->ev->store_ok ? alloc_count(s->live, REC_TICKET) : 0; i > 0 && err == HC_OK; i--) {
        if (i > alloc_count(s->live, REC_TICKET))
            continue;
        const struct ticket_rec *ticket = (const struct ticket_rec *)alloc_at(s->live, REC_TICKET, i - 1);
        if (hc_same(ticket->district, district))
            err = ticket_clock(s, ticket);
    }
    return err;
}
