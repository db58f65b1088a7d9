/* safe_mode.c - after a start we know less than before: who must speak first, and for how long we wait (rules §8). */
#include <string.h>

#include "safe_mode.h"

static enum safe_mode mode_of(const struct alloc *saved, const char *district)
{
    const struct district_rec *rec = alloc_district(saved, district);
    return rec == NULL ? SAFE_NONE : rec->safe_mode;
}

bool safe_mode_blocks(const struct core_view *v, const struct body_rec *body, const char *district)
{
    /* in boot safe mode a body that has reported may be granted; one that has not is occupied (§5) */
    (void)body;
    return mode_of(v->saved, district) == SAFE_DOWNGRADE;
}

bool safe_mode_awaits(const struct core_view *v, const char *district)
{
    const struct district_rec *rec = alloc_district(v->saved, district);
    return rec != NULL && rec->safe_mode != SAFE_NONE && (rec->safe_mode == SAFE_DOWNGRADE || rec->awaited_count > 0);
}

static enum hc_err safe_mode_over(struct step *s, const char *district_given, const char *why)
{
    char district[HC_NAME_SIZE];
    HC_SET(district, district_given);
    struct district_rec *rec = (struct district_rec *)alloc_edit(s->live, REC_DISTRICT, district);
    if (rec == NULL)
        return HC_ERR_NOMEM;
    enum safe_mode kind = rec->safe_mode;
    rec->safe_mode = SAFE_NONE;
    rec->awaited_count = 0;
    enum hc_err err = step_note(s, NOTE_SAFE_MODE_ENDED, "", -1, NULL, "", "%s: %s", word_of(&safe_mode_words, (int)kind), why);
    if (err != HC_OK)
        return err;
    HC_SET(step_last_note(s)->district, district);
    return step_queue_changed(s, district);
}

static int64_t mode_length_ms(const struct timers *t, enum safe_mode kind)
{
    return kind == SAFE_BOOT ? t->boot_safe_mode_ms : t->safe_mode_timeout_ms;
}

enum hc_err safe_mode_clock(struct step *s, const char *district)
{
    const struct district_rec *rec = alloc_district(s->live, district);
    if (!s->ev->store_ok || rec == NULL || rec->safe_mode == SAFE_NONE)
        return HC_OK;
    bool over = hc_time_since(s->now, rec->safe_since) >= mode_length_ms(s->t, rec->safe_mode);
    return over ? safe_mode_over(s, district, "time is up") : HC_OK;
}

static size_t awaited_at(const struct district_rec *rec, const char *body_id)
{
    for (size_t i = 0; i < rec->awaited_count; i++)
        if (hc_same(rec->awaited[i], body_id))
            return i;
    return SIZE_MAX;
}

enum hc_err safe_mode_heard(struct step *s, const char *body_id)
{
    const struct node_rec *node = alloc_node(s->live, body_id);
    const struct body_rec *body = alloc_body(s->live, body_id);
    const struct body_obs *obs = observed_body(s->obs, body_id);
    const struct district_rec *now = node == NULL ? NULL : alloc_district(s->live, node->district);
    size_t at = now == NULL || now->safe_mode == SAFE_NONE ? SIZE_MAX : awaited_at(now, body_id);
    bool excused = node == NULL || node->approval != APPROVAL_APPROVED || body == NULL || body->maintenance || body->deleted;
    bool heard = obs != NULL && hc_time_set(obs->reported_at);
    if (at == SIZE_MAX || (!heard && !excused))
        return HC_OK;
    struct district_rec *rec = (struct district_rec *)alloc_edit(s->live, REC_DISTRICT, node->district);
    if (rec == NULL)
        return HC_ERR_NOMEM;
    memmove(rec->awaited[at], rec->awaited[at + 1], (rec->awaited_count - at - 1) * sizeof rec->awaited[0]);
    rec->awaited_count--;
    return rec->awaited_count == 0 ? safe_mode_over(s, node->district, "all have reported") : HC_OK;
}

/* `stopped` NEVER: nobody knows when that was, so nobody who is approved can be left out. */
static bool awaits(const struct step *s, const struct body_rec *body, const struct node_rec *node, hc_time stopped)
{
    hc_time heard = hc_time_later(body->last_body_confirmation_at, node->last_seen);
    bool in_time = !hc_time_set(stopped) || (hc_time_set(heard) && hc_time_since(stopped, heard) <= s->t->awaited_memory_ms);
    return node->approval == APPROVAL_APPROVED && !body->maintenance && !body->deleted && in_time;
}

struct district_rec *district_edit(struct step *s, const char *district)
{
    struct district_rec *rec = (struct district_rec *)alloc_edit(s->live, REC_DISTRICT, district);
    if (rec == NULL && alloc_get(s->live, REC_DISTRICT, district) == NULL)
        rec = (struct district_rec *)alloc_create(s->live, REC_DISTRICT, district);
    return rec;
}

