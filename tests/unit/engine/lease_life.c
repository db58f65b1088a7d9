#include "lease_life.h"

#include <string.h>

void life_state(struct rig *rig, struct alloc **ret_loaded)
{
    assert_int_equal(alloc_new(&rig->core, ret_loaded), HC_OK);
    put_body(*ret_loaded, LIFE_BODY);
    put_node(*ret_loaded, "h1", ROLE_HEAD, "hash-h1");
    put_node(*ret_loaded, "h2", ROLE_HEAD, "hash-h2");
}

void life_report(struct rig *rig, struct ask *ask)
{
    static const char *const experiences[] = { LIFE_EXPERIENCE };
    static uint64_t seq;
    const struct rec *rec = engine_get(rig->engine, REC_BODY, LIFE_BODY);
    assert_non_null(rec);
    const struct session_obs idle = { .index = 0, .state = SESSION_IDLE, .since_ms = -1, .has_applied_epoch = true,
                                      .applied_epoch = ((const struct body_rec *)rec)->slots[0].epoch };
    engine_release(rig->engine, rec);
    ask_init(rig, ask, CORE_BODY_REPORT);
    ask->op.ev.caller.kind = CALLER_NODE;
    HC_SET(ask->op.ev.caller.node_id, LIFE_BODY);
    ask->op.ev.u.report = (struct report_req){
        .body_id = LIFE_BODY, .modern = true, .boot_id = "boot-1", .report_seq = ++seq, .uptime_ms = 3600000, .stream_status = STATUS_IDLE,
        .xr_state = "", .has_experiences = true, .experiences = experiences, .experience_count = 1, .gpu = "", .provider_status = "",
        .provider_version = "", .hydrabody_version = "", .sessions = &idle, .session_count = 1, .sunshine_cert_fp = "", .paired_digest = "",
    };
    ask_send(ask);
    RIG_UNTIL(rig, ask->calls == 1);
    assert_int_equal(ask->outcome, ENGINE_DURABLE);
}

void life_open(struct rig *rig)
{
    struct alloc *loaded;
    struct ask report;
    rig_make(rig);
    life_state(rig, &loaded);
    rig_start(rig, loaded);
    life_report(rig, &report);
}

void life_claim(struct rig *rig, struct ask *ask, const char *head_id, const char *attempt_id)
{
    ask_init(rig, ask, CORE_CLAIM);
    ask->op.ev.caller.kind = CALLER_NODE;
    HC_SET(ask->op.ev.caller.node_id, head_id);
    ask->op.ev.u.claim = (struct claim_req){ .head_id = head_id, .attempt_id = attempt_id, .experience = LIFE_EXPERIENCE, .stream_mode = "",
                                             .device_uid = "", .prefer_body_id = "", .claim_token = "", .stream_id = "",
                                             .content_digest = "d", .protocol_version = 2 };
    ask_send(ask);
}

void life_release(struct rig *rig, struct ask *ask, const char *head_id, const struct ask *claimed)
{
    ask_init(rig, ask, CORE_RELEASE);
    ask->op.ev.caller.kind = CALLER_NODE;
    HC_SET(ask->op.ev.caller.node_id, head_id);
    ask->op.ev.u.release = (struct release_req){ head_id, claimed->lease_id, claimed->claim_token, WHY_RELEASED };
    ask_send(ask);
}

const struct lease *life_lease(const struct rec *body, const char *lease_id)
{
    const struct slot *slot;
    return body == NULL ? NULL : body_lease((const struct body_rec *)body, lease_id, &slot);
}

bool life_has_lease(struct rig *rig, const char *lease_id)
{
    const struct rec *body = engine_get(rig->engine, REC_BODY, LIFE_BODY);
    bool there = life_lease(body, lease_id) != NULL;
    engine_release(rig->engine, body);
    return there;
}
