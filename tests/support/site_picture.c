#include "site_picture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define REPORT_AGE_MAX 3                    /* seconds: younger than the agent that was killed */

struct site_picture site_picture_of(struct site *site, size_t body, size_t head)
{
    struct site_picture picture = { .body = body, .head = head, .session = watch_look(&site->watch, body).session };
    assert_true(site_has_picture(site, body, head));
    struct call slots = fleet_slots(&site->daemon);
    (void)snprintf(picture.lease_id, sizeof picture.lease_id, "%s", fleet_lease_id(&slots, site->bodies[body].node.id));
    assert_string_equal(fleet_holder(&slots, site->bodies[body].node.id), site->heads[head].node.id);
    call_free(&slots);
    return picture;
}

void site_picture_check(struct site *site, const struct site_picture *picture)
{
    watch_check(&site->watch);
    struct watched now = watch_look(&site->watch, picture->body);
    if (site_has_picture(site, picture->body, picture->head) && now.session == picture->session)
        return;
    site_print_logs(site);
    fail_msg("%s had session %u of %s; now it is session %u of %s", site->heads[picture->head].name, picture->session,
             site->bodies[picture->body].name, now.session, now.client);
}

struct telling { struct site *site; const struct site_picture *picture; };
static bool is_told(void *ctx)
{
    const struct telling *telling = ctx;
    struct site *site = telling->site;
    struct call slots;
    const json_t *observed = json_object_get(site_row(site, telling->picture->body, &slots), "observed");
    const char *state = json_string_value(json_object_get(observed, "state")), *body = site->bodies[telling->picture->body].node.id;
    bool yes = strcmp(fleet_lease_id(&slots, body), telling->picture->lease_id) == 0 &&
        strcmp(fleet_lease_state(&slots, body), "streaming") == 0 && state != NULL && strcmp(state, "streaming") == 0 &&
        json_integer_value(json_object_get(observed, "age_seconds")) <= REPORT_AGE_MAX;
    call_free(&slots);
    return yes;
}

void site_picture_told(struct site *site, const struct site_picture *picture)
{
    struct telling telling = { site, picture };
    assert_true(site_waits(site, is_told, &telling, SITE_WAIT_MS));
}
