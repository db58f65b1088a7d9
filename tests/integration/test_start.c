/* test_start.c - how the daemon starts, refuses to start and ends: exit codes, the lock, files that it does not understand, tokens. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/os/file.h"
#include "scene.h"
#include "service_manager.h"

#define NOTICE_MS 10000                 /* a changed token is noticed within 2 s; the rest is for a busy machine */
#define STOP_MS   5000                  /* exit within 5 s of SIGTERM */

/* ---- the lock ---- */

static void test_start__second_process_on_the_folder__exits_3_and_names_the_pid(void **state)
{
    (void)state;
    char line[PROCESS_LINE_MAX], pid[32];
    (void)snprintf(pid, sizeof pid, "%d", (int)scene.daemon.process.pid);
    assert_int_equal(daemon_refuses(&scene.home, NULL, line), 3);
    if (strstr(line, pid) == NULL)
        fail_msg("%s is not named in: %s", pid, line);
    assert_int_equal(scene_admin("GET", "/api/v1/slots", NULL), 200);       /* the first one does not mind */
}

static void test_start__lock_left_by_a_killed_process__is_no_lock(void **state)
{
    (void)state;
    assert_true(home_has(&scene.home, "data/allocation.yaml.lock"));
    scene_restart_killed(NULL);
    assert_int_equal(scene_admin("GET", "/api/v1/slots", NULL), 200);
}

/* ---- usage ---- */

/* Runs `hydraclusterd WORDS... --data-dir DATA`; its exit code. `line` gets the last line of stdout with this prefix, without it. */
static int command(const char *const *words, const char *prefix, char line[PROCESS_LINE_MAX])
{
    char program[512], read_line[PROCESS_LINE_MAX];
    const char *argv[PROCESS_ARGS_MAX];
    size_t count = 0;
    program_path("HYDRACLUSTERD", "hydraclusterd", program, sizeof program);
    argv[count++] = program;
    for (; *words != NULL; words++)
        argv[count++] = *words;
    argv[count++] = "--data-dir";
    argv[count++] = scene.home.data;
    argv[count] = NULL;
    struct process process;
    process_start(&process, argv, NULL, scene.home.log);
    while (process_line(&process, read_line, DAEMON_START_MS))
        if (prefix != NULL && strncmp(read_line, prefix, strlen(prefix)) == 0)
            (void)snprintf(line, PROCESS_LINE_MAX, "%s", read_line + strlen(prefix));
    return process_wait(&process, DAEMON_START_MS);
}

static void test_init__twice__exits_2_and_changes_nothing(void **state)
{
    (void)state;
    static const char *const init[] = { "init", NULL };
    char *tokens = home_read(&scene.home, "data/tokens.yaml"), *nodes = home_read(&scene.home, "data/nodes.yaml");
    assert_int_equal(command(init, NULL, NULL), 2);
    char *tokens_after = home_read(&scene.home, "data/tokens.yaml"), *nodes_after = home_read(&scene.home, "data/nodes.yaml");
    assert_string_equal(tokens, tokens_after);
    assert_string_equal(nodes, nodes_after);
    hc_free(tokens);
    hc_free(nodes);
    hc_free(tokens_after);
    hc_free(nodes_after);
    scene_start(NULL);
    assert_int_equal(scene_admin("GET", "/api/v1/nodes", NULL), 200);
}

