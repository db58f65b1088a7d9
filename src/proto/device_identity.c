#include "hydra/proto/device_identity.h"

#define IDENTITY(member) offsetof(struct device_identity, member)
static const struct codec_field rows[] = {
    { .key = "device_uid",       .type = CODEC_STR,  .offset = IDENTITY(device_uid), .limit = DEVICE_IDENTITY_UID_MAX,
      .flags = CODEC_REQUIRED },
    { .key = "cert_fingerprint", .type = CODEC_STR,  .offset = IDENTITY(cert_fingerprint), .limit = HC_HASH_HEX, .flags = CODEC_REQUIRED },
    { .key = "cert_pem",         .type = CODEC_TEXT, .offset = IDENTITY(cert_pem), .limit = DEVICE_IDENTITY_PEM_MAX,
      .flags = CODEC_REQUIRED },
    { .key = "not_after",        .type = CODEC_TIME, .offset = IDENTITY(not_after), .flags = CODEC_REQUIRED },
};
const struct codec_table device_identity_table = CODEC_TABLE("device_identity", rows, struct device_identity, CODEC_NO_PRESENT);
