/* eligible.c - GET /bodies/eligible (wire §2, rules §6.3): the claiming read of shipping heads, and the pure read. */
#include "call.h"

#include <string.h>

#include "answer_rows.h"

#define PATIENCE_MS   14000      /* heads give up at 15 s: whatever the store does, they are told before */
#define LEAST_WAIT_MS 1000

struct reading { char district[HC_NAME_SIZE]; int64_t deadline_ms; };

/* ---- rows ---- */

/* Shipping readers want text here, empty rather than null; the rest is ours. */
static const struct codec_field legacy_rows[] = {
    { .key = "id",           .type = CODEC_STR,  .offset = offsetof(struct eligible_row, id) },
    { .key = "name",         .type = CODEC_STR,  .offset = offsetof(struct eligible_row, name) },
    { .key = "ip",           .type = CODEC_STR,  .offset = offsetof(struct eligible_row, ip) },
    { .key = "wireguard_ip", .type = CODEC_STR,  .offset = offsetof(struct eligible_row, wireguard_ip) },
    { .key = "same_venue",   .type = CODEC_BOOL, .offset = offsetof(struct eligible_row, same_venue) },
    { .key = "stream_count", .type = CODEC_U32,  .offset = offsetof(struct eligible_row, stream_count) },
};
static const struct codec_table legacy_table = OUT_TABLE("body", legacy_rows, struct eligible_row);
static const struct codec_field own_rows[] = {
    { .key = "xr_state",     .type = CODEC_STR,  .offset = offsetof(struct eligible_row, xr_state) },
    OUT_U32(struct eligible_row, "slot", slot),
    OUT_U32(struct eligible_row, "slots_total", slots_total),
    OUT_U32(struct eligible_row, "slots_free", slots_free),
    OUT_TIME(struct eligible_row, "reported_at", reported_at),
    OUT_U32(struct eligible_row, "gpu_memory_total_mb", gpu_memory_total_mb),
    OUT_U32(struct eligible_row, "pair_epoch", pair_epoch),
    OUT_TEXT(struct eligible_row, "sunshine_cert_fp", sunshine_cert_fp),
};
static const struct codec_table own_table = OUT_TABLE("body", own_rows, struct eligible_row);
static const struct codec_field lease_rows[] = {
    OUT_TEXT(struct eligible_row, "id", lease_id),
    OUT_WORD(struct eligible_row, "state", lease_state, lease_state_words),
    OUT_SECONDS(struct eligible_row, "expires_in_s", lease_expires_ms),
    OUT_BOOL(struct eligible_row, "mine", lease_mine),
};
static const struct codec_table lease_table = OUT_TABLE("lease", lease_rows, struct eligible_row);

static void write_row(const struct eligible_row *row, struct hc_buf *out)
{
    hc_buf_char(out, '{');
    (void)json_write_members(&legacy_table, row, true, out);
    hc_buf_str(out, ",\"xr_drivers\":[");
    for (size_t i = 0; i < row->xr_driver_count; i++) {
        if (i > 0)
            hc_buf_char(out, ',');
        hc_buf_json_str(out, row->xr_drivers[i]);
    }
    hc_buf_char(out, ']');
    (void)json_write_members(&own_table, row, false, out);
    hc_buf_str(out, ",\"lease\":");
    if (row->has_lease)
        json_write(&lease_table, row, out);
    else
        hc_buf_str(out, "null");
    hc_buf_char(out, '}');
}

/* ---- the read ---- */

static void read_again(struct call *call, bool last);

static void render_rows(struct call *call, struct core_result *result)
{
    struct hc_buf json = { 0 };
    if (result->answer == ANSWER_WAIT_SLOT) {
        const struct reading *reading = call->user;
        call_wait(call, WAIT_FOR_SLOT, reading->district, reading->deadline_ms, read_again);
        return;
    }
    hc_buf_char(&json, '[');
    for (size_t i = 0; i < result->row_count; i++) {
        if (i > 0)
            hc_buf_char(&json, ',');
        write_row(&result->rows[i], &json);
    }
    hc_buf_char(&json, ']');
    call_json(call, 200, &json);
}

static int64_t commit_wait_ms(const struct call *call)
{
    int64_t left_ms = PATIENCE_MS - http_age_us(call->req) / 1000, most_ms = call->api->config.core->timers.commit_wait_ms;
    left_ms = left_ms < LEAST_WAIT_MS ? LEAST_WAIT_MS : left_ms;
    return left_ms < most_ms ? left_ms : most_ms;
}

/* HEAD asks what GET would say and shows no body: it cannot be a claim. */
static bool reads_purely(struct call *call)
{
    if (http_method(call->req) == HTTP_HEAD)
        return true;
    const char *protocol = call_query(call, "protocol");
    return protocol[0] != '\0' && strcmp(protocol, "1") != 0;
}

static void read_again(struct call *call, bool last)
{
    call_event(call, CORE_READ)->u.read = (struct read_req){
        .head_id = call_query(call, "head_id"), .district = call_query(call, "district"), .venue = call_query(call, "venue"),
        .experience = call_query(call, "experience"), .stream_mode = call_query(call, "stream_mode"),
        .protocol2 = reads_purely(call), .include_leased = call->who.kind != PRINCIPAL_NODE && call_query_flag(call, "include_leased"),
        .last_chance = last,
    };
    call->op.wait_ms = commit_wait_ms(call);
    call_submit(call, render_rows);
}

/* Where the head stands, for news of slots there. */
static struct reading *start_reading(struct call *call)
{
    const struct api_config *config = &call->api->config;
    struct reading *reading = hc_arena_alloc(call->arena, sizeof *reading);
    if (reading == NULL)
        return NULL;
    reading->deadline_ms = config->monotonic_ms() + config->core->timers.claim_wait_ms;
    const struct rec *rec = call->who.kind == PRINCIPAL_NODE ? engine_get(config->engine, REC_NODE, call->who.id) : NULL;
    if (rec != NULL)
        HC_SET(reading->district, ((const struct node_rec *)rec)->district);
    engine_release(config->engine, rec);
    return reading;
}

static void eligible_get(struct call *call)
{
    const char *head_id = call_query(call, "head_id");
    bool by_node = call->who.kind == PRINCIPAL_NODE;
    if (by_node && head_id[0] != '\0' && strcmp(head_id, call->who.id) != 0) {
        call_error(call, 403, word_of(&deny_words, DENY_FORBIDDEN), "A node reads for itself only.", NULL, 0);
        return;
    }
    if (head_id[0] != '\0' && !hc_id_ok(head_id)) {
        call_bad(call, "head_id", "An id is 1 to 64 characters of A-Z a-z 0-9 . _ -");
        return;
    }
    call->user = start_reading(call);
    if (call->user == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    bool flat = strcmp(call_query(call, "stream_mode"), "xr") != 0;
    bool claims = by_node && call->who.head && flat && call_query(call, "experience")[0] != '\0' && !reads_purely(call);
    call->measured = call->tell_lost = claims;
    read_again(call, false);
}

const struct api_route eligible_routes[] = {
    { HTTP_GET, "/api/v1/bodies/eligible", SCOPE_NODE | SCOPE_ADMIN | SCOPE_READ, 0, eligible_get },
    { 0 },
};
