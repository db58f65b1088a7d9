/* What a reported session says about a lease (rules §10.2, §10.4, §6.2.3), as a table; agents that warm up (§6.2.5). */
#include "fixture.h"

#include <string.h>

#include "../../../src/core/core.h"

#define TOKEN "0123456789abcdef0123456789abcdef"
#define OTHER "fedcba9876543210fedcba9876543210"

struct row { const char *lease_id, *launch_id, *uuid, *name, *app; enum session_claim claim; bool wrong_client; };

static void test_session__against_a_lease__is_own_silent_or_other(void **state)
{
    (void)state;
    static const struct row rows[] = {
        { "",      "",   "",   "",         "",                    SESSION_SILENT, false },
        { "",      "",   "",   "roth",     "rupelmonde",          SESSION_SILENT, false },
        { "lse-1", "",   "",   "",         "",                    SESSION_OWN,    false },
        { "lse-2", "",   "",   "",         "",                    SESSION_OTHER,  false },
        { "",      "l1", "",   "",         "",                    SESSION_OWN,    false },
        { "",      "l2", "",   "",         "",                    SESSION_SILENT, false },      /* a reconnect has a new launch */
        { "",      "",   "",   "",         "rupelmonde#" TOKEN,   SESSION_OWN,    false },
        { "",      "",   "",   "",         "rupelmonde#" OTHER,   SESSION_OTHER,  false },
        { "",      "",   "u1", "",         "",                    SESSION_OWN,    false },
        { "",      "",   "u2", "",         "",                    SESSION_OTHER,  true },
        { "",      "",   "",   "hydra-h1", "",                    SESSION_OWN,    false },
        { "",      "",   "u2", "hydra-h1", "",                    SESSION_OWN,    false },      /* it paired anew */
        { "",      "",   "",   "hydra-h2", "",                    SESSION_OTHER,  true },
        { "",      "",   "u1", "hydra-h2", "",                    SESSION_OTHER,  true },
        { "lse-1", "l1", "",   "hydra-h2", "rupelmonde#" TOKEN,   SESSION_OTHER,  true },       /* joined by /resume */
        { "lse-2", "l1", "",   "",         "",                    SESSION_OWN,    false },      /* the body knows it by its old lease */
    };
    struct lease lease = { .state = LEASE_STREAMING };
    HC_SET(lease.id, "lse-1");
    HC_SET(lease.head_id, "h1");
    HC_SET(lease.launch_id, "l1");
    HC_SET(lease.app_token, TOKEN);
    HC_SET(lease.sunshine_client_uuid, "u1");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct session_obs seen = { .state = SESSION_STREAMING };
        HC_SET(seen.lease_id, rows[i].lease_id);
        HC_SET(seen.launch_id, rows[i].launch_id);
        HC_SET(seen.client_uuid, rows[i].uuid);
        HC_SET(seen.client_name, rows[i].name);
        HC_SET(seen.app, rows[i].app);
        if (session_names(&lease, &seen) != rows[i].claim || session_wrong_client(&lease, &seen) != rows[i].wrong_client)
            fail_msg("row %zu", i);
    }
}

static void test_app_token__of_an_app_name__is_what_follows_the_last_hash(void **state)
{
    (void)state;
    assert_string_equal(app_token_of("rupelmonde"), "");
    assert_string_equal(app_token_of("rupelmonde#2"), "");
    assert_string_equal(app_token_of("room #2#" TOKEN), TOKEN);
    assert_string_equal(app_token_of(""), "");
}

