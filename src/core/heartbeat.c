/* heartbeat.c - PUT /heads/{id} by the head itself: it enters what is observed, renews what the head has, and moves its lease (§6.2,
 * §7.2, §9.3, §12.2). */
#include <string.h>

#include "asking.h"

#define HEAD_LEASES_LOOKED_AT 64

struct beat {
    const struct heartbeat_req *req;
    bool streaming, starting, error, leisure;      /* what the status means; leisure: it says that nobody looks */
    bool moved;                                    /* status or body are others than before: witnesses and attribution look again */
    char body_before[HC_ID_SIZE];
};

static const char *text(const char *given)
{
    return given == NULL ? "" : given;
}

static struct beat beat_of(const struct heartbeat_req *req)
{
    const char *status = text(req->status);
    struct beat beat = { .req = req };
    beat.streaming = hc_same(status, "streaming") || hc_same(status, "streaming-xr");
    beat.starting = hc_same(status, "starting") || hc_same(status, "pairing");
    beat.error = hc_same(status, "error");
    beat.leisure = beat.error || hc_same(status, "idle") || hc_same(status, "self-service");
    return beat;
}

static bool one_family(const char *a, const char *b)
{
    return (strchr(a, ':') == NULL) == (strchr(b, ':') == NULL);
}

/* A, then B, then A again within the window, one address family: two devices have one name (§12.2). */
static bool address_flips(struct node_obs *seen, const char *address, hc_time now, int64_t window_ms)
{
    if (address[0] == '\0' || strlen(address) > HC_ID_MAX)
        return false;
    if (seen->address[0] == '\0' || hc_same(seen->address, address)) {
        HC_SET(seen->address, address);
        seen->address_at = now;
        return false;
    }
    if (!one_family(seen->address, address)) {      /* a device with both families; believed to have moved when the other falls silent */
        if (hc_time_since(now, seen->address_at) > window_ms) {
            HC_SET(seen->address, address);
            seen->address_before[0] = '\0';
            seen->address_at = now;
        }
        return false;
    }
    bool flips = hc_same(seen->address_before, address) && hc_time_since(now, seen->address_before_at) <= window_ms;
    HC_SET(seen->address_before, seen->address);
    seen->address_before_at = seen->address_at;
    HC_SET(seen->address, address);
    seen->address_at = now;
    return flips;
}

static enum hc_err observe_diagnostics(struct node_obs *seen, const char *diagnostics)
{
    size_t len = diagnostics == NULL ? 0 : strnlen(diagnostics, DIAGNOSTICS_MAX + 1);
    if (diagnostics == NULL || len > DIAGNOSTICS_MAX)
        return HC_OK;                                /* longer was refused at the edge */
    struct text *copy = text_new(diagnostics, len);
    if (copy == NULL)
        return HC_ERR_NOMEM;
    text_unref(seen->diagnostics);
    seen->diagnostics = copy;
    return HC_OK;
}

static enum hc_err observe(struct step *s, struct beat *beat)
{
    const struct heartbeat_req *req = beat->req;
    struct node_obs *seen = step_edit_node_obs(s, req->head_id);
    if (seen == NULL)
        return HC_ERR_NOMEM;
    HC_SET(beat->body_before, seen->body_id);
    /* Only named fields change. A status that names no body (flat discovery and pairing say `body_id: null`) is at no body. */
    const char *status = req->status == NULL ? seen->status : req->status;
    const char *body_id = req->body_id != NULL ? req->body_id : req->status == NULL ? seen->body_id : "";
    beat->moved = !hc_same(seen->status, status) || !hc_same(seen->body_id, body_id) || !hc_time_set(seen->beat_at);
    if (beat->moved)
        seen->status_since = s->now;
    seen->beat_at = s->now;
    if (status != seen->status)
        HC_SET(seen->status, status);
    if (body_id != seen->body_id)
        HC_SET(seen->body_id, body_id);
    HC_SET(seen->lease_id, text(req->lease_id));
    HC_SET(seen->stream_id, text(req->stream_id));
    seen->lease_state = req->lease_state;
    if (beat->starting || req->lease_state == HEAD_LEASE_PAIRING || req->lease_state == HEAD_LEASE_STARTING)
        seen->starting_beat_at = s->now;
    if (beat->streaming)
        seen->streaming_beat_at = s->now;
    bool flips = address_flips(seen, text(req->address), s->now, s->t->duplicate_head_window_ms);
    bool known = hc_time_set(seen->duplicate_until) && !hc_time_due(seen->duplicate_until, s->now);
    if (flips)
        seen->duplicate_until = hc_time_add(s->now, s->t->duplicate_head_window_ms);
    enum hc_err err = observe_diagnostics(seen, req->diagnostics);
    if (err != HC_OK || !flips || known)
        return err;
    return step_note(s, NOTE_DUPLICATE_HEAD, "", -1, NULL, req->head_id, "heartbeats from %.60s and %.60s in turn", seen->address,
                     seen->address_before);
}

