/* report.c - POST /body/status: facts enter what is observed, whatever becomes of the step; what must outlive us is saved (rules §3.4,
 * §6.1, §6.2.5). */
#include <assert.h>
#include <string.h>

#include "core.h"

#define CONFIRMATION_EVERY_MS (60 * HC_SECOND_MS)      /* how old a saved last_body_confirmation_at may get */

static bool report_ok(struct step *s, const struct report_req *req)
{
    const char *bad = NULL;
    if (req->session_count > REPORT_SESSIONS_MAX)
        bad = "slots";
    else if (req->max_epoch_count > BODY_SLOTS_MAX)
        bad = "max_epoch_seen";
    else if (req->client_count > REPORT_CLIENTS_MAX)
        bad = "paired_clients";
    else if (req->event_count > REPORT_EVENTS_MAX)
        bad = "events";
    for (size_t i = 0; bad == NULL && i < req->session_count; i++)
        if (req->sessions[i].index >= BODY_SLOTS_MAX || req->sessions[i].applied_epoch > HC_EPOCH_MAX)
            bad = "slots";
    for (size_t i = 0; bad == NULL && i < req->max_epoch_count; i++)
        if (req->max_epoch_seen[i] > HC_EPOCH_MAX)
            bad = "max_epoch_seen";
    return bad == NULL || step_bad(s, bad, "Out of range.") != HC_OK;
}

static bool stale(const struct body_obs *obs, const struct report_req *req)
{
    return obs != NULL && obs->modern && req->modern && hc_same(obs->boot_id, req->boot_id) && req->report_seq <= obs->report_seq;
}

static enum hc_err take_strings(struct strings **to, const char *const *items, size_t count)
{
    struct strings *made = strings_new(items, count);
    if (made == NULL)
        return HC_ERR_NOMEM;
    strings_unref(*to);
    *to = made;
    return HC_OK;
}

static enum hc_err take_rows(struct body_obs *obs, const struct report_req *req)
{
    struct session_obs *sessions = req->session_count == 0 ? NULL : hc_alloc(req->session_count * sizeof sessions[0]);
    if (sessions == NULL && req->session_count > 0)
        return HC_ERR_NOMEM;
    if (sessions != NULL)
        memcpy(sessions, req->sessions, req->session_count * sizeof sessions[0]);
    hc_free(obs->sessions);
    obs->sessions = sessions;
    obs->session_count = req->session_count;
    obs->max_epoch_count = req->max_epoch_count;
    if (req->max_epoch_count > 0)
        memcpy(obs->max_epoch_seen, req->max_epoch_seen, req->max_epoch_count * sizeof obs->max_epoch_seen[0]);
    if (req->client_count == 0 && req->paired_digest[0] == '\0')
        return HC_OK;                          /* not told: what is known stays */
    struct client_obs *clients = req->client_count == 0 ? NULL : hc_alloc(req->client_count * sizeof clients[0]);
    if (clients == NULL && req->client_count > 0)
        return HC_ERR_NOMEM;
    if (clients != NULL)
        memcpy(clients, req->clients, req->client_count * sizeof clients[0]);
    hc_free(obs->clients);
    obs->clients = clients;
    obs->client_count = req->client_count;
    HC_SET(obs->paired_digest, req->paired_digest);
    return HC_OK;
}

static void take_words(struct step *s, struct body_obs *obs, const struct report_req *req)
{
    obs->stream_status = req->stream_status;
    observed_memory(s->obs, obs, req->gpu_memory_total_mb);
    obs->ports = req->ports;
    HC_SET(obs->xr_state, req->xr_state);
    HC_SET(obs->xr_session_id, req->xr_session_id == NULL ? "" : req->xr_session_id);
    HC_SET(obs->xr_reason, req->xr_reason == NULL ? "" : req->xr_reason);
    HC_SET(obs->gpu, req->gpu);
    HC_SET(obs->provider_status, req->provider_status);
    HC_SET(obs->provider_version, req->provider_version);
    HC_SET(obs->hydrabody_version, req->hydrabody_version);
}

/* A boot that we knew before our own start is not a new one. */
static void take_boot(const struct step *s, struct body_obs *obs, const struct report_req *req, const struct body_rec *body)
{
    if (!req->modern) {
        obs->boot_id[0] = '\0';
        obs->boot_first_at = HC_TIME_NEVER;
    } else if (!obs->modern || !hc_same(obs->boot_id, req->boot_id)) {
        HC_SET(obs->boot_id, req->boot_id);
        obs->boot_first_at = hc_same(body->boot_id, req->boot_id) ? HC_TIME_NEVER : s->now;
    }
    obs->modern = req->modern;
    obs->report_seq = req->report_seq;
    obs->uptime_ms = req->uptime_ms;
    obs->reported_at = s->now;
}

