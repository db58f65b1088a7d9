/* GET /queue, /explain, /allocation: who waits, why, and what capacity there is. */
#include "fixture.h"

#include <stdio.h>

struct node { char id[HC_ID_SIZE], token[RIG_TOKEN_SIZE]; };
struct scene { struct node b, h1, h2; };

/* One body, one slot: h1 has it, h2 waits. */
static void one_waits(struct rig *r, struct scene *s)
{
    struct reply reply;
    rig_body(r, "b1", "north", s->b.id, s->b.token);
    rig_head(r, "h1", "north", s->h1.id, s->h1.token);
    rig_head(r, "h2", "south", s->h2.id, s->h2.token);
    rig_report(r, s->b.id);
    rig_claim(r, s->h1.id, s->h1.token, "a-1", 201, &reply);
    reply_free(&reply);
    rig_claim(r, s->h2.id, s->h2.token, "a-2", 202, &reply);
    reply_free(&reply);
}

static void test_queue__one_waiting__is_a_row_with_every_key(void **state)
{
    static const char *const keys[] = { "ticket_id", "stream_id", "head_id", "head_name", "venue", "district", "experience", "protocol",
        "state",
        "position", "eta_seconds", "reason", "created_at", "waited_seconds", "expires_in_seconds", "skipped" };
    struct rig *r = *state;
    struct scene s;
    struct reply reply;
    one_waits(r, &s);
    rig_ask(r, "GET", "/api/v1/queue?district=" RIG_DISTRICT, RIG_READ, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_int_equal(reply_count(&reply, ""), 1);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        assert_non_null(json_object_get(json_array_get(reply.json, 0), keys[i]));
    assert_int_equal(json_object_size(json_array_get(reply.json, 0)), sizeof keys / sizeof keys[0]);
    assert_string_equal(reply_text(&reply, "[0].head_id"), s.h2.id);
    assert_string_equal(reply_text(&reply, "[0].head_name"), "h2");
    assert_string_equal(reply_text(&reply, "[0].venue"), "south");
    assert_string_equal(reply_text(&reply, "[0].state"), "waiting");
    assert_string_equal(reply_text(&reply, "[0].reason"), "no_slot");
    assert_int_equal(reply_int(&reply, "[0].position"), 1);
    assert_true(reply_null(&reply, "[0].eta_seconds"));
    assert_in_range(reply_int(&reply, "[0].expires_in_seconds"), 40, 45);
    assert_int_equal(reply_count(&reply, "[0].skipped"), 0);
    reply_free(&reply);
    rig_ask(r, "GET", "/api/v1/queue?district=elsewhere", RIG_READ, NULL, &reply);
    assert_int_equal(reply_count(&reply, ""), 0);
    reply_free(&reply);
}

static void test_explain__free_body__would_be_granted(void **state)
{
    struct rig *r = *state;
    struct node b, h;
    struct reply reply;
    char path[256];
    rig_body(r, "b1", "north", b.id, b.token);
    rig_head(r, "h1", "north", h.id, h.token);
    rig_report(r, b.id);
    (void)snprintf(path, sizeof path, "/api/v1/explain?head_id=%s&experience=%s", h.id, RIG_EXPERIENCE);
    rig_ask(r, "GET", path, RIG_READ, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply_text(&reply, "head_id"), h.id);
    assert_string_equal(reply_text(&reply, "experience"), RIG_EXPERIENCE);
    assert_int_equal(reply_int(&reply, "would.status"), 201);
    assert_true(reply_null(&reply, "would.error"));
    assert_string_equal(reply_text(&reply, "would.body_id"), b.id);
    assert_int_equal(reply_int(&reply, "would.slot"), 0);
    assert_true(reply_null(&reply, "would.position"));
    assert_int_equal(reply_count(&reply, "candidates"), 1);
    assert_int_equal(reply_int(&reply, "candidates[0].rank"), 1);
    assert_string_equal(reply_text(&reply, "candidates[0].body_id"), b.id);
    assert_int_equal(reply_int(&reply, "candidates[0].slot"), 0);
    assert_true(reply_bool(&reply, "candidates[0].eligible"));
    assert_true(reply_bool(&reply, "candidates[0].grantable"));
    assert_false(reply_bool(&reply, "candidates[0].demoted"));
    assert_int_equal(reply_count(&reply, "candidates[0].why_not"), 0);
    reply_free(&reply);
    rig_ask(r, "GET", "/api/v1/sessions", RIG_READ, NULL, &reply);
    assert_int_equal(reply_count(&reply, ""), 0);
    reply_free(&reply);
}

static void test_explain__full_house__says_position_and_why(void **state)
{
    struct rig *r = *state;
    struct scene s;
    struct reply reply;
    char path[256];
    one_waits(r, &s);
    (void)snprintf(path, sizeof path, "/api/v1/explain?head_id=%s&experience=%s", s.h2.id, RIG_EXPERIENCE);
    rig_ask(r, "GET", path, RIG_READ, NULL, &reply);
    assert_int_equal(reply_int(&reply, "would.status"), 202);
    assert_string_equal(reply_text(&reply, "would.reason"), "no_slot");
    assert_int_equal(reply_int(&reply, "would.position"), 1);
    assert_true(reply_null(&reply, "would.body_id"));
    assert_string_equal(reply_text(&reply, "candidates[0].why_not[0]"), "leased");
    assert_true(reply_bool(&reply, "candidates[0].eligible"));
    assert_false(reply_bool(&reply, "candidates[0].grantable"));
    reply_free(&reply);
    (void)snprintf(path, sizeof path, "/api/v1/explain?head_id=%s&experience=%s&protocol=1", s.h2.id, RIG_EXPERIENCE);
    rig_ask(r, "GET", path, RIG_READ, NULL, &reply);
    assert_int_equal(reply_int(&reply, "would.status"), 409);
    assert_string_equal(reply_text(&reply, "would.error"), "no_slot_available");
    reply_free(&reply);
    (void)snprintf(path, sizeof path, "/api/v1/explain?head_id=%s&experience=%s", s.h1.id, RIG_EXPERIENCE);
    rig_ask(r, "GET", path, RIG_READ, NULL, &reply);
    assert_int_equal(reply_int(&reply, "would.status"), 409);
    assert_string_equal(reply_text(&reply, "would.error"), "head_busy");
    reply_free(&reply);
}

static void test_explain__head_that_reads_and_never_said_protocol_2__is_explained_as_legacy(void **state)
{
    struct rig *r = *state;
    struct node b, h, h2;
    struct reply reply;
    char path[256];
    rig_body(r, "b1", "north", b.id, b.token);
    rig_head(r, "h1", "north", h.id, h.token);
    rig_head(r, "h2", "north", h2.id, h2.token);
    rig_report(r, b.id);
    rig_read(r, h.token, &reply);
    reply_free(&reply);
    (void)snprintf(path, sizeof path, "/api/v1/explain?head_id=%s&experience=%s", h.id, RIG_EXPERIENCE);
    rig_ask(r, "GET", path, RIG_READ, NULL, &reply);
    assert_int_equal(reply_int(&reply, "would.status"), 200);
    assert_string_equal(reply_text(&reply, "would.body_id"), b.id);
    reply_free(&reply);
}

static void test_explain__wrong_caller_or_query__is_refused(void **state)
{
    struct rig *r = *state;
    struct node b;
    char path[256];
    rig_body(r, "b1", "north", b.id, b.token);
    rig_expect(r, "GET", "/api/v1/explain", RIG_READ, NULL, 400, "bad_request", "head_id");
    rig_expect(r, "GET", "/api/v1/explain?head_id=%20", RIG_READ, NULL, 400, "bad_request", "head_id");
    rig_expect(r, "GET", "/api/v1/explain?head_id=x", RIG_READ, NULL, 400, "bad_request", "experience");
    rig_expect(r, "GET", "/api/v1/explain?head_id=x&experience=a%01", RIG_READ, NULL, 400, "bad_request", "experience");
    rig_expect(r, "GET", "/api/v1/explain?head_id=x&experience=y&protocol=3", RIG_READ, NULL, 400, "bad_request", "protocol");
    rig_expect(r, "GET", "/api/v1/explain?head_id=x&experience=y", RIG_READ, NULL, 404, "node_not_found", "");
    (void)snprintf(path, sizeof path, "/api/v1/explain?head_id=%s&experience=y", b.id);
    rig_expect(r, "GET", path, RIG_READ, NULL, 404, "node_not_found", "");
    rig_expect(r, "GET", "/api/v1/explain", b.token, NULL, 403, "forbidden", "");
    rig_expect(r, "GET", "/api/v1/queue", b.token, NULL, 403, "forbidden", "");
    rig_expect(r, "GET", "/api/v1/allocation", b.token, NULL, 403, "forbidden", "");
    rig_expect(r, "GET", "/api/v1/queue", NULL, NULL, 401, "unauthorized", "");
    rig_expect(r, "GET", "/api/v1/queue?district=%01", RIG_READ, NULL, 400, "bad_request", "district");
}

static json_t *venue_of(const struct reply *reply, const char *name)
{
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(reply->json, "venues"), i, row)
        if (hc_same(json_string_value(json_object_get(row, "venue")), name))
            return row;
    fail_msg("no venue %s in %s", name, reply->body);
    return NULL;
}

