/* scenario_expect.c - what stands behind the arrow of a scenario's line. */
#include <string.h>

#include "scenario.h"

static const char *word(const struct words *w, size_t i)
{
    return i < w->count ? w->at[i] : "";
}

static const char *answer_word(const struct answer *a)
{
    static const char *const names[] = { "done", "refused", "a new lease", "the same lease", "a ticket", "rows", "to wait", "a stream",
        "a node", "a drain", "an operation", "a pair lease", "an XR session" };
    return a->answer == ANSWER_REFUSED ? word_of(&deny_words, (int)a->deny) : names[a->answer];
}

static bool had_answer(struct scenario *s)
{
    return (s->last != NULL && (s->last->answer.arrived || s->last->parked)) || scenario_fail(s, "no request was answered");
}

/* granted b1/0 [epoch N] | same b1/0 [epoch N] */
static bool expect_lease(struct scenario *s, const struct words *w)
{
    const char *body;
    uint32_t slot;
    int64_t epoch;
    if (!had_answer(s) || !scenario_slot(s, word(w, 1), &body, &slot))
        return false;
    const struct answer *a = &s->last->answer;
    bool same = hc_same(w->at[0], "same");
    bool kind = a->answer == ANSWER_ROWS || a->answer == ANSWER_STREAM || a->answer == (same ? ANSWER_LEASE_SAME : ANSWER_LEASE_NEW);
    if (!kind || !a->has_lease || !hc_same(a->body_id, body) || a->slot != slot)
        return scenario_fail(s, "expected %s %s, the answer is %s %s/%u %s", w->at[0], word(w, 1), answer_word(a), a->body_id, a->slot,
            word_of(&wait_words, (int)a->wait));
    if (!hc_same(word(w, 2), "epoch"))
        return true;
    return scenario_number(s, word(w, 3), &epoch) && (a->epoch == (uint64_t)epoch ||
        scenario_fail(s, "expected epoch %lld, it is %llu", (long long)epoch, (unsigned long long)a->epoch));
}

/* denied WORD [WAIT] */
static bool expect_denied(struct scenario *s, const struct words *w)
{
    if (!had_answer(s))
        return false;
    const struct answer *a = &s->last->answer;
    bool refused = a->answer == ANSWER_REFUSED && hc_same(word_of(&deny_words, (int)a->deny), word(w, 1));
    if (!refused)
        return scenario_fail(s, "expected a refusal, %s; the answer is %s on %s", word(w, 1), answer_word(a), a->body_id);
    const char *wait = word_of(&wait_words, (int)a->wait), *lost = a->lost_why;
    bool same = w->count < 3 || hc_same(wait, word(w, 2)) || hc_same(lost, word(w, 2));
    return same || scenario_fail(s, "expected the reason %s, it is %s%s", word(w, 2), wait, lost);
}

/* queued N [waiting|promoted|confirm_required] */
static bool expect_queued(struct scenario *s, const struct words *w)
{
    int64_t position;
    if (!had_answer(s) || !scenario_number(s, word(w, 1), &position))
        return false;
    const struct answer *a = &s->last->answer;
    bool right = a->position == (uint32_t)position && (w->count < 3 || hc_same(word_of(&ticket_state_words, (int)a->ticket), word(w, 2)));
    return right || scenario_fail(s, "expected place %s %s, it is %u %s (%s)", word(w, 1), word(w, 2), a->position,
        word_of(&ticket_state_words, (int)a->ticket), answer_word(a));
}

static bool expect_waits(struct scenario *s, const struct words *w)
{
    (void)w;
    return had_answer(s) && (s->last->parked || scenario_fail(s, "expected a parked request, the answer is %s",
                                                              answer_word(&s->last->answer)));
}

static bool expect_ok(struct scenario *s, const struct words *w)
{
    (void)w;
    return had_answer(s) && (s->last->answer.answer != ANSWER_REFUSED || scenario_fail(s, "refused: %s", answer_word(&s->last->answer)));
}

/* rows N | count N: elements of the list, stream_count of its first */
static bool expect_rows(struct scenario *s, const struct words *w)
{
    int64_t number;
    if (!had_answer(s) || !scenario_number(s, word(w, 1), &number))
        return false;
    uint32_t is = hc_same(w->at[0], "rows") ? s->last->answer.rows : s->last->answer.stream_count;
    return is == (uint32_t)number || scenario_fail(s, "expected %s %s, there are %u", w->at[0], word(w, 1), is);
}

