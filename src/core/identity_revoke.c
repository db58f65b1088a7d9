/* identity_revoke.c - an identity that counts no more (rules §12.5): its leases end, its clients go wherever they show up (trust.c). */
#include "asking.h"
#include "identity_lost.h"
#include "merge_identity.h"

#define HEAD_LEASES_MAX 64
#define NAMES_BANNED_MAX 98304        /* of all identities: the rest is for those who register */

enum hc_err identity_leaves(struct step *s, const char *head_id)
{
    const char *held[HEAD_LEASES_MAX];
    char ids[HEAD_LEASES_MAX][HC_ID_SIZE];
    size_t count = alloc_head_leases(s->live, head_id, held, HEAD_LEASES_MAX);
    for (size_t i = 0; i < count; i++)
        HC_SET(ids[i], held[i]);              /* copies: an end edits the record that the id stands in */
    enum hc_err err = HC_OK;
    for (size_t i = 0; i < count && err == HC_OK; i++)
        err = lease_event(s, ids[i], LEV_REVOKE, WHY_IDENTITY_REVOKED, FATE_BY_WHY);
    const char *stream = err == HC_OK ? alloc_head_stream(s->live, head_id) : NULL;
    if (stream != NULL)
        err = stream_end(s, stream, STREAM_WHY_REVOKED);
    s->rights_changed = true;
    if (err == HC_OK)
        err = pairs_leave(s, head_id, "its identity was revoked");
    return err == HC_OK ? ticket_drop(s, head_id) : err;
}

enum hc_err on_identity_revoke(struct step *s)
{
    const char *head_id = s->ev->u.identity_revoke.head_id;
    const struct identity_rec *known = alloc_identity(s->live, head_id);
    if (known == NULL)
        return step_refuse(s, DENY_NOT_FOUND);
    if (!s->ev->store_ok)
        return step_refuse(s, DENY_STORE);
    s->out->answer = ANSWER_DONE;
    if (hc_time_set(known->revoked_at))
        return HC_OK;
    struct identity_rec *identity = (struct identity_rec *)alloc_edit(s->live, REC_IDENTITY, head_id);
    if (identity == NULL)
        return HC_ERR_NOMEM;
    identity->revoked_at = s->now;
    identity->predecessor = (struct predecessor){ 0 };
    enum hc_err err = identity_lose_clients(s, identity);
    if (err == HC_OK)
        err = step_note(s, NOTE_IDENTITY_REVOKED, "", -1, NULL, head_id, "%.16s", identity->fingerprint);
    return err == HC_OK ? identity_leaves(s, head_id) : err;
}

/* A head that paired and never registered: what goes is found by its name. */
static enum hc_err ban_name(struct step *s, const char *head_id)
{
    const struct node_rec *node = alloc_node(s->live, head_id);
    if (node == NULL || (node->roles & ROLE_HEAD) == 0 || alloc_count(s->live, REC_IDENTITY) >= NAMES_BANNED_MAX)
        return HC_OK;
    struct identity_rec *identity = (struct identity_rec *)alloc_create(s->live, REC_IDENTITY, head_id);
    if (identity == NULL)
        return HC_ERR_NOMEM;
    identity->revoked_at = s->now;
    return HC_OK;
}

enum hc_err identity_node_gone(struct step *s, const char *head_id)
{
    if (alloc_identity(s->live, head_id) == NULL)
        return ban_name(s, head_id);
    struct identity_rec *identity = (struct identity_rec *)alloc_edit(s->live, REC_IDENTITY, head_id);
    if (identity == NULL)
        return HC_ERR_NOMEM;
    if (!hc_time_set(identity->revoked_at))
        identity->revoked_at = s->now;
    identity->predecessor = (struct predecessor){ 0 };
    text_unref(identity->cert_pem);           /* nobody asks for it again: what goes is found by its name */
    identity->cert_pem = NULL;
    return HC_OK;
}
