#include "answer_event.h"

#include <stdio.h>
#include <string.h>

#include "hydra/codec/json.h"

#define PORT_HTTP     47989
#define PORT_HTTPS    47984
#define BUSY_AGAIN_MS 5000

static void set_sentence(struct head_event *ev, const struct claim_answer *answer, const char *otherwise)
{
    const char *text = answer != NULL && answer->detail != NULL ? answer->detail : otherwise;
    (void)snprintf(ev->sentence, sizeof ev->sentence, "%.*s", (int)sizeof ev->sentence - 1, text);     /* for people: cut is fine */
}

static void take_lease(const struct claim_answer *answer, bool via_wireguard, struct head_event *ev)
{
    const struct answer_lease *lease = &answer->lease;
    const struct answer_body *body = &answer->body;
    ev->type = HEV_GRANTED;
    HC_SET(ev->lease.id, lease->id);
    HC_SET(ev->lease.stream_id, lease->stream_id);
    HC_SET(ev->lease.claim_token, lease->claim_token);
    ev->lease.slot = lease->slot;
    ev->lease.ttl_ms = lease->ttl_ms;
    ev->lease.renew_after_ms = lease->renew_after_ms;
    ev->lease.start_deadline_ms = lease->start_deadline_ms > 0 ? lease->start_deadline_ms : lease->ttl_ms;
    HC_SET(ev->body.id, body->id);
    HC_SET(ev->body.name, body->name);
    HC_SET(ev->body.app_name, body->app_name);
    HC_SET(ev->body.cert_fp, body->sunshine_cert_fp);
    HC_SET(ev->body.lan, body->hosts.lan);
    HC_SET(ev->body.wireguard, body->hosts.wireguard);
    HC_SET(ev->body.address, body->hosts.same_machine ? "127.0.0.1" : via_wireguard && body->hosts.wireguard[0] != '\0'
        ? body->hosts.wireguard : body->hosts.lan[0] != '\0' ? body->hosts.lan : body->hosts.wireguard);
    ev->body.same_machine = body->hosts.same_machine;
    ev->body.directive_applied = body->directive_applied;
    ev->body.pair_required = answer->pair.required;
    ev->body.http_port = (uint16_t)(body->ports.gamestream == 0 ? PORT_HTTP : body->ports.gamestream);
    ev->body.https_port = (uint16_t)(body->ports.gamestream_tls == 0 ? PORT_HTTPS : body->ports.gamestream_tls);
}

static void take_ticket(const struct claim_answer *answer, struct head_event *ev)
{
    const struct answer_ticket *ticket = &answer->ticket;
    ev->type = HEV_WAITING;
    ev->ticket = (struct head_ticket){ .position = ticket->position, .eta_ms = answer_ticket_has_eta(ticket) ? ticket->eta_ms : -1,
                                       .retry_after_ms = answer->retry_after_ms,
                                       .confirm_required = strcmp(ticket->state, "confirm_required") == 0 };
    HC_SET(ev->ticket.reason, ticket->reason);
    HC_SET(ev->ticket.stream_id, ticket->stream_id);
}

/* Rows of wire §3: what a refusal means for the next step. A status without its row: say so to the visitor. */
static const struct { long status; const char *error; enum head_refusal refusal; } refusals[] = {
    { 409, "head_busy", REFUSE_BUSY },           { 409, "attempt_reused", REFUSE_ATTEMPT },
    { 409, "identity_unknown", REFUSE_IDENTITY }, { 409, "pair_contention", REFUSE_LATER },
    { 410, NULL, REFUSE_ATTEMPT },               { 404, "not_found", REFUSE_ATTEMPT },
    { 409, "nothing_to_accept", REFUSE_ATTEMPT }, { 429, NULL, REFUSE_LATER },
    { 503, NULL, REFUSE_LATER },                 { 403, "not_your_stream", REFUSE_STREAM },
};

static void take_refusal(long status, const struct claim_answer *answer, struct head_event *ev)
{
    ev->type = HEV_REFUSED;
    ev->refusal = REFUSE_FOREVER;
    ev->retry_after_ms = answer->retry_after_ms;
    set_sentence(ev, answer, answer->error);
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
        if (refusals[i].status == status && (refusals[i].error == NULL || strcmp(refusals[i].error, answer->error) == 0)) {
            ev->refusal = refusals[i].refusal;
            break;
        }
    if (ev->refusal == REFUSE_BUSY && ev->retry_after_ms == 0)
        ev->retry_after_ms = BUSY_AGAIN_MS;
}

static void take_renewal(long status, const struct claim_answer *answer, struct head_event *ev)
{
    ev->type = status == 200 ? HEV_RENEWED : status == 410 ? HEV_LOST : HEV_RENEW_FAILED;
    if (status == 200) {
        HC_SET(ev->lease.id, answer->lease_id);
        ev->lease.ttl_ms = answer->ttl_ms;
    }
    ev->ordered = status == 410 && (strcmp(answer->reason, "revoked") == 0 || strcmp(answer->reason, "superseded") == 0);
    set_sentence(ev, answer, answer->reason);
}

static void no_answer(enum head_question question, struct head_event *ev)
{
    static const enum head_event_type types[] = {
        [ASK_CLAIM] = HEV_NO_ANSWER, [ASK_ADMISSION] = HEV_NO_ANSWER, [ASK_ACCEPT] = HEV_NO_ANSWER, [ASK_RENEW] = HEV_RENEW_FAILED,
        [ASK_REGISTER] = HEV_IDENTITY_FAILED, [ASK_RELEASE] = HEV_RELEASED,
    };
    ev->type = types[question];
    set_sentence(ev, NULL, "the cluster does not answer");
}

void answer_event(enum head_question question, long status, const char *body, size_t len, bool via_wireguard, struct head_event *ret_event)
{
    *ret_event = (struct head_event){ 0 };
    struct hc_arena arena = { 0 };
    struct claim_answer answer;
    struct json_refusal refusal;
    bool ok = status >= 200 && status < 600 && json_read(&claim_answer_table, body, len, true, &arena, &answer, &refusal) == HC_OK;
    /* An error without its word is not the cluster's; nor is a server's 5xx but the two it uses. */
    if (ok && status >= 400 && answer.error[0] == '\0')
        ok = false;
    if (ok && answer.has_lease && answer.lease.id[0] == '\0')
        ok = false;                         /* a lease that can be neither renewed nor given back is none */
    if (!ok || status == 500 || status == 502 || status == 504)
        no_answer(question, ret_event);
    else if (question == ASK_RELEASE)
        ret_event->type = HEV_RELEASED;
    else if (question == ASK_REGISTER)
        ret_event->type = status < 300 ? HEV_IDENTITY_OK : HEV_IDENTITY_FAILED;
    else if (question == ASK_RENEW)
        take_renewal(status, &answer, ret_event);
    else if (status >= 400)
        take_refusal(status, &answer, ret_event);
    else if (answer.has_lease && answer.has_body)
        take_lease(&answer, via_wireguard, ret_event);
    else if (answer.has_ticket)
        take_ticket(&answer, ret_event);
    else if (question == ASK_ADMISSION)
        /* neither: it is not in the line any more */
        *ret_event = (struct head_event){ .type = HEV_REFUSED, .refusal = REFUSE_ATTEMPT };
    else
        no_answer(question, ret_event);
    if (ret_event->type == HEV_IDENTITY_FAILED && ok)
        set_sentence(ret_event, &answer, answer.error);
    hc_arena_free(&arena);
}
