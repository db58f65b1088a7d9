#include <string.h>

#include "lease_rows.h"
#include "record_text.h"
#include "rows.h"
#include "xr_rows.h"

#define RESERVE_SIZE 12                     /* "auto", or a number */

struct slot_in_file { struct slot slot; bool has_promise, has_pair; struct codec_list leases, ghosts; };
struct body_in_file {
    struct body_rec body;
    uint64_t present;
    bool has_drain, has_circuit, has_xr;
    char reserve[RESERVE_SIZE];
    struct codec_list experiences, failures, evictions, slots, maintenance_clients;
};

static const struct codec_field promise_rows[] = {
    ROW_ID(struct slot_in_file, "ticket_id", slot.promise_ticket_id, CODEC_REQUIRED),
    ROW_TIME(struct slot_in_file, "until", slot.promise_until, OMIT),
};
static const struct codec_table promise_table = CODEC_TABLE("promise", promise_rows, struct slot_in_file, CODEC_NO_PRESENT);

static const struct codec_field pair_rows[] = {
    ROW_ID(struct slot_in_file, "id", slot.pair.id, CODEC_REQUIRED),
    ROW_ID(struct slot_in_file, "head_id", slot.pair.head_id, CODEC_REQUIRED),
    ROW_STR(struct slot_in_file, "device_uid", slot.pair.device_uid, OMIT),
    ROW_TIME(struct slot_in_file, "granted_at", slot.pair.granted_at, OMIT),
    ROW_TIME(struct slot_in_file, "expires_at", slot.pair.expires_at, OMIT),
};
static const struct codec_table pair_table = CODEC_TABLE("pair_lease", pair_rows, struct slot_in_file, CODEC_NO_PRESENT);

#define SLOT_ROWS(lease_table_) \
    ROW(struct slot_in_file, "index", CODEC_U32, slot.index, BODY_SLOTS_MAX - 1, CODEC_REQUIRED), \
    ROW_EPOCH(struct slot_in_file, "epoch", slot.epoch, CODEC_REQUIRED), \
    ROW_EPOCH(struct slot_in_file, "max_epoch_seen", slot.max_epoch_seen, 0), \
    ROW_BOOL(struct slot_in_file, "epoch_regressed", slot.epoch_regressed, OMIT), \
    ROW_TIME(struct slot_in_file, "silent_until", slot.silent_until, OMIT), \
    ROW_PART(struct slot_in_file, "promise", promise_table, has_promise), \
    ROW_PART(struct slot_in_file, "pair_lease", pair_table, has_pair), \
    ROW_LIST(struct slot_in_file, "leases", leases, SLOT_LEASES_MAX, lease_table_, OMIT), \
    ROW_LIST(struct slot_in_file, "ghosts", ghosts, SLOT_GHOSTS_MAX, ghost_table, OMIT)
static const struct codec_field slot_rows[] = { SLOT_ROWS(lease_table) };
static const struct codec_field slot_read_rows[] = { SLOT_ROWS(lease_read_table) };
static const struct codec_table slot_table = CODEC_TABLE("slot", slot_rows, struct slot_in_file, CODEC_NO_PRESENT);
static const struct codec_table slot_read_table = CODEC_TABLE("slot", slot_read_rows, struct slot_in_file, CODEC_NO_PRESENT);

static const struct codec_field drain_rows[] = {
    ROW_TIME(struct body_in_file, "deadline_at", body.drain_deadline_at, OMIT),
    ROW_BOOL(struct body_in_file, "cordoned", body.drain_cordoned, OMIT),
};
static const struct codec_table drain_table = CODEC_TABLE("drain", drain_rows, struct body_in_file, CODEC_NO_PRESENT);

static const struct codec_field failure_rows[] = {
    ROW_TIME(struct circuit_failure, "at", at, OMIT),
    ROW_ID(struct circuit_failure, "head_id", head_id, OMIT),
    ROW_WORD(struct circuit_failure, "why", why, lease_why_words, OMIT),
};
static const struct codec_table failure_table = CODEC_TABLE("failure", failure_rows, struct circuit_failure, CODEC_NO_PRESENT);

static const struct codec_field eviction_rows[] = {
    ROW_STR(struct eviction, "uuid", uuid, CODEC_REQUIRED),
    ROW_STR(struct eviction, "name", name, OMIT),
    ROW_TIME(struct eviction, "at", at, OMIT),
};
static const struct codec_table eviction_table = CODEC_TABLE("eviction", eviction_rows, struct eviction, CODEC_NO_PRESENT);

