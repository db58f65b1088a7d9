#include "hydra/crypto/digest.h"

#include <assert.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hydra/base/derive.h"

#define SHA256_BYTES 32

/* Fetched once: an implicit fetch for every digest costs more than the digest. They live as long as the process. */
static pthread_once_t fetched = PTHREAD_ONCE_INIT;
static EVP_MD *sha256;
static EVP_MAC *hmac;

static void fetch(void)
{
    sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
}

/* Only without memory, or with a library that crypto_start() would have refused: an id or a check without its digest would be unsafe. */
static _Noreturn void die(const char *what)
{
    (void)fprintf(stderr, "<2>level=critical event=crypto_failed what=%s\n", what);
    abort();
}

static bool try_sha256(const void *data, size_t len, uint8_t out[32])
{
    (void)pthread_once(&fetched, fetch);
    return sha256 != NULL && EVP_Digest(data, len, out, NULL, sha256, NULL) == 1;
}

static bool try_derive(const uint8_t key[32], const char *label, const void *data, size_t len, uint8_t out[32])
{
    (void)pthread_once(&fetched, fetch);
    EVP_MAC_CTX *ctx = hmac == NULL ? NULL : EVP_MAC_CTX_new(hmac);
    if (ctx == NULL)
        return false;
    char name[] = "SHA256";
    const OSSL_PARAM params[] = { OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0), OSSL_PARAM_construct_end() };
    size_t got = 0;
    /* The label goes in with its NUL: the separator. */
    bool ok = EVP_MAC_init(ctx, key, 32, params) == 1 &&
              EVP_MAC_update(ctx, (const unsigned char *)label, strlen(label) + 1) == 1 &&
              (len == 0 || EVP_MAC_update(ctx, data, len) == 1) && EVP_MAC_final(ctx, out, &got, SHA256_BYTES) == 1;
    EVP_MAC_CTX_free(ctx);
    return ok && got == SHA256_BYTES;
}

enum hc_err crypto_start(struct hc_diag *diag)
{
    static const uint8_t abc_sha256[SHA256_BYTES] = {
        0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
        0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad,
    };
    static const uint8_t key[32] = { 0 };
    uint8_t out[SHA256_BYTES];
    if (!try_sha256("abc", 3, out) || memcmp(out, abc_sha256, sizeof out) != 0)
        return hc_fail(diag, HC_ERR_CRYPTO, "libcrypto has no working SHA-256: check the OpenSSL configuration and its providers");
    if (!try_derive(key, "start", "", 0, out))
        return hc_fail(diag, HC_ERR_CRYPTO, "libcrypto has no working HMAC: check the OpenSSL configuration and its providers");
    return HC_OK;
}

void crypto_sha256(const void *data, size_t len, uint8_t out[32])
{
    if (!try_sha256(data, len, out))
        die("sha256");
}

void crypto_sha256_hex(const void *data, size_t len, char out[HC_HASH_SIZE])
{
    uint8_t raw[SHA256_BYTES];
    crypto_sha256(data, len, raw);
    hc_hex(raw, sizeof raw, out);
}

void hc_derive(const uint8_t key[32], const char *label, const void *data, size_t len, uint8_t out[32])
{
    if (!try_derive(key, label, data, len, out))
        die("hmac");
}

bool crypto_same(const void *a, const void *b, size_t len)
{
    return CRYPTO_memcmp(a, b, len) == 0;
}

bool crypto_same_text(const char *a, const char *b)
{
    size_t len = strlen(a);
    return len == strlen(b) && CRYPTO_memcmp(a, b, len) == 0;
}

size_t crypto_base64url(const void *data, size_t len, char *out, size_t size)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    assert(len <= SIZE_MAX / 4 && (len * 4 + 2) / 3 < size);
    const uint8_t *bytes = data;
    size_t n = 0;
    for (size_t i = 0; i < len; i += 3) {
        size_t left = len - i;
        uint32_t group = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0);
        out[n++] = alphabet[group >> 18];
        out[n++] = alphabet[group >> 12 & 63];
        if (left > 1)
            out[n++] = alphabet[group >> 6 & 63];
        if (left > 2)
            out[n++] = alphabet[group & 63];
    }
    out[n] = '\0';
    return n;
}

void crypto_wipe(void *p, size_t len)
{
    OPENSSL_cleanse(p, len);
}
