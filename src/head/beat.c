/* beat.c - what goes on by itself: the heartbeat, the registration of this device, the experiences, and the visit of a former life. */
#include "agent.h"

#include <string.h>

#include "hydra/base/log.h"
#include "hydra/codec/json.h"
#include "hydra/os/clock.h"

#include "attempt_file.h"

#define BEAT_EVERY_MS     30000         /* what shipping heads do; the rules' clocks are made for it */
#define BEAT_AGAIN_MS     5000          /* while nobody answers */
#define BEAT_LEAST_MS     500           /* changes that follow each other at once are told together */
#define REGISTER_EVERY_MS 60000
#define OFFERS_EVERY_MS   60000
#define OFFERS_AGAIN_MS   5000          /* while none are known */
#define RECOVER_EVERY_MS  2000
#define OFFERS_MAX        1024
#define STATUS_OK(status) ((status) >= 200 && (status) < 300)

/* ---- heartbeat ---- */

static struct beat_facts facts_of(const struct head_state *head)
{
    struct beat_facts facts = { 0 };
    HC_SET(facts.status, head_status_word(head));
    HC_SET(facts.lease_state, head_lease_word(head));
    HC_SET(facts.lease_id, head->has_lease ? head->lease.id : "");
    HC_SET(facts.body_id, head->has_lease ? head->body.id : "");
    HC_SET(facts.stream_id, head->stream_id);
    return facts;
}

static bool changed(const struct agent *a)
{
    const struct beat_facts now = facts_of(&a->head), *told = &a->beaten;
    return !hc_same(now.status, told->status) || !hc_same(now.lease_state, told->lease_state) || !hc_same(now.lease_id, told->lease_id) ||
           !hc_same(now.body_id, told->body_id) || !hc_same(now.stream_id, told->stream_id);
}

static void write_diagnostics(const struct agent *a, struct hc_buf *out)
{
    hc_buf_str(out, "{\"agent\":\"hydrahead\",\"phase\":");
    hc_buf_json_str(out, head_phase_word(a->head.phase));
    hc_buf_str(out, ",\"message\":");
    hc_buf_json_str(out, hc_utf8_ok(a->head.message, strlen(a->head.message)) ? a->head.message : "");
    hc_buf_str(out, ",\"host\":");
    hc_buf_json_str(out, a->host_verdict);
    hc_buf_str(out, ",\"network\":");
    hc_buf_json_str(out, a->config->network == NETWORK_WIREGUARD ? "wireguard" : "lan");
    hc_buf_char(out, '}');
}

static void beat(struct agent *a, int64_t now_ms)
{
    struct ask *ask = ask_new(DO_BEAT, &a->reach, &a->head, a->identity);
    if (ask != NULL)
        write_diagnostics(a, &ask->diagnostics);
    a->beat_at_ms = now_ms + BEAT_EVERY_MS;
    a->beat_least_ms = now_ms + BEAT_LEAST_MS;
    a->beaten = facts_of(&a->head);
    a->beating = agent_ask(a, ask);
}

static void note_cluster(struct agent *a, long status)
{
    bool online = STATUS_OK(status);
    if (online != a->online || (status != a->beat_status && !online))
        hc_log(online ? HC_LOG_NOTICE : HC_LOG_WARNING, online ? "cluster_answers" : "cluster_unreachable", "status=%ld detail=%s", status,
               hc_logq(online ? "" : status == 401 ? "the token is not known there: enrol this head again" : status == 403
                       ? "this head is not approved, or the token is another head's: see node_id and token_file"
                       : status == 0 ? "no answer: see server_url and the network" : "an unexpected answer"));
    a->online = online;
    a->beat_status = status;
    if (!online && a->beat_at_ms > os_monotonic_ms() + BEAT_AGAIN_MS)
        a->beat_at_ms = os_monotonic_ms() + BEAT_AGAIN_MS;
}

/* The heartbeat says whether the cluster takes us; any other question only that nobody answered, or that somebody does again. */
void agent_beat_heard(struct agent *a, const struct ask *ask)
{
    if (atomic_load(&ask->job.stop))
        return;                             /* given up by ourselves */
    if (ask->kind == DO_BEAT || ask->status == 0)
        note_cluster(a, ask->status);
    else if (!a->online && !a->beating)
        a->beat_at_ms = a->beat_least_ms;
}

/* ---- who this device is ---- */

static void register_device(struct agent *a)
{
    a->register_at_ms = os_monotonic_ms() + REGISTER_EVERY_MS;
    a->registering = agent_ask(a, ask_new(DO_REGISTER, &a->reach, &a->head, a->identity));
}

static void register_answered(struct agent *a, const struct ask *ask)
{
    bool was = a->registered;
    a->registering = false;
    a->registered = ask->event.type == HEV_IDENTITY_OK;
    a->register_at_ms = a->registered ? INT64_MAX : os_monotonic_ms() + REGISTER_EVERY_MS;
    if (a->registered && !was)
        hc_log(HC_LOG_INFO, "identity_registered", "device_uid=%s fingerprint=%.16s", a->identity->identity.device_uid,
               a->identity->identity.fingerprint);
    else if (!a->registered)
        hc_log(HC_LOG_WARNING, "identity_not_registered", "status=%ld detail=%s", ask->status,
               hc_logq(ask->event.sentence[0] != '\0' ? ask->event.sentence : ask->why.text));
}

/* ---- experiences ---- */

