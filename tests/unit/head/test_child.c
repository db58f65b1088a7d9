#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hydra/os/clock.h"

#include "../../../src/head/child.h"
#include "../../../src/head/child_line.h"

#define WAIT_MS 20000

static struct child child = CHILD_NONE;
static struct { char text[4096]; size_t count; } said;

static void on_line(void *ctx, const char *line)
{
    (void)ctx;
    size_t len = strlen(said.text);
    (void)snprintf(said.text + len, sizeof said.text - len, "%s|", line);
    said.count++;
}

static int set_up(void **state)
{
    (void)state;
    memset(&said, 0, sizeof said);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    child_kill(&child);
    return 0;
}

static void start(const char *script)
{
    struct hc_diag diag = { "" };
    char *argv[] = { (char *)(uintptr_t)"/bin/sh", (char *)(uintptr_t)"-c", (char *)(uintptr_t)script, NULL };
    if (child_start(&child, argv, os_monotonic_ms(), &diag) != HC_OK)
        fail_msg("%s", diag.text);
}

/* Turns until it has ended. */
static bool ends_clean(struct hc_diag *why)
{
    bool clean = false;
    int64_t end = os_monotonic_ms() + WAIT_MS;
    while (!child_over(&child, on_line, NULL, &clean, why)) {
        struct pollfd fds[] = { { .fd = child.life_fd, .events = POLLIN }, { .fd = child.out_fd, .events = POLLIN } };
        int64_t now = os_monotonic_ms(), due = child_due(&child) < end ? child_due(&child) : end;
        if (now >= end)
            fail_msg("the child did not end");
        (void)poll(fds, 2, due > now ? (int)(due - now) : 0);
        child_read(&child, on_line, NULL);
        child_turn(&child, os_monotonic_ms());
    }
    return clean;
}

static void wait_for_line(void)
{
    int64_t end = os_monotonic_ms() + WAIT_MS;
    while (said.count == 0) {
        struct pollfd fd = { .fd = child.out_fd, .events = POLLIN };
        assert_true(os_monotonic_ms() < end);
        (void)poll(&fd, 1, 1000);
        child_read(&child, on_line, NULL);
    }
}

static void test_child__says_lines__told_one_by_one(void **state)
{
    (void)state;
    struct hc_diag why = { "" };
    start("printf 'one\\ntwo\\r\\n'; printf 'three\\001' >&2");
    assert_true(ends_clean(&why));
    assert_string_equal(said.text, "one|two|three?|");
    assert_int_equal(child.pid, 0);
}

static void test_child__exit_code_or_signal__not_clean_and_said(void **state)
{
    (void)state;
    struct hc_diag why = { "" };
    start("exit 3");
    assert_false(ends_clean(&why));
    assert_non_null(strstr(why.text, "exit code 3"));
    start("kill -SEGV $$");
    assert_false(ends_clean(&why));
    assert_non_null(strstr(why.text, "signal 11"));
}

static void test_child__told_to_end__clean_by_our_own_signal(void **state)
{
    (void)state;
    struct hc_diag why = { "" };
    start("echo up; exec sleep 600");
    wait_for_line();
    child_end(&child, os_monotonic_ms(), WAIT_MS);
    assert_true(ends_clean(&why));
}

static void test_child__deaf_to_sigterm__killed_after_the_grace(void **state)
{
    (void)state;
    struct hc_diag why = { "" };
    start("trap '' TERM; echo up; while :; do sleep 600; done");
    wait_for_line();
    int64_t began = os_monotonic_ms();
    child_end(&child, began, 100);
    child_end(&child, began + 10000, WAIT_MS);          /* a second wish does not put it off */
    assert_true(ends_clean(&why));
    assert_true(os_monotonic_ms() - began < WAIT_MS);
    assert_non_null(strstr(why.text, "signal 9"));
}

static void test_child__its_group__ends_with_it(void **state)
{
    (void)state;
    struct hc_diag why = { "" };
    start("sleep 600 & echo $!; wait");
    wait_for_line();
    pid_t grandchild = (pid_t)strtol(said.text, NULL, 10);
    assert_true(grandchild > 0);
    child_end(&child, os_monotonic_ms(), WAIT_MS);
    (void)ends_clean(&why);
    int64_t end = os_monotonic_ms() + WAIT_MS;
    char path[64], line[256] = "";
    (void)snprintf(path, sizeof path, "/proc/%ld/stat", (long)grandchild);
    for (bool there = true; there;) {                   /* gone, or a zombie that its new parent has not looked at yet */
        FILE *in = fopen(path, "r");
        there = in != NULL && fgets(line, sizeof line, in) != NULL && strstr(line, ") Z ") == NULL;
        if (in != NULL)
            (void)fclose(in);
        assert_true(os_monotonic_ms() < end);
    }
}

static void test_child__no_such_program__said_and_no_child(void **state)
{
    (void)state;
    struct hc_diag diag = { "" };
    char *argv[] = { (char *)(uintptr_t)"/nonexistent/moonlight", NULL };
    assert_int_equal(child_start(&child, argv, 0, &diag), HC_ERR_IO);
    assert_non_null(strstr(diag.text, "/nonexistent/moonlight"));
    assert_int_equal(child.pid, 0);
}

static void test_child__a_line_without_end__told_in_pieces(void **state)
{
    (void)state;
    struct hc_diag why = { "" };
    start("head -c 2500 /dev/zero | tr '\\0' x");
    assert_true(ends_clean(&why));
    assert_int_equal(said.count, 3);
}

static void test_line__keys_in_urls__not_in_the_log(void **state)
{
    (void)state;
    static const struct { const char *from, *to; } rows[] = {
        { "GET https://h/launch?uniqueid=1&rikey=00112233&rikeyid=-7&mode=1",
          "GET https://h/launch?uniqueid=1&rikey=...&rikeyid=..&mode=1" },
        { "Salt=abcdef0123 and token=\"x\"", "Salt=... and token=\"x\"" },
        { "password=hunter2", "password=..." },
        { "a monkey=banana is no key", "a monkey=banana is no key" },
        { "key=", "key=" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char line[256];
        (void)snprintf(line, sizeof line, "%s", rows[i].from);
        child_line_clean(line);
        assert_string_equal(line, rows[i].to);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_child__says_lines__told_one_by_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_child__exit_code_or_signal__not_clean_and_said, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_child__told_to_end__clean_by_our_own_signal, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_child__deaf_to_sigterm__killed_after_the_grace, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_child__its_group__ends_with_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_child__no_such_program__said_and_no_child, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_child__a_line_without_end__told_in_pieces, set_up, tear_down),
        cmocka_unit_test(test_line__keys_in_urls__not_in_the_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
