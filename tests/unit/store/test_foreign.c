#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "failing_disk.h"
#include "saving.h"

static struct rec *record(enum rec_kind kind, unsigned n)
{
    struct dice dice = { n * 17u + 3u };
    return random_record(&dice, kind, n);
}

/* A store on a folder with two saves behind it. */
struct started { struct store *store; struct alloc *model; };
static struct started start(const struct folder *folder)
{
    struct load_facts facts;
    struct started s = { .store = open_store(folder) };
    s.model = load_state(s.store, &facts);
    static const enum rec_kind kinds[] = { REC_BODY, REC_NODE };
    for (size_t i = 0; i < 2; i++) {
        struct test_cut cut;
        cut_start(&cut);
        cut_put(&cut, record(kinds[i], 3));
        struct save_result result = store_file_ops.save(s.store, &cut.cut);
        assert_outcome(&result, SAVE_DURABLE, SAVE_DURABLE);
        cut_apply(&cut, s.model, true, true);
        cut_free(&cut);
    }
    return s;
}
static void stop(struct started *s)
{
    alloc_free(s->model);
    store_close(s->store);
}

static void touch(const struct folder *folder, const char *name)
{
    const struct timespec times[2] = { { 1757000000, 0 }, { 1757000000, 0 } };
    assert_int_equal(utimensat(folder->fd, name, times, 0), 0);
}
static void edit(const struct folder *folder, const char *name)
{
    replace_text(folder, name, "schema_version: 2\n", "schema_version: 2 # by hand\n");
}
static void replace_by_copy(const struct folder *folder, const char *name)
{
    char *text = folder_get(folder, name);
    folder_put(folder, "copy", text);
    assert_int_equal(renameat(folder->fd, "copy", folder->fd, name), 0);
    free(text);
}

static void test_save__foreign_file__is_told_and_nothing_is_written(void **state)
{
    struct folder *folder = *state;
    void (*const changes[])(const struct folder *, const char *) = { touch, edit, replace_by_copy, folder_delete };
    struct started s = start(folder);
    for (size_t i = 0; i < 2 * sizeof changes / sizeof changes[0]; i++) {
        bool nodes = i % 2 == 0;
        const char *name = nodes ? "nodes.yaml" : "allocation.yaml", *other = nodes ? "allocation.yaml" : "nodes.yaml";
        char *before = folder_get(folder, other);
        changes[i / 2](folder, name);
        char *foreign = folder_get(folder, name);
        for (unsigned again = 0; again < 2; again++) {             /* until it is loaded, however often */
            struct test_cut cut;
            cut_start(&cut);
            cut_put(&cut, record(REC_BODY, 4));
            cut_put(&cut, record(REC_NODE, 4));
            struct save_result result = store_file_ops.save(s.store, &cut.cut);
            cut_free(&cut);
            assert_outcome(&result, nodes ? SAVE_FOREIGN : SAVE_NOT_WRITTEN, nodes ? SAVE_NOT_WRITTEN : SAVE_FOREIGN);
            assert_non_null(strstr(result.diag.text, name));
        }
        char *after = folder_get(folder, other), *left = folder_get(folder, name);
        assert_string_equal(before, after);
        assert_true(hc_same(foreign, left));
        free(before);
        free(after);
        free(foreign);
        free(left);
        if (changes[i / 2] == folder_delete)                       /* put it back: what is missing is another test's */
            folder_put(folder, name, nodes ? "generation: 1\nschema_version: 2\nend: 1\n" : "generation: 1\nschema_version: 2\nend: 1\n");
        struct load_facts facts;
        alloc_free(load_state(s.store, &facts));
        struct save_result result = save_rec(s.store, NULL);
        assert_outcome(&result, SAVE_DURABLE, SAVE_DURABLE);
    }
    stop(&s);
}

/* In place, of the same size, between our rename and our look at its stamp: only the text shows it. */
static void write_in_place(void *ctx)
{
    const struct folder *folder = ctx;
    int fd = openat(folder->fd, "allocation.yaml", O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, "generation: 9", 13, 0), 13);
    assert_int_equal(close(fd), 0);
}

static void test_save__edited_in_place_at_once__is_seen_by_its_generation(void **state)
{
    struct folder *folder = *state;
    struct started s = start(folder);
    assert_int_equal(store_file_ops.generation(s.store), 2);
    disk_after_rename(write_in_place, folder);
    struct save_result result = save_rec(s.store, NULL);
    assert_outcome(&result, SAVE_DURABLE, SAVE_DURABLE);
    result = save_rec(s.store, NULL);
    assert_outcome(&result, SAVE_NOT_WRITTEN, SAVE_FOREIGN);
    stop(&s);
}

static void make_foreign(void *ctx)
{
    touch(ctx, "allocation.yaml");
}

static void test_save__allocation_changed_while_nodes_are_written__is_seen(void **state)
{
    struct folder *folder = *state;
    struct started s = start(folder);
    struct test_cut cut;
    cut_start(&cut);
    cut_put(&cut, record(REC_BODY, 5));
    cut_put(&cut, record(REC_NODE, 5));
    disk_after_rename(make_foreign, folder);
    struct save_result result = store_file_ops.save(s.store, &cut.cut);
    assert_outcome(&result, SAVE_DURABLE, SAVE_FOREIGN);
    cut_free(&cut);
    stop(&s);
}

