#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "hydra/os/file.h"

#include "../../../src/head/attempt_file.h"
#include "../../../src/head/identity.h"

struct home { char path[64]; int dir; };

static int set_up(void **state)
{
    struct home *home = calloc(1, sizeof *home);
    if (home == NULL)
        return -1;
    (void)snprintf(home->path, sizeof home->path, "/tmp/hydra-head-XXXXXX");
    *state = home;
    return mkdtemp(home->path) == NULL || os_dir_open(home->path, &home->dir, NULL) != HC_OK ? -1 : 0;
}

static int tear_down(void **state)
{
    struct home *home = *state;
    static const char *const names[] = { IDENTITY_KEY_FILE, IDENTITY_CERT_FILE, ATTEMPT_FILE };
    for (size_t i = 0; i < 3; i++)
        if (os_file_remove(home->dir, names[i], NULL) != HC_OK)
            return -1;
    os_close(&home->dir);
    int failed = rmdir(home->path);
    free(home);
    return failed;
}

static void assert_private(const struct home *home, const char *name)
{
    struct stat facts;
    assert_int_equal(fstatat(home->dir, name, &facts, 0), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
}

static void test_identity__first_start__made_once_and_kept(void **state)
{
    struct home *home = *state;
    struct identity first = { 0 }, again = { 0 };
    assert_int_equal(identity_load(home->dir, "head-ipad-3", &first, NULL), HC_OK);
    assert_string_equal(first.device_uid, "b46dd30b225109ce");
    assert_private(home, IDENTITY_KEY_FILE);
    assert_private(home, IDENTITY_CERT_FILE);
    assert_int_equal(identity_load(home->dir, "head-ipad-3", &again, NULL), HC_OK);
    assert_string_equal(first.fingerprint, again.fingerprint);
    assert_string_equal(first.key_pem, again.key_pem);
    assert_int_equal(identity_renew(home->dir, "head-ipad-3", &again, NULL), HC_OK);
    assert_string_not_equal(first.fingerprint, again.fingerprint);
    identity_free(&first);
    identity_free(&again);
}

static void test_identity__half_of_it_or_two_halves_of_two__refused_by_name(void **state)
{
    struct home *home = *state;
    struct identity identity = { 0 }, none = { 0 };
    struct hc_diag diag = { "" };
    assert_int_equal(identity_load(home->dir, "h1", &identity, NULL), HC_OK);
    assert_int_equal(os_file_remove(home->dir, IDENTITY_CERT_FILE, NULL), HC_OK);
    assert_int_equal(identity_load(home->dir, "h1", &none, &diag), HC_ERR_CONFIG);
    assert_non_null(strstr(diag.text, IDENTITY_CERT_FILE));
    struct hc_buf old = { 0 };
    hc_buf_str(&old, identity.cert_pem);
    assert_int_equal(identity_renew(home->dir, "h1", &identity, NULL), HC_OK);
    assert_int_equal(os_file_replace(home->dir, IDENTITY_CERT_FILE, old.data, old.len, NULL, NULL), OS_REPLACE_DURABLE);
    assert_int_equal(identity_load(home->dir, "h1", &none, &diag), HC_ERR_CONFIG);
    assert_null(none.key_pem);
    hc_buf_free(&old);
    identity_free(&identity);
}

static void test_identity__registration__what_the_cluster_checks(void **state)
{
    struct home *home = *state;
    struct identity identity = { 0 };
    struct hc_buf json = { 0 };
    assert_int_equal(identity_load(home->dir, "head-1", &identity, NULL), HC_OK);
    assert_int_equal(identity_registration(&identity, &json, NULL), HC_OK);
    assert_non_null(strstr(json.data, "\"device_uid\":\"bca8bf016ab3e996\""));
    assert_non_null(strstr(json.data, identity.fingerprint));
    assert_non_null(strstr(json.data, "-----BEGIN CERTIFICATE-----"));
    assert_null(strstr(json.data, "PRIVATE KEY"));
    hc_buf_free(&json);
    identity_free(&identity);
}

static void test_attempt_file__a_crash_later__is_claimed_again_with_its_token(void **state)
{
    struct home *home = *state;
    struct head_state head, after;
    head_init(&head, false);
    HC_SET(head.experience, "Rupelmonde");
    HC_SET(head.attempt_id, "a-1");
    HC_SET(head.stream_id, "str-1");
    HC_SET(head.lease.id, "lse-1");
    HC_SET(head.lease.claim_token, "token");
    assert_int_equal(attempt_save(home->dir, &head, NULL), HC_OK);
    assert_private(home, ATTEMPT_FILE);
    head_init(&after, false);
    assert_int_equal(attempt_load(home->dir, &after, NULL), HC_OK);
    assert_string_equal(after.attempt_id, "a-1");
    assert_string_equal(after.stream_id, "str-1");
    assert_string_equal(after.lease.claim_token, "token");
    struct head_actions acts;
    const struct head_event start = { .type = HEV_START, .experience = "Rupelmonde", .fresh_id = "a-2" };
    head_decide(&after, &start, &acts);
    assert_string_equal(after.attempt_id, "a-1");           /* the same attempt: the same lease */
    head.attempt_id[0] = '\0';
    assert_int_equal(attempt_save(home->dir, &head, NULL), HC_OK);
    head_init(&after, false);
    assert_int_equal(attempt_load(home->dir, &after, NULL), HC_OK);
    assert_string_equal(after.attempt_id, "");              /* the visit was over: nothing is left behind */
}

static void test_attempt_file__none_yet__nothing_to_say(void **state)
{
    struct home *home = *state;
    struct head_state head;
    struct hc_diag diag = { "" };
    head_init(&head, true);
    assert_int_equal(attempt_load(home->dir, &head, &diag), HC_OK);
    assert_string_equal(head.attempt_id, "");
    assert_string_equal(diag.text, "");     /* a first start is no garbled file */
}

static void test_attempt_file__far_too_long__left_out_and_said(void **state)
{
    struct home *home = *state;
    struct head_state head;
    struct hc_diag diag = { "" };
    static const char blanks[8192] = { ' ' };
    head_init(&head, true);
    assert_int_equal(os_file_replace(home->dir, ATTEMPT_FILE, blanks, sizeof blanks, NULL, NULL), OS_REPLACE_DURABLE);
    assert_int_equal(attempt_load(home->dir, &head, &diag), HC_OK);
    assert_string_equal(head.attempt_id, "");
    assert_non_null(strstr(diag.text, ATTEMPT_FILE));
}

static void test_attempt_file__garbled__left_out_and_said(void **state)
{
    struct home *home = *state;
    struct head_state head;
    struct hc_diag diag = { "" };
    head_init(&head, false);
    assert_int_equal(os_file_replace(home->dir, ATTEMPT_FILE, "{\"attempt_id\":", 14, NULL, NULL), OS_REPLACE_DURABLE);
    assert_int_equal(attempt_load(home->dir, &head, &diag), HC_OK);
    assert_string_equal(head.attempt_id, "");
    assert_non_null(strstr(diag.text, ATTEMPT_FILE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_identity__first_start__made_once_and_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_identity__half_of_it_or_two_halves_of_two__refused_by_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_identity__registration__what_the_cluster_checks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_attempt_file__a_crash_later__is_claimed_again_with_its_token, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_attempt_file__none_yet__nothing_to_say, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_attempt_file__far_too_long__left_out_and_said, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_attempt_file__garbled__left_out_and_said, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
