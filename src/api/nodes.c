/* nodes.c - the registry (wire §1): enrolment, records, tokens, signs of life. */
#include "node_row.h"
#include "node_token.h"

#include "hydra/proto/node_enrol.h"
#include "hydra/proto/node_put.h"
#include "node_settings.h"

/* ---- enrolment ---- */

/* {"<id_key>","token","server_url"}: the only time that the token is told. */
static void answer_token(struct call *call, unsigned status, const char *id_key, const char *id)
{
    const struct node_token *made = call->user;
    struct hc_buf json = { 0 };
    hc_buf_char(&json, '{');
    hc_buf_json_str(&json, id_key);
    hc_buf_char(&json, ':');
    hc_buf_json_str(&json, id);
    hc_buf_str(&json, ",\"token\":");
    hc_buf_json_str(&json, made->token);
    hc_buf_str(&json, ",\"server_url\":");
    hc_buf_json_str(&json, call->api->config.server_url);
    hc_buf_char(&json, '}');
    http_header_add(call->req, "Cache-Control", "no-store");
    call_json(call, status, &json);
}

static void render_head_made(struct call *call, struct core_result *result)
{
    answer_token(call, 201, "head_id", result->id);
}

static void render_node_made(struct call *call, struct core_result *result)
{
    answer_token(call, 201, "node_id", result->id);
}

static const struct node_token *new_token(struct call *call)
{
    struct node_token *made = hc_arena_alloc(call->arena, sizeof *made);
    if (made == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return NULL;
    }
    node_token_make(call->api->config.random, made);
    call->user = made;
    return made;
}

