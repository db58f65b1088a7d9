/* identity.c - one durable identity per head (I6, rules §12.1): registered once, repeated at will, renewed with an overlap, in use by one
 * head only. */
#include <string.h>

#include "asking.h"
#include "identity_lost.h"

#define IDENTITIES_MAX      131072            /* twice as many as there may be nodes: those of deleted ones stay for a year */
#define DELETED_KEPT_MS     (365 * HC_DAY_MS)  /* a body that was off that long is set up anew */

bool identity_banned(const struct alloc *alloc, const struct identity_rec *identity)
{
    const struct node_rec *node = alloc_node(alloc, identity->rec.key);
    return hc_time_set(identity->revoked_at) || (node != NULL && node->approval == APPROVAL_DENIED);
}

bool identity_counts(const struct alloc *alloc, const char *head_id)
{
    const struct identity_rec *identity = alloc_identity(alloc, head_id);
    return identity != NULL && !identity_banned(alloc, identity);
}

static bool overlaps(const struct identity_rec *identity, hc_time now)
{
    return identity->predecessor.fingerprint[0] != '\0' && !hc_time_due(identity->predecessor.overlap_until, now);
}

/* A certificate of a head that is denied or gone is free again: the device may come back under another name. */
static const char *other_user(const struct step *s, const char *head_id, const char *fingerprint)
{
    for (size_t i = 0; i < alloc_count(s->live, REC_IDENTITY); i++) {
        const struct identity_rec *known = (const struct identity_rec *)alloc_at(s->live, REC_IDENTITY, i);
        const struct node_rec *node = alloc_node(s->live, known->rec.key);
        bool same = hc_same(known->fingerprint, fingerprint) ||
                    (overlaps(known, s->now) && hc_same(known->predecessor.fingerprint, fingerprint));
        if (same && !hc_same(known->rec.key, head_id) && node != NULL && node->approval != APPROVAL_DENIED)
            return known->rec.key;
    }
    return NULL;
}

static enum hc_err answer(struct step *s, const struct identity_rec *identity, bool current)
{
    struct identity_facts *facts = &s->out->identity;
    s->out->answer = ANSWER_DONE;
    facts->registered_at = current ? identity->registered_at : identity->predecessor.registered_at;
    if (overlaps(identity, s->now)) {
        facts->overlap_until = identity->predecessor.overlap_until;
        if (current)
            HC_SET(facts->supersedes, identity->predecessor.fingerprint);
    }
    return HC_OK;
}

static enum hc_err fill(struct step *s, struct identity_rec *identity, const struct identity_req *req)
{
    struct text *pem = text_new(req->cert_pem, strnlen(req->cert_pem, CERT_PEM_MAX));
    if (pem == NULL)
        return HC_ERR_NOMEM;
    text_unref(identity->cert_pem);
    identity->cert_pem = pem;
    HC_SET(identity->device_uid, req->device_uid);
    HC_SET(identity->fingerprint, req->fingerprint);
    identity->registered_at = s->now;
    identity->not_after = req->not_after;
    identity->revoked_at = HC_TIME_NEVER;
    return HC_OK;
}

/* Another certificate of the same head: both count for a while, as bodies that are off now learn of it later. */
static enum hc_err renew(struct step *s, const struct identity_req *req, bool overlap)
{
    struct identity_rec *identity = (struct identity_rec *)alloc_edit(s->live, REC_IDENTITY, req->head_id);
    if (identity == NULL)
        return HC_ERR_NOMEM;
    struct predecessor before = { .registered_at = identity->registered_at,
                                  .overlap_until = hc_time_add(s->now, s->t->device_cert_overlap_ms) };
    HC_SET(before.fingerprint, identity->fingerprint);
    identity->predecessor = overlap ? before : (struct predecessor){ 0 };
    /* Nobody has paired with the new one yet: after a revocation all that is shown until now is the lost device's. */
    enum hc_err err = overlap ? HC_OK : identity_lose_clients(s, identity);
    if (err == HC_OK)
        err = fill(s, identity, req);
    if (err == HC_OK)
        err = step_note(s, NOTE_IDENTITY_REGISTERED, "", -1, NULL, req->head_id, "%.16s replaces %.16s", req->fingerprint,
                        before.fingerprint);
    return err == HC_OK ? answer(s, alloc_identity(s->live, req->head_id), true) : err;
}

static enum hc_err register_first(struct step *s, const struct identity_req *req)
{
    if (alloc_count(s->live, REC_IDENTITY) >= IDENTITIES_MAX)
        return step_refuse(s, DENY_LIMIT);
    struct identity_rec *identity = (struct identity_rec *)alloc_create(s->live, REC_IDENTITY, req->head_id);
    enum hc_err err = identity == NULL ? HC_ERR_NOMEM : fill(s, identity, req);
    if (err == HC_OK)
        err = step_note(s, NOTE_IDENTITY_REGISTERED, "", -1, NULL, req->head_id, "%.16s", req->fingerprint);
    return err == HC_OK ? answer(s, alloc_identity(s->live, req->head_id), true) : err;
}

enum hc_err on_identity_put(struct step *s)
{
    const struct identity_req *req = &s->ev->u.identity;
    if (!head_exists(s->live, req->head_id))
        return step_refuse(s, DENY_NOT_FOUND);
    if (!s->ev->store_ok)
        return step_refuse(s, DENY_STORE);
    const struct identity_rec *known = alloc_identity(s->live, req->head_id);
    bool same = known != NULL && hc_same(known->fingerprint, req->fingerprint);
    bool revoked = known != NULL && hc_time_set(known->revoked_at);
    /* A device that is revoked cannot take that back by itself (I6); an admin may give its head another certificate. */
    if (revoked && (same || s->ev->caller.kind != CALLER_ADMIN))
        return step_refuse(s, DENY_IDENTITY_REVOKED);
    if (same)
        return answer(s, known, true);
    if (known != NULL && overlaps(known, s->now) && hc_same(known->predecessor.fingerprint, req->fingerprint))
        return answer(s, known, false);
    const char *other = other_user(s, req->head_id, req->fingerprint);
    if (other != NULL) {
        enum hc_err err = step_note(s, NOTE_DUPLICATE_HEAD, "", -1, NULL, req->head_id, "registers the certificate of %s", other);
        return err != HC_OK ? err : step_refuse(s, DENY_IDENTITY_IN_USE);
    }
    return known == NULL ? register_first(s, req) : renew(s, req, !revoked);
}

enum hc_err identities_clock(struct step *s)
{
    enum hc_err err = HC_OK;
    for (size_t i = alloc_count(s->live, REC_IDENTITY); i > 0 && err == HC_OK; i--) {
        const struct identity_rec *known = (const struct identity_rec *)alloc_at(s->live, REC_IDENTITY, i - 1);
        bool gone = alloc_node(s->live, known->rec.key) == NULL && hc_time_set(known->revoked_at) &&
                    hc_time_since(s->now, known->revoked_at) >= DELETED_KEPT_MS;
        if (gone) {
            err = alloc_remove(s->live, REC_IDENTITY, known->rec.key);
            continue;
        }
        if (known->predecessor.fingerprint[0] == '\0' || overlaps(known, s->now))
            continue;
        struct identity_rec *edit = (struct identity_rec *)alloc_edit(s->live, REC_IDENTITY, known->rec.key);
        if (edit == NULL)
            return HC_ERR_NOMEM;
        edit->predecessor = (struct predecessor){ 0 };
    }
    return err;
}