static void test_load__foreign_file__its_records_are_the_next_save(void **state)
{
    struct folder *folder = *state;
    struct started s = start(folder);
    struct alloc *other = random_state(99, 4);
    struct hc_buf text = { 0 };
    assert_int_equal(store_format_allocation(other, 1, SAVED_AT, &text), HC_OK);
    folder_put(folder, "allocation.yaml", text.data);              /* an old backup: its generation is below ours */
    hc_buf_free(&text);
    struct save_result result = save_rec(s.store, record(REC_BODY, 3));
    assert_outcome(&result, SAVE_NOT_WRITTEN, SAVE_FOREIGN);
    struct load_facts facts;
    struct alloc *loaded = load_state(s.store, &facts);
    assert_null(states_differ(loaded, other, true, false));
    assert_null(states_differ(loaded, s.model, false, true));
    assert_int_equal(loaded->generation, 1);
    struct test_cut cut;
    cut_start(&cut);
    cut_put(&cut, record(REC_BODY, 7));
    result = store_file_ops.save(s.store, &cut.cut);
    assert_outcome(&result, SAVE_DURABLE, SAVE_DURABLE);
    cut_apply(&cut, loaded, true, true);
    cut_free(&cut);
    assert_on_disk(folder, loaded, 3, 2);                          /* not 2 again: no generation is written twice */
    alloc_free(loaded);
    alloc_free(other);
    stop(&s);
}

static void test_load__foreign_file_refused__is_left_alone_until_it_is_good(void **state)
{
    struct folder *folder = *state;
    struct started s = start(folder);
    char *good = folder_get(folder, "allocation.yaml");
    replace_text(folder, "allocation.yaml", "streams: {}", "streamz: {}");
    for (unsigned again = 0; again < 3; again++) {
        struct save_result result = save_rec(s.store, record(REC_BODY, 3));
        assert_outcome(&result, SAVE_NOT_WRITTEN, SAVE_FOREIGN);
        struct alloc *loaded = NULL;
        struct load_facts facts;
        struct hc_diag diag = { "" };
        assert_int_equal(store_file_ops.load(s.store, NULL, &loaded, &facts, &diag), HC_ERR_SCHEMA);
        assert_null(loaded);
        assert_non_null(strstr(diag.text, "allocation.yaml:"));
        assert_non_null(strstr(diag.text, ": streamz: unknown key"));
    }
    folder_put(folder, "allocation.yaml", good);
    free(good);
    struct load_facts facts;
    struct alloc *loaded = load_state(s.store, &facts);
    assert_null(states_differ(loaded, s.model, true, true));
    struct save_result result = save_rec(s.store, NULL);
    assert_outcome(&result, SAVE_DURABLE, SAVE_DURABLE);
    assert_on_disk(folder, s.model, 3, 2);
    alloc_free(loaded);
    stop(&s);
}

static void test_load__visible_then_loaded_again__still_has_to_be_proven(void **state)
{
    struct folder *folder = *state;
    struct started s = start(folder);
    disk_fail(DISK_SYNC_FOLDER, 1, EIO);
    struct save_result result = save_rec(s.store, record(REC_NODE, 4));
    assert_outcome(&result, SAVE_VISIBLE, SAVE_NOT_WRITTEN);
    struct load_facts facts;
    alloc_free(load_state(s.store, &facts));
    result = save_rec(s.store, record(REC_BODY, 4));
    assert_outcome(&result, SAVE_DURABLE, SAVE_DURABLE);
    assert_int_equal(generation_of(folder, "nodes.yaml"), 4);      /* 3 was visible */
    stop(&s);
}

static void test_load__memory_fails__store_is_as_before(void **state)
{
    struct folder *folder = *state;
    struct started s = start(folder);
    enum hc_err err = HC_ERR_NOMEM;
    unsigned n = 0;
    while (err != HC_OK && n < 5000) {
        struct alloc *loaded = NULL;
        struct load_facts facts;
        struct hc_diag diag = { "" };
        hc_alloc_fail_after(++n);
        err = store_file_ops.load(s.store, NULL, &loaded, &facts, &diag);
        hc_alloc_fail_after(0);
        assert_true(err == HC_OK || (err == HC_ERR_NOMEM && loaded == NULL && diag.text[0] != '\0'));
        alloc_free(loaded);
        if (n % 16 == 0) {
            struct save_result result = save_rec(s.store, NULL);
            assert_outcome(&result, SAVE_DURABLE, SAVE_DURABLE);
        }
    }
    assert_int_equal(err, HC_OK);
    assert_true(n > 20);
    assert_on_disk(folder, s.model, store_file_ops.generation(s.store), 2);
    stop(&s);
}

static int setup(void **state)
{
    disk_heal();
    return folder_init(state);
}
static int teardown(void **state)
{
    disk_heal();
    hc_alloc_fail_after(0);
    return folder_remove(state);
}
#define FOLDER_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(test_save__foreign_file__is_told_and_nothing_is_written),
        FOLDER_TEST(test_save__edited_in_place_at_once__is_seen_by_its_generation),
        FOLDER_TEST(test_save__allocation_changed_while_nodes_are_written__is_seen),
        FOLDER_TEST(test_load__foreign_file__its_records_are_the_next_save),
        FOLDER_TEST(test_load__foreign_file_refused__is_left_alone_until_it_is_good),
        FOLDER_TEST(test_load__visible_then_loaded_again__still_has_to_be_proven),
        FOLDER_TEST(test_load__memory_fails__store_is_as_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
