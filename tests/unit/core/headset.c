#include "headset.h"

#include "asks.h"

#define HEAD_EVERY_MS 5000

void headset_body(struct fleet *f, const char *body_id)
{
    fleet_body(f, body_id, "north");
    struct fleet_body *machine = fleet_machine(f, body_id);
    machine->xr = true;
    HC_SET(machine->xr_state, "idle");
    (void)fleet_report(f, body_id);
}

void headset_head(struct fleet *f, const char *head_id)
{
    fleet_head(f, head_id, "north", "hydraheadquest");
    HC_SET(edit_node(f, head_id)->xr_client_hostname, "0529.client");
    edit_done(f);
}

void headset_fleet(struct fleet *f)
{
    headset_body(f, "b1");
    headset_head(f, "q1");
    struct core_event ev = fleet_event(f, CORE_EXPERIENCE_PUT, CALLER_ADMIN, "");
    ev.u.experience = (struct experience_req){ .name = FLEET_EXPERIENCE, .label = "L", .orientation = "", .stream_mode = "xr" };
    assert_int_equal(fleet_step(f, &ev)->answer, ANSWER_DONE);
}

struct core_result *headset_start(struct fleet *f, const char *head_id, const char *body_id)
{
    struct core_event ev = fleet_event(f, CORE_XR_START, CALLER_NODE, head_id);
    ev.u.xr_start = (struct xr_start_req){ .head_id = head_id, .body_id = body_id, .experience = FLEET_EXPERIENCE,
                                           .client_hostname = "0529.client", .client_ip = "10.10.200.7" };
    return fleet_step(f, &ev);
}

struct core_result *headset_poll(struct fleet *f, const char *head_id)
{
    struct core_event ev = fleet_event(f, CORE_XR_POLL, CALLER_NODE, head_id);
    ev.u.xr = (struct xr_req){ .head_id = head_id };
    return fleet_step(f, &ev);
}

struct core_result *headset_end(struct fleet *f, const char *head_id)
{
    struct core_event ev = fleet_event(f, CORE_XR_END, CALLER_NODE, head_id);
    ev.u.xr = (struct xr_req){ .head_id = head_id };
    return fleet_step(f, &ev);
}

struct core_result *headset_body_says(struct fleet *f, const char *body_id, const char *xr_state)
{
    HC_SET(fleet_machine(f, body_id)->xr_state, xr_state);
    f->now = hc_time_add(f->now, 1000);
    return fleet_report(f, body_id);
}

void headset_pass(struct fleet *f, int64_t ms, const char *head_id, const char *status)
{
    for (int64_t done = 0; done < ms; done += HEAD_EVERY_MS) {
        fleet_pass(f, ms - done < HEAD_EVERY_MS ? ms - done : HEAD_EVERY_MS);
        (void)fleet_tick(f);                  /* fleet_pass() counts its own 10 s */
        if (head_id == NULL)
            continue;
        (void)headset_poll(f, head_id);
        (void)fleet_heartbeat(f, head_id, status, "b1");
    }
}

const struct xr_session *headset_session(struct fleet *f, const char *body_id)
{
    const struct body_rec *body = alloc_body(f->alloc, body_id);
    assert_non_null(body);
    return &body->xr;
}
