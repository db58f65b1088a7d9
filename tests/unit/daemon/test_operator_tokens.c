#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "../../../src/daemon/operator_tokens.h"
#include "hydra/crypto/digest.h"
#include "hydra/os/clock.h"
#include "hydra/store/tokens.h"

#define WAIT_MS 10000
#define LOOK_MS 20

struct folder { char path[64]; };
static const uint8_t secret[32] = { 7 }, other_secret[32] = { 8 };

static void hash_of(const char *token, char hash[HC_HASH_SIZE])
{
    crypto_sha256_hex(token, strlen(token), hash);
}

static void add(const struct folder *folder, enum token_kind kind, const char *id, const char *token)
{
    char hash[HC_HASH_SIZE];
    struct hc_diag diag = { "" };
    hash_of(token, hash);
    if (tokens_add(folder->path, kind, id, hash, os_now(), &diag) != HC_OK)
        fail_msg("%s", diag.text);
}

static int setup(void **state)
{
    struct folder *folder = calloc(1, sizeof *folder);
    struct hc_diag diag = { "" };
    assert_non_null(folder);
    os_clock_start();
    assert_int_equal(crypto_start(&diag), HC_OK);
    hc_copy(folder->path, sizeof folder->path, "/tmp/hydra-tokens-XXXXXX");
    assert_non_null(mkdtemp(folder->path));
    add(folder, TOKEN_ADMIN, "tok-admin", "a");
    add(folder, TOKEN_READ, "tok-read", "r");
    add(folder, TOKEN_FLEET, "tok-fleet", "f");
    *state = folder;
    return 0;
}

static int teardown(void **state)
{
    static const char *const files[] = { "tokens.yaml", "tokens.yaml.lock" };
    struct folder *folder = *state;
    char name[128];
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        (void)snprintf(name, sizeof name, "%s/%s", folder->path, files[i]);
        (void)unlink(name);
    }
    assert_int_equal(rmdir(folder->path), 0);
    free(folder);
    return 0;
}

static bool knows(struct operator_tokens *tokens, const char *token, struct principal *who)
{
    char hash[HC_HASH_SIZE];
    memset(who, 0, sizeof *who);
    hash_of(token, hash);
    return operator_tokens_find(tokens, hash, who);
}

static void test_tokens__kinds__are_principals_and_others_are_unknown(void **state)
{
    struct folder *folder = *state;
    struct operator_tokens *tokens;
    struct hc_diag diag = { "" };
    static const struct { const char *token; enum principal_kind kind; const char *id; } rows[] = {
        { "a", PRINCIPAL_ADMIN, "tok-admin" }, { "r", PRINCIPAL_READ, "tok-read" }, { "f", PRINCIPAL_FLEET, "tok-fleet" },
    };
    assert_int_equal(operator_tokens_open(folder->path, secret, &tokens, &diag), HC_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct principal who;
        assert_true(knows(tokens, rows[i].token, &who));
        assert_int_equal(who.kind, rows[i].kind);
        assert_string_equal(who.id, rows[i].id);
    }
    struct principal who;
    assert_false(knows(tokens, "nobody", &who));
    operator_tokens_close(tokens);
}

static void test_tokens__folder_that_is_none__does_not_open(void **state)
{
    (void)state;
    struct operator_tokens *tokens = NULL;
    struct hc_diag diag = { "" };
    assert_int_not_equal(operator_tokens_open("/nonexistent-folder", secret, &tokens, &diag), HC_OK);
    assert_null(tokens);
    assert_true(diag.text[0] != '\0');
    operator_tokens_close(NULL);
}

/* Looks again until it is so; the time that took, or a failure after WAIT_MS. */
static int64_t until_known(struct operator_tokens *tokens, const char *token, bool known)
{
    int64_t start_ms = os_monotonic_ms();
    struct principal who;
    while (knows(tokens, token, &who) != known) {
        if (os_monotonic_ms() - start_ms > WAIT_MS)
            fail_msg("token %s: waited for too long", token);
        (void)poll(NULL, 0, LOOK_MS);
    }
    return os_monotonic_ms() - start_ms;
}

static void test_tokens__made_and_revoked_beside_the_daemon__count_within_two_seconds(void **state)
{
    struct folder *folder = *state;
    struct operator_tokens *tokens;
    struct hc_diag diag = { "" };
    assert_int_equal(operator_tokens_open(folder->path, secret, &tokens, &diag), HC_OK);
    add(folder, TOKEN_READ, "tok-late", "late");
    assert_true(until_known(tokens, "late", true) < 2000 + WAIT_MS / 4);      /* 2 s, and a slow machine's grace */
    assert_int_equal(tokens_revoke(folder->path, "tok-late", &diag), HC_OK);
    assert_true(until_known(tokens, "late", false) < 2000 + WAIT_MS / 4);
    operator_tokens_close(tokens);
}

static hc_time last_used(const struct folder *folder, const char *id)
{
    struct token_list list = { 0 };
    struct hc_diag diag = { "" };
    hc_time used = HC_TIME_NEVER;
    assert_int_equal(tokens_read(folder->path, &list, &diag), HC_OK);
    for (size_t i = 0; i < list.count; i++)
        if (strcmp(list.rows[i].id, id) == 0)
            used = list.rows[i].last_used_at;
    token_list_free(&list);
    return used;
}

