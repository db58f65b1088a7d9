#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../../../src/ctl/tar.h"

#define BLOCK 512

static char archive[32 * BLOCK];
static size_t archive_len;

static void set_sum(char *head)
{
    unsigned sum = 0;
    memset(head + 148, ' ', 8);
    for (size_t i = 0; i < BLOCK; i++)
        sum += (unsigned char)head[i];
    (void)snprintf(head + 148, 8, "%06o", sum);
}

static char *add(const char *name, const char *text)
{
    char *head = archive + archive_len;
    size_t len = strlen(text);
    (void)snprintf(head, 100, "%s", name);
    (void)snprintf(head + 124, 12, "%011o", (unsigned)len & 07777);
    head[156] = '0';
    memcpy(head + 257, "ustar\0" "00", 8);
    set_sum(head);
    memcpy(head + BLOCK, text, len);
    archive_len += BLOCK + (len + BLOCK - 1) / BLOCK * BLOCK;
    return head;
}

static int set_up(void **state)
{
    (void)state;
    memset(archive, 0, sizeof archive);
    archive_len = 0;
    return 0;
}

static enum hc_err read_all(struct tar_file files[TAR_FILES_MAX], size_t *ret_count, struct hc_diag *diag)
{
    return tar_read(archive, archive_len, files, ret_count, diag);
}

static void test_tar__two_files__their_names_and_bytes(void **state)
{
    (void)state;
    struct tar_file files[TAR_FILES_MAX];
    size_t count = 0;
    (void)add("nodes.yaml", "a: 1\n");
    (void)add("empty", "");
    archive_len += 2 * (size_t)BLOCK;
    assert_int_equal(read_all(files, &count, NULL), HC_OK);
    assert_int_equal(count, 2);
    assert_string_equal(files[0].name, "nodes.yaml");
    assert_int_equal(files[0].len, 5);
    assert_memory_equal(files[0].bytes, "a: 1\n", 5);
    assert_int_equal(files[1].len, 0);
}

static void test_tar__cut_at_every_byte__refused(void **state)
{
    (void)state;
    struct tar_file files[TAR_FILES_MAX];
    struct hc_diag diag = { "" };
    size_t count = 77;
    (void)add("nodes.yaml", "a: 1\n");
    (void)add("allocation.yaml", "b: 2\n");
    size_t whole = archive_len + BLOCK;
    for (archive_len = 0; archive_len < whole; archive_len++)
        assert_int_equal(read_all(files, &count, &diag), HC_ERR_SYNTAX);
    assert_int_equal(count, 77);
    assert_int_equal(read_all(files, &count, &diag), HC_OK);
}

static void test_tar__what_no_backup_has__refused(void **state)
{
    (void)state;
    static const struct { size_t at; char byte; bool sum; const char *says; } rows[] = {
        { 0, 'N', false, "no file" },           /* a flipped bit: the sum */
        { 257, 'X', true, "no file" },          /* no ustar */
        { 156, '5', true, "no backup has" },    /* a folder */
        { 156, '2', true, "no backup has" },    /* a link */
        { 345, '/', true, "no backup has" },    /* a prefix of the name */
        { 124, '7', true, "cut off" },          /* larger than there is */
        { 130, 'x', true, "no file" },          /* no number */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tar_file files[TAR_FILES_MAX];
        struct hc_diag diag = { "" };
        size_t count;
        (void)set_up(NULL);
        char *head = add("nodes.yaml", "a: 1\n");
        head[rows[i].at] = rows[i].byte;
        if (rows[i].sum)
            set_sum(head);
        archive_len += 2 * (size_t)BLOCK;
        assert_int_equal(read_all(files, &count, &diag), HC_ERR_SYNTAX);
        if (strstr(diag.text, rows[i].says) == NULL)
            fail_msg("row %zu: %s", i, diag.text);
    }
}

static void test_tar__one_name_twice_or_too_many__refused(void **state)
{
    (void)state;
    struct tar_file files[TAR_FILES_MAX];
    struct hc_diag diag = { "" };
    char name[16];
    size_t count;
    (void)add("nodes.yaml", "a");
    (void)add("nodes.yaml", "b");
    archive_len += 2 * (size_t)BLOCK;
    assert_int_equal(read_all(files, &count, &diag), HC_ERR_SYNTAX);
    assert_non_null(strstr(diag.text, "twice"));
    (void)set_up(NULL);
    for (int i = 0; i <= TAR_FILES_MAX; i++) {
        (void)snprintf(name, sizeof name, "f%d", i);
        (void)add(name, "x");
    }
    archive_len += 2 * (size_t)BLOCK;
    assert_int_equal(read_all(files, &count, &diag), HC_ERR_SYNTAX);
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_tar__two_files__their_names_and_bytes),
        TEST(test_tar__cut_at_every_byte__refused),
        TEST(test_tar__what_no_backup_has__refused),
        TEST(test_tar__one_name_twice_or_too_many__refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
