#include "states.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hydra/base/arena.h"

uint32_t dice_below(struct dice *dice, uint32_t limit)
{
    dice->state = dice->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(dice->state >> 33) % limit;
}

static bool maybe(struct dice *dice)
{
    return dice_below(dice, 2) == 0;
}

static const char *const ids[] = { "null", "true", "1e5", "0123", "0", "-", "---", "...", ".5", "no", "NaN", "node-1a2b3c4d", "x", "y",
                                   "0x1F", "1_000", "b1" };
static const char *const names[] = { "rupelmonde", "null", "No", "~", "1e5", "12:30", "2026-09-04T11:43:18.042Z", "a: b", "- x", "# c",
                                     " lead", "trail ", "two  spaces", "\"quoted\"", "back\\slash", "it's", "@x", "%y", "*a", "&b", "!t",
                                     "<<", "=", "{a}",
                                     "[b]", "a,b", ":", "?", "|", ">", "`", "caf\xc3\xa9 \xe2\x9c\x93", "\xc2\x85next", "\xe2\x80\xa8line",
                                     "\xef\xbb\xbfmark", "\xf0\x9f\x8e\xa7", "key:", "'", "# lines: 3" };
#define PICK(dice, list) (list)[dice_below(dice, (uint32_t)(sizeof(list) / sizeof(list)[0]))]
#define SOME_ID(dice, to)   do { if (maybe(dice)) HC_SET(to, PICK(dice, ids)); } while (0)
#define SOME_NAME(dice, to) do { if (maybe(dice)) HC_SET(to, PICK(dice, names)); } while (0)

static hc_time some_time(struct dice *dice)
{
    return maybe(dice) ? (hc_time){ INT64_C(1757000000000) + (int64_t)dice_below(dice, 2000000000) } : HC_TIME_NEVER;
}

static void some_hex(struct dice *dice, char *to, size_t digits)
{
    for (size_t i = 0; i < digits; i++)
        to[i] = "0123456789abcdef"[dice_below(dice, 16)];
}

static uint64_t some_epoch(struct dice *dice)
{
    return maybe(dice) ? HC_EPOCH_MAX - dice_below(dice, 3) : dice_below(dice, 1000);
}

static struct strings *some_strings(struct dice *dice, unsigned most)
{
    const char *items[64];
    unsigned count = dice_below(dice, most + 1);
    for (unsigned i = 0; i < count; i++)
        items[i] = PICK(dice, names);
    return strings_new(items, count);
}

static void fill_lease(struct dice *dice, struct lease *lease, unsigned n, bool live)
{
    *lease = (struct lease){ 0 };
    (void)snprintf(lease->id, sizeof lease->id, "lease-%u", n);
    lease->state = (enum lease_state)(live ? dice_below(dice, LEASE_ENDED) : LEASE_ENDED + dice_below(dice, LEASE_STATES - LEASE_ENDED));
    lease->came_from = (enum lease_state)dice_below(dice, LEASE_ENDED);
    lease->why = (enum lease_why)dice_below(dice, LEASE_WHYS);
    lease->source = (enum lease_source)dice_below(dice, LEASE_SOURCES);
    lease->mode = (enum lease_mode)dice_below(dice, LEASE_MODES);
    lease->protocol = 1 + dice_below(dice, 2);
    SOME_ID(dice, lease->stream_id);
    SOME_ID(dice, lease->head_id);
    some_hex(dice, lease->device_uid, 16);
    SOME_NAME(dice, lease->sunshine_client_uuid);
    SOME_NAME(dice, lease->launch_id);
    SOME_NAME(dice, lease->experience);
    SOME_NAME(dice, lease->grant_facts);
    some_hex(dice, lease->app_token, 32);
    SOME_ID(dice, lease->attempt_id);
    some_hex(dice, lease->attempt_digest, 64);
    some_hex(dice, lease->token_hash, 64);
    lease->grant_epoch = some_epoch(dice);
    lease->left_behind = maybe(dice);
    lease->uncollected = maybe(dice);
    lease->quest = maybe(dice);
    hc_time *times[] = { &lease->granted_at, &lease->renewed_at, &lease->head_renewed_at, &lease->expires_at, &lease->start_deadline_at,
                         &lease->idle_since, &lease->drain_since, &lease->unknown_since, &lease->streaming_at, &lease->changed_at };
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        *times[i] = some_time(dice);
}

