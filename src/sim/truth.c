#include "truth.h"

#include <assert.h>
#include <string.h>

#include "hydra/base/arena.h"

const char *const truth_words[TRUTH_KINDS] = {
    [TRUTH_TWO_PICTURES] = "both see a picture", [TRUTH_TWO_HOLDERS] = "both hold it",
        [TRUTH_HELD_WHILE_SEEN] = "one holds what the other looks at",
};

struct entry {
    size_t head;
    bool holds, sees, can_be_told;
    int64_t until_ms, contested_ms;                /* contested_ms 0: not */
    size_t contested_by;
};
struct slot_truth { size_t count; struct entry entries[TRUTH_HEADS_MAX]; };
/* Where a head has an entry: it holds at most one slot and sees at most one picture, which may be two slots for a moment. */
struct whereabouts { size_t hold, picture; };
struct truth {
    size_t bodies, heads, pictures;
    struct slot_truth *slots;
    struct whereabouts *where;
    uint64_t conflicts;
};

enum hc_err truth_new(size_t bodies, size_t heads, struct truth **ret_truth)
{
    struct truth *truth = hc_alloc(sizeof *truth);
    if (truth == NULL)
        return HC_ERR_NOMEM;
    truth->bodies = bodies;
    truth->heads = heads;
    truth->slots = hc_alloc((bodies * TRUTH_SLOTS_MAX + 1) * sizeof truth->slots[0]);
    truth->where = hc_alloc((heads + 1) * sizeof truth->where[0]);
    if (truth->slots == NULL || truth->where == NULL) {
        (void)truth_free(truth);
        return HC_ERR_NOMEM;
    }
    for (size_t i = 0; i < heads; i++)
        truth->where[i] = (struct whereabouts){ TRUTH_NOBODY, TRUTH_NOBODY };
    *ret_truth = truth;
    return HC_OK;
}

struct truth *truth_free(struct truth *truth)
{
    if (truth == NULL)
        return NULL;
    hc_free(truth->slots);
    hc_free(truth->where);
    hc_free(truth);
    return NULL;
}

static struct entry *find(struct slot_truth *slot, size_t head)
{
    for (size_t i = 0; i < slot->count; i++)
        if (slot->entries[i].head == head)
            return &slot->entries[i];
    return NULL;
}

static void forget_empty(struct slot_truth *slot, int64_t now_ms)
{
    for (size_t i = 0; i < slot->count;) {
        const struct entry *entry = &slot->entries[i];
        bool lives = entry->sees || (entry->holds && (now_ms == 0 || entry->until_ms > now_ms));
        if (lives)
            i++;
        else
            slot->entries[i] = slot->entries[--slot->count];
    }
}

/* The entry of this head; more heads than fit are conflicts already told, the newest of them stands for the rest. */
static struct entry *entry_for(struct slot_truth *slot, size_t head, int64_t now_ms)
{
    struct entry *entry = find(slot, head);
    if (entry != NULL)
        return entry;
    if (slot->count == TRUTH_HEADS_MAX)
        forget_empty(slot, now_ms);
    if (slot->count < TRUTH_HEADS_MAX)
        slot->count++;
    entry = &slot->entries[slot->count - 1];
    *entry = (struct entry){ .head = head };
    return entry;
}

static struct slot_truth *slot_at(const struct truth *truth, size_t body, uint32_t slot)
{
    assert(body < truth->bodies && slot < TRUTH_SLOTS_MAX);
    return &truth->slots[body * TRUTH_SLOTS_MAX + slot];
}

static bool conflict(struct truth *truth, enum truth_kind kind, size_t head, size_t other, size_t place, int64_t now_ms,
                     struct truth_conflict *ret_conflict)
{
    truth->conflicts++;
    *ret_conflict = (struct truth_conflict){ .kind = kind, .head = head, .other = other, .body = place / TRUTH_SLOTS_MAX,
                                             .slot = (uint32_t)(place % TRUTH_SLOTS_MAX), .at_ms = now_ms };
    return true;
}

