/* xr_session.c - an XR session as a record: its begin, its copy in the node's record, what its head is told. */
#include "xr.h"

#include <assert.h>

bool xr_head_fits(const struct node_rec *head)
{
    return head != NULL && node_is_quest(head) && head->xr_client_hostname[0] != '\0';
}

bool xr_experience(const struct alloc *saved, const char *experience)
{
    const struct experience_rec *rec = experience == NULL || experience[0] == '\0' ? NULL : alloc_experience(saved, experience);
    return rec != NULL && hc_same(rec->stream_mode, "xr");
}

static bool same(const struct xr_session *a, const struct xr_session *b)
{
    return hc_same(a->session_id, b->session_id) && a->state == b->state && a->since.ms == b->since.ms && hc_same(a->reason, b->reason) &&
           a->acknowledged == b->acknowledged;
}

enum hc_err xr_mirror(struct step *s, const char *body_id)
{
    const struct body_rec *body = alloc_body(s->live, body_id);
    const struct node_rec *node = alloc_node(s->live, body_id);
    if (node == NULL)
        return HC_OK;
    const struct xr_session none = { 0 };
    struct xr_session now = body == NULL ? none : body->xr;
    if (same(&now, node_xr(node)))
        return HC_OK;
    struct node_rec *edit = (struct node_rec *)alloc_edit(s->live, REC_NODE, body_id);
    return edit == NULL ? HC_ERR_NOMEM : node_set_xr(edit, &now);
}

enum hc_err xr_begin(struct step *s, const char *body_id_given, const char *lease_id, const char *client_ip)
{
    char body_id[HC_ID_SIZE];
    HC_SET(body_id, body_id_given);
    struct body_rec *body = step_edit_body(s, body_id);
    if (body == NULL)
        return HC_ERR_NOMEM;
    const struct slot *slot = NULL;
    const struct lease *lease = body_lease(body, lease_id, &slot);
    assert(lease != NULL && lease->mode == MODE_XR && slot->index == XR_SLOT && body->xr.session_id[0] == '\0');
    const struct node_rec *head = alloc_node(s->live, lease->head_id);
    struct xr_session *xr = &body->xr;
    *xr = (struct xr_session){ 0 };
    xr_born(xr, s->now);
    HC_SET(xr->session_id, lease->id);
    HC_SET(xr->head_id, lease->head_id);
    HC_SET(xr->experience, lease->experience);
    HC_SET(xr->client_hostname, head == NULL ? "" : head->xr_client_hostname);
    HC_SET(xr->client_ip, client_ip != NULL && client_ip[0] != '\0' ? client_ip : head == NULL ? "" : head->wireguard_ip);
    enum hc_err err = step_note(s, NOTE_XR_SESSION, body_id, XR_SLOT, lease, "", "%s", word_of(&xr_state_words, (int)xr->state));
    return err == HC_OK ? xr_mirror(s, body_id) : err;
}

static bool shown_to(const struct body_rec *body, const char *head_id)
{
    const struct xr_session *xr = &body->xr;
    if (xr->session_id[0] == '\0' || xr->acknowledged || !hc_same(xr->head_id, head_id))
        return false;
    const struct lease *lease = body_lease(body, xr->session_id, NULL);
    return lease == NULL || !lease->left_behind;
}

const struct xr_session *xr_of_head(const struct alloc *saved, const char *head_id, const char **ret_body_id)
{
    const struct body_rec *found = NULL;
    for (size_t i = 0; i < alloc_count(saved, REC_BODY); i++) {
        const struct body_rec *body = (const struct body_rec *)alloc_at(saved, REC_BODY, i);
        if (!shown_to(body, head_id))
            continue;
        if (found == NULL || hc_time_before(found->xr.created_at, body->xr.created_at))
            found = body;                    /* a merge may have left it two: the newest */
    }
    if (found != NULL && ret_body_id != NULL)
        *ret_body_id = found->rec.key;
    return found == NULL ? NULL : &found->xr;
}

void xr_answer(struct step *s, const char *body_id)
{
    const struct body_rec *body = alloc_body(s->live, body_id);
    const struct node_rec *node = alloc_node(s->live, body_id);
    struct xr_facts *facts = &s->out->xr;
    assert(body != NULL);
    *facts = (struct xr_facts){ .state = body->xr.state };
    HC_SET(facts->session_id, body->xr.session_id);
    HC_SET(facts->body_id, body_id);
    HC_SET(facts->experience, body->xr.experience);
    HC_SET(facts->reason, body->xr.reason);
    if (node != NULL)
        HC_SET(facts->body_host, node->wireguard_ip[0] != '\0' ? node->wireguard_ip : node->ip);
    s->out->answer = ANSWER_XR;
}
