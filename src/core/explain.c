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

/* One district as all its tickets see it, looked at once for all rows: what is free, and to whom it would go. */
struct line { const struct core_view *v; const char *district; struct free_slot *slots; size_t slot_count; struct picks *picks; };

static enum hc_err line_look(struct line *line, struct hc_arena *arena)
{
    line->picks = hc_arena_alloc(arena, sizeof *line->picks);
    if (line->picks == NULL)
        return HC_ERR_NOMEM;
    enum hc_err err = picks_make(line->v, line->district, NULL, line->picks);
    return err == HC_OK ? free_slots(line->v, line->district, "", arena, &line->slots, &line->slot_count) : err;
}

static const struct ticket_rec *picked_by(const struct picks *picks, const struct free_slot *slot)
{
    for (size_t i = 0; i < picks->count; i++)
        if (picks->at[i].slot == slot->slot && picks->at[i].body == slot->body)
            return picks->at[i].ticket;
    return NULL;
}

static uint32_t ticket_why_not(const struct line *line, struct seeking *k, const struct ticket_rec *ticket, const struct free_slot *slot)
{
    bool own = hc_same(slot->body->slots[slot->slot].promise_ticket_id, ticket->id);
    uint32_t base = own ? 0 : slot->base;
    uint32_t mask = base | seeking_why_not(k, slot->body, slot->node, slot->slot, base);
    const struct ticket_rec *by = (mask & ~(uint32_t)WHY_NOT_DEMOTED) == 0 ? picked_by(line->picks, slot) : NULL;
    return by != NULL && by != ticket && stands_before(by, ticket) ? mask | WHY_NOT_KEPT_FOR_OLDER : mask;
}

/* What free slots say of why it waits; what only taken ones could say stays as its last look found it. */
static enum wait_why why_by_slots(enum wait_why why, bool reserved, bool kept)
{
    if (why == WAIT_VENUE_CAP || why == WAIT_ORG_CAP)
        return why;
    if (reserved)
        return WAIT_RESERVED;
    if (kept)
        return WAIT_KEPT_FOR_OLDER;
    return why == WAIT_KEPT_FOR_OLDER ? WAIT_NO_SLOT : why;
}

/* The free slots that this ticket does not get, and why; the first QUEUE_SKIPPED_MAX of them. */
static enum hc_err fill_skipped(const struct line *line, const struct ticket_rec *ticket, struct hc_arena *arena, struct queue_row *row)
{
    struct seeking k;
    struct seeker who = ticket_seeker(ticket);
    size_t most = line->slot_count < QUEUE_SKIPPED_MAX ? line->slot_count : QUEUE_SKIPPED_MAX;
    seeking_start(&k, line->v, &who);
    row->skipped = hc_arena_array(arena, most + 1, sizeof row->skipped[0]);
    if (row->skipped == NULL)
        return HC_ERR_NOMEM;
    bool reserved = false, kept = false;
    for (size_t i = 0; i < line->slot_count && row->skipped_count < most; i++) {
        uint32_t why_not = ticket_why_not(line, &k, ticket, &line->slots[i]), firm = why_not & ~(uint32_t)WHY_NOT_DEMOTED;
        if (firm == 0)
            continue;
        reserved = reserved || firm == WHY_NOT_RESERVED;
        kept = kept || firm == WHY_NOT_KEPT_FOR_OLDER || firm == WHY_NOT_PROMISED;
        struct skipped_slot *skipped = &row->skipped[row->skipped_count++];
        skipped->slot = line->slots[i].slot;
        skipped->why_not = why_not;
        HC_SET(skipped->body_id, line->slots[i].body->rec.key);
    }
    row->why = why_by_slots(row->why, reserved, kept);
    return HC_OK;
}

static enum hc_err fill_row(const struct line *line, const struct ticket_rec *ticket, struct hc_arena *arena, struct queue_row *row)
{
    const struct core_view *v = line->v;
    const struct node_rec *head = alloc_node(v->saved, ticket->rec.key);
    struct ticket_facts facts;
    query_ticket(v, ticket, &facts);
    row->ticket = ticket;
    row->why = facts.why;
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
    return fill_skipped(line, ticket, arena, row);
}

/* The rows of one district of `order`, from its first ticket at `from` on. */
static enum hc_err fill_district(const struct core_view *v, const struct ticket_rec *const *order, size_t count, size_t from,
                                 struct hc_arena *arena, struct queue_row *rows)
{
    struct line line = { .v = v, .district = order[from]->district };
    enum hc_err err = line_look(&line, arena);
    for (size_t i = from; i < count && err == HC_OK; i++)
        if (hc_same(order[i]->district, line.district))
            err = fill_row(&line, order[i], arena, &rows[i]);
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
        if (rows[i].ticket == NULL)                  /* the first of its district */
            err = fill_district(v, order, count, i, arena, rows);
    if (err != HC_OK)
        return err;
    *ret_rows = rows;
    *ret_count = count;
    return HC_OK;
}
