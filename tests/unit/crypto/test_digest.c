#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <string.h>

#include "hydra/base/derive.h"
#include "hydra/crypto/digest.h"

static void test_start__this_library__accepted(void **state)
{
    (void)state;
    struct hc_diag diag;
    assert_int_equal(crypto_start(&diag), HC_OK);
}

static void test_sha256__published_vectors__match(void **state)
{
    (void)state;
    static const struct { const char *text, *hex; } rows[] = {
        { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
        { "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
        { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char hex[HC_HASH_SIZE];
        crypto_sha256_hex(rows[i].text, strlen(rows[i].text), hex);
        assert_string_equal(hex, rows[i].hex);
    }
}

/* Expected values from Python's hmac module over label || 0x00 || data. */
static void test_derive__known_inputs__known_hmac(void **state)
{
    (void)state;
    uint8_t key[32], out[32];
    char hex[HC_HASH_SIZE];
    for (size_t i = 0; i < sizeof key; i++)
        key[i] = (uint8_t)i;
    hc_derive(key, "lease", "abc", 3, out);
    hc_hex(out, sizeof out, hex);
    assert_string_equal(hex, "79888a9136136b225a2e7ba60b8c05dca031424dd2b4796e0a263c4317e0a073");
    hc_derive(key, "lease", NULL, 0, out);
    hc_hex(out, sizeof out, hex);
    assert_string_equal(hex, "5231541c55bcbbf9943251688f42d01564728498a5b7a1d45bdf2275586205af");
}

static void test_derive__label_and_data_moved_over_the_border__differ(void **state)
{
    (void)state;
    const uint8_t key[32] = { 7 };
    uint8_t a[32], b[32];
    hc_derive(key, "ab", "c", 1, a);
    hc_derive(key, "a", "bc", 2, b);
    assert_memory_not_equal(a, b, sizeof a);
}

static void *derive_often(void *arg)
{
    const uint8_t key[32] = { 9 };
    for (int i = 0; i < 200; i++)
        hc_derive(key, "thread", "x", 1, arg);
    return NULL;
}

static void test_derive__two_threads__same_answer(void **state)
{
    (void)state;
    uint8_t out[2][32];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, derive_often, out[i]), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_memory_equal(out[0], out[1], 32);
}

static void test_same__equal_and_not__told_apart(void **state)
{
    (void)state;
    assert_true(crypto_same("abcd", "abcd", 4));
    assert_false(crypto_same("abcd", "abce", 4));
    assert_true(crypto_same("abcd", "abce", 3));
    assert_true(crypto_same_text("", ""));
    assert_true(crypto_same_text("token", "token"));
    assert_false(crypto_same_text("token", "tokem"));
    assert_false(crypto_same_text("token", "token1"));
    assert_false(crypto_same_text("", "t"));
}

static void test_base64url__every_rest__published_vectors(void **state)
{
    (void)state;
    static const struct { const char *bytes, *text; } rows[] = {
        { "", "" }, { "f", "Zg" }, { "fo", "Zm8" }, { "foo", "Zm9v" }, { "foob", "Zm9vYg" }, { "fooba", "Zm9vYmE" },
        { "foobar", "Zm9vYmFy" }, { "\xfb\xff\xfe", "-__-" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char out[9];
        assert_int_equal(crypto_base64url(rows[i].bytes, strlen(rows[i].bytes), out, strlen(rows[i].text) + 1), strlen(rows[i].text));
        assert_string_equal(out, rows[i].text);
    }
}

static void test_wipe__secret__gone(void **state)
{
    (void)state;
    char secret[] = "hunter2";
    static const char zero[sizeof secret] = { 0 };
    crypto_wipe(secret, sizeof secret);
    assert_memory_equal(secret, zero, sizeof secret);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start__this_library__accepted),
        cmocka_unit_test(test_sha256__published_vectors__match),
        cmocka_unit_test(test_derive__known_inputs__known_hmac),
        cmocka_unit_test(test_derive__label_and_data_moved_over_the_border__differ),
        cmocka_unit_test(test_derive__two_threads__same_answer),
        cmocka_unit_test(test_same__equal_and_not__told_apart),
        cmocka_unit_test(test_base64url__every_rest__published_vectors),
        cmocka_unit_test(test_wipe__secret__gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
