#include "asked.h"

static bool online(struct rig *r, const char *node)
{
    struct reply reply;
    rig_ask(r, "GET", asked_path("/api/v1/nodes/%s", node), RIG_ADMIN, NULL, &reply);
    bool is = reply_bool(&reply, "online");
    reply_free(&reply);
    return is;
}

static void test_seen__any_authenticated_request__makes_a_node_online(void **state)
{
    struct rig *r = *state;
    char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    rig_head(r, "tablet", "north", head, token);
    assert_false(online(r, head));
    rig_expect(r, "GET", asked_path("/api/v1/heads/%s/commands", head), token, NULL, 200, "", "");
    assert_true(online(r, head));
    rig_pass(r, 121 * HC_SECOND_MS);
    assert_false(online(r, head));
}

static void test_seen__request_that_is_refused_for_its_scope__counts_too(void **state)
{
    struct rig *r = *state;
    char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    rig_head(r, "tablet", "north", head, token);
    rig_expect(r, "GET", "/api/v1/nodes", token, NULL, 403, "forbidden", "");
    assert_true(online(r, head));
}

static void test_seen__many_polls__are_few_events_and_no_saves(void **state)
{
    struct rig *r = *state;
    char head[HC_ID_SIZE], token[RIG_TOKEN_SIZE];
    rig_head(r, "tablet", "north", head, token);
    rig_expect(r, "GET", asked_path("/api/v1/heads/%s/commands", head), token, NULL, 200, "", "");
    unsigned saves = rig_saves();
    for (int i = 0; i < 20; i++)
        rig_expect(r, "GET", asked_path("/api/v1/heads/%s/commands", head), token, NULL, 200, "", "");
    assert_int_equal(rig_saves(), saves);
    rig_pass(r, 121 * HC_SECOND_MS);                  /* the core's clock alone: the gate here did not open again */
    rig_expect(r, "GET", asked_path("/api/v1/heads/%s/commands", head), token, NULL, 200, "", "");
    assert_false(online(r, head));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_seen__any_authenticated_request__makes_a_node_online),
        RIG_TEST(test_seen__request_that_is_refused_for_its_scope__counts_too),
        RIG_TEST(test_seen__many_polls__are_few_events_and_no_saves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
