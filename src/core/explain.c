/* explain.c - why this body and not that one: candidates of a claim, and the queue with what each ticket is skipped for (§7.8, wire §5). */
#include <string.h>

#include "hydra/base/arena.h"
#include "seeking.h"

enum hc_err query_candidates(const struct core_view *v, const struct seeker *who, struct hc_arena *arena, struct candidate_row **ret_rows,
                             size_t *ret_count)
{
    struct candidate *all;
    size_t count;
    enum hc_err err = candidates(v, who, NULL, true, arena, &all, &count);
    struct candidate_row *rows = err == HC_OK ? hc_arena_array(arena, count + 1, sizeof rows[0]) : NULL;
    if (rows == NULL)
        return err != HC_OK ? err : HC_ERR_NOMEM;
    for (size_t i = 0; i < count; i++) {
        struct candidate_row *row = &rows[i];
        row->rank = (uint32_t)i + 1;
        row->slot = all[i].slot;
        row->eligible = all[i].eligible;
        row->demoted = all[i].demoted;
        row->why_not = all[i].why_not;
        row->grantable = (all[i].why_not & ~(uint32_t)WHY_NOT_DEMOTED) == 0;
        HC_SET(row->body_id, all[i].body->rec.key);
    }
    *ret_rows = rows;
    *ret_count = count;
    return HC_OK;
}

static bool stands_before(const struct ticket_rec *a, const struct ticket_rec *b)
{
    if (a->created_at.ms != b->created_at.ms)
        return hc_time_before(a->created_at, b->created_at);
    return strcmp(a->id, b->id) < 0;
}

/* The slots that are free for somebody, found once for all rows: in a queue there are few, or none. */
struct free_slot { const struct body_rec *body; const char *district; uint32_t slot; };
struct free_slots { struct free_slot *at; size_t count; };

static enum hc_err find_free(const struct core_view *v, struct hc_arena *arena, struct free_slots *ret)
{
    size_t bodies = alloc_count(v->saved, REC_BODY), size = 0;
    for (size_t i = 0; i < bodies; i++)
        size += ((const struct body_rec *)alloc_at(v->saved, REC_BODY, i))->slot_count;
    *ret = (struct free_slots){ .at = hc_arena_array(arena, size + 1, sizeof ret->at[0]) };
    if (ret->at == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0; i < bodies; i++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(v->saved, REC_BODY, i);
        const struct node_rec *node = alloc_node(v->saved, body->rec.key);
        for (uint32_t slot = 0; node != NULL && slot < body->slot_count; slot++)
            if (slot_why_not(v, body, slot) == 0)
                ret->at[ret->count++] = (struct free_slot){ body, node->district, slot };
    }
    return HC_OK;
}

/* The free slots that this ticket does not get, and why; the first QUEUE_SKIPPED_MAX of them. */
static enum hc_err fill_skipped(const struct core_view *v, const struct ticket_rec *ticket, const struct free_slots *free,
                                struct hc_arena *arena, struct queue_row *row)
{
    struct seeker who = ticket_seeker(ticket);
    size_t most = free->count < QUEUE_SKIPPED_MAX ? free->count : QUEUE_SKIPPED_MAX;
    row->skipped = hc_arena_array(arena, most + 1, sizeof row->skipped[0]);
    if (row->skipped == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0; i < free->count && row->skipped_count < most; i++) {
        if (!hc_same(free->at[i].district, ticket->district))
            continue;
        uint32_t why_not = slot_why_not_for(v, free->at[i].body, free->at[i].slot, &who);
        if ((why_not & ~(uint32_t)WHY_NOT_DEMOTED) == 0)
            continue;
        struct skipped_slot *skipped = &row->skipped[row->skipped_count++];
        skipped->slot = free->at[i].slot;
        skipped->why_not = why_not;
        HC_SET(skipped->body_id, free->at[i].body->rec.key);
    }
    return HC_OK;
}

static enum hc_err fill_row(const struct core_view *v, const struct ticket_rec *ticket, const struct free_slots *free,
                            struct hc_arena *arena, struct queue_row *row)
{
    const struct node_rec *head = alloc_node(v->saved, ticket->rec.key);
    struct ticket_facts facts;
    query_ticket(v, ticket, &facts);
    row->ticket = ticket;
    row->position = facts.position;
    row->eta_ms = facts.eta_ms;
    row->waited_ms = hc_time_since(v->now, ticket->created_at);
    int64_t left_ms = v->saved->config->timers.ticket_ttl_ms - hc_time_since(v->now, ticket_renewed_at(v->obs, ticket));
    if (ticket->state == TICKET_CONFIRM && hc_time_since(ticket->confirm_by, v->now) < left_ms)
        left_ms = hc_time_since(ticket->confirm_by, v->now);
    row->expires_in_ms = left_ms > 0 ? left_ms : 0;
    if (head != NULL) {
        HC_SET(row->head_name, head->name);
        HC_SET(row->venue, head->venue);
    }
    return fill_skipped(v, ticket, free, arena, row);
}

enum hc_err query_queue(const struct core_view *v, const char *district, struct hc_arena *arena, struct queue_row **ret_rows,
                        size_t *ret_count)
{
    size_t size = alloc_count(v->saved, REC_TICKET), count = 0;
    const struct ticket_rec **order = hc_arena_array(arena, size + 1, sizeof order[0]);
    struct queue_row *rows = hc_arena_array(arena, size + 1, sizeof rows[0]);
    if (order == NULL || rows == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0; i < size; i++) {
        const struct ticket_rec *ticket = (const struct ticket_rec *)alloc_at(v->saved, REC_TICKET, i);
        if (district != NULL && district[0] != '\0' && !hc_same(district, ticket->district))
            continue;
        size_t at = count++;
        for (; at > 0 && stands_before(ticket, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = ticket;
    }
    struct free_slots free;
    enum hc_err err = find_free(v, arena, &free);
    for (size_t i = 0; i < count && err == HC_OK; i++)
        err = fill_row(v, order[i], &free, arena, &rows[i]);
    if (err != HC_OK)
        return err;
    *ret_rows = rows;
    *ret_count = count;
    return HC_OK;
}
