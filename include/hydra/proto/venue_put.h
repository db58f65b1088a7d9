/* venue_put.h - PUT /venues/{venue} and PUT /orgs/{org} (wire §1). */
#ifndef HYDRA_PROTO_VENUE_PUT_H
#define HYDRA_PROTO_VENUE_PUT_H

#include "hydra/base/id.h"
#include "hydra/codec/field.h"

#define VENUE_CAP_MAX 1000000

struct venue_put {
    uint64_t present;
    char district[HC_NAME_SIZE], owner[HC_NAME_SIZE];
    uint32_t max_concurrent_grants;
    int queue_accept_mode;                    /* accept_words */
};
struct org_put { uint64_t present; uint32_t max_concurrent_grants; };
extern const struct codec_table venue_put_table, org_put_table;
extern const struct hc_words accept_words;

#endif
