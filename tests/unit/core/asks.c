#include "asks.h"

static struct core_result *read_as(struct fleet *f, enum caller_kind kind, const char *caller, const struct read_req *req)
{
    struct core_event ev = fleet_event(f, CORE_READ, kind, caller);
    ev.u.read = *req;
    return fleet_step(f, &ev);
}

struct core_result *ask_read(struct fleet *f, const char *head_id, const char *experience)
{
    struct read_req req = { .head_id = head_id, .district = "", .venue = "", .experience = experience, .stream_mode = "" };
    return read_as(f, CALLER_NODE, head_id, &req);
}

struct core_result *ask_pure(struct fleet *f, const char *head_id, const char *experience, const char *stream_mode)
{
    struct read_req req = { .head_id = head_id, .district = "", .venue = "", .experience = experience, .stream_mode = stream_mode,
                            .protocol2 = true };
    return read_as(f, CALLER_NODE, head_id, &req);
}

struct core_result *ask_listing(struct fleet *f, const char *district, const char *venue, bool include_leased)
{
    struct read_req req = { .head_id = "", .district = district, .venue = venue, .experience = FLEET_EXPERIENCE, .stream_mode = "",
                            .include_leased = include_leased };
    return read_as(f, CALLER_ADMIN, "", &req);
}

struct core_result *ask_fetch(struct fleet *f, const char *head_id)
{
    struct core_event ev = fleet_event(f, CORE_CONFIG_FETCH, CALLER_NODE, head_id);
    ev.u.fetch = (struct fetch_req){ .head_id = head_id };
    return fleet_step(f, &ev);
}

struct claim_req usual_claim(const char *head_id, const char *attempt_id)
{
    return (struct claim_req){ .head_id = head_id, .attempt_id = attempt_id, .experience = FLEET_EXPERIENCE, .stream_mode = "",
                               .device_uid = "", .prefer_body_id = "", .claim_token = "", .stream_id = "",
                               .content_digest = FLEET_EXPERIENCE, .protocol_version = 2 };
}

struct core_result *ask_claim(struct fleet *f, const struct claim_req *req, bool dry_run)
{
    struct core_event ev = fleet_event(f, CORE_CLAIM, CALLER_NODE, req->head_id);
    ev.u.claim = *req;
    ev.dry_run = dry_run;
    return fleet_step(f, &ev);
}

struct core_result *ask_admission(struct fleet *f, const char *head_id, const char *attempt_id)
{
    struct core_event ev = fleet_event(f, CORE_ADMISSION, CALLER_NODE, head_id);
    ev.u.admission = (struct admission_req){ head_id, attempt_id };
    return fleet_step(f, &ev);
}

struct core_result *ask_accept(struct fleet *f, const char *head_id)
{
    struct core_event ev = fleet_event(f, CORE_ACCEPT, CALLER_NODE, head_id);
    ev.u.accept = (struct accept_req){ head_id };
    return fleet_step(f, &ev);
}

struct core_result *ask_stop(struct fleet *f, const char *head_id, const char *body_id)
{
    struct core_event ev = fleet_event(f, CORE_STREAM_STOP, CALLER_NODE, head_id);
    ev.u.stream_stop = (struct stream_stop_req){ head_id, body_id };
    return fleet_step(f, &ev);
}

struct core_result *ask_stream_end(struct fleet *f, const char *head_id, const char *stream_id)
{
    struct core_event ev = fleet_event(f, CORE_STREAM_END, CALLER_NODE, head_id);
    ev.u.stream_end = (struct stream_end_req){ head_id, stream_id };
    return fleet_step(f, &ev);
}

struct heartbeat_req usual_heartbeat(const char *head_id, const char *status)
{
    return (struct heartbeat_req){ .head_id = head_id, .status = status, .body_id = "", .lease_id = "", .stream_id = "", .address = "",
                                   .version = "" };
}

struct core_result *ask_heartbeat(struct fleet *f, const struct heartbeat_req *req)
{
    struct core_event ev = fleet_event(f, CORE_HEARTBEAT, CALLER_NODE, req->head_id);
    ev.u.heartbeat = *req;
    return fleet_step(f, &ev);
}

