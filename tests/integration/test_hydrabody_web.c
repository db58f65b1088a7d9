/* test_hydrabody_web.c - Sunshine's web API in the agent's hands: operations of the cluster, the trust store, and what it says when its
 * credentials are lost or its answers make no sense (rules §12, §13.7). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "body_scene.h"
#include "hydra/base/arena.h"

#define PATH_SIZE 512
#define TEXT_SIZE 256

/* ---- operations ---- */

struct result { char op_id[HC_ID_SIZE]; struct call call; };

static bool is_answered(void *ctx)
{
    struct result *result = ctx;
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s/ops/%s/result", here.body.id, result->op_id);
    call_free(&result->call);
    result->call = daemon_call(&scene.daemon, scene.home.admin_token, "GET", path, NULL);
    return result->call.status == 200 && strcmp(call_str(&result->call, "state"), "pending") != 0;
}

/* Asks, waits for the answer; the caller frees it. */
static struct call operate(const char *json)
{
    struct result result = { .call.retry_after_seconds = -1 };
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s/ops", here.body.id);
    struct call asked = daemon_call(&scene.daemon, scene.home.admin_token, "POST", path, json);
    assert_int_equal(asked.status, 202);
    (void)snprintf(result.op_id, sizeof result.op_id, "%s", call_str(&asked, "op_id"));
    call_free(&asked);
    assert_true(wait_until(is_answered, &result, BODY_WAIT_MS));
    return result.call;
}

/* The status of asking; for what the cluster itself refuses. */
static long asking(const char *json)
{
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s/ops", here.body.id);
    return scene_admin("POST", path, json);
}

static void expect(const char *json, const char *state, const char *error)
{
    struct call call = operate(json);
    if (strcmp(call_str(&call, "state"), state) != 0)
        fail_msg("%s", call.text);
    if (error != NULL)
        assert_string_equal(call_str(&call, "error"), error);
    call_free(&call);
}

static long host_clients(void)
{
    json_t *status = sunshine_status(&here.sun);
    long count = (long)json_integer_value(json_object_get(status, "clients"));
    json_decref(status);
    return count;
}

static void test_operation__list_clients__web_apis_own_answer(void **state)
{
    (void)state;
    body_scene_pairs(&here.head);
    struct call call = operate("{\"op\":\"sunshine.list_clients\",\"args\":{}}");
    assert_string_equal(call_str(&call, "state"), "done");
    assert_string_equal(call_str(&call, "output.named_certs.0.uuid"), here.client_uuid);
    assert_true(call_bool(&call, "output.status"));
    call_free(&call);
}

static void test_operation__unpair__that_client_and_no_other(void **state)
{
    (void)state;
    char text[TEXT_SIZE];
    body_scene_pairs(&here.head);
    (void)snprintf(text, sizeof text, "{\"op\":\"sunshine.unpair\",\"args\":{\"uuid\":\"%s\"}}", here.client_uuid);
    body_scene_pairs(&here.other);
    struct call call = operate(text);
    assert_true(call_bool(&call, "output.status"));
    call_free(&call);
    assert_int_equal(host_clients(), 1);
    call = operate(text);                                   /* it is gone: Sunshine says no */
    assert_false(call_bool(&call, "output.status"));
    call_free(&call);
}

static void test_operation__submit_pin_with_nobody_waiting__not_taken_and_in_no_log(void **state)
{
    (void)state;
    struct call call = operate("{\"op\":\"sunshine.submit_pin\",\"args\":{\"pin\":\"7391\",\"name\":\"hydra-x\"}}");
    assert_false(call_bool(&call, "output.status"));
    call_free(&call);
    assert_false(agent_body_log_has(&here.agent, "7391"));
}

static void test_operation__close_app_while_a_leased_session_lives__only_when_forced(void **state)
{
    (void)state;
    body_scene_pairs(&here.head);
    body_scene_claims(&here.head);
    assert_true(body_scene_streams(here.app_name));
    assert_true(body_scene_waits_row("lease.state", "streaming"));
    assert_int_equal(asking("{\"op\":\"sunshine.close_app\",\"args\":{}}"), 409);      /* the cluster knows it too */
    assert_int_equal(asking("{\"op\":\"sunshine.restart\",\"args\":{}}"), 409);
    assert_true(process_running(&here.client));
    assert_int_equal(body_scene_sessions(), 1);
    expect("{\"op\":\"sunshine.close_app\",\"args\":{\"force\":true}}", "done", NULL);
    assert_true(body_scene_client_ends());
    assert_true(body_scene_waits_host_free());
}

