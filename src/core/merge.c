/* merge.c - rules §3.3: another process wrote the file while we ran. Its settings stand; what we told heads and bodies must not be lost:
 * epochs never fall, and a lease that we acknowledged is kept as unknown where its slot is free there, or ends
 * revoked(generation_conflict). */
#include <assert.h>
#include <string.h>

#include "core.h"
#include "merge_identity.h"
#include "record_times.h"
#include "xr.h"

struct merge { struct step s; const struct alloc *committed; size_t kept, revoked; };

static bool has_lease(const struct body_rec *body)
{
    for (size_t i = 0; i < body->slot_count; i++)
        if (body->slots[i].lease_count > 0)
            return true;
    return false;
}

/* A body that the foreign file lacks comes back when it has leases, or when its node is there: its epochs must not begin again. */
static enum hc_err restore_body(struct merge *m, const struct body_rec *ours)
{
    struct alloc *foreign = m->s.live;
    const struct node_rec *node = alloc_node(foreign, ours->rec.key);
    if (alloc_body(foreign, ours->rec.key) != NULL || (!has_lease(ours) && (node == NULL || (node->roles & ROLE_BODY) == 0)))
        return HC_OK;
    struct body_rec *made = (struct body_rec *)alloc_create(foreign, REC_BODY, ours->rec.key);
    if (made == NULL)
        return HC_ERR_NOMEM;
    struct rec rec = made->rec;
    *made = *ours;
    made->rec = rec;
    made->listed_experiences = strings_ref(ours->listed_experiences);
    made->paired = paired_ref(ours->paired);
    made->maintenance_clients = strings_ref(ours->maintenance_clients);
    made->slots = NULL;                   /* raise_epochs() makes them, keep_lease() fills them */
    made->slot_count = 0;
    return step_touch(&m->s, made->rec.key);
}

static bool epochs_fall(const struct body_rec *theirs, const struct body_rec *ours)
{
    if (theirs->slot_count < ours->slot_count)
        return true;
    for (size_t i = 0; i < ours->slot_count; i++)
        if (theirs->slots[i].epoch < ours->slots[i].epoch || theirs->slots[i].max_epoch_seen < ours->slots[i].max_epoch_seen)
            return true;
    return false;
}

static enum hc_err raise_epochs(struct merge *m, const struct body_rec *ours)
{
    const struct body_rec *theirs = alloc_body(m->s.live, ours->rec.key);
    if (theirs == NULL || !epochs_fall(theirs, ours))
        return HC_OK;
    struct body_rec *body = step_edit_body(&m->s, ours->rec.key);
    if (body == NULL)
        return HC_ERR_NOMEM;
    if (body->slot_count < ours->slot_count) {
        struct slot *slots = hc_realloc(body->slots, ours->slot_count * sizeof slots[0]);
        if (slots == NULL)
            return HC_ERR_NOMEM;
        memset(&slots[body->slot_count], 0, (ours->slot_count - body->slot_count) * sizeof slots[0]);
        for (size_t i = body->slot_count; i < ours->slot_count; i++)
            slots[i].index = (uint32_t)i;
        body->slots = slots;
        body->slot_count = ours->slot_count;
    }
    for (size_t i = 0; i < ours->slot_count; i++) {
        const struct slot *from = &ours->slots[i];
        struct slot *to = &body->slots[i];
        to->epoch = to->epoch > from->epoch ? to->epoch : from->epoch;
        to->max_epoch_seen = to->max_epoch_seen > from->max_epoch_seen ? to->max_epoch_seen : from->max_epoch_seen;
    }
    return HC_OK;
}

/* The lease as we knew it, at the end of the slot's list. NULL: no memory, or no room (*ret_err). */
static struct lease *append(struct merge *m, const char *body_id, uint32_t index, const struct lease *ours, enum hc_err *ret_err)
{
    struct body_rec *body = step_edit_body(&m->s, body_id);
    struct slot *slot = body == NULL ? NULL : &body->slots[index];
    *ret_err = slot != NULL && slot->lease_count >= SLOT_LEASES_MAX ? HC_ERR_LIMIT : HC_ERR_NOMEM;
    if (slot == NULL || slot->lease_count >= SLOT_LEASES_MAX)
        return NULL;
    struct lease *leases = hc_realloc(slot->leases, (slot->lease_count + 1) * sizeof leases[0]);
    if (leases == NULL)
        return NULL;
    slot->leases = leases;
    leases[slot->lease_count] = *ours;
    *ret_err = HC_OK;
    return &leases[slot->lease_count++];
}

static enum hc_err copy_stream(struct merge *m, const char *stream_id)
{
    const struct stream_rec *ours = stream_id[0] == '\0' ? NULL : alloc_stream(m->committed, stream_id);
    if (ours == NULL || alloc_stream(m->s.live, stream_id) != NULL)
        return HC_OK;
    struct stream_rec *made = (struct stream_rec *)alloc_create(m->s.live, REC_STREAM, stream_id);
    if (made == NULL)
        return HC_ERR_NOMEM;
    struct rec rec = made->rec;
    *made = *ours;
    made->rec = rec;
    return alloc_reindex(m->s.live, REC_STREAM, stream_id);
}

