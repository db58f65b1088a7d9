/* certificate.h - facts of an X.509 certificate in PEM. */
#ifndef HYDRA_CRYPTO_CERTIFICATE_H
#define HYDRA_CRYPTO_CERTIFICATE_H

#include <stdbool.h>

#include "hydra/base/err.h"
#include "hydra/base/id.h"
#include "hydra/base/time.h"

/* What kind of key the first certificate of a chain has. HC_ERR_SYNTAX: not a PEM certificate. RSA costs about ten times the CPU of a
 * P-256 key in a handshake (architecture §2), which is worth a warning before a venue opens. */
HC_MUST enum hc_err crypto_certificate_is_ecdsa(const char *pem, bool *ret_ecdsa, struct hc_diag *diag);

#define CERTIFICATE_PEM_MAX 8192      /* bytes of one in PEM: RSA-8192 with long names fits */
struct certificate_facts {
    char fingerprint[HC_HASH_SIZE];   /* SHA-256 of the DER, lower case hex */
    hc_time not_before, not_after;    /* whole seconds */
    bool key_is_strong;               /* RSA from 2048 bits, EC from P-256, Ed25519 */
    char key[24];                     /* "RSA-2048", "EC-256", "ED25519": for messages */
};
/* The text is one certificate and nothing else. HC_ERR_LIMIT: longer than CERTIFICATE_PEM_MAX; HC_ERR_SYNTAX: not a certificate, more than
 * one, or something beside it. *ret is written on success only. */
HC_MUST enum hc_err crypto_certificate_read(const char *pem, struct certificate_facts *ret, struct hc_diag *diag);

#endif
