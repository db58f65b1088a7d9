/* custodian.c - keeps the bodies' trust stores small (rules §12.9): asks each body's agent for its clients, remembers since when each is
 * there, and has the oldest unpaired while there are too many. Sunshine breaks down at some 250. What it cannot read evicts nobody. */
#include <stdlib.h>
#include <string.h>

#include "op.h"

#define CLIENTS_ALARM        120
#define CLIENTS_KEEP         100
#define CLIENTS_FLOOR        32                         /* below it nobody is evicted, whatever the other numbers say */
#define EVICTIONS_AT_ONCE    64                         /* the next run goes on */
#define ASKED_AT_ONCE        64                         /* bodies in one tick: a thousand that came due together are no one tick's work */
#define IDENTITY_SEEN_MS     (30 * 24 * HC_HOUR_MS)

_Static_assert(CLIENTS_KEEP >= CLIENTS_FLOOR, "what is kept is above the floor");

/* ---- when it asks ---- */

static bool takes_operations(const struct step *s, const struct body_rec *body)
{
    const struct core_view view = step_view(s);
    const struct node_rec *node = alloc_node(s->live, body->rec.key);
    const struct node_obs *obs = observed_node(s->obs, body->rec.key);
    return node != NULL && node->approval == APPROVAL_APPROVED && !body->deleted && obs != NULL && hc_time_set(obs->op_poll_at) &&
           hc_time_since(s->now, obs->op_poll_at) <= OPS_POLL_FRESH_MS && body_online(&view, body->rec.key);
}

static bool due(const struct step *s, const struct body_rec *body)
{
    const struct node_obs *obs = observed_node(s->obs, body->rec.key);
    hc_time last = hc_time_later(obs->custodian_asked_at, body->custodian_last_success_at);
    return !hc_time_set(last) || hc_time_since(s->now, last) >= s->t->custodian_every_ms;
}

static enum hc_err ask(struct step *s, const char *body_id, enum op_kind op, const char *uuid)
{
    char id[HC_ID_SIZE];
    const struct op_ask_req req = { .node_id = body_id, .op = op, .uuid = uuid, .pin = "", .name = "", .asked_by = OP_CUSTODIAN };
    return op_create(s, &req, id);
}

enum hc_err tick_custodian(struct step *s)
{
    enum hc_err err = HC_OK;
    unsigned asked = 0;
    for (size_t i = 0; i < alloc_count(s->live, REC_BODY) && err == HC_OK && !s->ev->dry_run && asked < ASKED_AT_ONCE; i++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(s->live, REC_BODY, i);
        if (!takes_operations(s, body) || !due(s, body) || ops_pending(s, body->rec.key, true) > 0)
            continue;
        struct node_obs *obs = step_edit_node_obs(s, body->rec.key);
        if (obs == NULL)
            return HC_ERR_NOMEM;
        obs->custodian_asked_at = s->now;
        asked++;
        err = ask(s, body->rec.key, OP_LIST_CLIENTS, "");
    }
    return err;
}

/* ---- who stays ---- */

/* Any head with a lease that is not over: it may be on its way to this body. */
static bool has_lease(const struct step *s, const char *head_id)
{
    const char *ids[1];
    return alloc_head_leases(s->live, head_id, ids, 1) > 0;
}

/* A head that is registered and was seen lately comes again, and must not have to pair anew. */
static bool registered_lately(const struct step *s, const char *head_id)
{
    const struct node_rec *head = alloc_node(s->live, head_id);
    const struct identity_rec *identity = alloc_identity(s->live, head_id);
    return head != NULL && identity != NULL && !identity_banned(s->live, identity) &&
           hc_time_since(s->now, node_seen_at(s->obs, head)) < IDENTITY_SEEN_MS;
}

