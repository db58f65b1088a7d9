#include "story.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/crypto/digest.h"
#include "hydra/os/clock.h"
#include "stable_text.h"

#define CLOCK_MS      1000
#define CONFIRM_TRIES 5
#define SERVER_URL    "https://cluster.example.org"
#define CONFIG        "district: " STORY_DISTRICT "\nserver_url: " SERVER_URL "\n"
#define TIMERS        "watchdogTick: 1s\ncustodianEvery: 24h\n"
#define CERT_FP       "5c3a9d0e7f61b2840c9e4d7a1f3b6582d0e94c7b8a215f63e7d04b9c1a8f2365"

struct story story;

void tell(const struct asked *asked)
{
    struct call call = exchange(asked);
    call_free(&call);
}

struct call quietly(const char *token, const char *method, const char *path, const char *body)
{
    struct call call = daemon_call(&scene.daemon, token, method, path, body);
    if (call.status < 200 || call.status > 299)
        fail_msg("%s %s: %ld %s", method, path, call.status, call.text);
    return call;
}

void story_device_uid(const struct node *head, char out[17])
{
    char digest[HC_HASH_SIZE];
    crypto_sha256_hex(head->id, strlen(head->id), digest);
    (void)snprintf(out, 17, "%.16s", digest);
}

json_t *story_claim(const struct node *head, const char *attempt_id)
{
    char uid[17];
    story_device_uid(head, uid);
    json_t *claim = json_pack("{s:s,s:s,s:s,s:i}", "attempt_id", attempt_id, "experience", FLEET_EXPERIENCE, "device_uid", uid,
                              "protocol_version", 2);
    assert_non_null(claim);
    return claim;
}

/* ---- the body ---- */

static void add_new(json_t *object, const char *key, json_t *value)
{
    assert_int_equal(json_object_set_new(object, key, value), 0);
}

static json_t *slot_of(const char *state, const char *lease_id, const struct node *head)
{
    json_t *slot = json_pack("{s:i,s:s,s:I}", "index", 0, "state", state, "applied_epoch", (json_int_t)story.applied_epoch);
    assert_non_null(slot);
    if (lease_id != NULL)
        add_new(slot, "lease_id", json_string(lease_id));
    if (head != NULL) {
        add_new(slot, "launch_id", json_string("launch-7"));
        add_new(slot, "client_uuid", json_string(STORY_CLIENT));
        add_new(slot, "client_name", json_sprintf("hydra-%s", head->id));
        add_new(slot, "app", json_string(FLEET_EXPERIENCE));
        add_new(slot, "since_seconds", json_integer(12));
    }
    return slot;
}

json_t *story_report(const char *state, const char *lease_id, const struct node *head)
{
    json_t *report = json_pack("{s:s,s:s,s:s,s:s,s:[s,s],s:s,s:[s],s:s,s:I,s:i,s:i,s:[o],s:[I],s:i,s:s,s:s,s:{s:i,s:i,s:i}}",
        "gpu", "NVIDIA GeForce RTX 4090", "provider_status", "running", "provider_version", "2026.816",
        "stream_status", head == NULL ? "idle" : "streaming", "installed_experiences", FLEET_EXPERIENCE, STORY_XR, "xr_state", "idle",
        "xr_drivers", "alvr", "boot_id", "7f0c1d52-6a5e-4a43-9a53-0c6f1d7e2b11", "report_seq", (json_int_t)++story.report_seq,
        "provider_uptime_seconds", 3600, "slots_total", 1, "slots", slot_of(state, lease_id, head), "max_epoch_seen",
        (json_int_t)story.applied_epoch, "gpu_memory_total_mb", 24564, "sunshine_cert_fp", CERT_FP, "hydrabody_version", "1.4.0",
        "ports", "gamestream", 47989, "gamestream_tls", 47984, "web", 47990);
    assert_non_null(report);
    json_t *clients = json_array();
    if (story.paired)
        assert_int_equal(json_array_append_new(clients, json_pack("{s:s,s:o}", "uuid", STORY_CLIENT, "name",
                                                                  json_sprintf("hydra-%s", story.one.id))), 0);
    add_new(report, "paired_clients", clients);
    add_new(report, "paired_digest", json_string(story.paired ? "9f2c41d07be85a36" : "e3b0c44298fc1c14"));
    return report;
}

