#include "hydra/crypto/client_key.h"

#include "openssl_handle.h"

#define KEY_BITS      2048
#define CERT_SERIAL   1
#define COMMON_NAME   "NVIDIA GameStream Client"
#define YEAR_SECONDS  (365L * 24 * 3600)

static bool fill(X509 *cert, EVP_PKEY *key)
{
    X509_NAME *name = X509_get_subject_name(cert);
    return X509_set_version(cert, X509_VERSION_3) == 1 && ASN1_INTEGER_set(X509_get_serialNumber(cert), CERT_SERIAL) == 1 &&
           X509_gmtime_adj(X509_getm_notBefore(cert), 0) != NULL &&
           X509_gmtime_adj(X509_getm_notAfter(cert), CLIENT_KEY_YEARS * YEAR_SECONDS) != NULL && X509_set_pubkey(cert, key) == 1 &&
           X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)COMMON_NAME, -1, -1, 0) == 1 &&
           X509_set_issuer_name(cert, name) == 1 && X509_sign(cert, key, EVP_sha256()) > 0;
}

static bool take(BIO *bio, struct hc_buf *out)
{
    char *text = NULL;
    long len = BIO_get_mem_data(bio, &text);
    if (len > 0)
        hc_buf_add(out, text, (size_t)len);
    return len > 0 && !out->failed;
}

enum hc_err crypto_client_key_new(struct hc_buf *ret_key_pem, struct hc_buf *ret_cert_pem, struct hc_diag *diag)
{
    HC_CLEANUP(pkey_freep) EVP_PKEY *key = EVP_RSA_gen(KEY_BITS);
    HC_CLEANUP(x509_freep) X509 *cert = X509_new();
    if (key == NULL || cert == NULL || !fill(cert, key))
        return hc_fail(diag, HC_ERR_CRYPTO, "no client key could be made: check the OpenSSL configuration and its providers");
    HC_CLEANUP(bio_freep) BIO *key_bio = BIO_new(BIO_s_secmem());      /* wiped when freed */
    HC_CLEANUP(bio_freep) BIO *cert_bio = BIO_new(BIO_s_mem());
    bool ok = key_bio != NULL && cert_bio != NULL && PEM_write_bio_PrivateKey(key_bio, key, NULL, NULL, 0, NULL, NULL) == 1 &&
              PEM_write_bio_X509(cert_bio, cert) == 1;
    return ok && take(key_bio, ret_key_pem) && take(cert_bio, ret_cert_pem) ? HC_OK : hc_fail(diag, HC_ERR_NOMEM, "no memory for a key");
}

enum hc_err crypto_client_key_check(const char *key_pem, const char *cert_pem, struct hc_diag *diag)
{
    HC_CLEANUP(pkey_freep) EVP_PKEY *key = pkey_of(key_pem);
    if (key == NULL)
        return hc_fail(diag, HC_ERR_SYNTAX, "the private key is no key in PEM");
    HC_CLEANUP(x509_freep) X509 *cert = x509_of(cert_pem);
    if (cert == NULL)
        return hc_fail(diag, HC_ERR_SYNTAX, "the certificate is no certificate in PEM");
    return X509_check_private_key(cert, key) == 1 ? HC_OK : hc_fail(diag, HC_ERR_CONFIG, "the private key is not the certificate's");
}
