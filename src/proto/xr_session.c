#include "hydra/proto/xr_session.h"

#define POST(member) offsetof(struct xr_session_post, member)
static const struct codec_field rows[] = {
    { .key = "body_id",         .type = CODEC_ID,   .offset = POST(body_id), .flags = CODEC_REQUIRED },
    { .key = "experience",      .type = CODEC_NAME, .offset = POST(experience), .flags = CODEC_REQUIRED },
    { .key = "client_hostname", .type = CODEC_NAME, .offset = POST(client_hostname), .flags = CODEC_EMPTY_OK },
    { .key = "client_ip",       .type = CODEC_STR,  .offset = POST(client_ip), .limit = HC_ID_MAX },      /* null without a tunnel */
};
const struct codec_table xr_session_post_table = CODEC_TABLE("xr_session", rows, struct xr_session_post, CODEC_NO_PRESENT);
