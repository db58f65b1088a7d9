/* story_registry.c - the daemon is there; a venue, an experience and machines are made known to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "story.h"

#define VENUES      "/api/v1/venues"
#define ORGS        "/api/v1/orgs"
#define EXPERIENCES "/api/v1/experiences"
#define NODE        "/api/v1/nodes/{id}"
#define HEAD        "/api/v1/heads/{id}"

static void health(void)
{
    static const struct { const char *route, *says; } rows[] = {
        { "GET /health", "A monitor asks what runs." },
        { "GET /api/v1/health", "As `GET /health`, under the base path." },
        { "GET /livez", "A supervisor asks whether the process answers at all." },
        { "GET /api/v1/livez", "As `GET /livez`, under the base path." },
        { "GET /readyz", "A load balancer asks whether it serves; else it is 503 and a reason a line." },
        { "GET /api/v1/readyz", "As `GET /readyz`, under the base path." },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        tell(&(struct asked){ .route = rows[i].route, AS_ANYBODY, .says = rows[i].says });
}

static void places(void)
{
    tell(&(struct asked){ .route = "PUT " VENUES "/{venue}", .ids = { STORY_VENUE }, AS_ADMIN,
        .says = "An operator states a venue: whose it is, how many slots it may have at a time, and that visitors confirm a promotion.",
        .json = json_pack("{s:s,s:s,s:i,s:s}", "district", STORY_DISTRICT, "owner", STORY_OWNER, "max_concurrent_grants", 4,
                          "queue_accept_mode", "confirm") });
    tell(&(struct asked){ .route = "GET " VENUES "/{venue}", .ids = { STORY_VENUE }, AS_ADMIN, .says = "An operator looks at a venue." });
    tell(&(struct asked){ .route = "GET " VENUES, AS_ADMIN, .says = "An operator lists the venues that were PUT." });
    tell(&(struct asked){ .route = "PUT " ORGS "/{org}", .ids = { STORY_OWNER }, AS_ADMIN,
        .says = "An operator caps what the venues of one owner may have at a time, all together.",
        .json = json_pack("{s:i}", "max_concurrent_grants", 10) });
    tell(&(struct asked){ .route = "GET " ORGS "/{org}", .ids = { STORY_OWNER }, AS_ADMIN, .says = "An operator looks at an owner." });
    tell(&(struct asked){ .route = "GET " ORGS, AS_ADMIN, .says = "An operator lists the owners that were PUT." });
    tell(&(struct asked){ .route = "PUT " EXPERIENCES "/{name}", .ids = { FLEET_EXPERIENCE }, AS_ADMIN,
        .says = "An operator states an experience: its label, how it is held, and where it is shown (`venues` left out: everywhere).",
        .json = json_pack("{s:s,s:s,s:b,s:s}", "label", "Rupelmonde", "orientation", "landscape", "enable_microphone", 1, "stream_mode",
                          "flat") });
    struct call xr = quietly(scene.home.admin_token, "PUT", EXPERIENCES "/" STORY_XR,
                             "{\"label\":\"Mercator\",\"stream_mode\":\"xr\",\"venues\":[\"" STORY_VENUE "\"]}");
    call_free(&xr);
    tell(&(struct asked){ .route = "GET " EXPERIENCES "/{name}", .ids = { STORY_XR }, AS_ADMIN,
                          .says = "An operator looks at one experience, which is for headsets and for one venue." });
    tell(&(struct asked){ .route = "GET " EXPERIENCES, AS_ADMIN, .says = "An operator lists the experiences that were PUT." });
}

/* Two machines with ids of the daemon's own making: they are gone again before lists are shown. */
static void enrolment(void)
{
    struct call call = exchange(&(struct asked){ .route = "POST /api/v1/nodes", AS_ADMIN,
        .says = "An operator enrols a GPU machine. Its token is told this once.",
        .json = json_pack("{s:s,s:[s],s:s,s:s,s:s,s:s}", "name", "boom-pickle-38", "roles", "body", "venue", "rupelmonde", "owner",
                          STORY_OWNER, "ip", "10.10.201.20", "wireguard_ip", "10.20.1.20") });
    tell(&(struct asked){ .route = "POST " NODE "/token", .ids = { call_str(&call, "node_id") }, AS_ADMIN,
                          .says = "An operator makes a new token for a machine; the old one is dead at once." });
    tell(&(struct asked){ .route = "DELETE " NODE, .ids = { call_str(&call, "node_id") }, .query = "?force=1", AS_ADMIN,
                          .says = "An operator deletes a machine; `force=1` drains it first if it holds or serves a lease." });
    call_free(&call);
    call = exchange(&(struct asked){ .route = "POST /api/v1/heads", AS_FLEET,
        .says = "A tablet enrols itself with the fleet's token, and keeps the token that it is given.",
        .json = json_pack("{s:s,s:s}", "name", "ipad-map-39", "venue", STORY_VENUE) });
    char path[128];
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s", call_str(&call, "head_id"));
    call_free(&call);
    call = quietly(scene.home.admin_token, "DELETE", path, NULL);
    call_free(&call);
}

