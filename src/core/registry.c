/* registry.c - nodes: enrolment, changes by an admin, tokens, signs of life. */
#include <stdio.h>
#include <string.h>

#include "core.h"

#define NODES_MAX         65536
#define NODE_ID_TRIES     64
#define SUFFIX_MAX        12      /* "-" and a number */
#define HEAD_LEASES_MAX   64
#define DEFAULT_HEAD_NAME "ipad-head"
#define DEFAULT_HEAD_KIND "hydraheadipad"

static bool id_taken(const struct alloc *live, const char *id)
{
    /* A body that the registry lacks may still have a lease under its old id (§3.1). */
    return alloc_node(live, id) != NULL || alloc_body(live, id) != NULL || alloc_ticket(live, id) != NULL;
}

static bool new_node_id(struct step *s, char out[HC_ID_SIZE])
{
    for (unsigned i = 0; i < NODE_ID_TRIES; i++) {
        step_id(s, "node", out);
        if (!id_taken(s->live, out))
            return true;
    }
    return false;
}

/* The number n of "BASE-n", 1 for BASE itself, 0 for another name. */
static size_t name_number(const char *name, const char *base, size_t base_len)
{
    if (strncmp(name, base, base_len) != 0)
        return 0;
    const char *rest = name + base_len;
    if (*rest == '\0')
        return 1;
    if (*rest++ != '-' || *rest < '1' || *rest > '9')
        return 0;
    size_t number = 0;
    for (; *rest >= '0' && *rest <= '9' && number <= NODES_MAX; rest++)
        number = number * 10 + (size_t)(*rest - '0');
    return *rest == '\0' && number <= NODES_MAX && number > 1 ? number : 0;
}

/* wire §1: a name in use becomes NAME-2, NAME-3 ...: the first number that is free. */
static enum hc_err free_name(struct step *s, const char *wanted, char out[HC_NAME_SIZE])
{
    size_t len = strlen(wanted), count = alloc_count(s->live, REC_NODE);
    if (len > HC_NAME_MAX - SUFFIX_MAX)
        for (len = HC_NAME_MAX - SUFFIX_MAX; len > 0 && ((unsigned char)wanted[len] & 0xc0) == 0x80;)
            len--;                        /* never in the middle of a character */
    bool *used = hc_arena_array(&s->out->arena, count + 3, sizeof used[0]);
    if (used == NULL)
        return HC_ERR_NOMEM;
    bool whole = false;
    for (size_t i = 0; i < count; i++) {
        const char *name = ((const struct node_rec *)alloc_at(s->live, REC_NODE, i))->name;
        whole = whole || strcmp(name, wanted) == 0;
        size_t number = name_number(name, wanted, len);
        if (number < count + 3)
            used[number] = true;
    }
    if (!whole) {
        hc_copy(out, HC_NAME_SIZE, wanted);
        return HC_OK;
    }
    size_t number = 2;
    while (used[number])                  /* `count` names cannot take count + 1 numbers */
        number++;
    (void)snprintf(out, HC_NAME_SIZE, "%.*s-%zu", (int)len, wanted, number);
    return HC_OK;
}

enum hc_err body_rec_new(struct step *s, const char *node_id)
{
    if (alloc_body(s->live, node_id) != NULL)
        return HC_OK;
    struct body_rec *body = (struct body_rec *)alloc_create(s->live, REC_BODY, node_id);
    if (body == NULL)
        return HC_ERR_NOMEM;
    body->slots_total = SLOTS_TOTAL_DEFAULT;
    body->home_venue_reserve = RESERVE_AUTO;
    body->observing_since = s->now;
    return slots_shape(s, node_id);
}

static enum hc_err fill_node(struct step *s, struct node_rec *node, const struct enrol_req *req)
{
    bool legacy = req->legacy_names;
    const char *wanted = legacy && req->name[0] == '\0' ? DEFAULT_HEAD_NAME : req->name;
    enum hc_err err = HC_OK;
    if (legacy)
        err = free_name(s, wanted, node->name);
    else
        HC_SET(node->name, wanted);
    HC_SET(node->kind, legacy && req->kind[0] == '\0' ? DEFAULT_HEAD_KIND : req->kind);
    HC_SET(node->district, req->district[0] == '\0' ? s->live->config->default_district : req->district);
    HC_SET(node->venue, req->venue);
    HC_SET(node->owner, req->owner);
    HC_SET(node->machine_id, req->machine_id);
    HC_SET(node->ip, req->ip);
    HC_SET(node->wireguard_ip, req->wireguard_ip);
    HC_SET(node->token_hash, req->token_hash);
    node->roles = req->roles;
    node->approval = req->pending && s->ev->caller.kind != CALLER_ADMIN ? APPROVAL_PENDING : APPROVAL_APPROVED;
    node->enrolled_at = s->now;
    return err;
}