/* Of a session that is shown, of a lease on the body, or of a pair lease there. */
static bool used_here(const struct step *s, const struct body_rec *body, const struct client_obs *client, const char *head_id)
{
    const struct body_obs *obs = observed_body(s->obs, body->rec.key);
    for (uint32_t i = 0; i < body->slot_count; i++) {
        const struct lease *lease = slot_live_lease(&body->slots[i]);
        if (lease != NULL && lease->sunshine_client_uuid[0] != '\0' && hc_same(lease->sunshine_client_uuid, client->uuid))
            return true;
        if (head_id[0] != '\0' && pair_held(&body->slots[i], s->now) && hc_same(body->slots[i].pair.head_id, head_id))
            return true;
        size_t cursor = 0;
        const struct session_obs *seen;
        while (obs != NULL && (seen = session_next(obs, i, &cursor)) != NULL)
            if ((seen->client_uuid[0] != '\0' && hc_same(seen->client_uuid, client->uuid)) ||
                (seen->client_name[0] != '\0' && hc_same(seen->client_name, client->name)))
                return true;
    }
    return false;
}

static bool must_stay(const struct step *s, const struct body_rec *body, const struct client_obs *client)
{
    const char *head_id = client_head(client->name);
    return used_here(s, body, client, head_id) || (head_id[0] != '\0' && (has_lease(s, head_id) || registered_lately(s, head_id)));
}

/* ---- what a list says ---- */

struct listed { struct paired_client client; size_t place; };      /* place: in Sunshine's list, which grows at its end */

static int by_uuid(const void *a, const void *b)
{
    const struct listed *one = a, *two = b;
    int order = strcmp(one->client.uuid, two->client.uuid);
    return order != 0 ? order : (one->place > two->place) - (one->place < two->place);
}

static int by_age(const void *a, const void *b)
{
    const struct listed *one = a, *two = b;
    if (one->client.first_seen.ms != two->client.first_seen.ms)
        return one->client.first_seen.ms < two->client.first_seen.ms ? -1 : 1;
    return (one->place > two->place) - (one->place < two->place);
}

/* Each uuid once, with the time since when it is known. The array is the result's arena's. */
static struct listed *read_list(const struct step *s, const struct body_rec *body, const struct op_result_req *heard, size_t *ret_count)
{
    size_t count = heard->client_count < PAIRED_MAX ? heard->client_count : PAIRED_MAX, kept = 0;
    struct listed *list = hc_arena_array(&s->out->arena, count + 1, sizeof list[0]);
    if (list == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const struct paired_client *known = paired_find(body->paired, heard->clients[i].uuid);
        list[i] = (struct listed){ .client.first_seen = known == NULL ? s->now : known->first_seen, .place = i };
        HC_SET(list[i].client.uuid, heard->clients[i].uuid);
        HC_SET(list[i].client.name, heard->clients[i].name);
    }
    if (count > 1)
        qsort(list, count, sizeof list[0], by_uuid);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || !hc_same(list[i].client.uuid, list[kept - 1].client.uuid))
            list[kept++] = list[i];
    *ret_count = kept;
    return list;
}

static bool paired_same(const struct paired *a, const struct listed *list, size_t count)
{
    if ((a == NULL ? 0 : a->count) != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!hc_same(a->at[i].uuid, list[i].client.uuid) || !hc_same(a->at[i].name, list[i].client.name))
            return false;
    return true;
}

static enum hc_err remember(struct step *s, const char *body_id, const struct listed *list, size_t count)
{
    struct body_rec *body = step_edit_body(s, body_id);
    if (body == NULL)
        return HC_ERR_NOMEM;
    size_t before = body->paired == NULL ? 0 : body->paired->count;
    body->custodian_last_success_at = s->now;
    if (!paired_same(body->paired, list, count)) {
        struct paired_client *clients = hc_arena_array(&s->out->arena, count + 1, sizeof clients[0]);
        for (size_t i = 0; clients != NULL && i < count; i++)
            clients[i] = list[i].client;
        struct paired *paired = clients == NULL ? NULL : paired_new(clients, count);
        if (paired == NULL)
            return HC_ERR_NOMEM;
        paired_unref(body->paired);
        body->paired = paired;
    }
    bool grown = count >= CLIENTS_ALARM && before < CLIENTS_ALARM;
    return grown ? step_note(s, NOTE_CERT_STORE_GROWTH, body_id, -1, NULL, "", "%zu clients are paired", count) : HC_OK;
}

