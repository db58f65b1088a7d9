#include "body_parts.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define REPORT_IDLE_MS    30000
#define REPORT_BUSY_MS    5000
#define REPORT_REPEAT_MS  2000       /* after one that was not heard */
#define LAUNCH_MS         2000       /* from the launch to the first picture */
#define ENDING_MS         500        /* the app is closed; reported as `ending` until then */
#define AWAY_MS           10000      /* Sunshine notices that a client that is switched off does not answer */
#define AGENT_START_MS    2000
#define UP_BEFORE_MS      ((int64_t)24 * 3600 * 1000)     /* a day when the simulation begins: no agent that warms up */

void body_act_add(struct turn *t, enum body_act_type type, size_t head, uint32_t slot)
{
    assert(t->out->count < BODY_ACTS_MAX);
    t->out->list[t->out->count++] = (struct body_act){ .type = type, .head = head, .slot = slot };
}

const struct session *body_session_of(const struct body *body, size_t head)
{
    for (size_t i = 0; i < body->session_count; i++)
        if (body->sessions[i].head == head)
            return &body->sessions[i];
    return NULL;
}

static struct session *session_of(struct body *body, size_t head)
{
    return (struct session *)(uintptr_t)body_session_of(body, head);
}

bool body_session_lives(const struct session *session)
{
    return session->phase == SESSION_STARTS || session->phase == SESSION_STREAMS;
}

bool body_streams(const struct body *body)
{
    for (size_t i = 0; i < body->session_count; i++)
        if (body->sessions[i].phase == SESSION_STREAMS)
            return true;
    return false;
}

/* A modern agent tells a change at once, from its hooks; a legacy one with its next report. */
void body_changed(struct turn *t)
{
    if (t->body->modern && t->body->up_at == 0)
        t->body->changed = true;
}

bool body_agent_runs(const struct turn *t)
{
    return t->body->up_at == 0 && t->now_ms >= t->body->agent_since_ms;
}

static void report(struct turn *t)
{
    struct body *body = t->body;
    body->report_at = 0;                           /* the answer, or the end of the reboot, sets the next one */
    if (body->up_at != 0 || body->report_under_way)
        return;
    body->report_under_way = true;
    body->changed = false;
    body->report_seq++;
    body_act_add(t, BODY_ACT_REPORT, 0, 0);
}

static void note(struct turn *t, const char *type, const struct session *session)
{
    struct body *body = t->body;
    if (!body->modern || body->note_count == BODY_EVENTS_MAX)
        return;
    struct body_note *made = &body->notes[body->note_count++];
    *made = (struct body_note){ .type = type, .slot = session->slot };
    HC_SET(made->launch_id, session->launch_id);
    HC_SET(made->client_uuid, session->client_uuid);
    body_changed(t);
}

void body_notes_told(struct body *body)
{
    body->note_count = 0;
}

/* ---- sessions ---- */

static void remove_session(struct turn *t, struct session *session)
{
    struct body *body = t->body;
    size_t at = (size_t)(session - body->sessions);
    memmove(session, session + 1, (body->session_count - at - 1) * sizeof *session);
    body->session_count--;
    body_changed(t);
}

/* The picture ends now; the app takes a moment more. */
static void end_session(struct turn *t, struct session *session, bool tell_head)
{
    if (session->phase == SESSION_ENDS)
        return;
    if (tell_head)
        body_act_add(t, session->phase == SESSION_STREAMS ? BODY_ACT_DARK : BODY_ACT_REFUSED, session->head, session->slot);
    session->phase = SESSION_ENDS;
    session->phase_at = t->now_ms + ENDING_MS;
    session->gone_at = 0;
    body_changed(t);
}

static const struct body_wish *wish_of(const struct body *body, uint32_t slot)
{
    for (size_t i = 0; body->has_directive && i < body->directive.wish_count; i++)
        if (body->directive.wishes[i].index == slot)
            return &body->directive.wishes[i];
    return NULL;
}

static const struct session *live_on(const struct body *body, uint32_t slot, size_t besides)
{
    for (size_t i = 0; i < body->session_count; i++)
        if (body->sessions[i].slot == slot && body->sessions[i].head != besides)
            return &body->sessions[i];
    return NULL;
}

