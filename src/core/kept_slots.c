#include "kept_slots.h"

#include "seeking.h"

struct kept_district { const char *name; struct picks picks; struct kept_district *next; };

static const struct picks *picks_of(struct kept_slots *kept, const char *district)
{
    for (const struct kept_district *at = kept->first; at != NULL; at = at->next)
        if (hc_same(at->name, district))
            return &at->picks;
    struct kept_district *made = hc_arena_alloc(kept->arena, sizeof *made);
    enum hc_err err = made == NULL ? HC_ERR_NOMEM : picks_make(kept->v, district, NULL, &made->picks);
    if (err != HC_OK) {
        kept->err = err;
        return NULL;
    }
    made->name = district;
    made->next = kept->first;
    kept->first = made;
    return &made->picks;
}

bool kept_for_older(struct kept_slots *kept, const struct body_rec *body, const struct node_rec *node, uint32_t slot)
{
    if (node == NULL || alloc_count(kept->v->saved, REC_TICKET) == 0)
        return false;
    const struct picks *picks = picks_of(kept, node->district);
    return picks != NULL && picks_have(picks, body, slot);
}
