#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "failing_disk.h"
#include "saving.h"

#define ROUNDS 300

static struct rec *record(enum rec_kind kind, unsigned n)
{
    struct dice dice = { n * 31u + 7u };
    return random_record(&dice, kind, n);
}

static struct stat stat_of(const struct folder *folder, const char *name)
{
    struct stat st;
    assert_int_equal(fstatat(folder->fd, name, &st, 0), 0);
    return st;
}

static void test_open__twice__second_is_told_who_has_it(void **state)
{
    struct folder *folder = *state;
    struct store *store = open_store(folder), *second = NULL;
    struct hc_diag diag = { "" };
    char pid[24];
    (void)snprintf(pid, sizeof pid, "%ld", (long)getpid());
    assert_int_equal(store_open(folder->path, &second, &diag), HC_ERR_LOCKED);
    assert_non_null(strstr(diag.text, pid));
    assert_null(second);
    assert_null(store_close(store));
    assert_null(store_close(open_store(folder)));
    assert_null(store_close(NULL));
    assert_int_equal(store_open("/nonexistent/folder", &second, &diag), HC_ERR_NOTFOUND);
}

static void test_save__only_what_the_cut_touches__is_written(void **state)
{
    struct folder *folder = *state;
    struct store *store = open_store(folder);
    struct load_facts facts;
    struct alloc *model = load_state(store, &facts);
    assert_false(facts.downgrade || facts.allocation_missing || hc_time_set(facts.saved_at));
    assert_int_equal(store_file_ops.generation(store), 1);
    struct stat nodes = stat_of(folder, "nodes.yaml");
    struct save_result result = save_rec(store, record(REC_BODY, 3));
    assert_outcome(&result, SAVE_DURABLE, SAVE_DURABLE);
    assert_int_equal(stat_of(folder, "nodes.yaml").st_ino, nodes.st_ino);
    assert_int_equal(generation_of(folder, "nodes.yaml"), 1);
    assert_int_equal(store_file_ops.generation(store), 2);
    struct stat allocation = stat_of(folder, "allocation.yaml");
    result = save_rec(store, record(REC_NODE, 3));
    assert_outcome(&result, SAVE_DURABLE, SAVE_DURABLE);
    assert_int_equal(stat_of(folder, "allocation.yaml").st_ino, allocation.st_ino);
    assert_int_equal(generation_of(folder, "nodes.yaml"), 2);
    result = save_rec(store, NULL);                      /* a cut of nothing proves that the disk works */
    assert_outcome(&result, SAVE_DURABLE, SAVE_DURABLE);
    assert_int_equal(generation_of(folder, "allocation.yaml"), 3);
    assert_int_equal(generation_of(folder, "nodes.yaml"), 2);
    assert_int_equal(folder_mode(folder, "allocation.yaml"), 0600);
    assert_int_equal(folder_mode(folder, "nodes.yaml"), 0600);
    alloc_free(model);
    store_close(store);
}

static void random_cut(struct dice *dice, const struct alloc *model, struct test_cut *cut)
{
    cut_start(cut);
    for (uint32_t n = dice_below(dice, 6); n > 0; n--) {
        enum rec_kind kind = (enum rec_kind)dice_below(dice, REC_SAVED_KINDS);
        if (dice_below(dice, 3) == 0 && alloc_count(model, kind) > 0)
            cut_remove(cut, kind, alloc_at(model, kind, dice_below(dice, (uint32_t)alloc_count(model, kind)))->key);
        else
            cut_put(cut, random_record(dice, kind, dice_below(dice, 9)));
    }
}

static bool touches(const struct test_cut *cut, bool nodes)
{
    for (size_t i = 0; i < cut->cut.count; i++)
        if (rec_in_nodes_file(cut->items[i].kind) == nodes)
            return true;
    return false;
}

/* The heart of it: cuts, some of which fail anywhere, and after each the files are byte for byte the model to which only
 * the renamed ones went. */
