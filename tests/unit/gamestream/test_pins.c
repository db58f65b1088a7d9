#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "hydra/gamestream/pins.h"
#include "hydra/os/file.h"

#include "pairing_vectors.h"

#define HOST "0A1B2C3D-HOST"

struct home { char path[64]; int dir; };

static int set_up(void **state)
{
    struct home *home = calloc(1, sizeof *home);
    if (home == NULL)
        return -1;
    (void)snprintf(home->path, sizeof home->path, "/tmp/hydra-pins-XXXXXX");
    *state = home;
    return mkdtemp(home->path) == NULL || os_dir_open(home->path, &home->dir, NULL) != HC_OK ? -1 : 0;
}

static int tear_down(void **state)
{
    struct home *home = *state;
    (void)unlinkat(home->dir, HOST ".pem", 0);
    os_close(&home->dir);
    int failed = rmdir(home->path);
    free(home);
    return failed;
}

static void test_pins__stored__read_back_private_and_replaced(void **state)
{
    struct home *home = *state;
    struct hc_buf pem = { 0 };
    struct stat facts;
    assert_int_equal(gs_pin_load(home->dir, HOST, &pem, NULL), HC_ERR_NOTFOUND);
    assert_int_equal(gs_pin_store(home->dir, HOST, VECTOR_SERVER_CERT, NULL), HC_OK);
    assert_int_equal(fstatat(home->dir, HOST ".pem", &facts, 0), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
    assert_int_equal(gs_pin_store(home->dir, HOST, VECTOR_CLIENT_CERT, NULL), HC_OK);
    assert_int_equal(gs_pin_load(home->dir, HOST, &pem, NULL), HC_OK);
    assert_string_equal(pem.data, VECTOR_CLIENT_CERT);
    hc_buf_free(&pem);
}

static void test_pins__no_certificate__not_stored_and_the_old_one_stays(void **state)
{
    struct home *home = *state;
    struct hc_buf pem = { 0 };
    assert_int_equal(gs_pin_store(home->dir, HOST, VECTOR_SERVER_CERT, NULL), HC_OK);
    assert_int_equal(gs_pin_store(home->dir, HOST, "<html>", NULL), HC_ERR_SYNTAX);
    assert_int_equal(gs_pin_store(home->dir, "..", VECTOR_SERVER_CERT, NULL), HC_ERR_SYNTAX);
    assert_int_equal(gs_pin_load(home->dir, HOST, &pem, NULL), HC_OK);
    assert_string_equal(pem.data, VECTOR_SERVER_CERT);
    hc_buf_free(&pem);
}

static void test_pins__garbled_file__said_by_name(void **state)
{
    struct home *home = *state;
    struct hc_buf pem = { 0 };
    struct hc_diag diag = { "" };
    assert_int_equal(os_file_replace(home->dir, HOST ".pem", "junk", 4, NULL, NULL), OS_REPLACE_DURABLE);
    assert_int_equal(gs_pin_load(home->dir, HOST, &pem, &diag), HC_ERR_SYNTAX);
    assert_non_null(strstr(diag.text, HOST ".pem"));
    hc_buf_free(&pem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_pins__stored__read_back_private_and_replaced, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pins__no_certificate__not_stored_and_the_old_one_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pins__garbled_file__said_by_name, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
