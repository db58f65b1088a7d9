/* test_hydractl_live.c - hydractl while things happen: events and the board over a daemon that goes away and comes back, operations. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <cmocka.h>

#include "ctl.h"
#include "hydra/base/arena.h"
#include "hydra/base/buf.h"
#include "hydra/os/file.h"

#define SCREEN_MAX ((size_t)4 * 1024 * 1024)

static struct node b1;
static struct process child;
static int screen_fd = -1;

static int set_up(void **state)
{
    (void)scene_open_started(state);
    ctl_set_up();
    fleet_venue(&scene.daemon, "north", "museum");
    b1 = fleet_body(&scene.daemon, "b1", "north");
    struct call call = fleet_reports_modern(&scene.daemon, &b1, "idle", NULL);
    call_free(&call);
    return 0;
}

static int tear_down(void **state)
{
    process_end(&child);
    os_close(&screen_fd);
    return scene_close(state);
}

/* On the port that it had: what follows has only that address. */
static void start_again(void)
{
    static char listen[512];
    (void)snprintf(listen, sizeof listen, "%s", scene.daemon.url + strlen("http://"));
    const struct daemon_options same_port = { .listen = listen };
    scene_start(&same_port);
}

static void report(const char *state)
{
    struct call call = fleet_reports_modern(&scene.daemon, &b1, state, NULL);
    call_free(&call);
}

/* ---- events -f ---- */

static void test_events_follow__daemon_killed_and_back__goes_on_without_a_gap(void **state)
{
    (void)state;
    ctl_start(&child, "live.err", "events", "-f", "--since", "0-0", NULL);
    ctl_waits_line(&child, "node_enrolled");
    daemon_kill(&scene.daemon);
    assert_true(ctl_waits_err("live.err", "the connection is lost"));
    start_again();
    ctl_waits_line(&child, "safe_mode_entered");        /* published before it was connected again */
    assert_true(ctl_waits_err("live.err", "connected again"));
    process_signal(&child, SIGTERM);
    assert_int_equal(process_wait(&child, SCENE_WAIT_MS), 0);
}

static void test_events_follow__json__one_value_a_line(void **state)
{
    (void)state;
    char line[PROCESS_LINE_MAX];
    ctl_start(&child, "live.err", "-o", "json", "events", "--follow", "--since", "0-0", "--type", "node_enrolled", NULL);
    assert_true(process_line(&child, line, SCENE_WAIT_MS));
    json_t *event = json_loads(line, 0, NULL);
    assert_non_null(event);
    assert_string_equal(json_string_value(json_object_get(event, "type")), "node_enrolled");
    json_decref(event);
    process_signal(&child, SIGINT);
    assert_int_equal(process_wait(&child, SCENE_WAIT_MS), 0);
}

static void test_events_follow__token_revoked__ends_refused(void **state)
{
    (void)state;
    ctl_start(&child, "live.err", "events", "-f", "--since", "0-0", NULL);
    ctl_waits_line(&child, "node_enrolled");
    /* All admin tokens go: the daemon looks at its file every 2 s. */
    char script[2048], program[512];
    program_path("HYDRACLUSTERD", "hydraclusterd", program, sizeof program);
    (void)snprintf(script, sizeof script,
                   "%s token list --data-dir %s | awk '/ admin /{print $1}' | xargs -n 1 %s token revoke --data-dir %s",
                   program, scene.home.data, program, scene.home.data);
    struct ran ran = ctl_shell(script);
    if (ran.code != 0)
        fail_msg("%s%s", ran.out, ran.err);
    ran_free(&ran);
    assert_int_equal(process_wait(&child, SCENE_WAIT_MS), 1);
    assert_true(ctl_waits_err("live.err", "401"));
}

/* ---- watch ---- */

static void test_watch__piped__a_line_for_each_change_over_a_restart(void **state)
{
    (void)state;
    ctl_start(&child, "live.err", "watch", NULL);
    ctl_waits_line(&child, "b1/0  free");
    daemon_kill(&scene.daemon);
    assert_true(ctl_waits_err("live.err", "the connection is lost"));
    start_again();
    assert_true(ctl_waits_err("live.err", "connected again"));
    ctl_waits_line(&child, "b1/0  unknown");            /* a body that has not spoken since is never free */
    report("streaming");
    ctl_waits_line(&child, "divergence=adopted_unknown_head");
    process_signal(&child, SIGTERM);
    assert_int_equal(process_wait(&child, SCENE_WAIT_MS), 0);
}