static void fill_ghost(struct dice *dice, struct ghost *ghost)
{
    SOME_ID(dice, ghost->lease_id);
    SOME_ID(dice, ghost->head_id);
    SOME_ID(dice, ghost->stream_id);
    SOME_ID(dice, ghost->successor_id);
    SOME_NAME(dice, ghost->launch_id);
    SOME_NAME(dice, ghost->client_uuid);
    some_hex(dice, ghost->app_token, 32);
    some_hex(dice, ghost->token_hash, 64);
    SOME_NAME(dice, ghost->experience);
    ghost->protocol = dice_below(dice, 3);
    ghost->state = (enum lease_state)dice_below(dice, LEASE_STATES);
    ghost->why = (enum lease_why)dice_below(dice, LEASE_WHYS);
    ghost->refused = maybe(dice);
    ghost->ended_at = some_time(dice);
}

static void fill_slot(struct dice *dice, struct slot *slot, unsigned n, uint32_t index)
{
    slot->index = index;
    slot->epoch = some_epoch(dice);
    slot->max_epoch_seen = some_epoch(dice);
    if (maybe(dice)) {
        HC_SET(slot->promise_ticket_id, PICK(dice, ids));
        slot->promise_until = some_time(dice);
    }
    slot->silent_until = some_time(dice);
    slot->epoch_regressed = maybe(dice);
    slot->lease_count = dice_below(dice, 4);
    if (slot->lease_count > 0)
        slot->leases = hc_alloc(slot->lease_count * sizeof slot->leases[0]);
    for (size_t i = 0; i < slot->lease_count; i++)
        fill_lease(dice, &slot->leases[i], n * 1000 + index * 10 + (unsigned)i, i + 1 == slot->lease_count);
    if (maybe(dice)) {
        HC_SET(slot->pair.id, PICK(dice, ids));
        HC_SET(slot->pair.head_id, PICK(dice, ids));
        some_hex(dice, slot->pair.device_uid, 16);
        slot->pair.granted_at = some_time(dice);
        slot->pair.expires_at = some_time(dice);
    }
    slot->ghost_count = dice_below(dice, SLOT_GHOSTS_MAX + 1);
    for (size_t i = 0; i < slot->ghost_count; i++)
        fill_ghost(dice, &slot->ghosts[i]);
}

static struct paired *some_clients(struct dice *dice)
{
    struct paired_client clients[3] = { { .uuid = "" } };
    size_t count = dice_below(dice, 4);
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(clients[i].uuid, sizeof clients[i].uuid, "%u%s", (unsigned)i, PICK(dice, ids));
        SOME_NAME(dice, clients[i].name);
        clients[i].first_seen = some_time(dice);
    }
    return count == 0 ? NULL : paired_new(clients, count);
}

static void fill_paired(struct dice *dice, struct body_rec *body)
{
    body->paired = some_clients(dice);
    body->custodian_last_success_at = some_time(dice);
    body->cert_rotated_at = some_time(dice);
    body->eviction_count = dice_below(dice, EVICTIONS_KEPT + 1);
    for (size_t i = 0; i < body->eviction_count; i++) {
        SOME_ID(dice, body->evictions[i].uuid);
        SOME_NAME(dice, body->evictions[i].name);
        body->evictions[i].at = some_time(dice);
    }
}

static void fill_xr(struct dice *dice, struct xr_session *xr)
{
    if (maybe(dice))
        return;
    HC_SET(xr->session_id, PICK(dice, ids));
    HC_SET(xr->head_id, PICK(dice, ids));
    xr->state = (enum xr_state)(1 + dice_below(dice, XR_STATES - 1));
    xr->created_at = (hc_time){ 1 + (int64_t)dice_below(dice, 100000) };
    xr->since = (hc_time){ 1 + (int64_t)dice_below(dice, 100000) };
    SOME_ID(dice, xr->reason);
    xr->acknowledged = maybe(dice);
    SOME_NAME(dice, xr->experience);
    SOME_NAME(dice, xr->client_hostname);
    HC_SET(xr->client_ip, maybe(dice) ? "" : "10.10.200.7");
}

