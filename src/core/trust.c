/* trust.c - which clients a body may keep, which must go, and whom the gate of a slot lets in (rules §12.8, §13.5). Level-triggered: made
 * of what the body shows now, so what was removed and comes back is removed again, and nothing is asked for twice. */
#include <stdlib.h>
#include <string.h>

#include "core.h"

#define KEPT_MAX 2        /* of one name: the newest, and the one before it while their certificates overlap */

struct seen_client { const char *uuid, *name, *head_id; int32_t slot; size_t at; bool lost; };
struct trusting {
    const struct core_view *v;
    const struct body_rec *body;
    const struct node_rec *node;
    const struct body_obs *obs;
    struct hc_arena *arena;
    size_t count; struct seen_client *clients;         /* in the body's order */
    size_t named_count; struct seen_client *named;     /* those of heads, by slot and name, the newest last */
    struct directive_trust *trust;
};

bool paired_known(const struct body_obs *obs)
{
    return obs != NULL && !hc_same(obs->paired_digest, "unknown") && (obs->paired_digest[0] != '\0' || obs->client_count > 0);
}

static int by_slot_and_name(const void *a, const void *b)
{
    const struct seen_client *one = a, *two = b;
    if (one->slot != two->slot)
        return one->slot < two->slot ? -1 : 1;
    int order = strcmp(one->name, two->name);
    return order != 0 ? order : one->at < two->at ? -1 : 1;
}

/* It was there when its head's identity was revoked: whatever was registered since, it goes. */
static bool lost(const struct trusting *t, const struct seen_client *client)
{
    const struct identity_rec *identity = client->head_id[0] == '\0' ? NULL : alloc_identity(t->v->saved, client->head_id);
    return identity != NULL && paired_find(identity->lost, client->uuid) != NULL;
}

/* Copies: the directive outlives the report. */
static bool take_clients(struct trusting *t)
{
    t->count = paired_known(t->obs) ? t->obs->client_count : 0;
    t->clients = hc_arena_array(t->arena, t->count + 1, sizeof t->clients[0]);
    t->named = hc_arena_array(t->arena, t->count + 1, sizeof t->named[0]);
    t->trust->remove = hc_arena_array(t->arena, t->count + 1, sizeof t->trust->remove[0]);
    if (t->clients == NULL || t->named == NULL || t->trust->remove == NULL)
        return false;
    for (size_t i = 0; i < t->count; i++) {
        const struct client_obs *from = &t->obs->clients[i];
        const char *uuid = hc_arena_strdup(t->arena, from->uuid), *name = hc_arena_strdup(t->arena, from->name);
        if (uuid == NULL || name == NULL)
            return false;
        t->clients[i] = (struct seen_client){ uuid, name, client_head(name), from->slot, i, false };
        t->clients[i].lost = lost(t, &t->clients[i]);
        if (t->clients[i].lost)
            t->trust->remove[t->trust->remove_count++] = uuid;
        else if (t->clients[i].head_id[0] != '\0')
            t->named[t->named_count++] = t->clients[i];
    }
    if (t->named_count > 1)
        qsort(t->named, t->named_count, sizeof t->named[0], by_slot_and_name);
    return true;
}

/* A session or a lease of this body goes on under it: what is only superseded waits. */
static bool in_use(const struct trusting *t, const char *uuid)
{
    for (size_t i = 0; i < t->body->slot_count; i++) {
        const struct lease *lease = slot_live_lease(&t->body->slots[i]);
        if (lease != NULL && hc_same(lease->sunshine_client_uuid, uuid))
            return true;
    }
    for (size_t i = 0; i < t->obs->session_count; i++)
        if (t->obs->sessions[i].state != SESSION_IDLE && hc_same(t->obs->sessions[i].client_uuid, uuid))
            return true;
    return false;
}

static void desire(struct trusting *t, const char *uuid, const char *name)
{
    t->trust->desired[t->trust->desired_count++] = (struct directive_client){ uuid, name };
}

