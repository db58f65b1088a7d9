#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/auth/auth.h"
#include "hydra/crypto/digest.h"

static bool lookup_one(void *ctx, const char *token_hash, struct principal *ret)
{
    const char *secret = ctx;
    char hash[HC_HASH_SIZE];
    crypto_sha256_hex(secret, strlen(secret), hash);
    if (!crypto_same_text(hash, token_hash))
        return false;
    ret->kind = PRINCIPAL_READ;
    return true;
}

static void test_bearer__forms__token_or_nothing(void **state)
{
    (void)state;
    assert_string_equal(auth_bearer("Bearer abc"), "abc");
    assert_string_equal(auth_bearer("bearer   abc"), "abc");
    assert_null(auth_bearer(NULL));
    assert_null(auth_bearer("Basic abc"));
    assert_null(auth_bearer("Bearer "));
    char longer[AUTH_TOKEN_MAX + 16] = "Bearer ";
    memset(longer + 7, 'x', AUTH_TOKEN_MAX + 1);
    assert_null(auth_bearer(longer));
    longer[7 + AUTH_TOKEN_MAX] = '\0';
    assert_non_null(auth_bearer(longer));
}

static void test_principal__token__known_or_none(void **state)
{
    (void)state;
    char secret[] = "right";
    struct principal who;
    assert_true(auth_principal("right", lookup_one, secret, &who));
    assert_int_equal(who.kind, PRINCIPAL_READ);
    assert_false(auth_principal("wrong", lookup_one, secret, &who));
    assert_int_equal(who.kind, PRINCIPAL_NONE);
    assert_false(auth_principal(NULL, lookup_one, secret, &who));
}

static void test_allow__every_kind_against_every_scope__as_the_table_says(void **state)
{
    (void)state;
    static const struct { enum principal_kind kind; unsigned lets_in; } rows[] = {
        { PRINCIPAL_NONE, SCOPE_PUBLIC },
        { PRINCIPAL_NODE, SCOPE_PUBLIC | SCOPE_NODE | SCOPE_SELF | SCOPE_BODY },
        { PRINCIPAL_ADMIN, SCOPE_PUBLIC | SCOPE_ADMIN },
        { PRINCIPAL_READ, SCOPE_PUBLIC | SCOPE_READ },
        { PRINCIPAL_FLEET, SCOPE_PUBLIC | SCOPE_FLEET },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct principal who = { .kind = rows[i].kind, .id = "node-1", .body = true };
        for (unsigned scope = 1; scope <= SCOPE_LOOPBACK; scope <<= 1) {
            enum auth_verdict got = auth_allow(scope, &who, "node-1", false);
            enum auth_verdict closed = rows[i].kind == PRINCIPAL_NONE ? AUTH_NO_TOKEN : AUTH_WRONG_SCOPE;
            assert_int_equal(got, (rows[i].lets_in & scope) != 0 ? AUTH_OK : closed);
        }
        assert_int_equal(auth_allow(SCOPE_LOOPBACK, &who, "", true), AUTH_OK);
    }
}

static void test_allow__node__only_itself_only_its_role_only_approved(void **state)
{
    (void)state;
    struct principal who = { .kind = PRINCIPAL_NODE, .id = "node-1", .head = true };
    assert_int_equal(auth_allow(SCOPE_SELF, &who, "node-2", false), AUTH_WRONG_SCOPE);
    assert_int_equal(auth_allow(SCOPE_SELF, &who, "", false), AUTH_WRONG_SCOPE);
    assert_int_equal(auth_allow(SCOPE_BODY, &who, "", false), AUTH_WRONG_SCOPE);
    who.approval = AUTH_DENIED;
    assert_int_equal(auth_allow(SCOPE_NODE, &who, "", false), AUTH_NODE_DENIED);
    assert_int_equal(auth_allow(SCOPE_PUBLIC, &who, "", false), AUTH_OK);
    who.approval = AUTH_PENDING;
    assert_int_equal(auth_allow(SCOPE_NODE, &who, "", false), AUTH_NODE_PENDING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bearer__forms__token_or_nothing),
        cmocka_unit_test(test_principal__token__known_or_none),
        cmocka_unit_test(test_allow__every_kind_against_every_scope__as_the_table_says),
        cmocka_unit_test(test_allow__node__only_itself_only_its_role_only_approved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
