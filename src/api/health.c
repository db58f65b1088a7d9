/* health.c - /health, /livez, /readyz: what runs, and what keeps it from serving. None of them waits for anything (rules §3.4). */
#include <stdio.h>

#include "answer_rows.h"
#include "operator_routes.h"

#define REASONS_SIZE (HC_DIAG_SIZE + 200)

static void health_get(struct call *call)
{
    const struct api *api = call->api;
    struct engine_health health;
    engine_health(api->config.engine, &health);
    bool ok = health.store_ok && health.history_ok;
    struct hc_buf json = { 0 };
    hc_buf_str(&json, "{\"service\":\"hydraclusterd\"");
    member_text("version", api->config.version, &json);
    member_text("district", api->config.core->default_district, &json);
    int64_t up_ms = api->config.monotonic_ms() - api->started_ms;
    member_u64("uptime_seconds", true, (uint64_t)(up_ms > 0 ? up_ms / HC_SECOND_MS : 0), &json);
    member_text("status", ok ? "ok" : "degraded", &json);
    hc_buf_str(&json, ",\"dependencies\":{");
    hc_buf_str(&json, health.store_ok ? "\"store\":\"ok\"" : "\"store\":\"down\"");
    member_text("history", health.history_ok ? "ok" : "failing", &json);
    hc_buf_str(&json, "}}");
    call_json(call, 200, &json);
}

static void livez_get(struct call *call)
{
    call_text(call, 200, "text/plain", "ok");
}

/* One reason a line. A reason is one line: what a library says may have more. */
static void add_reason(char text[REASONS_SIZE], const char *word, const char *detail)
{
    size_t used = 0;
    while (text[used] != '\0')
        used++;
    (void)snprintf(text + used, REASONS_SIZE - used, "%s%s%s\n", word, detail[0] == '\0' ? "" : ": ", detail);
    for (char *at = text + used; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' && at[1] != '\0')
            *at = ' ';
}

static void readyz_get(struct call *call)
{
    struct engine_health health;
    engine_health(call->api->config.engine, &health);
    char text[REASONS_SIZE] = "";
    if (call->api->stopping)
        add_reason(text, "stopping", "");
    if (health.saves == 0)
        add_reason(text, "starting", "the first save is not done");
    if (!health.store_ok)
        add_reason(text, "store_down", health.store_detail);
    if (text[0] == '\0') {
        call_text(call, 200, "text/plain", "ok");
        return;
    }
    http_header_add(call->req, "Retry-After", "1");
    call_text(call, 503, "text/plain", text);
}

const struct api_route health_routes[] = {
    { HTTP_GET, "/health",         SCOPE_PUBLIC, 0, health_get },
    { HTTP_GET, "/api/v1/health",  SCOPE_PUBLIC, 0, health_get },
    { HTTP_GET, "/livez",          SCOPE_PUBLIC, 0, livez_get },
    { HTTP_GET, "/api/v1/livez",   SCOPE_PUBLIC, 0, livez_get },
    { HTTP_GET, "/readyz",         SCOPE_PUBLIC, 0, readyz_get },
    { HTTP_GET, "/api/v1/readyz",  SCOPE_PUBLIC, 0, readyz_get },
    { HTTP_GET, "/metrics",        SCOPE_OPERATOR_READ | SCOPE_LOOPBACK, 0, metrics_get },
    { HTTP_GET, "/api/v1/metrics", SCOPE_OPERATOR_READ | SCOPE_LOOPBACK, 0, metrics_get },
    { 0 },
};