static void fill_body(struct dice *dice, struct body_rec *body, unsigned n)
{
    body->slots_total = 1 + dice_below(dice, BODY_SLOTS_MAX);
    body->enforce = (enum enforce_mode)dice_below(dice, ENFORCE_MODES);
    body->maintenance = maybe(dice);
    body->home_venue_reserve = maybe(dice) ? RESERVE_AUTO : (int32_t)dice_below(dice, 17);
    body->drain_deadline_at = some_time(dice);
    body->drain_cordoned = maybe(dice);
    SOME_NAME(dice, body->boot_id);
    body->last_body_confirmation_at = some_time(dice);
    body->boots_unconfirmed = dice_below(dice, 5);
    body->unconfirmed_told = maybe(dice);
    body->deleted = maybe(dice);
    body->pair_epoch = dice_below(dice, 5);
    some_hex(dice, body->sunshine_cert_fp, 64);
    body->listed_experiences = some_strings(dice, 8);
    body->circuit.state = (enum circuit_state)dice_below(dice, CIRCUIT_STATES);
    body->circuit.until = some_time(dice);
    body->circuit.open_ms = 1000 * (int64_t)dice_below(dice, 1800);
    SOME_ID(dice, body->circuit.probe_lease_id);
    body->circuit.failure_count = dice_below(dice, CIRCUIT_FAILURES_MAX + 1);
    for (size_t i = 0; i < body->circuit.failure_count; i++) {
        struct circuit_failure *failure = &body->circuit.failures[i];
        failure->at = some_time(dice);
        SOME_ID(dice, failure->head_id);
        failure->why = (enum lease_why)dice_below(dice, LEASE_WHYS);
    }
    fill_xr(dice, &body->xr);
    body->last_unauthorized_at = some_time(dice);
    body->observing_since = some_time(dice);
    fill_paired(dice, body);
    body->maintenance_clients = some_strings(dice, 3);
    body->slot_count = dice_below(dice, 4);
    if (body->slot_count > 0)
        body->slots = hc_alloc(body->slot_count * sizeof body->slots[0]);
    for (size_t i = 0; i < body->slot_count; i++)
        fill_slot(dice, &body->slots[i], n, (uint32_t)i);
}

static void fill_stream(struct dice *dice, struct stream_rec *stream)
{
    SOME_ID(dice, stream->head_id);
    SOME_NAME(dice, stream->experience);
    stream->state = (enum stream_state)dice_below(dice, STREAM_STATES);
    stream->why = (enum stream_why)dice_below(dice, STREAM_WHYS);
    stream->protocol = dice_below(dice, 3);
    stream->created_at = some_time(dice);
    stream->ended_at = some_time(dice);
    stream->returns = dice_below(dice, 3);
    stream->preempted = dice_below(dice, 3);
    stream->lease_count = dice_below(dice, STREAM_LEASES_MAX + 1);
    for (size_t i = 0; i < stream->lease_count; i++)
        HC_SET(stream->lease_ids[i], PICK(dice, ids));
}

static void fill_ticket(struct dice *dice, struct ticket_rec *ticket)
{
    HC_SET(ticket->id, PICK(dice, ids));
    SOME_ID(dice, ticket->stream_id);
    SOME_ID(dice, ticket->attempt_id);
    SOME_NAME(dice, ticket->district);
    SOME_NAME(dice, ticket->experience);
    some_hex(dice, ticket->device_uid, 16);
    some_hex(dice, ticket->attempt_digest, 64);
    SOME_NAME(dice, ticket->prefer_body_id);
    ticket->state = (enum ticket_state)dice_below(dice, TICKET_STATES);
    ticket->why = (enum wait_why)dice_below(dice, WAIT_WHYS);
    ticket->mode = (enum lease_mode)dice_below(dice, LEASE_MODES);
    ticket->protocol = dice_below(dice, 3);
    hc_time *times[] = { &ticket->created_at, &ticket->renewed_at, &ticket->asked_at, &ticket->confirm_by };
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        *times[i] = some_time(dice);
    ticket->eta_ms = maybe(dice) ? -1 : (int64_t)dice_below(dice, 5000000);
}

static void fill_district(struct dice *dice, struct district_rec *district)
{
    district->safe_mode = (enum safe_mode)dice_below(dice, SAFE_MODES);
    district->safe_since = some_time(dice);
    district->per_device_identity_at = some_time(dice);
    district->per_device_identity_off_at = some_time(dice);
    district->retirement_since = some_time(dice);
    district->awaited_count = dice_below(dice, 5);
    if (district->awaited_count > 0)
        district->awaited = hc_alloc(district->awaited_count * sizeof district->awaited[0]);
    for (size_t i = 0; i < district->awaited_count; i++)
        HC_SET(district->awaited[i], PICK(dice, ids));
    if (district->safe_mode == SAFE_NONE && !hc_time_set(district->safe_since) && district->awaited_count == 0)
        district->per_device_identity_at = (hc_time){ 1757000000001 };      /* a district that says nothing is not kept */
}

