#include "restore_facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hydra/base/arena.h"
#include "hydra/base/id.h"
#include "hydra/codec/yaml.h"
#include "value_text.h"

#define KEY_SIZE (HC_ID_SIZE + 24)

static const char *scalar(const struct yaml_node *map, const char *key)
{
    const struct yaml_node *node = map == NULL || map->kind != YAML_MAP ? NULL : yaml_get(map, key);
    return node != NULL && node->kind == YAML_SCALAR && !yaml_is_null(node) ? node->scalar : NULL;
}

static bool number(const struct yaml_node *map, const char *key, json_int_t *ret)
{
    const char *text = scalar(map, key);
    char *end;
    if (text == NULL || text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    *ret = (json_int_t)value;
    return errno == 0 && *end == '\0' && value <= HC_EPOCH_MAX;
}

static bool add_slot(json_t *slots, const char *body_id, json_int_t slot, json_int_t epoch, const char *lease)
{
    char key[KEY_SIZE];
    int len = snprintf(key, sizeof key, "%s/%lld", body_id, (long long)slot);
    json_t *row = len < 0 || (size_t)len >= sizeof key ? NULL
                                                       : json_pack("{s:s, s:I, s:I, s:s?}", "body_id", body_id, "slot", slot, "epoch",
                                                                   epoch,
                                                                   "lease", lease);
    return row != NULL && json_object_set_new(slots, key, row) == 0;
}

/* ---- of a file ---- */

static enum hc_err add_body(const char *file, const struct yaml_pair *body, json_t *slots, struct hc_diag *diag)
{
    const struct yaml_node *list = body->value->kind == YAML_MAP ? yaml_get(body->value, "slots") : NULL;
    for (size_t i = 0; list != NULL && list->kind == YAML_SEQ && i < list->count; i++) {
        const struct yaml_node *slot = list->items[i], *leases = slot->kind == YAML_MAP ? yaml_get(slot, "leases") : NULL;
        json_int_t index = 0, epoch = 0;
        const char *lease = NULL;
        if (!number(slot, "index", &index) || !number(slot, "epoch", &epoch))
            return yaml_fail(diag, file, slot, "slots", "a slot has an index and an epoch, whole numbers");
        for (size_t k = 0; leases != NULL && leases->kind == YAML_SEQ && k < leases->count && lease == NULL; k++)
            if (scalar(leases->items[k], "left_behind") == NULL || strcmp(scalar(leases->items[k], "left_behind"), "true") != 0)
                lease = scalar(leases->items[k], "id");
        if (!add_slot(slots, body->key, index, epoch, lease))
            return hc_fail(diag, HC_ERR_NOMEM, "out of memory");
    }
    return HC_OK;
}

/* A file that was cut off has no end, or the end of another generation. */
static enum hc_err read_head(const char *file, const struct yaml_node *root, json_t **ret_head, struct hc_diag *diag)
{
    json_int_t generation = 0, end = 0;
    if (!number(root, "generation", &generation))
        return yaml_fail(diag, file, root, "generation", "is missing or no whole number: is this an allocation.yaml?");
    if (!number(root, "end", &end) || end != generation)
        return yaml_fail(diag, file, root, "end", "is not the generation: the file is not whole");
    *ret_head = json_pack("{s:I, s:s?}", "generation", generation, "saved_at", scalar(root, "saved_at"));
    return *ret_head != NULL ? HC_OK : hc_fail(diag, HC_ERR_NOMEM, "out of memory");
}

enum hc_err restore_slots_of_file(const char *file, const char *text, size_t len, json_t **ret_slots, json_t **ret_head,
                                  struct hc_diag *diag)
{
    struct hc_arena arena = { 0 };
    struct yaml_node *root = NULL;
    json_t *slots = json_object(), *head = NULL;
    enum hc_err err = slots == NULL ? HC_ERR_NOMEM : yaml_parse(file, text, len, &arena, &root, diag);
    if (err == HC_OK)
        err = read_head(file, root, &head, diag);
    const struct yaml_node *bodies = err == HC_OK ? yaml_get(root, "bodies") : NULL;
    for (size_t i = 0; bodies != NULL && bodies->kind == YAML_MAP && i < bodies->count && err == HC_OK; i++)
        err = add_body(file, &bodies->pairs[i], slots, diag);
    hc_arena_free(&arena);
    if (err != HC_OK) {
        json_decref(slots);
        json_decref(head);
        return err;
    }
    *ret_slots = slots;
    *ret_head = head;
    return HC_OK;
}

/* ---- of an answer ---- */

enum hc_err restore_slots_of_answer(const json_t *answer, json_t **ret_slots, struct hc_diag *diag)
{
    json_t *slots = json_object();
    bool ok = slots != NULL;
    for (size_t i = 0; ok && i < json_array_size(answer); i++) {
        const json_t *row = json_array_get(answer, i), *lease = value_at(row, "lease");
        const char *id = value_true(lease, "left_behind") ? NULL : json_string_value(value_at(lease, "id"));
        char key[KEY_SIZE];
        json_int_t slot = json_integer_value(value_at(row, "slot"));
        (void)snprintf(key, sizeof key, "%s/%lld", value_str(row, "body_id"), (long long)slot);
        if (value_str(json_object_get(slots, key), "lease")[0] != '\0')
            continue;                       /* a second row of the slot: the first has its lease */
        ok = add_slot(slots, value_str(row, "body_id"), slot, json_integer_value(value_at(row, "epoch")), id);
    }
    if (ok) {
        *ret_slots = slots;
        return HC_OK;
    }
    json_decref(slots);
    return hc_fail(diag, HC_ERR_NOMEM, "out of memory");
}

/* ---- both ---- */

struct counts { json_int_t older, gone, same, newer, leases_lost; };

static const char *judge(const json_t *copy, const json_t *now, struct counts *counts)
{
    json_int_t then = json_integer_value(value_at(copy, "epoch")), today = json_integer_value(value_at(now, "epoch"));
    const char *lease = value_str(now, "lease");
    counts->leases_lost += lease[0] != '\0' && strcmp(lease, value_str(copy, "lease")) != 0;
    if (copy == NULL) {
        counts->gone++;
        return "gone";
    }
    if (now == NULL)
        return "not_now";
    counts->older += then < today;
    counts->same += then == today;
    counts->newer += then > today;
    return then < today ? "older" : then == today ? "same" : "newer";
}

static bool add_row(json_t *rows, const json_t *copy, const json_t *now, struct counts *counts)
{
    const json_t *any = copy != NULL ? copy : now;
    json_t *row = json_pack("{s:O, s:O, s:s, s:O*, s:O*, s:s?, s:s?}", "body_id", value_at(any, "body_id"), "slot", value_at(any, "slot"),
                            "verdict", judge(copy, now, counts), "epoch", value_at(copy, "epoch"), "epoch_now", value_at(now, "epoch"),
                                "lease",
                            json_string_value(value_at(copy, "lease")), "lease_now", json_string_value(value_at(now, "lease")));
    return row != NULL && json_array_append_new(rows, row) == 0;
}

static const char *meaning(const struct counts *counts)
{
    if (counts->older > 0)
        return
            "the copy is older than what bodies have seen: after a restore such a slot is shown as epoch_below_floor and given to nobody "
               "until its body has confirmed a higher epoch; what was granted since is not known there";
    if (counts->gone > 0)
        return "bodies that enrolled since are not in the copy: their tokens will not be known";
    if (counts->leases_lost > 0)
        return "leases that were granted since are not in the copy: their sessions are found and adopted when their bodies report";
    return "no slot would be set back";
}

json_t *restore_compare(const json_t *copy, const json_t *now)
{
    struct counts counts = { 0 };
    json_t *rows = json_array(), *value;
    const char *key;
    bool ok = rows != NULL;
    json_object_foreach((json_t *)copy, key, value)
        ok = ok && add_row(rows, value, json_object_get(now, key), &counts);
    json_object_foreach((json_t *)now, key, value)
        ok = ok && (json_object_get(copy, key) != NULL || add_row(rows, NULL, value, &counts));
    json_t *answer = ok ? json_pack("{s:I, s:I, s:I, s:I, s:I, s:s, s:O}", "slots_older", counts.older, "slots_gone", counts.gone,
                                    "slots_same",
                                    counts.same, "slots_newer", counts.newer, "leases_lost", counts.leases_lost, "meaning",
                                        meaning(&counts),
                                    "slots", rows)
                        : NULL;
    json_decref(rows);
    return answer;
}
