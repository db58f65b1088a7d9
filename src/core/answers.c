/* answers.c - copies of what a head may know, for the result: its lease and the body, its ticket, its stream. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "asking.h"

/* What one Sunshine listens on when it was told nothing. */
#define SUNSHINE_PORT     47989
#define SUNSHINE_TLS_PORT 47984
#define SUNSHINE_WEB_PORT 47990

static const struct session_obs *first_row(const struct body_obs *obs, uint32_t slot)
{
    for (size_t i = 0; obs != NULL && i < obs->session_count; i++)
        if (obs->sessions[i].index == slot)
            return &obs->sessions[i];
    return NULL;
}

/* Of the slot; the body's own stand for it only when it has one slot. */
static struct ports ports_of(const struct body_rec *body, const struct body_obs *obs, const struct session_obs *row)
{
    static const struct ports usual = { SUNSHINE_PORT, SUNSHINE_TLS_PORT, SUNSHINE_WEB_PORT };
    if (row != NULL && row->ports.gamestream != 0)
        return row->ports;
    if (body->slots_total != 1)
        return (struct ports){ 0 };
    return obs != NULL && obs->ports.gamestream != 0 ? obs->ports : usual;
}

/* Verify before you pair; but a client of its name in the body's list needs no handshake. */
static void fill_pair(const struct body_obs *obs, const char *head_id, struct body_facts *facts)
{
    bool known = obs != NULL && obs->client_count > 0, listed = false;
    for (size_t i = 0; known && i < obs->client_count && !listed; i++)
        listed = hc_same(client_head(obs->clients[i].name), head_id);
    facts->pair_required = !listed;
    HC_SET(facts->pair_reason, listed ? "cert_valid" : known ? "not_paired" : "unknown");
}

static bool epoch_applied(const struct body_obs *obs, uint32_t slot, uint64_t epoch)
{
    for (size_t i = 0; i < obs->session_count; i++)
        if (obs->sessions[i].index == slot && obs->sessions[i].has_applied_epoch && obs->sessions[i].applied_epoch >= epoch)
            return true;
    return false;
}

static void fill_app_name(const struct lease *lease, bool modern, struct body_facts *facts)
{
    bool token = modern && lease->protocol >= 2 && lease->app_token[0] != '\0';      /* §13.6: only a modern body publishes it */
    (void)snprintf(facts->app_name, sizeof facts->app_name, "%s%s%s", lease->experience, token ? "#" : "", token ? lease->app_token : "");
}

static void fill_body(const struct step *s, const struct body_rec *body, const struct slot *slot, const struct lease *lease,
                      struct body_facts *facts)
{
    const struct node_rec *node = body_node(s->live, body), *head = alloc_node(s->live, lease->head_id);
    const struct body_obs *obs = body_observed(s->obs, body);
    const struct session_obs *row = first_row(obs, slot->index);
    bool modern = obs != NULL && obs->modern;
    *facts = (struct body_facts){ .pair_epoch = body->pair_epoch };
    HC_SET(facts->id, body->rec.key);
    if (node != NULL) {
        HC_SET(facts->name, node->name);
        HC_SET(facts->ip, node->ip);
        HC_SET(facts->wireguard_ip, node->wireguard_ip);
        facts->same_machine = head != NULL && head->machine_id[0] != '\0' && hc_same(head->machine_id, node->machine_id);
    }
    facts->ports = ports_of(body, obs, row);
    /* a legacy body gets no directive */
    facts->directive_applied = obs != NULL && (!modern || epoch_applied(obs, slot->index, lease->grant_epoch));
    HC_SET(facts->sunshine_cert_fp, row != NULL && row->sunshine_cert_fp[0] != '\0' ? row->sunshine_cert_fp : body->sunshine_cert_fp);
    fill_app_name(lease, modern, facts);
    fill_pair(obs, lease->head_id, facts);
}

static int64_t remaining(hc_time end, hc_time now)
{
    if (!hc_time_set(end))
        return -1;
    return hc_time_before(now, end) ? hc_time_since(end, now) : 0;
}

enum hc_err answer_lease(struct step *s, enum core_answer answer, const char *lease_id, bool with_token)
{
    const struct body_rec *body;
    const struct slot *slot;
    const struct lease *lease = alloc_lease(s->live, lease_id, &body, &slot);
    struct core_result *out = s->out;
    assert(lease != NULL);
    struct lease_clock clock = lease_clock(s->obs, lease);
    bool pre_stream = lease_is_pre_stream(lease->state);
    out->answer = answer;
    out->has_lease = true;
    out->lease = *lease;
    out->lease.renewed_at = clock.renewed_at;
    out->lease.head_renewed_at = clock.head_renewed_at;
    out->lease.expires_at = clock.expires_at;
    out->epoch = slot->epoch;
    out->slot = slot->index;
    if (lease->mode == MODE_XR && !lease->uncollected)
        out->ttl_ms = remaining(hc_time_add(clock.head_renewed_at, s->t->xr_head_stale_ms), s->now);
    else
        out->ttl_ms = pre_stream ? remaining(clock.expires_at, s->now) : s->t->lease_ttl_ms;
    out->start_deadline_ms = pre_stream ? remaining(lease->start_deadline_at, s->now) : -1;
    out->claim_token[0] = '\0';
    if (with_token && !s->ev->dry_run) {
        claim_token(s->live->config, lease, out->claim_token);
        if (!token_fits(out->claim_token, lease->token_hash))
            out->claim_token[0] = '\0';      /* adopted from an ended lease: that one's token stays the valid one (§6.2.4) */
    }
    out->has_body = true;
    fill_body(s, body, slot, lease, &out->body);
    return alloc_stream(s->live, lease->stream_id) == NULL ? HC_OK : answer_stream(s, lease->stream_id);
}

enum hc_err answer_ticket(struct step *s, const char *head_id)
{
    struct core_view v = step_view(s);
    const struct ticket_rec *ticket = alloc_ticket(s->live, head_id);
    assert(ticket != NULL);
    query_ticket(&v, ticket, &s->out->ticket);
    s->out->has_ticket = true;
    s->out->wait = s->out->ticket.why;
    s->out->retry_after_ms = s->out->ticket.retry_after_ms;
    return answer_stream(s, ticket->stream_id);
}

enum hc_err answer_stream(struct step *s, const char *stream_id)
{
    struct core_view v = step_view(s);
    enum hc_err err = query_stream(&v, stream_id, &s->out->stream);
    if (err == HC_ERR_NOTFOUND)
        return HC_OK;                        /* nothing to show of it any more */
    s->out->has_stream = err == HC_OK;
    return err;
}

enum hc_err answer_lease_lost(struct step *s, const char *lease_id, const char *stream_id, enum lease_state state, enum lease_why why)
{
    bool by_state = state == LEASE_REVOKED || why == WHY_NONE;
    HC_SET(s->out->lost_why, by_state ? word_of(&lease_state_words, (int)state) : word_of(&lease_why_words, (int)why));
    HC_SET(s->out->lost_cause, word_of(&lease_why_words, (int)why));
    HC_SET(s->out->id, lease_id);
    HC_SET(s->out->stream.id, stream_id);
    return step_refuse(s, DENY_LEASE_LOST);
}