static void test_start__folder_without_secret__exits_2_and_says_init(void **state)
{
    (void)state;
    char line[PROCESS_LINE_MAX], path[HOME_PATH_SIZE];
    home_path(&scene.home, "data/secret", path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(daemon_refuses(&scene.home, NULL, line), 2);
    assert_non_null(strstr(line, "init"));
}

static void test_start__bad_usage_or_configuration__exits_2_and_names_it(void **state)
{
    (void)state;
    char config[HOME_PATH_SIZE], line[PROCESS_LINE_MAX];
    home_path(&scene.home, "config.yaml", config);
    const char *const unknown[] = { "--no-such-flag", NULL }, *const with_config[] = { "--config", config, NULL },
               *const check_config[] = { "--check-config", "--config", config, NULL },
               *const half_tls[] = { "--tls-cert", config, NULL };
    const struct { const char *config; const char *listen; const char *const *args; const char *says; } cases[] = {
        { "", NULL, unknown, "no-such-flag" },
        { "", NULL, half_tls, "tls" },
        { "listen: 127.0.0.1:0\nlimits:\n  conections: 5\n", NULL, with_config, "config.yaml:3:3: limits.conections" },
        { "queue: {max_tickets: many}\n", NULL, with_config, "config.yaml:1:" },
        { "trusted_proxies: [zz]\n", NULL, check_config, "config.yaml:1:19: trusted_proxies" },
        { "server_url: nonsense\n", NULL, check_config, "config.yaml:1:13: server_url" },
        { "listen: [\n", NULL, with_config, "config.yaml:" },
        { "", "0.0.0.0:0", NULL, "insecure" },          /* plain HTTP for all the world */
        { "", "127.0.0.1", NULL, "127.0.0.1" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        home_write(&scene.home, "config.yaml", cases[i].config);
        const struct daemon_options options = { .args = cases[i].args, .listen = cases[i].listen };
        int code = daemon_refuses(&scene.home, &options, line);
        if (code != 2 || strstr(line, cases[i].says) == NULL)
            fail_msg("case %zu: exit %d, wanted `%s` in: %s", i, code, cases[i].says, line);
    }
}

static void test_start__timers__unknown_and_unsafe_ones_are_refused(void **state)
{
    (void)state;
    char path[HOME_PATH_SIZE], line[PROCESS_LINE_MAX];
    static const struct { const char *text, *says; } cases[] = {
        { "leaseTTl: 90s\n", "leaseTTl" }, { "leaseTTL: 90\n", "leaseTTL" }, { "leaseTTL: 40s\n", "leaseTTL" },
        { "watchdogTick: 0s\n", "watchdogTick" }, { "opTTL: 0s\n", "opTTL" }, { "pairLeaseTTL: 0s\n", "pairLeaseTTL" },
        { "custodianEvery: 0s\n", "custodianEvery" }, { "xrArm: 0s\n", "xrArm" },
    };
    home_path(&scene.home, "own-timers.yaml", path);
    const char *const args[] = { "--timers", path, NULL };
    const struct daemon_options options = { .args = args };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        home_write(&scene.home, "own-timers.yaml", cases[i].text);
        int code = daemon_refuses(&scene.home, &options, line);
        if (code != 2 || strstr(line, cases[i].says) == NULL)
            fail_msg("case %zu: exit %d, wanted `%s` in: %s", i, code, cases[i].says, line);
    }
    const struct daemon_options unsafe = { .timers = "leaseTTL: 40s\n" };       /* with --unsafe-timers */
    scene_start(&unsafe);
}

static void test_start__check_config__names_every_file_that_it_read(void **state)
{
    (void)state;
    char program[HOME_PATH_SIZE], path[HOME_PATH_SIZE], line[PROCESS_LINE_MAX];
    struct process process;
    program_path("HYDRACLUSTERD", "hydraclusterd", program, sizeof program);
    home_path(&scene.home, "own-timers.yaml", path);
    home_write(&scene.home, "own-timers.yaml", "opTTL: 90s\n");
    const char *const argv[] = { program, "--check-config", "--timers", path, NULL };
    process_start(&process, argv, NULL, scene.home.log);
    assert_true(process_line(&process, line, DAEMON_START_MS));
    assert_non_null(strstr(line, "configuration is usable: "));
    assert_non_null(strstr(line, path));
    assert_int_equal(process_wait(&process, DAEMON_START_MS), 0);
    process_end(&process);
}

/* ---- files that are not understood ---- */

struct garbled { const char *file, *from, *to, *says; };

static void refuse_garbled(const struct garbled *row)
{
    char line[PROCESS_LINE_MAX];
    char *right = home_read(&scene.home, row->file);
    scene_edit(row->file, row->from, row->to);
    char *wrong = home_read(&scene.home, row->file);
    int code = daemon_refuses(&scene.home, NULL, line);
    if (code != 4 || strstr(line, row->says) == NULL)
        fail_msg("`%s` for `%s`: exit %d, wanted `%s` in: %s", row->to, row->from, code, row->says, line);
    char *after = home_read(&scene.home, row->file);
    assert_string_equal(wrong, after);                  /* never overwritten */
    home_write(&scene.home, row->file, right);
    hc_free(right);
    hc_free(wrong);
    hc_free(after);
}

static void test_start__garbled_files__exit_4_with_file_line_column_and_key(void **state)
{
    (void)state;
    static const struct garbled rows[] = {
        { "data/allocation.yaml", "    slots_total: 1\n", "    slots_totl: 1\n", "allocation.yaml:8:5: slots_totl" },
        { "data/allocation.yaml", "    slots_total: 1\n", "    slots_total: one\n", "allocation.yaml:8:18: " },
        { "data/allocation.yaml", "schema_version: 2", "schema_version: 3", "allocation.yaml:2:17: schema_version" },
        { "data/allocation.yaml", "\nend: ", "\n# end: ", "end" },
        { "data/allocation.yaml", "\nend: ", "\nend: 7", "end" },
        { "data/allocation.yaml", "      - index: 0\n", "      - index: 0\n        epoch: 1\n        max_epoch_seen: 0\n      - index: 0\n",
          "index" },
        { "data/allocation.yaml", "tickets: {}\n", "tickets: {}\ntickets: {}\n", "tickets" },
        { "data/allocation.yaml", "tickets: {}\n", "tickets: {\n", "allocation.yaml:" },
        { "data/allocation.yaml", "saved_at: 2", "saved_at: \x01 2", "allocation.yaml:3" },
        { "data/allocation.yaml", "saved_at: 2", "saved_at: &x 2", "allocation.yaml:3" },
        { "data/nodes.yaml", "    name: b1\n", "    nme: b1\n", "nodes.yaml:5:5: nme" },
        { "data/nodes.yaml", "schema_version: 2", "schema_version: 99", "nodes.yaml:2:17: schema_version" },
        { "data/nodes.yaml", "\nend: ", "\n# end: ", "end" },
        { "data/tokens.yaml", "schema_version: 2", "schema_version: 99", "tokens.yaml:2:17: schema_version" },
        { "data/tokens.yaml", "generation: ", "generation: [", "tokens.yaml:" },
    };
    (void)fleet_body(&scene.daemon, "b1", "north");
    scene_stop();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        refuse_garbled(&rows[i]);
    scene_start(NULL);
    assert_int_equal(scene_admin("GET", "/api/v1/nodes", NULL), 200);
}

/* A file cut after any line: an image of what a full disk leaves behind. */
static void test_start__file_cut_at_each_line__is_never_taken_for_whole(void **state)
{
    (void)state;
    char line[PROCESS_LINE_MAX];
    (void)fleet_body(&scene.daemon, "b1", "north");
    scene_stop();
    char *whole = home_read(&scene.home, "data/nodes.yaml"), *cut = home_read(&scene.home, "data/nodes.yaml");
    unsigned tried = 0;
    for (char *at = strrchr(cut, '\n'); at != NULL && at != cut; at = strrchr(cut, '\n'), tried++) {
        *at = '\0';                                     /* without the last line end, then without the last line */
        if (tried == 0)
            continue;
        home_write(&scene.home, "data/nodes.yaml", cut);
        assert_int_equal(daemon_refuses(&scene.home, NULL, line), 4);
        assert_non_null(strstr(line, "nodes.yaml"));
    }
    assert_true(tried > 5);
    home_write(&scene.home, "data/nodes.yaml", whole);
    scene_start(NULL);
    hc_free(whole);
    hc_free(cut);
}

static void test_start__files_that_no_save_or_token_could_follow__exit_4_and_are_named(void **state)
{
    (void)state;
    static const struct { const char *file, *text, *says; } rows[] = {
        { "data/secret", "short", "secret has 5 bytes, must have 32" },
        { "data/secret", "this one is longer than thirty-two bytes", "secret must have 32 bytes" },
        { "data/nodes.yaml", "generation: 9007199254740990\nschema_version: 2\nend: 9007199254740990\n",
          "nodes.yaml:1:13: generation: is the last one" },
        { "data/allocation.yaml", "generation: 9007199254740990\nschema_version: 2\nend: 9007199254740990\n",
          "allocation.yaml:1:13: generation: is the last one" },
    };
    char path[HOME_PATH_SIZE], line[PROCESS_LINE_MAX];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        (void)scene_close(NULL);
        assert_int_equal(scene_open(NULL), 0);
        home_path(&scene.home, rows[i].file, path);
        home_write(&scene.home, rows[i].file, rows[i].text);
        int code = daemon_refuses(&scene.home, NULL, line);
        if (code != 4 || strstr(line, rows[i].says) == NULL)
            fail_msg("%s: exit %d, wanted `%s` in: %s", rows[i].file, code, rows[i].says, line);
    }
}

