/* rules §12.4: per_device_identity is set when all is ready, and kept until an admin clears it; seed, Step 9: the days of retirement. */
#include "identities.h"

#include <string.h>

static const struct district_rec *district(struct fleet *f)
{
    static const struct district_rec none;
    const struct district_rec *rec = alloc_district(f->alloc, FLEET_DISTRICT);
    return rec == NULL ? &none : rec;
}

static struct core_result *speaks(struct fleet *f, const char *head_id, uint32_t protocol, uint32_t pairing)
{
    struct heartbeat_req req = usual_heartbeat(head_id, "idle");
    req.protocol_version = (struct opt_u32){ true, protocol };
    req.pairing_protocol = (struct opt_u32){ true, pairing };
    return ask_heartbeat(f, &req);
}

static bool on(struct fleet *f)
{
    return per_device_identity_on(f->alloc, FLEET_DISTRICT);
}

static void test_latch__last_head_turns_ready__is_set_at_once_and_told(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    fleet_head(f, "h2", "north", "hydraheadipad");
    (void)fleet_report(f, "b1");
    assert_int_equal(fleet_notes(speaks(f, "h1", 2, 2), NOTE_DEVICE_IDENTITY_ON), 0);
    assert_false(on(f));
    struct core_result *out = speaks(f, "h2", 1, 2);
    assert_int_equal(fleet_notes(out, NOTE_DEVICE_IDENTITY_ON), 1);
    assert_string_equal(out->notes[out->note_count - 1].district, FLEET_DISTRICT);
    assert_true(on(f));
}

static void test_latch__last_body_reports__is_set(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_legacy_body(f, "b2", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    (void)speaks(f, "h1", 2, 2);
    (void)fleet_report(f, "b1");
    (void)fleet_report(f, "b2");
    (void)fleet_tick(f);
    assert_false(on(f));                                /* one is legacy */
    fleet_machine(f, "b2")->modern = true;
    HC_SET(fleet_machine(f, "b2")->boot_id, "boot-b2");
    (void)fleet_report(f, "b2");
    assert_true(on(f));
}

/* One row each: what is not ready. */
static void test_latch__anything_not_ready__stays_off(void **state)
{
    (void)state;
    for (int row = 0; row < 5; row++) {
        void *fleet;
        assert_int_equal(fleet_setup(&fleet), 0);
        struct fleet *f = fleet;
        if (row != 0)
            fleet_body(f, "b1", "north");
        if (row != 1)
            fleet_head(f, "h1", "north", "hydraheadflatscreen");
        if (row != 0 && row != 2)
            (void)fleet_report(f, "b1");
        if (row == 3)
            f->now = hc_time_add(f->now, f->config.timers.body_report_fresh_ms + 1);
        if (row != 1)
            (void)speaks(f, "h1", 2, row == 4 ? 1 : 2);
        (void)fleet_tick(f);
        if (on(f))
            fail_msg("row %d", row);
        assert_int_equal(fleet_teardown(&fleet), 0);
    }
}

static void test_latch__set__stays_whatever_comes_until_an_admin_clears_it(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
    (void)speaks(f, "h1", 2, 2);
    assert_true(on(f));
    fleet_head(f, "h2", "north", "hydraheadipad");      /* a legacy head joins */
    f->now = hc_time_add(f->now, HC_HOUR_MS);
    (void)fleet_tick(f);
    assert_true(on(f));
    struct core_result *out = ask_latch(f, FLEET_DISTRICT, false);
    assert_int_equal(fleet_notes(out, NOTE_DEVICE_IDENTITY_OFF), 1);
    assert_false(on(f));
    assert_int_equal(ask_latch(f, FLEET_DISTRICT, false)->note_count, 0);
}

static void test_latch__cleared__comes_back_only_when_an_admin_allows_it(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
    (void)speaks(f, "h1", 2, 2);
    (void)ask_latch(f, FLEET_DISTRICT, false);
    (void)fleet_report(f, "b1");
    (void)fleet_tick(f);
    assert_false(on(f));
    assert_int_equal(fleet_notes(ask_latch(f, FLEET_DISTRICT, true), NOTE_DEVICE_IDENTITY_ON), 1);
    assert_true(on(f));
    assert_false(hc_time_set(district(f)->per_device_identity_off_at));
    assert_int_equal(ask_latch(f, FLEET_DISTRICT, true)->note_count, 0);
    f->store_down = true;
    assert_int_equal(ask_latch(f, FLEET_DISTRICT, false)->deny, DENY_STORE);
}

static void test_retirement__all_heads_speak_protocol_2__days_are_counted_from_then(void **state)
{
    struct fleet *f = *state;
    struct hc_arena arena = { 0 };
    struct migration migration;
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    fleet_head(f, "h2", "north", "hydraheadflatscreen");
    (void)speaks(f, "h1", 2, 2);
    (void)speaks(f, "h2", 2, 1);
    (void)fleet_tick(f);
    assert_false(hc_time_set(district(f)->retirement_since));
    (void)speaks(f, "h2", 2, 2);
    hc_time since = f->now;
    assert_int_equal(district(f)->retirement_since.ms, since.ms);
    f->now = hc_time_add(f->now, 3 * HC_DAY_MS - 1);
    (void)fleet_tick(f);
    struct core_view view = fleet_view(f);
    assert_int_equal(query_migration(&view, FLEET_DISTRICT, &arena, &migration), HC_OK);
    assert_int_equal(migration.retirement_days, 2);
    assert_int_equal(migration.retirement_since.ms, since.ms);
    hc_arena_free(&arena);
    (void)speaks(f, "h1", 1, 2);                        /* a head falls back: it begins anew */
    assert_false(hc_time_set(district(f)->retirement_since));
}

static void test_retirement__legacy_request__begins_the_days_anew(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
    (void)speaks(f, "h1", 2, 2);
    f->now = hc_time_add(f->now, 10 * HC_DAY_MS);
    (void)fleet_report(f, "b1");
    (void)ask_pure(f, "h1", FLEET_EXPERIENCE, "");
    hc_time before = district(f)->retirement_since;
    assert_true(hc_time_since(f->now, before) >= 10 * HC_DAY_MS);      /* a pure read is no claim */
    (void)fleet_read(f, "h1", FLEET_EXPERIENCE);
    assert_int_equal(district(f)->retirement_since.ms, f->now.ms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_latch__last_head_turns_ready__is_set_at_once_and_told),
        FLEET_TEST(test_latch__last_body_reports__is_set),
        cmocka_unit_test(test_latch__anything_not_ready__stays_off),
        FLEET_TEST(test_latch__set__stays_whatever_comes_until_an_admin_clears_it),
        FLEET_TEST(test_latch__cleared__comes_back_only_when_an_admin_allows_it),
        FLEET_TEST(test_retirement__all_heads_speak_protocol_2__days_are_counted_from_then),
        FLEET_TEST(test_retirement__legacy_request__begins_the_days_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
