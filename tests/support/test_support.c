/* test_support.c - the ground that the integration tests stand on: child processes, homes, and faultfs.so against os_file_replace().
 * The program is its own child: `test_support act DIR` replaces DIR/allocation.yaml twice and says how each went. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/os/file.h"
#include "fault.h"
#include "home.h"
#include "process.h"

#define BOUND_MS 20000
#define FILE_BYTES 3000

static struct home home;
static struct process child;

static int set_up(void **state)
{
    (void)state;
    home_make(&home);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    process_end(&child);
    home_remove(&home);
    return 0;
}

static void start_self(const char *what)
{
    static char self[512], library[512], preload[600], control[HOME_PATH_SIZE], faults[600];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(len > 0);
    program_path("HYDRA_FAULTFS", "faultfs.so", library, sizeof library);
    home_path(&home, "faults", control);
    (void)snprintf(preload, sizeof preload, "LD_PRELOAD=%s", library);
    (void)snprintf(faults, sizeof faults, "HYDRA_FAULT_FILE=%s", control);
    const char *const argv[] = { self, what, home.root, NULL };
    const char *const env[] = { preload, faults, "ASAN_OPTIONS=verify_asan_link_order=0", NULL };
    process_start(&child, argv, env, home.log);
}

static void expect_line(const char *expected)
{
    char line[PROCESS_LINE_MAX] = "(nothing)";
    (void)process_line(&child, line, BOUND_MS);
    assert_string_equal(line, expected);
}

/* `rules` hold while the child replaces the file twice. */
static void replace_twice(const char *rules, const char *first, const char *second)
{
    fault_set(&home, rules);
    start_self("act");
    expect_line(first);
    expect_line(second);
    assert_int_equal(process_wait(&child, BOUND_MS), 0);
}

static void test_faultfs__no_rules__nothing_happens(void **state)
{
    (void)state;
    replace_twice("", "durable 3000", "durable 3000");
    assert_false(home_has(&home, "faults.hits"));
}

static void test_faultfs__errno_of_each_step__that_step_fails(void **state)
{
    (void)state;
    static const struct { const char *rules, *outcome, *hit; } cases[] = {
        { "open allocation.yaml EMFILE 1", "not written", "open allocation.yaml EMFILE" },
        { "write allocation.yaml ENOSPC 1", "not written", "write allocation.yaml ENOSPC" },
        { "fsync allocation.yaml EIO 1", "not written", "fsync allocation.yaml EIO" },
        { "rename allocation.yaml EIO 1", "not written", "rename allocation.yaml EIO" },
        { "fsync *.yaml EDQUOT 1", "not written", "fsync allocation.yaml EDQUOT" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        replace_twice(cases[i].rules, cases[i].outcome, "durable 3000");        /* the rule counts once */
        assert_int_equal(fault_hits(&home, cases[i].hit), 1);
    }
}

static void test_faultfs__folder_sync_fails__visible_not_durable(void **state)
{
    (void)state;
    replace_twice("fsyncdir . EIO", "visible 3000", "visible 3000");
}

static void test_faultfs__rule_for_another_file__nothing_happens(void **state)
{
    (void)state;
    replace_twice("write nodes.yaml EIO\nfsync allocation EIO\n\n", "durable 3000", "durable 3000");
}

static void test_faultfs__short_writes__the_rest_is_written(void **state)
{
    (void)state;
    replace_twice("write allocation.yaml short", "durable 3000", "durable 3000");
    assert_true(fault_hits(&home, "write allocation.yaml short") >= 2 * 10);    /* 3000, 1500, ... */
}

static void test_faultfs__hang__until_the_rule_is_gone(void **state)
{
    (void)state;
    char line[PROCESS_LINE_MAX];
    fault_set(&home, "fsync allocation.yaml hang\n");
    start_self("act");
    fault_wait_hits(&home, "fsync allocation.yaml hang", 1, BOUND_MS);
    assert_false(process_line(&child, line, 50));
    assert_true(process_running(&child));
    fault_set(&home, "");
    expect_line("durable 3000");
    expect_line("durable 3000");
    assert_int_equal(process_wait(&child, BOUND_MS), 0);
}

static void test_faultfs__rule_that_cannot_be_read__aborts(void **state)
{
    (void)state;
    static const char *const bad[] = { "fsync", "fsync allocation.yaml", "fsync allocation.yaml EWHAT", "sync allocation.yaml EIO",
                                       "fsync allocation.yaml short", "fsync a hang 1", "fsync a delay=0" };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        fault_set(&home, bad[i]);
        start_self("act");
        assert_int_equal(process_wait(&child, BOUND_MS), -SIGABRT);
    }
}