/* event WORD | no event WORD */
static bool expect_event(struct scenario *s, const char *name, bool there)
{
    int type = word_find(&note_words, name);
    bool found = false;
    if (type < 0)
        return scenario_fail(s, "there is no event %s", name);
    for (size_t i = 0; i < s->sim.note_count; i++)
        found = found || s->sim.notes[i].type == (enum note_type)type;
    return found == there || scenario_fail(s, "%s %s", there ? "no event" : "an event", name);
}

static bool expect_admission(struct scenario *s, bool admitted)
{
    if (!s->asked_admission)
        return scenario_fail(s, "no body asked for admission");
    return s->admitted == admitted || scenario_fail(s, "it was %s", s->admitted ? "admitted" : "not admitted");
}

/* conflict KIND on b1/0 | no conflict on b1/0 */
static bool expect_conflict(struct scenario *s, const char *kind, const char *slot_name)
{
    const char *body;
    uint32_t slot;
    struct hc_arena arena = { 0 };
    struct core_view view = live_view(&s->sim);
    struct conflict_row *rows;
    size_t count, found = 0;
    if (!scenario_slot(s, slot_name, &body, &slot))
        return false;
    if (query_conflicts(&view, &arena, &rows, &count) != HC_OK)
        return scenario_fail(s, "query_conflicts() failed");
    for (size_t i = 0; i < count; i++)
        found += hc_same(rows[i].body_id, body) && rows[i].slot == slot &&
            (kind == NULL || hc_same(word_of(&conflict_words, (int)rows[i].kind), kind)) ? 1 : 0;
    hc_arena_free(&arena);
    return (found > 0) == (kind != NULL) || scenario_fail(s, "%zu conflicts on %s", found, slot_name);
}

static bool expect_no(struct scenario *s, const struct words *w)
{
    if (hc_same(word(w, 1), "event"))
        return expect_event(s, word(w, 2), false);
    if (hc_same(word(w, 1), "conflict"))
        return expect_conflict(s, NULL, word(w, 3));
    if (hc_same(word(w, 1), "identity"))
        return scenario_expect_registered(s, word(w, 2));
    return scenario_fail(s, "no %s: expected no event, or no conflict on", word(w, 1));
}

/* xr b1 STATE [REASON] | xr b1 asked arm|keep|end: the session as its head would be told, and the directive's word */
static bool expect_xr(struct scenario *s, const struct words *w)
{
    const struct body_rec *body = alloc_body(s->sim.cluster.live, word(w, 1));
    const struct node_rec *node = alloc_node(s->sim.cluster.live, word(w, 1));
    if (body == NULL || node == NULL)
        return scenario_fail(s, "there is no body %s", word(w, 1));
    if (!hc_same(node_xr(node)->session_id, body->xr.session_id) || node_xr(node)->state != body->xr.state)
        return scenario_fail(s, "the registry tells another XR session of %s", word(w, 1));
    if (hc_same(word(w, 2), "asked")) {
        struct hc_arena arena = { 0 };
        struct directive d = { .xr = { .present = false } };
        struct core_view view = committed_view(&s->sim);
        enum hc_err err = query_directive(&view, word(w, 1), &arena, &d);
        hc_arena_free(&arena);
        const char *asked = err == HC_OK && d.xr.present ? word_of(&xr_action_words, (int)d.xr.action) : "nothing";
        return hc_same(asked, word(w, 3)) || scenario_fail(s, "%s is asked to %s", word(w, 1), asked);
    }
    const char *is = body->xr.session_id[0] == '\0' ? "over" : word_of(&xr_state_words, (int)body->xr.state);
    bool right = hc_same(is, word(w, 2)) && (w->count < 4 || hc_same(body->xr.reason, word(w, 3)));
    return right || scenario_fail(s, "the XR session of %s is %s %s", word(w, 1), is, body->xr.reason);
}

/* circuit b1 open */
static bool expect_circuit(struct scenario *s, const struct words *w)
{
    const struct body_rec *body = alloc_body(s->sim.cluster.live, word(w, 1));
    const char *is = body == NULL ? "" : word_of(&circuit_words, (int)body->circuit.state);
    return hc_same(is, word(w, 2)) || scenario_fail(s, "the circuit of %s is %s", word(w, 1), is);
}

/* safe mode none|boot|downgrade */
static bool expect_safe(struct scenario *s, const struct words *w)
{
    const struct district_rec *district = alloc_district(s->sim.cluster.live, SIM_DISTRICT);
    const char *is = word_of(&safe_mode_words, district == NULL ? SAFE_NONE : (int)district->safe_mode);
    return hc_same(is, word(w, 2)) || scenario_fail(s, "safe mode is %s", is);
}

