/* story_operator.c - a headset's visit; an operator's hand on leases and machines; what is asked of the daemon as a whole; the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "story.h"

#define HEAD     "/api/v1/heads/{id}"
#define NODE     "/api/v1/nodes/{id}"
#define DISTRICT "/api/v1/districts/{district}"

void story_headset(void)
{
    char path[128];
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s", story.quest.id);
    struct call call = quietly(scene.home.admin_token, "PUT", path, "{\"xr_client_hostname\":\"0529.client\"}");
    call_free(&call);
    tell(&(struct asked){ .route = "POST " HEAD "/xr-session", .ids = { story.quest.id }, AS_SELF(story.quest),
        .says = "A headset asks for a machine that can arm its client.",
        .json = json_pack("{s:s,s:s,s:s,s:s}", "body_id", story.body.id, "experience", STORY_XR, "client_hostname", "0529.client",
                          "client_ip", "10.10.200.7") });
    tell(&(struct asked){ .route = "GET " HEAD "/xr-session", .ids = { story.quest.id }, AS_SELF(story.quest),
                          .says = "A headset polls how its session stands; 404 is over." });
    tell(&(struct asked){ .route = "DELETE " HEAD "/xr-session", .ids = { story.quest.id }, AS_SELF(story.quest),
                          .says = "A headset is taken off, and its session ends." });
    story_reports("idle", NULL, NULL);
}

/* A lease of the first tablet, for the operator to end. */
static struct held_lease claimed(const char *attempt_id)
{
    struct held_lease lease;
    char path[FLEET_CLAIM_SIZE];
    json_t *claim = story_claim(&story.one, attempt_id);
    char *body = json_dumps(claim, JSON_COMPACT);
    fleet_claim_path(&story.one, path);
    struct call call = quietly(story.one.token, "POST", path, body);
    assert_true(fleet_lease_of(&call, &lease));
    call_free(&call);
    free(body);
    json_decref(claim);
    story_reports("idle", NULL, NULL);
    return lease;
}

static void hand(void)
{
    struct held_lease lease = claimed("a-2");
    story_reports("streaming", lease.id, &story.one);
    tell(&(struct asked){ .route = "POST /api/v1/leases/{lease_id}/release", .ids = { lease.id }, AS_ADMIN,
        .says = "An operator ends a lease as if its head had: it drains until its picture is gone.",
        .json = json_pack("{s:s}", "reason", "the museum closes") });
    story_reports("idle", NULL, NULL);
    lease = claimed("a-3");
    tell(&(struct asked){ .route = "POST /api/v1/leases/{lease_id}/revoke", .ids = { lease.id }, AS_ADMIN,
        .says = "An operator takes a lease away at once; its head is told `revoked`.",
        .json = json_pack("{s:s}", "reason", "wrong exhibit") });
    story_reports("idle", NULL, NULL);
    tell(&(struct asked){ .route = "POST " NODE "/circuit/reset", .ids = { story.body.id }, AS_ADMIN,
                          .says = "An operator lets a machine serve again that rests because it failed." });
    tell(&(struct asked){ .route = "POST /api/v1/safe-mode/end", AS_ADMIN,
        .says = "An operator ends a district's safe mode: machines that have not reported since the start are not waited for.",
        .json = json_pack("{s:s}", "district", STORY_DISTRICT) });
}

/* A launch that nobody claimed: the machine asks, and it becomes a lease. A second one beside it is a conflict. */
static void strangers(void)
{
    char path[128];
    tell(&(struct asked){ .route = "POST /api/v1/bodies/{id}/admit-observed", .ids = { story.body.id }, AS_SELF(story.body),
        .says = "A machine's hook saw a launch for which there is no lease, and asks whether to let it: the session becomes a lease.",
        .json = json_pack("{s:s,s:o,s:i,s:s,s:s}", "client_uuid", STORY_CLIENT, "named_cert_name",
                          json_sprintf("hydra-%s", story.one.id), "slot", 0, "app_name", FLEET_EXPERIENCE, "launch_id", "launch-7") });
    struct call slots = fleet_slots(&scene.daemon);
    (void)snprintf(path, sizeof path, "/api/v1/leases/%s/revoke", fleet_lease_id(&slots, story.body.id));
    story_reports("streaming", fleet_lease_id(&slots, story.body.id), &story.two);
    call_free(&slots);
    tell(&(struct asked){ .route = "GET /api/v1/conflicts", AS_ADMIN,
                          .says = "An operator asks where machines show something else than the leases say." });
    slots = quietly(scene.home.admin_token, "POST", path, "{}");
    call_free(&slots);
    story_reports("idle", NULL, NULL);
}

