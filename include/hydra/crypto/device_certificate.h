/* device_certificate.h - the certificate of a simulated device: self-signed, over a P-256 key that nobody keeps. */
#ifndef HYDRA_CRYPTO_DEVICE_CERTIFICATE_H
#define HYDRA_CRYPTO_DEVICE_CERTIFICATE_H

#include "hydra/base/buf.h"
#include "hydra/base/id.h"
#include "hydra/base/time.h"

struct device_certificate { struct hc_buf pem; char fingerprint[HC_HASH_SIZE]; hc_time not_after; };
/* Another one each time. HC_ERR_CRYPTO, HC_ERR_NOMEM: *ret has nothing to free. */
HC_MUST enum hc_err device_certificate_new(const char *name, struct device_certificate *ret);
void device_certificate_free(struct device_certificate *certificate);

#endif