void story_confirms(const struct call *report)
{
    story.applied_epoch = (uint64_t)call_int(report, "desired.slots.0.epoch");
}

static bool later_than(void *ctx)
{
    return os_wall().ms > *(int64_t *)ctx;
}

void story_reports(const char *state, const char *lease_id, const struct node *head)
{
    for (unsigned i = 0; i < CONFIRM_TRIES; i++) {
        int64_t now_ms = os_wall().ms;         /* what was before and the report have an order for the cluster */
        assert_true(wait_until(later_than, &now_ms, CLOCK_MS));
        json_t *report = story_report(state, lease_id, head);
        char *body = json_dumps(report, JSON_COMPACT);
        struct call call = quietly(story.body.token, "POST", "/api/v1/body/status", body);
        uint64_t before = story.applied_epoch;
        story_confirms(&call);
        call_free(&call);
        free(body);
        json_decref(report);
        if (story.applied_epoch == before)
            return;
    }
    fail_msg("the body's epoch does not come to rest");
}

/* ---- the fleet ---- */

static struct node enrol(const char *token, const char *path, const char *body, const char *id_key)
{
    struct node node = { .boot_id = "" };
    struct call call = quietly(token, "POST", path, body);
    HC_SET(node.id, call_str(&call, id_key));
    HC_SET(node.token, call_str(&call, "token"));
    call_free(&call);
    return node;
}

static void replace_all(const char *name, const char *from, const char *to)
{
    char *text = home_read(&scene.home, name);
    for (char *at = text; (at = strstr(at, from)) != NULL;)
        memcpy(at, to, strlen(to));
    home_write(&scene.home, name, text);
    hc_free(text);
}

/* Ids are as long as those that the daemon makes: what it wrote about the files holds. */
static void rename_node(struct node *node, const char *id)
{
    assert_int_equal(strlen(node->id), strlen(id));
    replace_all("data/nodes.yaml", node->id, id);
    replace_all("data/allocation.yaml", node->id, id);
    HC_SET(node->id, id);
    stable_keep(id);
    stable_shows(node->token, "TOKEN");
}

static void enrol_fleet(void)
{
    story = (struct story){ .paired = false };
    story.body = enrol(scene.home.admin_token, "/api/v1/nodes", "{\"name\":\"cosmic-pretzel-98\",\"roles\":[\"body\"],\"venue\":\""
                       STORY_VENUE "\",\"owner\":\"" STORY_OWNER "\"}", "node_id");
    story.one = enrol(scene.home.fleet_token, "/api/v1/heads", "{\"name\":\"ipad-map-35\",\"venue\":\"" STORY_VENUE "\"}", "head_id");
    story.two = enrol(scene.home.fleet_token, "/api/v1/heads", "{\"name\":\"ipad-map-37\",\"venue\":\"" STORY_VENUE "\"}", "head_id");
    story.quest = enrol(scene.home.fleet_token, "/api/v1/heads", "{\"name\":\"quest-12\",\"type\":\"hydraheadquest\",\"venue\":\""
                        STORY_VENUE "\"}", "head_id");
}

int story_open(void **state)
{
    char config[HOME_PATH_SIZE];
    (void)scene_open(state);
    home_write(&scene.home, "daemon.yaml", CONFIG);
    home_path(&scene.home, "daemon.yaml", config);
    const char *const args[] = { "--config", config, NULL };
    const struct daemon_options options = { .timers = TIMERS, .args = args };
    stable_start();
    exchange_start();
    scene_start(&options);
    enrol_fleet();
    scene_stop();
    rename_node(&story.body, "node-1b0d1e98");
    rename_node(&story.one, "node-2a1f0c35");
    rename_node(&story.two, "node-2a1f0c37");
    rename_node(&story.quest, "node-3e57aa12");
    stable_shows(scene.home.admin_token, "TOKEN");
    stable_shows(scene.home.fleet_token, "TOKEN");
    scene_start(&options);
    stable_shows(scene.daemon.url, SERVER_URL);
    return 0;
}
