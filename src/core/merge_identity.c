/* merge_identity.c - what a rollback must not erase (rules §3.1, §3.3): identities that were acknowledged, revocations, latches. */
#include "merge_identity.h"

#include "identity_lost.h"

static enum hc_err take_ours(struct step *s, struct identity_rec *made, const struct identity_rec *ours)
{
    if (made == NULL)
        return HC_ERR_NOMEM;
    struct rec rec = made->rec;
    struct paired *theirs = made->lost;
    text_unref(made->cert_pem);
    *made = *ours;
    made->rec = rec;
    made->cert_pem = text_ref(ours->cert_pem);
    made->lost = paired_ref(ours->lost);
    enum hc_err err = identity_lose_too(s, made, theirs);
    paired_unref(theirs);
    return err;
}

/* A certificate that was acknowledged after all that their file knows of this head: its last one, and no revocation since. */
static bool ours_is_newer(const struct identity_rec *ours, const struct identity_rec *theirs)
{
    return !hc_same(ours->fingerprint, theirs->fingerprint) && hc_time_before(theirs->registered_at, ours->registered_at) &&
           hc_time_before(theirs->revoked_at, ours->registered_at);
}

/* A revocation holds for the certificate that it was made for: theirs may know a later one. */
static enum hc_err revoke_again(struct step *s, const struct identity_rec *ours)
{
    const struct identity_rec *theirs = alloc_identity(s->live, ours->rec.key);
    bool later = !hc_same(ours->fingerprint, theirs->fingerprint) && hc_time_before(ours->revoked_at, theirs->registered_at);
    if (!hc_time_set(ours->revoked_at) || hc_time_set(theirs->revoked_at) || later)
        return HC_OK;
    struct identity_rec *edit = (struct identity_rec *)alloc_edit(s->live, REC_IDENTITY, ours->rec.key);
    if (edit == NULL)
        return HC_ERR_NOMEM;
    edit->revoked_at = ours->revoked_at;
    edit->predecessor = (struct predecessor){ 0 };
    return HC_OK;
}

static enum hc_err merge_identity(struct step *s, const struct identity_rec *ours)
{
    const struct identity_rec *theirs = alloc_identity(s->live, ours->rec.key);
    if (theirs == NULL)
        return take_ours(s, (struct identity_rec *)alloc_create(s->live, REC_IDENTITY, ours->rec.key), ours);
    if (ours_is_newer(ours, theirs))
        return take_ours(s, (struct identity_rec *)alloc_edit(s->live, REC_IDENTITY, ours->rec.key), ours);
    if (ours->lost != NULL) {
        struct identity_rec *edit = (struct identity_rec *)alloc_edit(s->live, REC_IDENTITY, ours->rec.key);
        enum hc_err err = edit == NULL ? HC_ERR_NOMEM : identity_lose_too(s, edit, ours->lost);
        if (err != HC_OK)
            return err;
    }
    return revoke_again(s, ours);
}

/* Their file may have a lease, or a place in the line, of a head that is revoked here: none may come of it (I6). */
static enum hc_err leave(struct step *s)
{
    enum hc_err err = HC_OK;
    for (size_t i = 0; i < alloc_count(s->live, REC_IDENTITY) && err == HC_OK; i++) {
        const struct identity_rec *identity = (const struct identity_rec *)alloc_at(s->live, REC_IDENTITY, i);
        char head_id[HC_ID_SIZE];
        HC_SET(head_id, identity->rec.key);
        if (hc_time_set(identity->revoked_at))
            err = identity_leaves(s, head_id);
    }
    return err;
}

enum hc_err merge_identities(struct step *s, const struct alloc *committed)
{
    enum hc_err err = HC_OK;
    for (size_t i = 0; i < alloc_count(committed, REC_IDENTITY) && err == HC_OK; i++)
        err = merge_identity(s, (const struct identity_rec *)alloc_at(committed, REC_IDENTITY, i));
    return err == HC_OK ? leave(s) : err;
}

enum hc_err merge_latches(struct step *s, const struct alloc *committed)
{
    for (size_t i = 0; i < alloc_count(committed, REC_DISTRICT); i++) {
        const struct district_rec *ours = (const struct district_rec *)alloc_at(committed, REC_DISTRICT, i);
        const struct district_rec *theirs = alloc_district(s->live, ours->rec.key);
        bool told = theirs != NULL && (hc_time_set(theirs->per_device_identity_at) || hc_time_set(theirs->per_device_identity_off_at));
        if (told || (!hc_time_set(ours->per_device_identity_at) && !hc_time_set(ours->per_device_identity_off_at)))
            continue;
        struct district_rec *edit = district_edit(s, ours->rec.key);
        if (edit == NULL)
            return HC_ERR_NOMEM;
        edit->per_device_identity_at = ours->per_device_identity_at;
        edit->per_device_identity_off_at = ours->per_device_identity_off_at;
    }
    return HC_OK;
}