static void take_slots(const struct step *s, struct body_obs *obs)
{
    bool warming = agent_warming(obs, s->t, s->now);
    for (uint32_t i = 0; i < BODY_SLOTS_MAX; i++) {
        if (slot_idle(obs, i)) {
            obs->session_since[i] = HC_TIME_NEVER;
            if (!warming)                      /* an empty registry is no evidence (§6.2.5) */
                obs->idle_at[i] = s->now;
        } else if (slot_named(obs, i) && !hc_time_set(obs->session_since[i])) {
            obs->session_since[i] = s->now;
        }
    }
}

static enum hc_err take_report(struct step *s, const struct report_req *req, const struct body_rec *body)
{
    struct body_obs *obs = step_edit_body_obs(s, req->body_id);
    if (obs == NULL)
        return HC_ERR_NOMEM;
    enum hc_err err = take_rows(obs, req);
    if (err == HC_OK)
        err = take_strings(&obs->xr_drivers, req->xr_drivers, req->xr_driver_count);
    if (err == HC_OK && req->has_experiences)
        err = take_strings(&obs->experiences, req->experiences, req->experience_count);
    if (err != HC_OK)
        return err;
    take_words(s, obs, req);
    take_boot(s, obs, req, body);
    take_slots(s, obs);
    return HC_OK;
}

/* Everything that this body ever listed: 422 only for what no body ever had (§6.5.5). *ret_list NULL: nothing new. */
static enum hc_err listed_more(const struct body_rec *body, const struct report_req *req, struct strings **ret_list)
{
    *ret_list = NULL;
    bool more = false;
    for (size_t i = 0; i < req->experience_count && !more; i++)
        more = !strings_has(body->listed_experiences, req->experiences[i]);
    if (!req->has_experiences || !more)
        return HC_OK;
    size_t old = body->listed_experiences == NULL ? 0 : body->listed_experiences->count, count = 0;
    old = old + req->experience_count > EXPERIENCES_MAX ? 0 : old;      /* too many for one list: the present ones count */
    const char **all = hc_alloc((old + req->experience_count) * sizeof all[0]);
    if (all == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0; i < old; i++)
        all[count++] = body->listed_experiences->at[i];
    for (size_t i = 0; i < req->experience_count && count < EXPERIENCES_MAX; i++)
        all[count++] = req->experiences[i];
    *ret_list = strings_new(all, count);
    hc_free(all);
    return *ret_list == NULL ? HC_ERR_NOMEM : HC_OK;
}

static const char *cert_told(const struct report_req *req, const struct body_rec *body)
{
    if (req->sunshine_cert_fp[0] != '\0' || body->slots_total != 1)
        return req->sunshine_cert_fp;
    for (size_t i = 0; i < req->session_count; i++)
        if (req->sessions[i].index == 0)
            return req->sessions[i].sunshine_cert_fp;
    return "";
}

static enum hc_err save_cert(struct step *s, const char *body_id, const char *cert)
{
    struct body_rec *body = step_edit_body(s, body_id);
    if (body == NULL)
        return HC_ERR_NOMEM;
    bool rotated = body->sunshine_cert_fp[0] != '\0';
    HC_SET(body->sunshine_cert_fp, cert);
    if (!rotated)
        return HC_OK;                          /* the first one that we hear of is no change */
    body->pair_epoch++;
    body->cert_rotated_at = s->now;
    return step_note(s, NOTE_CERT_ROTATED, body_id, -1, NULL, "", "pair epoch %u", body->pair_epoch);
}

static enum hc_err save_confirmation(struct step *s, const char *body_id)
{
    const struct body_rec *now = alloc_body(s->live, body_id);
    bool clears = now->unconfirmed_told || now->boots_unconfirmed > 0 || !hc_time_set(now->last_body_confirmation_at);
    if (!clears && hc_time_since(s->now, now->last_body_confirmation_at) <= CONFIRMATION_EVERY_MS)
        return HC_OK;
    struct body_rec *body = step_edit_body(s, body_id);
    if (body == NULL)
        return HC_ERR_NOMEM;
    bool told = body->unconfirmed_told;
    body->last_body_confirmation_at = s->now;
    body->boots_unconfirmed = 0;
    body->unconfirmed_told = false;
    return told ? step_note(s, NOTE_BODY_CONFIRMED, body_id, -1, NULL, "", "%s", "reports again") : HC_OK;
}

/* The head whose client this is, by the name under which the body has paired it; "" unknown. */
static const char *head_of_client(const struct step *s, const char *body_id, const char *client_uuid)
{
    const struct body_obs *obs = observed_body(s->obs, body_id);
    for (size_t i = 0; client_uuid[0] != '\0' && obs != NULL && i < obs->client_count; i++) {
        if (!hc_same(obs->clients[i].uuid, client_uuid))
            continue;
        struct session_obs named = { 0 };
        HC_SET(named.client_name, obs->clients[i].name);
        const struct node_rec *head = alloc_node(s->live, session_head(&named));
        return head == NULL ? "" : head->rec.key;
    }
    return "";
}

