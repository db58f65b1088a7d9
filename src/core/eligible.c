/* eligible.c - which bodies may serve a head (§6.3.8), in which order (§6.3.7), and in which words it is told that none does (§7.12). */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "roster.h"
#include "seeking.h"
#include "view.h"
#include "xr.h"

static bool lists_experience(const struct core_view *v, const struct node_rec *node, const struct body_obs *obs, const char *experience)
{
    if (experience == NULL || experience[0] == '\0')
        return true;
    /* Until it has reported since our start, what it listed before stands. */
    if (obs != NULL && hc_time_set(obs->reported_at) && obs->experiences != NULL)
        return strings_has(obs->experiences, experience);
    const struct body_rec *body = (const struct body_rec *)alloc_like(v->saved, REC_BODY, &node->rec);
    return body != NULL && strings_has(body->listed_experiences, experience);
}

static bool supports(const struct body_obs *obs, enum lease_mode mode)
{
    return mode != MODE_XR || (obs != NULL && strings_has(obs->xr_drivers, XR_DRIVER));
}

uint32_t offer_why_not(const struct core_view *v, const struct node_rec *body, const char *experience, enum lease_mode mode)
{
    uint32_t mask = 0;
    if (body == NULL || (body->roles & ROLE_BODY) == 0 || body->approval != APPROVAL_APPROVED)
        return WHY_NOT_OFFLINE;              /* whatever it says is refused: it cannot be heard */
    const struct body_obs *obs = (const struct body_obs *)observed_like(v->obs, OBS_BODY, &body->rec);
    if (!node_online(v, body))
        mask |= WHY_NOT_OFFLINE;
    if (!lists_experience(v, body, obs, experience))
        mask |= WHY_NOT_EXPERIENCE;
    if (!supports(obs, mode))
        mask |= WHY_NOT_STREAM_MODE;
    return mask;
}

static bool place_fits(const struct core_view *v, const struct node_rec *body, const struct node_rec *head)
{
    if (!hc_same(body->district, head->district))
        return false;
    if (head->head_body_id[0] != '\0')       /* an assigned head gets that body or none (§6.3.9) */
        return hc_same(head->head_body_id, body->rec.key);
    const char *owner = node_owner(v->saved, head);
    return hc_same(body->venue, head->venue) || (owner[0] != '\0' && hc_same(owner, node_owner(v->saved, body)));
}

uint32_t eligible_why_not(const struct core_view *v, const struct node_rec *body, const struct node_rec *head, const char *experience,
                          enum lease_mode mode)
{
    uint32_t mask = offer_why_not(v, body, experience, mode);
    if (body == NULL || head == NULL || head->approval != APPROVAL_APPROVED || !place_fits(v, body, head))
        mask |= WHY_NOT_VENUE;
    return mask;
}

void seeking_start(struct seeking *k, const struct core_view *v, const struct seeker *who)
{
    k->v = v;
    k->venue_count = 0;
    seeking_next(k, who);
}

void seeking_next(struct seeking *k, const struct seeker *who)
{
    const struct core_view *v = k->v;
    k->who = *who;
    k->head = alloc_node(v->saved, who->head_id == NULL ? "" : who->head_id);
    k->caps = 0;
    if (k->head != NULL && venue_cap_denies(v, k->head))
        k->caps |= WHY_NOT_VENUE_CAP;
    if (k->head != NULL && org_cap_denies(v, k->head))
        k->caps |= WHY_NOT_ORG_CAP;
}

static bool auto_denies(struct seeking *k, const struct node_rec *node)
{
    for (size_t i = 0; i < k->venue_count; i++)
        if (hc_same(k->venues[i].venue, node->venue))
            return k->venues[i].denies;
    bool denies = reserve_auto_denies(k->v, node);
    if (k->venue_count < SEEKING_VENUES_MAX) {
        k->venues[k->venue_count].venue = node->venue;
        k->venues[k->venue_count++].denies = denies;
    }
    return denies;
}

