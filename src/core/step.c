/* step.c - one event: clocks of the bodies concerned, its handler, reconcile of what it touched; whole or not at all. */
#include "hydra/core/step.h"

#include <assert.h>
#include <string.h>

#include "core.h"

#define RECONCILE_PASSES 8      /* a body that its own reconcile touches again converges in two or three */
#define HEAD_LEASES_MAX  64
#define NOWHERE          SIZE_MAX

/* Where an event names the body, head and lease whose clocks run first. */
struct event_row { const char *name; step_handler *handler; size_t body, head, lease; };
#define AT(member) offsetof(struct core_event, u.member)
static const struct event_row event_rows[CORE_EVENT_TYPES] = {
    [CORE_START]             = { "start",             on_start,             NOWHERE, NOWHERE, NOWHERE },
    [CORE_OUTAGE_OVER]       = { "outage_over",       on_outage_over,       NOWHERE, NOWHERE, NOWHERE },
    [CORE_TICK]              = { "tick",              on_tick,              NOWHERE, NOWHERE, NOWHERE },      /* walks all bodies itself */
    [CORE_HISTORY_WRITTEN]   = { "history_written",   on_history_written,   NOWHERE, NOWHERE, NOWHERE },
    [CORE_STOP]              = { "stop",              on_stop,              NOWHERE, NOWHERE, NOWHERE },
    [CORE_SEEN]              = { "seen",              on_seen,              NOWHERE, NOWHERE, NOWHERE },
    [CORE_BODY_REPORT]       = { "body_report",       on_body_report,       AT(report.body_id), NOWHERE, NOWHERE },
    [CORE_HEARTBEAT]         = { "heartbeat",         on_heartbeat,         NOWHERE, AT(heartbeat.head_id), NOWHERE },
    [CORE_READ]              = { "read",              on_read,              NOWHERE, AT(read.head_id), NOWHERE },
    [CORE_CONFIG_FETCH]      = { "config_fetch",      on_config_fetch,      NOWHERE, AT(fetch.head_id), NOWHERE },
    [CORE_CLAIM]             = { "claim",             on_claim,             NOWHERE, AT(claim.head_id), NOWHERE },
    [CORE_RENEW]             = { "renew",             on_renew,             NOWHERE, AT(renew.head_id), AT(renew.lease_id) },
    [CORE_RELEASE]           = { "release",           on_release,           NOWHERE, AT(release.head_id), AT(release.lease_id) },
    [CORE_STREAM_STOP]       = { "stream_stop",       on_stream_stop,       NOWHERE, AT(stream_stop.head_id), NOWHERE },
    [CORE_STREAM_END]        = { "stream_end",        on_stream_end,        NOWHERE, AT(stream_end.head_id), NOWHERE },
    [CORE_ADMISSION]         = { "admission",         on_admission,         NOWHERE, AT(admission.head_id), NOWHERE },
    [CORE_ACCEPT]            = { "accept",            on_accept,            NOWHERE, AT(accept.head_id), NOWHERE },
    [CORE_ANSWER_LOST]       = { "answer_lost",       on_answer_lost,       NOWHERE, AT(answer_lost.head_id), NOWHERE },
    [CORE_ADMIT_OBSERVED]    = { "admit_observed",    on_admit_observed,    AT(admit.body_id), NOWHERE, NOWHERE },
    [CORE_LEASE_END]         = { "lease_end",         on_lease_end,         NOWHERE, NOWHERE, AT(lease_end.lease_id) },
    [CORE_XR_START]          = { "xr_start",          on_xr_start,          AT(xr_start.body_id), AT(xr_start.head_id), NOWHERE },
    [CORE_XR_POLL]           = { "xr_poll",           on_xr_poll,           NOWHERE, AT(xr.head_id), NOWHERE },
    [CORE_XR_END]            = { "xr_end",            on_xr_end,            NOWHERE, AT(xr.head_id), NOWHERE },
    [CORE_NODE_ENROL]        = { "node_enrol",        on_node_enrol,        NOWHERE, NOWHERE, NOWHERE },
    [CORE_NODE_UPDATE]       = { "node_update",       on_node_update,       AT(node_update.node_id), AT(node_update.node_id), NOWHERE },
    [CORE_NODE_DELETE]       = { "node_delete",       on_node_delete,       AT(node_delete.node_id), AT(node_delete.node_id), NOWHERE },
    [CORE_NODE_TOKEN]        = { "node_token",        on_node_token,        NOWHERE, NOWHERE, NOWHERE },
    [CORE_NODE_BEAT]         = { "node_beat",         on_node_beat,         NOWHERE, NOWHERE, NOWHERE },
    [CORE_HEAD_UPDATE]       = { "head_update",       on_head_update,       NOWHERE, NOWHERE, NOWHERE },
    [CORE_WIREGUARD_PUT]     = { "wireguard_put",     on_wireguard_put,     NOWHERE, NOWHERE, NOWHERE },
    [CORE_SLOTS_PUT]         = { "slots_put",         on_slots_put,         AT(slots.body_id), NOWHERE, NOWHERE },
    [CORE_DRAIN]             = { "drain",             on_drain,             AT(drain.body_id), NOWHERE, NOWHERE },
    [CORE_UNDRAIN]           = { "undrain",           on_undrain,           AT(body.body_id), NOWHERE, NOWHERE },
    [CORE_CIRCUIT_RESET]     = { "circuit_reset",     on_circuit_reset,     AT(body.body_id), NOWHERE, NOWHERE },
    [CORE_SAFE_MODE_END]     = { "safe_mode_end",     on_safe_mode_end,     NOWHERE, NOWHERE, NOWHERE },
    [CORE_VENUE_PUT]         = { "venue_put",         on_venue_put,         NOWHERE, NOWHERE, NOWHERE },
    [CORE_VENUE_DELETE]      = { "venue_delete",      on_venue_delete,      NOWHERE, NOWHERE, NOWHERE },
    [CORE_ORG_PUT]           = { "org_put",           on_org_put,           NOWHERE, NOWHERE, NOWHERE },
    [CORE_ORG_DELETE]        = { "org_delete",        on_org_delete,        NOWHERE, NOWHERE, NOWHERE },
    [CORE_EXPERIENCE_PUT]    = { "experience_put",    on_experience_put,    NOWHERE, NOWHERE, NOWHERE },
    [CORE_EXPERIENCE_DELETE] = { "experience_delete", on_experience_delete, NOWHERE, NOWHERE, NOWHERE },
    [CORE_OP_ASK]            = { "op_ask",            on_op_ask,            AT(op_ask.node_id), NOWHERE, NOWHERE },
    [CORE_OP_NEXT]           = { "op_next",           on_op_next,           NOWHERE, NOWHERE, NOWHERE },
    [CORE_OP_RESULT]         = { "op_result",         on_op_result,         NOWHERE, NOWHERE, NOWHERE },
    [CORE_PAIR_LEASE]        = { "pair_lease",        on_pair_lease,        AT(pair.body_id), AT(pair.head_id), NOWHERE },
    [CORE_PAIR_RELEASE]      = { "pair_release",      on_pair_release,      NOWHERE, NOWHERE, NOWHERE },
    [CORE_IDENTITY_PUT]      = { "identity_put",      on_identity_put,      NOWHERE, AT(identity.head_id), NOWHERE },
    [CORE_IDENTITY_REVOKE]   = { "identity_revoke",   on_identity_revoke,   NOWHERE, AT(identity_revoke.head_id), NOWHERE },
    [CORE_LATCH_CLEAR]       = { "latch_clear",       on_latch_clear,       NOWHERE, NOWHERE, NOWHERE },
};
#undef AT

