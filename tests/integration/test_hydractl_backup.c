/* test_hydractl_backup.c - a copy of the data while the daemon runs; what putting it back would do, and what it does (product: backup). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "crowd.h"
#include "ctl.h"
#include "hydra/base/arena.h"

#define HEADS   24
#define COPIES  6

static struct node b1, h1;
static char copy[HOME_PATH_SIZE];
static struct crowd crowd;

static int set_up(void **state)
{
    (void)scene_open_started(state);
    ctl_set_up();
    home_path(&scene.home, "copy.tar", copy);
    fleet_venue(&scene.daemon, "north", "museum");
    b1 = fleet_body(&scene.daemon, "b1", "north");
    h1 = fleet_head(&scene.daemon, "h1", "north");
    struct call call = fleet_reports_modern(&scene.daemon, &b1, "idle", NULL);
    call_free(&call);
    return 0;
}

static int tear_down(void **state)
{
    crowd_close(&crowd);
    return scene_close(state);
}

/* A lease that begins and ends: the slot's epoch grows. */
static void visit(const char *attempt_id)
{
    struct held_lease lease;
    struct call call = fleet_claims(&scene.daemon, &h1, attempt_id);
    if (!fleet_lease_of(&call, &lease))
        fail_msg("%ld %s", call.status, call.text);
    call_free(&call);
    assert_int_equal(fleet_releases(&scene.daemon, &h1, &lease, "user_exit"), 204);
    call = fleet_reports_modern(&scene.daemon, &b1, "idle", NULL);
    call_free(&call);
}

static void test_backup__nothing_changed_since__check_is_good(void **state)
{
    (void)state;
    struct stat facts;
    visit("a-1");
    ctl_good(ctl("backup", copy, NULL));
    assert_int_equal(stat(copy, &facts), 0);
    assert_int_equal(facts.st_mode & 07777, 0600);
    struct ran ran = ctl("restore", copy, "--check", NULL);
    assert_int_equal(ran.code, 0);
    ctl_shows(&ran, b1.id, "same");
    ctl_shows(&ran, "meaning", "no slot would be set back");
    ran_free(&ran);
    ran = ctl("export", copy, NULL);                    /* the same command; the old copy is not lost by accident */
    assert_int_equal(ran.code, 2);
    assert_true(ctl_says(&ran, "--force"));
    ran_free(&ran);
    ctl_good(ctl("backup", copy, "--force", NULL));
}

static void test_backup__unpacked_by_tar__is_what_the_daemon_loads(void **state)
{
    (void)state;
    visit("a-1");
    struct ran ran = ctl_shell("mkdir $HOME/there && $HYDRACTL backup - | tar -C $HOME/there -xf - && ls $HOME/there && "
                               "stat -c %a $HOME/there/nodes.yaml");
    assert_int_equal(ran.code, 0);
    assert_string_equal(ran.out, "allocation.yaml\nnodes.yaml\n600\n");
    ran_free(&ran);
}

static void test_backup__while_heads_claim__every_copy_is_whole(void **state)
{
    (void)state;
    struct node heads[HEADS];
    struct crowd_call calls[HEADS];
    char paths[HEADS][FLEET_CLAIM_SIZE], bodies[HEADS][FLEET_CLAIM_SIZE], name[32];
    memset(calls, 0, sizeof calls);
    crowd_open(&crowd, scene.daemon.url, NULL);
    for (size_t i = 0; i < HEADS; i++) {
        (void)snprintf(name, sizeof name, "c%zu", i);
        heads[i] = fleet_head(&scene.daemon, name, "north");
        fleet_claim_path(&heads[i], paths[i]);
        fleet_claim_body(name, bodies[i]);
        calls[i] = (struct crowd_call){ .token = heads[i].token, .method = "POST", .path = paths[i], .body = bodies[i] };
    }
    for (size_t i = 0; i < HEADS; i++) {
        crowd_start(&crowd, i + 1, &calls[i]);
        crowd_turn(&crowd, 0);
        if (i % (HEADS / COPIES) == 0) {
            ctl_good(ctl("backup", copy, "--force", NULL));
            struct ran ran = ctl("restore", copy, "--check", NULL);
            assert_true(ran.code == 0 || ran.code == 4);            /* whole, and perhaps older by now */
            ctl_shows(&ran, b1.id, NULL);
            ran_free(&ran);
        }
    }
    assert_true(crowd_done(&crowd, SCENE_WAIT_MS));
    crowd_free(calls, HEADS);
}

