/* test_hydrabody_launch.c - who may launch: the hook, the agent's judgement, and what becomes of sessions; with a real host, client and
 * daemon (rules §13.1 to §13.4; seed E4, I11). */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "body_scene.h"
#include "hydra/os/clock.h"

#define NO_LEASE_APP FLEET_EXPERIENCE "#00112233445566778899aabbccddeeff"
#define PATH_SIZE    512

static void enforced(void)
{
    body_scene_enforce();
    body_scene_pairs(&here.head);
    body_scene_claims(&here.head);
}

static void test_launch__with_the_leases_token__admitted_and_shown_under_its_lease(void **state)
{
    (void)state;
    enforced();
    assert_true(body_scene_streams(here.app_name));
    assert_true(body_scene_waits_row("observed.state", "streaming"));
    assert_true(body_scene_waits_row("observed.lease_id", here.lease.id));
    assert_true(body_scene_waits_row("observed.app", here.app_name));
    assert_true(body_scene_waits_row("lease.state", "streaming"));
    assert_int_equal(fleet_events(&scene.daemon, "unauthorized_launch"), 0);
    assert_true(body_scene_waits_log("why=token"));
}

static void test_launch__token_of_nobodys_lease_in_enforce__refused(void **state)
{
    (void)state;
    enforced();
    assert_int_equal(body_scene_hook("started", NO_LEASE_APP), 1);
    assert_true(body_scene_waits_event("unauthorized_launch"));
    assert_true(body_scene_waits_row("observed.state", "idle"));        /* a refused launch is none */
}

static void test_launch__plain_name_under_anothers_lease_in_enforce__refused_and_the_lease_streams(void **state)
{
    (void)state;
    enforced();
    assert_int_equal(body_scene_hook("started", FLEET_EXPERIENCE), 1);      /* the cluster says: slot_held */
    assert_true(body_scene_waits_log("would=no_lease"));
    assert_true(body_scene_streams(here.app_name));
    assert_true(body_scene_waits_row("lease.state", "streaming"));
}

static void test_launch__without_lease_in_observe__admitted_and_told(void **state)
{
    (void)state;
    body_scene_claims(&here.head);
    assert_int_equal(body_scene_hook("started", NO_LEASE_APP), 0);
    assert_true(body_scene_waits_event("unauthorized_launch"));
    assert_true(body_scene_waits_log("why=observe would=no_lease"));
}

static void test_launch__plain_name_on_a_free_slot__adopted(void **state)
{
    (void)state;
    body_scene_enforce();
    body_scene_pairs(&here.head);
    assert_true(body_scene_waits_entry(FLEET_EXPERIENCE, true));
    assert_true(body_scene_streams(FLEET_EXPERIENCE));
    assert_true(body_scene_waits_row("lease.state", "adopted"));
    assert_true(body_scene_waits_row("observed.state", "streaming"));
}

static void test_launch__second_while_one_streams_in_enforce__refused_and_the_first_goes_on(void **state)
{
    (void)state;
    enforced();
    assert_true(body_scene_streams(here.app_name));
    assert_true(body_scene_waits_row("observed.state", "streaming"));
    assert_int_equal(body_scene_hook("started", here.app_name), 1);
    assert_true(body_scene_waits_event("second_launch_refused"));
    assert_true(process_running(&here.client));
    assert_int_equal(body_scene_sessions(), 1);
}

static void test_launch__after_an_end_that_nobody_told__slot_is_not_locked(void **state)
{
    (void)state;
    enforced();
    assert_true(body_scene_streams(here.app_name));
    assert_true(body_scene_waits_row("observed.state", "streaming"));
    sunshine_kill(&here.sun);                   /* no undo ran */
    assert_true(body_scene_client_ends());
    sunshine_again(&here.sun);
    assert_int_equal(body_scene_hook("started", here.app_name), 0);
    assert_int_equal(fleet_events(&scene.daemon, "second_launch_refused"), 0);
}

static void test_launch__cluster_away__admitted(void **state)
{
    (void)state;
    enforced();
    daemon_kill(&scene.daemon);
    assert_int_equal(body_scene_hook("started", FLEET_EXPERIENCE), 0);
    assert_true(body_scene_waits_log("why=cluster_silent"));
}

static void test_session__lease_revoked__ended_and_the_application_too(void **state)
{
    (void)state;
    char path[PATH_SIZE];
    enforced();
    assert_true(body_scene_streams(here.app_name));
    assert_true(body_scene_waits_row("lease.state", "streaming"));
    (void)snprintf(path, sizeof path, "/api/v1/leases/%s/revoke", here.lease.id);
    assert_int_equal(scene_admin("POST", path, "{\"reason\":\"test\"}") / 100, 2);
    assert_true(body_scene_client_ends());
    assert_true(body_scene_waits_host_free());
    assert_true(body_scene_waits_row("observed.state", "idle"));
    assert_true(body_scene_waits_entry(here.app_name, false));
    assert_true(body_scene_waits_grantable(true));
}

static void test_session__released_by_its_head__application_closed_and_slot_free(void **state)
{
    (void)state;
    enforced();
    assert_true(body_scene_streams(here.app_name));
    assert_true(body_scene_waits_row("lease.state", "streaming"));
    process_end(&here.client);                  /* Moonlight is closed: Sunshine's application runs on */
    body_scene_releases(&here.head);
    assert_true(body_scene_waits_host_free());
    assert_true(body_scene_waits_row("observed.state", "idle"));
    assert_true(body_scene_waits_row("lease", NULL));
    assert_true(body_scene_waits_grantable(true));
}

