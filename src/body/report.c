#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hydra/codec/json.h"

#define TABLE_ROWS_MAX 64               /* of any table (hydra/codec/field.h) */
#define GAP_MS         10               /* edges that come together go into one report; whoever is next in line waits for it */
#define RETRY_GAP_MS   1000             /* with the cluster away, edges do not hammer it */

enum { STREAM_NOT_TOLD, STREAM_IDLE, STREAM_STREAMING };        /* in the order of body_stream_words */
#define DIGEST_UNKNOWN "unknown"

/* ---- events ---- */

static bool same_event(const struct body_status_event *a, const struct body_status_event *b)
{
    return a->slot == b->slot && strcmp(a->type, b->type) == 0 && strcmp(a->launch_id, b->launch_id) == 0 &&
           strcmp(a->client_uuid, b->client_uuid) == 0;
}

/* What does not fit, or what the wire forbids, would have the whole report refused, and its body with it. */
static bool text_fits(const char *text, size_t size)
{
    size_t len = strlen(text);
    if (len >= size || !hc_utf8_ok(text, len))
        return false;
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return false;
    return true;
}

static bool id_fits(const char *text)
{
    return text[0] == '\0' || hc_id_ok(text);
}

bool report_event_add(struct report_events *events, const char *type, uint32_t slot, const char *launch_id, const char *client_uuid,
                      const char *detail)
{
    struct body_status_event event = { .slot = slot };
    if (!text_fits(type, sizeof event.type) || !id_fits(launch_id) || !id_fits(client_uuid) || !text_fits(detail, sizeof event.detail) ||
        slot > BODY_STATUS_INDEX_MAX)
        return false;
    HC_SET(event.type, type);
    HC_SET(event.launch_id, launch_id);
    HC_SET(event.client_uuid, client_uuid);
    HC_SET(event.detail, detail);
    for (size_t i = 0; i < events->count; i++)
        if (same_event(&events->events[i], &event)) {
            events->events[i] = event;
            return true;
        }
    if (events->count == BODY_STATUS_EVENTS_MAX)
        return false;
    events->events[events->count++] = event;
    return true;
}

void report_events_answered(struct report_events *events, size_t sent)
{
    size_t gone = sent < events->count ? sent : events->count;
    events->count -= gone;
    memmove(events->events, events->events + gone, events->count * sizeof events->events[0]);
}

/* ---- clients ---- */

void report_digest(const struct host_client *clients, size_t count, char ret_digest[HC_HASH_SIZE])
{
    uint64_t digest = HC_FNV1A64_START;
    for (size_t i = 0; i < count; i++) {
        digest = hc_fnv1a64(digest, clients[i].uuid);
        digest = hc_fnv1a64(digest, " ");
        digest = hc_fnv1a64(digest, clients[i].name);
        digest = hc_fnv1a64(digest, "\n");
    }
    (void)snprintf(ret_digest, HC_HASH_SIZE, "%016" PRIx64, digest);
}

/* A name that the wire forbids is nobody's that we know; a uuid that it forbids cannot be told, so that the list is not whole. */
static enum hc_err fill_clients(const struct body_view_slot *slot, struct hc_arena *arena, struct codec_list *ret,
                                char ret_digest[HC_HASH_SIZE])
{
    if (!slot->clients_known) {
        hc_copy(ret_digest, HC_HASH_SIZE, DIGEST_UNKNOWN);
        return HC_OK;
    }
    struct body_status_client *clients = hc_arena_array(arena, slot->client_count + 1, sizeof *clients);
    size_t count = 0;
    if (clients == NULL)
        return HC_ERR_NOMEM;
    report_digest(slot->clients, slot->client_count, ret_digest);
    for (size_t i = 0; i < slot->client_count; i++) {
        const struct host_client *from = &slot->clients[i];
        if (!hc_id_ok(from->uuid) || count == BODY_STATUS_CLIENTS_MAX) {
            hc_copy(ret_digest, HC_HASH_SIZE, DIGEST_UNKNOWN);
            continue;
        }
        HC_SET(clients[count].uuid, from->uuid);
        if (text_fits(from->name, sizeof clients[count].name))
            HC_SET(clients[count].name, from->name);
        count++;
    }
    *ret = (struct codec_list){ clients, count };
    return HC_OK;
}

