/* lease_fate.c - what the end of a lease means for the slot, the attempt, the body's circuit and the visit. By its reason, in tables. */
#include <assert.h>
#include <string.h>

#include "circuit.h"
#include "lease_fate.h"

void ghost_remember(struct step *s, struct slot *slot, const struct lease *lease)
{
    bool refused = lease->state == LEASE_REVOKED || lease->why == WHY_DRAIN_TIMEOUT;
    bool readopt = lease->state == LEASE_EXPIRED || lease->why == WHY_START_TIMEOUT;
    if (!refused && !readopt)
        return;
    if (slot->ghost_count == SLOT_GHOSTS_MAX)
        slot->ghost_count--;                       /* the oldest goes */
    memmove(&slot->ghosts[1], &slot->ghosts[0], slot->ghost_count * sizeof slot->ghosts[0]);
    slot->ghost_count++;
    struct ghost *ghost = &slot->ghosts[0];
    *ghost = (struct ghost){ .protocol = lease->protocol, .state = lease->state, .why = lease->why, .refused = refused,
        .ended_at = s->now };
    HC_SET(ghost->lease_id, lease->id);
    HC_SET(ghost->head_id, lease->head_id);
    HC_SET(ghost->stream_id, lease->stream_id);
    HC_SET(ghost->launch_id, lease->launch_id);
    HC_SET(ghost->client_uuid, lease->sunshine_client_uuid);
    HC_SET(ghost->app_token, lease->app_token);
    HC_SET(ghost->token_hash, lease->token_hash);
    HC_SET(ghost->experience, lease->experience);
}

enum hc_err attempt_remember(struct step *s, const struct lease *lease)
{
    if (lease->attempt_id[0] == '\0' || lease->head_id[0] == '\0')
        return HC_OK;
    struct attempts_rec *rec = (struct attempts_rec *)alloc_edit(s->live, REC_ATTEMPTS, lease->head_id);
    if (rec == NULL && alloc_get(s->live, REC_ATTEMPTS, lease->head_id) == NULL)
        rec = (struct attempts_rec *)alloc_create(s->live, REC_ATTEMPTS, lease->head_id);
    if (rec == NULL)
        return HC_ERR_NOMEM;
    size_t kept = 0;
    for (size_t i = 0; i < rec->count; i++)        /* an attempt stands once: the newest end of it */
        if (!hc_same(rec->at[i].attempt_id, lease->attempt_id))
            rec->at[kept++] = rec->at[i];
    rec->count = kept < ATTEMPTS_PER_HEAD ? kept : ATTEMPTS_PER_HEAD - 1;
    memmove(&rec->at[1], &rec->at[0], rec->count * sizeof rec->at[0]);
    rec->count++;
    rec->at[0] = (struct attempt){ .why = lease->why, .state = lease->state, .until = hc_time_add(s->now, s->t->attempt_memory_ms) };
    HC_SET(rec->at[0].attempt_id, lease->attempt_id);
    HC_SET(rec->at[0].lease_id, lease->id);
    HC_SET(rec->at[0].stream_id, lease->stream_id);
    return HC_OK;
}

enum blame { BLAME_NOBODY, BLAME_DEMOTES /* this head only */, BLAME_COUNTS /* and the circuit */ };

/* A visitor who leaves by himself says nothing about the body: `released`, `user_exit` count nowhere. */
static enum blame blame_of(const struct step *s, const struct ended *end, const struct lease *lease)
{
    const struct body_obs *obs = observed_body(s->obs, end->body_id);
    const struct node_obs *head = observed_node(s->obs, lease->head_id);
    bool heard = head != NULL && hc_time_before(lease->granted_at, head->beat_at);
    if (lease->why == WHY_DRAIN_TIMEOUT)
        return obs != NULL && hc_time_before(end->drain_since, obs->reported_at) ? BLAME_COUNTS : BLAME_NOBODY;
    if (!lease_is_pre_stream(end->from))
        return BLAME_NOBODY;
    switch (lease->why) {
    case WHY_START_TIMEOUT:
    case WHY_LAUNCH_FAILED:
        return BLAME_COUNTS;
    case WHY_HEAD_ERROR:
    case WHY_REPEAT_READ:
        return heard ? BLAME_COUNTS : BLAME_DEMOTES;
    case WHY_SILENCE:
        return heard && lease->source == SOURCE_IMPLICIT ? BLAME_COUNTS : BLAME_NOBODY;
    case WHY_UNREACHABLE:
    case WHY_ERROR:
        return lease->protocol >= 2 ? BLAME_COUNTS : BLAME_NOBODY;
    default:
        return BLAME_NOBODY;
    }
}