static void test_session__second_viewer_by_resume__two_rows(void **state)
{
    (void)state;
    char session[SUNSHINE_ANSWER_SIZE], line[PATH_SIZE];
    enforced();
    assert_true(body_scene_streams(here.app_name));
    assert_true(body_scene_waits_row("observed.state", "streaming"));
    (void)snprintf(line, sizeof line, "open %s", here.client_uuid);
    sunshine_ask(&here.sun, line, session);
    int64_t until_ms = os_monotonic_ms() + BODY_WAIT_MS;
    size_t rows = 0;
    while (rows < 2 && os_monotonic_ms() < until_ms) {
        struct call slots = fleet_slots(&scene.daemon);
        rows = json_array_size(slots.json);
        call_free(&slots);
    }
    assert_int_equal(rows, 2);
    assert_true(process_running(&here.client));
}

/* ---- the hook when the agent cannot help (seed I11) ---- */

static void test_hook__agent_dead__launch_goes_on(void **state)
{
    (void)state;
    enforced();
    agent_body_kill(&here.agent);
    assert_int_equal(body_scene_hook("started", NO_LEASE_APP), 0);
    assert_int_equal(body_scene_hook("ended", NO_LEASE_APP), 0);
    assert_true(body_scene_streams(here.app_name));
}

static void test_hook__agent_stopped__launch_goes_on_within_three_seconds(void **state)
{
    (void)state;
    enforced();
    process_signal(&here.agent.process, SIGSTOP);
    int64_t since_ms = os_monotonic_ms();
    assert_int_equal(body_scene_hook("started", NO_LEASE_APP), 0);
    int64_t took_ms = os_monotonic_ms() - since_ms;
    process_signal(&here.agent.process, SIGCONT);
    assert_true(took_ms >= 2500 && took_ms < 6000);        /* 3 s, and a busy machine */
}

static void test_hook__mistake_in_its_line__launch_goes_on(void **state)
{
    (void)state;
    const char *const flag[] = { "hook", "started", "--sloot", "0", NULL }, *const word[] = { "hook", "begun", NULL };
    assert_int_equal(agent_body_run(&here.agent, flag, NULL, NULL, 0), 0);
    assert_int_equal(agent_body_run(&here.agent, word, NULL, NULL, 0), 0);
}

static void test_hook__slot_that_is_not_there__launch_goes_on(void **state)
{
    (void)state;
    const char *const words[] = { "hook", "started", "--slot", "7", "--port", strrchr(here.agent.url, ':') + 1, NULL };
    assert_int_equal(agent_body_run(&here.agent, words, NULL, NULL, 0), 0);
}

/* Upstream names no client in the hook's environment; one fork does. */
static void test_hook__fork_names_its_client__client_is_in_the_agents_sessions(void **state)
{
    (void)state;
    const char *const words[] = { "hook", "started", "--port", strrchr(here.agent.url, ':') + 1, NULL };
    const char *const env[] = { "SUNSHINE_APP_NAME=" FLEET_EXPERIENCE, "APOLLO_CLIENT_UUID=UUID-7", "APOLLO_CLIENT_NAME=somebody",
                                "HYDRABODY_SLOT=0", NULL };
    assert_int_equal(agent_body_run(&here.agent, words, env, NULL, 0), 0);
    struct call sessions = agent_body_call(&here.agent, "GET", "/api/v1/stream/sessions", NULL);
    assert_string_equal(call_str(&sessions, "0.client_uuid"), "UUID-7");
    assert_string_equal(call_str(&sessions, "0.client_name"), "somebody");
    assert_string_equal(call_str(&sessions, "0.app"), FLEET_EXPERIENCE);
    call_free(&sessions);
    assert_int_equal(body_scene_hook("ended", FLEET_EXPERIENCE), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BODY_TEST_STARTED(test_launch__with_the_leases_token__admitted_and_shown_under_its_lease),
        BODY_TEST_STARTED(test_launch__token_of_nobodys_lease_in_enforce__refused),
        BODY_TEST_STARTED(test_launch__plain_name_under_anothers_lease_in_enforce__refused_and_the_lease_streams),
        BODY_TEST_STARTED(test_launch__without_lease_in_observe__admitted_and_told),
        BODY_TEST_STARTED(test_launch__plain_name_on_a_free_slot__adopted),
        BODY_TEST_STARTED(test_launch__second_while_one_streams_in_enforce__refused_and_the_first_goes_on),
        BODY_TEST_STARTED(test_launch__after_an_end_that_nobody_told__slot_is_not_locked),
        BODY_TEST_STARTED(test_launch__cluster_away__admitted),
        BODY_TEST_STARTED(test_session__lease_revoked__ended_and_the_application_too),
        BODY_TEST_STARTED(test_session__released_by_its_head__application_closed_and_slot_free),
        BODY_TEST_STARTED(test_session__second_viewer_by_resume__two_rows),
        BODY_TEST_STARTED(test_hook__agent_dead__launch_goes_on),
        BODY_TEST_STARTED(test_hook__agent_stopped__launch_goes_on_within_three_seconds),
        BODY_TEST_STARTED(test_hook__mistake_in_its_line__launch_goes_on),
        BODY_TEST_STARTED(test_hook__slot_that_is_not_there__launch_goes_on),
        BODY_TEST_STARTED(test_hook__fork_names_its_client__client_is_in_the_agents_sessions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