/* Its connection stays open, and nothing comes: the lists that are read every few seconds notice. */
static void test_watch__daemon_hangs__told_and_goes_on(void **state)
{
    (void)state;
    ctl_start(&child, "live.err", "watch", NULL);
    ctl_waits_line(&child, "b1/0  free");
    daemon_signal(&scene.daemon, SIGSTOP);
    bool told = ctl_waits_err("live.err", "hydractl: http://127.0.0.1");
    daemon_signal(&scene.daemon, SIGCONT);
    assert_true(told);
    assert_true(ctl_waits_err("live.err", "the daemon answers again"));
    report("streaming");
    ctl_waits_line(&child, "divergence=adopted_unknown_head");
    process_signal(&child, SIGTERM);
    assert_int_equal(process_wait(&child, SCENE_WAIT_MS), 0);
}

/* Reads the screen's bytes until the text has come. */
static void waits_screen(const char *text)
{
    struct hc_buf seen = { 0 };
    bool found = false;
    while (!found && seen.len < SCREEN_MAX) {
        char bytes[4096];
        ssize_t got = read(screen_fd, bytes, sizeof bytes);
        if (got <= 0)
            break;
        hc_buf_add(&seen, bytes, (size_t)got);
        found = strstr(seen.data, text) != NULL;
    }
    if (!found)
        fail_msg("the screen did not show %s: %s", text, seen.len > 0 ? seen.data : "");
    hc_buf_free(&seen);
}

static void start_program_on_a_terminal(const char *program, unsigned short rows, unsigned short columns)
{
    char script[512];
    const struct winsize size = { .ws_row = rows, .ws_col = columns };
    screen_fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(screen_fd >= 0 && grantpt(screen_fd) == 0 && unlockpt(screen_fd) == 0);
    assert_int_equal(ioctl(screen_fd, TIOCSWINSZ, &size), 0);
    (void)snprintf(script, sizeof script, "exec %s > %s", program, ptsname(screen_fd));
    ctl_start_shell(&child, "live.err", script);
}

static void start_on_a_terminal(const char *command, unsigned short rows, unsigned short columns)
{
    char program[256];
    (void)snprintf(program, sizeof program, "$HYDRACTL %s", command);
    start_program_on_a_terminal(program, rows, columns);
}

static void test_watch__on_a_terminal__board_says_when_it_is_not_true_any_more(void **state)
{
    (void)state;
    (void)alarm(60);                                   /* a read of the screen has no end of its own */
    start_on_a_terminal("watch", 24, 100);
    waits_screen("connected, live");
    waits_screen("b1");
    daemon_kill(&scene.daemon);
    waits_screen("NOT CONNECTED");
    start_again();
    waits_screen("connected, live");
    report("streaming");
    waits_screen("DIVERGENCE: b1/0 adopted_unknown_head");
    process_signal(&child, SIGINT);
    waits_screen("\033[?25h");                          /* the cursor and the old screen come back */
    assert_int_equal(process_wait(&child, SCENE_WAIT_MS), 0);
    (void)alarm(0);
}

/* All that a command shows until it ends, for hc_free(). */
static char *whole_screen(void)
{
    struct hc_buf seen = { 0 };
    char bytes[4096];
    ssize_t got;
    while ((got = read(screen_fd, bytes, sizeof bytes)) > 0 && seen.len < SCREEN_MAX)
        hc_buf_add(&seen, bytes, (size_t)got);
    assert_true(seen.len > 0 && !seen.failed);
    return seen.data;
}

static void test_slots__no_color__none_on_a_terminal_either(void **state)
{
    (void)state;
    static const struct { const char *program; bool coloured; } rows[] = {
        { "$HYDRACTL slots", true }, { "env NO_COLOR=1 $HYDRACTL slots", false }, { "env TERM=dumb $HYDRACTL slots", false },
    };
    (void)alarm(60);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        start_program_on_a_terminal(rows[i].program, 24, 200);
        char *text = whole_screen();
        assert_int_equal(process_wait(&child, SCENE_WAIT_MS), 0);
        assert_non_null(strstr(text, "free"));
        assert_int_equal(strchr(text, '\033') != NULL, rows[i].coloured);
        hc_free(text);
        os_close(&screen_fd);
    }
    (void)alarm(0);
}