static void test_allocation__one_waiting__stands_in_pool_venue_and_denials(void **state)
{
    struct rig *r = *state;
    struct scene s;
    struct reply reply;
    one_waits(r, &s);
    rig_ask(r, "GET", "/api/v1/allocation", RIG_READ, NULL, &reply);
    assert_int_equal(reply.status, 200);
    assert_int_equal(reply_count(&reply, "pools"), 1);
    assert_string_equal(reply_text(&reply, "pools[0].pool"), RIG_DISTRICT "/north-owned");
    assert_int_equal(reply_int(&reply, "pools[0].slots"), 1);
    assert_int_equal(reply_int(&reply, "pools[0].occupied"), 1);
    assert_int_equal(reply_int(&reply, "pools[0].grantable"), 0);
    assert_int_equal(reply_int(&reply, "pools[0].queue_depth"), 1);
    assert_true(reply_null(&reply, "pools[0].wait_median_seconds"));
    assert_true(reply_null(&reply, "pools[0].wait_p90_seconds"));
    assert_int_equal(reply_count(&reply, "pools[0].open_circuits"), 0);
    json_t *south = venue_of(&reply, "south");
    assert_int_equal(json_integer_value(json_object_get(south, "queue_depth")), 1);
    assert_int_equal(json_integer_value(json_object_get(south, "slots")), 0);
    assert_true(json_is_null(json_object_get(south, "wait_median_seconds")));
    assert_int_equal(json_integer_value(json_object_get(venue_of(&reply, "north"), "slots")), 1);
    assert_true(json_is_object(reply_at(&reply, "denials_last_hour.by_reason")));
    assert_int_equal(reply_int(&reply, "denials_last_hour.by_head_venue.south"), 1);
    assert_true(json_is_object(reply_at(&reply, "denials_last_hour.by_body_venue")));
    reply_free(&reply);
}

static void test_allocation__empty_installation__is_empty_lists(void **state)
{
    struct rig *r = *state;
    struct reply reply;
    rig_ask(r, "GET", "/api/v1/allocation", RIG_READ, NULL, &reply);
    assert_int_equal(reply_count(&reply, "pools"), 0);
    assert_int_equal(reply_count(&reply, "venues"), 0);
    assert_int_equal(json_object_size(reply_at(&reply, "denials_last_hour")), 3);
    reply_free(&reply);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_queue__one_waiting__is_a_row_with_every_key),
        RIG_TEST(test_explain__free_body__would_be_granted),
        RIG_TEST(test_explain__full_house__says_position_and_why),
        RIG_TEST(test_explain__head_that_reads_and_never_said_protocol_2__is_explained_as_legacy),
        RIG_TEST(test_explain__wrong_caller_or_query__is_refused),
        RIG_TEST(test_allocation__one_waiting__stands_in_pool_venue_and_denials),
        RIG_TEST(test_allocation__empty_installation__is_empty_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
