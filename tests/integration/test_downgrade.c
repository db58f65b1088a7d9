/* test_downgrade.c - roll-back and roll-forward: an older binary wrote nodes.yaml and knew nothing of schema_version (rules §3.7, §8.2). */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "scene.h"

#define NODES  "data/nodes.yaml"
#define COPY   "nodes.yaml.before-upgrade-"

static struct node bodies[2], head;

static void fleet(void)
{
    bodies[0] = fleet_body(&scene.daemon, "b1", "north");
    bodies[1] = fleet_body(&scene.daemon, "b2", "north");
    head = fleet_head(&scene.daemon, "h1", "north");
    fleet_reports(&scene.daemon, &bodies[0], "idle");
    fleet_reports(&scene.daemon, &bodies[1], "idle");
}

/* Name of the copy that was kept, below the home; false: there is none. */
static bool find_copy(char out[HOME_PATH_SIZE])
{
    bool found = false;
    DIR *folder = opendir(scene.home.data);
    assert_non_null(folder);
    for (const struct dirent *at; (at = readdir(folder)) != NULL;)
        if (strncmp(at->d_name, COPY, strlen(COPY)) == 0) {
            (void)snprintf(out, HOME_PATH_SIZE, "data/%.200s", at->d_name);
            found = true;
        }
    (void)closedir(folder);
    return found;
}

/* What an older binary leaves: the same nodes, a key of its own that we do not know, and no schema_version. */
static char *downgrade(void)
{
    scene_edit(NODES, "schema_version: 2\n", "");
    scene_edit(NODES, "    name: b1\n", "    name: b1\n    legacy_word: old\n");
    return home_read(&scene.home, NODES);
}

static void expect_safe_mode(const char *kind)
{
    struct call call = daemon_call(&scene.daemon, scene.home.admin_token, "GET", "/api/v1/districts/default", NULL);
    json_t *mode = call_value(&call, "safe_mode");
    const char *word = json_is_string(mode) ? json_string_value(mode) : "none";
    if (strcmp(word, kind) != 0)
        fail_msg("safe mode is %s, not %s", word, kind);
    call_free(&call);
}

static bool nodes_have_key(void *ctx)
{
    (void)ctx;
    char *text = home_read(&scene.home, NODES);
    bool has = strstr(text, "\nschema_version: 2\n") != NULL;
    hc_free(text);
    return has;
}

static void test_downgrade__at_start__copy_kept_and_nothing_granted_until_all_report(void **state)
{
    (void)state;
    char copy[HOME_PATH_SIZE];
    fleet();
    scene_stop();
    char *old = downgrade();
    scene_start(NULL);
    assert_true(fleet_waits_event(&scene.daemon, "downgrade_detected", SCENE_WAIT_MS));
    expect_safe_mode("downgrade");
    assert_true(find_copy(copy));
    char *kept = home_read(&scene.home, copy);
    assert_string_equal(kept, old);
    hc_free(kept);
    hc_free(old);
    assert_true(nodes_have_key(NULL));                  /* the first save has rolled it forward */
    fleet_reports(&scene.daemon, &bodies[0], "idle");
    scene_expect(fleet_reads(&scene.daemon, &head), 503, "reconciling");        /* one reported, one is awaited */
    fleet_reports(&scene.daemon, &bodies[1], "idle");
    scene_expect(fleet_reads(&scene.daemon, &head), 200, "");
    expect_safe_mode("none");
    scene_restart_killed(NULL);
    assert_int_equal(fleet_events(&scene.daemon, "downgrade_detected"), 1);
}

static void test_downgrade__restart_before_the_bodies_report__the_mode_survives(void **state)
{
    (void)state;
    fleet();
    scene_stop();
    hc_free(downgrade());
    scene_start(NULL);
    expect_safe_mode("downgrade");
    scene_restart_killed(NULL);
    expect_safe_mode("downgrade");
    scene_expect(fleet_reads(&scene.daemon, &head), 503, "reconciling");
    assert_int_equal(scene_admin("POST", "/api/v1/safe-mode/end", "{}"), 204);
    expect_safe_mode("none");
    fleet_reports(&scene.daemon, &bodies[0], "idle");
    scene_expect(fleet_reads(&scene.daemon, &head), 200, "");
}

static void test_downgrade__while_running__safe_mode_and_copy_as_at_start(void **state)
{
    (void)state;
    char copy[HOME_PATH_SIZE];
    fleet();
    hc_free(downgrade());
    assert_int_equal(scene_admin("PUT", "/api/v1/venues/elsewhere", "{\"owner\":\"museum\"}"), 200);
    assert_true(fleet_waits_event(&scene.daemon, "downgrade_detected", SCENE_WAIT_MS));
    assert_true(wait_until(nodes_have_key, NULL, SCENE_WAIT_MS));
    assert_true(find_copy(copy));
    assert_int_equal(scene_admin("GET", "/api/v1/nodes", NULL), 200);
}

/* The mode is saved before nodes.yaml gets its key: a kill between the two saves finds it again, one way or the other. */
static void test_downgrade__nodes_cannot_be_written__detected_again_at_the_next_start(void **state)
{
    (void)state;
    static const struct daemon_options faulty = { .faults = true };
    fleet();
    scene_stop();
    hc_free(downgrade());
    fault_set(&scene.home, "write nodes.yaml EIO\n");
    (void)daemon_refuses(&scene.home, &faulty, NULL);
    assert_false(nodes_have_key(NULL));
    char *allocation = home_read(&scene.home, "data/allocation.yaml");
    assert_non_null(strstr(allocation, "kind: downgrade"));
    hc_free(allocation);
    fault_set(&scene.home, "");
    scene_start(&faulty);
    expect_safe_mode("downgrade");
    assert_true(nodes_have_key(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCENE_TEST_STARTED(test_downgrade__at_start__copy_kept_and_nothing_granted_until_all_report),
        SCENE_TEST_STARTED(test_downgrade__restart_before_the_bodies_report__the_mode_survives),
        SCENE_TEST_STARTED(test_downgrade__while_running__safe_mode_and_copy_as_at_start),
        SCENE_TEST_STARTED(test_downgrade__nodes_cannot_be_written__detected_again_at_the_next_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
