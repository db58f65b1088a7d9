#include "report_of.h"

#include <stdio.h>
#include <string.h>

static struct ports ports_of(const struct body_status_ports *from)
{
    return (struct ports){ from->gamestream, from->gamestream_tls, from->web };
}

static bool one_slot(const struct body_status *body)
{
    const struct body_status_slot *slots = body->slots.items;
    for (size_t i = 0; i < body->slots.count; i++)
        if (slots[i].index != 0)
            return false;
    return true;
}

static void fill_session(const struct body_status *body, const struct body_status_slot *from, bool one, struct session_obs *to)
{
    const struct codec_table *table = &body_status_slot_table;
    to->index = from->index;
    to->state = (enum session_state)from->state;
    HC_SET(to->lease_id, from->lease_id);
    HC_SET(to->launch_id, from->launch_id);
    HC_SET(to->client_uuid, from->client_uuid);
    HC_SET(to->client_name, from->client_name);
    HC_SET(to->app, from->app);
    to->has_applied_epoch = codec_has(table, from, "applied_epoch");
    to->applied_epoch = from->applied_epoch;
    to->since_ms = codec_has(table, from, "since_seconds") ? from->since_ms : -1;
    to->ports = ports_of(from->has_ports || !one ? &from->ports : &body->ports);
    HC_SET(to->sunshine_cert_fp, from->sunshine_cert_fp[0] != '\0' || !one ? from->sunshine_cert_fp : body->sunshine_cert_fp);
    to->gate_mode = (enum gate_mode)from->gate_mode;
    HC_SET(to->gate_reason, from->gate_reason);
}

static enum hc_err fill_sessions(const struct body_status *body, struct hc_arena *arena, struct report_req *ret)
{
    const struct body_status_slot *slots = body->slots.items;
    struct session_obs *sessions = hc_arena_array(arena, body->slots.count + 1, sizeof sessions[0]);
    if (sessions == NULL)
        return HC_ERR_NOMEM;
    bool one = one_slot(body);
    for (size_t i = 0; i < body->slots.count; i++)
        fill_session(body, &slots[i], one, &sessions[i]);
    ret->sessions = sessions;
    ret->session_count = body->slots.count;
    return HC_OK;
}

/* False: one was odd, or they are too many: what is taken is not the whole list. */
static bool add_clients(const struct codec_list *list, int32_t slot, struct client_obs *clients, size_t *count)
{
    const struct body_status_client *from = list->items;
    bool whole = true;
    for (size_t i = 0; i < list->count; i++) {
        whole = whole && !from[i].odd && *count < REPORT_CLIENTS_MAX;
        if (*count == REPORT_CLIENTS_MAX || from[i].uuid[0] == '\0')
            continue;
        clients[*count].slot = slot;
        HC_SET(clients[*count].uuid, from[i].uuid);
        HC_SET(clients[*count].name, from[i].name);
        (*count)++;
    }
    return whole;
}

/* Two sessions on one slot are two rows; its list counts once. */
static bool told_before(const struct body_status_slot *slots, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (slots[k].index == slots[i].index)
            return true;
    return false;
}

/* Of slots that tell their own lists: one that could not read its makes all of it unknown. */
static const char *slots_digest(const struct body_status *body)
{
    const struct body_status_slot *slots = body->slots.items;
    const char *digest = "";
    for (size_t i = 0; i < body->slots.count; i++) {
        const char *told = slots[i].paired_digest;
        if (strcmp(told, "unknown") == 0)
            return told;
        if (digest[0] == '\0')
            digest = told;
    }
    return digest;
}