static void test_slots__on_a_narrow_terminal__cut_visibly_and_told(void **state)
{
    (void)state;
    (void)alarm(60);
    start_on_a_terminal("slots", 24, 50);
    waits_screen("\xe2\x80\xa6");                       /* the sign of a cut */
    assert_int_equal(process_wait(&child, SCENE_WAIT_MS), 0);
    assert_true(ctl_waits_err("live.err", "-o wide shows all"));
    os_close(&screen_fd);
    start_on_a_terminal("slots", 24, 200);
    waits_screen("\033[32mfree");                       /* colour is for terminals */
    assert_int_equal(process_wait(&child, SCENE_WAIT_MS), 0);
    (void)alarm(0);
}

/* ---- operations: the test is the body's agent ---- */

static void answer_next(const char *op, const char *result)
{
    char path[256];
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s/ops/next?wait=10", b1.id);
    struct call call = daemon_call(&scene.daemon, b1.token, "GET", path, NULL);
    assert_int_equal(call.status, 200);
    assert_string_equal(call_str(&call, "op"), op);
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s/ops/%s/result", b1.id, call_str(&call, "op_id"));
    call_free(&call);
    call = daemon_call(&scene.daemon, b1.token, "POST", path, result);
    assert_int_equal(call.status, 204);
    call_free(&call);
}

static void test_op__done_and_failed__waited_for_and_told_by_the_code(void **state)
{
    (void)state;
    ctl_start(&child, "live.err", "op", "b1", "sunshine.unpair", "--uuid", "0123", NULL);
    answer_next("sunshine.unpair", "{\"state\":\"done\",\"output\":{\"status\":true}}");
    ctl_waits_line(&child, "done");
    assert_int_equal(process_wait(&child, SCENE_WAIT_MS), 0);
    ctl_start(&child, "live.err", "op", "b1", "sunshine.restart", NULL);
    answer_next("sunshine.restart", "{\"state\":\"failed\",\"error\":\"no such service\"}");
    ctl_waits_line(&child, "no such service");
    assert_int_equal(process_wait(&child, SCENE_WAIT_MS), 1);
}

static void test_op__pin__from_standard_input_and_from_nowhere_else(void **state)
{
    (void)state;
    ctl_start_shell(&child, "live.err", "printf '4711\\n' | $HYDRACTL op b1 sunshine.submit_pin --name hydra-h1");
    char path[256];
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s/ops/next?wait=10", b1.id);
    struct call call = daemon_call(&scene.daemon, b1.token, "GET", path, NULL);
    assert_int_equal(call.status, 200);
    assert_string_equal(call_str(&call, "args.pin"), "4711");
    assert_string_equal(call_str(&call, "args.name"), "hydra-h1");
    call_free(&call);
    process_end(&child);
    struct ran ran = ctl_shell("printf '47a1\\n' | $HYDRACTL op b1 sunshine.submit_pin --name hydra-h1");
    assert_int_equal(ran.code, 2);
    assert_true(ctl_says(&ran, "no PIN of four digits"));
    assert_null(strstr(ran.err, "47a1"));
    ran_free(&ran);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_events_follow__daemon_killed_and_back__goes_on_without_a_gap),
        TEST(test_events_follow__json__one_value_a_line),
        TEST(test_events_follow__token_revoked__ends_refused),
        TEST(test_watch__piped__a_line_for_each_change_over_a_restart),
        TEST(test_watch__daemon_hangs__told_and_goes_on),
        TEST(test_watch__on_a_terminal__board_says_when_it_is_not_true_any_more),
        TEST(test_slots__no_color__none_on_a_terminal_either),
        TEST(test_slots__on_a_narrow_terminal__cut_visibly_and_told),
        TEST(test_op__done_and_failed__waited_for_and_told_by_the_code),
        TEST(test_op__pin__from_standard_input_and_from_nowhere_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