static void test_operation__asked_while_the_cluster_was_restarted__answered_once(void **state)
{
    (void)state;
    char listen[64];
    (void)snprintf(listen, sizeof listen, "127.0.0.1%s", strrchr(scene.daemon.url, ':'));
    const struct daemon_options options = { .timers = BODY_TIMERS, .listen = listen };
    scene_stop();
    daemon_end(&scene.daemon);
    scene_start(&options);
    expect("{\"op\":\"sunshine.list_clients\",\"args\":{}}", "done", NULL);
}

/* ---- what the web API says when something is wrong with it ---- */

static bool provider_is(void *ctx)
{
    struct call bodies = daemon_call(&scene.daemon, scene.home.admin_token, "GET", "/api/v1/bodies", NULL);
    const char *status = json_string_value(call_value(&bodies, "0.provider_status"));
    bool same = status != NULL && strcmp(status, ctx) == 0;
    call_free(&bodies);
    return same;
}

static bool waits_provider(const char *status)
{
    return wait_until(provider_is, (void *)(uintptr_t)status, 3 * BODY_WAIT_MS);
}

/* The agent reads its lists anew at once after an operation. */
static void make_it_look(void)
{
    struct call call = operate("{\"op\":\"sunshine.list_clients\",\"args\":{}}");
    call_free(&call);
}

static void test_web__credentials_lost__said_and_no_password_shown(void **state)
{
    (void)state;
    sunshine_say(&here.sun, "lose-credentials");
    expect("{\"op\":\"sunshine.list_clients\",\"args\":{}}", "failed", "credentials_lost");
    assert_true(waits_provider("credentials_lost"));
    assert_true(body_scene_waits_log("outcome=credentials_lost"));
    assert_false(agent_body_log_has(&here.agent, "secret-1"));
}

static void test_web__list_is_html__raw_text_told_nothing_unpaired_and_well_again(void **state)
{
    (void)state;
    char path[PATH_SIZE];
    body_scene_pairs(&here.head);
    make_it_look();
    sunshine_say(&here.sun, "fault list-html 1");
    struct call call = operate("{\"op\":\"sunshine.list_clients\",\"args\":{}}");
    assert_string_equal(call_str(&call, "state"), "done");
    assert_non_null(strstr(call_str(&call, "output.raw"), "<"));
    call_free(&call);
    assert_true(waits_provider("unknown"));
    (void)snprintf(path, sizeof path, "/api/v1/heads/%s/device-identity", here.head.id);
    (void)scene_admin("DELETE", path, NULL);
    assert_int_equal(host_clients(), 1);
    sunshine_say(&here.sun, "fault list-html 0");
    assert_true(waits_provider("running"));
    assert_int_equal(host_clients(), 1);
}

static bool one_client(void *ctx)
{
    (void)ctx;
    return host_clients() == 1;
}

static void test_trust__two_entries_of_one_head__the_newest_stays(void **state)
{
    (void)state;
    body_scene_pairs(&here.head);
    body_scene_pairs(&here.head);               /* re-paired: Sunshine keeps both */
    assert_int_equal(host_clients(), 2);
    make_it_look();
    assert_true(wait_until(one_client, NULL, BODY_WAIT_MS));
    struct call call = operate("{\"op\":\"sunshine.list_clients\",\"args\":{}}");
    assert_string_equal(call_str(&call, "output.named_certs.0.uuid"), here.client_uuid);
    call_free(&call);
}

/* ---- the gate (rules §13.5) ---- */

struct let_in { const char *uuid; bool enabled; };

static bool is_let_in(void *ctx)
{
    const struct let_in *wish = ctx;
    struct call call = operate("{\"op\":\"sunshine.list_clients\",\"args\":{}}");
    json_t *clients = call_value(&call, "output.named_certs"), *client;
    size_t i;
    bool same = false;
    json_array_foreach(clients, i, client)
        if (strcmp(json_string_value(json_object_get(client, "uuid")), wish->uuid) == 0)
            same = json_is_true(json_object_get(client, "enabled")) == wish->enabled;
    call_free(&call);
    return same;
}

