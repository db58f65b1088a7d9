#include "wire_in.h"

#include <stdio.h>
#include <string.h>

#include "hydra/codec/json.h"

#define DETAIL_MAX   400
#define ROWS_MAX     200000
#define SECONDS_MAX  ((uint64_t)10 * 366 * 24 * 3600)

#define MEMBER(type_, member_) .offset = offsetof(struct type_, member_)
#define IN_STR(key_, type_, member_) \
    { .key = key_, .type = CODEC_STR, MEMBER(type_, member_), .limit = sizeof(((struct type_ *)0)->member_) - 1 }
#define IN_ID(key_, type_, member_)  { .key = key_, .type = CODEC_ID, MEMBER(type_, member_), .flags = CODEC_EMPTY_OK }
#define IN_U32(key_, type_, member_) { .key = key_, .type = CODEC_U32, MEMBER(type_, member_), .limit = UINT32_MAX }
#define IN_U64(key_, type_, member_) { .key = key_, .type = CODEC_U64, MEMBER(type_, member_), .limit = UINT64_MAX }
#define IN_BOOL(key_, type_, member_) { .key = key_, .type = CODEC_BOOL, MEMBER(type_, member_) }
#define IN_SECONDS(key_, type_, member_) { .key = key_, .type = CODEC_SECONDS, MEMBER(type_, member_), .limit = SECONDS_MAX }
#define IN_OBJECT(key_, type_, member_, sub_)                                                                                    \
    { .key = key_, .type = CODEC_OBJECT, MEMBER(type_, member_), .sub = &(sub_), .flags = CODEC_NULLABLE_OBJECT, \
      .null_flag = offsetof(struct type_, has_##member_) }
#define IN_LIST(key_, type_, member_, sub_, most_) \
    { .key = key_, .type = CODEC_LIST, MEMBER(type_, member_), .sub = &(sub_), .limit = (most_) }
#define TABLE(name_, rows_, type_) static const struct codec_table name_ = CODEC_TABLE(#name_, rows_, struct type_, CODEC_NO_PRESENT)

/* ---- heads ---- */

struct lease_in { char id[HC_ID_SIZE], claim_token[HEAD_TOKEN_SIZE], stream_id[HC_ID_SIZE]; uint32_t slot; int64_t ttl_ms, renew_ms; };
static const struct codec_field lease_rows[] = {
    IN_ID("id", lease_in, id), IN_STR("claim_token", lease_in, claim_token), IN_ID("stream_id", lease_in, stream_id),
    IN_U32("slot", lease_in, slot), IN_SECONDS("ttl_seconds", lease_in, ttl_ms), IN_SECONDS("renew_after_seconds", lease_in, renew_ms),
};
TABLE(lease_table, lease_rows, lease_in);

struct body_in { char id[HC_ID_SIZE], app[HEAD_APP_SIZE]; bool directive_applied; };
static const struct codec_field body_rows[] = {
    IN_ID("id", body_in, id), IN_STR("app_name", body_in, app), IN_BOOL("directive_applied", body_in, directive_applied),
};
TABLE(body_table, body_rows, body_in);

struct ticket_in { char state[HEAD_WORD_SIZE], reason[HEAD_WORD_SIZE], stream_id[HC_ID_SIZE]; uint32_t position; };
static const struct codec_field ticket_rows[] = {
    IN_STR("state", ticket_in, state), IN_STR("reason", ticket_in, reason), IN_ID("stream_id", ticket_in, stream_id),
    IN_U32("position", ticket_in, position),
};
TABLE(ticket_table, ticket_rows, ticket_in);

struct answer_in {
    char error[HEAD_WORD_SIZE], reason[HEAD_WORD_SIZE], lease_id[HC_ID_SIZE], stream_id[HC_ID_SIZE];
    int64_t ttl_ms, retry_ms;
    bool has_lease, has_body, has_ticket;
    struct lease_in lease; struct body_in body; struct ticket_in ticket;
};
static const struct codec_field answer_rows[] = {
    IN_STR("error", answer_in, error), IN_STR("reason", answer_in, reason), IN_ID("lease_id", answer_in, lease_id),
    IN_ID("stream_id", answer_in, stream_id), IN_SECONDS("ttl_seconds", answer_in, ttl_ms), IN_SECONDS("retry_after_seconds", answer_in,
            retry_ms),
    IN_OBJECT("lease", answer_in, lease, lease_table), IN_OBJECT("body", answer_in, body, body_table),
    IN_OBJECT("ticket", answer_in, ticket, ticket_table),
};
TABLE(answer_table, answer_rows, answer_in);

struct eligible_in { char id[HC_ID_SIZE]; uint32_t slot, stream_count; };
static const struct codec_field eligible_rows[] = {
    IN_ID("id", eligible_in, id), IN_U32("slot", eligible_in, slot), IN_U32("stream_count", eligible_in, stream_count),
};
TABLE(eligible_table, eligible_rows, eligible_in);
struct rows_in { struct codec_list rows; };
static const struct codec_field eligible_list_rows[] = { IN_LIST("rows", rows_in, rows, eligible_table, ROWS_MAX) };
TABLE(eligible_list_table, eligible_list_rows, rows_in);

static bool read_object(const struct codec_table *table, const char *text, size_t len, struct hc_arena *arena, void *object)
{
    struct json_refusal refusal;
    return json_read(table, text, len, true, arena, object, &refusal) == HC_OK;
}

/* Tables describe objects; a bare array is put into one. */
static bool read_rows(const struct codec_table *table, const char *text, size_t len, struct hc_arena *arena, struct rows_in *ret)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf whole = { 0 };
    hc_buf_str(&whole, "{\"rows\":");
    hc_buf_add(&whole, text, len);
    hc_buf_char(&whole, '}');
    return !whole.failed && read_object(table, whole.data, whole.len, arena, ret);
}

/* Shipping heads take the first body that nobody streams from. */
static bool read_eligible(const char *text, size_t len, struct head_answer *ret)
{
    struct hc_arena arena = { 0 };
    struct rows_in in;
    bool ok = read_rows(&eligible_list_table, text, len, &arena, &in);
    const struct eligible_in *rows = in.rows.items;
    for (size_t i = 0; ok && i < in.rows.count && !ret->has_body; i++) {
        if (rows[i].stream_count != 0)
            continue;
        ret->has_body = true;
        HC_SET(ret->body_id, rows[i].id);
        ret->slot = rows[i].slot;
    }
    hc_arena_free(&arena);
    return ok;
}

static void take_answer(const struct answer_in *in, int64_t scale, struct head_answer *ret)
{
    HC_SET(ret->error, in->error);
    HC_SET(ret->reason, in->has_ticket ? in->ticket.reason : in->reason);
    HC_SET(ret->lease_id, in->has_lease ? in->lease.id : in->lease_id);
    HC_SET(ret->stream_id, in->has_lease ? in->lease.stream_id : in->has_ticket ? in->ticket.stream_id : in->stream_id);
    HC_SET(ret->claim_token, in->lease.claim_token);
    HC_SET(ret->body_id, in->body.id);
    HC_SET(ret->app, in->body.app);
    ret->has_lease = in->has_lease && in->has_body;
    ret->has_body = in->has_body;
    ret->has_ticket = in->has_ticket;
    ret->directive_applied = in->body.directive_applied;
    ret->must_accept = in->has_ticket && (hc_same(in->ticket.state, "confirm_required") || hc_same(in->ticket.state, "promoted"));
    ret->position = in->ticket.position;
    ret->slot = in->lease.slot;
    ret->ttl_ms = (in->has_lease ? in->lease.ttl_ms : in->ttl_ms) * scale;
    ret->renew_ms = in->lease.renew_ms * scale;
    ret->retry_ms = in->retry_ms * scale;
}

bool wire_head_answer(enum head_call call, long status, const char *text, size_t len, int64_t scale, struct head_answer *ret)
{
    ret->call = call;
    ret->status = status;
    if (call == HEAD_READ && status == 200)
        return read_eligible(text, len, ret);
    if (call == HEAD_CONFIG || call == HEAD_COMMANDS || call == HEAD_BEAT)
        return true;
    struct hc_arena arena = { 0 };
    struct answer_in *in = hc_arena_alloc(&arena, sizeof *in);
    bool ok = in != NULL && read_object(&answer_table, text, len, &arena, in);
    if (ok)
        take_answer(in, scale, ret);
    hc_arena_free(&arena);
    return ok;
}

/* ---- bodies ---- */

struct wish_in {
    uint32_t index, protocol;
    char action[HEAD_WORD_SIZE], lease_id[HC_ID_SIZE];
    uint64_t epoch;
    struct codec_list entries, evict;
};
static const struct codec_field wish_rows[] = {
    IN_U32("index", wish_in, index), IN_U32("protocol", wish_in, protocol), IN_STR("action", wish_in, action), IN_ID("lease_id", wish_in,
            lease_id),
    IN_U64("epoch", wish_in, epoch),
    { .key = "app_entries", .type = CODEC_STRS, MEMBER(wish_in, entries), .limit = 1024, .item_limit = BODY_APP_SIZE - 1 },
    { .key = "evict", .type = CODEC_STRS, MEMBER(wish_in, evict), .limit = 1024, .item_limit = HC_ID_MAX },
};
TABLE(wish_table, wish_rows, wish_in);

struct desired_in { char digest[BODY_DIGEST_SIZE], enforce[HEAD_WORD_SIZE]; struct codec_list slots; };
static const struct codec_field desired_rows[] = {
    IN_STR("digest", desired_in, digest), IN_STR("enforce", desired_in, enforce), IN_LIST("slots", desired_in, slots, wish_table,
            BODY_SLOTS_MAX),
};
TABLE(desired_table, desired_rows, desired_in);

struct trust_in { struct codec_list remove; };
static const struct codec_field trust_rows[] = {
    { .key = "remove", .type = CODEC_STRS, MEMBER(trust_in, remove), .limit = 1024, .item_limit = HC_ID_MAX },
};
TABLE(trust_table, trust_rows, trust_in);

struct directive_in { bool terminate_stream, has_desired, has_trust; struct desired_in desired; struct trust_in trust; int64_t next_ms; };
static const struct codec_field directive_rows[] = {
    IN_BOOL("terminate_stream", directive_in, terminate_stream), IN_OBJECT("desired", directive_in, desired, desired_table),
    IN_OBJECT("trust", directive_in, trust, trust_table),
    IN_SECONDS("next_report_seconds", directive_in, next_ms),
};
TABLE(directive_table, directive_rows, directive_in);

static void take_texts(const struct codec_list *list, char *to, size_t size, size_t most, size_t *ret_count)
{
    const char *const *items = list->items;
    for (*ret_count = 0; *ret_count < list->count && *ret_count < most; ++*ret_count)
        hc_copy(to + *ret_count * size, size, items[*ret_count]);
}

static void take_wish(const struct wish_in *in, struct body_wish *ret)
{
    *ret = (struct body_wish){ .index = in->index, .protocol = in->protocol, .epoch = in->epoch };
    ret->action = hc_same(in->action, "serve") ? BODY_SERVE : hc_same(in->action, "terminate") ? BODY_TERMINATE : BODY_FREE;
    HC_SET(ret->lease_id, in->lease_id);
    take_texts(&in->entries, ret->entries[0], sizeof ret->entries[0], BODY_ENTRIES_MAX, &ret->entry_count);
    take_texts(&in->evict, ret->evict[0], sizeof ret->evict[0], BODY_ENTRIES_MAX, &ret->evict_count);
}

bool wire_directive(long status, const char *text, size_t len, int64_t scale, struct body_directive *ret)
{
    *ret = (struct body_directive){ .status = status };
    if (status != 200)
        return true;
    struct hc_arena arena = { 0 };
    struct directive_in in;
    bool ok = read_object(&directive_table, text, len, &arena, &in) && in.has_desired;
    if (ok) {
        const struct wish_in *wishes = in.desired.slots.items;
        ret->terminate_stream = in.terminate_stream;
        ret->enforce = hc_same(in.desired.enforce, "enforce");
        ret->next_report_ms = in.next_ms * scale;
        HC_SET(ret->digest, in.desired.digest);
        for (; ret->wish_count < in.desired.slots.count && ret->wish_count < BODY_SLOTS_MAX; ret->wish_count++)
            take_wish(&wishes[ret->wish_count], &ret->wishes[ret->wish_count]);
        take_texts(&in.trust.remove, ret->remove[0], sizeof ret->remove[0], BODY_REMOVE_MAX, &ret->remove_count);
    }
    hc_arena_free(&arena);
    return ok;
}

struct op_in { char op_id[HC_ID_SIZE]; };
static const struct codec_field op_rows[] = { IN_ID("op_id", op_in, op_id) };
TABLE(op_table, op_rows, op_in);

bool wire_operation(const char *text, size_t len, struct body_op *ret)
{
    struct hc_arena arena = { 0 };
    struct op_in in;
    struct operation_ask ask;
    bool ok = read_object(&op_table, text, len, &arena, &in) && in.op_id[0] != '\0' &&
              read_object(&operation_ask_table, text, len, &arena, &ask);
    if (ok) {
        *ret = (struct body_op){ .op = ask.op, .args = ask.args };
        HC_SET(ret->op_id, in.op_id);
    }
    hc_arena_free(&arena);
    return ok;
}

void wire_admitted(long status, const char *text, size_t len, char ret_lease_id[HC_ID_SIZE])
{
    struct hc_arena arena = { 0 };
    struct answer_in *in = hc_arena_alloc(&arena, sizeof *in);
    ret_lease_id[0] = '\0';
    if (status == 201 && in != NULL && read_object(&answer_table, text, len, &arena, in))
        hc_copy(ret_lease_id, HC_ID_SIZE, in->lease.id);
    hc_arena_free(&arena);
}

/* ---- operators' lists ---- */

static const struct codec_field place_rows[] = {
    IN_ID("head_id", wire_place, head_id), IN_U32("position", wire_place, position), IN_SECONDS("eta_seconds", wire_place, eta_ms),
};
TABLE(place_table, place_rows, wire_place);
static const struct codec_field queue_rows[] = { IN_LIST("rows", rows_in, rows, place_table, ROWS_MAX) };
TABLE(queue_table, queue_rows, rows_in);

bool wire_queue(const char *text, size_t len, struct wire_place *ret, size_t *ret_count)
{
    struct hc_arena arena = { 0 };
    struct rows_in in;
    bool ok = read_rows(&queue_table, text, len, &arena, &in);
    if (ok) {
        *ret_count = in.rows.count < WIRE_QUEUE_MAX ? in.rows.count : WIRE_QUEUE_MAX;
        if (*ret_count > 0)
            memcpy(ret, in.rows.items, *ret_count * sizeof *ret);
    }
    hc_arena_free(&arena);
    return ok;
}

struct slot_lease_in { char id[HC_ID_SIZE]; bool left_behind; };
static const struct codec_field slot_lease_rows[] = { IN_ID("id", slot_lease_in, id), IN_BOOL("left_behind", slot_lease_in, left_behind) };
TABLE(slot_lease_table, slot_lease_rows, slot_lease_in);
struct slot_in { char body_id[HC_ID_SIZE]; uint32_t slot; uint64_t epoch; bool has_lease; struct slot_lease_in lease;
                 struct codec_list divergence; };
static const struct codec_field slot_rows[] = {
    IN_ID("body_id", slot_in, body_id), IN_U32("slot", slot_in, slot), IN_U64("epoch", slot_in, epoch),
    IN_OBJECT("lease", slot_in, lease, slot_lease_table),
    { .key = "divergence", .type = CODEC_STRS, MEMBER(slot_in, divergence), .limit = 64, .item_limit = HEAD_WORD_SIZE },
};
TABLE(slot_table, slot_rows, slot_in);
static const struct codec_field slot_list_rows[] = { IN_LIST("rows", rows_in, rows, slot_table, ROWS_MAX) };
TABLE(slot_list_table, slot_list_rows, rows_in);

bool wire_slots(const char *text, size_t len, wire_slot_fn *row, void *ctx)
{
    struct hc_arena arena = { 0 };
    struct rows_in in;
    bool ok = read_rows(&slot_list_table, text, len, &arena, &in);
    const struct slot_in *rows = in.rows.items;
    for (size_t i = 0; ok && i < in.rows.count; i++) {
        struct wire_slot_row out = { .slot = rows[i].slot, .epoch = rows[i].epoch, .has_lease = rows[i].has_lease,
                                     .left_behind = rows[i].lease.left_behind, .divergences = rows[i].divergence.count };
        HC_SET(out.body_id, rows[i].body_id);
        HC_SET(out.lease_id, rows[i].lease.id);
        row(ctx, &out);
    }
    hc_arena_free(&arena);
    return ok;
}

struct nothing_in { char unused; };
static const struct codec_field nothing_rows[] = { { .key = "", .type = CODEC_BOOL, .offset = 0 } };
TABLE(nothing_table, nothing_rows, nothing_in);
static const struct codec_field count_rows[] = { IN_LIST("rows", rows_in, rows, nothing_table, ROWS_MAX) };
TABLE(count_table, count_rows, rows_in);

bool wire_count(const char *text, size_t len, size_t *ret_count)
{
    struct hc_arena arena = { 0 };
    struct rows_in in;
    bool ok = read_rows(&count_table, text, len, &arena, &in);
    if (ok)
        *ret_count = in.rows.count;
    hc_arena_free(&arena);
    return ok;
}

static const struct codec_field node_rows[] = {
    IN_ID("node_id", wire_node, node_id), IN_STR("token", wire_node, token),
};
TABLE(node_table, node_rows, wire_node);

bool wire_node(const char *text, size_t len, struct wire_node *ret)
{
    struct hc_arena arena = { 0 };
    bool ok = read_object(&node_table, text, len, &arena, ret) && ret->node_id[0] != '\0' && ret->token[0] != '\0';
    hc_arena_free(&arena);
    return ok;
}

struct error_in { char error[HEAD_WORD_SIZE], detail[DETAIL_MAX + 1]; };
static const struct codec_field error_rows[] = { IN_STR("error", error_in, error), IN_STR("detail", error_in, detail) };
TABLE(error_table, error_rows, error_in);

void wire_error(const char *text, size_t len, char ret_words[200])
{
    struct hc_arena arena = { 0 };
    struct error_in in;
    if (read_object(&error_table, text, len, &arena, &in) && in.error[0] != '\0')
        (void)snprintf(ret_words, 200, "%s: %.140s", in.error, in.detail);
    else
        (void)snprintf(ret_words, 200, "%.*s", (int)(len < 150 ? len : 150), text);
    hc_arena_free(&arena);
}
