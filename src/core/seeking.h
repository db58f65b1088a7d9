/* seeking.h - one head that asks for slots, in one view: what depends on the head alone is worked out once, then every slot is asked. */
#ifndef CORE_SEEKING_H
#define CORE_SEEKING_H

#include "core.h"

#define SEEKING_VENUES_MAX 64      /* venues whose reserve is remembered; beyond it is worked out anew */

/* The first group of rules §5: bits that make a slot occupied. */
#define OCCUPIED_BITS \
    (WHY_NOT_LEASED | WHY_NOT_NO_REPORT | WHY_NOT_STALE_REPORT | WHY_NOT_NOT_NAMED | WHY_NOT_NOT_IDLE | WHY_NOT_XR | \
     WHY_NOT_CIRCUIT_OPEN | WHY_NOT_OFFLINE)
/* Bits of which a head can never be rid by waiting for a slot: the body is none for it. */
#define NEVER_BITS (WHY_NOT_EXPERIENCE | WHY_NOT_STREAM_MODE | WHY_NOT_VENUE | WHY_NOT_LEGACY_ONE_SLOT)

struct seeking {
    const struct core_view *v;
    struct seeker who;
    const struct node_rec *head;               /* NULL: no such node; nothing is eligible */
    uint32_t caps;                             /* VENUE_CAP, ORG_CAP */
    size_t venue_count;
    struct { const char *venue; bool denies; } venues[SEEKING_VENUES_MAX];     /* answers of the auto reserve */
};
void seeking_start(struct seeking *k, const struct core_view *v, const struct seeker *who);
/* Another head of the same district in the same view: what is known of venues' reserves is kept, since it depends on no head. */
void seeking_next(struct seeking *k, const struct seeker *who);
/* What this head meets beside what everybody meets (`base`, of slot_why_not() less its own promise). The auto reserve is asked only for
 * a slot that is free otherwise. Without KEPT_FOR_OLDER, with DEMOTED. */
uint32_t seeking_why_not(struct seeking *k, const struct body_rec *body, const struct node_rec *node, uint32_t slot, uint32_t base);
/* slot_why_not() less a promise to this ticket, and less this head's own pair lease, which a grant there ends. */
uint32_t seeking_base(const struct core_view *v, const struct body_rec *body, uint32_t slot, const struct seeker *who);

/* The slot is promised to a ticket that still waits (§7.7). */
bool promise_holds(const struct core_view *v, const struct slot *slot);

/* Place in the ranking of §6.3.7; smaller is better. */
struct rank { uint32_t flags, memory_mb; uint64_t salt; const char *body_id; uint32_t slot; };
struct rank seeking_rank(const struct core_view *v, const struct node_rec *head, const struct body_rec *body, const struct node_rec *node,
                         uint32_t slot, uint32_t why_not, bool eligible, const char *prefer_body_id);
int rank_order(const struct rank *a, const struct rank *b);

/* The body itself: its role, approval, liveness, experience and mode; not where it stands. */
uint32_t offer_why_not(const struct core_view *v, const struct node_rec *body, const char *experience, enum lease_mode mode);
/* Would a head of that venue ever be meant to be served there, whatever runs now: eligible, legacy rule, no maintenance, not lowered. */
bool could_use(const struct core_view *v, const struct body_rec *body, const struct node_rec *node, const struct node_rec *head,
               const struct ticket_rec *ticket);
/* A long line is mostly of a few kinds: alike in all that decides whether a body may serve them, so what one cannot have none of them can.
 * More than KINDS_MAX are not remembered. Borrows the tickets. */
#define KINDS_MAX 32
struct ticket_kinds { size_t count; const struct ticket_rec *at[KINDS_MAX]; };
bool ticket_kinds_have(const struct core_view *v, const struct ticket_kinds *kinds, const struct ticket_rec *ticket);
void ticket_kinds_add(struct ticket_kinds *kinds, const struct ticket_rec *ticket);
struct seeker ticket_seeker(const struct ticket_rec *ticket);

/* ---- reserve.c ---- */
/* §7.6 auto, for the one question that a venue's bodies share: would this venue have nothing left if one of its grantable slots went
 * away? */
bool reserve_auto_denies(const struct core_view *v, const struct node_rec *body_node);
bool reserve_number_denies(const struct core_view *v, const struct body_rec *body, const struct node_rec *body_node);

/* ---- assign.c: who would get the slots that are free now (§7.1 to §7.3) ---- */
/* Slots of a district that are free but for a promise (`base`), or for the pair lease of `pair_head` ("" nobody; `paired`), in key order.
 * `taken` is the caller's. */
struct free_slot { const struct body_rec *body; const struct node_rec *node; uint32_t slot, base; bool paired, taken; };
HC_MUST enum hc_err free_slots(const struct core_view *v, const char *district, const char *pair_head, struct hc_arena *arena,
                               struct free_slot **ret, size_t *ret_count);
#define PICKS_MAX 1024             /* slots spoken for in one look; with more, all are */
struct pick { const struct ticket_rec *ticket; const struct body_rec *body; uint32_t slot; };
struct picks { size_t count; bool full; struct pick at[PICKS_MAX]; };
/* The older tickets of the district (`who` NULL: all), first come first served, each its best free slot. HC_ERR_NOMEM only. */
HC_MUST enum hc_err picks_make(const struct core_view *v, const char *district, const struct seeker *who, struct picks *ret);
bool picks_have(const struct picks *picks, const struct body_rec *body, uint32_t slot);
/* Does `who`, wherever it stands, come after this ticket? A newcomer comes after all that came in the same millisecond. */
bool ticket_is_older(const struct ticket_rec *ticket, const struct seeker *who);
bool ticket_alive(const struct core_view *v, const struct ticket_rec *ticket);      /* renewed within ticketTTL */
/* Does an older ticket than this seeker's wait that could use this body, whether or not it is free now? */
bool older_could_use(const struct core_view *v, const struct body_rec *body, const struct seeker *who);

#endif
