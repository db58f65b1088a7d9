#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "hydra/os/file.h"

#include "../../../src/body/floor.h"

struct home { char path[64]; int dir; };

static int set_up(void **state)
{
    struct home *home = calloc(1, sizeof *home);
    if (home == NULL)
        return -1;
    (void)snprintf(home->path, sizeof home->path, "/tmp/hydra-floor-XXXXXX");
    *state = home;
    return mkdtemp(home->path) == NULL || os_dir_open(home->path, &home->dir, NULL) != HC_OK ? -1 : 0;
}

static int tear_down(void **state)
{
    struct home *home = *state;
    (void)unlinkat(home->dir, FLOOR_FILE, 0);
    os_close(&home->dir);
    int failed = rmdir(home->path);
    free(home);
    return failed;
}

static void test_floor__raised__survives_and_below_is_refused(void **state)
{
    struct home *home = *state;
    struct floor floor, again;
    assert_int_equal(floor_load(home->dir, &floor, NULL), HC_OK);
    assert_int_equal(floor_raise(home->dir, &floor, 0, 7, NULL), FLOOR_APPLY);
    assert_int_equal(floor_raise(home->dir, &floor, 15, HC_EPOCH_MAX, NULL), FLOOR_APPLY);
    assert_int_equal(floor_raise(home->dir, &floor, 0, 7, NULL), FLOOR_APPLY);
    assert_int_equal(floor_raise(home->dir, &floor, 0, 6, NULL), FLOOR_BELOW);
    assert_int_equal(floor_load(home->dir, &again, NULL), HC_OK);
    assert_memory_equal(&floor, &again, sizeof floor);
}

static void test_floor__garbled_file__refused_not_guessed(void **state)
{
    struct home *home = *state;
    static const char *const texts[] = {
        "", "{}", "{\"slot_epoch\":[7]}", "{\"slot_epoch\":[7],\"check\":1}", "{\"slot_epoch\":[7", "{\"slot_epoch\":\"7\",\"check\":0}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct floor floor = { { 42 } };
        struct hc_diag diag = { "" };
        assert_int_equal(os_file_replace(home->dir, FLOOR_FILE, texts[i], strlen(texts[i]), NULL, NULL), OS_REPLACE_DURABLE);
        assert_int_not_equal(floor_load(home->dir, &floor, &diag), HC_OK);
        assert_int_equal(floor.epoch[0], 42);
        assert_non_null(strstr(diag.text, FLOOR_FILE));
    }
}

static void test_floor__folder_gone__nothing_raised(void **state)
{
    struct home *home = *state;
    struct floor floor = { { 3 } };
    int gone = -1;
    assert_int_equal(floor_raise(gone, &floor, 0, 4, NULL), FLOOR_NOT_WRITTEN);
    assert_int_equal(floor.epoch[0], 3);
    assert_int_equal(floor_raise(home->dir, &floor, 0, 4, NULL), FLOOR_APPLY);      /* tried again when the disk is back */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_floor__raised__survives_and_below_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_floor__garbled_file__refused_not_guessed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_floor__folder_gone__nothing_raised, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