static void test_restore__copy_older_than_the_body__told_before_and_after(void **state)
{
    (void)state;
    visit("a-1");
    ctl_good(ctl("backup", copy, NULL));
    visit("a-2");
    struct ran ran = ctl("restore", copy, "--check", NULL);
    assert_int_equal(ran.code, 4);
    ctl_shows(&ran, b1.id, "older");
    ctl_shows(&ran, "meaning", "epoch_below_floor");
    ran_free(&ran);
    scene_stop();
    ran = ctl("restore", copy, "--check", NULL);        /* it does not run: asked of its folder */
    assert_int_equal(ran.code, 3);
    assert_true(ctl_says(&ran, "--data-dir"));
    ran_free(&ran);
    ran = ctl("restore", copy, "--check", "--data-dir", scene.home.data, NULL);
    assert_int_equal(ran.code, 4);
    ctl_shows(&ran, b1.id, "older");
    ran_free(&ran);
    char script[2 * HOME_PATH_SIZE + 64];
    (void)snprintf(script, sizeof script, "tar -C %s -xpf %s", scene.home.data, copy);
    ctl_good(ctl_shell(script));
    scene_start(NULL);
    ctl_set_up();                                       /* another port */
    ctl_good(ctl("health", NULL));
    /* The body says what it has seen, which the copy does not know. */
    char report[1024];
    fleet_modern_report(&b1, "idle", NULL, report, sizeof report);
    struct call call = daemon_call(&scene.daemon, b1.token, "POST", "/api/v1/body/status", report);
    assert_int_equal(call.status, 200);
    call_free(&call);
    assert_true(fleet_waits_event(&scene.daemon, "epoch_regressed", SCENE_WAIT_MS) ||
                fleet_waits_event(&scene.daemon, "epoch_below_floor", SCENE_WAIT_MS));
}

static void test_restore__lease_granted_since__told(void **state)
{
    (void)state;
    struct held_lease lease;
    ctl_good(ctl("backup", copy, NULL));
    struct call call = fleet_claims(&scene.daemon, &h1, "a-9");
    assert_true(fleet_lease_of(&call, &lease));
    call_free(&call);
    struct ran ran = ctl("restore", copy, "--check", "-o", "json", NULL);
    assert_int_equal(ran.code, 4);
    json_t *json = ctl_json(&ran);
    assert_int_equal(json_integer_value(json_object_get(json, "leases_lost")), 1);
    json_decref(json);
    ran_free(&ran);
}

static void test_restore__broken_copy__refused_with_where(void **state)
{
    (void)state;
    ctl_good(ctl("backup", copy, NULL));
    ctl_good(ctl_shell("head -c 1500 $HOME/copy.tar > $HOME/cut.tar; sed 's/^end: /end: 9/' $HOME/copy.tar > $HOME/other.tar; "
                       "echo hello > $HOME/text.tar"));
    static const struct { const char *name, *says; } rows[] = {
        { "cut.tar", "cut off" }, { "other.tar", "no backup" }, { "text.tar", "no backup" }, { "absent.tar", "absent.tar" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char path[HOME_PATH_SIZE];
        home_path(&scene.home, rows[i].name, path);
        struct ran ran = ctl("restore", path, "--check", NULL);
        assert_true(ran.code == 1 || ran.code == 2);
        assert_true(ctl_says(&ran, rows[i].says));
        ran_free(&ran);
    }
}

static void test_backup__folder_that_is_not_there__nothing_asked_for_nothing(void **state)
{
    (void)state;
    struct ran ran = ctl("backup", "/nonexistent-folder/copy.tar", NULL);
    assert_int_equal(ran.code, 1);
    assert_true(ctl_says(&ran, "/nonexistent-folder"));
    ran_free(&ran);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_backup__nothing_changed_since__check_is_good),
        TEST(test_backup__unpacked_by_tar__is_what_the_daemon_loads),
        TEST(test_backup__while_heads_claim__every_copy_is_whole),
        TEST(test_restore__copy_older_than_the_body__told_before_and_after),
        TEST(test_restore__lease_granted_since__told),
        TEST(test_restore__broken_copy__refused_with_where),
        TEST(test_backup__folder_that_is_not_there__nothing_asked_for_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
