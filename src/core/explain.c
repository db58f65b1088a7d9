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

static bool is_skipped(const struct core_view *v, const struct candidate *c)
{
    return (c->why_not & ~(uint32_t)WHY_NOT_DEMOTED) != 0 && slot_why_not(v, c->body, c->slot) == 0;
}

/* The free slots that this ticket does not get, and why. `scratch` is the caller's to free. */
static enum hc_err fill_skipped(const struct core_view *v, const struct ticket_rec *ticket, struct hc_arena *scratch,
                                struct hc_arena *arena, struct queue_row *row)
{
    struct seeker who = ticket_seeker(ticket);
    struct candidate *all;
    size_t count, skipped = 0;
    enum hc_err err = candidates(v, &who, ticket->prefer_body_id, true, scratch, &all, &count);
    for (size_t i = 0; err == HC_OK && i < count; i++)
        if (is_skipped(v, &all[i]))
            all[skipped++] = all[i];
    row->skipped = err == HC_OK ? hc_arena_array(arena, skipped + 1, sizeof row->skipped[0]) : NULL;
    if (row->skipped == NULL)
        return err != HC_OK ? err : HC_ERR_NOMEM;
    for (size_t i = 0; i < skipped; i++) {
        row->skipped[i].slot = all[i].slot;
        row->skipped[i].why_not = all[i].why_not;
        HC_SET(row->skipped[i].body_id, all[i].body->rec.key);
    }
    row->skipped_count = skipped;
    return HC_OK;
}

static enum hc_err fill_row(const struct core_view *v, const struct ticket_rec *ticket, struct hc_arena *arena, struct queue_row *row)
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
    struct hc_arena scratch = { 0 };
    enum hc_err err = fill_skipped(v, ticket, &scratch, arena, row);
    hc_arena_free(&scratch);
    return err;
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
    enum hc_err err = HC_OK;
    for (size_t i = 0; i < count && err == HC_OK; i++)
        err = fill_row(v, order[i], arena, &rows[i]);
    if (err != HC_OK)
        return err;
    *ret_rows = rows;
    *ret_count = count;
    return HC_OK;
}
