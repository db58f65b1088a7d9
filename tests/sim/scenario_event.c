/* scenario_event.c - the events of a scenario: what bodies, heads, operators and the machine room do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario.h"

/* The word after `key`; NULL: it is not there. */
static const char *after(const struct words *w, size_t from, const char *key)
{
    for (size_t i = from; i + 1 < w->count; i++)
        if (hc_same(w->at[i], key))
            return w->at[i + 1];
    return NULL;
}

static bool has(const struct words *w, size_t from, const char *word)
{
    for (size_t i = from; i < w->count; i++)
        if (hc_same(w->at[i], word))
            return true;
    return false;
}

static void copy_lease_of(struct scenario *s, int head, char out[HC_ID_SIZE])
{
    const char *own = head < 0 ? NULL : alloc_head_lease(s->sim.cluster.live, s->sim.heads[head].id);
    hc_copy(out, HC_ID_SIZE, own == NULL ? s->sim.heads[head].lease_id : own);
}

/* "streaming h1", "streaming roth", "starting x9", "slot 1 streaming h2 ..." become what Sunshine shows. */
static bool set_session(struct scenario *s, struct machine *m, uint32_t slot, const char *state, const char *who)
{
    struct session *session = NULL;
    for (size_t i = 0; i < SIM_SESSIONS_MAX && session == NULL; i++)
        if (!m->sessions[i].on)
            session = &m->sessions[i];
    if (session == NULL || who == NULL)
        return scenario_fail(s, "%s by whom?", state);
    int head = -1;
    for (size_t i = 0; i < s->sim.head_count; i++)
        head = hc_same(s->sim.heads[i].id, who) ? (int)i : head;
    *session = (struct session){ .on = true, .slot = slot, .head = head, .since = s->sim.now, .starting = hc_same(state, "starting"),
        .ending = hc_same(state, "ending") };
    (void)snprintf(session->launch_id, sizeof session->launch_id, "launch-%.40s", who);
    bool named = head >= 0 && s->sim.heads[head].kind == HEAD_P2;
    (void)snprintf(session->client_name, sizeof session->client_name, "%s%.60s", named ? "hydra-" : "", head >= 0 && !named ? "roth" : who);
    (void)snprintf(session->client_uuid, sizeof session->client_uuid, "uuid-%.40s", head >= 0 && !named ? "roth" : who);
    HC_SET(session->app, sim_experiences[0]);
    if (named)
        copy_lease_of(s, head, session->lease_id);
    return true;
}

static bool report_options(struct scenario *s, struct machine *m, char *const *words, size_t count, size_t *i, struct report *over,
    bool *ret_unconfirmed)
{
    int64_t value;
    if (hc_same(words[*i], "unconfirmed")) {
        *ret_unconfirmed = true;
        return true;
    }
    if (*i + 1 >= count)
        return scenario_fail(s, "%s is nothing that a body reports", words[*i]);
    const char *key = words[(*i)++];
    if (hc_same(key, "uptime") && hc_duration_parse(words[*i], &value) == HC_OK) {
        over->uptime_ms = value;
        return true;
    }
    if (hc_same(key, "seen") && scenario_number(s, words[*i], &value)) {
        for (uint32_t k = 0; k < SIM_SLOTS_MAX; k++)
            m->table[k].floor = (uint64_t)value;
        return true;
    }
    if (hc_same(key, "number") && scenario_number(s, words[*i], &value)) {
        over->seq = (uint64_t)value;
        return true;
    }
    if (hc_same(key, "xr")) {
        over->xr = !hc_same(words[*i], "idle") && !hc_same(words[*i], "failed");
        HC_SET(over->xr_word, words[*i]);
        return true;
    }
    return scenario_fail(s, "%s is nothing that a body reports", key);
}

