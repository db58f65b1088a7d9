/* openssl_handle.h - destructors of OpenSSL's handles for HC_CLEANUP, and how a PEM text becomes one. */
#ifndef CRYPTO_OPENSSL_HANDLE_H
#define CRYPTO_OPENSSL_HANDLE_H

#include <limits.h>
#include <string.h>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

static inline void bio_freep(BIO **p) { BIO_free(*p); }
static inline void x509_freep(X509 **p) { X509_free(*p); }
static inline void pkey_freep(EVP_PKEY **p) { EVP_PKEY_free(*p); }
static inline void md_ctx_freep(EVP_MD_CTX **p) { EVP_MD_CTX_free(*p); }
static inline void cipher_ctx_freep(EVP_CIPHER_CTX **p) { EVP_CIPHER_CTX_free(*p); }

static inline BIO *bio_of(const char *pem)
{
    size_t len = strlen(pem);
    return len > INT_MAX ? NULL : BIO_new_mem_buf(pem, (int)len);
}

/* The first certificate, or key, of the text; NULL: none. The caller frees it. */
static inline X509 *x509_of(const char *pem)
{
    BIO *bio = bio_of(pem);
    X509 *cert = bio == NULL ? NULL : PEM_read_bio_X509(bio, NULL, NULL, NULL);
    BIO_free(bio);
    return cert;
}

static inline int no_password(char *buf, int size, int writing, void *ctx)
{
    (void)buf, (void)size, (void)writing, (void)ctx;
    return -1;              /* else OpenSSL would ask the terminal */
}

static inline EVP_PKEY *pkey_of(const char *pem)
{
    BIO *bio = bio_of(pem);
    EVP_PKEY *key = bio == NULL ? NULL : PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL);
    BIO_free(bio);
    return key;
}

#endif