static void test_save__random_cuts_and_faults__disk_has_what_was_said(void **state)
{
    struct folder *folder = *state;
    struct store *store = open_store(folder);
    struct load_facts facts;
    struct alloc *model = load_state(store, &facts);
    struct dice dice = { 20260904 };
    uint64_t generation = 1, nodes_generation = 1;
    unsigned outcomes[4] = { 0 };
    bool nodes_due = false, allocation_due = true;       /* also the empty file has no saved_at yet */
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct test_cut cut;
        random_cut(&dice, model, &cut);
        if (round > 0 && dice_below(&dice, 2) == 0)
            disk_fail((enum disk_call)dice_below(&dice, DISK_CALLS), 1 + dice_below(&dice, 2), dice_below(&dice, 2) == 0 ? ENOSPC : EIO);
        if (round > 0 && dice_below(&dice, 8) == 0)
            hc_alloc_fail_after(1 + dice_below(&dice, 30));
        struct save_result result = store_file_ops.save(store, &cut.cut);
        hc_alloc_fail_after(0);
        disk_heal();
        assert_true(result.nodes != SAVE_FOREIGN && result.allocation != SAVE_FOREIGN);
        assert_true(result.nodes == SAVE_DURABLE || result.allocation == SAVE_NOT_WRITTEN);
        bool write_nodes = touches(&cut, true) || nodes_due;
        bool write_allocation = touches(&cut, false) || cut.cut.count == 0 || allocation_due;
        bool nodes_renamed = write_nodes && result.nodes != SAVE_NOT_WRITTEN;
        bool allocation_renamed = write_allocation && result.allocation != SAVE_NOT_WRITTEN;
        assert_true(result.diag.text[0] != '\0' || (result.nodes == SAVE_DURABLE && result.allocation == SAVE_DURABLE));
        cut_apply(&cut, model, allocation_renamed, nodes_renamed);
        generation += allocation_renamed;
        nodes_generation += nodes_renamed;
        if (nodes_renamed)
            nodes_due = result.nodes == SAVE_VISIBLE;
        if (allocation_renamed)
            allocation_due = result.allocation == SAVE_VISIBLE;
        assert_on_disk(folder, model, generation, nodes_generation);
        assert_int_equal(store_file_ops.generation(store), generation);
        outcomes[result.allocation]++;
        cut_free(&cut);
    }
    assert_true(outcomes[SAVE_DURABLE] > 50 && outcomes[SAVE_NOT_WRITTEN] > 20 && outcomes[SAVE_VISIBLE] > 5);
    alloc_free(model);
    store_close(store);
}

static void test_save__then_another_start__has_the_same(void **state)
{
    struct folder *folder = *state;
    struct store *store = open_store(folder);
    struct load_facts facts;
    struct alloc *model = load_state(store, &facts);
    for (int kind = 0; kind < REC_SAVED_KINDS; kind++) {
        struct test_cut cut;
        cut_start(&cut);
        for (unsigned n = 0; n < 5; n++)
            cut_put(&cut, record((enum rec_kind)kind, n));
        struct save_result result = store_file_ops.save(store, &cut.cut);
        assert_outcome(&result, SAVE_DURABLE, SAVE_DURABLE);
        cut_apply(&cut, model, true, true);
        cut_free(&cut);
    }
    store_close(store);
    store = open_store(folder);
    struct alloc *back = load_state(store, &facts);
    assert_null(states_differ(model, back, true, true));
    assert_int_equal(facts.saved_at.ms, SAVED_AT.ms);
    assert_int_equal(back->generation, store_file_ops.generation(store));
    assert_int_equal(back->generation, generation_of(folder, "allocation.yaml"));
    assert_int_equal(back->nodes_generation, generation_of(folder, "nodes.yaml"));
    alloc_free(model);
    alloc_free(back);
    store_close(store);
}

static void test_save__each_fault_of_the_disk__ends_as_it_must(void **state)
{
    static const struct { enum disk_call call; unsigned n; enum save_outcome nodes, allocation; } cases[] = {
        { DISK_CREATE, 1, SAVE_NOT_WRITTEN, SAVE_NOT_WRITTEN },      { DISK_CREATE, 2, SAVE_DURABLE, SAVE_NOT_WRITTEN },
        { DISK_WRITE, 1, SAVE_NOT_WRITTEN, SAVE_NOT_WRITTEN },       { DISK_WRITE, 2, SAVE_DURABLE, SAVE_NOT_WRITTEN },
        { DISK_SYNC_FILE, 1, SAVE_NOT_WRITTEN, SAVE_NOT_WRITTEN },   { DISK_SYNC_FILE, 2, SAVE_DURABLE, SAVE_NOT_WRITTEN },
        { DISK_RENAME, 1, SAVE_NOT_WRITTEN, SAVE_NOT_WRITTEN },      { DISK_RENAME, 2, SAVE_DURABLE, SAVE_NOT_WRITTEN },
        { DISK_SYNC_FOLDER, 1, SAVE_VISIBLE, SAVE_NOT_WRITTEN },     { DISK_SYNC_FOLDER, 2, SAVE_DURABLE, SAVE_VISIBLE },
    };
    struct folder *folder = *state;
    struct store *store = open_store(folder);
    struct load_facts facts;
    alloc_free(load_state(store, &facts));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct test_cut cut;
        cut_start(&cut);
        cut_put(&cut, record(REC_BODY, 3));
        cut_put(&cut, record(REC_NODE, 3));
        disk_heal();
        disk_fail(cases[i].call, cases[i].n, EIO);
        struct save_result result = store_file_ops.save(store, &cut.cut);
        disk_heal();
        assert_outcome(&result, cases[i].nodes, cases[i].allocation);
        assert_true(result.diag.text[0] != '\0');
        assert_false(folder_has(folder, "nodes.yaml.tmp"));
        assert_false(folder_has(folder, "allocation.yaml.tmp"));
        cut_free(&cut);
    }
    store_close(store);
}