/* A body that was told applies what it was told before it reports, unless the line says `unconfirmed`. */
static void apply(struct scenario *s, struct machine *m)
{
    const struct body_rec *body = alloc_body(s->sim.cluster.committed, m->id);
    for (size_t i = 0; body != NULL && i < body->slot_count && i < SIM_SLOTS_MAX; i++)
        if (body->slots[i].epoch >= m->table[i].floor) {
            m->table[i].told = true;
            m->table[i].applied = m->table[i].floor = body->slots[i].epoch;
        }
}

bool scenario_report(struct scenario *s, struct machine *m, char *const *words, size_t count)
{
    struct report made, over = { .uptime_ms = -2 };
    uint32_t slot = 0;
    bool failed = false, unconfirmed = false;
    for (size_t i = 0; i < SIM_SESSIONS_MAX; i++)
        m->sessions[i].on = false;
    for (size_t i = 0; i < count; i++) {
        int64_t number;
        bool state = hc_same(words[i], "streaming") || hc_same(words[i], "starting") || hc_same(words[i], "ending") ||
            hc_same(words[i], "failed");
        if (hc_same(words[i], "idle") || hc_same(words[i], "and"))
            continue;
        if (hc_same(words[i], "slot") && i + 1 < count) {
            if (!scenario_number(s, words[++i], &number))
                return false;
            slot = (uint32_t)number;
        } else if (state) {
            failed = failed || hc_same(words[i], "failed");
            if (!set_session(s, m, slot, words[i], i + 1 < count ? words[i + 1] : NULL))
                return false;
            i++;
        } else if (!report_options(s, m, words, count, &i, &over, &unconfirmed)) {
            return false;
        }
    }
    if (!unconfirmed) {
        apply(s, m);
        scenario_unpair(s, m);
    }
    report_make(&s->sim, m, &made);
    made.uptime_ms = over.uptime_ms != -2 ? over.uptime_ms : made.uptime_ms;
    made.seq = over.seq != 0 ? over.seq : made.seq;
    made.xr = over.xr;
    HC_SET(made.xr_word, over.xr_word);
    for (size_t i = 0; failed && i < made.row_count; i++)
        if (made.rows[i].state == SESSION_STREAMING)
            made.rows[i].state = SESSION_FAILED;
    report_delivered(&s->sim, &made);
    scenario_settle(s, s->sim.now);
    return true;
}

static void remember(struct speaker *speaker, int64_t next, char *const *words, size_t count)
{
    speaker->keeps = true;
    speaker->next = next;
    speaker->said[0] = '\0';
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        int wrote = snprintf(speaker->said + used, sizeof speaker->said - used, "%s ", words[i]);
        used += wrote > 0 ? (size_t)wrote : 0;
        used = used < sizeof speaker->said ? used : sizeof speaker->said - 1;
    }
}

static bool admit(struct scenario *s, struct machine *m, const struct words *w)
{
    const char *who = after(w, 2, "admit");
    struct core_event ev = cluster_event(&s->sim, CORE_ADMIT_OBSERVED, CALLER_NODE, m->id);
    char name[HC_NAME_SIZE], uuid[HC_ID_SIZE];
    int head = -1;
    for (size_t i = 0; who != NULL && i < s->sim.head_count; i++)
        head = hc_same(s->sim.heads[i].id, who) ? (int)i : head;
    bool named = head >= 0 && s->sim.heads[head].kind == HEAD_P2;
    (void)snprintf(name, sizeof name, "%s%.60s", named ? "hydra-" : "", named ? who : "roth");
    (void)snprintf(uuid, sizeof uuid, "uuid-%.40s", named ? who : "roth");
    ev.u.admit = (struct admit_req){ .body_id = m->id, .client_uuid = uuid, .named_cert_name = name, .app_name = sim_experiences[0],
        .launch_id = "launch-admit", .slot = 0 };
    if (cluster_step(&s->sim, &ev, cluster_seed(&s->sim)) != HC_OK)
        return scenario_fail(s, "the step failed");
    s->asked_admission = true;
    s->admitted = s->sim.cluster.last.answer != ANSWER_REFUSED;
    return true;
}

