/* step_edit.c - what a handler changes: bodies to reconcile, ids, refusals, records on the way to an edit. */
#include <assert.h>
#include <string.h>

#include "core.h"

static size_t touched_at(const struct step *s, const char *body_id, bool *ret_found)
{
    size_t low = 0, high = s->touched_count;
    /* Walks go in key order: look at the end first. */
    if (high > 0 && strcmp(s->touched[high - 1], body_id) < 0)
        low = high;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int order = strcmp(s->touched[mid], body_id);
        if (order == 0) {
            *ret_found = true;
            return mid;
        }
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    *ret_found = false;
    return low;
}

enum hc_err step_touch(struct step *s, const char *body_id)
{
    bool found;
    size_t at = touched_at(s, body_id, &found);
    if (found || body_id[0] == '\0')
        return HC_OK;
    if (s->touched_count == s->touched_size) {
        size_t size = s->touched_size == 0 ? STEP_TOUCHED_FIRST : s->touched_size * 2;
        char (*more)[HC_ID_SIZE] = hc_realloc(s->touched, size * sizeof more[0]);
        if (more == NULL)
            return HC_ERR_NOMEM;
        s->touched = more;
        s->touched_size = size;
    }
    memmove(&s->touched[at + 1], &s->touched[at], (s->touched_count - at) * sizeof s->touched[0]);
    HC_SET(s->touched[at], body_id);
    s->touched_count++;
    return HC_OK;
}

enum hc_err step_queue_changed(struct step *s, const char *district)
{
    if (!s->queue_changed)
        HC_SET(s->queue_district, district);
    else if (!hc_same(s->queue_district, district))
        s->queue_district[0] = '\0';      /* two districts in one step: all are walked */
    s->queue_changed = true;
    return HC_OK;
}

void step_hex(struct step *s, const char *label, size_t digits, char *out)
{
    assert(digits <= HC_HASH_HEX);
    unsigned n = s->derived++;
    uint8_t count[4] = { (uint8_t)(n >> 24), (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n }, bytes[32];
    hc_derive(s->ev->seed, label, count, sizeof count, bytes);
    char text[HC_HASH_SIZE];
    hc_hex(bytes, sizeof bytes, text);
    memcpy(out, text, digits);
    out[digits] = '\0';
}

#define ID_DIGITS      16
#define NODE_ID_DIGITS 8        /* shipping tools know `node-` and 8 digits */

void step_id(struct step *s, const char *prefix, char out[HC_ID_SIZE])
{
    size_t len = strlen(prefix);
    assert(len + 1 + ID_DIGITS <= HC_ID_MAX);
    memcpy(out, prefix, len);
    out[len] = '-';
    step_hex(s, prefix, strcmp(prefix, "node") == 0 ? NODE_ID_DIGITS : ID_DIGITS, &out[len + 1]);
}

enum hc_err step_refuse(struct step *s, enum deny_reason why)
{
    s->out->answer = ANSWER_REFUSED;
    s->out->deny = why;
    return HC_OK;
}

static void copy_cut(char *to, size_t size, const char *from)
{
    size_t len = strlen(from);
    len = len < size ? len : size - 1;
    memcpy(to, from, len);
    to[len] = '\0';
}

enum hc_err step_bad(struct step *s, const char *field, const char *detail)
{
    copy_cut(s->out->field, sizeof s->out->field, field);
    copy_cut(s->out->detail, sizeof s->out->detail, detail);
    return step_refuse(s, DENY_BAD_REQUEST);
}

struct body_rec *step_edit_body(struct step *s, const char *body_id)
{
    if (step_touch(s, body_id) != HC_OK)
        return NULL;
    return (struct body_rec *)alloc_edit(s->live, REC_BODY, body_id);
}

static struct rec *edit_observed(struct step *s, enum rec_kind kind, const char *key)
{
    assert(!s->ev->dry_run);
    return observed_edit(s->obs, kind, key);
}

struct node_obs *step_edit_node_obs(struct step *s, const char *node_id)
{
    return (struct node_obs *)edit_observed(s, OBS_NODE, node_id);
}

struct body_obs *step_edit_body_obs(struct step *s, const char *body_id)
{
    return (struct body_obs *)edit_observed(s, OBS_BODY, body_id);
}

struct clock_obs *step_edit_clock(struct step *s, const char *lease_id)
{
    return (struct clock_obs *)edit_observed(s, OBS_CLOCK, lease_id);
}
