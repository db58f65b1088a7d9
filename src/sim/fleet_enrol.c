/* fleet_enrol.c - what an admin does before the doors open: venues, organisations, experiences, nodes, their slots; and the end of it. */

#include "fleet.h"

#define AT_ONCE_MAX      64
#define BATCH_MS         120000      /* real; for all nodes of a fleet */
#define TURN_MS          20

/* One call of a batch; false: there is nothing to do for this number. */
typedef bool make_fn(const struct fleet *fleet, size_t number, struct wire_request *ret);
typedef void took_fn(struct fleet *fleet, size_t number, const struct client_answer *answer);
struct batch { const char *about; size_t count; make_fn *make; took_fn *took; bool must_work, by_head; };      /* by_head: its own token */

static void path_of(struct wire_request *ret, const char *method, const char *start, const char *name)
{
    *ret = (struct wire_request){ .method = method, .timeout_ms = WIRE_TIMEOUT_MS };
    hc_buf_str(&ret->path, start);
    for (const char *c = name; *c != '\0'; c++)
        hc_buf_printf(&ret->path, hc_id_ok((const char[]){ *c, '\0' }) ? "%c" : "%%%02X", (unsigned char)*c);
}

static bool make_venue(const struct fleet *fleet, size_t number, struct wire_request *ret)
{
    const struct plan_venue *venue = &fleet->scenario->venues[number];
    path_of(ret, "PUT", "/api/v1/venues/", venue->name);
    hc_buf_str(&ret->body, "{\"district\":\"" FLEET_DISTRICT "\"");
    if (venue->owner[0] != '\0') {
        hc_buf_str(&ret->body, ",\"owner\":");
        hc_buf_json_str(&ret->body, venue->owner);
    }
    if (venue->cap > 0)
        hc_buf_printf(&ret->body, ",\"max_concurrent_grants\":%u", venue->cap);
    if (venue->accept[0] != '\0')
        hc_buf_printf(&ret->body, ",\"queue_accept_mode\":\"%s\"", venue->accept);
    hc_buf_char(&ret->body, '}');
    return true;
}

static bool make_org(const struct fleet *fleet, size_t number, struct wire_request *ret)
{
    const struct plan_org *org = &fleet->scenario->orgs[number];
    path_of(ret, "PUT", "/api/v1/orgs/", org->name);
    hc_buf_str(&ret->body, "{");
    if (org->cap > 0)
        hc_buf_printf(&ret->body, "\"max_concurrent_grants\":%u", org->cap);
    hc_buf_char(&ret->body, '}');
    return true;
}

static bool make_experience(const struct fleet *fleet, size_t number, struct wire_request *ret)
{
    path_of(ret, "PUT", "/api/v1/experiences/", fleet->scenario->experiences[number].name);
    hc_buf_str(&ret->body, "{\"label\":");
    hc_buf_json_str(&ret->body, fleet->scenario->experiences[number].name);
    hc_buf_char(&ret->body, '}');
    return true;
}

static void make_node(const char *name, const char *venue, const char *role, const char *kind, struct wire_request *ret)
{
    *ret = (struct wire_request){ .method = "POST", .timeout_ms = WIRE_TIMEOUT_MS };
    hc_buf_str(&ret->path, "/api/v1/nodes");
    hc_buf_str(&ret->body, "{\"name\":");
    hc_buf_json_str(&ret->body, name);
    hc_buf_printf(&ret->body, ",\"roles\":[\"%s\"],\"district\":\"" FLEET_DISTRICT "\",\"kind\":\"%s\",\"venue\":", role, kind);
    hc_buf_json_str(&ret->body, venue);
    hc_buf_char(&ret->body, '}');
}

static bool make_head(const struct fleet *fleet, size_t number, struct wire_request *ret)
{
    const struct plan_head *plan = fleet->heads[number].plan;
    make_node(plan->name, plan->venue, "head", head_kinds[plan->kind].node_kind, ret);
    return true;
}

