/* test_hydrahead.c - the agent of a flatscreen against a real daemon and a host that behaves like Sunshine: visits, and how they end. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "head_scene.h"
#include "hydra/base/arena.h"

static struct agent_head *start_head(const char *name)
{
    struct agent_head *head = head_scene_head(name, NULL);
    agent_head_start(head);
    return head;
}

/* The pid that the agent wrote into its log when it started the streaming program, the newest. */
static pid_t child_of(const struct agent_head *head)
{
    char name[HOME_PATH_SIZE];
    (void)snprintf(name, sizeof name, "%s/log", head->name);
    char *log = home_read(head->home, name), *at = NULL;
    for (char *next = strstr(log, "event=stream_program_started pid="); next != NULL;
         next = strstr(next + 1, "event=stream_program_started pid="))
        at = next;
    assert_non_null(at);
    pid_t pid = (pid_t)strtol(at + strlen("event=stream_program_started pid="), NULL, 10);
    hc_free(log);
    return pid;
}

static bool is_gone(void *ctx)
{
    return kill(*(pid_t *)ctx, 0) != 0;
}

static void test_hydrahead__one_visit__claims_pairs_streams_releases(void **state)
{
    (void)state;
    struct stand_in_body *body = head_scene_body("b1");
    struct agent_head *head = start_head("h1");
    head_scene_waits(head, "ready");
    agent_head_wants(head, FLEET_EXPERIENCE);
    head_scene_streams(head, body);
    assert_int_equal(atomic_load(&body->pins), 1);
    agent_head_leaves(head);
    head_scene_waits(head, "ready");
    head_scene_lease(body, "", NULL);
    head_scene_ended(1, "user_exit");
    agent_head_wants(head, FLEET_EXPERIENCE);           /* again: it is paired now */
    head_scene_streams(head, body);
    assert_int_equal(atomic_load(&body->pins), 1);
    assert_int_equal(head_scene_asked(body, "https GET /launch"), 2);
    assert_int_equal(head_scene_asked(body, "https GET /resume"), 0);
    assert_int_equal(head_scene_asked(body, "http GET /unpair"), 0);
    assert_int_equal(agent_head_stop(head), 0);
}

static bool is_first(void *ctx) { return agent_head_place(ctx) == 1; }

static bool line_is_empty(void *ctx)
{
    (void)ctx;
    struct call call = daemon_call(&scene.daemon, scene.home.admin_token, "GET", "/api/v1/queue", NULL);
    bool empty = json_is_array(call.json) && json_array_size(call.json) == 0;
    call_free(&call);
    return empty;
}

static void test_hydrahead__second_head__waits_in_line_and_is_promoted(void **state)
{
    (void)state;
    struct stand_in_body *body = head_scene_body("b1");
    struct agent_head *first = start_head("h1"), *second = start_head("h2");
    agent_head_wants(first, FLEET_EXPERIENCE);
    head_scene_streams(first, body);
    agent_head_wants(second, FLEET_EXPERIENCE);
    assert_true(wait_until(is_first, second, SCENE_WAIT_MS));
    struct call call = agent_head_call(second, "GET", "/api/v1/stream/status", NULL);
    assert_string_equal(call_str(&call, "status"), "finding_body");
    assert_non_null(strstr(call_str(&call, "message"), "next in line"));
    call_free(&call);
    agent_head_leaves(first);
    head_scene_streams(second, body);                   /* nobody touched it */
    assert_int_equal(head_scene_asked(body, "https GET /resume"), 0);
    assert_int_equal(agent_head_stop(second), 0);
    head_scene_lease(body, "", NULL);
}

static void test_hydrahead__cancel_in_the_line__leaves_it(void **state)
{
    (void)state;
    struct stand_in_body *body = head_scene_body("b1");
    struct agent_head *first = start_head("h1"), *second = start_head("h2");
    agent_head_wants(first, FLEET_EXPERIENCE);
    head_scene_streams(first, body);
    agent_head_wants(second, FLEET_EXPERIENCE);
    assert_true(wait_until(is_first, second, SCENE_WAIT_MS));
    agent_head_leaves(second);
    head_scene_waits(second, "ready");
    assert_true(wait_until(line_is_empty, NULL, SCENE_WAIT_MS));
    agent_head_wants(second, FLEET_EXPERIENCE);         /* at once: no long-poll of the first time stands in the way */
    assert_true(wait_until(is_first, second, SCENE_WAIT_MS));
}

