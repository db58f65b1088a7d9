/* test_hydrabody.c - the agent beside a host that behaves like Sunshine, under a real daemon: what it reports, what it applies, and that it
 * goes on whoever dies. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "body_scene.h"

#define HIGH_FLOOR 900

static struct call body_row(void)
{
    return daemon_call(&scene.daemon, scene.home.admin_token, "GET", "/api/v1/bodies", NULL);
}

static bool shows_fingerprint(void *ctx)
{
    struct call bodies = body_row();
    const char *shown = json_string_value(call_value(&bodies, "0.sunshine_cert_fp"));
    bool same = shown != NULL && strcmp(shown, ctx) == 0;
    call_free(&bodies);
    return same;
}

static void test_report__idle_host__body_is_shown_as_it_is(void **state)
{
    (void)state;
    char fingerprint[SUNSHINE_ANSWER_SIZE];
    assert_true(body_scene_waits_row("observed.state", "idle"));
    struct call bodies = body_row();
    assert_true(call_bool(&bodies, "0.modern"));
    assert_string_equal(call_str(&bodies, "0.installed_experiences.0"), FLEET_EXPERIENCE);
    assert_null(call_value(&bodies, "0.installed_experiences.1"));          /* Desktop is none */
    assert_string_equal(call_str(&bodies, "0.provider_status"), "running");
    assert_non_null(strstr(call_str(&bodies, "0.provider_version"), "2026.816"));
    call_free(&bodies);
    sunshine_ask(&here.sun, "fingerprint", fingerprint);
    assert_true(wait_until(shows_fingerprint, fingerprint, BODY_WAIT_MS));
}

static void test_entries__observe__token_beside_the_plain_one_and_gone_with_the_lease(void **state)
{
    (void)state;
    assert_true(body_scene_has_entry(FLEET_EXPERIENCE));
    body_scene_claims(&here.head);
    assert_non_null(strchr(here.app_name, '#'));
    assert_true(body_scene_has_entry(here.app_name));
    assert_true(body_scene_has_entry(FLEET_EXPERIENCE));
    body_scene_releases(&here.head);
    assert_true(body_scene_waits_entry(here.app_name, false));
    assert_true(body_scene_has_entry(FLEET_EXPERIENCE));
    assert_false(agent_body_log_has(&here.agent, strchr(here.app_name, '#') + 1));      /* the token is in no log */
}

static void test_entries__enforce__token_alone_and_the_plain_one_comes_back(void **state)
{
    (void)state;
    body_scene_enforce();
    body_scene_claims(&here.head);
    assert_true(body_scene_has_entry(here.app_name));
    assert_false(body_scene_has_entry(FLEET_EXPERIENCE));
    body_scene_releases(&here.head);
    assert_true(body_scene_waits_entry(FLEET_EXPERIENCE, true));
    assert_true(body_scene_waits_entry(here.app_name, false));
    assert_true(body_scene_waits_grantable(true));
}

static void test_entries__agent_killed_with_the_plain_one_away__put_back_by_the_next(void **state)
{
    (void)state;
    body_scene_enforce();
    body_scene_claims(&here.head);
    assert_false(body_scene_has_entry(FLEET_EXPERIENCE));
    agent_body_kill(&here.agent);
    body_scene_releases(&here.head);
    body_scene_start_agent();
    assert_true(body_scene_waits_entry(FLEET_EXPERIENCE, true));
}

static void test_agent__killed_while_a_stream_lives__stream_and_lease_go_on(void **state)
{
    (void)state;
    char lease_id[HC_ID_SIZE];
    body_scene_pairs(&here.head);
    body_scene_claims(&here.head);
    assert_true(body_scene_streams(here.app_name));
    assert_true(body_scene_waits_row("lease.state", "streaming"));
    struct call slots = fleet_slots(&scene.daemon);
    (void)snprintf(lease_id, sizeof lease_id, "%s", fleet_lease_id(&slots, here.body.id));
    call_free(&slots);
    agent_body_kill(&here.agent);
    struct call claim = fleet_claims(&scene.daemon, &here.other, "attempt-2");
    assert_int_equal(claim.status, 202);                /* nobody is given the slot in between */
    call_free(&claim);
    agent_body_start(&here.agent);
    assert_true(body_scene_waits_row("observed.state", "streaming"));
    assert_true(body_scene_waits_row("observed.lease_id", lease_id));       /* sessions.json knew it */
    assert_true(body_scene_waits_row("lease.state", "streaming"));
    assert_true(body_scene_waits_row("lease.id", lease_id));
    assert_int_equal(body_scene_sessions(), 1);
    assert_true(process_running(&here.client));
}

