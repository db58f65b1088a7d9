/* test_handshake.c - the host's arithmetic of pairing and of app ids against vectors made by other programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/base/id.h"
#include "apps.h"
#include "certificate.h"
#include "handshake.h"
#include "vectors.h"

static X509 *client, *server;
static uint8_t salt[HS_SALT_LEN], cc[HS_BLOCK_LEN], ss[HS_BLOCK_LEN], sc[HS_BLOCK_LEN], cs[HS_BLOCK_LEN], key[HS_KEY_LEN];

static void unhex(const char *text, uint8_t *out, size_t size)
{
    size_t len;
    assert_true(hs_unhex(text, out, size, &len));
    assert_int_equal(len, size);
}

static void assert_hex(const uint8_t *bytes, size_t len, const char *expected)
{
    char hex[2048];
    assert_true(2 * len < sizeof hex);
    hc_hex(bytes, len, hex);
    assert_string_equal(hex, expected);
}

static int open_vectors(void **state)
{
    (void)state;
    client = hs_certificate(vector_client_pem, strlen(vector_client_pem));
    server = hs_certificate(vector_server_pem, strlen(vector_server_pem));
    unhex(VECTOR_SALT, salt, sizeof salt);
    unhex(VECTOR_CC, cc, sizeof cc);
    unhex(VECTOR_SS, ss, sizeof ss);
    unhex(VECTOR_SC, sc, sizeof sc);
    unhex(VECTOR_CS, cs, sizeof cs);
    hs_key(salt, VECTOR_PIN, key);
    return client == NULL || server == NULL;
}

static int close_vectors(void **state)
{
    (void)state;
    X509_free(client);
    X509_free(server);
    return 0;
}

static void test_handshake__salt_and_pin__key(void **state)
{
    (void)state;
    uint8_t wrong[HS_KEY_LEN];
    assert_hex(key, sizeof key, VECTOR_KEY);
    hs_key(salt, "4712", wrong);
    assert_hex(wrong, sizeof wrong, VECTOR_WRONG_KEY);
}

static void test_handshake__client_challenge__both_ways(void **state)
{
    (void)state;
    uint8_t secret[HS_BLOCK_LEN], plain[HS_BLOCK_LEN];
    hs_encrypt(key, cc, sizeof cc, secret);
    assert_hex(secret, sizeof secret, VECTOR_CLIENT_CHALLENGE);
    hs_decrypt(key, secret, sizeof secret, plain);
    assert_memory_equal(plain, cc, sizeof cc);
}

static void test_handshake__challenge_response__bytes(void **state)
{
    (void)state;
    uint8_t plain[48], secret[48], wrong[HS_KEY_LEN], garbled[48];
    hs_hash(cc, server, ss, plain);
    assert_hex(plain, HS_HASH_LEN, VECTOR_SERVER_HASH);
    memcpy(plain + HS_HASH_LEN, sc, sizeof sc);
    hs_encrypt(key, plain, sizeof plain, secret);
    assert_hex(secret, sizeof secret, VECTOR_CHALLENGE_RESPONSE);
    hs_key(salt, "4712", wrong);
    hs_decrypt(wrong, secret, sizeof secret, garbled);
    assert_hex(garbled, sizeof garbled, VECTOR_GARBLED);
}

static void test_handshake__server_challenge_response__bytes(void **state)
{
    (void)state;
    uint8_t hash[HS_HASH_LEN], secret[HS_HASH_LEN];
    hs_hash(sc, client, cs, hash);
    assert_hex(hash, sizeof hash, VECTOR_CLIENT_HASH);
    hs_encrypt(key, hash, sizeof hash, secret);
    assert_hex(secret, sizeof secret, VECTOR_SERVER_CHALLENGE_RESPONSE);
}

static void test_handshake__signatures__verified_and_refused(void **state)
{
    (void)state;
    uint8_t by_server[256], by_client[256];
    unhex(VECTOR_SERVER_SIGNED_SS, by_server, sizeof by_server);
    unhex(VECTOR_CLIENT_SIGNED_CS, by_client, sizeof by_client);
    assert_true(hs_verify(server, ss, sizeof ss, by_server, sizeof by_server));
    assert_true(hs_verify(client, cs, sizeof cs, by_client, sizeof by_client));
    assert_false(hs_verify(client, ss, sizeof ss, by_server, sizeof by_server));
    by_client[255] ^= 1;
    assert_false(hs_verify(client, cs, sizeof cs, by_client, sizeof by_client));
}

static void test_handshake__own_key__signs_what_its_certificate_verifies(void **state)
{
    (void)state;
    struct certificate made;
    uint8_t signature[HS_SIGNATURE_MAX];
    assert_true(certificate_make("own", NULL, &made));
    size_t len = hs_sign(made.key, ss, sizeof ss, signature);
    assert_int_equal(len, 256);
    assert_true(hs_verify(made.cert, ss, sizeof ss, signature, len));
    certificate_free(&made);
}

static void test_handshake__plaincert__hex_of_the_pem_text(void **state)
{
    (void)state;
    uint8_t digest[EVP_MAX_MD_SIZE];
    char hex[4096], *pem = certificate_pem(server);
    unsigned len;
    assert_string_equal(pem, vector_server_pem);
    hs_hex_upper((const uint8_t *)pem, strlen(pem), hex);
    assert_int_equal(EVP_Digest(hex, strlen(hex), digest, &len, EVP_sha256(), NULL), 1);
    assert_hex(digest, len, VECTOR_PLAINCERT_SHA256);
    hc_hex((const uint8_t *)vector_client_pem, strlen(vector_client_pem), hex);
    assert_int_equal(EVP_Digest(hex, strlen(hex), digest, &len, EVP_sha256(), NULL), 1);
    assert_hex(digest, len, VECTOR_CLIENTCERT_SHA256);
    hc_free(pem);
}

static void test_handshake__hex__refused_when_it_is_none(void **state)
{
    (void)state;
    uint8_t out[4];
    size_t len;
    assert_false(hs_unhex("abc", out, sizeof out, &len));
    assert_false(hs_unhex("0g", out, sizeof out, &len));
    assert_false(hs_unhex("0011223344", out, sizeof out, &len));
    assert_true(hs_unhex("aAfF", out, sizeof out, &len));
    assert_int_equal(len, 2);
}

static void test_apps__ids__of_names_and_of_a_collision(void **state)
{
    (void)state;
    static const struct { const char *name; long id; } rows[] = {
        { "Desktop", 958645192 }, { "Rupelmonde", 1840247651 }, { "Rupelmonde#7c1e00112233445566778899aabbccdd", 880445898 },
        { "Steam Big Picture", 870779643 }, { "Poke", 303266584 },
    };
    struct host *host = hc_alloc(sizeof *host);
    assert_non_null(host);
    json_t *apps = json_array();
    for (size_t i = 0; i < 4; i++)
        (void)json_array_append_new(apps, json_pack("{s:s}", "name", rows[i].name));
    host->apps = json_pack("{s:o}", "apps", apps);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(apps_id(host, i), rows[i].id);
    (void)json_array_set_new(apps, 0, json_pack("{s:s}", "name", "Poke"));
    (void)json_array_append_new(apps, json_pack("{s:s}", "name", "Poke"));
    assert_int_equal(apps_id(host, 0), rows[4].id);
    assert_int_equal(apps_id(host, 4), 523726827);
    json_decref(host->apps);
    hc_free(host);
}

static void test_apps__variables__expanded_in_strings(void **state)
{
    (void)state;
    assert_int_equal(setenv("SUNSHINE_TEST_WORD", "word", 1), 0);
    char *text = apps_expand("a $(SUNSHINE_TEST_WORD) $$(X) $(NO_SUCH_VARIABLE)b");
    assert_string_equal(text, "a word $(X) b");
    hc_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_handshake__salt_and_pin__key),
        cmocka_unit_test(test_handshake__client_challenge__both_ways),
        cmocka_unit_test(test_handshake__challenge_response__bytes),
        cmocka_unit_test(test_handshake__server_challenge_response__bytes),
        cmocka_unit_test(test_handshake__signatures__verified_and_refused),
        cmocka_unit_test(test_handshake__own_key__signs_what_its_certificate_verifies),
        cmocka_unit_test(test_handshake__plaincert__hex_of_the_pem_text),
        cmocka_unit_test(test_handshake__hex__refused_when_it_is_none),
        cmocka_unit_test(test_apps__ids__of_names_and_of_a_collision),
        cmocka_unit_test(test_apps__variables__expanded_in_strings),
    };
    return cmocka_run_group_tests(tests, open_vectors, close_vectors);
}
