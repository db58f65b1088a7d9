#include "home.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/os/clock.h"
#include "hydra/os/file.h"
#include "process.h"

#define INIT_MS       20000         /* generous: sanitizers on a busy machine */
#define POLL_MS       5
#define REMOVE_FDS    16
#define FILE_MAX      ((size_t)64 * 1024 * 1024)
#define INIT_LINES_MAX 16

void home_make(struct home *home)
{
    const char *tmp = getenv("TMPDIR");
    *home = (struct home){ 0 };
    (void)snprintf(home->root, sizeof home->root, "%s/hydra-test-XXXXXX", tmp == NULL ? "/tmp" : tmp);
    assert_non_null(mkdtemp(home->root));
    home_path(home, "data", home->data);
    home_path(home, "daemon.log", home->log);
}

/* True when the line is `KEY: VALUE` with this key. */
static bool take_value(const char *line, const char *key, char *out, size_t size)
{
    size_t len = strlen(key);
    if (strncmp(line, key, len) != 0 || strncmp(line + len, ": ", 2) != 0)
        return false;
    (void)snprintf(out, size, "%s", line + len + 2);
    return true;
}

void home_init(struct home *home)
{
    char program[512], line[PROCESS_LINE_MAX];
    home_make(home);
    program_path("HYDRACLUSTERD", "hydraclusterd", program, sizeof program);
    const char *const argv[] = { program, "init", "--data-dir", home->data, NULL };
    static const char *const env[] = { PROCESS_NO_LEAKS, NULL };
    struct process init;
    process_start(&init, argv, env, home->log);
    for (unsigned i = 0; i < INIT_LINES_MAX && process_line(&init, line, INIT_MS); i++)
        if (!take_value(line, "admin_token", home->admin_token, sizeof home->admin_token))
            (void)take_value(line, "fleet_token", home->fleet_token, sizeof home->fleet_token);
    assert_int_equal(process_wait(&init, INIT_MS), 0);
    assert_true(home->admin_token[0] != '\0' && home->fleet_token[0] != '\0');
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

void home_remove(struct home *home)
{
    if (home->root[0] != '\0' && nftw(home->root, remove_one, REMOVE_FDS, FTW_DEPTH | FTW_PHYS) != 0 && errno != ENOENT)
        fail_msg("%s cannot be removed: %s", home->root, strerror(errno));
    home->root[0] = '\0';
}

void home_path(const struct home *home, const char *name, char out[HOME_PATH_SIZE])
{
    int len = snprintf(out, HOME_PATH_SIZE, "%s/%s", home->root, name);
    assert_true(len > 0 && len < HOME_PATH_SIZE);
}

char *home_read(const struct home *home, const char *name)
{
    char path[HOME_PATH_SIZE], *text = NULL;
    size_t len;
    struct hc_diag diag;
    home_path(home, name, path);
    if (os_file_read(AT_FDCWD, path, FILE_MAX, &text, &len, NULL, &diag) != HC_OK)
        fail_msg("%s", diag.text);
    return text;
}

void home_write(const struct home *home, const char *name, const char *text)
{
    char path[HOME_PATH_SIZE], beside[HOME_PATH_SIZE + 8];
    home_path(home, name, path);
    (void)snprintf(beside, sizeof beside, "%s.new", path);
    HC_CLEANUP(os_close) int fd = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(os_write_all(fd, text, strlen(text)), HC_OK);
    assert_int_equal(rename(beside, path), 0);
}

bool home_has(const struct home *home, const char *name)
{
    char path[HOME_PATH_SIZE];
    home_path(home, name, path);
    return access(path, F_OK) == 0;
}

bool wait_until(bool (*is_so)(void *ctx), void *ctx, int64_t at_most_ms)
{
    int64_t end = os_monotonic_ms() + at_most_ms;
    while (!is_so(ctx)) {
        if (os_monotonic_ms() >= end)
            return false;
        (void)poll(NULL, 0, POLL_MS);
    }
    return true;
}
