/* test_upgrade.c - files that are missing, or that an older binary wrote (rules §3.6, §3.7). */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failing_disk.h"
#include "saving.h"

#define OLDER "nodes:\n" \
    "  node-1: {name: north, role: body, venue: v1, body_version: 1.2.3, xr_session: {state: armed, since: [1, 2]}}\n" \
    "  node-2: {name: ipad, role: head, stream: {stream_url: 'moonlight://x', quality: high}}\n" \
    "districts: {d1: {sunshine_username: u}}\n" \
    "experiences: {rupelmonde: {label: Rupelmonde, thumbnail: a.png}}\n"

static size_t copies(const struct folder *folder, char *ret_name, size_t size)
{
    size_t count = 0;
    DIR *dir = opendir(folder->path);
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir))
        if (strncmp(entry->d_name, "nodes.yaml.before-upgrade-", 26) == 0) {
            (void)snprintf(ret_name, size, "%s", entry->d_name);
            count++;
        }
    (void)closedir(dir);
    return count;
}

static void test_load__older_nodes__leniently_and_once_copied(void **state)
{
    struct folder *folder = *state;
    folder_put(folder, "nodes.yaml", OLDER);
    struct store *store = open_store(folder);
    struct load_facts facts;
    char name[300];
    for (unsigned again = 0; again < 2; again++) {
        struct alloc *alloc = load_state(store, &facts);
        assert_true(facts.downgrade);
        assert_false(facts.allocation_missing);
        const struct node_rec *node = alloc_node(alloc, "node-1");
        assert_non_null(node);
        assert_string_equal(node->name, "north");
        assert_int_equal(node->roles, ROLE_BODY);
        assert_int_equal(node->approval, APPROVAL_APPROVED);
        assert_string_equal(alloc_node(alloc, "node-2")->rare->stream.stream_url, "moonlight://x");
        assert_string_equal(alloc_experience(alloc, "rupelmonde")->label, "Rupelmonde");
        alloc_free(alloc);
        assert_int_equal(copies(folder, name, sizeof name), 1);
    }
    char *copy = folder_get(folder, name);
    assert_string_equal(copy, OLDER);
    free(copy);
    store_close(store);
}

static void test_save__after_older_nodes__safe_mode_is_on_disk_before_the_key(void **state)
{
    struct folder *folder = *state;
    folder_put(folder, "nodes.yaml", OLDER);
    struct store *store = open_store(folder);
    struct load_facts facts;
    struct alloc *alloc = load_state(store, &facts);
    struct district_rec *district = (struct district_rec *)rec_new(REC_DISTRICT, "d1");
    district->safe_mode = SAFE_DOWNGRADE;
    district->safe_since = SAVED_AT;
    struct test_cut cut;
    cut_start(&cut);
    cut_put(&cut, &district->rec);
    static const enum disk_call faults[] = { DISK_CREATE, DISK_WRITE, DISK_SYNC_FILE, DISK_RENAME, DISK_SYNC_FOLDER };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        disk_fail(faults[i], 1, EIO);
        struct save_result result = store_file_ops.save(store, &cut.cut);
        disk_heal();
        assert_outcome(&result, SAVE_NOT_WRITTEN, faults[i] == DISK_SYNC_FOLDER ? SAVE_VISIBLE : SAVE_NOT_WRITTEN);
        char *text = folder_get(folder, "nodes.yaml");
        assert_string_equal(text, OLDER);
        free(text);
    }
    disk_fail(DISK_SYNC_FILE, 2, EIO);              /* the second file is nodes.yaml */
    struct save_result result = store_file_ops.save(store, &cut.cut);
    disk_heal();
    assert_outcome(&result, SAVE_NOT_WRITTEN, SAVE_DURABLE);
    result = store_file_ops.save(store, &cut.cut);
    assert_outcome(&result, SAVE_DURABLE, SAVE_DURABLE);
    cut_apply(&cut, alloc, true, true);
    cut_free(&cut);
    assert_on_disk(folder, alloc, 4, 1);            /* 1 was init's; 2 was visible, 3 had no nodes.yaml with it */
    alloc_free(alloc);
    store_close(store);
    store = open_store(folder);
    alloc_free(load_state(store, &facts));
    assert_false(facts.downgrade);
    store_close(store);
}

static void test_load__copy_cannot_be_kept__is_a_failure(void **state)
{
    struct folder *folder = *state;
    folder_put(folder, "nodes.yaml", OLDER);
    struct store *store = open_store(folder);
    struct load_facts facts;
    struct alloc *alloc = NULL;
    struct hc_diag diag = { "" };
    disk_fail(DISK_SYNC_FILE, 1, ENOSPC);
    assert_int_equal(store_file_ops.load(store, NULL, &alloc, &facts, &diag), HC_ERR_IO);
    assert_null(alloc);
    assert_true(diag.text[0] != '\0');
    disk_heal();
    alloc = load_state(store, &facts);
    assert_true(facts.downgrade);
    alloc_free(alloc);
    store_close(store);
}

