#include "fleet.h"

#include <inttypes.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/os/clock.h"

#define PATH_SIZE     512
#define REPORT_SIZE   1024
#define CONFIRM_TRIES 5            /* a body confirms what it was just told: one repeat, a few when grants go on beside it */

static void copy_text(char *out, size_t size, const char *text)
{
    int len = snprintf(out, size, "%s", text);
    assert_true(len >= 0 && (size_t)len < size);
}

void fleet_venue(struct daemon *daemon, const char *venue, const char *owner)
{
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "/api/v1/venues/%s", venue);
    struct call call = daemon_callf(daemon, daemon->home->admin_token, "PUT", path, "{\"owner\":\"%s\"}", owner);
    assert_int_equal(call.status, 200);
    call_free(&call);
}

static struct node enrolled(struct call *call, const char *id_key)
{
    struct node node = { .boot_id = "" };
    if (call->status != 201)
        fail_msg("enrolment: %ld %s", call->status, call->text);
    copy_text(node.id, sizeof node.id, call_str(call, id_key));
    copy_text(node.token, sizeof node.token, call_str(call, "token"));
    (void)snprintf(node.boot_id, sizeof node.boot_id, "boot-%s", node.id);
    call_free(call);
    return node;
}

struct node fleet_body(struct daemon *daemon, const char *name, const char *venue)
{
    struct call call = daemon_callf(daemon, daemon->home->admin_token, "POST", "/api/v1/nodes",
                                    "{\"name\":\"%s\",\"roles\":[\"body\"],\"venue\":\"%s\"}", name, venue);
    return enrolled(&call, "node_id");
}

struct node fleet_head(struct daemon *daemon, const char *name, const char *venue)
{
    struct call call = daemon_callf(daemon, daemon->home->fleet_token, "POST", "/api/v1/heads", "{\"name\":\"%s\",\"venue\":\"%s\"}", name,
                                    venue);
    return enrolled(&call, "head_id");
}

/* What a test did before and the request that follows have an order for it; for the cluster, only if they are of different milliseconds. */
static void next_millisecond(void)
{
    /* A whole one: the daemon's milliseconds do not begin where ours do. */
    for (int64_t from_us = os_monotonic_us(); os_monotonic_us() < from_us + 1000;)
        (void)sched_yield();
}

void fleet_reports(struct daemon *daemon, const struct node *body, const char *stream_status)
{
    next_millisecond();
    struct call call = daemon_callf(daemon, body->token, "POST", "/api/v1/body/status",
                                    "{\"stream_status\":\"%s\",\"installed_experiences\":[\"" FLEET_EXPERIENCE "\"]}", stream_status);
    assert_int_equal(call.status, 200);
    call_free(&call);
}

void fleet_modern_report(struct node *body, const char *state, const char *lease_id, char *out, size_t size)
{
    char lease[HC_ID_SIZE + 16] = "";
    if (lease_id != NULL)
        (void)snprintf(lease, sizeof lease, ",\"lease_id\":\"%s\"", lease_id);
    int len = snprintf(out, size,
                       "{\"stream_status\":\"%s\",\"installed_experiences\":[\"" FLEET_EXPERIENCE "\"],\"boot_id\":\"%s\","
                       "\"report_seq\":%" PRIu64 ",\"provider_uptime_seconds\":3600,\"slots_total\":1,"
                       "\"slots\":[{\"index\":0,\"state\":\"%s\",\"applied_epoch\":%" PRIu64 "%s}],\"max_epoch_seen\":[%" PRIu64 "]}",
                       strcmp(state, "streaming") == 0 ? "streaming" : "idle", body->boot_id, ++body->report_seq, state,
                       body->applied_epoch, lease, body->applied_epoch);
    assert_true(len > 0 && (size_t)len < size);
}

struct call fleet_reports_modern(struct daemon *daemon, struct node *body, const char *state, const char *lease_id)
{
    for (unsigned i = 0;; i++) {
        char report[REPORT_SIZE];
        next_millisecond();
        fleet_modern_report(body, state, lease_id, report, sizeof report);
        struct call call = daemon_call(daemon, body->token, "POST", "/api/v1/body/status", report);
        if (call.status != 200)
            fail_msg("body report: %ld %s", call.status, call.text);
        uint64_t told = (uint64_t)call_int(&call, "desired.slots.0.epoch");
        if (told == body->applied_epoch || i == CONFIRM_TRIES)
            return call;
        body->applied_epoch = told;
        call_free(&call);
    }
}

void fleet_read_path(const struct node *head, char out[FLEET_CLAIM_SIZE])
{
    (void)snprintf(out, FLEET_CLAIM_SIZE, "/api/v1/bodies/eligible?head_id=%s&experience=" FLEET_EXPERIENCE, head->id);
}

struct call fleet_reads(struct daemon *daemon, const struct node *head)
{
    char path[FLEET_CLAIM_SIZE];
    next_millisecond();
    fleet_read_path(head, path);
    return daemon_call(daemon, head->token, "GET", path, NULL);
}

void fleet_beats(struct daemon *daemon, const struct node *head, const char *status, const char *body_id)
{
    char path[PATH_SIZE], body[HC_ID_SIZE + 2] = "null";
    (void)snprintf(path, sizeof path, "/api/v1/heads/%s", head->id);
    if (body_id != NULL)
        (void)snprintf(body, sizeof body, "\"%s\"", body_id);
    struct call call = daemon_callf(daemon, head->token, "PUT", path, "{\"status\":\"%s\",\"body_id\":%s}", status, body);
    assert_int_equal(call.status, 200);
    call_free(&call);
}

