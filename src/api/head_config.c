/* head_config.c - GET /heads/{id}, the config fetch (wire §2, rules §6.4), and the experiences that a head may show. */
#include "head_config.h"

#include <string.h>

#include "answer_rows.h"

#define PAIRING_TARGETS_MAX 32        /* a venue's own bodies; a head asks again when it moves */

struct fetching { char district[HC_NAME_SIZE]; int64_t deadline_ms; };

/* ---- GET /heads/{id} ---- */

/* Shipping readers want text here, empty rather than null. */
static const struct codec_field head_rows[] = {
    { .key = "name",     .type = CODEC_STR, .offset = offsetof(struct node_rec, name) },
    { .key = "type",     .type = CODEC_STR, .offset = offsetof(struct node_rec, kind) },
    { .key = "district", .type = CODEC_STR, .offset = offsetof(struct node_rec, district) },
    { .key = "venue",    .type = CODEC_STR, .offset = offsetof(struct node_rec, venue) },
};
static const struct codec_table head_table = OUT_TABLE("head", head_rows, struct node_rec);

static const struct codec_field stream_rows[] = {
    { .key = "stream_url",     .type = CODEC_STR, .offset = offsetof(struct stream_block, stream_url) },
    { .key = "stream_url_lan", .type = CODEC_STR, .offset = offsetof(struct stream_block, stream_url_lan) },
    { .key = "stream_app_id",  .type = CODEC_STR, .offset = offsetof(struct stream_block, stream_app_id) },
    { .key = "stream_mode",    .type = CODEC_STR, .offset = offsetof(struct stream_block, stream_mode) },
};
static const struct codec_table stream_table = OUT_TABLE("stream", stream_rows, struct stream_block);

static void add_target(const struct node_rec *node, const struct body_rec *body, bool first, struct hc_buf *out)
{
    hc_buf_str(out, first ? "{\"body_id\":" : ",{\"body_id\":");
    hc_buf_json_str(out, node->rec.key);
    hc_buf_str(out, ",\"hosts\":[");
    if (node->ip[0] != '\0')
        hc_buf_json_str(out, node->ip);
    if (node->ip[0] != '\0' && node->wireguard_ip[0] != '\0')
        hc_buf_char(out, ',');
    if (node->wireguard_ip[0] != '\0')
        hc_buf_json_str(out, node->wireguard_ip);
    hc_buf_char(out, ']');
    member_text("server_cert_fp", body->sunshine_cert_fp, out);
    hc_buf_char(out, '}');
}

/* The assigned body, or those of the head's own venue: which machines it will meet. */
static bool is_target(const struct node_rec *node, const struct node_rec *head)
{
    if ((node->roles & ROLE_BODY) == 0 || node->approval != APPROVAL_APPROVED || strcmp(node->district, head->district) != 0)
        return false;
    if (head->head_body_id[0] != '\0')
        return strcmp(node->rec.key, head->head_body_id) == 0;
    return strcmp(node->venue, head->venue) == 0;
}

static void add_targets(const struct core_view *view, const struct node_rec *head, struct hc_buf *out)
{
    unsigned count = 0;
    hc_buf_str(out, ",\"pairing_targets\":[");
    for (size_t i = 0; i < alloc_count(view->saved, REC_BODY) && count < PAIRING_TARGETS_MAX; i++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(view->saved, REC_BODY, i);
        const struct node_rec *node = alloc_node(view->saved, body->rec.key);
        if (node != NULL && is_target(node, head))
            add_target(node, body, count++ == 0, out);
    }
    hc_buf_char(out, ']');
}

/* The district's web credentials of Sunshine: to the head itself only, until its district has per_device_identity (rules §16). */
static void add_sunshine(const struct call *call, const struct node_rec *head, struct hc_buf *out)
{
    const struct api_config *config = &call->api->config;
    if (!call_is_self(call))
        return;
    for (size_t i = 0; i < config->sunshine_count; i++) {
        if (strcmp(config->sunshine[i].district, head->district) != 0)
            continue;
        member_text("sunshine_username", config->sunshine[i].username, out);
        member_text("sunshine_password", config->sunshine[i].password, out);
        return;
    }
}