static void test_agent__told_to_end_while_a_stream_lives__ends_soon_and_stream_goes_on(void **state)
{
    (void)state;
    body_scene_pairs(&here.head);
    body_scene_claims(&here.head);
    assert_true(body_scene_streams(here.app_name));
    assert_true(body_scene_waits_row("observed.state", "streaming"));
    process_signal(&here.agent.process, SIGTERM);
    assert_int_equal(process_wait(&here.agent.process, 5000), 0);           /* with two long polls under way */
    assert_int_equal(body_scene_sessions(), 1);
    assert_true(process_running(&here.client));
}

static void test_cluster__killed_and_back__agent_reports_and_applies_again(void **state)
{
    (void)state;
    char listen[64];
    const char *port = strrchr(scene.daemon.url, ':');
    (void)snprintf(listen, sizeof listen, "127.0.0.1%s", port);
    daemon_kill(&scene.daemon);
    assert_true(body_scene_waits_log("event=report_not_taken"));
    assert_true(process_running(&here.agent.process));
    const struct daemon_options options = { .timers = BODY_TIMERS, .listen = listen };
    daemon_end(&scene.daemon);
    scene_start(&options);
    assert_true(body_scene_waits_grantable(true));
    body_scene_claims(&here.head);
    assert_true(body_scene_has_entry(here.app_name));
}

static void test_host__killed_and_back__slot_is_not_named_and_then_grantable(void **state)
{
    (void)state;
    sunshine_kill(&here.sun);
    assert_true(body_scene_waits_grantable(false));
    assert_true(body_scene_waits_log("event=host_away"));
    sunshine_again(&here.sun);
    assert_true(body_scene_waits_grantable(true));
    body_scene_claims(&here.head);
    assert_true(body_scene_has_entry(here.app_name));
}

static void write_floor(const char *text)
{
    home_write(&scene.home, "body-0/state/slot-0/slot_epoch.json", text);
}

/* The floor's own check sum: the newest slot's epoch is the first of sixteen. */
static void raise_floor_file(uint64_t epoch)
{
    char text[256];
    uint64_t sum = 0;
    for (unsigned i = 0; i < 16; i++)
        sum = (sum * 31 + (i == 0 ? epoch : 0)) % HC_EPOCH_MAX;
    (void)snprintf(text, sizeof text, "{\"slot_epoch\":[%llu,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],\"check\":%llu}\n", (unsigned long long)epoch,
                   (unsigned long long)sum);
    write_floor(text);
}

static void test_floor__above_the_clusters_epoch__told_and_the_cluster_goes_above_it(void **state)
{
    (void)state;
    assert_int_equal(agent_body_stop(&here.agent), 0);
    raise_floor_file(HIGH_FLOOR);
    agent_body_start(&here.agent);
    assert_true(body_scene_waits_event("epoch_regressed"));
    assert_true(body_scene_waits_grantable(true));
    struct call slots = fleet_slots(&scene.daemon);
    struct call row = { .json = fleet_row(&slots, here.body.id) };
    assert_true(call_int(&row, "epoch") > HIGH_FLOOR);
    call_free(&slots);
    body_scene_claims(&here.head);
    assert_true(here.lease.epoch > HIGH_FLOOR);
}

static void test_floor__garbled__said_and_nothing_is_applied(void **state)
{
    (void)state;
    body_scene_claims(&here.head);              /* the slot has had an epoch, which the next agent must confirm */
    body_scene_releases(&here.head);
    assert_true(body_scene_waits_grantable(true));
    assert_int_equal(agent_body_stop(&here.agent), 0);
    write_floor("{\"slot_epoch\":[1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],\"check\":7}\n");
    agent_body_start(&here.agent);
    assert_true(body_scene_waits_log("event=state_unreadable"));
    assert_true(body_scene_waits_grantable(false));
    struct call status = agent_body_call(&here.agent, "GET", "/api/v1/status", NULL);
    assert_int_equal(status.status, 200);
    assert_true(call_bool(&status, "slots.0.floor_unusable"));
    call_free(&status);
}