static enum hc_err take_event(struct step *s, const char *body_id, const struct body_event *event)
{
    static const enum note_type types[BODY_EVENT_TYPES] = {
        [BODY_EVENT_SECOND_LAUNCH] = NOTE_SECOND_LAUNCH, [BODY_EVENT_UNAUTHORIZED] = NOTE_UNAUTHORIZED_LAUNCH,
        [BODY_EVENT_BELOW_FLOOR] = NOTE_EPOCH_BELOW_FLOOR, [BODY_EVENT_PAIR_CONTENTION] = NOTE_PAIR_CONTENTION,
        [BODY_EVENT_TRIM_PARSE_FAILED] = NOTE_TRIM_PARSE_FAILED,
    };
    if (event->type == BODY_EVENT_OTHER || event->slot >= BODY_SLOTS_MAX)
        return HC_OK;                          /* words of other versions */
    const struct body_rec *body = alloc_body(s->live, body_id);
    const struct lease *lease = event->slot < body->slot_count ? slot_live_lease(&body->slots[event->slot]) : NULL;
    const char *head = head_of_client(s, body_id, event->client_uuid);
    struct body_obs *obs = step_edit_body_obs(s, body_id);
    if (obs == NULL)
        return HC_ERR_NOMEM;
    if (event->type == BODY_EVENT_SECOND_LAUNCH)
        obs->second_launch_at[event->slot] = s->now;
    if (event->type == BODY_EVENT_BELOW_FLOOR)
        obs->below_floor_at[event->slot] = s->now;
    if (!s->ev->store_ok)
        return HC_OK;                          /* nothing leaves that cannot be committed */
    enum hc_err err = step_note(s, types[event->type], body_id, (int32_t)event->slot, NULL, head, "%s%s%s", event->client_uuid,
                                event->detail[0] == '\0' ? "" : " ", event->detail);
    if (err != HC_OK)
        return err;
    if (lease != NULL)
        HC_SET(step_last_note(s)->lease_id, lease->id);
    if (event->type != BODY_EVENT_UNAUTHORIZED || step_last_note(s)->expected_legacy)
        return HC_OK;
    struct body_rec *edit = step_edit_body(s, body_id);
    if (edit == NULL)
        return HC_ERR_NOMEM;
    edit->last_unauthorized_at = s->now;       /* it puts `enforce` off (§10.7) */
    return HC_OK;
}

static enum hc_err save_listed(struct step *s, const char *body_id, const struct report_req *req)
{
    struct strings *listed;
    enum hc_err err = listed_more(alloc_body(s->live, body_id), req, &listed);
    if (err != HC_OK || listed == NULL)
        return err;
    struct body_rec *body = step_edit_body(s, body_id);
    if (body == NULL) {
        strings_unref(listed);
        return HC_ERR_NOMEM;
    }
    strings_unref(body->listed_experiences);
    body->listed_experiences = listed;
    return HC_OK;
}

/* Bodies that turn ready may turn per_device_identity on (§12.4). */
static enum hc_err turned_ready(struct step *s, const char *body_id)
{
    const struct node_rec *node = alloc_node(s->live, body_id);
    return node == NULL ? HC_OK : latch_look(s, node->district);
}

enum hc_err on_body_report(struct step *s)
{
    const struct report_req *req = &s->ev->u.report;
    const struct body_rec *body = alloc_body(s->live, req->body_id);
    if (body == NULL)
        return step_refuse(s, DENY_NOT_FOUND);
    if (!report_ok(s, req) || s->ev->dry_run || stale(observed_body(s->obs, req->body_id), req))
        return HC_OK;
    const struct core_view view = step_view(s);
    const struct body_obs *before = observed_body(s->obs, req->body_id);
    bool turns_ready = req->modern && (before == NULL || !before->modern || !body_fresh(&view, req->body_id));
    enum hc_err err = take_report(s, req, body);
    if (err == HC_OK)
        err = step_touch(s, req->body_id);
    if (err == HC_OK && s->ev->store_ok)
        err = save_confirmation(s, req->body_id);
    if (err == HC_OK && s->ev->store_ok)
        err = save_listed(s, req->body_id, req);
    const char *cert = cert_told(req, body);
    if (err == HC_OK && s->ev->store_ok && cert[0] != '\0' && !hc_same(cert, alloc_body(s->live, req->body_id)->sunshine_cert_fp))
        err = save_cert(s, req->body_id, cert);
    if (err == HC_OK && s->ev->store_ok && turns_ready)
        err = turned_ready(s, req->body_id);
    for (size_t i = 0; i < req->event_count && err == HC_OK; i++)
        err = take_event(s, req->body_id, &req->events[i]);
    return err;
}
