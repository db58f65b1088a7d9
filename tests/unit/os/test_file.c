#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "failing_libc.h"
#include "hydra/base/arena.h"
#include "hydra/os/file.h"
#include "temporary_folder.h"

static void assert_holds(const struct folder *folder, const char *name, const char *want)
{
    char *text;
    size_t len;
    struct hc_diag diag = { "" };
    assert_int_equal(os_file_read(folder->fd, name, 1 << 20, &text, &len, NULL, &diag), HC_OK);
    assert_string_equal(text, want);
    assert_int_equal(len, strlen(want));
    hc_free(text);
}

static bool exists(const struct folder *folder, const char *name)
{
    return faccessat(folder->fd, name, F_OK, 0) == 0;
}

static void test_replace__new_and_old_file__holds_new_bytes(void **state)
{
    struct folder *folder = *state;
    struct os_stamp stamp, seen;
    struct hc_diag diag;
    assert_int_equal(os_file_replace(folder->fd, "f", "one", 3, &stamp, &diag), OS_REPLACE_DURABLE);
    assert_holds(folder, "f", "one");
    struct os_stamp first = stamp;
    assert_int_equal(os_file_replace(folder->fd, "f", "two!", 4, &stamp, &diag), OS_REPLACE_DURABLE);
    assert_holds(folder, "f", "two!");
    assert_int_equal(os_file_stamp(folder->fd, "f", &seen), HC_OK);
    assert_true(os_stamp_same(&stamp, &seen));
    assert_false(os_stamp_same(&stamp, &first));
    assert_false(exists(folder, "f.tmp"));
    struct stat st;
    assert_int_equal(fstatat(folder->fd, "f", &st, 0), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_int_equal(libc_count(LIBC_FSYNC), 4);    /* file and folder, each once */
}

static void test_secret__others_may_read_or_change_it__refused_but_a_credential_of_the_group(void **state)
{
    static const struct { mode_t mode; enum hc_err plain, credential; } rows[] = {
        { 0600, HC_OK, HC_OK }, { 0400, HC_OK, HC_OK }, { 0440, HC_ERR_CONFIG, HC_OK }, { 0640, HC_ERR_CONFIG, HC_OK },
        { 0444, HC_ERR_CONFIG, HC_ERR_CONFIG }, { 0460, HC_ERR_CONFIG, HC_ERR_CONFIG }, { 0620, HC_ERR_CONFIG, HC_ERR_CONFIG },
        { 0602, HC_ERR_CONFIG, HC_ERR_CONFIG }, { 0601, HC_ERR_CONFIG, HC_ERR_CONFIG },
    };
    struct folder *folder = *state;
    char path[96], says[256], elsewhere[96];
    (void)snprintf(path, sizeof path, "%s/f", folder->path);
    (void)snprintf(elsewhere, sizeof elsewhere, "%.*s", (int)strlen(folder->path) - 1, folder->path);     /* begins alike, and is another */
    folder_put(folder, "f", "secret\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *const credentials[] = { "", elsewhere, folder->path };
        const enum hc_err wanted[] = { rows[i].plain, rows[i].plain, rows[i].credential };
        assert_int_equal(chmod(path, rows[i].mode), 0);
        for (size_t k = 0; k < 3; k++) {
            char *text = NULL;
            size_t len = 0;
            struct hc_diag diag = { "" };
            assert_int_equal(setenv("CREDENTIALS_DIRECTORY", credentials[k], 1), 0);
            assert_int_equal(os_secret_read(path, 100, &text, &len, &diag), wanted[k]);
            (void)snprintf(says, sizeof says, "%s: others may read or change it (mode %04o); chmod 600 %s", path, (unsigned)rows[i].mode,
                           path);
            assert_string_equal(wanted[k] == HC_OK ? text : diag.text, wanted[k] == HC_OK ? "secret\n" : says);
            hc_free(text);
        }
    }
    assert_int_equal(unsetenv("CREDENTIALS_DIRECTORY"), 0);
    char *text;
    size_t len;
    struct hc_diag diag = { "" };
    (void)snprintf(path, sizeof path, "%s/absent", folder->path);
    assert_int_equal(os_secret_read(path, 100, &text, &len, &diag), HC_ERR_NOTFOUND);
    assert_int_equal(os_secret_read(folder->path, 100, &text, &len, &diag), HC_ERR_CONFIG);
}

static void test_begins__file_as_written_longer_or_other__says_so(void **state)
{
    struct folder *folder = *state;
    assert_false(os_file_begins(folder->fd, "f", "", 0, 8));          /* there is none */
    assert_int_equal(os_file_replace(folder->fd, "f", "generation: 7\n", 14, NULL, NULL), OS_REPLACE_DURABLE);
    assert_true(os_file_begins(folder->fd, "f", "generati", 8, 8));
    assert_true(os_file_begins(folder->fd, "f", "generation: 7\n", 14, 64));
    assert_false(os_file_begins(folder->fd, "f", "generation: 8\n", 14, 64));
    assert_false(os_file_begins(folder->fd, "f", "generati", 8, 64));  /* it goes on */
}

static void test_replace__empty_text__empty_file(void **state)
{
    struct folder *folder = *state;
    assert_int_equal(os_file_replace(folder->fd, "f", "", 0, NULL, NULL), OS_REPLACE_DURABLE);
    assert_holds(folder, "f", "");
}

static void test_replace__left_over_temporary__fresh_inode(void **state)
{
    struct folder *folder = *state;
    folder_put(folder, "f.tmp", "left by a crash, longer than the new text");
    int old = openat(folder->fd, "f.tmp", O_RDONLY | O_CLOEXEC);
    struct stat st;
    assert_int_equal(os_file_replace(folder->fd, "f", "new", 3, NULL, NULL), OS_REPLACE_DURABLE);
    assert_holds(folder, "f", "new");
    assert_int_equal(fstat(old, &st), 0);
    assert_int_equal(st.st_nlink, 0);               /* not the inode that became f */
    assert_int_equal(close(old), 0);
}

static void test_replace__short_writes__whole(void **state)
{
    struct folder *folder = *state;
    libc_write_at_most(2);
    assert_int_equal(os_file_replace(folder->fd, "f", "seven b", 7, NULL, NULL), OS_REPLACE_DURABLE);
    assert_int_equal(libc_count(LIBC_WRITE), 4);
    assert_holds(folder, "f", "seven b");
}

static void test_replace__each_call_fails__old_file_stands(void **state)
{
    struct folder *folder = *state;
    static const struct { enum libc_call call; unsigned n; int errnum; const char *says; } rows[] = {
        { LIBC_OPENAT, 1, ENOSPC, "No space" }, { LIBC_OPENAT, 1, EROFS, "Read-only" }, { LIBC_WRITE, 1, ENOSPC, "No space" },
        { LIBC_WRITE, 2, EIO, "Input/output" }, { LIBC_FSYNC, 1, EIO, "Input/output" }, { LIBC_RENAMEAT, 1, EIO, "Input/output" },
    };
    folder_put(folder, "f", "old");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct os_stamp stamp = { .size = 77 };
        struct hc_diag diag = { "" };
        libc_reset();
        libc_write_at_most(2);
        libc_fail(rows[i].call, rows[i].n, rows[i].errnum);
        assert_int_equal(os_file_replace(folder->fd, "f", "newer", 5, &stamp, &diag), OS_REPLACE_NOT_WRITTEN);
        assert_non_null(strstr(diag.text, rows[i].says));
        assert_int_equal(stamp.size, 77);           /* outputs only on success */
        if (rows[i].call == LIBC_FSYNC) {
            assert_int_equal(libc_count(LIBC_FSYNC), 1);
            assert_int_equal(libc_count(LIBC_RENAMEAT), 0);
        }
        libc_reset();
        assert_holds(folder, "f", "old");
        assert_false(exists(folder, "f.tmp"));
    }
}