enum hc_err on_node_enrol(struct step *s)
{
    const struct enrol_req *req = &s->ev->u.enrol;
    if (!s->ev->store_ok)
        return step_refuse(s, DENY_STORE);
    if ((req->roles & (ROLE_BODY | ROLE_HEAD)) == 0)
        return step_bad(s, "roles", "A node has the role body, head or both.");
    if (!req->legacy_names && req->name[0] == '\0')
        return step_bad(s, "name", "A node needs a name.");
    if (alloc_count(s->live, REC_NODE) >= NODES_MAX)
        return step_refuse(s, DENY_LIMIT);
    char id[HC_ID_SIZE];
    if (!new_node_id(s, id))
        return step_refuse(s, DENY_LIMIT);
    struct node_rec made = { 0 };
    enum hc_err err = fill_node(s, &made, req);
    if (err != HC_OK)
        return err;
    struct node_rec *node = (struct node_rec *)alloc_create(s->live, REC_NODE, id);
    if (node == NULL)
        return HC_ERR_NOMEM;
    made.rec = node->rec;
    *node = made;
    s->out->answer = ANSWER_NODE;
    HC_SET(s->out->id, id);
    HC_SET(s->out->name, node->name);
    bool is_body = (node->roles & ROLE_BODY) != 0;
    err = is_body ? body_rec_new(s, id) : HC_OK;
    if (err != HC_OK)
        return err;
    return step_note(s, NOTE_NODE_ENROLLED, is_body ? id : "", -1, NULL, is_body ? "" : id, "%s", made.name);
}

static enum hc_err denied_leases(struct step *s, const char *const *lease_ids, size_t count)
{
    enum hc_err err = HC_OK;
    for (size_t i = 0; i < count && err == HC_OK; i++) {
        char lease_id[HC_ID_SIZE];
        HC_SET(lease_id, lease_ids[i]);
        err = lease_event(s, lease_id, LEV_REVOKE, WHY_NODE_DENIED, FATE_BY_WHY);
    }
    return err;
}

/* A denied node is refused everywhere: what it holds and what it serves ends. */
static enum hc_err deny_node(struct step *s, const char *node_id)
{
    const char *held[HEAD_LEASES_MAX], *served[BODY_SLOTS_MAX];
    size_t served_count = 0;
    const struct body_rec *body = alloc_body(s->live, node_id);
    for (size_t i = 0; body != NULL && i < body->slot_count; i++) {
        const struct lease *lease = slot_live_lease(&body->slots[i]);
        if (lease != NULL)
            served[served_count++] = lease->id;
    }
    enum hc_err err = denied_leases(s, served, served_count);
    if (err == HC_OK)
        err = denied_leases(s, held, alloc_head_leases(s->live, node_id, held, HEAD_LEASES_MAX));
    const char *stream = alloc_head_stream(s->live, node_id);
    if (err == HC_OK && stream != NULL)
        err = stream_end(s, stream, STREAM_WHY_REVOKED);
    if (err == HC_OK)
        err = pairs_leave(s, node_id, "its head was denied");
    return err == HC_OK ? ticket_drop(s, node_id) : err;
}

static bool holds_or_serves(const struct alloc *live, const char *node_id, uint32_t roles)
{
    const char *held[1];
    if ((roles & ROLE_HEAD) != 0 && alloc_head_leases(live, node_id, held, 1) > 0)
        return true;
    const struct body_rec *body = (roles & ROLE_BODY) != 0 ? alloc_body(live, node_id) : NULL;
    for (size_t i = 0; body != NULL && i < body->slot_count; i++)
        if (slot_live_lease(&body->slots[i]) != NULL)
            return true;
    return false;
}

static void set_text(char *to, size_t size, const char *from)
{
    if (from != NULL)
        hc_copy(to, size, from);
}
#define SET_NAMED(array, from) set_text((array), sizeof(array), (from))

static enum hc_err apply_update(struct step *s, const struct node_update_req *req)
{
    struct node_rec *node = (struct node_rec *)alloc_edit(s->live, REC_NODE, req->node_id);
    if (node == NULL)
        return HC_ERR_NOMEM;
    SET_NAMED(node->name, req->name);
    SET_NAMED(node->venue, req->venue);
    SET_NAMED(node->district, req->district);
    SET_NAMED(node->owner, req->owner);
    SET_NAMED(node->ip, req->ip);
    SET_NAMED(node->wireguard_ip, req->wireguard_ip);
    SET_NAMED(node->machine_id, req->machine_id);
    SET_NAMED(node->xr_client_hostname, req->xr_client_hostname);
    if (req->roles.set)
        node->roles = req->roles.value;
    if (req->set_approval)
        node->approval = req->approval;
    const struct ticket_rec *waits = alloc_ticket(s->live, req->node_id);
    if (waits == NULL || hc_same(waits->district, node->district))
        return HC_OK;
    struct ticket_rec *ticket = (struct ticket_rec *)alloc_edit(s->live, REC_TICKET, req->node_id);
    if (ticket == NULL)
        return HC_ERR_NOMEM;
    HC_SET(ticket->district, node->district);      /* it waits where its head stands, at its old place in time */
    return HC_OK;
}