/* Is this lease still the head's in what the other process wrote? */
static bool still_heads(const struct alloc *foreign, const struct lease *ours)
{
    const char *stream_id = alloc_head_stream(foreign, ours->head_id);
    const struct stream_rec *stream = ours->stream_id[0] == '\0' ? NULL : alloc_stream(foreign, ours->stream_id);
    return alloc_head_lease(foreign, ours->head_id) == NULL && (stream_id == NULL || hc_same(stream_id, ours->stream_id)) &&
           (stream == NULL || stream->state != STREAM_ENDED);
}

static enum hc_err keep_lease(struct merge *m, const char *body_id, uint32_t index, const struct lease *ours)
{
    bool mine = ours->head_id[0] == '\0' || ours->left_behind || still_heads(m->s.live, ours);
    enum hc_err err;
    struct lease *lease = append(m, body_id, index, ours, &err);
    if (lease == NULL)
        return err;
    if (lease->state != LEASE_UNKNOWN && lease->state != LEASE_DRAINING) {
        /* Whatever it was, only its body can say what became of it: from now on it is as a stream whose body fell silent. */
        lease_born(lease, LEASE_STREAMING, m->s.now);
        err = lease_apply(lease, LEV_BODY_SILENT, WHY_GENERATION_CONFLICT, m->s.now);
        if (err != HC_OK)
            return err;
        lease->came_from = ours->state;
        lease->unknown_since = m->s.now;
    }
    lease->left_behind = lease->left_behind || !mine;
    char head_id[HC_ID_SIZE];
    HC_SET(head_id, lease->head_id);
    err = step_note(&m->s, NOTE_LEASE_UNKNOWN, body_id, (int32_t)index, lease, "", "%s", "kept: the foreign file lacks it");
    m->kept++;
    if (err == HC_OK && mine)
        err = copy_stream(m, ours->stream_id);
    if (err == HC_OK && mine && head_id[0] != '\0' && alloc_ticket(m->s.live, head_id) != NULL)
        err = ticket_drop(&m->s, head_id);
    return err == HC_OK ? alloc_reindex(m->s.live, REC_BODY, body_id) : err;
}

static enum hc_err revoke_lease(struct merge *m, const char *body_id, uint32_t index, const struct lease *ours)
{
    enum hc_err err;
    if (append(m, body_id, index, ours, &err) == NULL)
        return err;
    err = alloc_reindex(m->s.live, REC_BODY, body_id);
    m->revoked++;
    return err == HC_OK ? lease_event(&m->s, ours->id, LEV_REVOKE, WHY_GENERATION_CONFLICT, FATE_KEEP) : err;
}

static enum hc_err merge_lease(struct merge *m, const char *body_id, uint32_t index, const struct lease *ours)
{
    if (alloc_lease_body(m->s.live, ours->id) != NULL)
        return HC_OK;                     /* it is there, or it ended there and is remembered */
    const struct body_rec *theirs = alloc_body(m->s.live, body_id);
    assert(theirs != NULL && index < theirs->slot_count);
    if (lease_is_terminal(ours->state)) {
        enum hc_err err;                  /* its history line may not be written: that drops repeats, not losses */
        return append(m, body_id, index, ours, &err) != NULL ? HC_OK : err;
    }
    bool free_there = slot_live_lease(&theirs->slots[index]) == NULL;
    return free_there ? keep_lease(m, body_id, index, ours) : revoke_lease(m, body_id, index, ours);
}

/* A slot that is kept for a pairing head, where nobody holds it there. */
static enum hc_err merge_pair(struct merge *m, const char *body_id, const struct slot *ours)
{
    const struct body_rec *theirs = alloc_body(m->s.live, body_id);
    if (ours->pair.id[0] == '\0' || theirs == NULL || ours->index >= theirs->slot_count)
        return HC_OK;
    const struct slot *slot = &theirs->slots[ours->index];
    if (slot->pair.id[0] != '\0' || slot_live_lease(slot) != NULL)
        return HC_OK;
    struct body_rec *body = step_edit_body(&m->s, body_id);
    if (body == NULL)
        return HC_ERR_NOMEM;
    body->slots[ours->index].pair = ours->pair;
    return HC_OK;
}

/* A session that the foreign file lacks stands while its lease is kept, or while its body takes it down. */
static enum hc_err merge_xr(struct merge *m, const struct body_rec *ours)
{
    const struct body_rec *theirs = alloc_body(m->s.live, ours->rec.key);
    if (theirs != NULL && theirs->xr.session_id[0] == '\0' && ours->xr.session_id[0] != '\0') {
        struct body_rec *body = step_edit_body(&m->s, ours->rec.key);
        if (body == NULL)
            return HC_ERR_NOMEM;
        body->xr = ours->xr;
    }
    return xr_mirror(&m->s, ours->rec.key);
}