/* ---- slots ---- */

static bool is_live(const struct session_row *row)
{
    return row->state == SLOT_STARTING || row->state == SLOT_STREAMING;
}

static void fill_row(const struct body_view *view, const struct body_view_slot *slot, const struct session_row *from,
                     struct body_status_slot *to)
{
    const struct session_launch *launch = &from->launch;
    to->state = (int)from->state;
    if (id_fits(launch->lease_id))
        HC_SET(to->lease_id, launch->lease_id);
    if (id_fits(launch->launch_id))
        HC_SET(to->launch_id, launch->launch_id);
    if (id_fits(launch->client_uuid))
        HC_SET(to->client_uuid, launch->client_uuid);
    if (text_fits(launch->client_name, sizeof to->client_name))
        HC_SET(to->client_name, launch->client_name);
    if (text_fits(launch->app, sizeof to->app))
        HC_SET(to->app, launch->app);
    to->since_ms = launch->since_ms < 0 ? -1 : view->now_ms > launch->since_ms ? view->now_ms - launch->since_ms : 0;
    to->applied_epoch = slot->applied_epoch;
    to->ports = slot->ports;
    to->has_ports = slot->ports.gamestream != 0;
    if (text_fits(slot->sunshine_cert_fp, sizeof to->sunshine_cert_fp))
        HC_SET(to->sunshine_cert_fp, slot->sunshine_cert_fp);
    to->gate_mode = slot->gate_mode;
    to->has_gate = slot->gate_mode != 0;
    if (slot->gate_reason != NULL && text_fits(slot->gate_reason, sizeof to->gate_reason))
        HC_SET(to->gate_reason, slot->gate_reason);
}

/* Slots of which nothing is known are left out: not named is occupied (rules §5). With one slot its clients are the body's. */
static enum hc_err fill_slots(const struct body_view *view, bool with_clients, struct hc_arena *arena, struct body_status *status)
{
    struct body_status_slot *rows = hc_arena_array(arena, view->slot_count * SESSIONS_ROWS_MAX + 1, sizeof *rows);
    uint64_t *epochs = hc_arena_array(arena, view->slot_count + 1, sizeof *epochs);
    size_t count = 0;
    enum hc_err err = rows == NULL || epochs == NULL ? HC_ERR_NOMEM : HC_OK;
    for (size_t i = 0; i < view->slot_count && err == HC_OK; i++) {
        const struct body_view_slot *slot = &view->slots[i];
        size_t first = count;
        epochs[i] = slot->max_epoch_seen;
        for (size_t k = 0; slot->sessions.known && k < slot->sessions.row_count; k++) {
            rows[count].index = (uint32_t)i;
            fill_row(view, slot, &slot->sessions.rows[k], &rows[count]);
            status->stream_count += is_live(&slot->sessions.rows[k]);
            count++;
        }
        if (with_clients && view->slot_count == 1)
            err = fill_clients(slot, arena, &status->paired_clients, status->paired_digest);
        else if (with_clients && count > first)
            err = fill_clients(slot, arena, &rows[first].paired_clients, rows[first].paired_digest);
    }
    status->slots = (struct codec_list){ rows, count };
    status->max_epoch_seen = (struct codec_list){ epochs, view->slot_count };
    return err;
}

/* ---- the whole ---- */

static enum hc_err names_that_fit(const char *const *names, size_t count, size_t most, struct hc_arena *arena, struct codec_list *ret)
{
    const char **kept = hc_arena_array(arena, count + 1, sizeof *kept);
    size_t kept_count = 0;
    if (kept == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0; i < count && kept_count < most; i++)
        if (hc_name_ok(names[i]))
            kept[kept_count++] = names[i];
    *ret = (struct codec_list){ kept, kept_count };
    return HC_OK;
}

#define SET_IF_FITS(array, text) \
    do { \
        if (text_fits((text), sizeof(array))) \
            HC_SET((array), (text)); \
    } while (0)

