/* test_operations.c - operations over the real wire: they outlive a killed daemon, have one result, and leave no PIN behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/base/id.h"
#include "scene.h"

#define PATH_SIZE 512
#define TAIL_SIZE 128

static struct node body, head;

static int set_up(void **state)
{
    (void)scene_open_started(state);
    body = fleet_body(&scene.daemon, "b1", "north");
    head = fleet_head(&scene.daemon, "h1", "north");
    struct call call = fleet_reports_modern(&scene.daemon, &body, "idle", NULL);
    call_free(&call);
    return 0;
}

static void ops_path(char out[PATH_SIZE], const char *tail)
{
    int len = snprintf(out, PATH_SIZE, "/api/v1/nodes/%s/ops%s", body.id, tail);
    assert_true(len > 0 && len < PATH_SIZE);
}

static void ask(const char *json, char ret_id[HC_ID_SIZE])
{
    char path[PATH_SIZE];
    ops_path(path, "");
    struct call call = daemon_call(&scene.daemon, scene.home.admin_token, "POST", path, json);
    assert_int_equal(call.status, 202);
    HC_SET(*(char (*)[HC_ID_SIZE])ret_id, call_str(&call, "op_id"));
    call_free(&call);
}

static void expect_next(const char *op_id)
{
    char path[PATH_SIZE];
    ops_path(path, "/next?wait=5");
    struct call call = daemon_call(&scene.daemon, body.token, "GET", path, NULL);
    assert_int_equal(call.status, 200);
    assert_string_equal(call_str(&call, "op_id"), op_id);
    call_free(&call);
}

static long answer(const char *op_id, const char *json)
{
    char tail[TAIL_SIZE], path[PATH_SIZE];
    (void)snprintf(tail, sizeof tail, "/%s/result", op_id);
    ops_path(path, tail);
    struct call call = daemon_call(&scene.daemon, body.token, "POST", path, json);
    long status = call.status;
    call_free(&call);
    return status;
}

static void restart(void)
{
    daemon_kill(&scene.daemon);
    daemon_end(&scene.daemon);
    daemon_start(&scene.daemon, &scene.home, NULL);
}

static bool file_has(const char *name, const char *text)
{
    if (!home_has(&scene.home, name))
        return false;
    char *bytes = home_read(&scene.home, name);
    bool found = strstr(bytes, text) != NULL;
    hc_free(bytes);
    return found;
}

static void test_operations__daemon_is_killed__still_there_and_one_result(void **state)
{
    (void)state;
    char op[HC_ID_SIZE], tail[PATH_SIZE - 64], path[PATH_SIZE];
    ask("{\"op\":\"sunshine.submit_pin\",\"args\":{\"pin\":\"8613\",\"name\":\"hydra-x\"}}", op);
    assert_true(file_has("data/allocation.yaml", "\"8613\""));
    restart();
    expect_next(op);
    restart();                                        /* given, not answered: it is given again */
    expect_next(op);
    assert_int_equal(answer(op, "{\"state\":\"done\",\"output\":{\"status\":\"true\"}}"), 204);
    restart();
    assert_int_equal(answer(op, "{\"state\":\"failed\"}"), 409);
    assert_false(file_has("data/allocation.yaml", "8613"));
    assert_false(file_has("data/events.jsonl", "8613"));
    (void)snprintf(tail, sizeof tail, "/%s/result", op);
    ops_path(path, tail);
    struct call call = daemon_call(&scene.daemon, scene.home.admin_token, "GET", path, NULL);
    assert_string_equal(call_str(&call, "state"), "done");
    assert_true(json_is_true(call_value(&call, "output.status")));        /* the text "true" is as good: one word leaves here */
    call_free(&call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_operations__daemon_is_killed__still_there_and_one_result, set_up, scene_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