static void test_replace__folder_sync_fails__visible(void **state)
{
    struct folder *folder = *state;
    struct os_stamp stamp, seen;
    struct hc_diag diag = { "" };
    libc_fail(LIBC_FSYNC, 2, EIO);
    assert_int_equal(os_file_replace(folder->fd, "f", "new", 3, &stamp, &diag), OS_REPLACE_VISIBLE);
    assert_non_null(strstr(diag.text, "folder"));
    assert_int_equal(libc_count(LIBC_FSYNC), 2);
    assert_int_equal(os_file_stamp(folder->fd, "f", &seen), HC_OK);
    assert_true(os_stamp_same(&stamp, &seen));
    assert_holds(folder, "f", "new");
}

static void test_replace__name_too_long__not_written(void **state)
{
    struct folder *folder = *state;
    char name[300];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    assert_int_equal(os_file_replace(folder->fd, name, "x", 1, NULL, NULL), OS_REPLACE_NOT_WRITTEN);
}

static void test_read__missing_large_and_odd__refused(void **state)
{
    struct folder *folder = *state;
    char *text = NULL;
    size_t len = 7;
    struct hc_diag diag;
    assert_int_equal(os_file_read(folder->fd, "none", 10, &text, &len, NULL, &diag), HC_ERR_NOTFOUND);
    folder_put(folder, "f", "12345");
    assert_int_equal(os_file_read(folder->fd, "f", 4, &text, &len, NULL, &diag), HC_ERR_LIMIT);
    assert_int_equal(mkdirat(folder->fd, "sub", 0700), 0);
    assert_int_equal(os_file_read(folder->fd, "sub", 10, &text, &len, NULL, &diag), HC_ERR_IO);
    assert_int_equal(mkfifoat(folder->fd, "fifo", 0600), 0);
    assert_int_equal(os_file_read(folder->fd, "fifo", 10, &text, &len, NULL, &diag), HC_ERR_IO);
    assert_null(text);
    assert_int_equal(len, 7);
    struct os_stamp stamp, seen;
    assert_int_equal(os_file_read(folder->fd, "f", 5, &text, &len, &stamp, &diag), HC_OK);
    assert_int_equal(len, 5);
    assert_int_equal(os_file_stamp(folder->fd, "f", &seen), HC_OK);
    assert_true(os_stamp_same(&stamp, &seen));
    hc_free(text);
}