uint32_t seeking_why_not(struct seeking *k, const struct body_rec *body, const struct node_rec *node, uint32_t slot, uint32_t base)
{
    uint32_t mask = eligible_why_not(k->v, node, k->head, k->who.experience, k->who.mode) | k->caps;
    assert(slot < body->slot_count);
    if (k->who.mode == MODE_XR && (slot != XR_SLOT || !xr_head_fits(k->head)))
        mask |= WHY_NOT_STREAM_MODE;
    /* grantable 5; a headset in XR speaks to the machine, not to the ports of a slot */
    if (k->who.protocol < 2 && body->slots_total > 1 && k->who.mode != MODE_XR)
        mask |= WHY_NOT_LEGACY_ONE_SLOT;
    bool foreign = node != NULL && k->head != NULL && !hc_same(node->venue, k->head->venue);
    if (foreign && body->home_venue_reserve != RESERVE_AUTO && reserve_number_denies(k->v, body, node))      /* grantable 3 */
        mask |= WHY_NOT_RESERVED;
    if (foreign && body->home_venue_reserve == RESERVE_AUTO && base == 0 && mask == 0 && auto_denies(k, node))
        mask |= WHY_NOT_RESERVED;
    if (demoted(k->v, body->rec.key, k->who.head_id == NULL ? "" : k->who.head_id))
        mask |= WHY_NOT_DEMOTED;
    return mask;
}

/* The larger number wins: first that it is eligible, last that it is of the same venue. */
enum rank_flag {
    RANK_SAME_VENUE = 1, RANK_FREE = 2, RANK_SAME_MACHINE = 4, RANK_NOT_SILENT = 8, RANK_PREFERRED = 16, RANK_NOT_DEMOTED = 32,
    RANK_ELIGIBLE = 64
};

static uint32_t rank_flags(const struct core_view *v, const struct node_rec *head, const struct body_rec *body,
                           const struct node_rec *node, uint32_t slot, uint32_t why_not, bool eligible, const char *prefer_body_id)
{
    uint32_t flags = eligible ? RANK_ELIGIBLE : 0;
    flags |= (why_not & WHY_NOT_DEMOTED) == 0 ? RANK_NOT_DEMOTED : 0;
    if (prefer_body_id != NULL && prefer_body_id[0] != '\0' && (why_not & WHY_NOT_DEMOTED) == 0 && hc_same(prefer_body_id, body->rec.key))
        flags |= RANK_PREFERRED;                                             /* §6.5.4 */
    hc_time silent_until = body->slots[slot].silent_until;
    if (!hc_time_set(silent_until) || hc_time_due(silent_until, v->now))
        flags |= RANK_NOT_SILENT;                                            /* §6.2.6 */
    if (head != NULL && node != NULL && head->machine_id[0] != '\0' && hc_same(head->machine_id, node->machine_id))
        flags |= RANK_SAME_MACHINE;
    flags |= (why_not & OCCUPIED_BITS) == 0 ? RANK_FREE : 0;
    if (head != NULL && node != NULL && hc_same(head->venue, node->venue))
        flags |= RANK_SAME_VENUE;
    return flags;
}

/* What decides between equal flags. */
static struct rank rank_of(const struct core_view *v, const struct node_rec *head, const struct body_rec *body, uint32_t slot,
                           uint32_t flags)
{
    const struct body_obs *obs = body_observed(v->obs, body);
    struct rank rank = { .flags = flags, .body_id = body->rec.key, .slot = slot, .memory_mb = obs == NULL ? 0 : obs->gpu_memory_total_mb };
    rank.salt = hc_fnv1a64(body->rec.hash, head == NULL ? "" : head->rec.key);      /* of the body's key, then the head's */
    assert(rank.memory_mb <= v->obs->memory_mb_most);
    return rank;
}

struct rank seeking_rank(const struct core_view *v, const struct node_rec *head, const struct body_rec *body, const struct node_rec *node,
                         uint32_t slot, uint32_t why_not, bool eligible, const char *prefer_body_id)
{
    return rank_of(v, head, body, slot, rank_flags(v, head, body, node, slot, why_not, eligible, prefer_body_id));
}

int rank_order(const struct rank *a, const struct rank *b)
{
    if (a->flags != b->flags)
        return a->flags > b->flags ? -1 : 1;
    if (a->memory_mb != b->memory_mb)
        return a->memory_mb > b->memory_mb ? -1 : 1;
    if (a->salt != b->salt)
        return a->salt < b->salt ? -1 : 1;
    int order = strcmp(a->body_id, b->body_id);
    if (order != 0)
        return order;
    return a->slot == b->slot ? 0 : a->slot < b->slot ? -1 : 1;
}

