/* read.c - GET /bodies/eligible: the claiming read of legacy heads (§6.3), and the pure read that changes nothing (§6.3.10). */
#include <assert.h>
#include <stdlib.h>

#include "asking.h"
#include "hydra/base/arena.h"
#include "queue.h"
#include "seeking.h"

/* ---- the pure read ---- */

struct place { struct rank rank; const struct body_rec *body; const struct node_rec *node; };

static int by_rank(const void *a, const void *b)
{
    return rank_order(&((const struct place *)a)->rank, &((const struct place *)b)->rank);
}

static bool blank(const char *text)
{
    return text == NULL || text[0] == '\0';
}

static enum lease_mode mode_of(const struct read_req *req)
{
    return req->stream_mode != NULL && hc_same(req->stream_mode, "xr") ? MODE_XR : MODE_FLAT;
}

/* An operator who names no head asks for a place: the query's district and venue, all when they are missing. */
static bool asked_for(const struct core_view *v, const struct read_req *req, const struct node_rec *node)
{
    if (offer_why_not(v, node, req->experience, mode_of(req)) != 0 || (!blank(req->district) && !hc_same(req->district, node->district)))
        return false;
    if (blank(req->venue) || hc_same(req->venue, node->venue))
        return true;
    const struct venue_rec *venue = alloc_venue(v->saved, req->venue);
    return venue != NULL && venue->owner[0] != '\0' && hc_same(venue->owner, node_owner(v->saved, node));
}

static bool all_leased_to_others(const struct alloc *saved, const struct body_rec *body, const struct node_rec *head)
{
    const char *own = head == NULL ? NULL : alloc_head_lease(saved, head->rec.key);
    for (uint32_t i = 0; i < body->slot_count; i++) {
        const struct lease *lease = slot_live_lease(&body->slots[i]);
        if (lease == NULL ? !slot_gone(body, i) : own != NULL && hc_same(lease->id, own))
            return false;
    }
    return body->slot_count > 0;
}

static struct rank best_rank(const struct core_view *v, const struct body_rec *body, const struct node_rec *node,
                             const struct node_rec *head)
{
    struct rank best = { 0 };
    uint32_t demotion = head != NULL && demoted(v, body->rec.key, head->rec.key) ? WHY_NOT_DEMOTED : 0;
    for (uint32_t i = 0; i < body->slot_count; i++) {
        struct rank rank = seeking_rank(v, head, body, node, i, slot_occupied(v, body, i) | demotion, true, NULL);
        if (i == 0 || rank_order(&rank, &best) < 0)
            best = rank;
    }
    return best;
}

static bool shows(const struct step *s, const struct core_view *v, const struct body_rec *body, const struct node_rec *node,
                  const struct node_rec *head)
{
    const struct read_req *req = &s->ev->u.read;
    bool operator = s->ev->caller.kind == CALLER_ADMIN || s->ev->caller.kind == CALLER_READ;
    if (node == NULL || body->slot_count == 0)
        return false;
    if (head != NULL ? eligible_why_not(v, node, head, req->experience, mode_of(req)) != 0 : !asked_for(v, req, node))
        return false;
    return (operator && req->include_leased) || !all_leased_to_others(v->saved, body, head);
}

static enum hc_err pure_read(struct step *s, const struct node_rec *head)
{
    struct core_view v = step_view(s);
    size_t size = alloc_count(s->live, REC_BODY), count = 0;
    bool leases = s->ev->u.read.include_leased && s->ev->caller.kind != CALLER_NODE;
    struct hc_arena scratch = { 0 };
    struct place *places = hc_arena_array(&scratch, size + 1, sizeof places[0]);
    enum hc_err err = places == NULL ? HC_ERR_NOMEM : HC_OK;
    for (size_t i = 0; i < size && err == HC_OK; i++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(s->live, REC_BODY, i);
        const struct node_rec *node = body_node(s->live, body);
        if (shows(s, &v, body, node, head))
            places[count++] = (struct place){ .rank = best_rank(&v, body, node, head), .body = body, .node = node };
    }
    if (err == HC_OK && count > 1)
        qsort(places, count, sizeof places[0], by_rank);
    struct eligible_row *rows = err == HC_OK ? hc_arena_array(&s->out->arena, count + 1, sizeof rows[0]) : NULL;
    if (err == HC_OK && rows == NULL)
        err = HC_ERR_NOMEM;
    for (size_t i = 0; i < count && err == HC_OK; i++)
        err = eligible_row_fill(&v, places[i].body, places[i].node, head, leases, &s->out->arena, &rows[i]);
    hc_arena_free(&scratch);
    if (err != HC_OK)
        return err;
    s->out->answer = ANSWER_ROWS;
    s->out->rows = rows;
    s->out->row_count = count;
    return HC_OK;
}