static void test_read__no_memory__says_so(void **state)
{
    struct folder *folder = *state;
    char *text;
    size_t len;
    folder_put(folder, "f", "12345");
    hc_alloc_fail_after(1);
    assert_int_equal(os_file_read(folder->fd, "f", 5, &text, &len, NULL, NULL), HC_ERR_NOMEM);
    hc_alloc_fail_after(0);
}

static void test_stamp__missing_edited_replaced__differ(void **state)
{
    struct folder *folder = *state;
    struct os_stamp none, first, second;
    assert_int_equal(os_file_stamp(folder->fd, "f", &none), HC_OK);
    assert_false(none.exists);
    folder_put(folder, "f", "a");
    assert_int_equal(os_file_stamp(folder->fd, "f", &first), HC_OK);
    assert_false(os_stamp_same(&none, &first));
    assert_true(os_stamp_same(&none, &none));
    folder_put(folder, "f", "ab");
    assert_int_equal(os_file_stamp(folder->fd, "f", &second), HC_OK);
    assert_false(os_stamp_same(&first, &second));
    assert_int_equal(os_file_stamp(-1, "f", &second), HC_ERR_IO);
}

static void test_dir__made_found_and_refused__as_the_header_says(void **state)
{
    struct folder *folder = *state;
    char path[128], file[128];
    struct hc_diag diag;
    struct stat st;
    int fd = -1;
    (void)snprintf(path, sizeof path, "%s/data", folder->path);
    (void)snprintf(file, sizeof file, "%s/file", folder->path);
    assert_int_equal(os_dir_open(path, &fd, &diag), HC_ERR_NOTFOUND);
    assert_int_equal(os_dir_make_private(path, &diag), HC_OK);
    assert_int_equal(libc_count(LIBC_FSYNC), 1);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_int_equal(os_dir_make_private(path, &diag), HC_OK);
    assert_int_equal(os_dir_open(path, &fd, &diag), HC_OK);
    os_close(&fd);
    assert_int_equal(fd, -1);
    os_close(&fd);
    folder_put(folder, "file", "");
    assert_int_equal(os_dir_make_private(file, &diag), HC_ERR_IO);
    assert_int_equal(os_dir_open(file, &fd, &diag), HC_ERR_IO);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_setup, folder_teardown)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_replace__new_and_old_file__holds_new_bytes),
        IN_FOLDER(test_secret__others_may_read_or_change_it__refused_but_a_credential_of_the_group),
        IN_FOLDER(test_begins__file_as_written_longer_or_other__says_so),
        IN_FOLDER(test_replace__empty_text__empty_file),
        IN_FOLDER(test_replace__left_over_temporary__fresh_inode),
        IN_FOLDER(test_replace__short_writes__whole),
        IN_FOLDER(test_replace__each_call_fails__old_file_stands),
        IN_FOLDER(test_replace__folder_sync_fails__visible),
        IN_FOLDER(test_replace__name_too_long__not_written),
        IN_FOLDER(test_read__missing_large_and_odd__refused),
        IN_FOLDER(test_read__no_memory__says_so),
        IN_FOLDER(test_stamp__missing_edited_replaced__differ),
        IN_FOLDER(test_dir__made_found_and_refused__as_the_header_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
