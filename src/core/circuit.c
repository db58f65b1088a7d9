/* circuit.c - a body that fails to serve rests, and one that failed a head ranks last for it (rules §11). */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "circuit.h"

#define CIRCUIT_TRIP          3      /* failures in circuitWindow */
#define CIRCUIT_HEAD_FAILURES 2      /* of one head: one broken head cannot darken a venue */

static void forget_old(struct step *s, struct circuit *circuit)
{
    size_t kept = 0;
    for (size_t i = 0; i < circuit->failure_count; i++)
        if (hc_time_since(s->now, circuit->failures[i].at) < s->t->circuit_window_ms)
            circuit->failures[kept++] = circuit->failures[i];
    circuit->failure_count = kept;
}

static size_t failures_of(const struct circuit *circuit, const char *head_id)
{
    size_t count = 0;
    for (size_t i = 0; i < circuit->failure_count; i++)
        count += hc_same(circuit->failures[i].head_id, head_id) ? 1 : 0;
    return count;
}

static enum hc_err circuit_opens(struct step *s, struct body_rec *body, enum lease_why why)
{
    struct circuit *circuit = &body->circuit;
    int64_t open_ms = circuit->open_ms == 0 ? s->t->circuit_open_ms : circuit->open_ms * 2;
    circuit->open_ms = open_ms < s->t->circuit_open_max_ms ? open_ms : s->t->circuit_open_max_ms;
    circuit->until = hc_time_add(s->now, circuit->open_ms);
    circuit->state = CIRCUIT_OPEN;
    circuit->probe_lease_id[0] = '\0';
    return step_note(s, NOTE_CIRCUIT_OPENED, body->rec.key, -1, NULL, "", "%s, for %lld s", word_of(&lease_why_words, (int)why),
                     (long long)(circuit->open_ms / HC_SECOND_MS));
}

static enum hc_err circuit_closes(struct step *s, struct body_rec *body)
{
    bool was_closed = body->circuit.state == CIRCUIT_CLOSED;
    body->circuit = (struct circuit){ .state = CIRCUIT_CLOSED };
    return was_closed ? HC_OK : step_note(s, NOTE_CIRCUIT_CLOSED, body->rec.key, -1, NULL, "", "%s", "closed");
}

enum hc_err circuit_count(struct step *s, struct body_rec *body, const char *head_id, enum lease_why why)
{
    struct circuit *circuit = &body->circuit;
    forget_old(s, circuit);
    if (failures_of(circuit, head_id) >= CIRCUIT_HEAD_FAILURES)
        return HC_OK;
    if (circuit->failure_count == CIRCUIT_FAILURES_MAX) {
        memmove(&circuit->failures[0], &circuit->failures[1], (CIRCUIT_FAILURES_MAX - 1) * sizeof circuit->failures[0]);
        circuit->failure_count--;
    }
    struct circuit_failure *failure = &circuit->failures[circuit->failure_count++];
    *failure = (struct circuit_failure){ .at = s->now, .why = why };
    HC_SET(failure->head_id, head_id);
    if (circuit->state == CIRCUIT_CLOSED && circuit->failure_count >= CIRCUIT_TRIP)
        return circuit_opens(s, body, why);
    return HC_OK;
}

enum hc_err circuit_streamed(struct step *s, struct body_rec *body, const char *lease_id)
{
    bool probed = body->circuit.state == CIRCUIT_HALF_OPEN && hc_same(body->circuit.probe_lease_id, lease_id);
    return probed ? circuit_closes(s, body) : HC_OK;
}

enum hc_err circuit_probe_over(struct step *s, struct body_rec *body, const char *lease_id, bool failed, enum lease_why why)
{
    struct circuit *circuit = &body->circuit;
    if (circuit->state != CIRCUIT_HALF_OPEN || lease_id[0] == '\0' || !hc_same(circuit->probe_lease_id, lease_id))
        return HC_OK;
    circuit->probe_lease_id[0] = '\0';                  /* it said nothing about the body: the next one may try */
    return failed ? circuit_opens(s, body, why) : HC_OK;
}

enum hc_err circuit_clock(struct step *s, const char *body_id)
{
    const struct body_rec *now = alloc_body(s->live, body_id);
    if (now == NULL)
        return HC_OK;
    bool over = now->circuit.state == CIRCUIT_OPEN && hc_time_due(now->circuit.until, s->now);
    const char *probe = now->circuit.state == CIRCUIT_HALF_OPEN ? now->circuit.probe_lease_id : "";
    const struct lease *lease = probe[0] == '\0' ? NULL : body_lease(now, probe, NULL);
    bool lost = probe[0] != '\0' && (lease == NULL || lease_is_terminal(lease->state));
    if (!over && !lost)
        return HC_OK;
    struct body_rec *body = step_edit_body(s, body_id);
    if (body == NULL)
        return HC_ERR_NOMEM;
    if (over)
        body->circuit.state = CIRCUIT_HALF_OPEN;
    body->circuit.probe_lease_id[0] = '\0';
    return HC_OK;
}

static bool demotion_key(char out[REC_KEY_SIZE], const char *body_id, const char *head_id)
{
    int len = snprintf(out, REC_KEY_SIZE, "%s/%s", body_id, head_id);
    return len > 0 && (size_t)len < REC_KEY_SIZE;
}

enum hc_err demote(struct step *s, const char *body_id, const char *head_id)
{
    char key[REC_KEY_SIZE];
    bool fits = demotion_key(key, body_id, head_id);
    assert(fits);                                        /* two ids and a bar */
    (void)fits;
    if (head_id[0] == '\0')
        return HC_OK;
    struct demotion_rec *rec = (struct demotion_rec *)alloc_edit(s->live, REC_DEMOTION, key);
    if (rec == NULL && alloc_get(s->live, REC_DEMOTION, key) == NULL)
        rec = (struct demotion_rec *)alloc_create(s->live, REC_DEMOTION, key);
    if (rec == NULL)
        return HC_ERR_NOMEM;
    HC_SET(rec->body_id, body_id);
    HC_SET(rec->head_id, head_id);
    rec->until = hc_time_add(s->now, s->t->demotion_window_ms);
    return HC_OK;
}

bool demoted(const struct core_view *v, const char *body_id, const char *head_id)
{
    char key[REC_KEY_SIZE];
    if (head_id[0] == '\0' || alloc_count(v->saved, REC_DEMOTION) == 0 || !demotion_key(key, body_id, head_id))
        return false;
    const struct demotion_rec *rec = (const struct demotion_rec *)alloc_get(v->saved, REC_DEMOTION, key);
    return rec != NULL && hc_time_before(v->now, rec->until);
}

enum hc_err on_circuit_reset(struct step *s)
{
    if (!s->ev->store_ok)
        return step_refuse(s, DENY_STORE);
    if (alloc_body(s->live, s->ev->u.body.body_id) == NULL)
        return step_refuse(s, DENY_NOT_FOUND);
    struct body_rec *body = step_edit_body(s, s->ev->u.body.body_id);
    return body == NULL ? HC_ERR_NOMEM : circuit_closes(s, body);
}