static void test_save__visible_nodes__are_proven_by_the_next_save(void **state)
{
    struct folder *folder = *state;
    struct store *store = open_store(folder);
    struct load_facts facts;
    alloc_free(load_state(store, &facts));
    disk_fail(DISK_SYNC_FOLDER, 1, EIO);
    struct save_result result = save_rec(store, record(REC_NODE, 3));
    assert_outcome(&result, SAVE_VISIBLE, SAVE_NOT_WRITTEN);
    assert_int_equal(generation_of(folder, "nodes.yaml"), 2);
    disk_heal();
    struct stat before = stat_of(folder, "nodes.yaml");
    result = save_rec(store, record(REC_BODY, 3));          /* touches allocation.yaml only */
    assert_outcome(&result, SAVE_DURABLE, SAVE_DURABLE);
    assert_int_not_equal(stat_of(folder, "nodes.yaml").st_ino, before.st_ino);
    assert_int_equal(generation_of(folder, "nodes.yaml"), 3);
    assert_int_equal(disk_count(DISK_SYNC_FOLDER), 2);
    result = save_rec(store, record(REC_BODY, 4));
    assert_outcome(&result, SAVE_DURABLE, SAVE_DURABLE);
    assert_int_equal(generation_of(folder, "nodes.yaml"), 3);
    store_close(store);
}

static void test_save__last_generation__is_not_passed(void **state)
{
    struct folder *folder = *state;
    folder_put(folder, "allocation.yaml", "generation: 9007199254740989\nschema_version: 2\nbodies: {}\nend: 9007199254740989\n");
    struct store *store = open_store(folder);
    struct load_facts facts;
    alloc_free(load_state(store, &facts));
    struct save_result result = save_rec(store, NULL);
    assert_outcome(&result, SAVE_DURABLE, SAVE_DURABLE);
    result = save_rec(store, NULL);
    assert_outcome(&result, SAVE_DURABLE, SAVE_NOT_WRITTEN);
    assert_non_null(strstr(result.diag.text, "last generation"));
    store_close(store);
}

static void test_save__one_fsync_per_file__never_a_second(void **state)
{
    struct folder *folder = *state;
    struct store *store = open_store(folder);
    struct load_facts facts;
    alloc_free(load_state(store, &facts));
    disk_heal();
    disk_fail(DISK_SYNC_FILE, 1, EIO);
    struct save_result result = save_rec(store, record(REC_BODY, 3));
    assert_outcome(&result, SAVE_DURABLE, SAVE_NOT_WRITTEN);
    assert_int_equal(disk_count(DISK_SYNC_FILE), 1);
    assert_int_equal(disk_count(DISK_RENAME), 0);
    result = save_rec(store, record(REC_BODY, 3));
    assert_outcome(&result, SAVE_DURABLE, SAVE_DURABLE);
    assert_int_equal(disk_count(DISK_CREATE), 2);            /* a fresh file, not the one whose fsync failed */
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
    hc_alloc_fail_after(0);
    return folder_remove(state);
}
#define FOLDER_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(test_open__twice__second_is_told_who_has_it),
        FOLDER_TEST(test_save__only_what_the_cut_touches__is_written),
        FOLDER_TEST(test_save__random_cuts_and_faults__disk_has_what_was_said),
        FOLDER_TEST(test_save__then_another_start__has_the_same),
        FOLDER_TEST(test_save__each_fault_of_the_disk__ends_as_it_must),
        FOLDER_TEST(test_save__visible_nodes__are_proven_by_the_next_save),
        FOLDER_TEST(test_save__last_generation__is_not_passed),
        FOLDER_TEST(test_save__one_fsync_per_file__never_a_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