static bool has_entry(const struct body_wish *wish, const char *app)
{
    for (size_t i = 0; wish != NULL && i < wish->entry_count; i++)
        if (strcmp(wish->entries[i], app) == 0)
            return true;
    return false;
}

static void start(struct turn *t, struct session *session, int64_t in_ms)
{
    session->phase = SESSION_STARTS;
    session->phase_at = t->now_ms + in_ms;
    body_changed(t);
}

enum admission { ADMIT, ADMIT_REFUSE_SECOND, ADMIT_REFUSE_OTHER, ADMIT_ASK };

/* Admission at the hook (rules §13.1): by app token; a plain name is asked about. Without `enforce` it only reports. */
static enum admission admission_of(const struct body *body, const struct session *session, bool busy)
{
    bool enforces = body->modern && body->directive.enforce;
    if (!enforces)
        return ADMIT;
    if (busy)
        return ADMIT_REFUSE_SECOND;
    if (strchr(session->app, '#') == NULL)
        return ADMIT_ASK;
    return has_entry(wish_of(body, session->slot), session->app) ? ADMIT : ADMIT_REFUSE_OTHER;
}

static void lease_from_wish(const struct body *body, struct session *session)
{
    const struct body_wish *wish = wish_of(body, session->slot);
    if (wish == NULL || wish->action != BODY_SERVE)
        return;
    bool own_token = strchr(session->app, '#') != NULL && has_entry(wish, session->app);
    if (own_token || wish->protocol < 2)
        HC_SET(session->lease_id, wish->lease_id);
}

static void launch(struct turn *t, const struct body_launch *asked)
{
    struct body *body = t->body;
    struct session *old = session_of(body, asked->head);
    if (old != NULL)
        remove_session(t, old);                    /* its own old one, on its way out */
    const struct session *other = live_on(body, asked->slot, asked->head);
    const struct store_client *client = store_find(&body->trust, asked->client_uuid);
    bool busy = other != NULL;
    bool full = asked->slot >= body->slots || body->session_count == BODY_SESSIONS_MAX || (busy && !asked->joins_busy);
    if (body->up_at != 0 || client == NULL || full) {
        body_act_add(t, BODY_ACT_REFUSED, asked->head, asked->slot);
        return;
    }
    struct session *session = &body->sessions[body->session_count];
    *session = (struct session){ .head = asked->head, .slot = asked->slot, .since_ms = t->now_ms };
    HC_SET(session->client_uuid, asked->client_uuid);
    HC_SET(session->client_name, client->name);
    HC_SET(session->app, asked->app);
    (void)snprintf(session->launch_id, sizeof session->launch_id, "launch-%u-%u", body->boots, ++body->launches);
    lease_from_wish(body, session);
    enum admission admission = admission_of(body, session, busy);
    if (admission == ADMIT_REFUSE_SECOND || admission == ADMIT_REFUSE_OTHER) {
        note(t, admission == ADMIT_REFUSE_SECOND ? "second_launch_refused" : "unauthorized_launch", session);
        body_act_add(t, BODY_ACT_REFUSED, asked->head, asked->slot);
        return;
    }
    body->session_count++;
    if (admission == ADMIT_ASK) {
        session->phase = SESSION_ASKED;
        body_act_add(t, BODY_ACT_ADMIT, asked->head, asked->slot);
        return;
    }
    start(t, session, busy ? 1 : LAUNCH_MS);       /* a join needs no launch */
}

static void admitted(struct turn *t, size_t head, const char *lease_id)
{
    struct session *session = session_of(t->body, head);
    if (session == NULL || session->phase != SESSION_ASKED)
        return;
    if (lease_id != NULL && lease_id[0] == '\0') {
        note(t, "unauthorized_launch", session);
        body_act_add(t, BODY_ACT_REFUSED, head, session->slot);
        remove_session(t, session);
        return;
    }
    if (lease_id != NULL)
        HC_SET(session->lease_id, lease_id);
    start(t, session, LAUNCH_MS);
}

void body_end_all(struct turn *t)
{
    for (size_t i = 0; i < t->body->session_count; i++)
        end_session(t, &t->body->sessions[i], true);
}

/* ---- directives ---- */

static bool evicted(const struct body_wish *wish, const struct session *session)
{
    for (size_t i = 0; i < wish->evict_count; i++)
        if (strcmp(wish->evict[i], session->launch_id) == 0)
            return true;
    return false;
}

