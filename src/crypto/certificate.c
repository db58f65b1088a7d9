#include "hydra/crypto/certificate.h"

#include <limits.h>
#include <string.h>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

static void bio_freep(BIO **bio)
{
    BIO_free(*bio);
}

static void x509_freep(X509 **cert)
{
    X509_free(*cert);
}

enum hc_err crypto_certificate_is_ecdsa(const char *pem, bool *ret_ecdsa, struct hc_diag *diag)
{
    size_t len = strlen(pem);
    HC_CLEANUP(bio_freep) BIO *bio = len > INT_MAX ? NULL : BIO_new_mem_buf(pem, (int)len);
    if (bio == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "certificate: out of memory");
    HC_CLEANUP(x509_freep) X509 *cert = PEM_read_bio_X509(bio, NULL, NULL, NULL);
    EVP_PKEY *key = cert == NULL ? NULL : X509_get0_pubkey(cert);
    if (key == NULL)
        return hc_fail(diag, HC_ERR_SYNTAX, "certificate: no PEM certificate in it");
    *ret_ecdsa = EVP_PKEY_get_base_id(key) == EVP_PKEY_EC;
    return HC_OK;
}
