#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "hydra/os/file.h"

#include "../../../src/body/session_file.h"

struct home { char path[64]; int dir; struct hc_buf last; struct hc_arena arena; };

static int set_up(void **state)
{
    struct home *home = calloc(1, sizeof *home);
    if (home == NULL)
        return -1;
    (void)snprintf(home->path, sizeof home->path, "/tmp/hydra-sessions-XXXXXX");
    *state = home;
    return mkdtemp(home->path) == NULL || os_dir_open(home->path, &home->dir, NULL) != HC_OK ? -1 : 0;
}

static int tear_down(void **state)
{
    struct home *home = *state;
    (void)unlinkat(home->dir, SESSION_FILE, 0);
    os_close(&home->dir);
    hc_buf_free(&home->last);
    hc_arena_free(&home->arena);
    int failed = rmdir(home->path);
    free(home);
    return failed;
}

static const char *const shut[] = { "6F1C", "not an id", "A-B" };

static void fill(struct session_saved slots[2])
{
    slots[0] = (struct session_saved){ .slot = 0, .has_launch = true, .launch = { .since_ms = 123456789, .game = 1840247651 } };
    HC_SET(slots[0].launch.launch_id, "l-1");
    HC_SET(slots[0].launch.lease_id, "lse-1");
    HC_SET(slots[0].launch.client_uuid, "C0FFEE");
    HC_SET(slots[0].launch.client_name, "hydra-h\xc3\xa9""ad 1");
    HC_SET(slots[0].launch.app, "Rupelmonde#7c1e00112233445566778899aabbccdd");
    slots[1] = (struct session_saved){ .slot = 3, .shut = { (void *)(uintptr_t)shut, 3 } };
}

static void save(struct home *home, const struct session_saved *slots, size_t count)
{
    assert_int_equal(session_file_save(home->dir, "boot-1", slots, count, &home->last, NULL), HC_OK);
}

static size_t load(struct home *home, const char *boot_id, struct session_saved **ret_slots, struct hc_diag *diag)
{
    size_t count = 99;
    assert_int_equal(session_file_load(home->dir, boot_id, &home->arena, ret_slots, &count, diag), HC_OK);
    return count;
}

static void test_session_file__written__reads_back_alike(void **state)
{
    struct home *home = *state;
    struct session_saved slots[2], *got = NULL;
    fill(slots);
    save(home, slots, 2);
    assert_int_equal(load(home, "boot-1", &got, NULL), 2);
    assert_int_equal(got[0].slot, 0);
    assert_true(got[0].has_launch);
    assert_string_equal(got[0].launch.launch_id, "l-1");
    assert_string_equal(got[0].launch.lease_id, "lse-1");
    assert_string_equal(got[0].launch.client_uuid, "C0FFEE");
    assert_string_equal(got[0].launch.client_name, slots[0].launch.client_name);
    assert_string_equal(got[0].launch.app, slots[0].launch.app);
    assert_int_equal(got[0].launch.since_ms, 123456789);
    assert_int_equal(got[0].launch.game, 1840247651);
    assert_int_equal(got[0].shut.count, 0);
    assert_int_equal(got[1].slot, 3);
    assert_false(got[1].has_launch);
    assert_int_equal(got[1].shut.count, 2);
    assert_string_equal(((const char *const *)got[1].shut.items)[0], "6F1C");
    assert_string_equal(((const char *const *)got[1].shut.items)[1], "A-B");
}

static void test_session_file__machine_booted__launches_dropped_and_doors_kept(void **state)
{
    struct home *home = *state;
    struct session_saved slots[2], *got = NULL;
    fill(slots);
    save(home, slots, 2);
    assert_int_equal(load(home, "boot-2", &got, NULL), 2);
    assert_false(got[0].has_launch);
    assert_int_equal(got[1].shut.count, 2);
}

static void test_session_file__nothing_changed__not_written_again(void **state)
{
    struct home *home = *state;
    struct session_saved slots[2];
    struct os_stamp first, second;
    fill(slots);
    save(home, slots, 2);
    assert_int_equal(os_file_stamp(home->dir, SESSION_FILE, &first), HC_OK);
    save(home, slots, 2);
    assert_int_equal(os_file_stamp(home->dir, SESSION_FILE, &second), HC_OK);
    assert_true(os_stamp_same(&first, &second));
    slots[0].has_launch = false;
    save(home, slots, 2);
    assert_int_equal(os_file_stamp(home->dir, SESSION_FILE, &second), HC_OK);
    assert_false(os_stamp_same(&first, &second));
}

static void test_session_file__folder_gone__told_and_written_when_it_is_back(void **state)
{
    struct home *home = *state;
    struct session_saved slots[2], *got = NULL;
    fill(slots);
    assert_int_equal(session_file_save(-1, "boot-1", slots, 2, &home->last, NULL), HC_ERR_IO);
    save(home, slots, 2);
    assert_int_equal(load(home, "boot-1", &got, NULL), 2);
}

static void test_session_file__none_or_garbled__nothing_restored_and_told(void **state)
{
    struct home *home = *state;
    struct session_saved *got = NULL;
    assert_int_equal(load(home, "boot-1", &got, NULL), 0);
    static const char *const texts[] = {
        "", "{}", "[]", "{\"boot_id\":\"b\"}", "{\"boot_id\":\"b\",\"slots\":[{\"slot\":16}]}", "{\"boot_id\":\"b\",\"slots\":[{\"slot\":0",
        "{\"boot_id\":\"a b\",\"slots\":[]}", "{\"boot_id\":\"b\",\"slots\":[{\"slot\":0,\"shut\":[\"a b\"]}]}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct hc_diag diag = { "" };
        assert_int_equal(os_file_replace(home->dir, SESSION_FILE, texts[i], strlen(texts[i]), NULL, NULL), OS_REPLACE_DURABLE);
        assert_int_equal(load(home, "boot-1", &got, &diag), 0);
        assert_null(got);
        assert_non_null(strstr(diag.text, SESSION_FILE));
    }
}

#define WITH_HOME(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_HOME(test_session_file__written__reads_back_alike),
        WITH_HOME(test_session_file__machine_booted__launches_dropped_and_doors_kept),
        WITH_HOME(test_session_file__nothing_changed__not_written_again),
        WITH_HOME(test_session_file__folder_gone__told_and_written_when_it_is_back),
        WITH_HOME(test_session_file__none_or_garbled__nothing_restored_and_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