static enum hc_err evict(struct step *s, const char *body_id, struct listed *list, size_t count)
{
    const struct body_rec *body = alloc_body(s->live, body_id);
    size_t left = count, asked = 0;
    enum hc_err err = HC_OK;
    if (count > 1)
        qsort(list, count, sizeof list[0], by_age);
    for (size_t i = 0; i < count && left > CLIENTS_KEEP && asked < EVICTIONS_AT_ONCE && err == HC_OK; i++) {
        struct client_obs client;
        HC_SET(client.uuid, list[i].client.uuid);
        HC_SET(client.name, list[i].client.name);
        if (must_stay(s, body, &client))
            continue;
        err = ask(s, body_id, OP_UNPAIR, client.uuid);
        asked++;
        left--;
    }
    return err;
}

static enum hc_err ended_as(struct step *s, const char *body_id, enum custodian_state state, const char *why)
{
    const struct node_obs *known = observed_node(s->obs, body_id);
    bool edge = known == NULL || known->custodian != state;
    struct node_obs *obs = step_edit_node_obs(s, body_id);
    if (obs == NULL)
        return HC_ERR_NOMEM;
    obs->custodian = state;
    if (!edge || state == CUSTODIAN_OK)
        return HC_OK;
    return step_note(s, state == CUSTODIAN_PARSE_FAILED ? NOTE_TRIM_PARSE_FAILED : NOTE_CUSTODIAN_FAILED, body_id, -1, NULL, "", "%s", why);
}

static enum hc_err list_heard(struct step *s, const char *body_id, const struct op_result_req *heard)
{
    if (heard == NULL)
        return ended_as(s, body_id, CUSTODIAN_FAILED, "the agent did not answer");
    if (heard->failed)
        return ended_as(s, body_id, CUSTODIAN_FAILED, heard->error[0] == '\0' ? "the agent could not ask Sunshine" : heard->error);
    if (!heard->has_clients)
        return ended_as(s, body_id, CUSTODIAN_PARSE_FAILED, "the list of clients is no list");
    size_t count;
    struct listed *list = read_list(s, alloc_body(s->live, body_id), heard, &count);
    if (list == NULL)
        return HC_ERR_NOMEM;
    enum hc_err err = remember(s, body_id, list, count);
    if (err == HC_OK)
        err = evict(s, body_id, list, count);
    return err == HC_OK ? ended_as(s, body_id, CUSTODIAN_OK, "") : err;
}

/* ---- an eviction is done ---- */

static enum hc_err evicted(struct step *s, const char *body_id, const char *uuid)
{
    struct body_rec *body = step_edit_body(s, body_id);
    if (body == NULL)
        return HC_ERR_NOMEM;
    const struct paired_client *client = paired_find(body->paired, uuid);
    size_t moved = body->eviction_count < EVICTIONS_KEPT ? body->eviction_count++ : EVICTIONS_KEPT - 1;
    memmove(&body->evictions[1], &body->evictions[0], moved * sizeof body->evictions[0]);
    body->evictions[0] = (struct eviction){ .at = s->now };
    HC_SET(body->evictions[0].uuid, uuid);
    HC_SET(body->evictions[0].name, client == NULL ? "" : client->name);
    return step_note(s, NOTE_CLIENT_EVICTED, body_id, -1, NULL, "", "%s %s", uuid, body->evictions[0].name);
}

enum hc_err custodian_heard(struct step *s, const struct op_rec *op, const struct op_result_req *heard)
{
    char body_id[HC_ID_SIZE], uuid[HC_ID_SIZE];
    HC_SET(body_id, op->node_id);
    HC_SET(uuid, op->uuid);
    if (alloc_body(s->live, body_id) == NULL)
        return HC_OK;
    if (op->op == OP_LIST_CLIENTS)
        return list_heard(s, body_id, heard);
    bool gone = heard != NULL && !heard->failed && heard->verdict == OP_VERDICT_TRUE;
    return gone ? evicted(s, body_id, uuid) : HC_OK;      /* if it is still there the next list says so */
}