/* h1 has b1/0 | h1 has nothing | h1 position N | h1 stream STATE */
static bool expect_head(struct scenario *s, const struct words *w)
{
    const struct alloc *live = s->sim.cluster.live;
    const char *id = w->at[0], *body;
    uint32_t slot;
    if (hc_same(word(w, 1), "stream")) {
        const char *stream_id = alloc_head_stream(live, id);
        const struct stream_rec *stream = stream_id == NULL ? NULL : alloc_stream(live, stream_id);
        const char *is = stream == NULL ? "ended" : word_of(&stream_state_words, (int)stream->state);
        return hc_same(is, word(w, 2)) || scenario_fail(s, "the stream of %s is %s", id, is);
    }
    if (hc_same(word(w, 1), "position")) {
        const struct ticket_rec *ticket = alloc_ticket(live, id);
        struct core_view view = live_view(&s->sim);
        struct ticket_facts facts = { .position = 0 };
        int64_t position;
        if (!scenario_number(s, word(w, 2), &position))
            return false;
        if (ticket != NULL)
            query_ticket(&view, ticket, &facts);
        return facts.position == (uint32_t)position || scenario_fail(s, "%s is at place %u", id, facts.position);
    }
    const char *own = alloc_head_lease(live, id), *on = own == NULL ? "" : alloc_lease_body(live, own);
    if (hc_same(word(w, 2), "nothing"))
        return own == NULL || scenario_fail(s, "%s has a lease on %s", id, on);
    return scenario_slot(s, word(w, 2), &body, &slot) && (hc_same(on, body) || scenario_fail(s, "%s has %s", id, own == NULL
                                                                                             ? "nothing" : on));
}

static const struct lease *lease_shown(const struct slot *slot)
{
    const struct lease *live = slot_live_lease(slot);
    return live != NULL ? live : slot->lease_count == 0 ? NULL : &slot->leases[slot->lease_count - 1];
}

/* b1/0 STATE [epoch N] [of h1] [REASON] */
static bool expect_state(struct scenario *s, const struct words *w, const struct slot *slot)
{
    const struct lease *lease = lease_shown(slot);
    const char *is = lease == NULL ? "empty" : word_of(&lease_state_words, (int)lease->state);
    if (!hc_same(is, word(w, 1)))
        return scenario_fail(s, "%s is %s %s of %s", w->at[0], is, lease == NULL ? "" : word_of(&lease_why_words, (int)lease->why),
            lease == NULL ? "nobody" : lease->head_id);
    for (size_t i = 2; i < w->count; i++) {
        int64_t epoch;
        if (hc_same(w->at[i], "epoch") && scenario_number(s, word(w, i + 1), &epoch)) {
            if (slot->epoch != (uint64_t)epoch)
                return scenario_fail(s, "%s has epoch %llu", w->at[0], (unsigned long long)slot->epoch);
            i++;
        } else if (hc_same(w->at[i], "of")) {
            const char *head = lease == NULL || lease->head_id[0] == '\0' ? "nobody" : lease->head_id;
            if (!hc_same(head, word(w, i + 1)))
                return scenario_fail(s, "%s is of %s", w->at[0], head);
            i++;
        } else if (lease == NULL || !hc_same(word_of(&lease_why_words, (int)lease->why), w->at[i])) {
            return scenario_fail(s, "the reason on %s is %s", w->at[0], lease == NULL ? "" : word_of(&lease_why_words, (int)lease->why));
        }
    }
    return true;
}

/* b1/0 told serve|free|terminate: the directive from committed records, and terminate_stream of a legacy body */
static bool expect_told(struct scenario *s, const char *action, const char *body_id, uint32_t slot)
{
    struct hc_arena arena = { 0 };
    struct directive d;
    struct core_view view = committed_view(&s->sim);
    const char *is = "nothing";
    if (query_directive(&view, body_id, &arena, &d) != HC_OK)
        return scenario_fail(s, "no directive for %s", body_id);
    for (size_t i = 0; i < d.slot_count; i++)
        if (d.slots[i].index == slot)
            is = word_of(&action_words, (int)d.slots[i].action);
    if (!d.modern && hc_same(is, "terminate") && !d.terminate_stream)
        is = "serve";
    if (hc_same(action, "evict"))
        is = slot < d.slot_count && d.slots[slot].evict_count > 0 ? "evict" : is;
    hc_arena_free(&arena);
    return hc_same(is, action) || scenario_fail(s, "%s/%u is told %s", body_id, slot, is);
}