static bool do_body(struct scenario *s, const struct words *w)
{
    struct machine *m = w->count < 3 ? NULL : scenario_body(s, w->at[1]);
    if (m == NULL)
        return s->why[0] != '\0' ? false : scenario_fail(s, "expected: body NAME ...");
    struct speaker *speaker = &s->bodies[m - s->sim.bodies];
    const char *verb = w->at[2];
    if (hc_same(verb, "reports") || hc_same(verb, "keeps")) {
        size_t from = hc_same(verb, "keeps") ? 4 : 3;
        if (from == 4)
            remember(speaker, s->sim.now + 5000, w->at + from, w->count - from);
        return scenario_report(s, m, w->at + from, w->count - from);
    }
    if (hc_same(verb, "falls")) {
        speaker->keeps = false;
        return true;
    }
    if (hc_same(verb, "reboots") || hc_same(verb, "restarts")) {
        m->boot++;
        m->seq = 0;
        m->agent_since = hc_same(verb, "reboots") ? s->sim.now - 90000 : s->sim.now;
        return true;
    }
    if (hc_same(verb, "refuses")) {
        m->told_second = true;
        return scenario_report(s, m, w->at + 4, 0);
    }
    if (hc_same(verb, "asks"))
        return admit(s, m, w);
    if (hc_same(verb, "pairs") || hc_same(verb, "misreads") || hc_same(verb, "reads"))
        return scenario_trust(s, m, w);
    return scenario_fail(s, "a body does not %s", verb);
}

bool scenario_beat(struct scenario *s, int head, char *const *words, size_t count)
{
    struct head *h = &s->sim.heads[head];
    struct words w = { .count = count };
    memcpy(w.at, words, count * sizeof words[0]);
    struct op *op = op_new(&s->sim, CORE_HEARTBEAT, head);
    const char *body = after(&w, 0, "on"), *says = after(&w, 0, "says"), *from = after(&w, 0, "from");
    HC_SET(op->status, count == 0 ? "idle" : words[0]);
    HC_SET(op->body_id, body == NULL ? "" : body);
    HC_SET(op->address, from == NULL ? "" : from);
    if (h->kind == HEAD_P2) {
        copy_lease_of(s, head, op->lease_id);
        HC_SET(op->stream_id, h->stream_id);
        op->modern_beat = true;
        int state = says == NULL ? 0 : word_find(&head_lease_state_words, says);
        op->lease_state = (enum head_lease_state)(state < 0 ? 0 : state);
    }
    op_submit(&s->sim, op);
    scenario_settle(s, s->sim.now);
    op_free(op);
    return true;
}

static void remember_answer(struct scenario *s, int head)
{
    struct head *h = &s->sim.heads[head];
    const struct answer *a = &s->last->answer;
    if (!a->arrived || a->answer == ANSWER_REFUSED)
        return;
    if (a->stream_id[0] != '\0')
        HC_SET(h->stream_id, a->stream_id);
    if (!a->has_lease)
        return;
    HC_SET(h->lease_id, a->lease_id);
    if (a->token[0] != '\0')
        HC_SET(h->token, a->token);
}

static bool asks(struct scenario *s, int head, struct op *op)
{
    if (s->last != NULL)
        op_free(s->last);
    s->last = op;
    op_submit(&s->sim, op);
    scenario_settle(s, s->sim.now);
    remember_answer(s, head);
    return true;
}