struct ranked { struct rank rank; struct candidate candidate; };

static int by_rank(const void *a, const void *b)
{
    return rank_order(&((const struct ranked *)a)->rank, &((const struct ranked *)b)->rank);
}

static size_t slots_of_all(const struct alloc *saved)
{
    size_t count = 0;
    for (size_t i = 0; i < alloc_count(saved, REC_BODY); i++)
        count += ((const struct body_rec *)alloc_at(saved, REC_BODY, i))->slot_count;
    return count;
}

struct look {
    struct seeking k; const char *prefer_body_id; bool all; struct picks *kept;
    struct roster_row wanted;                /* the head's own names, as a row has them; body: the preferred one's */
    struct ranked *found; size_t count;
};

/* Who only wants the best slot is spared most of the questions: a slot is asked only if it would win with the kindest answers. */
static bool cannot_win(const struct look *look, const struct body_rec *body, const struct node_rec *node, uint32_t slot)
{
    if (look->all || look->count == 0)
        return false;
    const struct core_view *v = look->k.v;
    const struct rank *best = &look->found[0].rank;
    uint32_t kindest = rank_flags(v, look->k.head, body, node, slot, 0, true, look->prefer_body_id);
    if (kindest != best->flags)
        return kindest < best->flags;
    struct rank rank = rank_of(v, look->k.head, body, slot, kindest);
    return rank_order(&rank, best) > 0;
}

static void look_at(struct look *look, const struct body_rec *body, const struct node_rec *node, uint32_t slot)
{
    struct seeking *k = &look->k;
    if ((!look->all && slot_live_lease(&body->slots[slot]) != NULL) || cannot_win(look, body, node, slot))
        return;
    uint32_t base = seeking_base(k->v, body, slot, &k->who);
    if (!look->all && base != 0)
        return;
    uint32_t mask = base | seeking_why_not(k, body, node, slot, base);
    if ((mask & ~(uint32_t)WHY_NOT_DEMOTED) == 0 && look->kept != NULL && picks_have(look->kept, body, slot))
        mask |= WHY_NOT_KEPT_FOR_OLDER;
    if (!look->all && (mask & ~(uint32_t)WHY_NOT_DEMOTED) != 0)
        return;
    bool eligible = (mask & (WHY_NOT_EXPERIENCE | WHY_NOT_STREAM_MODE | WHY_NOT_VENUE | WHY_NOT_OFFLINE)) == 0;
    struct rank rank = seeking_rank(k->v, k->head, body, node, slot, mask, eligible, look->prefer_body_id);
    if (!look->all && look->count > 0 && rank_order(&rank, &look->found[0].rank) > 0)
        return;
    look->found[look->all ? look->count : 0] = (struct ranked){
        .rank = rank, .candidate = { .body = body, .node = node, .slot = slot, .why_not = mask, .eligible = eligible,
                                     .demoted = (mask & WHY_NOT_DEMOTED) != 0 },
    };
    look->count = look->all ? look->count + 1 : 1;
}

/* As cannot_win(), of all slots of the body, by what the row says alone. */
static bool row_cannot_win(const struct look *look, const struct roster_row *row)
{
    const struct roster_row *wanted = &look->wanted;
    if (!row->known)
        return false;
    if (!row->open || row->district != wanted->district)
        return true;
    if (look->count == 0)
        return false;
    const struct rank *best = &look->found[0].rank;
    uint32_t kindest = RANK_ELIGIBLE | RANK_NOT_DEMOTED | RANK_NOT_SILENT | RANK_FREE;
    kindest |= look->prefer_body_id != NULL && row->body == wanted->body ? RANK_PREFERRED : 0;
    kindest |= wanted->machine != 0 && row->machine == wanted->machine ? RANK_SAME_MACHINE : 0;
    kindest |= row->venue == wanted->venue ? RANK_SAME_VENUE : 0;
    if (kindest != best->flags)
        return kindest < best->flags;
    if (best->memory_mb < look->k.v->obs->memory_mb_most)
        return false;
    return hc_fnv1a64(row->body, look->k.head->rec.key) > best->salt;
}

