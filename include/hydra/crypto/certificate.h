/* certificate.h - facts of an X.509 certificate in PEM. */
#ifndef HYDRA_CRYPTO_CERTIFICATE_H
#define HYDRA_CRYPTO_CERTIFICATE_H

#include <stdbool.h>

#include "hydra/base/err.h"

/* What kind of key the first certificate of a chain has. HC_ERR_SYNTAX: not a PEM certificate. RSA costs about ten times the CPU of a
 * P-256 key in a handshake (architecture §2), which is worth a warning before a venue opens. */
HC_MUST enum hc_err crypto_certificate_is_ecdsa(const char *pem, bool *ret_ecdsa, struct hc_diag *diag);

#endif
