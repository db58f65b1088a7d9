#include "hydra/crypto/pairing.h"

#include <assert.h>
#include <stdio.h>

#include "hydra/crypto/digest.h"

#include "openssl_handle.h"

#define SHA256_BYTES 32

enum hc_err crypto_aes128_ecb(const uint8_t key[PAIRING_BLOCK], bool encrypt, const uint8_t *in, size_t len, uint8_t *out)
{
    assert(len % PAIRING_BLOCK == 0 && len <= INT_MAX);
    HC_CLEANUP(cipher_ctx_freep) EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int made = 0, rest = 0;
    bool ok = ctx != NULL && EVP_CipherInit_ex(ctx, EVP_aes_128_ecb(), NULL, key, NULL, encrypt) == 1 &&
              EVP_CIPHER_CTX_set_padding(ctx, 0) == 1 && EVP_CipherUpdate(ctx, out, &made, in, (int)len) == 1 &&
              EVP_CipherFinal_ex(ctx, out + made, &rest) == 1;
    return ok && (size_t)made + (size_t)rest == len ? HC_OK : HC_ERR_CRYPTO;
}

enum hc_err crypto_rsa_sign(const char *key_pem, const void *data, size_t len, uint8_t out[PAIRING_SIGNATURE_MAX], size_t *ret_len,
                            struct hc_diag *diag)
{
    HC_CLEANUP(pkey_freep) EVP_PKEY *key = pkey_of(key_pem);
    if (key == NULL || EVP_PKEY_get_base_id(key) != EVP_PKEY_RSA)
        return hc_fail(diag, HC_ERR_SYNTAX, "the private key is no RSA key in PEM");
    HC_CLEANUP(md_ctx_freep) EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    size_t made = PAIRING_SIGNATURE_MAX;
    if ((size_t)EVP_PKEY_get_size(key) > PAIRING_SIGNATURE_MAX)
        return hc_fail(diag, HC_ERR_LIMIT, "the private key is larger than %d bits", PAIRING_SIGNATURE_MAX * CHAR_BIT);
    if (ctx == NULL || EVP_DigestSignInit(ctx, NULL, EVP_sha256(), NULL, key) != 1 || EVP_DigestSign(ctx, out, &made, data, len) != 1)
        return hc_fail(diag, HC_ERR_CRYPTO, "signing failed");
    *ret_len = made;
    return HC_OK;
}

enum hc_err crypto_rsa_verify(const char *cert_pem, const void *data, size_t len, const uint8_t *signature, size_t signature_len,
                              bool *ret_good, struct hc_diag *diag)
{
    HC_CLEANUP(x509_freep) X509 *cert = x509_of(cert_pem);
    EVP_PKEY *key = cert == NULL ? NULL : X509_get0_pubkey(cert);
    if (key == NULL || EVP_PKEY_get_base_id(key) != EVP_PKEY_RSA)
        return hc_fail(diag, HC_ERR_SYNTAX, "the certificate is no RSA certificate in PEM");
    HC_CLEANUP(md_ctx_freep) EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    if (ctx == NULL || EVP_DigestVerifyInit(ctx, NULL, EVP_sha256(), NULL, key) != 1)
        return hc_fail(diag, HC_ERR_CRYPTO, "checking a signature failed");
    *ret_good = EVP_DigestVerify(ctx, signature, signature_len, data, len) == 1;      /* negative: a garbled one, so not good */
    return HC_OK;
}

enum hc_err crypto_certificate_signature(const char *cert_pem, uint8_t out[PAIRING_SIGNATURE_MAX], size_t *ret_len, struct hc_diag *diag)
{
    HC_CLEANUP(x509_freep) X509 *cert = x509_of(cert_pem);
    const ASN1_BIT_STRING *signature = NULL;
    if (cert != NULL)
        X509_get0_signature(&signature, NULL, cert);
    int len = signature == NULL ? 0 : ASN1_STRING_length(signature);
    if (len <= 0)
        return hc_fail(diag, HC_ERR_SYNTAX, "no PEM certificate with a signature");
    if (len > PAIRING_SIGNATURE_MAX)
        return hc_fail(diag, HC_ERR_LIMIT, "the certificate's signature is longer than %d bytes", PAIRING_SIGNATURE_MAX);
    memcpy(out, ASN1_STRING_get0_data(signature), (size_t)len);
    *ret_len = (size_t)len;
    return HC_OK;
}

static void hash_and_free(unsigned char *der, int len, uint8_t out[SHA256_BYTES])
{
    crypto_sha256(der, (size_t)len, out);
    OPENSSL_free(der);
}

enum hc_err crypto_certificate_pins(const char *cert_pem, char ret_fingerprint[HC_HASH_SIZE], char ret_pin[PUBLIC_KEY_PIN_SIZE],
                                    struct hc_diag *diag)
{
    HC_CLEANUP(x509_freep) X509 *cert = x509_of(cert_pem);
    unsigned char *der = NULL, *key = NULL;
    int der_len = cert == NULL ? -1 : i2d_X509(cert, &der), key_len = cert == NULL ? -1 : i2d_X509_PUBKEY(X509_get_X509_PUBKEY(cert), &key);
    if (der_len <= 0 || key_len <= 0) {
        OPENSSL_free(der);
        OPENSSL_free(key);
        return hc_fail(diag, HC_ERR_SYNTAX, "no PEM certificate");
    }
    uint8_t of_der[SHA256_BYTES], of_key[SHA256_BYTES];
    hash_and_free(der, der_len, of_der);
    hash_and_free(key, key_len, of_key);
    if (ret_fingerprint != NULL)
        hc_hex(of_der, sizeof of_der, ret_fingerprint);
    if (ret_pin != NULL) {
        int made = snprintf(ret_pin, PUBLIC_KEY_PIN_SIZE, "sha256//");
        made += EVP_EncodeBlock((unsigned char *)ret_pin + made, of_key, sizeof of_key);
        assert(made == PUBLIC_KEY_PIN_SIZE - 1);
    }
    return HC_OK;
}