/* The body's own list; where only its slots have one, theirs together. */
static enum hc_err fill_clients(const struct body_status *body, struct hc_arena *arena, struct report_req *ret)
{
    const struct body_status_slot *slots = body->slots.items;
    bool own = codec_has(&body_status_table, body, "paired_clients");
    size_t count = 0, total = body->paired_clients.count;
    for (size_t i = 0; i < body->slots.count; i++)
        total += slots[i].paired_clients.count;
    struct client_obs *clients = hc_arena_array(arena, (total < REPORT_CLIENTS_MAX ? total : REPORT_CLIENTS_MAX) + 1, sizeof clients[0]);
    if (clients == NULL)
        return HC_ERR_NOMEM;
    bool whole = add_clients(&body->paired_clients, CLIENT_OF_BODY, clients, &count);
    for (size_t i = 0; i < body->slots.count && !own; i++)
        if (!told_before(slots, i))
            whole = add_clients(&slots[i].paired_clients, (int32_t)slots[i].index, clients, &count) && whole;
    ret->clients = clients;
    ret->client_count = count;
    ret->paired_digest = body->paired_digest;
    if (body->paired_digest[0] == '\0')
        ret->paired_digest = slots_digest(body);
    if (!whole)
        ret->paired_digest = "unknown";       /* nothing is unpaired by a list that is not whole (rules §12.8) */
    return HC_OK;
}

static enum hc_err fill_events(const struct body_status *body, struct hc_arena *arena, struct report_req *ret)
{
    const struct body_status_event *from = body->events.items;
    struct body_event *events = hc_arena_array(arena, body->events.count + 1, sizeof events[0]);
    if (events == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0; i < body->events.count; i++) {
        int type = word_find(&body_event_words, from[i].type);
        events[i].type = type < 0 ? BODY_EVENT_OTHER : (enum body_event_type)type;
        HC_SET(events[i].type_text, from[i].type);
        events[i].slot = from[i].slot;
        HC_SET(events[i].launch_id, from[i].launch_id);
        HC_SET(events[i].client_uuid, from[i].client_uuid);
        HC_SET(events[i].detail, from[i].detail);
    }
    ret->events = events;
    ret->event_count = body->events.count;
    return HC_OK;
}

static enum hc_err check_epochs(const struct body_status *body, char ret_field[REPORT_FIELD_SIZE])
{
    const uint64_t *epochs = body->max_epoch_seen.items;
    for (size_t i = 0; i < body->max_epoch_seen.count; i++)
        if (epochs[i] > HC_EPOCH_MAX) {
            (void)snprintf(ret_field, REPORT_FIELD_SIZE, "max_epoch_seen[%zu]", i);
            return HC_ERR_RANGE;
        }
    return HC_OK;
}

enum hc_err report_of(const struct body_status *body, struct hc_arena *arena, struct report_req *ret,
                      char ret_field[REPORT_FIELD_SIZE])
{
    const struct codec_table *table = &body_status_table;
    *ret = (struct report_req){
        .modern = codec_has(table, body, "boot_id") && codec_has(table, body, "report_seq") && codec_has(table, body, "slots"),
        .boot_id = body->boot_id,
        .report_seq = body->report_seq,
        .uptime_ms = codec_has(table, body, "provider_uptime_seconds") ? body->provider_uptime_ms : -1,
        .stream_status = (enum stream_status)body->stream_status,
        .xr_state = body->xr_state,
        .xr_session_id = body->xr_session_id,
        .xr_reason = body->xr_reason,
        .xr_drivers = body->xr_drivers.items,
        .xr_driver_count = body->xr_drivers.count,
        .has_experiences = codec_has(table, body, "installed_experiences"),
        .experiences = body->installed_experiences.items,
        .experience_count = body->installed_experiences.count,
        .gpu = body->gpu,
        .provider_status = body->provider_status,
        .provider_version = body->provider_version,
        .hydrabody_version = body->hydrabody_version,
        .gpu_memory_total_mb = body->gpu_memory_total_mb,
        .ports = ports_of(&body->ports),
        .max_epoch_seen = body->max_epoch_seen.items,
        .max_epoch_count = body->max_epoch_seen.count,
        .sunshine_cert_fp = body->sunshine_cert_fp,
    };
    if (body->sunshine_cert_fp[0] == '\0' && body->slots.count > 0 && one_slot(body))
        ret->sunshine_cert_fp = ((const struct body_status_slot *)body->slots.items)[0].sunshine_cert_fp;
    enum hc_err err = check_epochs(body, ret_field);
    if (err == HC_OK)
        err = fill_sessions(body, arena, ret);
    if (err == HC_OK)
        err = fill_clients(body, arena, ret);
    return err == HC_OK ? fill_events(body, arena, ret) : err;
}