static const struct codec_field circuit_rows[] = {
    ROW_WORD(struct body_in_file, "state", body.circuit.state, circuit_words, 0),
    ROW_TIME(struct body_in_file, "until", body.circuit.until, OMIT),
    ROW(struct body_in_file, "open_seconds", CODEC_SECONDS, body.circuit.open_ms, 0, 0),
    ROW_ID(struct body_in_file, "probe_lease_id", body.circuit.probe_lease_id, OMIT),
    ROW_LIST(struct body_in_file, "failures", failures, CIRCUIT_FAILURES_MAX, failure_table, OMIT),
};
static const struct codec_table circuit_table = CODEC_TABLE("circuit", circuit_rows, struct body_in_file, CODEC_NO_PRESENT);

static const struct codec_field xr_rows[] = { XR_ROWS(struct body_in_file, body.xr) };
static const struct codec_table xr_table = CODEC_TABLE("xr", xr_rows, struct body_in_file, CODEC_NO_PRESENT);

/* The reserve is a number or a word; no row can be both, so there is a table for each. */
#define BODY_ROWS(reserve_row, slot_table_) \
    ROW(struct body_in_file, "slots_total", CODEC_U32, body.slots_total, BODY_SLOTS_MAX, 0), \
    ROW_WORD(struct body_in_file, "enforce", body.enforce, enforce_words, 0), \
    ROW_BOOL(struct body_in_file, "maintenance", body.maintenance, 0), \
    reserve_row, \
    ROW_PART(struct body_in_file, "drain", drain_table, has_drain), \
    ROW_STR(struct body_in_file, "boot_id", body.boot_id, OMIT), \
    ROW_TIME(struct body_in_file, "last_body_confirmation_at", body.last_body_confirmation_at, OMIT), \
    ROW_U32(struct body_in_file, "boots_unconfirmed", body.boots_unconfirmed, UINT32_MAX), \
    ROW_BOOL(struct body_in_file, "unconfirmed_told", body.unconfirmed_told, OMIT), \
    ROW_BOOL(struct body_in_file, "deleted", body.deleted, OMIT), \
    ROW_U32(struct body_in_file, "pair_epoch", body.pair_epoch, UINT32_MAX), \
    ROW_STR(struct body_in_file, "sunshine_cert_fp", body.sunshine_cert_fp, OMIT), \
    ROW_STRS(struct body_in_file, "listed_experiences", experiences, EXPERIENCES_MAX, OMIT), \
    ROW_TIME(struct body_in_file, "last_unauthorized_at", body.last_unauthorized_at, OMIT), \
    ROW_TIME(struct body_in_file, "observing_since", body.observing_since, OMIT), \
    ROW_STRS(struct body_in_file, "maintenance_clients", maintenance_clients, MAINTENANCE_CLIENTS_MAX, OMIT), \
    ROW_PART(struct body_in_file, "circuit", circuit_table, has_circuit), \
    ROW_TIME(struct body_in_file, "custodian_last_success_at", body.custodian_last_success_at, OMIT), \
    ROW_TIME(struct body_in_file, "cert_rotated_at", body.cert_rotated_at, OMIT), \
    ROW_LIST(struct body_in_file, "evictions", evictions, EVICTIONS_KEPT, eviction_table, OMIT), \
    ROW_PART(struct body_in_file, "xr", xr_table, has_xr), \
    ROW_LIST(struct body_in_file, "slots", slots, BODY_SLOTS_MAX, slot_table_, 0)
#define RESERVE_KEY "home_venue_reserve"
#define RESERVE_TEXT   ROW_STR(struct body_in_file, RESERVE_KEY, reserve, OMIT)
#define RESERVE_NUMBER ROW_U32(struct body_in_file, RESERVE_KEY, body.home_venue_reserve, INT32_MAX)

static const struct codec_field body_auto_rows[] = { BODY_ROWS(RESERVE_TEXT, slot_table) };
static const struct codec_field body_number_rows[] = { BODY_ROWS(RESERVE_NUMBER, slot_table) };
static const struct codec_field body_read_rows[] = { BODY_ROWS(RESERVE_TEXT, slot_read_table) };
static const struct codec_table body_auto_table = CODEC_TABLE("body", body_auto_rows, struct body_in_file, CODEC_NO_PRESENT);
static const struct codec_table body_number_table = CODEC_TABLE("body", body_number_rows, struct body_in_file, CODEC_NO_PRESENT);
static const struct codec_table body_read_table =
    CODEC_TABLE("body", body_read_rows, struct body_in_file, offsetof(struct body_in_file, present));

