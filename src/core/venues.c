/* venues.c - venues and orgs with their caps, and experiences: what an admin PUTs. */
#include <stdio.h>

#include "core.h"

#define VENUES_MAX      4096
#define ORGS_MAX        4096
#define EXPERIENCES_PUT_MAX 4096

static enum hc_err put_cap(struct step *s, const char *kind, const char *name, struct opt_u32 cap, bool clear)
{
    char key[REC_KEY_SIZE];
    (void)snprintf(key, sizeof key, "%s/%s", kind, name);
    if (clear || (cap.set && cap.value == NO_CAP))
        return alloc_remove(s->live, REC_CAP, key);
    if (!cap.set)
        return HC_OK;
    struct cap_rec *rec = (struct cap_rec *)(alloc_get(s->live, REC_CAP, key) == NULL ? alloc_create(s->live, REC_CAP, key)
                                                                                      : alloc_edit(s->live, REC_CAP, key));
    if (rec == NULL)
        return HC_ERR_NOMEM;
    rec->max_concurrent_grants = cap.value;
    return HC_OK;
}

/* The record to fill; *ret_refused: the step is answered. NULL otherwise means no memory. */
static struct rec *put_record(struct step *s, enum rec_kind kind, const char *name, size_t limit, bool *ret_refused)
{
    bool known = alloc_get(s->live, kind, name) != NULL;
    *ret_refused = !s->ev->store_ok || (!known && alloc_count(s->live, kind) >= limit);
    if (*ret_refused) {
        (void)step_refuse(s, s->ev->store_ok ? DENY_LIMIT : DENY_STORE);
        return NULL;
    }
    HC_SET(s->out->name, name);
    return known ? alloc_edit(s->live, kind, name) : alloc_create(s->live, kind, name);
}

/* Owners and caps decide who may use which slot: all queues are looked at again. */
static enum hc_err all_queues(struct step *s)
{
    return step_queue_changed(s, "");
}

enum hc_err on_venue_put(struct step *s)
{
    const struct venue_req *req = &s->ev->u.venue;
    bool refused, fresh = alloc_venue(s->live, req->name) == NULL;
    struct venue_rec *venue = (struct venue_rec *)put_record(s, REC_VENUE, req->name, VENUES_MAX, &refused);
    if (venue == NULL)
        return refused ? HC_OK : HC_ERR_NOMEM;
    if (req->district != NULL && req->district[0] != '\0')
        HC_SET(venue->district, req->district);
    else if (fresh)
        HC_SET(venue->district, s->live->config->default_district);
    if (req->owner != NULL)
        HC_SET(venue->owner, req->owner);
    if (req->set_accept_mode)
        venue->accept_mode = req->accept_mode;
    enum hc_err err = put_cap(s, "venue", req->name, req->cap, req->clear_cap);
    return err == HC_OK ? all_queues(s) : err;
}

static enum hc_err delete_named(struct step *s, enum rec_kind kind, const char *cap_kind)
{
    const char *name = s->ev->u.name.name;
    if (alloc_get(s->live, kind, name) == NULL)
        return step_refuse(s, DENY_NOT_FOUND);
    if (!s->ev->store_ok)
        return step_refuse(s, DENY_STORE);
    HC_SET(s->out->name, name);
    enum hc_err err = alloc_remove(s->live, kind, name);
    if (err == HC_OK && cap_kind != NULL)
        err = put_cap(s, cap_kind, name, (struct opt_u32){ 0 }, true);
    return err == HC_OK ? all_queues(s) : err;
}

enum hc_err on_venue_delete(struct step *s)
{
    return delete_named(s, REC_VENUE, "venue");
}

enum hc_err on_org_put(struct step *s)
{
    const struct org_req *req = &s->ev->u.org;
    bool refused;
    struct rec *org = put_record(s, REC_ORG, req->name, ORGS_MAX, &refused);
    if (org == NULL)
        return refused ? HC_OK : HC_ERR_NOMEM;
    enum hc_err err = put_cap(s, "org", req->name, req->cap, req->clear_cap);
    return err == HC_OK ? all_queues(s) : err;
}

enum hc_err on_org_delete(struct step *s)
{
    return delete_named(s, REC_ORG, "org");
}

enum hc_err on_experience_put(struct step *s)
{
    const struct experience_req *req = &s->ev->u.experience;
    bool mode_known = req->stream_mode == NULL || req->stream_mode[0] == '\0' || hc_same(req->stream_mode, "flat") ||
        hc_same(req->stream_mode, "xr");
    if (!mode_known)
        return step_bad(s, "stream_mode", "The stream mode is flat or xr.");
    bool refused;
    struct experience_rec *experience = (struct experience_rec *)put_record(s, REC_EXPERIENCE, req->name, EXPERIENCES_PUT_MAX, &refused);
    if (experience == NULL)
        return refused ? HC_OK : HC_ERR_NOMEM;
    if (req->label != NULL)
        HC_SET(experience->label, req->label);
    if (req->orientation != NULL)
        HC_SET(experience->orientation, req->orientation);
    if (req->stream_mode != NULL)
        HC_SET(experience->stream_mode, req->stream_mode);
    if (req->enable_microphone.set)
        experience->enable_microphone = req->enable_microphone.value;
    if (!req->set_venues)
        return HC_OK;
    struct strings *venues = req->venue_count == 0 ? NULL : strings_new(req->venues, req->venue_count);
    if (req->venue_count > 0 && venues == NULL)
        return HC_ERR_NOMEM;
    strings_unref(experience->venues);
    experience->venues = venues;
    return HC_OK;
}

enum hc_err on_experience_delete(struct step *s)
{
    return delete_named(s, REC_EXPERIENCE, NULL);
}