static void heads_post(struct call *call)
{
    struct head_enrol *body = hc_arena_alloc(call->arena, sizeof *body);
    if (body == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    if (!call_read(call, &head_enrol_table, body))
        return;
    const struct node_token *made = new_token(call);
    if (made == NULL)
        return;
    call_event(call, CORE_NODE_ENROL)->u.enrol = (struct enrol_req){
        .name = body->name, .kind = body->type, .district = body->district, .venue = body->venue, .owner = "", .machine_id = "", .ip = "",
        .wireguard_ip = "", .token_hash = made->hash, .roles = ROLE_HEAD, .pending = call->api->config.enrol_pending, .legacy_names = true,
    };
    call_submit(call, render_head_made);
}

static void nodes_post(struct call *call)
{
    struct node_enrol *body = hc_arena_alloc(call->arena, sizeof *body);
    uint32_t roles;
    if (body == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    if (!call_read(call, &node_enrol_table, body))
        return;
    if (!node_roles(&body->roles, &roles)) {
        call_bad(call, "roles", "A node has the role body, head or both.");
        return;
    }
    const struct node_token *made = new_token(call);
    if (made == NULL)
        return;
    call_event(call, CORE_NODE_ENROL)->u.enrol = (struct enrol_req){
        .name = body->name, .kind = body->kind, .district = body->district, .venue = body->venue, .owner = body->owner,
        .machine_id = body->machine_id, .ip = body->ip, .wireguard_ip = body->wireguard_ip, .token_hash = made->hash, .roles = roles,
        .pending = call->api->config.enrol_pending,
    };
    call_submit(call, render_node_made);
}

/* ---- records ---- */

static void list_nodes(struct call *call, uint32_t role)
{
    struct engine_view view;
    struct hc_buf json = { 0 };
    bool first = true;
    if (!call_view(call, &view))
        return;
    hc_buf_char(&json, '[');
    for (size_t i = 0; i < alloc_count(view.saved, REC_NODE); i++) {
        const struct node_rec *node = (const struct node_rec *)alloc_at(view.saved, REC_NODE, i);
        if ((node->roles & role) == 0)
            continue;
        if (!first)
            hc_buf_char(&json, ',');
        first = false;
        node_row(&view.view, node, &json);
    }
    hc_buf_char(&json, ']');
    call_view_done(call, &view);
    call_json(call, 200, &json);
}

static void nodes_list(struct call *call)
{
    list_nodes(call, ROLE_BODY | ROLE_HEAD);
}

static void heads_list(struct call *call)
{
    list_nodes(call, ROLE_HEAD);
}

static void answer_node(struct call *call)
{
    struct engine_view view;
    struct hc_buf json = { 0 };
    if (!call_view(call, &view))
        return;
    const struct node_rec *node = alloc_node(view.saved, call->ids[0]);
    if (node != NULL)
        node_row(&view.view, node, &json);
    call_view_done(call, &view);
    if (node != NULL)
        call_json(call, 200, &json);
    else
        call_error(call, 404, "node_not_found", "No such node has that id.", NULL, 0);
}

static void render_node(struct call *call, struct core_result *result)
{
    (void)result;
    answer_node(call);
}

static const char *named(const struct node_put *body, const char *key, const char *value)
{
    return codec_has(&node_put_table, body, key) ? value : NULL;
}

static void node_put(struct call *call)
{
    struct node_put *body = hc_arena_alloc(call->arena, sizeof *body);
    struct opt_u32 roles = { .set = false };
    if (body == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    if (!call_read(call, &node_put_table, body))
        return;
    roles.set = codec_has(&node_put_table, body, "roles");
    if (roles.set && !node_roles(&body->roles, &roles.value)) {
        call_bad(call, "roles", "A node has the role body, head or both.");
        return;
    }
    call_event(call, CORE_NODE_UPDATE)->u.node_update = (struct node_update_req){
        .node_id = call->ids[0], .name = named(body, "name", body->name), .venue = named(body, "venue", body->venue),
        .district = named(body, "district", body->district), .owner = named(body, "owner", body->owner), .ip = named(body, "ip", body->ip),
        .wireguard_ip = named(body, "wireguard_ip", body->wireguard_ip), .machine_id = named(body, "machine_id", body->machine_id),
        .xr_client_hostname = named(body, "xr_client_hostname", body->xr_client_hostname), .roles = roles,
        .set_approval = codec_has(&node_put_table, body, "approval"), .approval = (enum approval)body->approval,
    };
    call_submit(call, render_node);
}

static void render_empty(struct call *call, struct core_result *result)
{
    (void)result;
    call_empty(call, 204);
}

static void node_delete(struct call *call)
{
    call_event(call, CORE_NODE_DELETE)->u.node_delete = (struct node_delete_req){ .node_id = call->ids[0],
                                                                                  .force = call_query_flag(call, "force") };
    call_submit(call, render_empty);
}

static void render_new_token(struct call *call, struct core_result *result)
{
    answer_token(call, 200, "node_id", result->id);
}

static void token_post(struct call *call)
{
    const struct node_token *made = new_token(call);
    if (made == NULL)
        return;
    call_event(call, CORE_NODE_TOKEN)->u.node_token = (struct node_token_req){ .node_id = call->ids[0], .token_hash = made->hash };
    call_submit(call, render_new_token);
}

/* ---- signs of life ---- */

static void render_beat(struct call *call, struct core_result *result)
{
    (void)result;
    call_text(call, 200, NULL, "{\"status\":\"ok\"}");
}

static void beat_post(struct call *call)
{
    struct node_beat *body = hc_arena_alloc(call->arena, sizeof *body);
    if (body == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    if (!call_read(call, &node_beat_table, body))
        return;
    call_event(call, CORE_NODE_BEAT)->u.node_beat = (struct node_beat_req){ .node_id = call->ids[0], .version = body->version,
                                                                            .arch = body->arch, .ip = body->ip };
    call_submit(call, render_beat);
}

#define ENROL (SCOPE_ADMIN | SCOPE_FLEET)
#define LOOK  (SCOPE_ADMIN | SCOPE_READ)
const struct api_route node_routes[] = {
    { HTTP_POST,   "/api/v1/heads",                SCOPE_FLEET, ROUTE_BODY,                     heads_post },
    { HTTP_GET,    "/api/v1/heads",                LOOK,        0,                              heads_list },
    { HTTP_POST,   "/api/v1/nodes",                ENROL,       ROUTE_BODY,                     nodes_post },
    { HTTP_GET,    "/api/v1/nodes",                LOOK,        0,                              nodes_list },
    { HTTP_GET,    "/api/v1/nodes/{id}",           LOOK,        ROUTE_NODE_EXISTS,              answer_node },
    { HTTP_PUT,    "/api/v1/nodes/{id}",           SCOPE_ADMIN, ROUTE_BODY | ROUTE_NODE_EXISTS, node_put },
    { HTTP_DELETE, "/api/v1/nodes/{id}",           SCOPE_ADMIN, ROUTE_NODE_EXISTS,              node_delete },
    { HTTP_POST,   "/api/v1/nodes/{id}/token",     SCOPE_ADMIN, ROUTE_NODE_EXISTS,              token_post },
    { HTTP_POST,   "/api/v1/nodes/{id}/heartbeat", SCOPE_SELF,  ROUTE_BODY | ROUTE_NODE_EXISTS, beat_post },
    { HTTP_PUT,    "/api/v1/nodes/{id}/slots",     SCOPE_ADMIN, ROUTE_BODY | ROUTE_BODY_EXISTS, node_slots_put },
    { HTTP_POST,   "/api/v1/nodes/{id}/drain",     SCOPE_ADMIN, ROUTE_BODY | ROUTE_BODY_EXISTS, node_drain },
    { HTTP_DELETE, "/api/v1/nodes/{id}/drain",     SCOPE_ADMIN, ROUTE_BODY_EXISTS,              node_undrain },
    { 0 },
};