/* What the record keeps of it, for reports and gates. */
static enum hc_err note_versions(struct step *s, const struct beat *beat)
{
    const struct heartbeat_req *req = beat->req;
    const struct node_rec *node = alloc_node(s->live, req->head_id);
    uint32_t protocol = req->protocol_version.set ? req->protocol_version.value : node->protocol_version;
    uint32_t pairing = req->pairing_protocol.set ? req->pairing_protocol.value : node->pairing_protocol;
    bool version = text(req->version)[0] != '\0' && !hc_same(req->version, node->version);
    if (protocol == node->protocol_version && pairing == node->pairing_protocol && !version)
        return HC_OK;
    struct node_rec *edit = (struct node_rec *)alloc_edit(s->live, REC_NODE, req->head_id);
    if (edit == NULL)
        return HC_ERR_NOMEM;
    bool other = protocol != edit->protocol_version || pairing != edit->pairing_protocol;
    edit->protocol_version = protocol;
    edit->pairing_protocol = pairing;
    if (version)
        HC_SET(edit->version, req->version);
    return other ? latch_look(s, edit->district) : HC_OK;
}

static bool names(const struct beat *beat, const struct lease *lease)
{
    return hc_same(text(beat->req->lease_id), lease->id);
}

/* A heartbeat that speaks of another body says nothing about this lease. */
static bool elsewhere(const struct beat *beat, const struct body_rec *body)
{
    const char *said = text(beat->req->body_id);
    return said[0] != '\0' && !hc_same(said, body->rec.key);
}

static enum hc_err beat_implicit(struct step *s, const struct beat *beat, const struct lease *lease)
{
    char lease_id[HC_ID_SIZE];
    enum lease_state state = lease->state;
    int64_t hold_ms = lease->quest ? s->t->soft_hold_quest_ms : s->t->soft_hold_rolling_ms;
    HC_SET(lease_id, lease->id);
    if (beat->error)
        return s->ev->store_ok ? lease_event(s, lease_id, LEV_HEAD_ERROR, WHY_HEAD_ERROR, FATE_BY_WHY) : HC_OK;
    enum hc_err err = lease_renewed(s, lease_id, hold_ms);
    /* Flat discovery and pairing are both told as `starting`: a hold becomes `pairing`, and no legacy head says more. */
    bool told = beat->req->lease_state == HEAD_LEASE_PAIRING || beat->req->lease_state == HEAD_LEASE_STARTING;
    bool begins = s->ev->store_ok && state == LEASE_HELD && (beat->starting || told);
    return err == HC_OK && begins ? lease_event(s, lease_id, LEV_HEAD_PAIRING, WHY_NONE, FATE_BY_WHY) : err;
}

static enum hc_err beat_explicit(struct step *s, const struct beat *beat, const struct lease *lease)
{
    char lease_id[HC_ID_SIZE];
    enum lease_state state = lease->state;
    if (!names(beat, lease) || lease->uncollected)
        return HC_OK;
    HC_SET(lease_id, lease->id);
    enum hc_err err = lease_renewed(s, lease_id, s->t->lease_ttl_ms);
    if (!s->ev->store_ok)
        return err;
    if (err == HC_OK && beat->req->lease_state == HEAD_LEASE_PAIRING && state == LEASE_GRANTED)
        err = lease_event(s, lease_id, LEV_HEAD_PAIRING, WHY_NONE, FATE_BY_WHY);
    if (err == HC_OK && beat->req->lease_state == HEAD_LEASE_STARTING && (state == LEASE_GRANTED || state == LEASE_PAIRING))
        err = lease_event(s, lease_id, LEV_HEAD_STARTING, WHY_NONE, FATE_BY_WHY);
    return err;                                     /* `streaming` is what bodies say */
}

static bool body_is_lost(const struct lease *lease, const struct body_rec *body)
{
    bool began = lease->state == LEASE_STREAMING || lease->state == LEASE_ADOPTED;
    return lease->state == LEASE_UNKNOWN || (began && (body->circuit.state == CIRCUIT_OPEN || hc_time_set(lease->idle_since)));
}

/* `lost`: the head plays no more. If we think so too the stream seeks again; the lease is left behind (§9.3). */
static enum hc_err beat_lost(struct step *s, const struct beat *beat, const struct lease *lease, const struct body_rec *body)
{
    const char *said = text(beat->req->stream_id);
    if (!names(beat, lease) && !(text(beat->req->lease_id)[0] == '\0' && hc_same(said, lease->stream_id)))
        return HC_OK;
    if (!body_is_lost(lease, body))
        return HC_OK;
    char lease_id[HC_ID_SIZE], stream_id[HC_ID_SIZE];
    HC_SET(lease_id, lease->id);
    HC_SET(stream_id, lease->stream_id);
    enum hc_err err = stream_leave_lease(s, lease_id);
    return err == HC_OK && alloc_stream(s->live, stream_id) != NULL ? stream_seeks(s, stream_id, false) : err;
}

static enum hc_err was_live(struct step *s, const char *head_id)
{
    struct node_obs *seen = step_edit_node_obs(s, head_id);
    if (seen == NULL)
        return HC_ERR_NOMEM;
    seen->live_at = s->now;
    return HC_OK;
}