static void first_report(void)
{
    tell(&(struct asked){ .route = "PUT " NODE "/slots", .ids = { story.body.id }, AS_ADMIN,
        .says = "An operator says how a machine is used, and which clients its gate always lets in, for maintenance.",
        .json = json_pack("{s:i,s:s,s:s,s:[s]}", "slots_total", 1, "enforce", "observe", "home_venue_reserve", "auto",
                          "maintenance_clients", "studio-laptop") });
    struct call call = exchange(&(struct asked){ .route = "POST /api/v1/body/status", AS_BODY(story.body),
        .says = "A body's agent reports what it observes, and is told what is desired.", .json = story_report("idle", NULL, NULL) });
    story_confirms(&call);
    call_free(&call);
    story_reports("idle", NULL, NULL);
    tell(&(struct asked){ .route = "GET /api/v1/bodies", AS_ADMIN, .says = "An operator lists the bodies." });
}

static void machines(void)
{
    tell(&(struct asked){ .route = "PUT " NODE, .ids = { story.body.id }, AS_ADMIN,
        .says = "An operator tells where heads reach a machine; what is not named stays.",
        .json = json_pack("{s:s,s:s}", "ip", "10.10.200.20", "wireguard_ip", "10.20.0.20") });
    tell(&(struct asked){ .route = "POST " NODE "/heartbeat", .ids = { story.body.id }, AS_SELF(story.body),
        .says = "A machine says that it lives. Without one for two minutes it counts as offline.",
        .json = json_pack("{s:s,s:s}", "version", "1.4.0", "arch", "amd64") });
    first_report();
    tell(&(struct asked){ .route = "GET " NODE, .ids = { story.body.id }, AS_ADMIN, .says = "An operator looks at one machine." });
    tell(&(struct asked){ .route = "GET /api/v1/nodes", AS_ADMIN, .says = "An operator lists all machines: bodies and heads." });
}

static void tablet(void)
{
    tell(&(struct asked){ .route = "PUT " HEAD, .ids = { story.one.id }, AS_SELF(story.one),
        .says = "A tablet's heartbeat. With a lease it renews that too.",
        .json = json_pack("{s:s,s:n,s:{s:s,s:s},s:i}", "status", "idle", "body_id", "diagnostics", "latency_ms", "12", "wireguard", "up",
                          "protocol_version", 2) });
    tell(&(struct asked){ .route = "GET " HEAD, .ids = { story.one.id }, AS_SELF(story.one),
                          .says = "A tablet fetches its configuration: where it stands, and which machines it will meet." });
    tell(&(struct asked){ .route = "GET /api/v1/heads", AS_ADMIN, .says = "An operator lists the heads." });
    tell(&(struct asked){ .route = "GET " HEAD "/experiences", .ids = { story.one.id }, AS_SELF(story.one),
                          .says = "A tablet asks what it may show; one that is for headsets is not among it." });
    tell(&(struct asked){ .route = "PUT " HEAD "/wireguard-config", .ids = { story.one.id }, AS_ADMIN,
        .says = "An operator gives a tablet its tunnel. An empty body takes it away.", .type = "text/plain",
        .bytes = "[Interface]\nAddress = 10.20.0.7/24\n", .len = strlen("[Interface]\nAddress = 10.20.0.7/24\n") });
    tell(&(struct asked){ .route = "GET " HEAD "/wireguard-config", .ids = { story.one.id }, AS_SELF(story.one),
                          .says = "A tablet fetches its tunnel." });
}

void story_registry(void)
{
    health();
    places();
    enrolment();
    machines();
    tablet();
}