const char *core_event_name(enum core_event_type type)
{
    assert((size_t)type < CORE_EVENT_TYPES);
    return event_rows[type].name;
}

/* The text at that member; "" when the event has none. */
static const char *event_text(const struct core_event *ev, size_t offset)
{
    const char *text = NULL;
    if (offset != NOWHERE)
        memcpy(&text, (const char *)ev + offset, sizeof text);
    return text == NULL ? "" : text;
}

static enum hc_err clock_if_known(struct step *s, const char *body_id)
{
    return alloc_body(s->live, body_id) == NULL ? HC_OK : clocks_body(s, body_id);
}

static enum hc_err run_clocks(struct step *s, const struct event_row *row)
{
    enum hc_err err = clock_if_known(s, event_text(s->ev, row->body));
    const char *lease_body = alloc_lease_body(s->live, event_text(s->ev, row->lease));
    char bodies[HEAD_LEASES_MAX + 1][HC_ID_SIZE];
    size_t count = 0;
    if (lease_body != NULL)
        HC_SET(bodies[count++], lease_body);
    const char *leases[HEAD_LEASES_MAX];
    size_t lease_count = alloc_head_leases(s->live, event_text(s->ev, row->head), leases, HEAD_LEASES_MAX);
    for (size_t i = 0; i < lease_count; i++) {
        const char *body_id = alloc_lease_body(s->live, leases[i]);
        assert(body_id != NULL);
        HC_SET(bodies[count++], body_id);          /* copies: clocks edit the records that these ids stand in */
    }
    for (size_t i = 0; i < count && err == HC_OK; i++)
        err = clock_if_known(s, bodies[i]);
    return err;
}

