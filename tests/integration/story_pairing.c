/* story_pairing.c - a tablet registers its certificate and pairs; what a body's agent is asked to do; a picture of a tablet's screen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "certificates.h"
#include "story.h"

#define HEAD "/api/v1/heads/{id}"
#define OPS  "/api/v1/nodes/{id}/ops"

static void registers(void)
{
    char uid[17];
    story_device_uid(&story.one, uid);
    tell(&(struct asked){ .route = "POST " HEAD "/device-identity", .ids = { story.one.id }, AS_SELF(story.one),
        .says = "A tablet registers the certificate with which it pairs.",
        .json = json_pack("{s:s,s:s,s:s,s:s}", "device_uid", uid, "cert_fingerprint", certificate_one.fingerprint, "cert_pem",
                          certificate_one.pem, "not_after", CERTIFICATE_NOT_AFTER) });
}

/* The agent's next operation, and its answer to it; neither is shown. */
static void agent_answers(const char *result)
{
    char path[256];
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s/ops/next?wait=20", story.body.id);
    struct call call = quietly(story.body.token, "GET", path, NULL);
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s/ops/%s/result", story.body.id, call_str(&call, "op_id"));
    call_free(&call);
    call = quietly(story.body.token, "POST", path, result);
    call_free(&call);
}

static void pairs(void)
{
    struct call call = exchange(&(struct asked){ .route = "POST " HEAD "/pair-leases", .ids = { story.one.id }, AS_SELF(story.one),
        .says = "A tablet that has no lease reserves a slot for a minute, to pair with the machine.",
        .json = json_pack("{s:s,s:i}", "body_id", story.body.id, "slot", 0) });
    struct exchange_under_way pin;
    exchange_begin(&(struct asked){ .route = "POST /api/v1/nodes/{id}/sunshine-pin", .ids = { story.body.id }, AS_NODE(story.one),
        .says = "A tablet hands in its PIN; the answer waits for the machine's agent, and is that of Sunshine.",
        .json = json_pack("{s:s}", "pin", "4711") }, &pin);
    agent_answers("{\"state\":\"done\",\"output\":{\"status\":true}}");
    struct call taken = exchange_end(&pin);
    call_free(&taken);
    tell(&(struct asked){ .route = "DELETE " HEAD "/pair-leases/{lease_id}", .ids = { story.one.id, call_str(&call, "lease.id") },
                          AS_SELF(story.one), .says = "A tablet has paired and gives the slot back." });
    call_free(&call);
    story.paired = true;
    story_reports("idle", NULL, NULL);
    tell(&(struct asked){ .route = "GET " HEAD "/device-identity", .ids = { story.one.id }, AS_ADMIN,
                          .says = "An operator looks at what a tablet has registered, and which machines show it." });
}

#define CLIENTS "{\"state\":\"done\",\"output\":{\"named_certs\":[{\"uuid\":\"" STORY_CLIENT "\",\"name\":\"hydra-%s\"}],\"status\":true}}"

static void operations(void)
{
    char clients[512];
    (void)snprintf(clients, sizeof clients, CLIENTS, story.one.id);
    agent_answers(clients);                     /* the cluster's own custodian asks first */
    struct call asked = exchange(&(struct asked){ .route = "POST " OPS, .ids = { story.body.id }, AS_ADMIN,
        .says = "An operator asks a machine's agent for the clients that are paired there.",
        .json = json_pack("{s:s,s:{}}", "op", "sunshine.list_clients", "args") });
    const char *op_id = call_str(&asked, "op_id");
    tell(&(struct asked){ .route = "GET " OPS "/next", .ids = { story.body.id }, .query = "?wait=25", AS_SELF(story.body),
                          .says = "A machine's agent asks what it should do; without work the answer is 204 after the wait." });
    tell(&(struct asked){ .route = "POST " OPS "/{op_id}/result", .ids = { story.body.id, op_id }, AS_SELF(story.body),
        .says = "A machine's agent tells what came of an operation.",
        .json = json_pack("{s:s,s:{s:[{s:s,s:o}],s:b}}", "state", "done", "output", "named_certs", "uuid",
                          STORY_CLIENT, "name", json_sprintf("hydra-%s", story.one.id), "status", 1) });
    tell(&(struct asked){ .route = "GET " OPS "/{op_id}/result", .ids = { story.body.id, op_id }, AS_ADMIN,
                          .says = "An operator reads what came of an operation." });
    call_free(&asked);
    tell(&(struct asked){ .route = "GET /api/v1/nodes/{id}/pairing", .ids = { story.body.id }, AS_ADMIN,
                          .says = "An operator looks at a machine's trust store." });
}

static bool somebody_waits(void *ctx)
{
    (void)ctx;
    return scene_parked("news") > 0;
}

static void picture(void)
{
    static const char jpeg[] = "\xff\xd8\xff\xe0 what a screen shows \xff\xd9";
    struct exchange_under_way look;
    exchange_begin(&(struct asked){ .route = "GET " HEAD "/screenshot", .ids = { story.one.id }, AS_ADMIN,
        .says = "An operator wants to see what a tablet shows; the answer waits for it.", .show = SHOW_SIZE, .again = 504 }, &look);
    assert_true(wait_until(somebody_waits, NULL, SCENE_WAIT_MS));
    tell(&(struct asked){ .route = "GET " HEAD "/commands", .ids = { story.one.id }, AS_SELF(story.one),
                          .says = "A tablet asks every few seconds what it is asked for; just now somebody waits for a picture." });
    tell(&(struct asked){ .route = "POST " HEAD "/screenshot", .ids = { story.one.id }, AS_SELF(story.one),
        .says = "A tablet sends its picture, which is handed to all who wait for it.", .type = "image/jpeg", .bytes = jpeg,
        .len = sizeof jpeg - 1 });
    struct call call = exchange_end(&look);
    call_free(&call);
}

void story_pairing(void)
{
    registers();
    pairs();
    operations();
    picture();
}
