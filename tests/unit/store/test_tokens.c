#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folder.h"
#include "hydra/base/arena.h"
#include "hydra/os/file.h"
#include "hydra/store/tokens.h"

#define HASH_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define HASH_B "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
static const hc_time then = { 1757000000042 }, later = { 1757000060042 };

static void test_tokens__no_file__is_an_empty_list(void **state)
{
    struct folder *folder = *state;
    struct token_list list;
    assert_int_equal(tokens_read(folder->path, &list, NULL), HC_OK);
    assert_int_equal(list.count, 0);
    token_list_free(&list);
}

static void test_tokens__added_and_revoked__file_says_so(void **state)
{
    struct folder *folder = *state;
    struct hc_diag diag = { "" };
    struct token_list list;
    assert_int_equal(tokens_add(folder->path, TOKEN_ADMIN, "first", HASH_A, then, &diag), HC_OK);
    assert_int_equal(tokens_add(folder->path, TOKEN_FLEET, "1e5", HASH_B, later, &diag), HC_OK);
    assert_int_equal(tokens_add(folder->path, TOKEN_READ, "first", HASH_B, later, &diag), HC_ERR_EXISTS);
    assert_int_equal(tokens_read(folder->path, &list, &diag), HC_OK);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.rows[0].id, "first");
    assert_int_equal(list.rows[0].kind, TOKEN_ADMIN);
    assert_string_equal(list.rows[0].hash, HASH_A);
    assert_int_equal(list.rows[0].created_at.ms, then.ms);
    assert_false(hc_time_set(list.rows[0].last_used_at));
    assert_string_equal(list.rows[1].id, "1e5");
    assert_string_equal(list.rows[1].hash, HASH_B);
    token_list_free(&list);
    assert_int_equal(folder_mode(folder, "tokens.yaml"), 0600);
    assert_int_equal(tokens_revoke(folder->path, "other", &diag), HC_ERR_NOTFOUND);
    assert_non_null(strstr(diag.text, "other"));
    assert_int_equal(tokens_revoke(folder->path, "first", &diag), HC_OK);
    assert_int_equal(tokens_read(folder->path, &list, &diag), HC_OK);
    assert_int_equal(list.count, 1);
    assert_string_equal(list.rows[0].id, "1e5");
    token_list_free(&list);
}

static void test_tokens__used__only_later_uses_are_written(void **state)
{
    struct folder *folder = *state;
    struct token_list list;
    struct token_row used[2] = { { .id = "a", .last_used_at = later }, { .id = "gone", .last_used_at = later } };
    assert_int_equal(tokens_add(folder->path, TOKEN_READ, "a", HASH_A, then, NULL), HC_OK);
    assert_int_equal(tokens_used(folder->path, used, 2, NULL), HC_OK);
    struct tokens_seen seen = { { 0 } };
    assert_true(tokens_changed(folder->path, &seen));
    used[0].last_used_at = then;
    assert_int_equal(tokens_used(folder->path, used, 2, NULL), HC_OK);
    assert_false(tokens_changed(folder->path, &seen));        /* nothing to write: not written */
    assert_int_equal(tokens_read(folder->path, &list, NULL), HC_OK);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.rows[0].last_used_at.ms, later.ms);
    token_list_free(&list);
}

static void test_tokens__changed__is_seen_once(void **state)
{
    struct folder *folder = *state;
    struct tokens_seen seen = { { 0 } };
    assert_false(tokens_changed(folder->path, &seen));        /* no file yet */
    assert_int_equal(tokens_add(folder->path, TOKEN_READ, "a", HASH_A, then, NULL), HC_OK);
    assert_true(tokens_changed(folder->path, &seen));
    assert_false(tokens_changed(folder->path, &seen));
    assert_int_equal(tokens_revoke(folder->path, "a", NULL), HC_OK);
    assert_true(tokens_changed(folder->path, &seen));
    folder_delete(folder, "tokens.yaml");
    assert_true(tokens_changed(folder->path, &seen));
    assert_false(tokens_changed("/nonexistent/folder", &seen));
}

static void test_tokens__full__is_refused(void **state)
{
    struct folder *folder = *state;
    struct hc_diag diag;
    char *text = malloc((size_t)TOKENS_MAX * 128);
    assert_non_null(text);
    size_t len = (size_t)snprintf(text, 128, "generation: 7\nschema_version: 2\ntokens:\n");
    for (int i = 0; i < TOKENS_MAX; i++)
        len += (size_t)snprintf(text + len, 128, "  - {id: t%d, kind: read, hash: %s}\n", i, HASH_A);
    (void)snprintf(text + len, 128, "end: 7\n");
    folder_put(folder, "tokens.yaml", text);
    free(text);
    assert_int_equal(tokens_add(folder->path, TOKEN_READ, "one-more", HASH_A, then, &diag), HC_ERR_LIMIT);
    assert_int_equal(tokens_revoke(folder->path, "t9", &diag), HC_OK);
    assert_int_equal(tokens_add(folder->path, TOKEN_READ, "one-more", HASH_A, then, &diag), HC_OK);
}