/* ---- the claiming read ---- */

/* What the head's last reads and heartbeats say about this one. Taken before anything is noted. */
struct reading { struct asking ask; bool within, first, lost, streamed_since; };

static void reading_start(struct reading *reading, const struct step *s, const struct node_rec *head)
{
    const struct node_obs *seen = observed_node(s->obs, head->rec.key);
    const char *own = alloc_head_lease(s->live, head->rec.key);
    asking_start(&reading->ask, s, head, s->ev->u.read.experience, 1);
    reading->first = own == NULL || seen == NULL || !hc_same(seen->read_lease_id, own);
    reading->lost = seen != NULL && seen->read_lost;
    reading->within = seen != NULL && hc_time_set(seen->read_at) && hc_time_since(s->now, seen->read_at) < s->t->idempotency_window_ms;
    reading->streamed_since = seen != NULL && hc_time_before(seen->read_at, seen->streaming_beat_at);
}

/* The one body of the answer: the held one. */
static enum hc_err answer_held(struct step *s, const struct reading *reading, const char *lease_id_given)
{
    char lease_id[HC_ID_SIZE];
    HC_SET(lease_id, lease_id_given);
    const struct body_rec *body;
    enum hc_err err = answer_lease(s, ANSWER_ROWS, lease_id, false);
    if (err != HC_OK || alloc_lease(s->live, lease_id, &body, NULL) == NULL)
        return err;
    struct core_view v = step_view(s);
    const struct node_rec *node = body_node(s->live, body), *head = alloc_node(s->live, reading->ask.head_id);
    struct eligible_row *row = hc_arena_alloc(&s->out->arena, sizeof *row);
    if (row == NULL || node == NULL)
        return row == NULL ? HC_ERR_NOMEM : refuse_retry(s, DENY_NO_SLOT, READ_RETRY_MS);      /* its body was deleted */
    err = eligible_row_fill(&v, body, node, head, false, &s->out->arena, row);
    struct node_obs *seen = err == HC_OK ? step_edit_node_obs(s, reading->ask.head_id) : NULL;
    if (seen == NULL)
        return err == HC_OK ? HC_ERR_NOMEM : err;
    seen->read_at = s->now;
    seen->read_lost = false;
    HC_SET(seen->read_lease_id, lease_id);
    HC_SET(seen->read_experience, reading->ask.experience);
    err = lease_handed_again(s, alloc_lease(s->live, lease_id, NULL, NULL));
    row->slot = s->out->slot;
    s->out->rows = row;
    s->out->row_count = 1;
    return err;
}

static enum hc_err grant_held(struct step *s, const struct reading *reading, const struct verdict *verdict)
{
    char lease_id[HC_ID_SIZE];
    enum hc_err err = asking_grant(s, &reading->ask, verdict, lease_id);
    return err == HC_OK ? answer_held(s, reading, lease_id) : err;
}

/* Nothing to give now (§6.3.5, §6.3.6). The ticket comes before the wait: who waits for a slot that is on its way has its place in the
 * queue. */
static enum hc_err read_denied(struct step *s, struct reading *reading, const struct verdict *verdict)
{
    struct core_view v = step_view(s);
    bool may_wait = !s->ev->u.read.last_chance, fresh = false, freed = false;
    bool reconciling = safe_mode_awaits(&v, reading->ask.district) && !verdict->worth_waiting;
    bool new_place = queue_has_room(&v, reading->ask.district, reading->ask.head_id) && !reconciling;
    enum hc_err err = HC_OK;
    if (reading->ask.stream_id[0] != '\0' || new_place) {       /* a visit that has begun keeps its place, however full it is */
        err = ticket_confirm(s, reading->ask.head_id);
        if (err == HC_OK)
            err = asking_queue(s, &reading->ask, verdict->why, &fresh);
    }
    if (err == HC_OK && verdict->worth_waiting && may_wait) {
        s->out->answer = ANSWER_WAIT_SLOT;
        return HC_OK;
    }
    v = step_view(s);
    if (err == HC_OK && safe_mode_awaits(&v, reading->ask.district))
        return refuse_retry(s, DENY_RECONCILING, RECONCILE_RETRY_MS);
    struct seeker who = asking_seeker(&reading->ask);
    if (err == HC_OK)
        err = preempt_for(s, &who, &freed);
    if (err == HC_OK && freed && may_wait) {
        s->out->answer = ANSWER_WAIT_SLOT;
        return HC_OK;
    }
    if (err == HC_OK)
        err = asking_denied(s, &reading->ask, verdict, fresh);
    return err != HC_OK ? err : refuse_retry(s, verdict->why == WAIT_RESERVED ? DENY_RESERVED : DENY_NO_SLOT, READ_RETRY_MS);
}

