#include "handshake.h"

#include <assert.h>
#include <string.h>
#include <openssl/bio.h>
#include <openssl/pem.h>

void hs_key(const uint8_t salt[HS_SALT_LEN], const char *pin, uint8_t key[HS_KEY_LEN])
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    bool made = ctx != NULL && EVP_DigestInit_ex(ctx, EVP_sha256(), NULL) == 1 && EVP_DigestUpdate(ctx, salt, HS_SALT_LEN) == 1 &&
                EVP_DigestUpdate(ctx, pin, strlen(pin)) == 1 && EVP_DigestFinal_ex(ctx, digest, NULL) == 1;
    assert(made);
    EVP_MD_CTX_free(ctx);
    memcpy(key, digest, HS_KEY_LEN);
}

static void blocks(const uint8_t key[HS_KEY_LEN], const uint8_t *in, size_t len, uint8_t *out, int encrypt)
{
    assert(len % HS_BLOCK_LEN == 0);
    int done = 0;
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    bool made = ctx != NULL && EVP_CipherInit_ex(ctx, EVP_aes_128_ecb(), NULL, key, NULL, encrypt) == 1 &&
                EVP_CIPHER_CTX_set_padding(ctx, 0) == 1 && EVP_CipherUpdate(ctx, out, &done, in, (int)len) == 1;
    assert(made && (size_t)done == len);
    EVP_CIPHER_CTX_free(ctx);
}

void hs_encrypt(const uint8_t key[HS_KEY_LEN], const uint8_t *plain, size_t len, uint8_t *out)
{
    blocks(key, plain, len, out, 1);
}

void hs_decrypt(const uint8_t key[HS_KEY_LEN], const uint8_t *secret, size_t len, uint8_t *out)
{
    blocks(key, secret, len, out, 0);
}

void hs_hash(const uint8_t challenge[HS_BLOCK_LEN], const X509 *cert, const uint8_t secret[HS_BLOCK_LEN], uint8_t out[HS_HASH_LEN])
{
    const ASN1_BIT_STRING *signature = NULL;
    X509_get0_signature(&signature, NULL, cert);
    assert(signature != NULL);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    bool made = ctx != NULL && EVP_DigestInit_ex(ctx, EVP_sha256(), NULL) == 1 && EVP_DigestUpdate(ctx, challenge, HS_BLOCK_LEN) == 1 &&
                EVP_DigestUpdate(ctx, ASN1_STRING_get0_data(signature), (size_t)ASN1_STRING_length(signature)) == 1 &&
                EVP_DigestUpdate(ctx, secret, HS_BLOCK_LEN) == 1 && EVP_DigestFinal_ex(ctx, out, NULL) == 1;
    assert(made);
    EVP_MD_CTX_free(ctx);
}

size_t hs_sign(EVP_PKEY *key, const uint8_t *bytes, size_t len, uint8_t out[HS_SIGNATURE_MAX])
{
    size_t made = HS_SIGNATURE_MAX;
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    if (ctx == NULL || EVP_DigestSignInit(ctx, NULL, EVP_sha256(), NULL, key) != 1 || EVP_DigestSign(ctx, out, &made, bytes, len) != 1)
        made = 0;
    EVP_MD_CTX_free(ctx);
    return made;
}

bool hs_verify(const X509 *cert, const uint8_t *bytes, size_t len, const uint8_t *signature, size_t signature_len)
{
    EVP_PKEY *key = X509_get0_pubkey(cert);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    bool fits = key != NULL && ctx != NULL && EVP_DigestVerifyInit(ctx, NULL, EVP_sha256(), NULL, key) == 1 &&
                EVP_DigestVerify(ctx, signature, signature_len, bytes, len) == 1;
    EVP_MD_CTX_free(ctx);
    return fits;
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool hs_unhex(const char *text, uint8_t *out, size_t max, size_t *ret_len)
{
    size_t len = strlen(text);
    if (len % 2 != 0 || len / 2 > max)
        return false;
    for (size_t i = 0; i < len / 2; i++) {
        int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        out[i] = (uint8_t)(high * 16 + low);
    }
    *ret_len = len / 2;
    return true;
}

void hs_hex_upper(const uint8_t *bytes, size_t len, char *out)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < len; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[2 * len] = '\0';
}

X509 *hs_certificate(const char *pem, size_t len)
{
    BIO *bio = BIO_new_mem_buf(pem, (int)len);
    X509 *cert = bio == NULL ? NULL : PEM_read_bio_X509(bio, NULL, NULL, NULL);
    (void)BIO_free(bio);
    return cert;
}
