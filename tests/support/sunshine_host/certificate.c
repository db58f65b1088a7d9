#include "certificate.h"

#include <stdio.h>
#include <string.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>

#include "hydra/base/arena.h"

#define RSA_BITS    2048
#define VALID_DAYS  (20 * 365)
#define DAY_SECONDS 86400L

static bool describe(X509 *cert, const char *common_name, const struct certificate *issuer, EVP_PKEY *key)
{
    X509_NAME *name = X509_get_subject_name(cert);
    uint8_t serial[8];
    if (RAND_bytes(serial, sizeof serial) != 1)
        return false;
    BIGNUM *number = BN_bin2bn(serial, sizeof serial, NULL);
    bool made = number != NULL && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(cert)) != NULL;
    BN_free(number);
    return made && X509_set_version(cert, 2) == 1 && X509_gmtime_adj(X509_getm_notBefore(cert), -DAY_SECONDS) != NULL &&
           X509_time_adj_ex(X509_getm_notAfter(cert), VALID_DAYS, 0, NULL) != NULL &&
           X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)common_name, -1, -1, 0) == 1 &&
           X509_set_issuer_name(cert, issuer == NULL ? name : X509_get_subject_name(issuer->cert)) == 1 &&
           X509_set_pubkey(cert, key) == 1 && X509_sign(cert, issuer == NULL ? key : issuer->key, EVP_sha256()) > 0;
}

bool certificate_make(const char *common_name, const struct certificate *issuer, struct certificate *ret)
{
    struct certificate made = { .cert = X509_new(), .key = EVP_RSA_gen(RSA_BITS) };
    if (made.cert == NULL || made.key == NULL || !describe(made.cert, common_name, issuer, made.key)) {
        certificate_free(&made);
        return false;
    }
    *ret = made;
    return true;
}

bool certificate_load(const char *cert_path, const char *key_path, struct certificate *ret)
{
    FILE *cert_file = fopen(cert_path, "re"), *key_file = fopen(key_path, "re");
    struct certificate read = { 0 };
    if (cert_file != NULL && key_file != NULL) {
        read.cert = PEM_read_X509(cert_file, NULL, NULL, NULL);
        read.key = PEM_read_PrivateKey(key_file, NULL, NULL, NULL);
    }
    if (cert_file != NULL)
        (void)fclose(cert_file);
    if (key_file != NULL)
        (void)fclose(key_file);
    if (read.cert == NULL || read.key == NULL) {
        certificate_free(&read);
        return false;
    }
    *ret = read;
    return true;
}

bool certificate_save(const struct certificate *certificate, const char *cert_path, const char *key_path)
{
    FILE *cert_file = fopen(cert_path, "we"), *key_file = fopen(key_path, "we");
    bool written = cert_file != NULL && key_file != NULL && PEM_write_X509(cert_file, certificate->cert) == 1 &&
                   PEM_write_PrivateKey(key_file, certificate->key, NULL, NULL, 0, NULL, NULL) == 1;
    if (cert_file != NULL)
        written &= fclose(cert_file) == 0;
    if (key_file != NULL)
        written &= fclose(key_file) == 0;
    return written;
}

void certificate_free(struct certificate *certificate)
{
    X509_free(certificate->cert);
    EVP_PKEY_free(certificate->key);
    *certificate = (struct certificate){ 0 };
}

char *certificate_pem(const X509 *cert)
{
    BIO *bio = BIO_new(BIO_s_mem());
    char *text = NULL, *bytes = NULL;
    if (bio != NULL && PEM_write_bio_X509(bio, (X509 *)(uintptr_t)cert) == 1) {
        long len = BIO_get_mem_data(bio, &bytes);
        text = hc_alloc((size_t)len + 1);
        if (text != NULL)
            memcpy(text, bytes, (size_t)len);
    }
    (void)BIO_free(bio);
    return text;
}

/* Whichever certificate comes is let through the handshake; who it is, is asked afterwards. */
static int any_certificate(X509_STORE_CTX *store, void *arg)
{
    (void)store;
    (void)arg;
    return 1;
}

SSL_CTX *certificate_context(const struct certificate *certificate, bool asks)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
    if (ctx == NULL || SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION) != 1 || SSL_CTX_use_certificate(ctx, certificate->cert) != 1 ||
        SSL_CTX_use_PrivateKey(ctx, certificate->key) != 1) {
        SSL_CTX_free(ctx);
        return NULL;
    }
    (void)SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
    (void)SSL_CTX_set_num_tickets(ctx, 0);
    (void)SSL_CTX_set_options(ctx, SSL_OP_NO_TICKET);
    (void)SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    if (asks) {
        SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
        SSL_CTX_set_cert_verify_callback(ctx, any_certificate, NULL);
    }
    return ctx;
}