static void test_floor__disk_full__directive_waits_and_is_applied_with_room(void **state)
{
    (void)state;
    fault_set(&scene.home, "");
    here.agent.faults = true;
    body_scene_start_agent();
    fault_set(&scene.home, "write slot_epoch.json ENOSPC\n");
    struct call claim = fleet_claims(&scene.daemon, &here.head, "attempt-1");
    assert_int_equal(claim.status, 201);
    assert_true(fleet_lease_of(&claim, &here.lease));
    (void)snprintf(here.app_name, sizeof here.app_name, "%s", call_str(&claim, "body.app_name"));
    call_free(&claim);
    fault_wait_hits(&scene.home, "write slot_epoch.json ENOSPC", 2, BODY_WAIT_MS);      /* tried, and tried again */
    assert_true(agent_body_log_has(&here.agent, "event=floor_not_written"));
    assert_false(body_scene_has_entry(here.app_name));
    fault_set(&scene.home, "");
    assert_true(body_scene_waits_entry(here.app_name, true));
}

/* ---- two slots ---- */

static struct sunshine hosts[2];

static int open_two(void **state)
{
    char path[256];
    (void)body_scene_open(state);
    char *apps = agent_body_apps(&scene.home, "body-0", 1);
    const struct sunshine_options options = { .username = "venue", .password = "secret-1", .apps = apps };
    hosts[0] = here.sun;
    sunshine_start(&hosts[1], &scene.home, "sun-1", &options);
    hc_free(apps);
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s/slots", here.body.id);
    assert_int_equal(scene_admin("PUT", path, "{\"slots_total\":2}"), 200);
    agent_body_make(&here.agent, &scene.home, "body-0", scene.daemon.url, &here.body, hosts, 2);
    agent_body_start(&here.agent);
    return 0;
}

static int close_two(void **state)
{
    sunshine_end(&hosts[1]);
    return body_scene_close(state);
}

static bool both_grantable(void *ctx)
{
    (void)ctx;
    struct call slots = fleet_slots(&scene.daemon);
    size_t count = 0, i;
    json_t *row;
    json_array_foreach(slots.json, i, row)
        count += json_is_true(json_object_get(row, "grantable"));
    call_free(&slots);
    return count == 2;
}

static bool file_lists(void *ctx)
{
    char *text = home_read(&scene.home, "sun-1/apps.json");
    bool has = strstr(text, ctx) != NULL;
    hc_free(text);
    return has;
}

static void test_two_slots__a_lease_on_each__each_host_has_its_own_entry_and_ports(void **state)
{
    (void)state;
    char app[192];
    assert_true(wait_until(both_grantable, NULL, BODY_WAIT_MS));
    body_scene_enforce();
    body_scene_claims(&here.head);
    assert_int_equal(here.lease.slot, 0);
    struct call claim = fleet_claims(&scene.daemon, &here.other, "attempt-2");
    assert_int_equal(claim.status, 201);
    assert_int_equal(call_int(&claim, "lease.slot"), 1);
    assert_int_equal(call_int(&claim, "body.ports.gamestream"), hosts[1].http);
    (void)snprintf(app, sizeof app, "%s", call_str(&claim, "body.app_name"));
    call_free(&claim);
    assert_true(body_scene_has_entry(here.app_name));
    assert_true(wait_until(file_lists, app, BODY_WAIT_MS));
    assert_false(body_scene_has_entry(app));
    assert_false(file_lists(here.app_name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BODY_TEST_STARTED(test_report__idle_host__body_is_shown_as_it_is),
        BODY_TEST_STARTED(test_entries__observe__token_beside_the_plain_one_and_gone_with_the_lease),
        BODY_TEST_STARTED(test_entries__enforce__token_alone_and_the_plain_one_comes_back),
        BODY_TEST_STARTED(test_entries__agent_killed_with_the_plain_one_away__put_back_by_the_next),
        BODY_TEST_STARTED(test_agent__killed_while_a_stream_lives__stream_and_lease_go_on),
        BODY_TEST_STARTED(test_agent__told_to_end_while_a_stream_lives__ends_soon_and_stream_goes_on),
        BODY_TEST_STARTED(test_cluster__killed_and_back__agent_reports_and_applies_again),
        BODY_TEST_STARTED(test_host__killed_and_back__slot_is_not_named_and_then_grantable),
        BODY_TEST_STARTED(test_floor__above_the_clusters_epoch__told_and_the_cluster_goes_above_it),
        BODY_TEST_STARTED(test_floor__garbled__said_and_nothing_is_applied),
        cmocka_unit_test_setup_teardown(test_two_slots__a_lease_on_each__each_host_has_its_own_entry_and_ports, open_two, close_two),
        BODY_TEST(test_floor__disk_full__directive_waits_and_is_applied_with_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