static void remove_file(const char *name)
{
    char path[HOME_PATH_SIZE];
    home_path(&scene.home, name, path);
    assert_int_equal(unlink(path), 0);
}

static void test_start__nodes_missing_while_bodies_are_known__exits_4(void **state)
{
    (void)state;
    char line[PROCESS_LINE_MAX];
    (void)fleet_body(&scene.daemon, "b1", "north");
    scene_stop();
    remove_file("data/nodes.yaml");
    assert_int_equal(daemon_refuses(&scene.home, NULL, line), 4);
    assert_non_null(strstr(line, "nodes.yaml"));
    assert_false(home_has(&scene.home, "data/nodes.yaml"));
}

static void test_start__both_files_missing__an_empty_store(void **state)
{
    (void)state;
    remove_file("data/nodes.yaml");
    remove_file("data/allocation.yaml");
    scene_start(NULL);
    struct call nodes = daemon_call(&scene.daemon, scene.home.admin_token, "GET", "/api/v1/nodes", NULL);
    assert_int_equal(json_array_size(nodes.json), 0);
    call_free(&nodes);
    scene_stop();
    assert_true(home_has(&scene.home, "data/nodes.yaml") && home_has(&scene.home, "data/allocation.yaml"));
}

/* Long before a tick would write it: a clean stop does. */
static void test_stop__node_heard_of_a_moment_ago__is_saved_with_its_time(void **state)
{
    (void)state;
    struct node body = fleet_body(&scene.daemon, "b1", "north");
    fleet_reports(&scene.daemon, &body, "idle");
    scene_stop();
    char *text = home_read(&scene.home, "data/nodes.yaml");
    assert_non_null(strstr(text, "last_seen: "));
    hc_free(text);
}