static void district(void)
{
    tell(&(struct asked){ .route = "GET " DISTRICT, .ids = { STORY_DISTRICT }, AS_ADMIN,
        .says = "An operator asks whether a district is in safe mode, and what keeps it from device identities for all." });
    tell(&(struct asked){ .route = "DELETE " DISTRICT "/per-device-identity", .ids = { STORY_DISTRICT }, AS_ADMIN,
                          .says = "An operator clears the latch of `per_device_identity`, and keeps it off." });
    tell(&(struct asked){ .route = "PUT " DISTRICT "/per-device-identity", .ids = { STORY_DISTRICT }, AS_ADMIN,
                          .says = "An operator lets `per_device_identity` be set again, by itself, once nothing holds it back." });
    tell(&(struct asked){ .route = "GET /api/v1/migration", .query = "?district=" STORY_DISTRICT, AS_ADMIN,
                          .says = "An operator asks which machines hold back which step of the migration." });
}

static void whole(void)
{
    tell(&(struct asked){ .route = "GET /api/v1/events", .query = "?type=lease_granted&limit=2", AS_ADMIN,
        .says = "An operator reads the newest events of one type. With `follow=1` they come as server-sent events, as they happen." });
    tell(&(struct asked){ .route = "GET /api/v1/backup", AS_ADMIN, .says = "An operator keeps a copy of the data.", .show = SHOW_TAR });
    tell(&(struct asked){ .route = "GET /openapi.yaml", AS_ADMIN, .show = SHOW_KIND,
                          .says = "A program reads the API's own description, which is [openapi.yaml](openapi.yaml)." });
    tell(&(struct asked){ .route = "GET /enroll", AS_ADMIN, .says = "An operator opens the page with the fleet's QR code.",
                          .show = SHOW_KIND });
}

void story_operator(void)
{
    hand();
    strangers();
    district();
    whole();
}

void story_farewell(void)
{
    tell(&(struct asked){ .route = "DELETE " HEAD "/device-identity", .ids = { story.one.id }, AS_ADMIN,
        .says = "A tablet was stolen: an operator revokes its certificate, and every machine is told to remove it." });
    tell(&(struct asked){ .route = "DELETE /api/v1/experiences/{name}", .ids = { STORY_XR }, AS_ADMIN,
                          .says = "An operator forgets an experience that is over." });
    tell(&(struct asked){ .route = "DELETE /api/v1/venues/{venue}", .ids = { STORY_VENUE }, AS_ADMIN,
                          .says = "An operator forgets a venue that closes: its owner, its cap and how it accepts; its machines stay." });
    tell(&(struct asked){ .route = "DELETE /api/v1/orgs/{org}", .ids = { STORY_OWNER }, AS_ADMIN,
                          .says = "An operator forgets an owner and its cap." });
}

void story_page(void)
{
    char form[HOME_TOKEN_SIZE + 32];
    (void)snprintf(form, sizeof form, "token=%s&next=/", scene.home.admin_token);
    tell(&(struct asked){ .route = "GET /", AS_ANYBODY, .token = scene.home.admin_token, .show = SHOW_KIND,
        .says = "An operator opens the page. Without a session (or a token) it is 303 to `/login?next=/`." });
    tell(&(struct asked){ .route = "GET /login", AS_ANYBODY, .says = "A browser gets the login form.", .show = SHOW_KIND });
    tell(&(struct asked){ .route = "POST /login", AS_ANYBODY, .says = "An operator logs in; the cookie is as good as the token.",
        .type = "application/x-www-form-urlencoded", .bytes = form, .len = strlen(form) });
    tell(&(struct asked){ .route = "GET /page/{name}", .ids = { "login.css" }, AS_ANYBODY,
                          .says = "A browser loads a file of the page, and asks later with `If-None-Match`.", .show = SHOW_KIND });
    tell(&(struct asked){ .route = "POST /logout", AS_ANYBODY, .says = "An operator logs out." });
}