void fleet_claim_path(const struct node *head, char out[FLEET_CLAIM_SIZE])
{
    (void)snprintf(out, FLEET_CLAIM_SIZE, "/api/v1/heads/%s/slot-claims", head->id);
}

void fleet_claim_body(const char *attempt_id, char out[FLEET_CLAIM_SIZE])
{
    (void)snprintf(out, FLEET_CLAIM_SIZE,
                   "{\"attempt_id\":\"%s\",\"experience\":\"" FLEET_EXPERIENCE "\",\"device_uid\":\"0123456789abcdef\","
                   "\"protocol_version\":2}", attempt_id);
}

struct call fleet_claims(struct daemon *daemon, const struct node *head, const char *attempt_id)
{
    char path[FLEET_CLAIM_SIZE], body[FLEET_CLAIM_SIZE];
    next_millisecond();
    fleet_claim_path(head, path);
    fleet_claim_body(attempt_id, body);
    return daemon_call(daemon, head->token, "POST", path, body);
}

bool fleet_lease_of(const struct call *call, struct held_lease *ret)
{
    if (!json_is_string(call_value(call, "lease.claim_token")))
        return false;
    copy_text(ret->id, sizeof ret->id, call_str(call, "lease.id"));
    copy_text(ret->claim_token, sizeof ret->claim_token, call_str(call, "lease.claim_token"));
    copy_text(ret->stream_id, sizeof ret->stream_id, call_str(call, "lease.stream_id"));
    copy_text(ret->body_id, sizeof ret->body_id, call_str(call, "body.id"));
    ret->slot = call_int(call, "lease.slot");
    ret->epoch = call_int(call, "lease.epoch");
    return true;
}

long fleet_renews(struct daemon *daemon, const struct node *head, const struct held_lease *lease)
{
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "/api/v1/heads/%s/slot-claims/%s/renew", head->id, lease->id);
    struct call call = daemon_callf(daemon, head->token, "POST", path, "{\"claim_token\":\"%s\"}", lease->claim_token);
    long status = call.status;
    call_free(&call);
    return status;
}

long fleet_releases(struct daemon *daemon, const struct node *head, const struct held_lease *lease, const char *reason)
{
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "/api/v1/heads/%s/slot-claims/%s", head->id, lease->id);
    struct call call = daemon_callf(daemon, head->token, "DELETE", path, "{\"claim_token\":\"%s\",\"reason\":\"%s\"}", lease->claim_token,
                                    reason);
    long status = call.status;
    call_free(&call);
    return status;
}

struct call fleet_slots(struct daemon *daemon)
{
    struct call call = daemon_call(daemon, daemon->home->admin_token, "GET", "/api/v1/slots", NULL);
    assert_int_equal(call.status, 200);
    assert_true(json_is_array(call.json));
    return call;
}

json_t *fleet_row(const struct call *slots, const char *body_id)
{
    size_t i;
    json_t *row;
    json_array_foreach(slots->json, i, row)
        if (strcmp(json_string_value(json_object_get(row, "body_id")), body_id) == 0)
            return row;
    fail_msg("no row of %s in %s", body_id, slots->text);
    return NULL;
}

static const char *lease_text(const struct call *slots, const char *body_id, const char *key)
{
    const json_t *lease = json_object_get(fleet_row(slots, body_id), "lease");
    return json_is_object(lease) ? json_string_value(json_object_get(lease, key)) : "";
}

const char *fleet_lease_id(const struct call *slots, const char *body_id)
{
    return lease_text(slots, body_id, "id");
}

const char *fleet_lease_state(const struct call *slots, const char *body_id)
{
    return lease_text(slots, body_id, "state");
}

const char *fleet_holder(const struct call *slots, const char *body_id)
{
    return lease_text(slots, body_id, "head_id");
}

size_t fleet_events(struct daemon *daemon, const char *type)
{
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "/api/v1/events?type=%s", type);
    struct call call = daemon_call(daemon, daemon->home->admin_token, "GET", path, NULL);
    assert_int_equal(call.status, 200);
    size_t count = json_array_size(call.json);
    call_free(&call);
    return count;
}

struct wanted { struct daemon *daemon; const char *type; long status; };

static bool event_is_there(void *ctx)
{
    const struct wanted *wanted = ctx;
    return fleet_events(wanted->daemon, wanted->type) > 0;
}

bool fleet_waits_event(struct daemon *daemon, const char *type, int64_t at_most_ms)
{
    struct wanted wanted = { .daemon = daemon, .type = type };
    return wait_until(event_is_there, &wanted, at_most_ms);
}

static bool readiness_is(void *ctx)
{
    const struct wanted *wanted = ctx;
    struct call call = daemon_call(wanted->daemon, NULL, "GET", "/readyz", NULL);
    bool same = call.status == wanted->status;
    call_free(&call);
    return same;
}

bool fleet_waits_ready(struct daemon *daemon, bool ready, int64_t at_most_ms)
{
    struct wanted wanted = { .daemon = daemon, .status = ready ? 200 : 503 };
    return wait_until(readiness_is, &wanted, at_most_ms);
}
