/* fixture_fleet.c - nodes, reports, reads and claims for the tests. */
#include "fixture.h"

#include <stdio.h>
#include <string.h>

static void enrol(struct rig *r, const char *role, const char *name, const char *venue, char ret_id[HC_ID_SIZE],
                  char ret_token[RIG_TOKEN_SIZE])
{
    char body[512];
    struct reply reply;
    (void)snprintf(body, sizeof body,
                   "{\"name\":\"%s\",\"roles\":[\"%s\"],\"district\":\"%s\",\"venue\":\"%s\",\"owner\":\"%s\",\"ip\":\"192.168.1.40\"}",
                   name, role, RIG_DISTRICT, venue, RIG_OWNER);
    rig_ask(r, "POST", "/api/v1/nodes", RIG_ADMIN, body, &reply);
    if (reply.status != 201)
        fail_msg("enrolment: %d %s", reply.status, reply.body);
    hc_copy(ret_id, HC_ID_SIZE, reply_text(&reply, "node_id"));
    hc_copy(ret_token, RIG_TOKEN_SIZE, reply_text(&reply, "token"));
    reply_free(&reply);
}

void rig_body(struct rig *r, const char *name, const char *venue, char ret_id[HC_ID_SIZE], char ret_token[RIG_TOKEN_SIZE])
{
    enrol(r, "body", name, venue, ret_id, ret_token);
}

void rig_head(struct rig *r, const char *name, const char *venue, char ret_id[HC_ID_SIZE], char ret_token[RIG_TOKEN_SIZE])
{
    enrol(r, "head", name, venue, ret_id, ret_token);
}

/* ---- events straight to the core ---- */

struct told { bool done; enum engine_outcome outcome; enum hc_err err; enum deny_reason deny; };

static void on_told(void *ctx, enum engine_outcome outcome, enum hc_err err, struct core_result *result)
{
    *(struct told *)ctx = (struct told){ true, outcome, err, result == NULL ? DENY_NONE : result->deny };
}

static bool is_told(void *arg)
{
    return ((const struct told *)arg)->done;
}

void rig_event(struct rig *r, struct core_event *ev)
{
    struct told told = { .done = false };
    struct engine_op op = { .ev = *ev, .done = on_told, .ctx = &told };
    engine_submit(r->engine, &op);
    rig_until(r, is_told, &told);
    if (told.outcome != ENGINE_DURABLE || told.deny != DENY_NONE)
        fail_msg("%s: outcome %d, %s, %s", core_event_name(ev->type), (int)told.outcome, hc_err_text(told.err),
                 word_of(&deny_words, (int)told.deny));
}

void rig_report_session(struct rig *r, const char *body_id, enum session_state state, const char *lease_id)
{
    static const char *const experiences[] = { RIG_EXPERIENCE };
    struct session_obs sessions[BODY_SLOTS_MAX];
    size_t count = 0;
    memset(sessions, 0, sizeof sessions);
    const struct body_rec *body = (const struct body_rec *)engine_get(r->engine, REC_BODY, body_id);
    assert_non_null(body);
    for (size_t i = 0; i < body->slot_count && i < body->slots_total; i++) {
        struct session_obs *row = &sessions[count++];
        row->index = (uint32_t)i;
        row->state = i == 0 ? state : SESSION_IDLE;
        row->has_applied_epoch = true;
        row->applied_epoch = body->slots[i].epoch;
        row->since_ms = -1;
        row->ports = (struct ports){ 47989, 47984, 47990 };
        if (i == 0 && lease_id[0] != '\0') {
            HC_SET(row->lease_id, lease_id);
            HC_SET(row->launch_id, "launch-1");
        }
    }
    engine_release(r->engine, &body->rec);
    struct core_event ev = { .type = CORE_BODY_REPORT, .caller.kind = CALLER_NODE };
    HC_SET(ev.caller.node_id, body_id);
    ev.u.report = (struct report_req){
        .body_id = body_id, .modern = true, .boot_id = "boot-1", .report_seq = ++r->report_seq, .uptime_ms = HC_HOUR_MS, .xr_state = "",
        .has_experiences = true, .experiences = experiences, .experience_count = 1, .gpu = "", .provider_status = "",
        .provider_version = "",
        .hydrabody_version = "1.0", .gpu_memory_total_mb = 16000, .sessions = sessions, .session_count = count, .sunshine_cert_fp = "",
        .paired_digest = "",
    };
    rig_event(r, &ev);
}

void rig_report(struct rig *r, const char *body_id)
{
    rig_report_session(r, body_id, SESSION_IDLE, "");
}

void rig_read(struct rig *r, const char *head_token, struct reply *ret)
{
    rig_ask(r, "GET", "/api/v1/bodies/eligible?experience=" RIG_EXPERIENCE, head_token, NULL, ret);
    if (ret->status != 200)
        fail_msg("claiming read: %d %s", ret->status, ret->body);
}

void rig_claim(struct rig *r, const char *head_id, const char *head_token, const char *attempt_id, int status, struct reply *ret)
{
    char path[160], body[256];
    (void)snprintf(path, sizeof path, "/api/v1/heads/%s/slot-claims", head_id);
    (void)snprintf(body, sizeof body,
                   "{\"attempt_id\":\"%s\",\"experience\":\"%s\",\"device_uid\":\"0123456789abcdef\",\"protocol_version\":2}",
                   attempt_id, RIG_EXPERIENCE);
    rig_ask(r, "POST", path, head_token, body, ret);
    if (ret->status != status)
        fail_msg("claim: %d %s", ret->status, ret->body);
}