static bool do_claim(struct scenario *s, int head, const struct words *w, struct op *op)
{
    const char *attempt = after(w, 3, "as"), *of = after(w, 3, "stream"), *prefer = after(w, 3, "prefers");
    struct head *h = &s->sim.heads[head];
    if (attempt == NULL)
        (void)snprintf(op->attempt_id, sizeof op->attempt_id, "a-%.32s-%llu", w->at[1], (unsigned long long)++h->attempts);
    else
        HC_SET(op->attempt_id, attempt);
    HC_SET(h->attempt_id, op->attempt_id);
    HC_SET(op->experience, w->at[3]);
    HC_SET(op->prefer, prefer == NULL ? "" : prefer);
    if (of != NULL) {
        int other = scenario_head(s, of);
        if (other < 0)
            return false;
        HC_SET(op->stream_id, s->sim.heads[other].stream_id);
    }
    if (has(w, 4, "token"))
        HC_SET(op->token, h->token);
    return asks(s, head, op);
}

static bool do_head(struct scenario *s, const struct words *w)
{
    static const struct { const char *verb; enum core_event_type type; } verbs[] = {
        { "reads", CORE_READ }, { "claims", CORE_CLAIM }, { "renews", CORE_RENEW }, { "releases", CORE_RELEASE }, { "stops",
            CORE_STREAM_STOP },
        { "polls", CORE_ADMISSION }, { "accepts", CORE_ACCEPT }, { "fetches", CORE_CONFIG_FETCH }, { "ends", CORE_STREAM_END },
        { "arms", CORE_XR_START }, { "looks", CORE_XR_POLL }, { "unarms", CORE_XR_END },
    };
    int head = w->count < 3 ? -1 : scenario_head(s, w->at[1]);
    if (head < 0)
        return s->why[0] != '\0' ? false : scenario_fail(s, "expected: head NAME ...");
    struct head *h = &s->sim.heads[head];
    const char *verb = w->at[2];
    bool pairs;
    if (!scenario_head_pairs(s, h->id, w, &pairs) || pairs)
        return pairs && s->why[0] == '\0';
    if (hc_same(verb, "beats"))
        return scenario_beat(s, head, w->at + 3, w->count - 3);
    if (hc_same(verb, "keeps")) {
        remember(&s->heads[head], s->sim.now + 30000, w->at + 4, w->count - 4);
        return scenario_beat(s, head, w->at + 4, w->count - 4);
    }
    if (hc_same(verb, "falls")) {
        s->heads[head].keeps = false;
        return true;
    }
    if (hc_same(verb, "registers"))
        return scenario_register(s, w->at[1], w->count > 3 ? w->at[3] : "", false);
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        if (!hc_same(verb, verbs[i].verb))
            continue;
        struct op *op = op_new(&s->sim, verbs[i].type, head);
        const char *as = after(w, 3, "of"), *body = after(w, 3, "on");
        int owner = as == NULL ? head : scenario_head(s, as);
        if (owner < 0)
            return false;
        if (verbs[i].type == CORE_CLAIM)
            return w->count > 3 ? do_claim(s, head, w, op) : scenario_fail(s, "claims what?");
        HC_SET(op->lease_id, s->sim.heads[owner].lease_id);
        HC_SET(op->stream_id, s->sim.heads[owner].stream_id);
        HC_SET(op->token, h->token);
        HC_SET(op->attempt_id, h->attempt_id);
        HC_SET(op->body_id, body == NULL ? "" : body);
        bool names = verbs[i].type == CORE_READ || verbs[i].type == CORE_XR_START;
        HC_SET(op->experience, w->count > 3 && names && !hc_same(w->at[3], "nothing") ? w->at[3] : "");
        HC_SET(op->mode, has(w, 4, "xr") ? "xr" : "");
        op->protocol2 = has(w, 4, "purely");
        int why = w->count > 3 ? word_find(&lease_why_words, w->at[3]) : -1;
        op->why = why < 0 ? WHY_USER_EXIT : (enum lease_why)why;
        return asks(s, head, op);
    }
    return scenario_fail(s, "a head does not %s", verb);
}

