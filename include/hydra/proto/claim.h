/* claim.h - POST slot-claims and streams, renew, release (wire §3). */
#ifndef HYDRA_PROTO_CLAIM_H
#define HYDRA_PROTO_CLAIM_H

#include "hydra/base/id.h"
#include "hydra/codec/field.h"

#define CLAIM_MODE_MAX     32
#define CLAIM_DEVICE_MAX   16        /* hex(sha256(head_id))[0:16] */
#define CLAIM_PROTOCOL_MAX 255
#define CLAIM_TOKEN_MAX    64

struct claim_body {
    char attempt_id[HC_ID_SIZE], district[HC_NAME_SIZE], venue[HC_NAME_SIZE], experience[HC_NAME_SIZE], stream_mode[CLAIM_MODE_MAX + 1];
    char device_uid[CLAIM_DEVICE_MAX + 1], prefer_body_id[HC_ID_SIZE], claim_token[CLAIM_TOKEN_MAX + 1], stream_id[HC_ID_SIZE];
    uint32_t protocol_version;
};
struct renew_body { char claim_token[CLAIM_TOKEN_MAX + 1]; };
/* In the order of release_words. */
enum release_reason {
    RELEASE_UNSAID, RELEASE_USER_EXIT, RELEASE_ERROR, RELEASE_ABANDON, RELEASE_UNREACHABLE, RELEASE_INTERRUPTED, RELEASE_REASONS
};
struct release_body { char claim_token[CLAIM_TOKEN_MAX + 1]; enum release_reason reason; };
extern const struct codec_table claim_table, renew_table, release_table;
extern const struct hc_words release_words;

#endif