static enum hc_err reconcile_touched(struct step *s)
{
    char (*pass)[HC_ID_SIZE] = s->touched;
    size_t count = s->touched_count;
    s->touched = NULL;
    s->touched_count = s->touched_size = 0;
    enum hc_err err = HC_OK;
    for (size_t i = 0; i < count && err == HC_OK; i++)
        if (alloc_body(s->live, pass[i]) != NULL)
            err = reconcile_body(s, pass[i]);
    hc_free(pass);
    return err;
}

static bool district_waits(const struct alloc *live, const char *district)
{
    for (size_t i = 0; i < alloc_count(live, REC_TICKET); i++) {
        const struct ticket_rec *ticket = (const struct ticket_rec *)alloc_at(live, REC_TICKET, i);
        if (district[0] == '\0' || hc_same(ticket->district, district))
            return true;
    }
    return false;
}

static enum hc_err serve_district(struct step *s)
{
    char district[HC_NAME_SIZE];
    HC_SET(district, s->queue_district);
    s->queue_changed = false;
    enum hc_err err = HC_OK;
    if (!district_waits(s->live, district))
        return HC_OK;
    for (size_t i = 0; i < alloc_count(s->live, REC_BODY) && err == HC_OK; i++) {
        char body_id[HC_ID_SIZE];
        HC_SET(body_id, alloc_at(s->live, REC_BODY, i)->key);
        const struct node_rec *node = alloc_node(s->live, body_id);
        if (node != NULL && (district[0] == '\0' || hc_same(node->district, district)))
            err = queue_serve_body(s, body_id);
    }
    return err;
}

static enum hc_err reconcile_all(struct step *s)
{
    enum hc_err err = HC_OK;
    for (unsigned pass = 0; pass < RECONCILE_PASSES && err == HC_OK && (s->touched_count > 0 || s->queue_changed); pass++) {
        err = reconcile_touched(s);
        if (err == HC_OK && s->queue_changed)
            err = serve_district(s);
    }
    return err;
}

static enum hc_err run(struct step *s)
{
    const struct event_row *row = &event_rows[s->ev->type];
    enum hc_err err = s->ev->caller.kind == CALLER_NODE ? node_seen(s, s->ev->caller.node_id) : HC_OK;
    if (err == HC_OK && s->ev->store_ok)
        err = run_clocks(s, row);
    if (err == HC_OK)
        err = row->handler(s);
    /* A dry run has its answer now; without a store nothing may be granted or ended (§3.5). */
    if (err == HC_OK && s->ev->store_ok && !s->ev->dry_run)
        err = reconcile_all(s);
    if (err == HC_OK && s->ev->store_ok && !s->ev->dry_run && s->rights_changed)
        err = pins_judge(s);
    return err;
}

enum hc_err core_step(struct alloc *live, struct observed *obs, const struct core_event *ev, struct core_result *result)
{
    assert((size_t)ev->type < CORE_EVENT_TYPES);
    memset(result, 0, sizeof *result);
    struct step s = { .live = live, .obs = obs, .ev = ev, .out = result, .now = ev->now, .t = &live->config->timers };
    alloc_begin_step(live);
    enum hc_err err = run(&s);
    if (err == HC_OK && !ev->dry_run)
        err = alloc_end_step(live, &result->dirty);
    if (err != HC_OK || ev->dry_run) {
        alloc_undo_step(live);
        result->note_count = 0;           /* nothing happened: nobody is told */
    }
    hc_free(s.touched);
    return err;
}

void core_result_free(struct core_result *result)
{
    hc_arena_free(&result->arena);
    hc_free(result->notes);
    memset(result, 0, sizeof *result);
}

struct core_view step_view(const struct step *s)
{
    return (struct core_view){ .saved = s->live, .obs = s->obs, .now = s->now };
}