static enum hc_err beat_began(struct step *s, const struct beat *beat, const struct lease *lease, const struct body_rec *body)
{
    if (beat->req->lease_state == HEAD_LEASE_LOST)
        return s->ev->store_ok ? beat_lost(s, beat, lease, body) : HC_OK;
    bool live = lease->state == LEASE_STREAMING || lease->state == LEASE_ADOPTED;
    bool renews = !beat->leisure && ((beat->streaming && !elsewhere(beat, body)) || names(beat, lease));
    enum hc_err err = renews ? lease_renewed(s, lease->id, 0) : HC_OK;
    return err == HC_OK && live ? was_live(s, beat->req->head_id) : err;
}

/* An XR session that has not begun: `pairing` is its arming, and what the head says moves nothing (wire §2, behaviour 6). */
static enum hc_err beat_xr(struct step *s, const struct beat *beat, const struct lease *lease, const struct body_rec *body)
{
    char lease_id[HC_ID_SIZE];
    HC_SET(lease_id, lease->id);
    if (beat->error && lease->protocol < 2)
        return s->ev->store_ok ? lease_event(s, lease_id, LEV_HEAD_RELEASE, WHY_HEAD_ERROR, FATE_BY_WHY) : HC_OK;
    bool there = (beat->starting || beat->streaming) && !elsewhere(beat, body);
    return there || names(beat, lease) ? lease_renewed(s, lease_id, 0) : HC_OK;
}

static enum hc_err beat_own(struct step *s, const struct beat *beat)
{
    const struct body_rec *body;
    const struct lease *own = head_lease(s->live, beat->req->head_id, &body);
    if (own == NULL)
        return HC_OK;
    if (!lease_is_pre_stream(own->state))
        return beat_began(s, beat, own, body);
    if (own->mode == MODE_XR && !own->uncollected)
        return beat_xr(s, beat, own, body);
    return own->source == SOURCE_IMPLICIT ? beat_implicit(s, beat, own) : beat_explicit(s, beat, own);
}

/* Nobody had been seen for half an hour, and there somebody is (§6.2). */
static enum hc_err take_back(struct step *s, const struct beat *beat)
{
    const char *ids[HEAD_LEASES_LOOKED_AT];
    if (!beat->streaming || alloc_head_lease(s->live, beat->req->head_id) != NULL)
        return HC_OK;
    size_t count = alloc_head_leases(s->live, beat->req->head_id, ids, HEAD_LEASES_LOOKED_AT);
    for (size_t i = 0; i < count; i++) {
        const struct body_rec *body;
        const struct lease *lease = alloc_lease(s->live, ids[i], &body, NULL);
        if (lease == NULL || lease->state != LEASE_DRAINING || lease->why != WHY_UNATTENDED || lease->left_behind ||
            lease->mode == MODE_XR || elsewhere(beat, body))
            continue;
        char lease_id[HC_ID_SIZE];
        HC_SET(lease_id, lease->id);
        enum hc_err err = lease_event(s, lease_id, LEV_TAKEN_BACK, WHY_NONE, FATE_BY_WHY);
        return err == HC_OK ? lease_renewed(s, lease_id, 0) : err;
    }
    return HC_OK;
}

static enum hc_err beat_ticket(struct step *s, const struct beat *beat)
{
    const struct ticket_rec *ticket = alloc_ticket(s->live, beat->req->head_id);
    return ticket != NULL && ticket->protocol >= 2 ? ticket_renew(s, beat->req->head_id) : HC_OK;
}

/* The bodies that it speaks of, or has stopped speaking of, look at their witnesses again. */
static enum hc_err touch_bodies(struct step *s, const struct beat *beat)
{
    const char *said = text(beat->req->body_id);
    enum hc_err err = HC_OK;
    if (said[0] != '\0' && (beat->moved || beat->streaming) && alloc_body(s->live, said) != NULL)
        err = step_touch(s, said);
    if (err == HC_OK && beat->moved && beat->body_before[0] != '\0' && alloc_body(s->live, beat->body_before) != NULL)
        err = step_touch(s, beat->body_before);
    return err;
}

enum hc_err on_heartbeat(struct step *s)
{
    const struct heartbeat_req *req = &s->ev->u.heartbeat;
    s->out->answer = ANSWER_DONE;
    if (!head_exists(s->live, req->head_id))
        return step_refuse(s, DENY_NOT_FOUND);
    if (s->ev->dry_run)
        return HC_OK;
    struct beat beat = beat_of(req);
    enum hc_err err = observe(s, &beat);
    if (err == HC_OK)
        err = beat_ticket(s, &beat);
    if (err == HC_OK && !s->ev->store_ok)
        return beat_own(s, &beat);               /* a renewal is observed; nothing else happens without a store (§3.5) */
    if (err == HC_OK)
        err = note_versions(s, &beat);
    if (err == HC_OK)
        err = take_back(s, &beat);
    if (err == HC_OK)
        err = beat_own(s, &beat);
    return err == HC_OK ? touch_bodies(s, &beat) : err;
}
