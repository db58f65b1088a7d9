#include "asked.h"

#include <string.h>

#include "../../../src/api/operator_tokens.h"
#include "hydra/crypto/digest.h"
#include "hydra/os/clock.h"
#include "hydra/store/tokens.h"

static void test_tokens__kinds__are_principals_and_others_are_unknown(void **state)
{
    struct rig *r = *state;
    struct operator_tokens *tokens;
    struct hc_diag diag = { "" };
    struct principal who;
    static const struct { const char *const *token; enum principal_kind kind; const char *id; } rows[] = {
        { &RIG_ADMIN, PRINCIPAL_ADMIN, "tok-admin" }, { &RIG_READ, PRINCIPAL_READ, "tok-read" },
        { &RIG_FLEET, PRINCIPAL_FLEET, "tok-fleet" },
    };
    char hash[HC_HASH_SIZE];
    assert_int_equal(operator_tokens_open(r->data_dir, &tokens, &diag), HC_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        memset(&who, 0, sizeof who);
        crypto_sha256_hex(*rows[i].token, strlen(*rows[i].token), hash);
        assert_true(operator_tokens_find(tokens, hash, &who));
        assert_int_equal(who.kind, rows[i].kind);
        assert_string_equal(who.id, rows[i].id);
    }
    crypto_sha256_hex("nobody", 6, hash);
    assert_false(operator_tokens_find(tokens, hash, &who));
    operator_tokens_close(tokens);
}

static void test_tokens__folder_that_is_none__does_not_open(void **state)
{
    (void)state;
    struct operator_tokens *tokens = NULL;
    struct hc_diag diag = { "" };
    assert_int_not_equal(operator_tokens_open("/nonexistent-folder", &tokens, &diag), HC_OK);
    assert_null(tokens);
    assert_true(diag.text[0] != '\0');
    operator_tokens_close(NULL);
}

struct expected { struct rig *r; const char *token; int status; };

static bool is_answered_so(void *arg)
{
    const struct expected *expected = arg;
    struct reply reply;
    rig_ask(expected->r, "GET", "/api/v1/nodes", expected->token, NULL, &reply);
    bool so = reply.status == expected->status;
    reply_free(&reply);
    return so;
}

static void test_tokens__made_and_revoked_beside_the_daemon__count_within_two_seconds(void **state)
{
    struct rig *r = *state;
    char hash[HC_HASH_SIZE];
    struct hc_diag diag = { "" };
    crypto_sha256_hex("late", 4, hash);
    rig_expect(r, "GET", "/api/v1/nodes", "late", NULL, 401, "unauthorized", "");
    assert_int_equal(tokens_add(r->data_dir, TOKEN_READ, "tok-late", hash, os_now(), &diag), HC_OK);
    int64_t start_ms = os_monotonic_ms();
    rig_until(r, is_answered_so, &(struct expected){ r, "late", 200 });
    assert_true(os_monotonic_ms() - start_ms < 2000 + RIG_WAIT_MS / 4);
    assert_int_equal(tokens_revoke(r->data_dir, "tok-late", &diag), HC_OK);
    rig_until(r, is_answered_so, &(struct expected){ r, "late", 401 });
}

struct used { const struct rig *r; const char *id; hc_time since; };

static bool is_used(void *arg)
{
    const struct used *used = arg;
    struct token_list list = { 0 };
    struct hc_diag diag = { "" };
    bool found = false;
    assert_int_equal(tokens_read(used->r->data_dir, &list, &diag), HC_OK);
    for (size_t i = 0; i < list.count; i++)
        found = found || (strcmp(list.rows[i].id, used->id) == 0 && list.rows[i].last_used_at.ms >= used->since.ms);
    token_list_free(&list);
    return found;
}

static void test_tokens__used__is_written_down_once_a_minute(void **state)
{
    struct rig *r = *state;
    struct used used = { r, "tok-read", os_now() };
    assert_false(is_used(&used));
    rig_expect(r, "GET", "/api/v1/nodes", RIG_READ, NULL, 200, "", "");
    rig_until(r, is_used, &used);
    struct used later = { r, "tok-read", os_now() };
    rig_expect(r, "GET", "/api/v1/nodes", RIG_READ, NULL, 200, "", "");
    assert_false(is_used(&later));
    struct used unused = { r, "tok-fleet", HC_TIME_NEVER };
    unused.since.ms = 1;
    assert_false(is_used(&unused));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(test_tokens__kinds__are_principals_and_others_are_unknown),
        RIG_TEST(test_tokens__folder_that_is_none__does_not_open),
        RIG_TEST(test_tokens__made_and_revoked_beside_the_daemon__count_within_two_seconds),
        RIG_TEST(test_tokens__used__is_written_down_once_a_minute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
