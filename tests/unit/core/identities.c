#include "identities.h"

#include <string.h>

const char *fingerprint_of(const char *certificate)
{
    static char texts[4][HC_HASH_SIZE];
    static unsigned next;
    char *text = texts[next++ % 4];
    size_t len = strlen(certificate);
    for (size_t i = 0; i < HC_HASH_HEX; i++)
        text[i] = certificate[i % len];
    text[HC_HASH_HEX] = '\0';
    return text;
}

static struct core_result *put(struct fleet *f, enum caller_kind caller, const char *head_id, const char *certificate)
{
    struct core_event ev = fleet_event(f, CORE_IDENTITY_PUT, caller, caller == CALLER_NODE ? head_id : "");
    ev.u.identity = (struct identity_req){ .head_id = head_id, .device_uid = "0123456789abcdef", .fingerprint = fingerprint_of(certificate),
                                           .cert_pem = certificate, .not_after = hc_time_add(f->now, 3650 * HC_DAY_MS) };
    return fleet_step(f, &ev);
}

struct core_result *ask_register(struct fleet *f, const char *head_id, const char *certificate)
{
    return put(f, CALLER_NODE, head_id, certificate);
}

struct core_result *ask_register_by_admin(struct fleet *f, const char *head_id, const char *certificate)
{
    return put(f, CALLER_ADMIN, head_id, certificate);
}

struct core_result *ask_identity_revoke(struct fleet *f, const char *head_id)
{
    struct core_event ev = fleet_event(f, CORE_IDENTITY_REVOKE, CALLER_ADMIN, "");
    ev.u.identity_revoke = (struct identity_revoke_req){ head_id };
    return fleet_step(f, &ev);
}

struct core_result *ask_latch(struct fleet *f, const char *district, bool allow)
{
    struct core_event ev = fleet_event(f, CORE_LATCH_CLEAR, CALLER_ADMIN, "");
    ev.u.latch = (struct latch_req){ district, allow };
    return fleet_step(f, &ev);
}

void deny(struct fleet *f, const char *node_id, bool denied)
{
    struct core_event ev = fleet_event(f, CORE_NODE_UPDATE, CALLER_ADMIN, "");
    ev.u.node_update = (struct node_update_req){ .node_id = node_id, .set_approval = true,
                                                 .approval = denied ? APPROVAL_DENIED : APPROVAL_APPROVED };
    assert_int_equal(fleet_step(f, &ev)->answer, ANSWER_NODE);
}

void show_clients(struct fleet *f, const char *body_id, const char *digest, const char *const *pairs, size_t count)
{
    struct body_obs *obs = edit_report(f, body_id);
    hc_free(obs->clients);
    obs->clients = count == 0 ? NULL : hc_alloc(count * sizeof obs->clients[0]);
    assert_true(count == 0 || obs->clients != NULL);
    obs->client_count = count;
    for (size_t i = 0; i < count; i++) {
        obs->clients[i].slot = CLIENT_OF_BODY;
        HC_SET(obs->clients[i].uuid, pairs[2 * i]);
        HC_SET(obs->clients[i].name, pairs[2 * i + 1]);
    }
    HC_SET(obs->paired_digest, digest);
}

void tell(struct fleet *f, const char *body_id, struct told *told)
{
    struct core_view view = fleet_view(f);
    hc_arena_free(&told->arena);
    assert_int_equal(query_directive(&view, body_id, &told->arena, &told->d), HC_OK);
}

bool told_remove(const struct told *told, const char *uuid)
{
    for (size_t i = 0; i < told->d.trust.remove_count; i++)
        if (strcmp(told->d.trust.remove[i], uuid) == 0)
            return true;
    return false;
}

bool told_desired(const struct told *told, const char *uuid, const char *name)
{
    for (size_t i = 0; i < told->d.trust.desired_count; i++)
        if (strcmp(told->d.trust.desired[i].uuid, uuid) == 0 && strcmp(told->d.trust.desired[i].name, name) == 0)
            return true;
    return false;
}

bool told_enabled(const struct told *told, uint32_t slot, const char *uuid)
{
    const struct directive_gate *gate = &told->d.slots[slot].gate;
    for (size_t i = 0; i < gate->enabled_count; i++)
        if (strcmp(gate->enabled[i], uuid) == 0)
            return true;
    return false;
}