static bool make_body(const struct fleet *fleet, size_t number, struct wire_request *ret)
{
    const struct plan_body *plan = fleet->bodies[number].plan;
    make_node(plan->name, plan->venue, "body", "hydrabody", ret);
    return true;
}

static bool make_slots(const struct fleet *fleet, size_t number, struct wire_request *ret)
{
    const struct fleet_body *body = &fleet->bodies[number];
    if (body->plan->slots == 1 && !body->plan->enforce)
        return false;
    *ret = (struct wire_request){ .method = "PUT", .timeout_ms = WIRE_TIMEOUT_MS };
    hc_buf_printf(&ret->path, "/api/v1/nodes/%s/slots?force=1", body->peer.id);
    hc_buf_printf(&ret->body, "{\"slots_total\":%u%s}", body->plan->slots, body->plan->enforce ? ",\"enforce\":\"enforce\"" : "");
    return true;
}

/* What a device of protocol 2 does once in its life: a key of its own, and its certificate told to the cluster. */
static bool make_identity(const struct fleet *fleet, size_t number, struct wire_request *ret)
{
    const struct fleet_head *head = &fleet->heads[number];
    if (head_kinds[head->plan->kind].protocol < 2)
        return false;
    struct device_certificate certificate;
    if (device_certificate_new(head->peer.id, &certificate) == HC_OK) {
        wire_identity(head->peer.id, &certificate, ret);
        device_certificate_free(&certificate);
    } else {
        ret->body.failed = true;             /* a call that nobody answers: the batch says so */
    }
    return true;
}

static void took_node(struct fleet *fleet, struct peer *peer, const struct client_answer *answer)
{
    struct wire_node node;
    if (!wire_node(answer->body.data, answer->body.len, &node)) {
        HC_SET(fleet->enrol_error, "the answer to POST /nodes names no node_id and token");
        return;
    }
    HC_SET(peer->id, node.node_id);
    HC_SET(peer->token, node.token);
}

static void took_head(struct fleet *fleet, size_t number, const struct client_answer *answer)
{
    took_node(fleet, &fleet->heads[number].peer, answer);
}

static void took_body(struct fleet *fleet, size_t number, const struct client_answer *answer)
{
    took_node(fleet, &fleet->bodies[number].peer, answer);
}

static bool delete_peer(const struct peer *peer, struct wire_request *ret)
{
    if (peer->id[0] == '\0')
        return false;
    *ret = (struct wire_request){ .method = "DELETE", .timeout_ms = WIRE_TIMEOUT_MS };
    hc_buf_printf(&ret->path, "/api/v1/nodes/%s?force=1", peer->id);
    return true;
}

static bool delete_head(const struct fleet *fleet, size_t number, struct wire_request *ret)
{
    return delete_peer(&fleet->heads[number].peer, ret);
}

static bool delete_body(const struct fleet *fleet, size_t number, struct wire_request *ret)
{
    return delete_peer(&fleet->bodies[number].peer, ret);
}

/* The batch under way is the flight's `what`: the calls of one are over before the next begins. */
static const struct batch *batch_at(const struct fleet *fleet, int what, struct batch *ret);

static void answered(struct fleet *fleet, const struct flight *flight, const struct client_answer *answer)
{
    struct batch batch;
    (void)batch_at(fleet, flight->what, &batch);
    fleet->enrol_done++;
    if (answer != NULL && answer->status / 100 == 2) {
        if (batch.took != NULL)
            batch.took(fleet, flight->node, answer);
        return;
    }
    if (!batch.must_work || fleet->enrol_error[0] != '\0')
        return;
    if (answer == NULL) {
        (void)snprintf(fleet->enrol_error, sizeof fleet->enrol_error, "%s: no answer from %.200s", batch.about, fleet->options->server_url);
        return;
    }
    char words[200];
    wire_error(answer->body.data == NULL ? "" : answer->body.data, answer->body.len, words);
    (void)snprintf(fleet->enrol_error, sizeof fleet->enrol_error, "%s: %.120s answers %ld: %.200s", batch.about, fleet->options->server_url,
                   answer->status, words);
}