/* The mode is entered with the first body of the district that asks for it; `fresh` says so. */
static enum hc_err enter(struct step *s, const char *district, enum safe_mode kind, bool *ret_fresh)
{
    struct district_rec *rec = district_edit(s, district);
    if (rec == NULL)
        return HC_ERR_NOMEM;
    bool goes_on = kind == SAFE_DOWNGRADE && rec->safe_mode == SAFE_DOWNGRADE;      /* it survives a restart, its time too */
    *ret_fresh = !goes_on;
    rec->safe_mode = kind;
    rec->awaited_count = 0;
    if (!goes_on)
        rec->safe_since = s->now;
    return HC_OK;
}

static enum hc_err await_body(struct step *s, const char *district, const char *body_id)
{
    struct district_rec *rec = district_edit(s, district);
    if (rec == NULL)
        return HC_ERR_NOMEM;
    if (rec->awaited_count == AWAITED_MAX)
        return HC_OK;                        /* beyond it a body is merely occupied until it reports */
    char (*awaited)[HC_ID_SIZE] = hc_realloc(rec->awaited, (rec->awaited_count + 1) * sizeof awaited[0]);
    if (awaited == NULL)
        return HC_ERR_NOMEM;
    rec->awaited = awaited;
    HC_SET(awaited[rec->awaited_count++], body_id);
    return HC_OK;
}

/* One district, whose bodies are found by walking all of them in key order. */
static enum hc_err enter_district(struct step *s, const char *district, enum safe_mode kind, hc_time stopped)
{
    bool entered = false, fresh = false;
    enum hc_err err = HC_OK;
    for (size_t i = 0; i < alloc_count(s->live, REC_BODY) && err == HC_OK; i++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(s->live, REC_BODY, i);
        const struct node_rec *node = body_node(s->live, body);
        if (node == NULL || !hc_same(node->district, district))
            continue;
        bool awaited = awaits(s, body, node, stopped);
        if (!entered && (awaited || kind == SAFE_DOWNGRADE)) {
            err = enter(s, district, kind, &fresh);
            entered = true;
        }
        if (err == HC_OK && awaited)
            err = await_body(s, district, body->rec.key);
    }
    if (err != HC_OK || !entered)
        return err;
    const struct district_rec *rec = alloc_district(s->live, district);
    if (rec->awaited_count == 0)
        return safe_mode_over(s, district, "nobody is awaited");
    if (!fresh)
        return HC_OK;
    err = step_note(s, NOTE_SAFE_MODE_ENTERED, "", -1, NULL, "", "%s, %zu bodies awaited", word_of(&safe_mode_words, (int)kind),
                    rec->awaited_count);
    if (err == HC_OK)
        HC_SET(step_last_note(s)->district, district);
    return err;
}

enum hc_err safe_mode_enter_all(struct step *s, enum safe_mode kind, hc_time stopped)
{
    const char **done = hc_arena_array(&s->out->arena, alloc_count(s->live, REC_BODY) + 1, sizeof done[0]);
    if (done == NULL)
        return HC_ERR_NOMEM;
    size_t count = 0;
    enum hc_err err = HC_OK;
    for (size_t i = 0; i < alloc_count(s->live, REC_BODY) && err == HC_OK; i++) {
        const struct node_rec *node = alloc_node(s->live, alloc_at(s->live, REC_BODY, i)->key);
        bool known = node == NULL;
        for (size_t k = 0; k < count && !known; k++)
            known = hc_same(done[k], node->district);
        if (known)
            continue;
        const char *district = hc_arena_strdup(&s->out->arena, node->district);
        if (district == NULL)
            return HC_ERR_NOMEM;
        done[count++] = district;
        /* A downgrade that is not over yet is the stricter of the two. */
        err = enter_district(s, district, mode_of(s->live, district) == SAFE_DOWNGRADE ? SAFE_DOWNGRADE : kind, stopped);
    }
    return err;
}

enum hc_err on_safe_mode_end(struct step *s)
{
    const char *wanted = s->ev->u.district.district;
    if (!s->ev->store_ok)
        return step_refuse(s, DENY_STORE);
    bool all = wanted == NULL || wanted[0] == '\0';
    enum hc_err err = HC_OK;
    for (size_t i = 0; i < alloc_count(s->live, REC_DISTRICT) && err == HC_OK; i++) {
        const struct district_rec *rec = (const struct district_rec *)alloc_at(s->live, REC_DISTRICT, i);
        if (rec->safe_mode != SAFE_NONE && (all || hc_same(rec->rec.key, wanted)))
            err = safe_mode_over(s, rec->rec.key, "ended by an admin");
    }
    return err;
}