static bool do_crash(struct scenario *s, const struct words *w)
{
    struct sim *sim = &s->sim;
    int64_t down_ms = 1000, step_ms = 0;
    const char *text = after(w, 1, "for"), *ahead = after(w, 1, "ahead"), *back = after(w, 1, "back");
    if (text != NULL && hc_duration_parse(text, &down_ms) != HC_OK)
        return scenario_fail(s, "%s is no duration", text);
    if ((ahead != NULL && hc_duration_parse(ahead, &step_ms) != HC_OK) || (back != NULL && hc_duration_parse(back, &step_ms) != HC_OK))
        return scenario_fail(s, "the clock steps ahead or back by a duration");
    sim->next_skew_ms = sim->cluster.skew_ms + (back != NULL ? -step_ms : step_ms);
    sim->next_restore = has(w, 1, "backup");
    sim->next_downgrade = has(w, 1, "downgrade");
    cluster_crash(sim, down_ms);
    scenario_settle(s, sim->now + down_ms);
    s->last = NULL;
    return true;
}

static bool do_store(struct scenario *s, const struct words *w)
{
    struct cluster *c = &s->sim.cluster;
    if (w->count < 2)
        return scenario_fail(s, "store fails | heals | backup | foreign");
    if (hc_same(w->at[1], "fails"))
        c->cursed_until = INT64_MAX;
    else if (hc_same(w->at[1], "heals"))
        c->cursed_until = 0;
    else if (hc_same(w->at[1], "foreign"))
        c->next_fate = SAVE_FOREIGN;         /* the next save meets it */
    else if (hc_same(w->at[1], "backup")) {
        alloc_free(c->backup);
        if (alloc_snapshot(c->committed, &c->backup) != HC_OK)
            abort();
    } else
        return scenario_fail(s, "a store does not %s", w->at[1]);
    return true;
}

static bool do_operator(struct scenario *s, const struct words *w);

bool scenario_do(struct scenario *s, const struct words *w)
{
    if (hc_same(w->at[0], "body"))
        return do_body(s, w);
    if (hc_same(w->at[0], "head"))
        return do_head(s, w);
    if (hc_same(w->at[0], "agent"))
        return scenario_agent(s, w);
    if (hc_same(w->at[0], "crash"))
        return do_crash(s, w);
    if (hc_same(w->at[0], "store"))
        return do_store(s, w);
    if (hc_same(w->at[0], "operator"))
        return do_operator(s, w);
    return scenario_fail(s, "%s: an event begins with body, agent, head, operator, store, crash or look", w->at[0]);
}

static bool end_lease(struct scenario *s, const char *slot_name, bool revoke)
{
    const char *body_id;
    uint32_t slot;
    if (!scenario_slot(s, slot_name, &body_id, &slot))
        return false;
    const struct body_rec *body = alloc_body(s->sim.cluster.live, body_id);
    const struct lease *lease = body == NULL || slot >= body->slot_count ? NULL : slot_live_lease(&body->slots[slot]);
    if (lease == NULL)
        return scenario_fail(s, "%s has no lease", slot_name);
    char id[HC_ID_SIZE];
    HC_SET(id, lease->id);
    struct core_event ev = cluster_event(&s->sim, CORE_LEASE_END, CALLER_ADMIN, "");
    ev.u.lease_end = (struct lease_end_req){ id, revoke, "" };
    return cluster_step(&s->sim, &ev, cluster_seed(&s->sim)) == HC_OK || scenario_fail(s, "the step failed");
}