struct offer { char name[HC_NAME_SIZE]; const char *label; };
struct offers { struct codec_list list; };
static const struct codec_field offer_rows[] = {
    { .key = "name", .type = CODEC_NAME, .offset = offsetof(struct offer, name), .flags = CODEC_REQUIRED },
    { .key = "label", .type = CODEC_TEXT, .offset = offsetof(struct offer, label), .limit = 512 },
};
static const struct codec_table offer_table = CODEC_TABLE("experience", offer_rows, struct offer, CODEC_NO_PRESENT);
static const struct codec_field offers_rows[] = {
    { .key = "list", .type = CODEC_LIST, .offset = offsetof(struct offers, list), .limit = OFFERS_MAX, .sub = &offer_table },
};
static const struct codec_table offers_table = CODEC_TABLE("experiences", offers_rows, struct offers, CODEC_NO_PRESENT);

/* The cluster's bare array as the kiosk's: name and label alone. */
static void take_offers(struct agent *a, const struct hc_buf *text)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf whole = { 0 };
    struct hc_arena arena = { 0 };
    struct offers offers;
    struct json_refusal refusal;
    hc_buf_str(&whole, "{\"list\":");
    hc_buf_add(&whole, text->data, text->len);
    hc_buf_char(&whole, '}');
    if (!whole.failed && json_read(&offers_table, whole.data, whole.len, false, &arena, &offers, &refusal) == HC_OK) {
        hc_buf_clear(&a->offers);
        json_write_array(&offer_table, offers.list.items, offers.list.count, &a->offers);
        a->offers_at_ms = os_monotonic_ms() + OFFERS_EVERY_MS;
    }
    hc_arena_free(&arena);
}

/* ---- the visit of a former life ---- */

static void recovered(struct agent *a, enum recovery recovery)
{
    struct hc_diag diag = { "" };
    a->recovering_asked = false;
    if (recovery == RECOVER_AGAIN) {
        a->recover_at_ms = os_monotonic_ms() + RECOVER_EVERY_MS;
        return;
    }
    a->recovery = AGENT_RECOVERED;
    hc_log(HC_LOG_NOTICE, "former_visit", "outcome=%s attempt=%s stream=%s", recovery == RECOVER_RESUME ? "goes_on" : "is_over",
           hc_logq(a->head.attempt_id), hc_logq(a->head.stream_id));
    if (recovery == RECOVER_RESUME) {
        struct head_event ev = { .type = HEV_START };
        HC_SET(ev.experience, a->head.experience);
        bool leaves = a->unwanted || a->stopping || (a->wish[0] != '\0' && !hc_same(a->wish, a->head.experience));
        agent_give(a, &ev);
        if (leaves)                         /* what the claim finds is given back */
            agent_give(a, &(struct head_event){ .type = HEV_STOP });
        else
            a->wish[0] = '\0';
        return;
    }
    head_init(&a->head, a->config->accept == ACCEPT_AUTO);
    if (attempt_save(a->reach.state_fd, &a->head, &diag) != HC_OK)
        hc_log(HC_LOG_WARNING, "attempt_not_removed", "detail=%s", hc_logq(diag.text));
    a->saved = (struct attempt_saved){ 0 };
}

/* ---- turns ---- */

void agent_beat_answer(struct agent *a, struct ask *ask)
{
    switch (ask->kind) {
    case DO_BEAT:
        a->beating = false;
        break;
    case DO_REGISTER:
        register_answered(a, ask);
        break;
    case DO_OFFERS:
        a->offers_asked = false;
        a->offers_at_ms = os_monotonic_ms() + (a->offers.len > 0 ? OFFERS_EVERY_MS : OFFERS_AGAIN_MS);
        if (ask->text.len > 0)
            take_offers(a, &ask->text);
        break;
    case DO_RECOVER:
        recovered(a, ask->recovery);
        break;
    default:
        break;
    }
}

static bool wants_beat(const struct agent *a, int64_t now_ms)
{
    return !a->beating && (now_ms >= a->beat_at_ms || (changed(a) && now_ms >= a->beat_least_ms));
}

void agent_beat_turn(struct agent *a, int64_t now_ms)
{
    /* Without memory for the question it is due again after a while, not in the next turn. */
    if (a->recovery == AGENT_RECOVERING && !a->recovering_asked && now_ms >= a->recover_at_ms) {
        a->recovering_asked = agent_ask(a, ask_new(DO_RECOVER, &a->reach, &a->head, a->identity));
        a->recover_at_ms = a->recovering_asked ? a->recover_at_ms : now_ms + RECOVER_EVERY_MS;
    }
    if (wants_beat(a, now_ms))
        beat(a, now_ms);
    if (!a->registered && !a->registering && now_ms >= a->register_at_ms)
        register_device(a);
    if (!a->offers_asked && now_ms >= a->offers_at_ms) {
        a->offers_at_ms = now_ms + OFFERS_AGAIN_MS;
        a->offers_asked = agent_ask(a, ask_new(DO_OFFERS, &a->reach, &a->head, a->identity));
    }
}

int64_t agent_beat_due(const struct agent *a)
{
    int64_t due = a->beating ? INT64_MAX : changed(a) ? a->beat_least_ms : a->beat_at_ms;
    if (!a->offers_asked && a->offers_at_ms < due)
        due = a->offers_at_ms;
    if (!a->registered && !a->registering && a->register_at_ms < due)
        due = a->register_at_ms;
    if (a->recovery == AGENT_RECOVERING && !a->recovering_asked && a->recover_at_ms < due)
        due = a->recover_at_ms;
    return due;
}
