/* latch.c - per_device_identity of a district (rules §12.4): set when all its nodes are ready for it, kept until an admin clears it; and
 * since when all its heads have spoken protocol 2 alone (seed, Step 9). */
#include "safe_mode.h"

#define PAIRING_PROTOCOL_WANTED 2
#define PROTOCOL_WANTED         2

bool per_device_identity_on(const struct alloc *alloc, const char *district)
{
    const struct district_rec *rec = alloc_district(alloc, district);
    return rec != NULL && hc_time_set(rec->per_device_identity_at);
}

static enum hc_err tell(struct step *s, enum note_type type, const char *district, const char *why)
{
    enum hc_err err = step_note(s, type, "", -1, NULL, "", "%s", why);
    if (err == HC_OK)
        HC_SET(step_last_note(s)->district, district);
    return err;
}

struct readiness { bool identity, retirement; };

/* One walk: may the latch be set, and does Step 9's condition hold? */
static struct readiness readiness_of(const struct step *s, const char *district)
{
    const struct core_view view = step_view(s);
    struct readiness ready = { true, true };
    uint32_t roles = 0;
    for (size_t i = 0; i < alloc_count(s->live, REC_NODE) && (ready.identity || ready.retirement); i++) {
        const struct node_rec *node = (const struct node_rec *)alloc_at(s->live, REC_NODE, i);
        if (node->approval != APPROVAL_APPROVED || !hc_same(node->district, district))
            continue;
        roles |= node->roles;
        const struct body_obs *obs = observed_body(s->obs, node->rec.key);
        if ((node->roles & ROLE_BODY) != 0 && (obs == NULL || !obs->modern || !body_fresh(&view, node->rec.key)))
            ready.identity = false;
        if ((node->roles & ROLE_HEAD) == 0)
            continue;
        if (node->pairing_protocol < PAIRING_PROTOCOL_WANTED)
            ready.identity = ready.retirement = false;
        if (node->protocol_version < PROTOCOL_WANTED)
            ready.retirement = false;
    }
    ready.identity = ready.identity && roles == (ROLE_BODY | ROLE_HEAD);
    ready.retirement = ready.retirement && (roles & ROLE_HEAD) != 0;
    return ready;
}

enum hc_err latch_look(struct step *s, const char *district)
{
    static const struct district_rec none;
    const struct district_rec *known = alloc_district(s->live, district);
    const struct district_rec *now = known == NULL ? &none : known;
    struct readiness ready = readiness_of(s, district);
    bool sets = ready.identity && !hc_time_set(now->per_device_identity_at) && !hc_time_set(now->per_device_identity_off_at);
    bool turns = ready.retirement != hc_time_set(now->retirement_since);
    if (!sets && !turns)
        return HC_OK;
    struct district_rec *rec = district_edit(s, district);
    if (rec == NULL)
        return HC_ERR_NOMEM;
    if (turns)
        rec->retirement_since = ready.retirement ? s->now : HC_TIME_NEVER;
    if (!sets)
        return HC_OK;
    rec->per_device_identity_at = s->now;
    return tell(s, NOTE_DEVICE_IDENTITY_ON, district, "all bodies and heads are ready");
}

/* Districts that some node stands in: each once. */
enum hc_err latches_clock(struct step *s)
{
    size_t size = alloc_count(s->live, REC_NODE), count = 0;
    const char **done = hc_arena_array(&s->out->arena, size + 1, sizeof done[0]);
    if (done == NULL)
        return HC_ERR_NOMEM;
    enum hc_err err = HC_OK;
    for (size_t i = 0; i < size && err == HC_OK; i++) {
        const struct node_rec *node = (const struct node_rec *)alloc_at(s->live, REC_NODE, i);
        bool known = count > 0 && hc_same(done[count - 1], node->district);
        for (size_t k = 0; k < count && !known; k++)
            known = hc_same(done[k], node->district);
        if (known)
            continue;
        done[count++] = node->district;           /* looking edits districts, never nodes */
        err = latch_look(s, node->district);
    }
    return err;
}

enum hc_err legacy_request(struct step *s, const char *head_id)
{
    const struct node_rec *head = alloc_node(s->live, head_id);
    const struct district_rec *known = head == NULL ? NULL : alloc_district(s->live, head->district);
    if (known == NULL || !hc_time_set(known->retirement_since) || !s->ev->store_ok || s->ev->dry_run)
        return HC_OK;
    struct district_rec *rec = district_edit(s, head->district);
    if (rec == NULL)
        return HC_ERR_NOMEM;
    rec->retirement_since = s->now;
    return HC_OK;
}

enum hc_err on_latch_clear(struct step *s)
{
    const struct latch_req *req = &s->ev->u.latch;
    const struct core_view view = step_view(s);
    if (!district_known(&view, req->district))
        return step_refuse(s, DENY_NOT_FOUND);
    if (!s->ev->store_ok)
        return step_refuse(s, DENY_STORE);
    s->out->answer = ANSWER_DONE;
    bool on = per_device_identity_on(s->live, req->district);
    const struct district_rec *known = alloc_district(s->live, req->district);
    bool off = known != NULL && hc_time_set(known->per_device_identity_off_at);
    if (req->allow ? !off : off)
        return HC_OK;
    struct district_rec *rec = district_edit(s, req->district);
    if (rec == NULL)
        return HC_ERR_NOMEM;
    rec->per_device_identity_off_at = req->allow ? HC_TIME_NEVER : s->now;
    if (req->allow)
        return latch_look(s, req->district);
    rec->per_device_identity_at = HC_TIME_NEVER;
    return on ? tell(s, NOTE_DEVICE_IDENTITY_OFF, req->district, "cleared by an admin") : HC_OK;
}