static bool set_slots(struct scenario *s, const struct words *w, struct core_event *ev)
{
    struct slots_req *req = &ev->u.slots;
    int64_t value = 0;
    const char *what = w->count > 3 ? w->at[3] : "", *to = w->count > 4 ? w->at[4] : "";
    *req = (struct slots_req){ .body_id = w->at[2], .force = has(w, 4, "force") };
    if (hc_same(what, "maintenance"))
        req->maintenance = (struct opt_bool){ true, hc_same(to, "on") };
    else if (hc_same(what, "enforce"))
        req->set_enforce = true, req->enforce = hc_same(to, "on") ? ENFORCE_ENFORCE : ENFORCE_OBSERVE;
    else if (hc_same(what, "reserve") && hc_same(to, "auto"))
        req->home_venue_reserve = (struct opt_i32){ true, RESERVE_AUTO };
    else if (hc_same(what, "reserve") && scenario_number(s, to, &value))
        req->home_venue_reserve = (struct opt_i32){ true, (int32_t)value };
    else if (hc_same(what, "slots") && scenario_number(s, to, &value)) {
        req->slots_total = (struct opt_u32){ true, (uint32_t)value };
        struct machine *m = machine_of(&s->sim, w->at[2]);
        if (m != NULL)
            m->slots = m->slots > (uint32_t)value ? m->slots : (uint32_t)value;
    } else
        return scenario_fail(s, "sets BODY maintenance on|off, enforce on|off, reserve N|auto, or slots N");
    return true;
}

static bool do_operator(struct scenario *s, const struct words *w)
{
    const char *verb = w->count > 1 ? w->at[1] : "", *name = w->count > 2 ? w->at[2] : "";
    int64_t ms = 0, cap;
    if (hc_same(verb, "revokes") && hc_same(name, "identity") && w->count > 4)
        return scenario_revoke_identity(s, w->at[4]);
    if (hc_same(verb, "registers") && w->count > 4)
        return scenario_register(s, w->at[4], name, true);
    if (hc_same(verb, "revokes") || hc_same(verb, "releases"))
        return end_lease(s, name, hc_same(verb, "revokes"));
    if (hc_same(verb, "asks"))
        return scenario_operator_asks(s, w);
    struct core_event ev = cluster_event(&s->sim, CORE_TICK, CALLER_ADMIN, "");
    if (hc_same(verb, "drains") && hc_duration_parse(w->count > 4 ? w->at[4] : "", &ms) == HC_OK) {
        ev.type = CORE_DRAIN;
        ev.u.drain = (struct drain_req){ name, ms };
    } else if (hc_same(verb, "undrains") || hc_same(verb, "resets")) {
        ev.type = hc_same(verb, "undrains") ? CORE_UNDRAIN : CORE_CIRCUIT_RESET;
        ev.u.body = (struct body_req){ name };
    } else if (hc_same(verb, "deletes")) {
        ev.type = CORE_NODE_DELETE;
        ev.u.node_delete = (struct node_delete_req){ name, true };
    } else if (hc_same(verb, "ends")) {
        ev.type = CORE_SAFE_MODE_END;
        ev.u.district = (struct district_req){ "" };
    } else if (hc_same(verb, "caps") && scenario_number(s, w->count > 4 ? w->at[4] : "", &cap)) {
        ev.type = CORE_VENUE_PUT;
        ev.u.venue = (struct venue_req){ .name = name, .district = SIM_DISTRICT, .owner = "acme", .cap = { true, (uint32_t)cap } };
    } else if (hc_same(verb, "assigns") && w->count > 4) {
        ev.type = CORE_HEAD_UPDATE;
        ev.u.head_update = (struct head_update_req){ .head_id = name, .head_body_id = w->at[4], .set_stream = true,
            .stream_fields = 1 << 2 };
        HC_SET(ev.u.head_update.stream.stream_app_id, sim_experiences[0]);
    } else if (hc_same(verb, "sets")) {
        ev.type = CORE_SLOTS_PUT;
        if (!set_slots(s, w, &ev))
            return false;
    } else {
        return scenario_fail(s, "an operator does not %s like that", verb);
    }
    if (cluster_step(&s->sim, &ev, cluster_seed(&s->sim)) != HC_OK)
        return scenario_fail(s, "the step failed");
    if (s->sim.cluster.last.answer == ANSWER_REFUSED)
        return scenario_fail(s, "refused: %s", word_of(&deny_words, (int)s->sim.cluster.last.deny));
    return true;
}