static void test_tokens__used__is_written_down_once_a_minute(void **state)
{
    struct folder *folder = *state;
    struct operator_tokens *tokens;
    struct hc_diag diag = { "" };
    struct principal who;
    assert_int_equal(operator_tokens_open(folder->path, secret, &tokens, &diag), HC_OK);
    assert_true(knows(tokens, "r", &who));
    operator_tokens_close(tokens);                     /* writes what it has on its way out */
    hc_time first = last_used(folder, "tok-read");
    assert_true(hc_time_set(first));
    assert_false(hc_time_set(last_used(folder, "tok-fleet")));
    assert_int_equal(operator_tokens_open(folder->path, secret, &tokens, &diag), HC_OK);
    assert_true(knows(tokens, "r", &who));
    operator_tokens_close(tokens);
    assert_int_equal(last_used(folder, "tok-read").ms, first.ms);
}

/* Asks until the token is made. */
static void enrolment(struct operator_tokens *tokens, char token[API_TOKEN_SIZE], char id[HC_ID_SIZE])
{
    int64_t start_ms = os_monotonic_ms();
    while (operator_tokens_enrolment(tokens, token, id) != API_ENROLMENT_READY) {
        if (os_monotonic_ms() - start_ms > WAIT_MS)
            fail_msg("no enrolment token");
        (void)poll(NULL, 0, LOOK_MS);
    }
}

static void test_enrolment__asked_again__is_the_same_token_and_one_row(void **state)
{
    struct folder *folder = *state;
    struct operator_tokens *tokens;
    struct hc_diag diag = { "" };
    struct token_list list = { 0 };
    struct principal who;
    char token[API_TOKEN_SIZE], id[HC_ID_SIZE], again[API_TOKEN_SIZE], again_id[HC_ID_SIZE];
    assert_int_equal(operator_tokens_open(folder->path, secret, &tokens, &diag), HC_OK);
    enrolment(tokens, token, id);
    assert_true(knows(tokens, token, &who));
    assert_int_equal(who.kind, PRINCIPAL_FLEET);
    assert_string_equal(who.id, id);
    operator_tokens_close(tokens);
    assert_int_equal(operator_tokens_open(folder->path, secret, &tokens, &diag), HC_OK);     /* a restart shows the same */
    assert_int_equal(operator_tokens_enrolment(tokens, again, again_id), API_ENROLMENT_READY);
    assert_string_equal(again, token);
    assert_string_equal(again_id, id);
    operator_tokens_close(tokens);
    assert_int_equal(tokens_read(folder->path, &list, &diag), HC_OK);
    assert_int_equal(list.count, 4);
    token_list_free(&list);
}

static void test_enrolment__revoked_or_of_another_secret__is_made_anew(void **state)
{
    struct folder *folder = *state;
    struct operator_tokens *tokens;
    struct hc_diag diag = { "" };
    struct principal who;
    char token[API_TOKEN_SIZE], id[HC_ID_SIZE], again[API_TOKEN_SIZE], again_id[HC_ID_SIZE];
    assert_int_equal(operator_tokens_open(folder->path, secret, &tokens, &diag), HC_OK);
    enrolment(tokens, token, id);
    assert_int_equal(tokens_revoke(folder->path, id, &diag), HC_OK);
    (void)until_known(tokens, token, false);
    enrolment(tokens, again, again_id);
    assert_string_not_equal(again, token);
    assert_string_not_equal(again_id, id);
    operator_tokens_close(tokens);
    assert_int_equal(operator_tokens_open(folder->path, other_secret, &tokens, &diag), HC_OK);
    enrolment(tokens, token, id);
    assert_string_not_equal(again, token);
    assert_true(knows(tokens, token, &who));
    operator_tokens_close(tokens);
}

static void test_enrolment__file_cannot_be_written__fails_and_is_tried_again(void **state)
{
    struct folder *folder = *state;
    struct operator_tokens *tokens;
    struct hc_diag diag = { "" };
    char token[API_TOKEN_SIZE], id[HC_ID_SIZE], moved[128];
    assert_int_equal(operator_tokens_open(folder->path, secret, &tokens, &diag), HC_OK);
    (void)snprintf(moved, sizeof moved, "%s-moved", folder->path);
    assert_int_equal(rename(folder->path, moved), 0);
    int64_t start_ms = os_monotonic_ms();
    while (operator_tokens_enrolment(tokens, token, id) != API_ENROLMENT_FAILED) {
        if (os_monotonic_ms() - start_ms > WAIT_MS)
            fail_msg("it does not fail");
        (void)poll(NULL, 0, LOOK_MS);
    }
    assert_int_equal(rename(moved, folder->path), 0);
    enrolment(tokens, token, id);
    operator_tokens_close(tokens);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_tokens__kinds__are_principals_and_others_are_unknown, setup, teardown),
        cmocka_unit_test_setup_teardown(test_tokens__folder_that_is_none__does_not_open, setup, teardown),
        cmocka_unit_test_setup_teardown(test_tokens__made_and_revoked_beside_the_daemon__count_within_two_seconds, setup, teardown),
        cmocka_unit_test_setup_teardown(test_enrolment__asked_again__is_the_same_token_and_one_row, setup, teardown),
        cmocka_unit_test_setup_teardown(test_enrolment__revoked_or_of_another_secret__is_made_anew, setup, teardown),
        cmocka_unit_test_setup_teardown(test_enrolment__file_cannot_be_written__fails_and_is_tried_again, setup, teardown),
        cmocka_unit_test_setup_teardown(test_tokens__used__is_written_down_once_a_minute, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