enum hc_err failure_counts(struct step *s, struct body_rec *body, const struct ended *end, const struct lease *lease)
{
    if (!lease_is_terminal(lease->state) && lease->state != LEASE_DRAINING)
        return HC_OK;
    enum blame blame = end->counted ? blame_of(s, end, lease) : BLAME_NOBODY;
    enum hc_err err = circuit_probe_over(s, body, lease->id, blame == BLAME_COUNTS, lease->why);
    if (err == HC_OK && blame == BLAME_COUNTS)
        err = circuit_count(s, body, lease->head_id, lease->why);
    return err == HC_OK && blame != BLAME_NOBODY ? demote(s, end->body_id, lease->head_id) : err;
}

enum fate_kind {
    FATE_NONE,        /* somebody else decides */
    FATE_ENDS,
    FATE_RETURNS      /* pre-stream, through no act of its visitor: its place is kept; else it ends */
};
struct fate_row { enum fate_kind kind; enum stream_why why; };
#define FATE(why, kind, stream_why) [WHY_##why] = { FATE_##kind, STREAM_WHY_##stream_why }
static const struct fate_row fates[LEASE_WHYS] = {
    FATE(HEAD_ERROR, ENDS, ABANDONED),          FATE(REPEAT_READ, ENDS, ABANDONED),        FATE(ABANDON, ENDS, ABANDONED),
    FATE(RELEASED, ENDS, RELEASED),             FATE(USER_EXIT, ENDS, RELEASED),           FATE(ERROR, ENDS, RELEASED),
    FATE(UNREACHABLE, ENDS, RELEASED),          FATE(INTERRUPTED, ENDS, RELEASED),         FATE(EXPERIENCE_CHANGED, ENDS, SUPERSEDED),
    FATE(SILENCE, ENDS, HEAD_SILENT),           FATE(TTL, ENDS, HEAD_SILENT),              FATE(START_TIMEOUT, RETURNS, START_FAILED),
    FATE(LAUNCH_FAILED, RETURNS, START_FAILED), FATE(BODY_IDLE, ENDS, FINISHED),           FATE(UNATTENDED, ENDS, UNATTENDED),
    FATE(DRAIN_TIMEOUT, ENDS, UNATTENDED),      FATE(UNKNOWN_HOLD, ENDS, BODY_LOST),       FATE(BODY_LOST, RETURNS, BODY_LOST),
    FATE(BODY_REBOOT, RETURNS, BODY_LOST),      FATE(BODY_SILENT, RETURNS, BODY_LOST),     FATE(OPERATOR_RELEASE, ENDS, RELEASED),
    FATE(OPERATOR_REVOKE, ENDS, REVOKED),       FATE(DRAINED, RETURNS, REVOKED),           FATE(PREEMPTED, RETURNS, START_FAILED),
    FATE(PROMOTION_WASTED, ENDS, PROMOTION_WASTED), FATE(NOT_ACCEPTED, ENDS, NOT_ACCEPTED), FATE(SUPERSEDED, ENDS, SUPERSEDED),
    FATE(GENERATION_CONFLICT, RETURNS, REVOKED), FATE(EPOCH_REGRESSED, RETURNS, BODY_LOST), FATE(NODE_DELETED, RETURNS, NODE_DELETED),
    FATE(NODE_DENIED, RETURNS, REVOKED),        FATE(IDENTITY_REVOKED, ENDS, REVOKED),
};
#undef FATE

enum hc_err stream_follows(struct step *s, const struct ended *end, const struct lease *lease)
{
    bool over = lease_is_terminal(lease->state), drains = lease->state == LEASE_DRAINING;
    const struct stream_rec *stream = lease->stream_id[0] == '\0' ? NULL : alloc_stream(s->live, lease->stream_id);
    if ((!over && !drains) || stream == NULL || lease->left_behind)
        return HC_OK;
    if (drains && lease->why == WHY_UNATTENDED)
        return HC_OK;                              /* its head may still take it back */
    /* Only the lease that the stream has now decides: one that seeks again has left this one. */
    bool bound = stream->state == STREAM_BINDING || stream->state == STREAM_LIVE;
    if (!bound || stream->lease_count == 0 || !hc_same(stream->lease_ids[stream->lease_count - 1], lease->id))
        return HC_OK;
    enum lease_why why = lease->why;
    if (why == WHY_DRAIN_TIMEOUT && end->why_before != WHY_NONE)
        why = end->why_before;                     /* what the drain was for */
    assert((size_t)why < LEASE_WHYS);
    const struct fate_row *fate = &fates[why];
    bool waits = lease->mode != MODE_XR || lease->protocol >= 2;      /* a shipped headset has no place in the line: it asks again */
    if (fate->kind == FATE_RETURNS && lease_is_pre_stream(end->from) && waits)
        return stream_seeks(s, lease->stream_id, end->counted);
    return fate->kind == FATE_NONE ? HC_OK : stream_end(s, lease->stream_id, fate->why);
}
