/* client_key.h - the key pair and self-signed certificate with which a GameStream client is known to a host. */
#ifndef HYDRA_CRYPTO_CLIENT_KEY_H
#define HYDRA_CRYPTO_CLIENT_KEY_H

#include "hydra/base/buf.h"
#include "hydra/base/err.h"

#define CLIENT_KEY_YEARS 20

/* RSA-2048 and X.509v3 with SHA-256, serial 1, CN "NVIDIA GameStream Client": the form that every host in the field takes. Both texts are
 * PEM as OpenSSL writes it (a host finds a client by the exact text); the caller frees them, and wipes the key's. Takes up to a second. */
HC_MUST enum hc_err crypto_client_key_new(struct hc_buf *ret_key_pem, struct hc_buf *ret_cert_pem, struct hc_diag *diag);
/* HC_OK when the key belongs to the certificate; HC_ERR_SYNTAX: one of them is no PEM; HC_ERR_CONFIG: they do not belong together. */
HC_MUST enum hc_err crypto_client_key_check(const char *key_pem, const char *cert_pem, struct hc_diag *diag);

#endif