/* Of one slot and name, without those that are lost. */
static void judge_group(struct trusting *t, const struct seen_client *group, size_t count)
{
    const struct identity_rec *identity = alloc_identity(t->v->saved, group[0].head_id);
    const struct node_rec *head = alloc_node(t->v->saved, group[0].head_id);
    bool denied = head != NULL && head->approval == APPROVAL_DENIED;
    if (identity == NULL && !denied)
        return;                               /* no business of ours: left alone */
    bool banned = denied || identity_banned(t->v->saved, identity);
    bool ours = head != NULL && head->approval == APPROVAL_APPROVED && t->node != NULL && hc_same(head->district, t->node->district);
    if (!banned && !ours)
        return;
    bool overlap = !banned && identity->predecessor.fingerprint[0] != '\0' && !hc_time_due(identity->predecessor.overlap_until, t->v->now);
    size_t kept = banned ? 0 : overlap ? KEPT_MAX : 1, first_kept = count > kept ? count - kept : 0;
    for (size_t i = 0; i < count; i++) {
        bool stays = i >= first_kept;
        for (size_t k = first_kept; k < count && !stays; k++)
            stays = hc_same(group[k].uuid, group[i].uuid);
        if (stays || (!banned && in_use(t, group[i].uuid)))
            desire(t, group[i].uuid, group[i].name);
        else
            t->trust->remove[t->trust->remove_count++] = group[i].uuid;
    }
}

static const struct seen_client *client_of(const struct trusting *t, const char *head_id, uint32_t slot)
{
    for (size_t i = 0; i < t->named_count; i++)
        if ((t->named[i].slot == CLIENT_OF_BODY || t->named[i].slot == (int32_t)slot) && hc_same(t->named[i].head_id, head_id))
            return &t->named[i];
    return NULL;
}

/* Who holds a lease here and has not paired yet is expected. */
static bool expect_holders(struct trusting *t)
{
    for (size_t i = 0; i < t->body->slot_count; i++) {
        const struct lease *lease = slot_live_lease(&t->body->slots[i]);
        if (lease == NULL || lease->head_id[0] == '\0' || !identity_counts(t->v->saved, lease->head_id) ||
            client_of(t, lease->head_id, (uint32_t)i) != NULL)
            continue;
        const char *name = hc_arena_printf(t->arena, CLIENT_PREFIX "%s", lease->head_id);
        if (name == NULL)
            return false;
        desire(t, "", name);
    }
    return true;
}

static bool maintenance_client(const struct body_rec *body, const struct seen_client *client)
{
    return strings_has(body->maintenance_clients, client->uuid) || strings_has(body->maintenance_clients, client->name);
}

/* Closed for the known clients of a protocol-2 lease; open for everybody on a slot that is free or a legacy head's. */
static bool fill_gate(const struct trusting *t, struct directive_slot *row)
{
    const struct lease *lease = slot_live_lease(&t->body->slots[row->index]);
    bool fenced = lease != NULL && lease->protocol >= 2 && lease->mode == MODE_FLAT && lease->head_id[0] != '\0' && !t->body->maintenance;
    struct directive_gate *gate = &row->gate;
    gate->mode = t->body->enforce == ENFORCE_ENFORCE ? GATE_ENFORCE : GATE_OBSERVE;
    gate->everyone = !fenced || client_of(t, lease->head_id, row->index) == NULL;
    if (gate->everyone)
        return true;
    gate->enabled = hc_arena_array(t->arena, t->count + 1, sizeof gate->enabled[0]);
    if (gate->enabled == NULL)
        return false;
    for (size_t i = 0; i < t->count; i++) {
        const struct seen_client *client = &t->clients[i];
        if (client->slot != CLIENT_OF_BODY && client->slot != (int32_t)row->index)
            continue;
        if ((hc_same(client->head_id, lease->head_id) && !client->lost) || maintenance_client(t->body, client))
            gate->enabled[gate->enabled_count++] = client->uuid;
    }
    return true;
}

enum hc_err trust_fill(const struct core_view *v, const struct body_rec *body, const struct body_obs *obs, struct hc_arena *arena,
    struct directive *made)
{
    struct trusting t = { .v = v, .body = body, .node = alloc_node(v->saved, body->rec.key), .obs = obs, .arena = arena,
                          .trust = &made->trust };
    bool ok = take_clients(&t);
    made->trust.desired = ok ? hc_arena_array(arena, t.named_count + body->slot_count + 1, sizeof made->trust.desired[0]) : NULL;
    if (made->trust.desired == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0, next; i < t.named_count; i = next) {
        for (next = i + 1; next < t.named_count; next++)
            if (t.named[next].slot != t.named[i].slot || !hc_same(t.named[next].name, t.named[i].name))
                break;
        judge_group(&t, &t.named[i], next - i);
    }
    ok = expect_holders(&t);
    for (size_t i = 0; i < made->slot_count && ok; i++)
        ok = fill_gate(&t, &made->slots[i]);
    return ok ? HC_OK : HC_ERR_NOMEM;
}