static enum hc_err read_anew(struct step *s, struct reading *reading)
{
    struct verdict verdict;
    if (!s->ev->store_ok)
        return refuse_retry(s, DENY_STORE, STORE_RETRY_MS);
    enum hc_err err = asking_judge(s, &reading->ask, &verdict);
    if (err != HC_OK)
        return err;
    return verdict.found ? grant_held(s, reading, &verdict) : read_denied(s, reading, &verdict);
}

/* A second read: the hold did not work (§6.3.2). If nothing else is grantable it is the same hold, nothing counted. */
static enum hc_err read_repeated(struct step *s, struct reading *reading, const char *lease_id_given)
{
    struct verdict verdict;
    char lease_id[HC_ID_SIZE];
    HC_SET(lease_id, lease_id_given);
    if (!s->ev->store_ok)
        return refuse_retry(s, DENY_STORE, STORE_RETRY_MS);
    enum hc_err err = asking_judge(s, &reading->ask, &verdict);
    if (err != HC_OK)
        return err;
    if (!verdict.found)
        return answer_held(s, reading, lease_id);
    err = lease_event(s, lease_id, LEV_REPEAT_READ, WHY_REPEAT_READ, FATE_KEEP);
    return err == HC_OK ? grant_held(s, reading, &verdict) : err;
}

/* Another experience: the hold is released, nothing counted; of a picture that was seen, the visit is over (§6.3.3). */
static enum hc_err read_elsewhere(struct step *s, struct reading *reading, const struct lease *lease)
{
    char lease_id[HC_ID_SIZE];
    bool began = !lease_is_pre_stream(lease->state);
    HC_SET(lease_id, lease->id);
    if (!s->ev->store_ok)
        return refuse_retry(s, DENY_STORE, STORE_RETRY_MS);
    enum hc_err err = lease_release(s, lease_id, WHY_EXPERIENCE_CHANGED, began ? FATE_BY_WHY : FATE_KEEP);
    if (err != HC_OK)
        return err;
    const struct node_rec *head = alloc_node(s->live, reading->ask.head_id);
    asking_start(&reading->ask, s, head, s->ev->u.read.experience, 1);
    return read_anew(s, reading);
}

static enum hc_err read_own(struct step *s, struct reading *reading, const struct lease *lease)
{
    char lease_id[HC_ID_SIZE];
    HC_SET(lease_id, lease->id);
    bool other = !hc_same(lease->experience, reading->ask.experience) && lease->experience[0] != '\0';
    if (other || lease->mode == MODE_XR)             /* who asks for a picture wears no headset any more */
        return read_elsewhere(s, reading, lease);
    bool again = !reading->first && !reading->within && !reading->lost;
    if (lease_is_pre_stream(lease->state))
        return again && lease->source == SOURCE_IMPLICIT ? read_repeated(s, reading, lease_id) : answer_held(s, reading, lease_id);
    if (lease->state != LEASE_UNKNOWN && (!again || reading->streamed_since))
        return answer_held(s, reading, lease_id);
    if (!s->ev->store_ok)
        return refuse_retry(s, DENY_STORE, STORE_RETRY_MS);
    /* The head would not ask if it played: the stream seeks again with its first place (§6.3.4). */
    enum hc_err err = lease->state == LEASE_UNKNOWN ? stream_leave_lease(s, lease_id)
                                                    : lease_event(s, lease_id, LEV_HEAD_RELEASE, WHY_SEEKS_AGAIN, FATE_KEEP);
    return err == HC_OK ? read_anew(s, reading) : err;
}

enum hc_err on_read(struct step *s)
{
    const struct read_req *req = &s->ev->u.read;
    const struct caller *caller = &s->ev->caller;
    bool by_node = caller->kind == CALLER_NODE;
    if (by_node && !blank(req->head_id) && !hc_same(req->head_id, caller->node_id))
        return step_refuse(s, DENY_FORBIDDEN);                 /* I5 */
    const char *head_id = by_node ? caller->node_id : blank(req->head_id) ? "" : req->head_id;
    const struct node_rec *head = head_id[0] == '\0' ? NULL : alloc_node(s->live, head_id);
    if (head == NULL && head_id[0] != '\0')
        return step_refuse(s, DENY_NOT_FOUND);
    bool claims = by_node && (head->roles & ROLE_HEAD) != 0 && !blank(req->experience) && !req->protocol2 && mode_of(req) != MODE_XR;
    if (!claims || s->ev->dry_run)
        return pure_read(s, head);
    struct reading reading;
    enum hc_err err = legacy_request(s, head->rec.key);
    if (err != HC_OK)
        return err;
    reading_start(&reading, s, head);
    const struct lease *own = head_lease(s->live, head->rec.key, NULL);
    return own == NULL ? read_anew(s, &reading) : read_own(s, &reading, own);
}
