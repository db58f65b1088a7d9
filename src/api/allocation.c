/* allocation.c - GET /allocation: capacity, queues and waits by pool and by venue, and who was turned away in the last hour (wire §5). */
#include <stdio.h>

#include "answer_rows.h"
#include "operator_routes.h"

#define WAIT_KEY_SIZE (POOL_SIZE + 8)

static const struct codec_field pool_rows[] = {
    OUT_TEXT(struct pool_row, "pool", pool),
    OUT_U32(struct pool_row, "slots", slots),
    OUT_U32(struct pool_row, "occupied", occupied),
    OUT_U32(struct pool_row, "grantable", grantable),
    OUT_U32(struct pool_row, "queue_depth", queue_depth),
};
static const struct codec_table pool_table = OUT_TABLE("pool", pool_rows, struct pool_row);

static const struct codec_field venue_rows[] = {
    OUT_TEXT(struct venue_row, "venue", venue),
    OUT_U32(struct venue_row, "slots", slots),
    OUT_U32(struct venue_row, "occupied", occupied),
    OUT_U32(struct venue_row, "queue_depth", queue_depth),
};
static const struct codec_table venue_table = OUT_TABLE("venue", venue_rows, struct venue_row);

struct waits { int64_t median_ms, p90_ms; };
static const struct codec_field wait_rows[] = {
    OUT_SECONDS(struct waits, "wait_median_seconds", median_ms),
    OUT_SECONDS(struct waits, "wait_p90_seconds", p90_ms),
};
static const struct codec_table wait_table = OUT_TABLE("wait", wait_rows, struct waits);

static void write_waits(const struct feed *feed, const char *kind, const char *name, struct hc_buf *out)
{
    char key[WAIT_KEY_SIZE];
    (void)snprintf(key, sizeof key, "%s/%s", kind, name);
    struct waits waits;
    feed_waits(feed, key, &waits.median_ms, &waits.p90_ms);
    (void)json_write_members(&wait_table, &waits, false, out);
}

static void write_pools(const struct feed *feed, const struct pool_row *pools, size_t count, struct hc_buf *out)
{
    for (size_t i = 0; i < count; i++) {
        hc_buf_str(out, i > 0 ? ",{" : "{");
        (void)json_write_members(&pool_table, &pools[i], true, out);
        write_waits(feed, "pool", pools[i].pool, out);
        hc_buf_str(out, ",\"open_circuits\":[");
        for (size_t c = 0; c < pools[i].open_count; c++) {
            if (c > 0)
                hc_buf_char(out, ',');
            hc_buf_json_str(out, pools[i].open_circuits[c]);
        }
        hc_buf_str(out, "]}");
    }
}

static void write_venues(const struct feed *feed, const struct venue_row *venues, size_t count, struct hc_buf *out)
{
    for (size_t i = 0; i < count; i++) {
        hc_buf_str(out, i > 0 ? ",{" : "{");
        (void)json_write_members(&venue_table, &venues[i], true, out);
        write_waits(feed, "venue", venues[i].venue, out);
        hc_buf_char(out, '}');
    }
}

static enum hc_err write_denials(struct call *call, hc_time now, struct hc_buf *out)
{
    static const struct { const char *key; enum denial_axis axis; } axes[] = {
        { "by_reason", DENIAL_BY_REASON }, { "by_head_venue", DENIAL_BY_HEAD_VENUE }, { "by_body_venue", DENIAL_BY_BODY_VENUE },
    };
    for (size_t a = 0; a < sizeof axes / sizeof axes[0]; a++) {
        struct denial_count *counts;
        size_t count;
        enum hc_err err = feed_denials(call->api->config.feed, now, axes[a].axis, call->arena, &counts, &count);
        if (err != HC_OK)
            return err;
        hc_buf_printf(out, "%s\"%s\":{", a > 0 ? "," : "", axes[a].key);
        for (size_t i = 0; i < count; i++) {
            if (i > 0)
                hc_buf_char(out, ',');
            hc_buf_json_str(out, counts[i].word);
            hc_buf_char(out, ':');
            hc_buf_u64(out, counts[i].count);
        }
        hc_buf_char(out, '}');
    }
    return HC_OK;
}

static void allocation_get(struct call *call)
{
    struct engine_view view;
    if (!call_view(call, &view))
        return;
    hc_time now = view.view.now;
    struct pool_row *pools;
    struct venue_row *venues = NULL;
    size_t pool_count, venue_count = 0;
    enum hc_err err = query_pools(&view.view, call->arena, &pools, &pool_count);
    if (err == HC_OK)
        err = query_venues(&view.view, call->arena, &venues, &venue_count);
    call_view_done(call, &view);
    struct hc_buf json = { 0 };
    if (err == HC_OK) {
        const struct feed *feed = call->api->config.feed;
        hc_buf_str(&json, "{\"pools\":[");
        write_pools(feed, pools, pool_count, &json);
        hc_buf_str(&json, "],\"venues\":[");
        write_venues(feed, venues, venue_count, &json);
        hc_buf_str(&json, "],\"denials_last_hour\":{");
        err = write_denials(call, now, &json);
        hc_buf_str(&json, "}}");
    }
    if (err == HC_OK) {
        call_json(call, 200, &json);
        return;
    }
    hc_buf_free(&json);
    call_fault(call, err);
}

const struct api_route allocation_routes[] = {
    { HTTP_GET, "/api/v1/allocation", SCOPE_OPERATOR_READ, 0, allocation_get },
    { 0 },
};