static enum hc_err merge_body(struct merge *m, const struct body_rec *ours)
{
    enum hc_err err = restore_body(m, ours);
    if (err == HC_OK)
        err = raise_epochs(m, ours);
    if (alloc_body(m->s.live, ours->rec.key) == NULL)
        return err;
    for (size_t i = 0; i < ours->slot_count; i++)
        for (size_t k = 0; k < ours->slots[i].lease_count && err == HC_OK; k++)
            err = merge_lease(m, ours->rec.key, (uint32_t)i, &ours->slots[i].leases[k]);
    for (size_t i = 0; i < ours->slot_count && err == HC_OK; i++)
        err = merge_pair(m, ours->rec.key, &ours->slots[i]);
    return err == HC_OK ? merge_xr(m, ours) : err;
}

/* A place in the queue that we acknowledged, of a stream that the foreign file has never heard of. */
static enum hc_err merge_ticket(struct merge *m, const struct ticket_rec *ours)
{
    const char *head_id = ours->rec.key;
    struct alloc *foreign = m->s.live;
    if (alloc_node(foreign, head_id) == NULL || alloc_ticket(foreign, head_id) != NULL || alloc_head_lease(foreign, head_id) != NULL ||
        alloc_head_stream(foreign, head_id) != NULL || alloc_stream(foreign, ours->stream_id) != NULL)
        return HC_OK;
    enum hc_err err = copy_stream(m, ours->stream_id);
    struct ticket_rec *made = err == HC_OK ? (struct ticket_rec *)alloc_create(foreign, REC_TICKET, head_id) : NULL;
    if (made == NULL)
        return HC_ERR_NOMEM;
    struct rec rec = made->rec;
    *made = *ours;
    made->rec = rec;
    return HC_OK;
}

/* An operation that we acknowledged; one that is over is remembered there or forgotten. */
static enum hc_err merge_op(struct merge *m, const struct op_rec *ours)
{
    if (ours->state != OP_PENDING || alloc_node(m->s.live, ours->node_id) == NULL || alloc_op(m->s.live, ours->rec.key) != NULL)
        return HC_OK;
    struct op_rec *made = (struct op_rec *)alloc_create(m->s.live, REC_OP, ours->rec.key);
    if (made == NULL)
        return HC_ERR_NOMEM;
    struct rec rec = made->rec;
    *made = *ours;
    made->rec = rec;
    text_ref(made->output);
    return HC_OK;
}

static enum hc_err run(struct merge *m)
{
    const struct alloc *committed = m->committed;
    /* Rules §4.2 hold for every file that is read; when this one was saved nobody has told. */
    enum hc_err err = times_clamp(&m->s, HC_TIME_NEVER);
    for (size_t i = 0; i < alloc_count(committed, REC_BODY) && err == HC_OK; i++)
        err = merge_body(m, (const struct body_rec *)alloc_at(committed, REC_BODY, i));
    for (size_t i = 0; i < alloc_count(committed, REC_TICKET) && err == HC_OK; i++)
        err = merge_ticket(m, (const struct ticket_rec *)alloc_at(committed, REC_TICKET, i));
    for (size_t i = 0; i < alloc_count(committed, REC_OP) && err == HC_OK; i++)
        err = merge_op(m, (const struct op_rec *)alloc_at(committed, REC_OP, i));
    if (err == HC_OK)
        err = merge_identities(&m->s, committed);
    if (err == HC_OK)
        err = merge_latches(&m->s, committed);
    if (err != HC_OK)
        return err;
    return step_note(&m->s, NOTE_GENERATION_CONFLICT, "", -1, NULL, "", "generation %llu on disk; %zu leases kept as unknown, %zu revoked",
                     (unsigned long long)m->s.live->generation, m->kept, m->revoked);
}

enum hc_err core_merge_foreign(struct alloc *foreign, const struct alloc *committed, struct observed *obs, hc_time now,
    struct core_result *result)
{
    memset(result, 0, sizeof *result);
    const struct core_event ev = { .type = CORE_TICK, .now = now, .store_ok = true };
    struct merge m = {
        .s = { .live = foreign, .obs = obs, .ev = &ev, .out = result, .now = now, .t = &foreign->config->timers }, .committed = committed,
    };
    /* Epochs are drawn above the generation: never below what we drew from. */
    uint64_t loaded = foreign->generation;
    alloc_begin_step(foreign);
    foreign->generation = loaded > committed->generation ? loaded : committed->generation;
    enum hc_err err = run(&m);
    if (err == HC_OK)
        err = alloc_end_step(foreign, &result->dirty);
    if (err != HC_OK) {
        alloc_undo_step(foreign);
        foreign->generation = loaded;
        result->note_count = 0;
    }
    hc_free(m.s.touched);
    return err;
}