static struct codec_list list_of(const void *items, size_t count)
{
    return (struct codec_list){ count == 0 ? NULL : (void *)(uintptr_t)items, count };      /* writing only reads it */
}

static void fill_slot(const struct slot *slot, struct slot_in_file *out)
{
    *out = (struct slot_in_file){
        .slot = *slot,
        .has_promise = slot->promise_ticket_id[0] != '\0',
        .has_pair = slot->pair.id[0] != '\0',
        .leases = list_of(slot->leases, slot->lease_count),
        .ghosts = list_of(slot->ghosts, slot->ghost_count),
    };
}

void write_body(const struct rec *rec, unsigned part, struct hc_buf *out)
{
    (void)part;
    const struct body_rec *body = (const struct body_rec *)rec;
    const struct circuit *circuit = &body->circuit;
    struct slot_in_file slots[BODY_SLOTS_MAX];
    for (size_t i = 0; i < body->slot_count; i++)
        fill_slot(&body->slots[i], &slots[i]);
    struct body_in_file file = {
        .body = *body,
        .has_drain = hc_time_set(body->drain_deadline_at) || body->drain_cordoned,
        .has_circuit = circuit->state != CIRCUIT_CLOSED || circuit->failure_count > 0 || circuit->open_ms != 0 ||
                       hc_time_set(circuit->until) || circuit->probe_lease_id[0] != '\0',
        .has_xr = body->xr.session_id[0] != '\0',
        .failures = list_of(circuit->failures, circuit->failure_count),
        .evictions = list_of(body->evictions, body->eviction_count),
        .slots = list_of(slots, body->slot_count),
    };
    const struct strings *listed = body->listed_experiences;
    if (listed != NULL)
        file.experiences = list_of(listed->at, listed->count);
    if (body->maintenance_clients != NULL)
        file.maintenance_clients = list_of(body->maintenance_clients->at, body->maintenance_clients->count);
    bool numbered = body->home_venue_reserve != RESERVE_AUTO;
    if (!numbered)
        HC_SET(file.reserve, "auto");
    write_keyed(rec->key, numbered ? &body_number_table : &body_auto_table, &file, out);
    write_paired("paired", body->paired, 4, out);
}

static enum hc_err read_reserve(struct reading *r, const struct yaml_node *map, const char *text, int32_t *ret_reserve)
{
    *ret_reserve = RESERVE_AUTO;
    if (text[0] == '\0' || strcmp(text, "auto") == 0)
        return HC_OK;
    int64_t number = 0;
    size_t digits = strspn(text, "0123456789");
    for (size_t i = 0; i < digits; i++)           /* RESERVE_SIZE keeps it far from overflow */
        number = number * 10 + (text[i] - '0');
    const struct yaml_node *at = yaml_get(map, RESERVE_KEY);
    if (at->quoted || text[digits] != '\0' || (text[0] == '0' && digits > 1))
        return yaml_fail(r->diag, r->file, at, RESERVE_KEY, "must be auto or a whole number");
    if (number > INT32_MAX)
        return yaml_fail(r->diag, r->file, at, RESERVE_KEY, "is above %d", INT32_MAX);
    *ret_reserve = (int32_t)number;
    return HC_OK;
}

/* One lease of a file: what no field table can say. */
static enum hc_err judge_lease(struct reading *r, const struct lease_in_file *found, const struct yaml_node *at)
{
    const struct lease *lease = &found->lease;
    if (lease_is_terminal(lease->came_from))
        return yaml_fail(r->diag, r->file, at, "came_from", "%s is a state that nothing comes back from",
                         word_of(&lease_state_words, (int)lease->came_from));
    if (found->history_written && !lease_is_terminal(lease->state))
        return yaml_fail(r->diag, r->file, at, "history_written", "only a lease that is over has a history line");
    return HC_OK;
}

static enum hc_err take_leases(struct reading *r, const struct codec_list *from, const struct yaml_node *list, struct slot *slot)
{
    const struct lease_in_file *found = from->items;
    size_t live = 0;
    slot->leases = from->count == 0 ? NULL : hc_alloc(from->count * sizeof slot->leases[0]);
    if (from->count > 0 && slot->leases == NULL)
        return no_memory(r);
    for (size_t i = 0; i < from->count; i++) {
        const struct lease *lease = &found[i].lease;
        enum hc_err err = judge_lease(r, &found[i], list->items[i]);
        if (err != HC_OK)
            return err;
        if (!lease_is_terminal(lease->state) && live++ > 0)
            return yaml_fail(r->diag, r->file, list->items[i], "leases", "%s is the second lease of slot %u that is not over",
                             lease->id, slot->index);
        if (found[i].history_written)
            continue;
        slot->leases[slot->lease_count] = *lease;
        err = note_lease(r, slot->leases[slot->lease_count++].id, list->items[i]);
        if (err != HC_OK)
            return err;
    }
    return HC_OK;
}

