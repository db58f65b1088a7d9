#include "hydra/crypto/device_certificate.h"

#include "hydra/crypto/certificate.h"

#include "openssl_handle.h"

#define HOUR_SECONDS  3600L
#define VALID_SECONDS (2 * 365 * 24 * HOUR_SECONDS)

/* An hour old already: the cluster's clock may be a little behind. */
static bool fill(X509 *cert, EVP_PKEY *key, const char *name)
{
    X509_NAME *subject = X509_get_subject_name(cert);
    return X509_set_version(cert, X509_VERSION_3) == 1 && ASN1_INTEGER_set(X509_get_serialNumber(cert), 1) == 1 &&
           X509_gmtime_adj(X509_getm_notBefore(cert), -HOUR_SECONDS) != NULL &&
           X509_gmtime_adj(X509_getm_notAfter(cert), VALID_SECONDS) != NULL && X509_set_pubkey(cert, key) == 1 &&
           X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, (const unsigned char *)name, -1, -1, 0) == 1 &&
           X509_set_issuer_name(cert, subject) == 1 && X509_sign(cert, key, EVP_sha256()) > 0;
}

static enum hc_err write_pem(X509 *cert, struct hc_buf *out)
{
    HC_CLEANUP(bio_freep) BIO *bio = BIO_new(BIO_s_mem());
    char *text = NULL;
    if (bio == NULL || PEM_write_bio_X509(bio, cert) != 1)
        return HC_ERR_NOMEM;
    long len = BIO_get_mem_data(bio, &text);
    if (len > 0)
        hc_buf_add(out, text, (size_t)len);
    return len > 0 && !out->failed ? HC_OK : HC_ERR_NOMEM;
}

enum hc_err device_certificate_new(const char *name, struct device_certificate *ret)
{
    HC_CLEANUP(pkey_freep) EVP_PKEY *key = EVP_EC_gen("P-256");
    HC_CLEANUP(x509_freep) X509 *cert = X509_new();
    if (key == NULL || cert == NULL || !fill(cert, key, name))
        return HC_ERR_CRYPTO;
    struct device_certificate made = { .not_after = HC_TIME_NEVER };
    struct certificate_facts facts;
    enum hc_err err = write_pem(cert, &made.pem);
    if (err == HC_OK)
        err = crypto_certificate_read(made.pem.data, &facts, NULL);
    if (err != HC_OK) {
        device_certificate_free(&made);
        return err;
    }
    HC_SET(made.fingerprint, facts.fingerprint);
    made.not_after = facts.not_after;
    *ret = made;
    return HC_OK;
}

void device_certificate_free(struct device_certificate *certificate)
{
    hc_buf_free(&certificate->pem);
}