static void look_at_all(struct look *look)
{
    const struct alloc *saved = look->k.v->saved;
    const struct node_rec *head = look->k.head;
    const struct roster_row *rows = look->all || head == NULL ? NULL : roster_rows(saved);
    if (rows != NULL)
        look->wanted = (struct roster_row){ .body = hc_fnv1a64(HC_FNV1A64_START, look->prefer_body_id == NULL ? "" : look->prefer_body_id),
            .district = roster_name(head->district), .venue = roster_name(head->venue), .machine = roster_name(head->machine_id) };
    for (size_t i = 0; i < alloc_count(saved, REC_BODY); i++) {
        if (rows != NULL && row_cannot_win(look, &rows[i]))
            continue;
        const struct body_rec *body = (const struct body_rec *)alloc_at(saved, REC_BODY, i);
        const struct node_rec *node = body_node(saved, body);
        if (node == NULL || head == NULL || !hc_same(node->district, head->district))
            continue;
        for (uint32_t slot = 0; slot < body->slot_count; slot++)
            if (!slot_gone(body, slot))
                look_at(look, body, node, slot);
    }
}

enum hc_err candidates(const struct core_view *v, const struct seeker *who, const char *prefer_body_id, bool all, struct hc_arena *arena,
                       struct candidate **ret, size_t *ret_count)
{
    struct look look = { .prefer_body_id = prefer_body_id, .all = all };
    seeking_start(&look.k, v, who);
    if (look.k.head != NULL && alloc_count(v->saved, REC_TICKET) > 0) {
        look.kept = hc_arena_alloc(arena, sizeof *look.kept);
        if (look.kept == NULL)
            return HC_ERR_NOMEM;
        enum hc_err err = picks_make(v, look.k.head->district, who, look.kept);
        if (err != HC_OK)
            return err;
    }
    size_t size = all ? slots_of_all(v->saved) : 1;
    look.found = hc_arena_array(arena, size + 1, sizeof look.found[0]);
    if (look.found == NULL)
        return HC_ERR_NOMEM;
    look_at_all(&look);
    assert(look.count <= size);
    qsort(look.found, look.count, sizeof look.found[0], by_rank);
    struct candidate *rows = hc_arena_array(arena, look.count + 1, sizeof rows[0]);
    if (rows == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0; i < look.count; i++)
        rows[i] = look.found[i].candidate;
    *ret = rows;
    *ret_count = look.count;
    return HC_OK;
}

static const char *venue_of(const struct candidate *candidate)
{
    return candidate->node == NULL ? "" : candidate->node->venue;
}

enum wait_why denial_of(const struct core_view *v, const struct seeker *who, const struct candidate *all, size_t count,
                        const char **ret_body_venue)
{
    const struct node_rec *head = alloc_node(v->saved, who->head_id);
    const struct candidate *first = NULL, *reserved = NULL, *kept = NULL;
    bool all_reserved = true, any_fresh = false;
    for (size_t i = 0; i < count; i++) {
        const struct candidate *c = &all[i];
        uint32_t mask = c->why_not & ~(uint32_t)WHY_NOT_DEMOTED;
        if ((mask & NEVER_BITS) != 0)
            continue;
        first = first == NULL ? c : first;
        reserved = reserved == NULL && mask == WHY_NOT_RESERVED ? c : reserved;
        kept = kept == NULL && (mask == WHY_NOT_KEPT_FOR_OLDER || mask == WHY_NOT_PROMISED) ? c : kept;
        all_reserved = all_reserved && (mask & WHY_NOT_RESERVED) != 0;
        any_fresh = any_fresh || (mask & (WHY_NOT_NO_REPORT | WHY_NOT_STALE_REPORT | WHY_NOT_OFFLINE)) == 0;
    }
    *ret_body_venue = first == NULL ? "" : venue_of(first);
    if (head != NULL && venue_cap_denies(v, head))
        return WAIT_VENUE_CAP;
    if (head != NULL && org_cap_denies(v, head))
        return WAIT_ORG_CAP;
    if (first == NULL)
        return WAIT_NO_SLOT;
    if (reserved != NULL || all_reserved) {
        *ret_body_venue = venue_of(reserved != NULL ? reserved : first);
        return WAIT_RESERVED;
    }
    if (kept != NULL) {
        *ret_body_venue = venue_of(kept);
        return WAIT_KEPT_FOR_OLDER;
    }
    return any_fresh ? WAIT_NO_SLOT : WAIT_NO_FRESH_BODY;
}