static enum hc_err take_slot(struct reading *r, const struct slot_in_file *found, const struct yaml_node *map, struct body_rec *body)
{
    uint32_t index = found->slot.index;
    const struct yaml_node *at = yaml_get(map, "index");
    if (index >= body->slot_count)
        return yaml_fail(r->diag, r->file, at, "index", "%u is beyond the %zu slots that are listed", index, body->slot_count);
    struct slot *slot = &body->slots[index];
    *slot = found->slot;
    slot->ghost_count = found->ghosts.count;
    if (found->ghosts.count > 0)
        memcpy(slot->ghosts, found->ghosts.items, found->ghosts.count * sizeof slot->ghosts[0]);
    return take_leases(r, &found->leases, yaml_get(map, "leases"), slot);
}

static enum hc_err take_slots(struct reading *r, const struct codec_list *from, const struct yaml_node *list, struct body_rec *body)
{
    bool seen[BODY_SLOTS_MAX] = { false };
    const struct slot_in_file *found = from->items;
    if (from->count == 0)
        return HC_OK;
    body->slots = hc_alloc(from->count * sizeof body->slots[0]);
    if (body->slots == NULL)
        return no_memory(r);
    body->slot_count = from->count;
    for (size_t i = 0; i < from->count; i++) {
        uint32_t index = found[i].slot.index;
        if (seen[index])
            return yaml_fail(r->diag, r->file, yaml_get(list->items[i], "index"), "index", "slot %u is there twice", index);
        enum hc_err err = take_slot(r, &found[i], list->items[i], body);
        if (err != HC_OK)
            return err;
        seen[index] = true;
    }
    return HC_OK;
}

/* What was read replaces everything but the record's own head. */
static enum hc_err take_body(struct reading *r, const struct body_in_file *found, const struct yaml_node *map, struct body_rec *body)
{
    const struct rec head = body->rec;
    *body = found->body;
    body->rec = head;
    if (!codec_has(&body_read_table, found, "slots_total"))
        body->slots_total = SLOTS_TOTAL_DEFAULT;
    if (body->slots_total == 0)
        return yaml_fail(r->diag, r->file, yaml_get(map, "slots_total"), "slots_total", "must be at least 1");
    if (found->has_xr && body->xr.state == XR_NONE)
        return yaml_fail(r->diag, r->file, yaml_get(map, "xr"), "state", "an XR session that is there has a state");
    body->circuit.failure_count = found->failures.count;
    if (found->failures.count > 0)
        memcpy(body->circuit.failures, found->failures.items, found->failures.count * sizeof body->circuit.failures[0]);
    body->eviction_count = found->evictions.count;
    if (found->evictions.count > 0)
        memcpy(body->evictions, found->evictions.items, found->evictions.count * sizeof body->evictions[0]);
    enum hc_err err = read_reserve(r, map, found->reserve, &body->home_venue_reserve);
    if (err == HC_OK)
        err = take_strings(r, &found->experiences, false, &body->listed_experiences);
    if (err == HC_OK)
        err = take_strings(r, &found->maintenance_clients, false, &body->maintenance_clients);
    return err == HC_OK ? take_slots(r, &found->slots, yaml_get(map, "slots"), body) : err;
}

enum hc_err read_body(struct reading *r, unsigned part, const struct yaml_pair *pair, struct yaml_node *value)
{
    (void)part;
    struct body_in_file found;
    struct paired *paired = NULL;
    enum hc_err err = check_key_id(r, pair);
    if (err == HC_OK)
        err = read_paired(r, "paired", PAIRED_MAX, value, &paired);
    if (err == HC_OK)
        err = read_table(r, &body_read_table, value, &found);
    struct rec *rec = err == HC_OK ? rec_new(REC_BODY, pair->key) : NULL;
    if (rec == NULL) {
        paired_unref(paired);
        return err == HC_OK ? no_memory(r) : err;
    }
    found.body.paired = paired;
    err = take_body(r, &found, value, (struct body_rec *)rec);
    if (err == HC_OK)
        return put_record(r, rec);
    rec_unref(rec);
    return err;
}
