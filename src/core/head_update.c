/* head_update.c - what an admin sets on a head: its assigned body, the stream block, its WireGuard configuration. */
#include "core.h"

/* head_update_req.stream_fields, in member order */
enum stream_field { FIELD_URL = 1, FIELD_URL_LAN = 2, FIELD_APP_ID = 4, FIELD_MODE = 8 };

static const struct node_rec *known_head(const struct alloc *live, const char *head_id)
{
    const struct node_rec *head = alloc_node(live, head_id);
    return head != NULL && (head->roles & ROLE_HEAD) != 0 ? head : NULL;
}

static bool is_body(const struct alloc *live, const char *node_id)
{
    const struct node_rec *node = alloc_node(live, node_id);
    return node != NULL && (node->roles & ROLE_BODY) != 0;
}

static void set_stream(struct stream_block *block, const struct head_update_req *req)
{
    if (req->clear_stream)
        *block = (struct stream_block){ 0 };
    if (!req->set_stream)
        return;
    if ((req->stream_fields & FIELD_URL) != 0)
        HC_SET(block->stream_url, req->stream.stream_url);
    if ((req->stream_fields & FIELD_URL_LAN) != 0)
        HC_SET(block->stream_url_lan, req->stream.stream_url_lan);
    if ((req->stream_fields & FIELD_APP_ID) != 0)
        HC_SET(block->stream_app_id, req->stream.stream_app_id);
    if ((req->stream_fields & FIELD_MODE) != 0)
        HC_SET(block->stream_mode, req->stream.stream_mode);
}

enum hc_err on_head_update(struct step *s)
{
    const struct head_update_req *req = &s->ev->u.head_update;
    if (known_head(s->live, req->head_id) == NULL)
        return step_refuse(s, DENY_NOT_FOUND);
    if (!s->ev->store_ok)
        return step_refuse(s, DENY_STORE);
    bool names_body = req->head_body_id != NULL && req->head_body_id[0] != '\0';
    if (names_body && !is_body(s->live, req->head_body_id))
        return step_bad(s, "head_body_id", "No body has that id.");
    struct node_rec *head = (struct node_rec *)alloc_edit(s->live, REC_NODE, req->head_id);
    if (head == NULL)
        return HC_ERR_NOMEM;
    bool moved = req->head_body_id != NULL && !hc_same(head->head_body_id, req->head_body_id);
    if (moved)
        HC_SET(head->head_body_id, req->head_body_id);
    struct stream_block block = *node_stream(head);
    set_stream(&block, req);
    if (node_set_stream(head, &block) != HC_OK)
        return HC_ERR_NOMEM;
    HC_SET(s->out->id, req->head_id);
    char district[HC_NAME_SIZE];
    HC_SET(district, head->district);
    enum hc_err err = moved ? step_queue_changed(s, district) : HC_OK;
    return err != HC_OK ? err : step_note(s, NOTE_NODE_CHANGED, "", -1, NULL, req->head_id, "%s", moved ? "assigned body" : "stream block");
}

enum hc_err on_wireguard_put(struct step *s)
{
    const struct wireguard_req *req = &s->ev->u.wireguard;
    if (known_head(s->live, req->head_id) == NULL)
        return step_refuse(s, DENY_NOT_FOUND);
    if (!s->ev->store_ok)
        return step_refuse(s, DENY_STORE);
    size_t len = 0;
    while (req->text != NULL && len <= WIREGUARD_MAX && req->text[len] != '\0')
        len++;
    if (len > WIREGUARD_MAX)
        return step_bad(s, "", "A WireGuard configuration has at most 8 KiB.");
    struct node_rec *head = (struct node_rec *)alloc_edit(s->live, REC_NODE, req->head_id);
    struct text *text = head == NULL || len == 0 ? NULL : text_new(req->text, len);
    if (head == NULL || (len > 0 && text == NULL))
        return HC_ERR_NOMEM;
    text_unref(head->wireguard_config);
    head->wireguard_config = text;
    HC_SET(s->out->id, req->head_id);
    return HC_OK;
}