static void test_start__allocation_missing_with_a_body_known__safe_mode_until_it_reports(void **state)
{
    (void)state;
    scene_start(NULL);
    struct node body = fleet_body(&scene.daemon, "b1", "north"), head = fleet_head(&scene.daemon, "h1", "north");
    fleet_reports(&scene.daemon, &body, "idle");
    scene_stop();
    remove_file("data/allocation.yaml");
    scene_start(NULL);
    assert_true(fleet_waits_event(&scene.daemon, "allocation_missing", SCENE_WAIT_MS));
    scene_expect(fleet_reads(&scene.daemon, &head), 503, "reconciling");
    fleet_reports(&scene.daemon, &body, "idle");
    scene_expect(fleet_reads(&scene.daemon, &head), 200, "");
}

/* ---- tokens beside a running daemon ---- */

struct asked { const char *token; long status; };

static bool answers_so(void *ctx)
{
    const struct asked *asked = ctx;
    struct call call = daemon_call(&scene.daemon, asked->token, "GET", "/api/v1/slots", NULL);
    long status = call.status;
    call_free(&call);
    return status == asked->status;
}

static void test_token__made_and_revoked_beside_the_daemon__noticed(void **state)
{
    (void)state;
    static const char *const make[] = { "token", "new", "read", NULL };
    char token[PROCESS_LINE_MAX] = "", id[PROCESS_LINE_MAX] = "", listed[PROCESS_LINE_MAX] = "";
    assert_int_equal(command(make, "token: ", token), 0);
    assert_true(token[0] != '\0');
    assert_true(wait_until(answers_so, &(struct asked){ token, 200 }, NOTICE_MS));
    struct call call = daemon_call(&scene.daemon, token, "PUT", "/api/v1/venues/north", "{}");
    scene_expect(call, 403, "forbidden");               /* it reads only */
    assert_int_equal(command(make, "token_id: ", id), 0);
    const char *const list[] = { "token", "list", NULL }, *const revoke[] = { "token", "revoke", id, NULL };
    assert_int_equal(command(list, id, listed), 0);
    assert_non_null(strstr(listed, "read"));
    assert_int_equal(command(revoke, NULL, NULL), 0);
    assert_int_equal(command(revoke, NULL, NULL), 2);   /* there is none any more */
    char *file = home_read(&scene.home, "data/tokens.yaml");
    assert_null(strstr(file, token));                   /* only its digest is stored */
    assert_null(strstr(file, scene.home.admin_token));
    hc_free(file);
}