static void test_hydrahead__sigterm_while_streaming__ends_the_picture_and_releases(void **state)
{
    (void)state;
    struct stand_in_body *body = head_scene_body("b1");
    struct agent_head *head = start_head("h1");
    agent_head_wants(head, FLEET_EXPERIENCE);
    head_scene_streams(head, body);
    pid_t child = child_of(head);
    assert_int_equal(agent_head_stop(head), 0);
    assert_true(wait_until(is_gone, &child, SCENE_WAIT_MS));
    head_scene_lease(body, "", NULL);
    head_scene_ended(1, "interrupted");
    assert_false(home_has(&scene.home, "h1/state/attempt.json"));
}

static void test_hydrahead__sigint_in_the_line__gives_its_place_back(void **state)
{
    (void)state;
    struct stand_in_body *body = head_scene_body("b1");
    struct agent_head *first = start_head("h1"), *second = start_head("h2");
    agent_head_wants(first, FLEET_EXPERIENCE);
    head_scene_streams(first, body);
    agent_head_wants(second, FLEET_EXPERIENCE);
    assert_true(wait_until(is_first, second, SCENE_WAIT_MS));
    daemon_signal(&second->local, SIGINT);
    assert_int_equal(daemon_wait(&second->local, AGENT_HEAD_STOP_MS), 0);
    assert_true(line_is_empty(NULL));                   /* before it went */
}

static void test_hydrahead__streaming_program_killed__released_and_taken_up_again(void **state)
{
    (void)state;
    struct stand_in_body *body = head_scene_body("b1");
    struct agent_head *head = start_head("h1");
    agent_head_wants(head, FLEET_EXPERIENCE);
    head_scene_streams(head, body);
    assert_int_equal(kill(child_of(head), SIGKILL), 0);
    head_scene_ended(1, "error");
    head_scene_streams(head, body);                     /* the visitor still stands there */
    assert_int_equal(head_scene_asked(body, "https GET /resume"), 0);
}

static void test_hydrahead__program_that_never_plays__released_and_told_in_the_end(void **state)
{
    (void)state;
    struct stand_in_body *body = head_scene_body("b1");
    const struct agent_head_options options = { .command = "/bin/sh -c 'echo no picture; exit 7'" };
    struct agent_head *head = head_scene_head("h1", &options);
    agent_head_start(head);
    agent_head_wants(head, FLEET_EXPERIENCE);
    head_scene_waits(head, "error");
    struct call call = agent_head_call(head, "GET", "/api/v1/stream/status", NULL);
    assert_non_null(strstr(call_str(&call, "message"), "exit code 7"));
    call_free(&call);
    head_scene_lease(body, "", NULL);
    assert_true(agent_head_log_has(head, "event=stream_program line=\"no picture\""));
}

static void test_hydrahead__lease_revoked__ends_the_picture(void **state)
{
    (void)state;
    struct stand_in_body *body = head_scene_body("b1");
    struct agent_head *head = start_head("h1");
    char path[256];
    agent_head_wants(head, FLEET_EXPERIENCE);
    head_scene_streams(head, body);
    pid_t child = child_of(head);
    struct call slots = fleet_slots(&scene.daemon);
    (void)snprintf(path, sizeof path, "/api/v1/leases/%s/revoke", fleet_lease_id(&slots, body->node.id));
    call_free(&slots);
    assert_int_equal(scene_admin("POST", path, "{\"reason\":\"revoked\"}"), 200);
    assert_true(wait_until(is_gone, &child, SCENE_WAIT_MS));
    head_scene_waits(head, "ready");
    head_scene_lease(body, "", NULL);
}