static void fill_words(const struct body_view *view, struct body_status *status)
{
    SET_IF_FITS(status->gpu, view->gpu);
    SET_IF_FITS(status->provider_status, view->provider_status);
    SET_IF_FITS(status->provider_version, view->provider_version);
    SET_IF_FITS(status->hydrabody_version, view->hydrabody_version);
    SET_IF_FITS(status->xr_state, view->xr_state);
    HC_SET(status->boot_id, view->boot_id);
    status->report_seq = view->report_seq;
    status->provider_uptime_ms = view->provider_uptime_ms;
    status->slots_total = (uint32_t)view->slot_count;
    status->gpu_memory_total_mb = view->gpu_memory_total_mb;
    bool named = view->slot_count > 0 && view->slots[0].sessions.known;
    status->stream_status = status->stream_count > 0 ? STREAM_STREAMING : named ? STREAM_IDLE : STREAM_NOT_TOLD;
    if (view->slot_count != 1)
        return;
    const struct body_view_slot *only = &view->slots[0];
    SET_IF_FITS(status->sunshine_cert_fp, only->sunshine_cert_fp);
    status->ports = only->ports;
    status->has_ports = only->ports.gamestream != 0;
}

/* An empty list says "none"; one that is not told at all must not stand there. */
static struct codec_table told_rows(const struct body_status *status, bool tells_clients, struct codec_field rows[TABLE_ROWS_MAX])
{
    struct codec_table table = body_status_table;
    table.fields = rows;
    table.count = 0;
    for (size_t i = 0; i < body_status_table.count; i++) {
        const char *key = body_status_table.fields[i].key;
        bool left_out = (strcmp(key, "paired_clients") == 0 && !tells_clients) ||
                        (strcmp(key, "gpu_memory_total_mb") == 0 && status->gpu_memory_total_mb == 0);
        if (!left_out)
            rows[table.count++] = body_status_table.fields[i];
    }
    return table;
}

static enum hc_err write_once(const struct body_view *view, bool with_clients, struct hc_buf *out)
{
    struct hc_arena arena = { 0 };
    struct body_status status = { 0 };
    enum hc_err err = fill_slots(view, with_clients, &arena, &status);
    if (err == HC_OK)
        err = names_that_fit(view->experiences, view->experience_count, BODY_STATUS_EXPERIENCES_MAX, &arena, &status.installed_experiences);
    if (err == HC_OK)
        err = names_that_fit(view->xr_drivers, view->xr_driver_count, BODY_STATUS_DRIVERS_MAX, &arena, &status.xr_drivers);
    if (err == HC_OK) {
        fill_words(view, &status);
        if (!with_clients)                              /* of the body: it goes before those of its slots */
            HC_SET(status.paired_digest, DIGEST_UNKNOWN);
        if (view->events != NULL)
            status.events = (struct codec_list){ (void *)(uintptr_t)view->events->events, view->events->count };
        bool tells = with_clients && view->slot_count == 1 && view->slots[0].clients_known;
        struct codec_field rows[TABLE_ROWS_MAX];
        const struct codec_table table = told_rows(&status, tells, rows);
        json_write(&table, &status, out);
        err = out->failed ? HC_ERR_NOMEM : HC_OK;
    }
    hc_arena_free(&arena);
    return err;
}

enum hc_err report_write(const struct body_view *view, struct hc_buf *out)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    enum hc_err err = write_once(view, true, &text);
    if (err == HC_OK && text.len > REPORT_BYTES_MAX) {
        hc_buf_clear(&text);                            /* a crowded trust store must not hide the body */
        err = write_once(view, false, &text);
    }
    if (err == HC_OK)
        hc_buf_add(out, text.data, text.len);
    return err == HC_OK && out->failed ? HC_ERR_NOMEM : err;
}

int64_t report_due_ms(bool edge, bool failing, int64_t tried_ms, int64_t next_ms)
{
    int64_t soonest_ms = tried_ms + (failing ? RETRY_GAP_MS : GAP_MS);
    return edge && soonest_ms < next_ms ? soonest_ms : next_ms;
}