static void apply_wish(struct turn *t, const struct body_wish *wish)
{
    struct body *body = t->body;
    if (wish->index >= body->slots)
        return;
    if (wish->epoch < body->floor[wish->index]) {
        const struct session none = { .slot = wish->index };
        note(t, "epoch_below_floor", &none);
        return;
    }
    body->floor[wish->index] = wish->epoch;
    if (body->applied[wish->index] != wish->epoch) {
        body->applied[wish->index] = wish->epoch;
        body_changed(t);
    }
    for (size_t i = 0; i < body->session_count; i++) {
        struct session *session = &body->sessions[i];
        bool ends = wish->action == BODY_TERMINATE || evicted(wish, session);
        if (session->slot == wish->index && ends)
            end_session(t, session, true);
    }
}

static void apply(struct turn *t, const struct body_directive *directive)
{
    struct body *body = t->body;
    bool first = !body->has_directive;
    body->directive = *directive;
    body->has_directive = true;
    if (!body->modern) {
        if (directive->terminate_stream)
            body_end_all(t);
        return;
    }
    if (first)
        body_changed(t);                                /* the epochs are confirmed at once, also where they are still 0 */
    for (size_t i = 0; i < directive->wish_count; i++)
        apply_wish(t, &directive->wishes[i]);
    for (size_t i = 0; i < directive->remove_count; i++)
        if (store_remove(&body->trust, directive->remove[i]))
            body_changed(t);
}

static void poll(struct turn *t)
{
    struct body *body = t->body;
    body->poll_at = 0;
    if (!body->modern || body->up_at != 0 || body->desired_under_way || !body->has_directive)
        return;
    body->desired_under_way = true;
    body_act_add(t, BODY_ACT_POLL, 0, 0);
}

static void reported(struct turn *t, const struct body_directive *directive)
{
    struct body *body = t->body;
    body->report_under_way = false;
    if (!body_agent_runs(t))
        return;                                    /* the answer to an agent that is gone */
    bool heard = directive->status == 200;
    int64_t usual_ms = body_streams(body) ? REPORT_BUSY_MS : REPORT_IDLE_MS;
    if (body->modern && directive->next_report_ms > 0)
        usual_ms = directive->next_report_ms;
    body->report_at = t->now_ms + (heard ? usual_ms : REPORT_REPEAT_MS);
    if (!heard)
        return;
    apply(t, directive);
    if (!body->desired_under_way && body->poll_at == 0)
        poll(t);
}

static void desired(struct turn *t, const struct body_directive *directive)
{
    struct body *body = t->body;
    body->desired_under_way = false;
    if (!body_agent_runs(t))
        return;
    if (directive->status != 200) {
        body->poll_at = t->now_ms + POLL_REPEAT_MS;
        return;
    }
    apply(t, directive);
    poll(t);
}

/* ---- what befalls it ---- */

static void agent_starts(struct turn *t, int64_t in_ms)
{
    struct body *body = t->body;
    body->agent_since_ms = t->now_ms + in_ms;
    body->report_at = t->now_ms + in_ms;
    body->poll_at = 0;
    body->ops_at = t->now_ms + in_ms;
    body->agents++;
    body->has_directive = body->changed = false;
    body->directive = (struct body_directive){ 0 };
    body->note_count = 0;
    memset(body->applied, 0, sizeof body->applied);
}

static void reboot(struct turn *t, int64_t down_ms)
{
    struct body *body = t->body;
    for (size_t i = 0; i < body->session_count; i++)
        if (body->sessions[i].phase != SESSION_ENDS)
            body_act_add(t, body->sessions[i].phase == SESSION_STREAMS ? BODY_ACT_DARK : BODY_ACT_REFUSED, body->sessions[i].head,
                body->sessions[i].slot);
    body->session_count = 0;
    store_restart(&body->trust);
    body->boots++;
    body->report_seq = 0;
    agent_starts(t, down_ms);
    body->up_at = t->now_ms + (down_ms > 0 ? down_ms : 1);
}

static bool due(int64_t at_ms, int64_t now_ms)
{
    return at_ms != 0 && at_ms <= now_ms;
}