static void test_slot__of_a_report__is_named_idle_or_not(void **state)
{
    (void)state;
    struct session_obs rows[] = { { .index = 1, .state = SESSION_IDLE }, { .index = 2, .state = SESSION_ENDING } };
    struct body_obs obs = { .modern = true, .sessions = rows, .session_count = 2 };
    assert_false(slot_named(&obs, 0));
    assert_false(slot_idle(&obs, 0));
    assert_true(slot_idle(&obs, 1));
    assert_true(slot_named(&obs, 2));
    assert_false(slot_idle(&obs, 2));
    obs = (struct body_obs){ .stream_status = STATUS_NONE };
    assert_false(slot_named(&obs, 0));             /* a legacy body names slot 0 by stream_status alone */
    obs.stream_status = STATUS_IDLE;
    assert_true(slot_idle(&obs, 0));
    assert_false(slot_named(&obs, 1));
    obs.stream_status = STATUS_STREAMING;
    assert_false(slot_idle(&obs, 0));
    size_t at = 0;
    assert_int_equal(session_next(&obs, 0, &at)->state, SESSION_STREAMING);
    assert_null(session_next(&obs, 0, &at));
}

static void test_agent__uptime_or_first_report__warms_for_a_minute(void **state)
{
    (void)state;
    struct timers t;
    timers_default(&t);
    hc_time at = { 1000000 };
    struct body_obs obs = { .modern = true, .reported_at = at, .uptime_ms = 20000 };
    assert_true(agent_warming(&obs, &t, at));
    assert_true(agent_warming(&obs, &t, hc_time_add(at, 39999)));
    assert_false(agent_warming(&obs, &t, hc_time_add(at, 40000)));
    obs.uptime_ms = -1;                            /* not sent */
    assert_false(agent_warming(&obs, &t, at));     /* a boot that we know of old */
    obs.boot_first_at = at;
    assert_true(agent_warming(&obs, &t, hc_time_add(at, 59999)));
    assert_false(agent_warming(&obs, &t, hc_time_add(at, 60000)));
    obs.modern = false;
    assert_false(agent_warming(&obs, &t, at));     /* a legacy body has no boot */
}

static void test_claim_token__of_a_lease__is_its_own_and_hides_in_its_digest(void **state)
{
    (void)state;
    struct core_config config = { .secret = { 1, 2, 3 } };
    struct lease a = { .grant_epoch = 7 }, b;
    HC_SET(a.id, "lse-1");
    HC_SET(a.head_id, "p1");
    HC_SET(a.attempt_id, "a1");
    char one[CLAIM_TOKEN_SIZE], again[CLAIM_TOKEN_SIZE], other[CLAIM_TOKEN_SIZE], digest[HC_HASH_SIZE], digest_of_other[HC_HASH_SIZE];
    claim_token(&config, &a, one);
    claim_token(&config, &a, again);
    assert_string_equal(one, again);
    assert_int_equal(strlen(one), CLAIM_TOKEN_SIZE - 1);
    assert_int_equal(strspn(one, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"), CLAIM_TOKEN_SIZE - 1);
    for (unsigned field = 0; field < 5; field++) {
        struct core_config with = config;
        b = a;
        if (field == 0)
            HC_SET(b.id, "lse-2");
        else if (field == 1)
            b.grant_epoch = 8;
        else if (field == 2)
            HC_SET(b.head_id, "p2");
        else if (field == 3)
            HC_SET(b.attempt_id, "a2");
        else
            with.secret[31] = 1;
        claim_token(&with, &b, other);
        assert_string_not_equal(one, other);
    }
    token_digest(one, digest);
    assert_int_equal(strlen(digest), HC_HASH_HEX);
    token_digest(other, digest_of_other);
    assert_string_not_equal(digest, digest_of_other);
    assert_null(strstr(digest, one));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_session__against_a_lease__is_own_silent_or_other),
        cmocka_unit_test(test_app_token__of_an_app_name__is_what_follows_the_last_hash),
        cmocka_unit_test(test_slot__of_a_report__is_named_idle_or_not),
        cmocka_unit_test(test_agent__uptime_or_first_report__warms_for_a_minute),
        cmocka_unit_test(test_claim_token__of_a_lease__is_its_own_and_hides_in_its_digest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