static void fill_identity(struct dice *dice, struct identity_rec *identity)
{
    static const char pem[] = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
    some_hex(dice, identity->device_uid, 16);
    some_hex(dice, identity->fingerprint, 64);
    identity->registered_at = some_time(dice);
    identity->not_after = some_time(dice);
    identity->revoked_at = some_time(dice);
    identity->cert_pem = maybe(dice) ? NULL : text_new(pem, sizeof pem - 1);
    identity->lost = maybe(dice) ? NULL : some_clients(dice);
    if (maybe(dice))
        return;
    some_hex(dice, identity->predecessor.fingerprint, 64);
    identity->predecessor.registered_at = some_time(dice);
    identity->predecessor.overlap_until = (hc_time){ 1757000000002 };
}

static void fill_node(struct dice *dice, struct node_rec *node)
{
    static const char *const texts[] = { "[Interface]\nPrivateKey = x=\n\tAddress = 10.0.0.1/24\n", " ", "null", "\n\n", "a\r\nb",
                                         "# lines: 1\n" };
    SOME_NAME(dice, node->name);
    node->roles = dice_below(dice, 4);
    SOME_NAME(dice, node->district);
    SOME_NAME(dice, node->venue);
    SOME_NAME(dice, node->owner);
    SOME_NAME(dice, node->machine_id);
    HC_SET(node->ip, maybe(dice) ? "fd00::1%eth0" : "10.1.2.3");
    SOME_NAME(dice, node->wireguard_ip);
    SOME_ID(dice, node->kind);
    node->approval = (enum approval)dice_below(dice, APPROVALS);
    some_hex(dice, node->token_hash, 64);
    SOME_ID(dice, node->version);
    SOME_ID(dice, node->arch);
    node->enrolled_at = some_time(dice);
    node->last_seen = some_time(dice);
    SOME_NAME(dice, node->xr_client_hostname);
    struct xr_session session = { 0 };
    struct stream_block block = { 0 };
    fill_xr(dice, &session);
    SOME_ID(dice, node->head_body_id);
    if (maybe(dice))
        HC_SET(block.stream_url, "moonlight://10.0.0.1:47989/?a=1&b=#x");
    SOME_NAME(dice, block.stream_url_lan);
    SOME_NAME(dice, block.stream_app_id);
    SOME_ID(dice, block.stream_mode);
    bool set = node_set_xr(node, &session) == HC_OK && node_set_stream(node, &block) == HC_OK;
    assert(set);
    const char *config = PICK(dice, texts);
    node->wireguard_config = maybe(dice) ? NULL : text_new(config, strlen(config));
    node->protocol_version = dice_below(dice, 3);
    node->pairing_protocol = dice_below(dice, 3);
}

static void fill_experience(struct dice *dice, struct experience_rec *experience)
{
    SOME_NAME(dice, experience->label);
    SOME_ID(dice, experience->orientation);
    SOME_ID(dice, experience->stream_mode);
    experience->enable_microphone = maybe(dice);
    experience->venues = maybe(dice) ? NULL : some_strings(dice, 3);
}

static void fill_attempts(struct dice *dice, struct attempts_rec *attempts)
{
    attempts->count = 1 + dice_below(dice, ATTEMPTS_PER_HEAD);
    for (size_t i = 0; i < attempts->count; i++) {
        struct attempt *attempt = &attempts->at[i];
        HC_SET(attempt->attempt_id, PICK(dice, ids));
        SOME_ID(dice, attempt->lease_id);
        SOME_ID(dice, attempt->stream_id);
        attempt->why = (enum lease_why)dice_below(dice, LEASE_WHYS);
        attempt->state = (enum lease_state)dice_below(dice, LEASE_STATES);
        attempt->until = some_time(dice);
    }
}