static void test_tokens__bad_file__is_refused_with_its_place(void **state)
{
    struct folder *folder = *state;
    static const struct { const char *text, *message; } cases[] = {
        { "", "tokens.yaml:1:1: generation: is required" },
        { "generation: 1\nschema_version: 2\ntokens: []\n", "tokens.yaml:4:1: end: must be the last key" },
        { "generation: 1\nschema_version: 2\ntokens: []\nend: 2\n", "tokens.yaml:4:6: end: must be the generation, 1" },
        { "generation: 1\nschema_version: 3\ntokens: []\nend: 1\n", "tokens.yaml:2:17: schema_version: is 3" },
        { "generation: 1\nschema_version: 2\ntokens:\n  - id: a\n    kind: root\n    hash: x\nend: 1\n",
          "tokens.yaml:5:11: tokens[0].kind: " },
        { "generation: 1\nschema_version: 2\ntokens:\n  - {id: a, kind: read, hash: abc}\nend: 1\n",
          "tokens.yaml:4:5: hash: must have 64" },
        { "generation: 1\nschema_version: 2\nsaved_at: 2026-09-04T11:43:18Z\nend: 1\n", "tokens.yaml:3:1: saved_at: unknown key" },
        { "generation: 1\nschema_version: 2\ntokens:\n  - {id: a, kind: read, hash: " HASH_A "}\n"
          "  - {id: a, kind: read, hash: " HASH_B "}\nend: 1\n",
          "tokens.yaml:5:5: id: a is there twice" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hc_diag diag = { "" };
        struct token_list list;
        folder_put(folder, "tokens.yaml", cases[i].text);
        assert_int_equal(tokens_read(folder->path, &list, &diag), HC_ERR_SCHEMA);
        if (strncmp(diag.text, cases[i].message, strlen(cases[i].message)) != 0)
            fail_msg("%zu: %s", i, diag.text);
        assert_int_equal(tokens_add(folder->path, TOKEN_READ, "b", HASH_A, then, &diag), HC_ERR_SCHEMA);
        char *left = folder_get(folder, "tokens.yaml");
        assert_string_equal(left, cases[i].text);             /* never overwritten */
        free(left);
    }
}

static void test_tokens__no_folder__is_said(void **state)
{
    (void)state;
    struct hc_diag diag;
    struct token_list list;
    assert_int_equal(tokens_read("/nonexistent/folder", &list, &diag), HC_ERR_NOTFOUND);
    assert_int_equal(tokens_add("/nonexistent/folder", TOKEN_READ, "a", HASH_A, then, &diag), HC_ERR_NOTFOUND);
}

static void test_tokens__memory_fails__nothing_changes(void **state)
{
    struct folder *folder = *state;
    assert_int_equal(tokens_add(folder->path, TOKEN_READ, "a", HASH_A, then, NULL), HC_OK);
    char *before = folder_get(folder, "tokens.yaml");
    unsigned n = 0;
    enum hc_err err = HC_ERR_NOMEM;
    while (err != HC_OK && n < 200) {
        char *now = folder_get(folder, "tokens.yaml");
        assert_string_equal(now, before);
        free(now);
        hc_alloc_fail_after(++n);
        err = tokens_add(folder->path, TOKEN_READ, "b", HASH_A, then, NULL);
        hc_alloc_fail_after(0);
        assert_true(err == HC_OK || err == HC_ERR_NOMEM);
    }
    assert_int_equal(err, HC_OK);
    assert_true(n > 5);
    free(before);
}

static void test_tokens__locked_by_another__waits_for_it(void **state)
{
    struct folder *folder = *state;
    int lock_fd = -1;
    assert_int_equal(os_lock_take(folder->fd, "tokens.yaml.lock", &lock_fd, NULL, NULL), HC_OK);
    int done[2];
    assert_int_equal(pipe(done), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        os_close(&lock_fd);
        char ok = tokens_add(folder->path, TOKEN_READ, "child", HASH_A, then, NULL) == HC_OK ? 'y' : 'n';
        _exit(write(done[1], &ok, 1) == 1 ? 0 : 1);
    }
    struct token_list list;
    assert_int_equal(tokens_read(folder->path, &list, NULL), HC_OK);      /* reading needs no lock */
    assert_int_equal(list.count, 0);
    token_list_free(&list);
    os_close(&lock_fd);
    char ok = 0;
    assert_int_equal(read(done[0], &ok, 1), 1);                           /* bounded: the child waits five seconds at most */
    assert_int_equal(ok, 'y');
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(close(done[0]), 0);
    assert_int_equal(close(done[1]), 0);
}

static void test_token_kind__words__round_trip(void **state)
{
    (void)state;
    for (int kind = 0; kind < TOKEN_KINDS; kind++)
        assert_int_equal(token_kind_find(token_kind_word((enum token_kind)kind)), kind);
    assert_int_equal(token_kind_find("root"), -1);
}

#define FOLDER_TEST(name) cmocka_unit_test_setup_teardown(name, folder_empty, folder_remove)
int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(test_tokens__no_file__is_an_empty_list),
        FOLDER_TEST(test_tokens__added_and_revoked__file_says_so),
        FOLDER_TEST(test_tokens__used__only_later_uses_are_written),
        FOLDER_TEST(test_tokens__changed__is_seen_once),
        FOLDER_TEST(test_tokens__full__is_refused),
        FOLDER_TEST(test_tokens__bad_file__is_refused_with_its_place),
        FOLDER_TEST(test_tokens__no_folder__is_said),
        FOLDER_TEST(test_tokens__memory_fails__nothing_changes),
        FOLDER_TEST(test_tokens__locked_by_another__waits_for_it),
        cmocka_unit_test(test_token_kind__words__round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