/* b1/0 shows DIVERGENCE | b1/0 shows nothing | b1/0 rows N */
static bool expect_rows_of(struct scenario *s, const struct words *w, const char *body_id, uint32_t slot)
{
    struct hc_arena arena = { 0 };
    struct core_view view = live_view(&s->sim);
    struct slot_filter filter = { .body_id = body_id };
    struct slot_row *rows;
    size_t count, here = 0;
    uint32_t divergence = 0;
    int64_t number;
    if (query_slots(&view, &filter, &arena, &rows, &count) != HC_OK)
        return scenario_fail(s, "query_slots() failed");
    for (size_t i = 0; i < count; i++)
        if (rows[i].slot == slot) {
            here++;
            divergence |= rows[i].divergence;
        }
    hc_arena_free(&arena);
    if (hc_same(w->at[1], "rows"))
        return scenario_number(s, word(w, 2), &number) && (here == (size_t)number || scenario_fail(s, "%s has %zu rows", w->at[0], here));
    if (hc_same(word(w, 2), "nothing"))
        return divergence == 0 || scenario_fail(s, "%s shows divergence bits %x", w->at[0], divergence);
    int bit = word_find(&divergence_words, word(w, 2));
    return (bit >= 0 && (divergence & (1U << bit)) != 0) || scenario_fail(s, "%s does not show %s, but bits %x", w->at[0], word(w, 2),
                                                                          divergence);
}

static bool expect_slot(struct scenario *s, const struct words *w)
{
    const char *body_id;
    uint32_t slot;
    if (!scenario_slot(s, w->at[0], &body_id, &slot))
        return false;
    const struct body_rec *body = alloc_body(s->sim.cluster.live, body_id);
    if (hc_same(word(w, 1), "gone"))
        return body == NULL || scenario_fail(s, "%s is still there", body_id);
    if (body == NULL || slot >= body->slot_count)
        return scenario_fail(s, "there is no slot %s", w->at[0]);
    struct core_view view = live_view(&s->sim);
    uint32_t why_not = slot_why_not(&view, body, slot);
    const char *what = word(w, 1);
    if (hc_same(what, "grantable"))
        return why_not == 0 || scenario_fail(s, "%s is not grantable, bits %x", w->at[0], why_not);
    if (hc_same(what, "not")) {
        int bit = word_find(&why_not_words, word(w, 2));
        return (bit >= 0 && (why_not & (1U << bit)) != 0) || scenario_fail(s, "%s: not for %s, but bits %x", w->at[0], word(w, 2), why_not);
    }
    if (hc_same(what, "removes") || hc_same(what, "keeps") || hc_same(what, "lists"))
        return scenario_expect_trust(s, body_id, what, word(w, 2));
    if (hc_same(what, "told"))
        return expect_told(s, word(w, 2), body_id, slot);
    if (hc_same(what, "shows") || hc_same(what, "rows"))
        return expect_rows_of(s, w, body_id, slot);
    return expect_state(s, w, &body->slots[slot]);
}

bool scenario_expect(struct scenario *s, const struct words *w)
{
    static const struct { const char *first; bool (*expect)(struct scenario *, const struct words *); } list[] = {
        { "granted", expect_lease }, { "same", expect_lease }, { "denied", expect_denied }, { "queued", expect_queued },
        { "waits", expect_waits }, { "ok", expect_ok }, { "rows", expect_rows }, { "count", expect_rows }, { "no", expect_no },
        { "circuit", expect_circuit }, { "xr", expect_xr }, { "safe", expect_safe },
        { "taken", scenario_expect_pairing }, { "turned", scenario_expect_pairing }, { "given", scenario_expect_pairing },
        { "operation", scenario_expect_operation }, { "trust", scenario_expect_paired },
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (hc_same(w->at[0], list[i].first))
            return list[i].expect(s, w);
    if (hc_same(w->at[0], "event"))
        return expect_event(s, word(w, 1), true);
    if (hc_same(w->at[0], "registered"))
        return scenario_expect_registered(s, "");
    if (hc_same(w->at[0], "conflict"))
        return expect_conflict(s, word(w, 1), word(w, 3));
    if (hc_same(w->at[0], "admitted") || hc_same(w->at[0], "refused"))
        return expect_admission(s, hc_same(w->at[0], "admitted"));
    if (strchr(w->at[0], '/') != NULL)
        return expect_slot(s, w);
    if (scenario_head(s, w->at[0]) >= 0)
        return expect_head(s, w);
    return scenario_fail(s, "%s: nothing that can be expected", w->at[0]);
}