static void test_load__own_file_without_the_key__is_older_too(void **state)
{
    struct folder *folder = *state;
    replace_text(folder, "nodes.yaml", "schema_version: 2\n", "");
    struct store *store = open_store(folder);
    struct load_facts facts;
    struct alloc *alloc = load_state(store, &facts);
    assert_true(facts.downgrade);
    struct save_result result = save_rec(store, NULL);
    assert_outcome(&result, SAVE_DURABLE, SAVE_DURABLE);
    assert_on_disk(folder, alloc, 2, 2);            /* also a registry without a node gets its key back */
    alloc_free(alloc);
    store_close(store);
}

static const char node_file[] = "generation: 4\nschema_version: 2\nnodes: {b1: {role: %s, approval: approved}}\nend: 4\n";

static void test_load__allocation_missing__matters_when_a_body_is_known(void **state)
{
    struct folder *folder = *state;
    static const struct { const char *role; bool missing; } cases[] = { { "body", true }, { "both", true }, { "head", false } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[200];
        (void)snprintf(text, sizeof text, node_file, cases[i].role);
        folder_put(folder, "nodes.yaml", text);
        if (folder_has(folder, "allocation.yaml"))
            folder_delete(folder, "allocation.yaml");
        struct store *store = open_store(folder);
        struct load_facts facts;
        struct alloc *alloc = load_state(store, &facts);
        assert_int_equal(facts.allocation_missing, cases[i].missing);
        assert_false(hc_time_set(facts.saved_at));
        assert_int_equal(alloc->generation, 0);
        struct save_result result = save_rec(store, NULL);
        assert_outcome(&result, SAVE_DURABLE, SAVE_DURABLE);
        assert_int_equal(generation_of(folder, "allocation.yaml"), 1);
        alloc_free(alloc);
        store_close(store);
    }
}

static void test_load__nodes_missing__only_without_bodies(void **state)
{
    struct folder *folder = *state;
    folder_delete(folder, "nodes.yaml");
    struct store *store = open_store(folder);
    struct load_facts facts;
    struct alloc *alloc = load_state(store, &facts);
    assert_int_equal(alloc_count(alloc, REC_NODE), 0);
    alloc_free(alloc);
    struct save_result result = save_rec(store, NULL);
    assert_outcome(&result, SAVE_DURABLE, SAVE_DURABLE);
    assert_int_equal(generation_of(folder, "nodes.yaml"), 1);
    struct dice dice = { 1 };
    result = save_rec(store, random_record(&dice, REC_BODY, 3));
    assert_outcome(&result, SAVE_DURABLE, SAVE_DURABLE);
    folder_delete(folder, "nodes.yaml");
    struct hc_diag diag = { "" };
    assert_int_equal(store_file_ops.load(store, NULL, &alloc, &facts, &diag), HC_ERR_SCHEMA);
    assert_non_null(strstr(diag.text, "nodes.yaml:1:1: nodes: the file is missing"));
    store_close(store);
}

static void test_load__both_missing__is_an_empty_store(void **state)
{
    struct folder *folder = *state;
    folder_delete(folder, "nodes.yaml");
    folder_delete(folder, "allocation.yaml");
    struct store *store = open_store(folder);
    struct load_facts facts;
    struct alloc *alloc = load_state(store, &facts);
    assert_false(facts.allocation_missing || facts.downgrade);
    struct save_result result = save_rec(store, NULL);
    assert_outcome(&result, SAVE_DURABLE, SAVE_DURABLE);
    assert_on_disk(folder, alloc, 1, 1);
    alloc_free(alloc);
    store_close(store);
}

static int setup(void **state)
{
    disk_heal();
    return folder_init(state);
}
static int teardown(void **state)
{
    disk_heal();
    return folder_remove(state);
}
#define FOLDER_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(test_load__older_nodes__leniently_and_once_copied),
        FOLDER_TEST(test_save__after_older_nodes__safe_mode_is_on_disk_before_the_key),
        FOLDER_TEST(test_load__copy_cannot_be_kept__is_a_failure),
        FOLDER_TEST(test_load__own_file_without_the_key__is_older_too),
        FOLDER_TEST(test_load__allocation_missing__matters_when_a_body_is_known),
        FOLDER_TEST(test_load__nodes_missing__only_without_bodies),
        FOLDER_TEST(test_load__both_missing__is_an_empty_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