enum { BATCH_VENUES, BATCH_ORGS, BATCH_EXPERIENCES, BATCH_BODIES, BATCH_SLOTS, BATCH_HEADS, BATCH_IDENTITIES, BATCH_ENROL_END,
       BATCH_DELETE_HEADS = BATCH_ENROL_END, BATCH_DELETE_BODIES, BATCHES };

static const struct batch *batch_at(const struct fleet *fleet, int what, struct batch *ret)
{
    const struct scenario *plan = fleet->scenario;
    const struct batch rows[BATCHES] = {
        [BATCH_VENUES] = { "venues", plan->venue_count, make_venue, NULL, true, false },
        [BATCH_ORGS] = { "organisations", plan->org_count, make_org, NULL, true, false },
        [BATCH_EXPERIENCES] = { "experiences", plan->experience_count, make_experience, NULL, true, false },
        [BATCH_BODIES] = { "bodies", plan->body_count, make_body, took_body, true, false },
        [BATCH_SLOTS] = { "slots of bodies", plan->body_count, make_slots, NULL, true, false },
        [BATCH_HEADS] = { "heads", plan->head_count, make_head, took_head, true, false },
        [BATCH_IDENTITIES] = { "identities", plan->head_count, make_identity, NULL, true, true },
        [BATCH_DELETE_HEADS] = { "heads", plan->head_count, delete_head, NULL, false, false },
        [BATCH_DELETE_BODIES] = { "bodies", plan->body_count, delete_body, NULL, false, false },
    };
    *ret = rows[what];
    return ret;
}

static void start_more(struct fleet *fleet, int what, const struct batch *batch)
{
    while (fleet->enrol_next < batch->count && fleet->enrol_next - fleet->enrol_done < AT_ONCE_MAX) {
        size_t number = fleet->enrol_next++;
        struct wire_request request = { 0 };
        if (!batch->make(fleet, number, &request)) {
            fleet->enrol_done++;
            continue;
        }
        const struct flight flight = { .node = number, .what = what, .answered = answered };
        fleet_call(fleet, &flight, &request, batch->by_head ? fleet->heads[number].peer.token : fleet->options->admin_token);
        wire_request_free(&request);
    }
}

static void run_batch(struct fleet *fleet, int what)
{
    struct batch batch;
    (void)batch_at(fleet, what, &batch);
    fleet->enrol_next = fleet->enrol_done = 0;
    int64_t until_ms = fleet_clock_ms(fleet) + BATCH_MS * fleet->scenario->scale;
    while (fleet->enrol_done < batch.count && fleet->enrol_error[0] == '\0') {
        fleet->now_ms = fleet_clock_ms(fleet);
        if (fleet->now_ms >= until_ms) {
            (void)snprintf(fleet->enrol_error, sizeof fleet->enrol_error, "%s: %zu of %zu calls answered in %d s", batch.about,
                           fleet->enrol_done,
                           batch.count, BATCH_MS / 1000);
            return;
        }
        start_more(fleet, what, &batch);
        fleet_run_late(fleet);
        client_multi_turn(fleet->multi, TURN_MS);
    }
}

enum hc_err fleet_enrol(struct fleet *fleet, struct hc_diag *diag)
{
    for (int what = 0; what < BATCH_ENROL_END; what++) {
        run_batch(fleet, what);
        if (fleet->enrol_error[0] != '\0')
            return hc_fail(diag, HC_ERR_NET, "%s", fleet->enrol_error);
    }
    return HC_OK;
}

void fleet_remove_nodes(struct fleet *fleet)
{
    fleet->enrol_error[0] = '\0';
    run_batch(fleet, BATCH_DELETE_HEADS);
    run_batch(fleet, BATCH_DELETE_BODIES);
}
