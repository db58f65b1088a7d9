/* assign.c - to whom the free slots would go (§7.1 to §7.3): tickets of a district in order, each the best free slot that it may use. A
 * slot that an older ticket would get is kept for it; one ticket keeps one slot, so a visitor who walked away does not close the whole
 * district. */
#include <assert.h>
#include <string.h>

#include "hydra/base/arena.h"
#include "roster.h"
#include "seeking.h"

struct table {
    size_t slot_count; struct free_slot *slots;
    size_t ticket_count; const struct ticket_rec **tickets;
    struct seeking asking;              /* of the ticket under way */
};

bool ticket_alive(const struct core_view *v, const struct ticket_rec *ticket)
{
    return hc_time_since(v->now, ticket_renewed_at(v->obs, ticket)) < v->saved->config->timers.ticket_ttl_ms;
}

bool ticket_is_older(const struct ticket_rec *ticket, const struct seeker *who)
{
    if (who == NULL)
        return true;
    if (hc_same(ticket->rec.key, who->head_id))
        return false;
    if (ticket->created_at.ms != who->created_at.ms)
        return hc_time_before(ticket->created_at, who->created_at);
    return who->ticket_id == NULL || who->ticket_id[0] == '\0' || strcmp(ticket->id, who->ticket_id) < 0;
}

bool older_could_use(const struct core_view *v, const struct body_rec *body, const struct seeker *who)
{
    const struct node_rec *node = body_node(v->saved, body);
    for (size_t i = 0; node != NULL && i < alloc_count(v->saved, REC_TICKET); i++) {
        const struct ticket_rec *ticket = (const struct ticket_rec *)alloc_at(v->saved, REC_TICKET, i);
        if (hc_same(ticket->district, node->district) && ticket_is_older(ticket, who) && ticket_alive(v, ticket) &&
            alloc_head_lease(v->saved, ticket->rec.key) == NULL &&
            could_use(v, body, node, alloc_node(v->saved, ticket->rec.key), ticket))
            return true;
    }
    return false;
}

struct seeker ticket_seeker(const struct ticket_rec *ticket)
{
    return (struct seeker){ .head_id = ticket->rec.key, .experience = ticket->experience, .ticket_id = ticket->id, .mode = ticket->mode,
                            .protocol = ticket->protocol, .created_at = ticket->created_at };
}

static bool stands_before(const struct ticket_rec *a, const struct ticket_rec *b)
{
    if (a->created_at.ms != b->created_at.ms)
        return hc_time_before(a->created_at, b->created_at);
    return strcmp(a->id, b->id) < 0;
}

static enum hc_err gather_tickets(const struct core_view *v, const char *district, const struct seeker *who, struct hc_arena *arena,
                                  struct table *table)
{
    size_t size = alloc_count(v->saved, REC_TICKET);
    table->tickets = hc_arena_array(arena, size + 1, sizeof table->tickets[0]);
    if (table->tickets == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0; i < size; i++) {
        const struct ticket_rec *ticket = (const struct ticket_rec *)alloc_at(v->saved, REC_TICKET, i);
        if (!hc_same(ticket->district, district) || !ticket_is_older(ticket, who) || !ticket_alive(v, ticket))
            continue;
        size_t at = table->ticket_count++;           /* tickets are few and nearly in order */
        for (; at > 0 && stands_before(ticket, table->tickets[at - 1]); at--)
            table->tickets[at] = table->tickets[at - 1];
        table->tickets[at] = ticket;
    }
    return HC_OK;
}

/* Every slot of it is leased, or it stands in another district. */
static bool row_has_none(const struct roster_row *rows, size_t i, uint32_t district)
{
    return rows != NULL && rows[i].known && (!rows[i].open || rows[i].district != district);
}

enum hc_err free_slots(const struct core_view *v, const char *district, const char *pair_head, struct hc_arena *arena,
                       struct free_slot **ret, size_t *ret_count)
{
    size_t size = 0, count = 0;
    const struct roster_row *rows = roster_rows(v->saved);
    uint32_t name = roster_name(district);
    for (size_t i = 0; i < alloc_count(v->saved, REC_BODY); i++)
        size += row_has_none(rows, i, name) ? 0 : ((const struct body_rec *)alloc_at(v->saved, REC_BODY, i))->slot_count;
    struct free_slot *slots = hc_arena_array(arena, size + 1, sizeof slots[0]);
    if (slots == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0; i < alloc_count(v->saved, REC_BODY); i++) {
        if (row_has_none(rows, i, name))
            continue;
        const struct body_rec *body = (const struct body_rec *)alloc_at(v->saved, REC_BODY, i);
        const struct node_rec *node = body_node(v->saved, body);
        if (node == NULL || !hc_same(node->district, district))
            continue;
        for (uint32_t slot = 0; slot < body->slot_count; slot++) {
            if (slot_live_lease(&body->slots[slot]) != NULL)
                continue;
            uint32_t base = slot_why_not(v, body, slot);
            bool paired = (base & WHY_NOT_PAIR_LEASE) != 0 && hc_same(body->slots[slot].pair.head_id, pair_head);
            if (paired)
                base &= ~(uint32_t)WHY_NOT_PAIR_LEASE;
            if ((base & ~(uint32_t)WHY_NOT_PROMISED) == 0)
                slots[count++] = (struct free_slot){ .body = body, .node = node, .slot = slot, .base = base, .paired = paired };
        }
    }
    *ret = slots;
    *ret_count = count;
    return HC_OK;
}

