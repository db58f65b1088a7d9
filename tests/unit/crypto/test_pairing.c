#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hydra/crypto/client_key.h"
#include "hydra/crypto/digest.h"
#include "hydra/crypto/pairing.h"

#include "pairing_vectors.h"

#define BYTES_MAX 2048

static size_t bytes_of(const char *hex, uint8_t out[BYTES_MAX])
{
    size_t len = strlen(hex) / 2;
    assert_true(len <= BYTES_MAX);
    for (size_t i = 0; i < len; i++) {
        const char digits[3] = { hex[2 * i], hex[2 * i + 1], '\0' };
        out[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    return len;
}

static void assert_hex(const uint8_t *bytes, size_t len, const char *hex)
{
    char text[2 * BYTES_MAX + 1];
    assert_true(len <= BYTES_MAX);
    hc_hex(bytes, len, text);
    assert_string_equal(text, hex);
}

static void assert_hash(const char *const *hex_parts, size_t count, const char *expected)
{
    uint8_t all[4 * BYTES_MAX], hash[32];
    size_t len = 0;
    for (size_t i = 0; i < count; i++)
        len += bytes_of(hex_parts[i], all + len);
    crypto_sha256(all, len, hash);
    assert_hex(hash, sizeof hash, expected);
}

static void test_pairing__published_vectors__ecb(void **state)
{
    (void)state;
    static const struct { const char *key, *plain, *cipher; } rows[] = {
        { VECTOR_KEY, VECTOR_CC, VECTOR_CLIENT_CHALLENGE },
        { VECTOR_KEY, VECTOR_SERVER_HASH VECTOR_SC, VECTOR_CHALLENGE_RESPONSE },
        { VECTOR_KEY, VECTOR_CLIENT_HASH, VECTOR_SERVER_CHALLENGE_RESP },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t key[BYTES_MAX], in[BYTES_MAX], out[BYTES_MAX];
        assert_int_equal(bytes_of(rows[i].key, key), PAIRING_BLOCK);
        size_t len = bytes_of(rows[i].plain, in);
        assert_int_equal(crypto_aes128_ecb(key, true, in, len, out), HC_OK);
        assert_hex(out, len, rows[i].cipher);
        assert_int_equal(crypto_aes128_ecb(key, false, out, len, out), HC_OK);
        assert_hex(out, len, rows[i].plain);
    }
}

static void test_pairing__published_vectors__hashes(void **state)
{
    (void)state;
    const char *server_hash[] = { VECTOR_CC, VECTOR_SERVER_CERT_SIGNATURE, VECTOR_SS };
    const char *client_hash[] = { VECTOR_SC, VECTOR_CLIENT_CERT_SIGNATURE, VECTOR_CS };
    assert_hash(server_hash, 3, VECTOR_SERVER_HASH);
    assert_hash(client_hash, 3, VECTOR_CLIENT_HASH);
}

static void test_pairing__published_certificates__signature_and_fingerprint(void **state)
{
    (void)state;
    static const struct { const char *pem, *signature, *fingerprint; } rows[] = {
        { VECTOR_CLIENT_CERT, VECTOR_CLIENT_CERT_SIGNATURE, VECTOR_CLIENT_CERT_SHA256 },
        { VECTOR_SERVER_CERT, VECTOR_SERVER_CERT_SIGNATURE, VECTOR_SERVER_CERT_SHA256 },
    };
    for (size_t i = 0; i < 2; i++) {
        uint8_t signature[PAIRING_SIGNATURE_MAX];
        size_t len;
        char fingerprint[HC_HASH_SIZE], pin[PUBLIC_KEY_PIN_SIZE];
        assert_int_equal(crypto_certificate_signature(rows[i].pem, signature, &len, NULL), HC_OK);
        assert_hex(signature, len, rows[i].signature);
        assert_int_equal(crypto_certificate_pins(rows[i].pem, fingerprint, pin, NULL), HC_OK);
        assert_string_equal(fingerprint, rows[i].fingerprint);
        assert_int_equal(strncmp(pin, "sha256//", 8), 0);
        assert_int_equal(strlen(pin), PUBLIC_KEY_PIN_SIZE - 1);
    }
}

static void test_pairing__published_signatures__verified_and_tampering_seen(void **state)
{
    (void)state;
    static const struct { const char *pem, *data, *signature; } rows[] = {
        { VECTOR_SERVER_CERT, VECTOR_SS, VECTOR_SS_SIGNATURE },
        { VECTOR_CLIENT_CERT, VECTOR_CS, VECTOR_CS_SIGNATURE },
    };
    for (size_t i = 0; i < 2; i++) {
        uint8_t data[BYTES_MAX], signature[BYTES_MAX];
        size_t len = bytes_of(rows[i].data, data), signature_len = bytes_of(rows[i].signature, signature);
        bool good = false;
        assert_int_equal(crypto_rsa_verify(rows[i].pem, data, len, signature, signature_len, &good, NULL), HC_OK);
        assert_true(good);
        data[0] ^= 1;
        assert_int_equal(crypto_rsa_verify(rows[i].pem, data, len, signature, signature_len, &good, NULL), HC_OK);
        assert_false(good);
        assert_int_equal(crypto_rsa_verify(rows[i].pem, data, len, signature, signature_len - 1, &good, NULL), HC_OK);
        assert_false(good);
    }
}

static void test_client_key__new__pair_that_signs_and_verifies(void **state)
{
    (void)state;
    struct hc_buf key = { 0 }, cert = { 0 }, other_key = { 0 }, other_cert = { 0 };
    assert_int_equal(crypto_client_key_new(&key, &cert, NULL), HC_OK);
    assert_int_equal(crypto_client_key_new(&other_key, &other_cert, NULL), HC_OK);
    assert_int_equal(crypto_client_key_check(key.data, cert.data, NULL), HC_OK);
    assert_int_equal(crypto_client_key_check(key.data, other_cert.data, NULL), HC_ERR_CONFIG);
    assert_int_equal(crypto_client_key_check("no key", cert.data, NULL), HC_ERR_SYNTAX);
    uint8_t signature[PAIRING_SIGNATURE_MAX];
    size_t len;
    bool good = false;
    assert_int_equal(crypto_rsa_sign(key.data, "secret", 6, signature, &len, NULL), HC_OK);
    assert_int_equal(len, 256);
    assert_int_equal(crypto_rsa_verify(cert.data, "secret", 6, signature, len, &good, NULL), HC_OK);
    assert_true(good);
    assert_int_equal(crypto_rsa_verify(other_cert.data, "secret", 6, signature, len, &good, NULL), HC_OK);
    assert_false(good);
    hc_buf_free(&key);
    hc_buf_free(&cert);
    hc_buf_free(&other_key);
    hc_buf_free(&other_cert);
}

static void test_pairing__no_pem__named(void **state)
{
    (void)state;
    struct hc_diag diag = { "" };
    uint8_t out[PAIRING_SIGNATURE_MAX];
    size_t len;
    bool good;
    char fingerprint[HC_HASH_SIZE];
    assert_int_equal(crypto_rsa_sign("-----BEGIN PRIVATE KEY-----", "x", 1, out, &len, &diag), HC_ERR_SYNTAX);
    assert_non_null(strstr(diag.text, "private key"));
    assert_int_equal(crypto_rsa_verify("", "x", 1, out, 1, &good, &diag), HC_ERR_SYNTAX);
    assert_int_equal(crypto_certificate_signature("<html>", out, &len, &diag), HC_ERR_SYNTAX);
    assert_int_equal(crypto_certificate_pins("<html>", fingerprint, NULL, &diag), HC_ERR_SYNTAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairing__published_vectors__ecb),
        cmocka_unit_test(test_pairing__published_vectors__hashes),
        cmocka_unit_test(test_pairing__published_certificates__signature_and_fingerprint),
        cmocka_unit_test(test_pairing__published_signatures__verified_and_tampering_seen),
        cmocka_unit_test(test_client_key__new__pair_that_signs_and_verifies),
        cmocka_unit_test(test_pairing__no_pem__named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
