/* device_identity.h - POST device-identity: what a head registers (wire §3). */
#ifndef HYDRA_PROTO_DEVICE_IDENTITY_H
#define HYDRA_PROTO_DEVICE_IDENTITY_H

#include "hydra/base/id.h"
#include "hydra/base/time.h"
#include "hydra/codec/field.h"

#define DEVICE_IDENTITY_UID_MAX 16        /* hex(sha256(head_id))[0:16] */
#define DEVICE_IDENTITY_PEM_MAX 8192

struct device_identity {
    char device_uid[DEVICE_IDENTITY_UID_MAX + 1], cert_fingerprint[HC_HASH_SIZE];
    const char *cert_pem;                 /* in the reader's arena */
    hc_time not_after;
};
extern const struct codec_table device_identity_table;

#endif