void answer_lost(struct fleet *f, const char *head_id)
{
    struct core_event ev = fleet_event(f, CORE_ANSWER_LOST, CALLER_SYSTEM, "");
    ev.u.answer_lost = (struct answer_lost_req){ head_id };
    (void)fleet_step(f, &ev);
}

static void put(struct fleet *f, struct rec *rec)
{
    assert_int_equal(alloc_put(f->alloc, rec->kind, rec->key, rec), HC_OK);
    rec_unref(rec);
}

void give_venue(struct fleet *f, const char *venue, enum accept_mode mode)
{
    struct venue_rec *rec = (struct venue_rec *)rec_new(REC_VENUE, venue);
    assert_non_null(rec);
    HC_SET(rec->district, FLEET_DISTRICT);
    HC_SET(rec->owner, FLEET_OWNER);
    rec->accept_mode = mode;
    put(f, &rec->rec);
}

void give_cap(struct fleet *f, const char *kind_and_name, uint32_t cap)
{
    struct cap_rec *rec = (struct cap_rec *)rec_new(REC_CAP, kind_and_name);
    assert_non_null(rec);
    rec->max_concurrent_grants = cap;
    put(f, &rec->rec);
}

void assign_body(struct fleet *f, const char *head_id, const char *body_id, const char *app_id)
{
    struct node_rec *node = edit_node(f, head_id);
    HC_SET(node->head_body_id, body_id);
    struct stream_block block = *node_stream(node);
    HC_SET(block.stream_app_id, app_id);
    assert_int_equal(node_set_stream(node, &block), HC_OK);
    edit_done(f);
}

struct body_rec *edit_body(struct fleet *f, const char *body_id)
{
    alloc_begin_step(f->alloc);
    struct body_rec *body = (struct body_rec *)alloc_edit(f->alloc, REC_BODY, body_id);
    assert_non_null(body);
    return body;
}

struct node_rec *edit_node(struct fleet *f, const char *node_id)
{
    alloc_begin_step(f->alloc);
    struct node_rec *node = (struct node_rec *)alloc_edit(f->alloc, REC_NODE, node_id);
    assert_non_null(node);
    return node;
}

void edit_done(struct fleet *f)
{
    bool changed;
    assert_int_equal(alloc_end_step(f->alloc, &changed), HC_OK);
}

struct body_obs *edit_report(struct fleet *f, const char *body_id)
{
    struct body_obs *obs = (struct body_obs *)observed_edit(f->obs, OBS_BODY, body_id);
    assert_non_null(obs);
    return obs;
}

static void replace(struct strings **strings, const char *const *list, size_t count)
{
    strings_unref(*strings);
    *strings = strings_new(list, count);
    assert_non_null(*strings);
}

void set_experiences(struct fleet *f, const char *body_id, const char *const *list, size_t count)
{
    replace(&edit_body(f, body_id)->listed_experiences, list, count);
    edit_done(f);
    if (observed_body(f->obs, body_id) != NULL)
        replace(&edit_report(f, body_id)->experiences, list, count);
}

const struct node_obs *head_seen(struct fleet *f, const char *head_id)
{
    const struct node_obs *seen = observed_node(f->obs, head_id);
    assert_non_null(seen);
    return seen;
}

void play_legacy(struct fleet *f, const char *head_id, char ret_lease_id[HC_ID_SIZE])
{
    struct core_result *out = fleet_read(f, head_id, FLEET_EXPERIENCE);
    char body_id[HC_ID_SIZE];
    assert_int_equal(out->answer, ANSWER_ROWS);
    assert_true(out->has_lease);
    hc_copy(ret_lease_id, HC_ID_SIZE, out->lease.id);
    HC_SET(body_id, out->rows[0].id);
    (void)fleet_heartbeat(f, head_id, "starting", "");
    fleet_session(f, body_id, 0, SESSION_STREAMING, "", "launch-1");
    (void)fleet_report(f, body_id);
    assert_int_equal(fleet_lease(f, ret_lease_id)->state, LEASE_STREAMING);
}

const char *body_of(struct fleet *f, const char *lease_id)
{
    const char *body_id = alloc_lease_body(f->alloc, lease_id);
    assert_non_null(body_id);
    return body_id;
}