static void test_hydrahead__daemon_killed_while_streaming__plays_on_and_renews_after(void **state)
{
    (void)state;
    struct stand_in_body *body = head_scene_body("b1");
    struct agent_head *head = start_head("h1");
    agent_head_wants(head, FLEET_EXPERIENCE);
    head_scene_streams(head, body);
    pid_t child = child_of(head);
    daemon_kill(&scene.daemon);
    head_scene_waits_log(head, "event=cluster_unreachable");
    assert_true(agent_head_is(head, "streaming"));
    assert_int_equal(kill(child, 0), 0);
    assert_int_equal(stand_in_body_sessions(body), 1);
    head_scene_daemon_again();
    head_scene_lease(body, "streaming", head);
    head_scene_waits_log(head, "event=cluster_answers");
    assert_int_equal(kill(child, 0), 0);                /* the same picture all the time */
    assert_int_equal(head_scene_asked(body, "https GET /launch"), 1);
    agent_head_leaves(head);
    head_scene_lease(body, "", NULL);
}

static void test_hydrahead__killed_and_started_again__the_visit_goes_on(void **state)
{
    (void)state;
    struct stand_in_body *body = head_scene_body("b1");
    struct agent_head *head = start_head("h1");
    agent_head_wants(head, FLEET_EXPERIENCE);
    head_scene_streams(head, body);
    struct call slots = fleet_slots(&scene.daemon);
    char lease_id[HC_ID_SIZE];
    (void)snprintf(lease_id, sizeof lease_id, "%s", fleet_lease_id(&slots, body->node.id));
    call_free(&slots);
    pid_t child = child_of(head);
    agent_head_kill(head);
    assert_true(wait_until(is_gone, &child, SCENE_WAIT_MS));        /* it dies with its agent */
    agent_head_start(head);
    head_scene_waits_log(head, "event=former_visit outcome=goes_on");
    head_scene_streams(head, body);
    assert_false(agent_head_log_has(head, "head_busy"));
    slots = fleet_slots(&scene.daemon);
    assert_string_equal(fleet_lease_id(&slots, body->node.id), lease_id);       /* the same attempt: the same lease */
    call_free(&slots);
    agent_head_leaves(head);
    head_scene_lease(body, "", NULL);
}

static void test_hydrahead__killed_in_the_line__keeps_its_place(void **state)
{
    (void)state;
    struct stand_in_body *body = head_scene_body("b1");
    struct agent_head *first = start_head("h1"), *second = start_head("h2");
    agent_head_wants(first, FLEET_EXPERIENCE);
    head_scene_streams(first, body);
    agent_head_wants(second, FLEET_EXPERIENCE);
    assert_true(wait_until(is_first, second, SCENE_WAIT_MS));
    agent_head_kill(second);
    agent_head_start(second);
    assert_true(wait_until(is_first, second, SCENE_WAIT_MS));
    agent_head_leaves(first);
    head_scene_streams(second, body);
    assert_false(agent_head_log_has(second, "attempt_reused"));
}

static void test_hydrahead__killed_and_the_visitor_gone__the_lease_is_given_back(void **state)
{
    (void)state;
    struct stand_in_body *body = head_scene_body("b1");
    struct agent_head *head = start_head("h1");
    agent_head_wants(head, FLEET_EXPERIENCE);
    head_scene_streams(head, body);
    agent_head_kill(head);
    agent_head_start(head);
    assert_int_equal(agent_head_stop(head), 0);         /* before or after it knew of its former life */
    head_scene_lease(body, "", NULL);
    assert_false(home_has(&scene.home, "h1/state/attempt.json"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HEAD_TEST(test_hydrahead__one_visit__claims_pairs_streams_releases),
        HEAD_TEST(test_hydrahead__second_head__waits_in_line_and_is_promoted),
        HEAD_TEST(test_hydrahead__cancel_in_the_line__leaves_it),
        HEAD_TEST(test_hydrahead__sigterm_while_streaming__ends_the_picture_and_releases),
        HEAD_TEST(test_hydrahead__sigint_in_the_line__gives_its_place_back),
        HEAD_TEST(test_hydrahead__streaming_program_killed__released_and_taken_up_again),
        HEAD_TEST(test_hydrahead__program_that_never_plays__released_and_told_in_the_end),
        HEAD_TEST(test_hydrahead__lease_revoked__ends_the_picture),
        HEAD_TEST(test_hydrahead__daemon_killed_while_streaming__plays_on_and_renews_after),
        HEAD_TEST(test_hydrahead__killed_and_started_again__the_visit_goes_on),
        HEAD_TEST(test_hydrahead__killed_in_the_line__keeps_its_place),
        HEAD_TEST(test_hydrahead__killed_and_the_visitor_gone__the_lease_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