enum hc_err on_node_update(struct step *s)
{
    const struct node_update_req *req = &s->ev->u.node_update;
    const struct node_rec *node = alloc_node(s->live, req->node_id);
    if (node == NULL)
        return step_refuse(s, DENY_NOT_FOUND);
    if (!s->ev->store_ok)
        return step_refuse(s, DENY_STORE);
    if (req->name != NULL && req->name[0] == '\0')
        return step_bad(s, "name", "A node needs a name.");
    if (req->district != NULL && req->district[0] == '\0')
        return step_bad(s, "district", "A node stands in a district.");
    if (req->roles.set && (req->roles.value & (ROLE_BODY | ROLE_HEAD)) == 0)
        return step_bad(s, "roles", "A node has the role body, head or both.");
    if (req->roles.set && holds_or_serves(s->live, req->node_id, node->roles & ~req->roles.value))
        return step_refuse(s, DENY_NODE_HAS_LEASE);
    char district_before[HC_NAME_SIZE];
    HC_SET(district_before, node->district);
    bool was_denied = node->approval == APPROVAL_DENIED;
    enum hc_err err = apply_update(s, req);
    if (err != HC_OK)
        return err;
    node = alloc_node(s->live, req->node_id);
    bool is_body = (node->roles & ROLE_BODY) != 0, denied = node->approval == APPROVAL_DENIED && !was_denied;
    char district[HC_NAME_SIZE];
    HC_SET(district, node->district);
    HC_SET(s->out->id, req->node_id);
    s->out->answer = ANSWER_NODE;
    s->rights_changed = true;
    err = is_body ? body_rec_new(s, req->node_id) : HC_OK;
    if (err == HC_OK && denied)
        err = deny_node(s, req->node_id);
    if (err == HC_OK)
        err = step_touch(s, req->node_id);
    if (err == HC_OK)
        err = step_queue_changed(s, district_before);
    if (err == HC_OK)
        err = step_queue_changed(s, district);
    return err != HC_OK ? err : step_note(s, NOTE_NODE_CHANGED, is_body ? req->node_id : "", -1, NULL, is_body ? "" : req->node_id, "%s",
                                          denied ? "denied" : "changed");
}

enum hc_err on_node_token(struct step *s)
{
    const struct node_token_req *req = &s->ev->u.node_token;
    if (alloc_node(s->live, req->node_id) == NULL)
        return step_refuse(s, DENY_NOT_FOUND);
    if (!s->ev->store_ok)
        return step_refuse(s, DENY_STORE);
    struct node_rec *node = (struct node_rec *)alloc_edit(s->live, REC_NODE, req->node_id);
    if (node == NULL)
        return HC_ERR_NOMEM;
    HC_SET(node->token_hash, req->token_hash);
    s->out->answer = ANSWER_NODE;
    HC_SET(s->out->id, req->node_id);
    HC_SET(s->out->name, node->name);
    return HC_OK;
}

enum hc_err node_seen(struct step *s, const char *node_id)
{
    const struct node_rec *node = alloc_node(s->live, node_id);
    if (node == NULL || s->ev->dry_run)
        return HC_OK;
    bool online = body_online(&(struct core_view){ s->live, s->obs, s->now }, node_id);
    struct node_obs *seen = step_edit_node_obs(s, node_id);
    if (seen == NULL)
        return HC_ERR_NOMEM;
    seen->seen_at = hc_time_later(seen->seen_at, s->now);
    bool told = seen->told_online, is_body = (node->roles & ROLE_BODY) != 0;
    seen->told_online = true;
    if (online)
        return HC_OK;
    enum hc_err err = is_body && alloc_body(s->live, node_id) != NULL ? step_touch(s, node_id) : HC_OK;
    if (err != HC_OK || told)             /* told: nobody has heard yet that it was offline */
        return err;
    return step_note(s, NOTE_NODE_ONLINE, is_body ? node_id : "", -1, NULL, is_body ? "" : node_id, "%s", node->name);
}

enum hc_err on_seen(struct step *s)
{
    return node_seen(s, s->ev->u.seen.node_id);
}

static bool differs(const char *told, const char *known)
{
    return told != NULL && told[0] != '\0' && !hc_same(told, known);
}

enum hc_err on_node_beat(struct step *s)
{
    const struct node_beat_req *req = &s->ev->u.node_beat;
    const struct node_rec *known = alloc_node(s->live, req->node_id);
    if (known == NULL)
        return step_refuse(s, DENY_NOT_FOUND);
    enum hc_err err = node_seen(s, req->node_id);
    bool news = differs(req->version, known->version) || differs(req->arch, known->arch) || differs(req->ip, known->ip);
    if (err != HC_OK || !news || !s->ev->store_ok)
        return err;
    struct node_rec *node = (struct node_rec *)alloc_edit(s->live, REC_NODE, req->node_id);
    if (node == NULL)
        return HC_ERR_NOMEM;
    if (differs(req->version, node->version))
        HC_SET(node->version, req->version);
    if (differs(req->arch, node->arch))
        HC_SET(node->arch, req->arch);
    if (differs(req->ip, node->ip))
        HC_SET(node->ip, req->ip);
    return HC_OK;
}