static void fill_op(struct dice *dice, struct op_rec *op)
{
    static const char *const outputs[] = { "{\"status\":true}", "{\"raw\":\"<html>\\n: # - null\"}",
                                           "{\"named_certs\":[{\"name\":\"\u00e9 \\\" '\"}]}" };
    HC_SET(op->node_id, PICK(dice, ids));
    op->op = (enum op_kind)dice_below(dice, OP_KINDS);
    op->state = (enum op_state)dice_below(dice, OP_STATES);
    SOME_ID(dice, op->uuid);
    some_hex(dice, op->pin, PIN_SIZE - 1);
    SOME_NAME(dice, op->name);
    op->force = maybe(dice);
    SOME_NAME(dice, op->asked_by);
    op->asked_at = some_time(dice);
    op->expires_at = some_time(dice);
    op->finished_at = some_time(dice);
    const char *output = PICK(dice, outputs);
    op->output = maybe(dice) ? NULL : text_new(output, strlen(output));
    SOME_NAME(dice, op->error);
}

static void name_record(struct dice *dice, enum rec_kind kind, unsigned n, char key[REC_KEY_SIZE])
{
    const char *id = PICK(dice, ids), *name = PICK(dice, names);
    bool named = kind == REC_DISTRICT || kind == REC_VENUE || kind == REC_ORG || kind == REC_EXPERIENCE;
    if (kind == REC_CAP)
        (void)snprintf(key, REC_KEY_SIZE, "%s/%s%u", maybe(dice) ? "venue" : "org", name, n);
    else if (kind == REC_DEMOTION)
        (void)snprintf(key, REC_KEY_SIZE, "%s%u/%s", id, n, PICK(dice, ids));
    else
        (void)snprintf(key, REC_KEY_SIZE, "%s%u", named ? name : id, n);
    if (n < 2 && kind != REC_CAP && kind != REC_DEMOTION)      /* the first two stand as they are: null, true, ... */
        (void)snprintf(key, REC_KEY_SIZE, "%s", named ? names[1 + n] : ids[n]);
}

struct rec *random_record(struct dice *dice, enum rec_kind kind, unsigned n)
{
    char key[REC_KEY_SIZE];
    name_record(dice, kind, n, key);
    struct rec *rec = rec_new(kind, key);
    assert(rec != NULL);
    switch (kind) {
    case REC_BODY:       fill_body(dice, (struct body_rec *)rec, n); break;
    case REC_STREAM:     fill_stream(dice, (struct stream_rec *)rec); break;
    case REC_TICKET:     fill_ticket(dice, (struct ticket_rec *)rec); break;
    case REC_DISTRICT:   fill_district(dice, (struct district_rec *)rec); break;
    case REC_CAP:        ((struct cap_rec *)rec)->max_concurrent_grants = maybe(dice) ? NO_CAP : dice_below(dice, 9); break;
    case REC_DEMOTION: {
        struct demotion_rec *demotion = (struct demotion_rec *)rec;
        size_t len = strcspn(key, "/");
        memcpy(demotion->body_id, key, len);
        HC_SET(demotion->head_id, key + len + 1);
        demotion->until = some_time(dice);
        break;
    }
    case REC_ATTEMPTS:   fill_attempts(dice, (struct attempts_rec *)rec); break;
    case REC_OP:         fill_op(dice, (struct op_rec *)rec); break;
    case REC_IDENTITY:   fill_identity(dice, (struct identity_rec *)rec); break;
    case REC_NODE:       fill_node(dice, (struct node_rec *)rec); break;
    case REC_VENUE: {
        struct venue_rec *venue = (struct venue_rec *)rec;
        SOME_NAME(dice, venue->district);
        SOME_NAME(dice, venue->owner);
        venue->accept_mode = (enum accept_mode)dice_below(dice, ACCEPT_MODES);
        break;
    }
    case REC_EXPERIENCE: fill_experience(dice, (struct experience_rec *)rec); break;
    default:             assert(kind == REC_ORG); break;
    }
    return rec;
}

struct alloc *random_state(uint64_t seed, unsigned count)
{
    struct dice dice = { seed };
    struct alloc *alloc;
    enum hc_err err = alloc_new(NULL, &alloc);
    assert(err == HC_OK);
    for (int kind = 0; kind < REC_SAVED_KINDS; kind++)
        for (unsigned n = 0; n < count; n++) {
            struct rec *rec = random_record(&dice, (enum rec_kind)kind, n);
            err = alloc_put(alloc, rec->kind, rec->key, rec);
            assert(err == HC_OK);
            rec_unref(rec);
        }
    (void)err;
    return alloc;
}