bool truth_holds(struct truth *truth, const struct truth_hold *hold, int64_t now_ms, struct truth_conflict *ret_conflict)
{
    struct slot_truth *slot = slot_at(truth, hold->body, hold->slot);
    size_t place = (size_t)(slot - truth->slots), other = TRUTH_NOBODY, viewer = TRUTH_NOBODY;
    if (truth->where[hold->head].hold != place)
        truth_drops(truth, hold->head);
    for (size_t i = 0; i < slot->count; i++) {
        struct entry *there = &slot->entries[i];
        if (there->head == hold->head)
            continue;
        if (there->sees)
            viewer = there->head;
        if (!there->holds || there->until_ms <= now_ms)
            continue;
        if (there->can_be_told) {
            there->contested_ms = now_ms;
            there->contested_by = hold->head;
        } else {
            other = there->head;
        }
    }
    struct entry *entry = entry_for(slot, hold->head, now_ms);
    entry->holds = true;
    entry->until_ms = hold->until_ms;
    entry->can_be_told = hold->can_be_told;
    entry->contested_ms = 0;
    truth->where[hold->head].hold = place;
    if (viewer != TRUTH_NOBODY)
        return conflict(truth, TRUTH_HELD_WHILE_SEEN, hold->head, viewer, place, now_ms, ret_conflict);
    return other != TRUTH_NOBODY && conflict(truth, TRUTH_TWO_HOLDERS, hold->head, other, place, now_ms, ret_conflict);
}

bool truth_renewed(struct truth *truth, size_t head, int64_t asked_ms, int64_t until_ms, struct truth_conflict *ret_conflict)
{
    size_t place = truth->where[head].hold;
    struct entry *entry = place == TRUTH_NOBODY ? NULL : find(&truth->slots[place], head);
    if (entry == NULL || !entry->holds)
        return false;
    if (until_ms > entry->until_ms)
        entry->until_ms = until_ms;
    if (entry->contested_ms == 0 || asked_ms <= entry->contested_ms)
        return false;
    size_t by = entry->contested_by;
    const struct entry *other = find(&truth->slots[place], by);
    entry->contested_ms = 0;
    return other != NULL && other->holds && other->until_ms > asked_ms &&
           conflict(truth, TRUTH_TWO_HOLDERS, by, head, place, asked_ms, ret_conflict);
}

bool truth_sees(struct truth *truth, size_t head, size_t body, uint32_t index, int64_t now_ms, struct truth_conflict *ret_conflict)
{
    struct slot_truth *slot = slot_at(truth, body, index);
    size_t place = (size_t)(slot - truth->slots), other = TRUTH_NOBODY, holder = TRUTH_NOBODY;
    if (truth->where[head].picture == place)
        return false;
    truth_dark(truth, head);
    for (size_t i = 0; i < slot->count; i++) {
        const struct entry *there = &slot->entries[i];
        if (there->head == head)
            continue;
        if (there->sees)
            other = there->head;
        if (there->holds && !there->can_be_told && there->until_ms > now_ms)
            holder = there->head;
    }
    struct entry *entry = entry_for(slot, head, now_ms);
    entry->sees = true;
    truth->where[head].picture = place;
    truth->pictures++;
    if (other != TRUTH_NOBODY)
        return conflict(truth, TRUTH_TWO_PICTURES, head, other, place, now_ms, ret_conflict);
    return holder != TRUTH_NOBODY && conflict(truth, TRUTH_HELD_WHILE_SEEN, holder, head, place, now_ms, ret_conflict);
}

void truth_dark(struct truth *truth, size_t head)
{
    size_t place = truth->where[head].picture;
    if (place == TRUTH_NOBODY)
        return;
    struct entry *entry = find(&truth->slots[place], head);
    if (entry != NULL)
        entry->sees = false;
    forget_empty(&truth->slots[place], 0);
    truth->where[head].picture = TRUTH_NOBODY;
    truth->pictures--;
}

void truth_drops(struct truth *truth, size_t head)
{
    size_t place = truth->where[head].hold;
    if (place == TRUTH_NOBODY)
        return;
    struct entry *entry = find(&truth->slots[place], head);
    if (entry != NULL)
        entry->holds = false;
    forget_empty(&truth->slots[place], 0);
    truth->where[head].hold = TRUTH_NOBODY;
}

size_t truth_viewer(const struct truth *truth, size_t body, uint32_t index, size_t n)
{
    const struct slot_truth *slot = slot_at(truth, body, index);
    for (size_t i = 0; i < slot->count; i++)
        if (slot->entries[i].sees && n-- == 0)
            return slot->entries[i].head;
    return TRUTH_NOBODY;
}

size_t truth_picture_of(const struct truth *truth, size_t head)
{
    size_t place = truth->where[head].picture;
    return place == TRUTH_NOBODY ? TRUTH_NOBODY : place / TRUTH_SLOTS_MAX;
}

uint64_t truth_conflicts(const struct truth *truth)
{
    return truth->conflicts;
}

size_t truth_pictures(const struct truth *truth)
{
    return truth->pictures;
}