static void test_token__revoked__refused_from_then_on(void **state)
{
    (void)state;
    static const char *const make[] = { "token", "new", "admin", NULL };
    char *before = home_read(&scene.home, "data/tokens.yaml"), token[PROCESS_LINE_MAX] = "", id[64] = "";
    assert_int_equal(command(make, "token: ", token), 0);
    assert_true(wait_until(answers_so, &(struct asked){ token, 200 }, NOTICE_MS));
    char *after = home_read(&scene.home, "data/tokens.yaml"), *rest = after;
    for (char *at; (at = strstr(rest, "tok-")) != NULL; rest = at + 1) {
        char found[64];
        (void)snprintf(found, sizeof found, "%.12s", at);
        if (strstr(before, found) == NULL)
            (void)snprintf(id, sizeof id, "%s", found); /* the one that is new */
    }
    const char *const revoke[] = { "token", "revoke", id, NULL };
    assert_int_equal(command(revoke, NULL, NULL), 0);
    assert_true(wait_until(answers_so, &(struct asked){ token, 401 }, NOTICE_MS));
    hc_free(before);
    hc_free(after);
}

/* ---- the end ---- */

static void test_stop__each_asking_signal__exit_0_and_the_port_is_free_at_once(void **state)
{
    (void)state;
    static const int signals[] = { SIGTERM, SIGINT };
    char address[DAEMON_URL_SIZE];
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(address, sizeof address, "%s", strstr(scene.daemon.url, "127."));
        daemon_signal(&scene.daemon, signals[i]);
        assert_int_equal(daemon_wait(&scene.daemon, STOP_MS + 1000), 0);
        const struct daemon_options same_port = { .listen = address };
        scene_start(&same_port);
    }
}

static void test_reload__sighup__the_daemon_goes_on(void **state)
{
    (void)state;
    daemon_signal(&scene.daemon, SIGHUP);
    assert_int_equal(scene_admin("GET", "/api/v1/slots", NULL), 200);
    assert_true(process_running(&scene.daemon.process));
}

/* ---- the service manager ---- */

static void test_service__manager__is_told_ready_alive_and_stopping(void **state)
{
    (void)state;
    HC_CLEANUP(service_manager_close) struct service_manager manager;
    service_manager_open(&manager, &scene.home);
    scene_start(NULL);
    service_manager_hears_life(&manager);
    daemon_signal(&scene.daemon, SIGTERM);
    service_manager_hears(&manager, "STOPPING=1");
    assert_int_equal(daemon_wait(&scene.daemon, STOP_MS + 1000), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCENE_TEST_STARTED(test_start__second_process_on_the_folder__exits_3_and_names_the_pid),
        SCENE_TEST_STARTED(test_start__lock_left_by_a_killed_process__is_no_lock),
        SCENE_TEST(test_init__twice__exits_2_and_changes_nothing),
        SCENE_TEST(test_start__folder_without_secret__exits_2_and_says_init),
        SCENE_TEST(test_start__bad_usage_or_configuration__exits_2_and_names_it),
        SCENE_TEST(test_start__timers__unknown_and_unsafe_ones_are_refused),
        SCENE_TEST(test_start__check_config__names_every_file_that_it_read),
        SCENE_TEST_STARTED(test_start__garbled_files__exit_4_with_file_line_column_and_key),
        SCENE_TEST_STARTED(test_start__file_cut_at_each_line__is_never_taken_for_whole),
        SCENE_TEST(test_start__files_that_no_save_or_token_could_follow__exit_4_and_are_named),
        SCENE_TEST_STARTED(test_start__nodes_missing_while_bodies_are_known__exits_4),
        SCENE_TEST(test_start__both_files_missing__an_empty_store),
        SCENE_TEST_STARTED(test_stop__node_heard_of_a_moment_ago__is_saved_with_its_time),
        SCENE_TEST(test_start__allocation_missing_with_a_body_known__safe_mode_until_it_reports),
        SCENE_TEST_STARTED(test_token__made_and_revoked_beside_the_daemon__noticed),
        SCENE_TEST_STARTED(test_token__revoked__refused_from_then_on),
        SCENE_TEST_STARTED(test_stop__each_asking_signal__exit_0_and_the_port_is_free_at_once),
        SCENE_TEST_STARTED(test_reload__sighup__the_daemon_goes_on),
        SCENE_TEST(test_service__manager__is_told_ready_alive_and_stopping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
