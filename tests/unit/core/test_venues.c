#include "fixture.h"

static const struct cap_rec *cap(struct fleet *f, const char *key)
{
    return (const struct cap_rec *)alloc_get(f->alloc, REC_CAP, key);
}

static struct core_result *named(struct fleet *f, enum core_event_type type, const char *name)
{
    struct core_event ev = fleet_event(f, type, CALLER_ADMIN, "");
    ev.u.name.name = name;
    return fleet_step(f, &ev);
}

static void test_venue__put_changed_and_deleted__keeps_what_is_not_named(void **state)
{
    struct fleet *f = *state;
    struct core_event ev = fleet_event(f, CORE_VENUE_PUT, CALLER_ADMIN, "");
    ev.u.venue = (struct venue_req){ .name = "north", .owner = "acme", .cap = { true, 3 }, .set_accept_mode = true,
        .accept_mode = ACCEPT_CONFIRM };
    assert_int_equal(fleet_step(f, &ev)->answer, ANSWER_DONE);
    assert_string_equal(alloc_venue(f->alloc, "north")->district, FLEET_DISTRICT);
    assert_int_equal(cap(f, "venue/north")->max_concurrent_grants, 3);
    ev.u.venue = (struct venue_req){ .name = "north", .district = "d2" };
    (void)fleet_step(f, &ev);
    assert_string_equal(alloc_venue(f->alloc, "north")->district, "d2");
    assert_string_equal(alloc_venue(f->alloc, "north")->owner, "acme");
    assert_int_equal(alloc_venue(f->alloc, "north")->accept_mode, ACCEPT_CONFIRM);
    assert_int_equal(cap(f, "venue/north")->max_concurrent_grants, 3);
    ev.u.venue = (struct venue_req){ .name = "north", .clear_cap = true };
    (void)fleet_step(f, &ev);
    assert_null(cap(f, "venue/north"));
    ev.u.venue = (struct venue_req){ .name = "north", .cap = { true, 0 } };
    (void)fleet_step(f, &ev);
    assert_int_equal(named(f, CORE_VENUE_DELETE, "north")->answer, ANSWER_DONE);
    assert_null(alloc_venue(f->alloc, "north"));
    assert_null(cap(f, "venue/north"));
    assert_int_equal(named(f, CORE_VENUE_DELETE, "north")->deny, DENY_NOT_FOUND);
}

static void test_org__put_and_deleted__carries_its_cap(void **state)
{
    struct fleet *f = *state;
    struct core_event ev = fleet_event(f, CORE_ORG_PUT, CALLER_ADMIN, "");
    ev.u.org = (struct org_req){ .name = "acme", .cap = { true, 7 } };
    (void)fleet_step(f, &ev);
    assert_int_equal(cap(f, "org/acme")->max_concurrent_grants, 7);
    assert_non_null(alloc_get(f->alloc, REC_ORG, "acme"));
    (void)named(f, CORE_ORG_DELETE, "acme");
    assert_null(cap(f, "org/acme"));
    assert_int_equal(named(f, CORE_ORG_DELETE, "acme")->deny, DENY_NOT_FOUND);
}

static void test_experience__put_and_deleted__keeps_what_is_not_named(void **state)
{
    struct fleet *f = *state;
    const char *const venues[] = { "south", "north" };
    struct core_event ev = fleet_event(f, CORE_EXPERIENCE_PUT, CALLER_ADMIN, "");
    ev.u.experience = (struct experience_req){
        .name = "atlas", .label = "Atlas", .stream_mode = "xr", .enable_microphone = { true, true }, .set_venues = true, .venues = venues,
        .venue_count = 2,
    };
    (void)fleet_step(f, &ev);
    assert_true(strings_has(alloc_experience(f->alloc, "atlas")->venues, "north"));
    ev.u.experience = (struct experience_req){ .name = "atlas", .label = "Atlas 2" };
    (void)fleet_step(f, &ev);
    const struct experience_rec *atlas = alloc_experience(f->alloc, "atlas");
    assert_string_equal(atlas->label, "Atlas 2");
    assert_string_equal(atlas->stream_mode, "xr");
    assert_true(atlas->enable_microphone && strings_has(atlas->venues, "south"));
    ev.u.experience = (struct experience_req){ .name = "atlas", .set_venues = true };
    (void)fleet_step(f, &ev);
    assert_null(alloc_experience(f->alloc, "atlas")->venues);
    ev.u.experience = (struct experience_req){ .name = "atlas", .stream_mode = "holo" };
    assert_int_equal(fleet_step(f, &ev)->deny, DENY_BAD_REQUEST);
    assert_string_equal(f->last.field, "stream_mode");
    (void)named(f, CORE_EXPERIENCE_DELETE, "atlas");
    assert_null(alloc_experience(f->alloc, "atlas"));
    assert_int_equal(named(f, CORE_EXPERIENCE_DELETE, "atlas")->deny, DENY_NOT_FOUND);
}

static void test_put__store_down__is_refused(void **state)
{
    struct fleet *f = *state;
    f->store_down = true;
    struct core_event ev = fleet_event(f, CORE_VENUE_PUT, CALLER_ADMIN, "");
    ev.u.venue = (struct venue_req){ .name = "north" };
    assert_int_equal(fleet_step(f, &ev)->deny, DENY_STORE);
    assert_null(alloc_venue(f->alloc, "north"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_venue__put_changed_and_deleted__keeps_what_is_not_named),
        FLEET_TEST(test_org__put_and_deleted__carries_its_cap),
        FLEET_TEST(test_experience__put_and_deleted__keeps_what_is_not_named),
        FLEET_TEST(test_put__store_down__is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
