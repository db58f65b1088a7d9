/* The operator page's cookie: made, read back, refused for each thing that can be wrong with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/auth/session.h"
#include "hydra/crypto/digest.h"

static const uint8_t secret[32] = { 1, 2, 3 };
static const hc_time now = { INT64_C(1800000000000) };
struct store { const char *id, *token; };

static bool hash_of(void *ctx, const char *token_id, char ret_hash[HC_HASH_SIZE])
{
    const struct store *store = ctx;
    if (strcmp(store->id, token_id) != 0)
        return false;
    crypto_sha256_hex(store->token, strlen(store->token), ret_hash);
    return true;
}

static void make(const struct store *store, int64_t life_ms, char out[AUTH_COOKIE_SIZE])
{
    char hash[HC_HASH_SIZE];
    crypto_sha256_hex(store->token, strlen(store->token), hash);
    auth_session_make(secret, store->id, hash, hc_time_add(now, life_ms), out);
}

static bool reads(const struct store *store, const char *value, hc_time at)
{
    char hash[HC_HASH_SIZE], right[HC_HASH_SIZE];
    struct store copy = *store;
    bool good = auth_session_read(secret, value, at, hash_of, &copy, hash);
    crypto_sha256_hex(store->token, strlen(store->token), right);
    if (good)
        assert_string_equal(hash, right);
    return good;
}

static void test_session__made_and_read__good_until_its_end(void **state)
{
    (void)state;
    const struct store store = { "tok-1.a", "s3cret" };
    char value[AUTH_COOKIE_SIZE];
    make(&store, 5000, value);
    assert_true(reads(&store, value, now));
    assert_true(reads(&store, value, hc_time_add(now, 4999)));
    assert_false(reads(&store, value, hc_time_add(now, 5000)));
}

static void test_session__cookie__is_not_the_token_nor_its_digest(void **state)
{
    (void)state;
    const struct store store = { "tok-1", "s3cret" };
    char value[AUTH_COOKIE_SIZE], hash[HC_HASH_SIZE];
    make(&store, 5000, value);
    crypto_sha256_hex(store.token, strlen(store.token), hash);
    assert_null(strstr(value, store.token));
    assert_null(strstr(value, hash));
}

static void test_session__token_gone_or_replaced__refused(void **state)
{
    (void)state;
    const struct store store = { "tok-1", "s3cret" }, gone = { "tok-2", "s3cret" }, replaced = { "tok-1", "other" };
    char value[AUTH_COOKIE_SIZE];
    make(&store, 5000, value);
    assert_false(reads(&gone, value, now));
    assert_false(reads(&replaced, value, now));
}

static void test_session__changed_or_malformed__refused(void **state)
{
    (void)state;
    const struct store store = { "tok-1", "s3cret" };
    char value[AUTH_COOKIE_SIZE], hash[HC_HASH_SIZE];
    make(&store, 5000, value);
    for (size_t i = 0; i < strlen(value); i++) {
        char changed[AUTH_COOKIE_SIZE];
        HC_SET(changed, value);
        changed[i] = changed[i] == '1' ? '2' : '1';
        assert_false(reads(&store, changed, now));
    }
    static const char *const bad[] = { "", ".", "..", "tok-1", "tok-1.1800000005", "tok-1.99999999999999.0", ".1800000005.",
                                       "tok-1.18e9.0000000000000000000000000000000000000000000000000000000000000000" };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(reads(&store, bad[i], now));
    static const uint8_t other[32] = { 9 };
    struct store copy = store;
    assert_false(auth_session_read(other, value, now, hash_of, &copy, hash));
}

static void test_session__cookie_header__finds_ours_among_others(void **state)
{
    (void)state;
    char value[AUTH_COOKIE_SIZE], longer[AUTH_COOKIE_SIZE + 64];
    assert_true(auth_session_cookie("a=b; admin_session=x.1.y; c=d", value));
    assert_string_equal(value, "x.1.y");
    assert_true(auth_session_cookie("admin_session=z", value));
    assert_string_equal(value, "z");
    assert_false(auth_session_cookie(NULL, value));
    assert_false(auth_session_cookie("", value));
    assert_false(auth_session_cookie("admin_session=", value));
    assert_false(auth_session_cookie("my_admin_session=x; admin_sessions=y", value));
    (void)snprintf(longer, sizeof longer, "admin_session=%0*d", AUTH_COOKIE_SIZE, 1);
    assert_false(auth_session_cookie(longer, value));
}

static void test_origin__against_host__same_or_not(void **state)
{
    (void)state;
    static const struct { const char *origin, *host; bool same; } rows[] = {
        { "http://127.0.0.1:8080", "127.0.0.1:8080", true }, { "https://Venue.example", "venue.EXAMPLE", true },
        { "https://venue.example", "venue.example:443", true }, { "http://venue.example:80", "venue.example", true },
        { "http://venue.example", "venue.example:443", false }, { "https://venue.example:8443", "venue.example", false },
        { "https://evil.example", "venue.example", false }, { "https://venue.example.evil", "venue.example", false },
        { "null", "null", false }, { "ftp://venue.example", "venue.example", false }, { "https://", "", false },
        { NULL, "venue.example", false }, { "https://venue.example", NULL, false }, { "http://[::1]:80", "[::1]", true },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (auth_same_origin(rows[i].origin, rows[i].host) != rows[i].same)
            fail_msg("row %zu", i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_session__made_and_read__good_until_its_end),
        cmocka_unit_test(test_session__cookie__is_not_the_token_nor_its_digest),
        cmocka_unit_test(test_session__token_gone_or_replaced__refused),
        cmocka_unit_test(test_session__changed_or_malformed__refused),
        cmocka_unit_test(test_session__cookie_header__finds_ours_among_others),
        cmocka_unit_test(test_origin__against_host__same_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
