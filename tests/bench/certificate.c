#include "certificate.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "fatal.h"

#define PEM_SIZE  8192
#define VALID_SEC 86400L

static void write_pem(const struct home *home, const char *name, BIO *bio)
{
    char text[PEM_SIZE];
    int len = BIO_read(bio, text, (int)sizeof text - 1);
    if (len <= 0)
        fatal("no PEM text of %s", name);
    text[len] = '\0';
    home_write(home, name, text);
    (void)BIO_free(bio);
}

void certificate_write(const struct home *home, const char *cert_name, const char *key_name)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *cert = X509_new();
    BIO *cert_text = BIO_new(BIO_s_mem()), *key_text = BIO_new(BIO_s_mem());
    if (key == NULL || cert == NULL || cert_text == NULL || key_text == NULL)
        fatal("OpenSSL makes no key");
    X509_NAME *name = X509_get_subject_name(cert);
    if (X509_set_version(cert, 2) != 1 || ASN1_INTEGER_set(X509_get_serialNumber(cert), 1) != 1 ||
        X509_gmtime_adj(X509_getm_notBefore(cert), -VALID_SEC) == NULL || X509_gmtime_adj(X509_getm_notAfter(cert), VALID_SEC) == NULL ||
        X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"localhost", -1, -1, 0) != 1 ||
        X509_set_issuer_name(cert, name) != 1 || X509_set_pubkey(cert, key) != 1 || X509_sign(cert, key, EVP_sha256()) == 0 ||
        PEM_write_bio_X509(cert_text, cert) != 1 || PEM_write_bio_PrivateKey(key_text, key, NULL, NULL, 0, NULL, NULL) != 1)
        fatal("OpenSSL makes no certificate");
    write_pem(home, cert_name, cert_text);
    write_pem(home, key_name, key_text);
    X509_free(cert);
    EVP_PKEY_free(key);
}
