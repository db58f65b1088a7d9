#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "hydra/base/buf.h"

#include "../../../src/body/log_follow.h"

#define PATH_SIZE 128

struct scene { char folder[64], path[PATH_SIZE], moved[PATH_SIZE]; struct log_follow follow; struct hc_buf got; };

static int set_up(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);
    if (scene == NULL)
        return -1;
    *state = scene;
    (void)snprintf(scene->folder, sizeof scene->folder, "/tmp/hydra-log-XXXXXX");
    if (mkdtemp(scene->folder) == NULL)
        return -1;
    (void)snprintf(scene->path, sizeof scene->path, "%s/sunshine.log", scene->folder);
    (void)snprintf(scene->moved, sizeof scene->moved, "%s/sunshine.log.1", scene->folder);
    return log_follow_open(&scene->follow, scene->path) == HC_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    struct scene *scene = *state;
    log_follow_close(&scene->follow);
    log_follow_close(&scene->follow);
    hc_buf_free(&scene->got);
    (void)unlink(scene->path);
    (void)unlink(scene->moved);
    int failed = rmdir(scene->folder);
    free(scene);
    return failed;
}

static void add(const char *path, const char *bytes, size_t len)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, len), (ssize_t)len);
    assert_int_equal(close(fd), 0);
}

static void add_text(struct scene *scene, const char *text)
{
    add(scene->path, text, strlen(text));
}

static void take_line(void *ctx, const char *line, size_t len)
{
    struct scene *scene = ctx;
    hc_buf_add(&scene->got, line, len);
    hc_buf_char(&scene->got, '|');
}

/* Until nothing is left to read; "R" stands where a restart was told, "-" at the end when the file is not there. */
static void expect(struct scene *scene, const char *text)
{
    struct log_polled polled;
    hc_buf_clear(&scene->got);
    do {
        polled = log_follow_poll(&scene->follow, take_line, scene);
        if (polled.restarted)
            hc_buf_char(&scene->got, 'R');
    } while (polled.more);
    if (!polled.readable)
        hc_buf_char(&scene->got, '-');
    assert_string_equal(scene->got.len == 0 ? "" : scene->got.data, text);
}

static void test_log_follow__lines_come__once_each_and_whole(void **state)
{
    struct scene *scene = *state;
    add_text(scene, "of the past\n");
    expect(scene, "of the past|");
    expect(scene, "");
    add_text(scene, "one\r\ntwo\n\nhal");
    expect(scene, "one|two||");
    add_text(scene, "f");
    expect(scene, "");
    add_text(scene, "\n");
    expect(scene, "half|");
}

static void test_log_follow__no_file_yet__followed_when_it_appears(void **state)
{
    struct scene *scene = *state;
    expect(scene, "-");
    add_text(scene, "first\n");
    expect(scene, "first|");
}

static void test_log_follow__moved_away_and_new__old_end_then_restart_then_new(void **state)
{
    struct scene *scene = *state;
    add_text(scene, "one\n");
    expect(scene, "one|");
    add_text(scene, "last\nunfinished");
    assert_int_equal(rename(scene->path, scene->moved), 0);
    add_text(scene, "new\n");
    expect(scene, "last|Rnew|");
}

static void test_log_follow__moved_away_and_none__not_readable_then_restart(void **state)
{
    struct scene *scene = *state;
    add_text(scene, "one\n");
    expect(scene, "one|");
    assert_int_equal(rename(scene->path, scene->moved), 0);
    expect(scene, "-");
    add_text(scene, "new\n");
    expect(scene, "Rnew|");
}

static void test_log_follow__cut_to_nothing__begins_anew(void **state)
{
    struct scene *scene = *state;
    add_text(scene, "one\ntwo\nthr");
    expect(scene, "one|two|");
    assert_int_equal(truncate(scene->path, 0), 0);
    add_text(scene, "x\n");
    expect(scene, "Rx|");
}

static void test_log_follow__line_beyond_the_limit__skipped_whole(void **state)
{
    struct scene *scene = *state;
    static char line[LOG_FOLLOW_LINE_MAX + 2];
    add_text(scene, "before\n");
    expect(scene, "before|");
    memset(line, 'x', sizeof line);
    add(scene->path, line, sizeof line);
    expect(scene, "");
    add(scene->path, line, sizeof line);
    add_text(scene, "\nafter\n");
    expect(scene, "after|");
    add(scene->path, line, LOG_FOLLOW_LINE_MAX);
    add_text(scene, "\n");
    hc_buf_clear(&scene->got);
    (void)log_follow_poll(&scene->follow, take_line, scene);
    assert_int_equal(scene->got.len, LOG_FOLLOW_LINE_MAX + 1);
}

static void test_log_follow__long_past__only_its_end_from_a_whole_line(void **state)
{
    struct scene *scene = *state;
    static char block[1000];
    memset(block, 'x', sizeof block);
    block[sizeof block - 1] = '\n';
    for (int64_t written = 0; written < 2 * LOG_FOLLOW_PAST_MAX; written += (int64_t)sizeof block)
        add(scene->path, block, sizeof block);
    add_text(scene, "end\n");
    struct log_polled polled;
    size_t polls = 0;
    do {
        polled = log_follow_poll(&scene->follow, take_line, scene);
        polls++;
    } while (polled.more);
    assert_true(polls >= LOG_FOLLOW_PAST_MAX / (int64_t)LOG_FOLLOW_POLL_MAX);       /* no poll reads it all */
    assert_true(scene->got.len <= (size_t)LOG_FOLLOW_PAST_MAX);
    assert_true(scene->got.len > (size_t)LOG_FOLLOW_PAST_MAX - 2 * sizeof block);
    assert_string_equal(scene->got.data + scene->got.len - 4, "end|");
    assert_int_equal(scene->got.len % sizeof block, 4);                               /* whole blocks and the last line */
}

static void test_log_follow__any_bytes__handed_on_as_they_are(void **state)
{
    struct scene *scene = *state;
    static const char bytes[] = "a\0b\xff\xfe\n\r\n";
    add(scene->path, bytes, sizeof bytes - 1);
    hc_buf_clear(&scene->got);
    (void)log_follow_poll(&scene->follow, take_line, scene);
    assert_int_equal(scene->got.len, 7);
    assert_memory_equal(scene->got.data, "a\0b\xff\xfe||", 7);
}

static void test_log_follow__no_regular_file__not_readable_and_never_waits(void **state)
{
    struct scene *scene = *state;
    assert_int_equal(mkfifo(scene->path, 0600), 0);
    expect(scene, "-");
    assert_int_equal(unlink(scene->path), 0);
    add_text(scene, "now\n");
    expect(scene, "now|");
}

#define WITH_SCENE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SCENE(test_log_follow__lines_come__once_each_and_whole),
        WITH_SCENE(test_log_follow__no_file_yet__followed_when_it_appears),
        WITH_SCENE(test_log_follow__moved_away_and_new__old_end_then_restart_then_new),
        WITH_SCENE(test_log_follow__moved_away_and_none__not_readable_then_restart),
        WITH_SCENE(test_log_follow__cut_to_nothing__begins_anew),
        WITH_SCENE(test_log_follow__line_beyond_the_limit__skipped_whole),
        WITH_SCENE(test_log_follow__long_past__only_its_end_from_a_whole_line),
        WITH_SCENE(test_log_follow__any_bytes__handed_on_as_they_are),
        WITH_SCENE(test_log_follow__no_regular_file__not_readable_and_never_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
