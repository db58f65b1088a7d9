#include <string.h>

#include "fixture.h"

static struct core_result *update(struct fleet *f, struct head_update_req req)
{
    struct core_event ev = fleet_event(f, CORE_HEAD_UPDATE, CALLER_ADMIN, "");
    ev.u.head_update = req;
    return fleet_step(f, &ev);
}

static void test_head__assigned_body__must_exist(void **state)
{
    struct fleet *f = *state;
    fleet_head(f, "h1", "north", "hydraheadipad");
    fleet_body(f, "b1", "north");
    assert_int_equal(update(f, (struct head_update_req){ .head_id = "b1" })->deny, DENY_NOT_FOUND);
    assert_int_equal(update(f, (struct head_update_req){ .head_id = "h1", .head_body_id = "h1" })->deny, DENY_BAD_REQUEST);
    assert_string_equal(f->last.field, "head_body_id");
    assert_int_equal(update(f, (struct head_update_req){ .head_id = "h1", .head_body_id = "b1" })->answer, ANSWER_DONE);
    assert_string_equal(alloc_node(f->alloc, "h1")->head_body_id, "b1");
    (void)update(f, (struct head_update_req){ .head_id = "h1", .head_body_id = "" });
    assert_string_equal(alloc_node(f->alloc, "h1")->head_body_id, "");
}

/* wire §2: only named fields change; {} clears the whole block. */
static void test_head__stream_block__named_members_change_and_empty_clears(void **state)
{
    struct fleet *f = *state;
    fleet_head(f, "h1", "north", "hydraheadipad");
    const struct stream_block all = { "https://a", "https://b", "rupelmonde", "flat" };
    (void)update(f, (struct head_update_req){ .head_id = "h1", .set_stream = true, .stream = all, .stream_fields = 15 });
    assert_memory_equal(node_stream(alloc_node(f->alloc, "h1")), &all, sizeof all);
    const struct stream_block one = { .stream_app_id = "atlas" };
    (void)update(f, (struct head_update_req){ .head_id = "h1", .set_stream = true, .stream = one, .stream_fields = 4 });
    assert_string_equal(node_stream(alloc_node(f->alloc, "h1"))->stream_app_id, "atlas");
    assert_string_equal(node_stream(alloc_node(f->alloc, "h1"))->stream_url_lan, "https://b");
    (void)update(f, (struct head_update_req){ .head_id = "h1", .clear_stream = true });
    const struct stream_block none = { 0 };
    assert_memory_equal(node_stream(alloc_node(f->alloc, "h1")), &none, sizeof none);
}

static void test_wireguard__put_and_emptied__is_kept_and_goes(void **state)
{
    struct fleet *f = *state;
    fleet_head(f, "h1", "north", "hydraheadipad");
    struct core_event ev = fleet_event(f, CORE_WIREGUARD_PUT, CALLER_ADMIN, "");
    ev.u.wireguard = (struct wireguard_req){ "h1", "[Interface]\n" };
    (void)fleet_step(f, &ev);
    assert_string_equal(alloc_node(f->alloc, "h1")->wireguard_config->bytes, "[Interface]\n");
    ev.u.wireguard.text = "";
    (void)fleet_step(f, &ev);
    assert_null(alloc_node(f->alloc, "h1")->wireguard_config);
    ev.u.wireguard.head_id = "nobody";
    assert_int_equal(fleet_step(f, &ev)->deny, DENY_NOT_FOUND);
    static char much[WIREGUARD_MAX + 2];
    memset(much, 'x', WIREGUARD_MAX + 1);
    ev.u.wireguard = (struct wireguard_req){ "h1", much };
    assert_int_equal(fleet_step(f, &ev)->deny, DENY_BAD_REQUEST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_head__assigned_body__must_exist),
        FLEET_TEST(test_head__stream_block__named_members_change_and_empty_clears),
        FLEET_TEST(test_wireguard__put_and_emptied__is_kept_and_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