static void run_sessions(struct turn *t)
{
    struct body *body = t->body;
    for (size_t i = 0; i < body->session_count;) {
        struct session *session = &body->sessions[i];
        if (due(session->gone_at, t->now_ms))
            end_session(t, session, false);
        if (!due(session->phase_at, t->now_ms)) {
            i++;
            continue;
        }
        session->phase_at = 0;
        if (session->phase == SESSION_ENDS) {
            remove_session(t, session);
            continue;
        }
        session->phase = SESSION_STREAMS;
        body_act_add(t, BODY_ACT_PICTURE, session->head, session->slot);
        body_changed(t);
        i++;
    }
}

static void run_timers(struct turn *t)
{
    struct body *body = t->body;
    if (due(body->up_at, t->now_ms))
        body->up_at = 0;
    run_sessions(t);
    if (due(body->poll_at, t->now_ms))
        poll(t);
    if (due(body->ops_at, t->now_ms))
        body_ops_poll(t);
    if (due(body->report_at, t->now_ms))
        report(t);
}

static void close_session(struct turn *t, size_t head)
{
    struct session *session = session_of(t->body, head);
    if (session == NULL)
        return;
    if (session->phase == SESSION_ASKED)
        remove_session(t, session);
    else
        end_session(t, session, false);
}

/* Somebody who is paired has no need to be paired again; a host that is off answers nobody. */
static void handshake(struct turn *t, const struct body_launch *client)
{
    if (t->body->up_at == 0 && store_find(&t->body->trust, client->client_uuid) == NULL)
        store_handshake(&t->body->trust, client->client_uuid, client->client_name);
}

static void paired(struct turn *t, const struct body_launch *client)
{
    struct trust_store *trust = &t->body->trust;
    size_t before = trust->count;
    if (t->body->up_at == 0 && store_pair(trust, client->client_uuid, client->client_name) && trust->count != before)
        body_changed(t);
}

void body_step(struct body *body, const struct body_event *event, int64_t now_ms, struct body_acts *ret_acts)
{
    ret_acts->count = 0;
    struct turn t = { body, now_ms, ret_acts };
    struct session *session;
    switch (event->type) {
    case BODY_TIMER:         run_timers(&t); break;
    case BODY_REPORTED:      reported(&t, event->directive); break;
    case BODY_DESIRED:       desired(&t, event->directive); break;
    case BODY_ADMITTED:      admitted(&t, event->launch.head, event->admitted_lease); break;
    case BODY_LAUNCH:        launch(&t, &event->launch); break;
    case BODY_CLOSE:         close_session(&t, event->launch.head); break;
    case BODY_CLIENT_AWAY:
        session = session_of(body, event->launch.head);
        if (session != NULL && session->gone_at == 0)
            session->gone_at = now_ms + AWAY_MS;
        break;
    case BODY_REBOOT:        reboot(&t, event->down_ms); break;
    case BODY_AGENT_RESTART: agent_starts(&t, AGENT_START_MS); break;
    case BODY_APP_CRASH:     body_end_all(&t); break;
    case BODY_HANDSHAKE:     handshake(&t, &event->launch); break;
    case BODY_PAIRED:        paired(&t, &event->launch); break;
    case BODY_OPS_ANSWERED:  body_ops_answered(&t, event); break;
    case BODY_OP_TOLD:       body_op_told(&t, event); break;
    }
    if (body->changed && now_ms >= body->agent_since_ms)
        report(&t);
}

int64_t body_next(const struct body *body)
{
    int64_t next = body->up_at;
    const int64_t own[] = { body->report_at, body->poll_at, body->ops_at };
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (own[i] != 0 && (next == 0 || own[i] < next))
            next = own[i];
    for (size_t i = 0; i < body->session_count; i++) {
        const int64_t both[] = { body->sessions[i].phase_at, body->sessions[i].gone_at };
        for (size_t k = 0; k < 2; k++)
            if (both[k] != 0 && (next == 0 || both[k] < next))
                next = both[k];
    }
    return next;
}

void body_init(struct body *body, const char *id, bool modern, uint32_t slots, int64_t first_report_ms)
{
    assert(slots >= 1 && slots <= BODY_SLOTS_MAX);
    *body = (struct body){ .modern = modern, .slots = slots, .boots = 1, .report_at = first_report_ms };
    body->agent_since_ms = first_report_ms - UP_BEFORE_MS;
    body->ops_at = modern ? first_report_ms : 0;
    HC_SET(body->id, id);
}

void body_free(struct body *body)
{
    store_free(&body->trust);
}