static bool waits_let_in(const char *uuid, bool enabled)
{
    struct let_in wish = { uuid, enabled };
    return wait_until(is_let_in, &wish, BODY_WAIT_MS);
}

static bool cluster_lists(void *uuid)
{
    char path[256];
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s/pairing", here.body.id);
    struct call call = daemon_call(&scene.daemon, scene.home.admin_token, "GET", path, NULL);
    bool listed = call.status == 200 && strstr(call.text, uuid) != NULL;
    call_free(&call);
    return listed;
}

/* `other` is paired, then `head`, whose lease closes the gate: whom to let in it says only once the cluster has been told, and with
 * everything in place for a launch nobody is shut out any more. */
static void close_the_gate(char stranger[HC_ID_SIZE])
{
    body_scene_pairs(&here.other);
    (void)snprintf(stranger, HC_ID_SIZE, "%s", here.client_uuid);
    body_scene_pairs(&here.head);
    make_it_look();
    assert_true(wait_until(cluster_lists, here.client_uuid, BODY_WAIT_MS));
    body_scene_enforce();
    body_scene_claims(&here.head);
    assert_true(waits_let_in(stranger, false));
    assert_true(waits_let_in(here.client_uuid, true));
}

static void test_gate__lease_of_protocol_2_in_enforce__its_client_alone_and_all_afterwards(void **state)
{
    (void)state;
    char stranger[HC_ID_SIZE];
    close_the_gate(stranger);
    assert_true(body_scene_waits_row("observed.gate.mode", "enforce"));
    assert_true(body_scene_streams(here.app_name));
    assert_true(body_scene_waits_row("lease.state", "streaming"));
    process_end(&here.client);
    body_scene_releases(&here.head);
    assert_true(waits_let_in(stranger, true));
}

static void test_gate__agent_killed_and_the_body_back_in_observe__doors_are_opened_again(void **state)
{
    (void)state;
    char stranger[HC_ID_SIZE], path[PATH_SIZE];
    close_the_gate(stranger);
    agent_body_kill(&here.agent);
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s/slots", here.body.id);
    assert_int_equal(scene_admin("PUT", path, "{\"enforce\":\"observe\"}"), 200);
    agent_body_start(&here.agent);
    assert_true(waits_let_in(stranger, true));              /* it knew from sessions.json that it had locked it */
}

static void test_entries__edited_by_the_operator__learned(void **state)
{
    (void)state;
    assert_int_equal(agent_body_stop(&here.agent), 0);
    sunshine_kill(&here.sun);
    scene_edit("sun-0/apps.json", "sleep 600", "sleep 601");
    sunshine_again(&here.sun);
    body_scene_start_agent();
    body_scene_enforce();
    body_scene_claims(&here.head);
    char *apps = home_read(&scene.home, "sun-0/apps.json");
    assert_non_null(strstr(apps, "sleep 601"));             /* the entry with the token is like the newest plain one */
    assert_null(strstr(apps, "sleep 600"));
    hc_free(apps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BODY_TEST_STARTED(test_operation__list_clients__web_apis_own_answer),
        BODY_TEST_STARTED(test_operation__unpair__that_client_and_no_other),
        BODY_TEST_STARTED(test_operation__submit_pin_with_nobody_waiting__not_taken_and_in_no_log),
        BODY_TEST_STARTED(test_operation__close_app_while_a_leased_session_lives__only_when_forced),
        BODY_TEST_STARTED(test_operation__asked_while_the_cluster_was_restarted__answered_once),
        BODY_TEST_STARTED(test_web__credentials_lost__said_and_no_password_shown),
        BODY_TEST_STARTED(test_web__list_is_html__raw_text_told_nothing_unpaired_and_well_again),
        BODY_TEST_STARTED(test_trust__two_entries_of_one_head__the_newest_stays),
        BODY_TEST_STARTED(test_gate__lease_of_protocol_2_in_enforce__its_client_alone_and_all_afterwards),
        BODY_TEST_STARTED(test_gate__agent_killed_and_the_body_back_in_observe__doors_are_opened_again),
        BODY_TEST_STARTED(test_entries__edited_by_the_operator__learned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
