/* certificate.h - the key pair a host or a client shows: made, kept as PEM files, put into a TLS context. */
#ifndef CERTIFICATE_H
#define CERTIFICATE_H

#include <stdbool.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>

struct certificate { X509 *cert; EVP_PKEY *key; };

/* A new RSA-2048 pair, self-signed unless `issuer` is given. False: OpenSSL refuses. */
bool certificate_make(const char *common_name, const struct certificate *issuer, struct certificate *ret);
/* Reads the two files; false when either is missing or no PEM. */
bool certificate_load(const char *cert_path, const char *key_path, struct certificate *ret);
bool certificate_save(const struct certificate *certificate, const char *cert_path, const char *key_path);
void certificate_free(struct certificate *certificate);
char *certificate_pem(const X509 *cert);                        /* hc_free() it */
/* A server's context: TLS 1.2 and 1.3, no resumption. `asks`: the client must show a certificate, whichever. */
SSL_CTX *certificate_context(const struct certificate *certificate, bool asks);

#endif