static bool any_stream(const struct stream_block *block)
{
    return block->stream_url[0] != '\0' || block->stream_url_lan[0] != '\0' || block->stream_app_id[0] != '\0' ||
           block->stream_mode[0] != '\0';
}

/* An assignment to XR takes no hold; it is shown while the body could be armed, and then the headset asks for it. */
static bool could_be_armed(const struct core_view *view, const struct node_rec *head)
{
    const struct body_rec *body = head->head_body_id[0] == '\0' ? NULL : alloc_body(view->saved, head->head_body_id);
    return strcmp(node_stream(head)->stream_mode, "xr") == 0 && body != NULL && body->slot_count > 0 && slot_occupied(view, body, 0) == 0;
}

static void write_head(const struct call *call, const struct core_view *view, const struct node_rec *head, bool has_lease,
                       struct hc_buf *out)
{
    const struct node_obs *seen = observed_node(view->obs, head->rec.key);
    hc_buf_char(out, '{');
    (void)json_write_members(&head_table, head, true, out);
    if ((has_lease || could_be_armed(view, head)) && head->head_body_id[0] != '\0' && any_stream(node_stream(head))) {
        hc_buf_str(out, ",\"stream\":");
        json_write(&stream_table, node_stream(head), out);
    }
    if (head->xr_client_hostname[0] != '\0')
        member_text("xr_client_hostname", head->xr_client_hostname, out);
    add_targets(view, head, out);
    member_bool("per_device_identity", per_device_identity_on(view->saved, head->district), out);
    member_text("status", seen == NULL ? NULL : seen->status, out);
    member_text("body_id", seen == NULL ? NULL : seen->body_id, out);
    char last_seen[HC_TIME_TEXT_SIZE];
    hc_time seen_at = node_seen_at(view->obs, head);
    hc_time_format(seen_at, last_seen);
    member_text("last_seen", hc_time_set(seen_at) ? last_seen : NULL, out);
    hc_buf_str(out, ",\"diagnostics\":");
    hc_buf_str(out, seen == NULL || seen->diagnostics == NULL ? "null" : seen->diagnostics->bytes);
    if (!per_device_identity_on(view->saved, head->district))
        add_sunshine(call, head, out);
    hc_buf_char(out, '}');
}

/* NULL: it has no assigned body (or there is no memory: then *ret_failed). */
static struct fetching *assigned(struct call *call, bool *ret_failed)
{
    const struct api_config *config = &call->api->config;
    const struct node_rec *head = (const struct node_rec *)engine_get(config->engine, REC_NODE, call->ids[0]);
    bool has_body = head != NULL && head->head_body_id[0] != '\0';
    struct fetching *fetching = has_body ? hc_arena_alloc(call->arena, sizeof *fetching) : NULL;
    if (fetching != NULL) {
        HC_SET(fetching->district, head->district);
        fetching->deadline_ms = config->monotonic_ms() + config->core->timers.claim_wait_ms;
    }
    *ret_failed = has_body && fetching == NULL;
    engine_release(config->engine, head == NULL ? NULL : &head->rec);
    return fetching;
}

/* A lookup by lease builds the view's index: only heads that have an assigned body pay for it. */
static bool lease_on_assigned(const struct core_view *view, const struct node_rec *head)
{
    if (head->head_body_id[0] == '\0')
        return false;
    const char *lease_id = alloc_head_lease(view->saved, head->rec.key);
    const char *body_id = lease_id == NULL ? NULL : alloc_lease_body(view->saved, lease_id);
    return body_id != NULL && strcmp(body_id, head->head_body_id) == 0;
}