static void test_process__end_by_code_and_by_signal__told_apart(void **state)
{
    (void)state;
    const char *const code[] = { "/bin/sh", "-c", "echo one; echo two; exit 3", NULL };
    process_start(&child, code, NULL, home.log);
    expect_line("one");
    expect_line("two");
    assert_int_equal(process_wait(&child, BOUND_MS), 3);
    const char *const stops[] = { "/bin/sh", "-c", "echo up; kill -STOP $$", NULL };
    process_start(&child, stops, NULL, home.log);
    expect_line("up");
    assert_true(process_running(&child));
    process_signal(&child, SIGKILL);
    assert_int_equal(process_wait(&child, BOUND_MS), -SIGKILL);
}

static void test_process__environment__replaced_and_inherited(void **state)
{
    (void)state;
    const char *const argv[] = { "/bin/sh", "-c", "echo \"$HOME:$HYDRA_TEST\"; echo lost >&2", NULL };
    const char *const env[] = { "HOME=elsewhere", "HYDRA_TEST=1", NULL };
    process_start(&child, argv, env, home.log);
    expect_line("elsewhere:1");
    assert_int_equal(process_wait(&child, BOUND_MS), 0);
    char *log = home_read(&home, "daemon.log");
    assert_string_equal(log, "lost\n");
    hc_free(log);
}

static void test_home__written_read_and_removed__nothing_left(void **state)
{
    (void)state;
    home_write(&home, "a.yaml", "a: 1\n");
    home_write(&home, "a.yaml", "a: 2\n");
    char *text = home_read(&home, "a.yaml");
    assert_string_equal(text, "a: 2\n");
    hc_free(text);
    assert_false(home_has(&home, "a.yaml.new"));
    char root[HOME_PATH_SIZE];
    memcpy(root, home.root, sizeof root);
    home_remove(&home);
    assert_int_not_equal(access(root, F_OK), 0);
}

static int act(const char *folder)
{
    static const char *const words[] = { [OS_REPLACE_DURABLE] = "durable", [OS_REPLACE_NOT_WRITTEN] = "not written",
                                         [OS_REPLACE_VISIBLE] = "visible" };
    char bytes[FILE_BYTES];
    struct hc_diag diag;
    memset(bytes, 'y', sizeof bytes);
    int dir_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir_fd < 0)
        return 1;
    for (unsigned i = 0; i < 2; i++) {
        struct os_stamp stamp;
        enum os_replace got = os_file_replace(dir_fd, "allocation.yaml", bytes, sizeof bytes, &stamp, &diag);
        if (got == OS_REPLACE_NOT_WRITTEN)
            (void)printf("%s\n", words[got]);
        else
            (void)printf("%s %lld\n", words[got], (long long)stamp.size);
        (void)fflush(stdout);
    }
    (void)close(dir_fd);
    return 0;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "act") == 0)
        return act(argv[2]);
    const struct CMUnitTest tests[] = {
        TEST(test_faultfs__no_rules__nothing_happens),
        TEST(test_faultfs__errno_of_each_step__that_step_fails),
        TEST(test_faultfs__folder_sync_fails__visible_not_durable),
        TEST(test_faultfs__rule_for_another_file__nothing_happens),
        TEST(test_faultfs__short_writes__the_rest_is_written),
        TEST(test_faultfs__hang__until_the_rule_is_gone),
        TEST(test_faultfs__rule_that_cannot_be_read__aborts),
        TEST(test_process__end_by_code_and_by_signal__told_apart),
        TEST(test_process__environment__replaced_and_inherited),
        TEST(test_home__written_read_and_removed__nothing_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
