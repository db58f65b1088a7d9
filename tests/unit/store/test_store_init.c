#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "hydra/base/arena.h"
#include "hydra/os/file.h"
#include "hydra/store/store.h"

static void test_init__new_folder__has_everything_private(void **state)
{
    struct folder *folder = *state;
    char path[128];
    (void)snprintf(path, sizeof path, "%s/data", folder->path);
    assert_int_equal(store_init(path, NULL), HC_OK);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    static const char *const names[] = { "data/allocation.yaml", "data/nodes.yaml", "data/secret", "data/allocation.yaml.lock" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(folder_mode(folder, names[i]), 0600);
        char file[256];
        (void)snprintf(file, sizeof file, "%s/%s", folder->path, names[i]);
        assert_int_equal(unlink(file), 0);
    }
}

static void test_init__files__are_empty_and_whole(void **state)
{
    struct folder *folder = *state;
    assert_int_equal(store_init(folder->path, NULL), HC_OK);
    char *text = folder_get(folder, "nodes.yaml");
    assert_string_equal(text, "generation: 1\nschema_version: 2\nnodes: {}\nvenues: {}\norgs: {}\nexperiences: {}\n# lines: 6\nend: 1\n");
    free(text);
    text = folder_get(folder, "allocation.yaml");
    assert_string_equal(text, "generation: 1\nschema_version: 2\nsafe_modes: {}\nlatches: {}\nbodies: {}\nstreams: {}\ntickets: {}\n"
                              "caps:\n  venues: {}\n  orgs: {}\ndemotions: []\nattempts: []\n# lines: 12\nend: 1\n");
    free(text);
}

static void test_init__secret_there__changes_nothing(void **state)
{
    struct folder *folder = *state;
    uint8_t first[32] = { 0 }, second[32] = { 0 };
    static const uint8_t zeros[32];
    struct hc_diag diag;
    assert_int_equal(store_init(folder->path, &diag), HC_OK);
    assert_int_equal(store_secret(folder->path, first, &diag), HC_OK);
    assert_memory_not_equal(first, zeros, sizeof zeros);
    folder_delete(folder, "nodes.yaml");
    assert_int_equal(store_init(folder->path, &diag), HC_ERR_EXISTS);
    assert_false(folder_has(folder, "nodes.yaml"));
    assert_int_equal(store_secret(folder->path, second, &diag), HC_OK);
    assert_memory_equal(first, second, sizeof first);
}

static void test_init__data_but_no_secret__keeps_the_data(void **state)
{
    struct folder *folder = *state;
    folder_put(folder, "allocation.yaml", "all that is left\n");
    assert_int_equal(store_init(folder->path, NULL), HC_OK);
    char *text = folder_get(folder, "allocation.yaml");
    assert_string_equal(text, "all that is left\n");
    free(text);
}

static void test_init__folder_in_use__is_refused(void **state)
{
    struct folder *folder = *state;
    struct store *store;
    struct hc_diag diag;
    assert_int_equal(store_open(folder->path, &store, &diag), HC_OK);
    assert_int_equal(store_init(folder->path, &diag), HC_ERR_LOCKED);
    assert_false(folder_has(folder, "secret"));
    assert_null(store_close(store));
}

static void test_secret__missing_or_short__is_said(void **state)
{
    struct folder *folder = *state;
    uint8_t secret[32];
    struct hc_diag diag;
    assert_int_equal(store_secret(folder->path, secret, &diag), HC_ERR_NOTFOUND);
    assert_non_null(strstr(diag.text, "hydraclusterd init"));
    folder_put(folder, "secret", "short");
    assert_int_equal(store_secret(folder->path, secret, &diag), HC_ERR_SCHEMA);
    folder_put(folder, "secret", "this one is longer than thirty-two bytes");
    assert_int_equal(store_secret(folder->path, secret, &diag), HC_ERR_SCHEMA);
    assert_non_null(strstr(diag.text, "secret must have 32 bytes"));
}

static void test_init__memory_fails__can_be_run_again(void **state)
{
    struct folder *folder = *state;
    enum hc_err err = HC_ERR_NOMEM;
    unsigned n = 0;
    while (err != HC_OK && n < 200) {
        assert_false(folder_has(folder, "secret"));
        hc_alloc_fail_after(++n);
        err = store_init(folder->path, NULL);
        hc_alloc_fail_after(0);
        assert_true(err == HC_OK || err == HC_ERR_NOMEM);
    }
    assert_int_equal(err, HC_OK);
    assert_true(n > 5);
}

#define FOLDER_TEST(name) cmocka_unit_test_setup_teardown(name, folder_empty, folder_remove)
int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(test_init__new_folder__has_everything_private),
        FOLDER_TEST(test_init__files__are_empty_and_whole),
        FOLDER_TEST(test_init__secret_there__changes_nothing),
        FOLDER_TEST(test_init__data_but_no_secret__keeps_the_data),
        FOLDER_TEST(test_init__folder_in_use__is_refused),
        FOLDER_TEST(test_secret__missing_or_short__is_said),
        FOLDER_TEST(test_init__memory_fails__can_be_run_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
