#include "hydra/proto/admit_observed.h"

#define AT(member) offsetof(struct admit_observed, member)
static const struct codec_field rows[] = {
    { .key = "client_uuid",     .type = CODEC_ID,   .offset = AT(client_uuid), .flags = CODEC_EMPTY_OK },
    { .key = "named_cert_name", .type = CODEC_NAME, .offset = AT(named_cert_name), .flags = CODEC_EMPTY_OK },
    { .key = "slot",            .type = CODEC_U32,  .offset = AT(slot), .limit = BODY_STATUS_INDEX_MAX },
    { .key = "app_name",        .type = CODEC_STR,  .offset = AT(app_name), .limit = BODY_STATUS_APP_MAX },
    { .key = "launch_id",       .type = CODEC_ID,   .offset = AT(launch_id), .flags = CODEC_EMPTY_OK },
};
const struct codec_table admit_observed_table = CODEC_TABLE("admit_observed", rows, struct admit_observed, CODEC_NO_PRESENT);