static void answer_head(struct call *call, const struct core_result *fetched)
{
    struct engine_view view;
    struct hc_buf json = { 0 };
    if (!call_view(call, &view))
        return;
    const struct node_rec *head = alloc_node(view.saved, call->ids[0]);
    if (head != NULL)
        write_head(call, &view.view, head, fetched != NULL ? fetched->has_lease : lease_on_assigned(&view.view, head), &json);
    call_view_done(call, &view);
    http_header_add(call->req, "Cache-Control", "no-store");
    if (head != NULL)
        call_json(call, 200, &json);
    else
        call_error(call, 404, "node_not_found", "No such node has that id.", NULL, 0);
}

static void fetch(struct call *call, bool last);

static void render_fetch(struct call *call, struct core_result *result)
{
    if (result->answer == ANSWER_WAIT_SLOT) {
        const struct fetching *fetching = call->user;
        call_wait(call, WAIT_FOR_SLOT, fetching->district, fetching->deadline_ms, fetch);
        return;
    }
    answer_head(call, result);
}

static void fetch(struct call *call, bool last)
{
    call_event(call, CORE_CONFIG_FETCH)->u.fetch = (struct fetch_req){ .head_id = call->ids[0], .last_chance = last };
    call_submit(call, render_fetch);
}

void head_config_get(struct call *call)
{
    bool failed = false;
    bool claims = call_is_self(call) && http_method(call->req) != HTTP_HEAD;      /* an admin's look changes nothing, nor does HEAD */
    call->user = claims ? assigned(call, &failed) : NULL;
    if (failed)
        call_fault(call, HC_ERR_NOMEM);
    else if (call->user == NULL)
        answer_head(call, NULL);             /* without an assigned body it is no claim point */
    else
        fetch(call, false);
}

/* ---- GET /heads/{id}/experiences ---- */

struct offer { const char *name, *label, *orientation, *stream_mode; bool enable_microphone; };
static const struct codec_field offer_rows[] = {
    { .key = "name",              .type = CODEC_TEXT, .offset = offsetof(struct offer, name) },
    { .key = "label",             .type = CODEC_TEXT, .offset = offsetof(struct offer, label) },
    { .key = "orientation",       .type = CODEC_TEXT, .offset = offsetof(struct offer, orientation), .flags = CODEC_OMIT_EMPTY },
    { .key = "enable_microphone", .type = CODEC_BOOL, .offset = offsetof(struct offer, enable_microphone) },
    { .key = "stream_mode",       .type = CODEC_TEXT, .offset = offsetof(struct offer, stream_mode), .flags = CODEC_OMIT_EMPTY },
};
static const struct codec_table offer_table = OUT_TABLE("experience", offer_rows, struct offer);

static void write_offer(const struct experience_rec *experience, struct hc_buf *out)
{
    const char *name = experience->rec.key;
    const struct offer offer = { name, experience->label[0] == '\0' ? name : experience->label, experience->orientation,
                                 experience->stream_mode, experience->enable_microphone };
    json_write(&offer_table, &offer, out);
}

static bool offered(const struct experience_rec *experience, const struct node_rec *head)
{
    if (strcmp(experience->stream_mode, "xr") == 0 && !node_is_quest(head))
        return false;
    return experience->venues == NULL || strings_has(experience->venues, head->venue);
}

void head_experiences_get(struct call *call)
{
    struct engine_view view;
    struct hc_buf json = { 0 };
    bool first = true;
    if (!call_view(call, &view))
        return;
    const struct node_rec *head = alloc_node(view.saved, call->ids[0]);
    hc_buf_char(&json, '[');
    for (size_t i = 0; head != NULL && i < alloc_count(view.saved, REC_EXPERIENCE); i++) {
        const struct experience_rec *experience = (const struct experience_rec *)alloc_at(view.saved, REC_EXPERIENCE, i);
        if (!offered(experience, head))
            continue;
        if (!first)
            hc_buf_char(&json, ',');
        first = false;
        write_offer(experience, &json);
    }
    hc_buf_char(&json, ']');
    call_view_done(call, &view);
    call_json(call, 200, &json);
}
