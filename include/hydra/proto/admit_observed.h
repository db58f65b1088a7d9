/* admit_observed.h - POST /bodies/{id}/admit-observed: a client that the hook saw and the directive does not name (wire §4). */
#ifndef HYDRA_PROTO_ADMIT_OBSERVED_H
#define HYDRA_PROTO_ADMIT_OBSERVED_H

#include "hydra/proto/body_status.h"

struct admit_observed {
    char client_uuid[HC_ID_SIZE], named_cert_name[HC_NAME_SIZE];
    uint32_t slot;
    char app_name[BODY_STATUS_APP_MAX + 1], launch_id[HC_ID_SIZE];
};
extern const struct codec_table admit_observed_table;

#endif