static struct free_slot *best_slot(const struct core_view *v, const struct ticket_rec *ticket, struct table *table)
{
    struct seeking *k = &table->asking;
    struct seeker who = ticket_seeker(ticket);
    struct free_slot *best = NULL;
    struct rank best_rank = { 0 };
    seeking_next(k, &who);
    for (size_t i = 0; i < table->slot_count; i++) {
        struct free_slot *free_slot = &table->slots[i];
        bool promised = (free_slot->base & WHY_NOT_PROMISED) != 0;
        bool own = promised && hc_same(free_slot->body->slots[free_slot->slot].promise_ticket_id, ticket->id);
        if (free_slot->taken || (promised && !own))
            continue;
        uint32_t mask = seeking_why_not(k, free_slot->body, free_slot->node, free_slot->slot, 0);
        if ((mask & ~(uint32_t)WHY_NOT_DEMOTED) != 0)
            continue;
        struct rank rank = seeking_rank(v, k->head, free_slot->body, free_slot->node, free_slot->slot, mask, true, ticket->prefer_body_id);
        /* A slot that somebody pairs on is no use to this ticket today: it counts for it only when nothing else is left. */
        bool later = best != NULL && (free_slot->paired != best->paired ? free_slot->paired : rank_order(&rank, &best_rank) >= 0);
        if (!own && later)
            continue;
        best = free_slot;
        best_rank = rank;
        if (own)
            break;                                   /* what was promised comes first */
    }
    return best;
}

static bool has_promise(const struct table *table, const struct ticket_rec *ticket)
{
    for (size_t i = 0; i < table->slot_count; i++) {
        const struct free_slot *slot = &table->slots[i];
        if ((slot->base & WHY_NOT_PROMISED) != 0 && hc_same(slot->body->slots[slot->slot].promise_ticket_id, ticket->id))
            return true;
    }
    return false;
}

static void assign(const struct core_view *v, struct table *table, struct picks *picks)
{
    size_t left = table->slot_count;
    struct ticket_kinds empty_handed = { 0 };        /* slots only become fewer: who is alike gets none either, but for a promise */
    for (size_t i = 0; i < table->ticket_count && left > 0; i++) {
        const struct ticket_rec *ticket = table->tickets[i];
        if (alloc_head_lease(v->saved, ticket->rec.key) != NULL)
            continue;                                /* served already */
        bool alike = ticket_kinds_have(v, &empty_handed, ticket);
        if (alike && !has_promise(table, ticket))
            continue;
        struct free_slot *slot = best_slot(v, ticket, table);
        if (slot == NULL) {                          /* skipped for these bodies only (§7.8) */
            if (!alike)
                ticket_kinds_add(&empty_handed, ticket);
            continue;
        }
        if (picks->count == PICKS_MAX) {
            picks->full = true;
            return;
        }
        slot->taken = true;
        left--;
        picks->at[picks->count++] = (struct pick){ .ticket = ticket, .body = slot->body, .slot = slot->slot };
    }
}

enum hc_err picks_make(const struct core_view *v, const char *district, const struct seeker *who, struct picks *ret)
{
    struct table table = { .asking.v = v };
    struct hc_arena arena = { 0 };
    ret->count = 0;
    ret->full = false;
    enum hc_err err = gather_tickets(v, district, who, &arena, &table);
    if (err == HC_OK && table.ticket_count > 0)
        err = free_slots(v, district, who == NULL ? "" : who->head_id, &arena, &table.slots, &table.slot_count);
    if (err == HC_OK)
        assign(v, &table, ret);
    hc_arena_free(&arena);
    return err;
}

bool picks_have(const struct picks *picks, const struct body_rec *body, uint32_t slot)
{
    for (size_t i = 0; i < picks->count; i++)
        if (picks->at[i].slot == slot && hc_same(picks->at[i].body->rec.key, body->rec.key))
            return true;
    return picks->full;
}

bool queue_kept_for_older(const struct core_view *v, const struct body_rec *body, uint32_t slot, const struct seeker *who)
{
    const struct node_rec *node = body_node(v->saved, body);
    if (node == NULL || alloc_count(v->saved, REC_TICKET) == 0)
        return false;
    struct picks *picks = hc_alloc(sizeof *picks);
    if (picks == NULL)
        return true;                                 /* not knowing is no reason to give (I3) */
    bool kept = picks_make(v, node->district, who, picks) != HC_OK || picks_have(picks, body, slot);
    hc_free(picks);
    return kept;
}
