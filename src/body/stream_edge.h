/* stream_edge.h - POST /api/v1/stream/started and /ended: what the hook tells the agent (wire §6). */
#ifndef BODY_STREAM_EDGE_H
#define BODY_STREAM_EDGE_H

#include "hydra/base/id.h"
#include "hydra/codec/field.h"
#include "hydra/proto/body_status.h"

#define STREAM_STARTED_PATH "/api/v1/stream/started"
#define STREAM_ENDED_PATH   "/api/v1/stream/ended"

struct stream_edge {
    uint32_t slot;
    char launch_id[HC_ID_SIZE];         /* the hook's own, made at the start; "" in an end: of the launch that is open */
    char client_uuid[HC_ID_SIZE], client_name[HC_NAME_SIZE];    /* "": Sunshine named nobody */
    char app[BODY_STATUS_APP_MAX + 1];  /* as published: EXPERIENCE#TOKEN, or a plain name */
};
extern const struct codec_table stream_edge_table;
/* The experience alone, for logs and pages: the token is the right to launch. `app` is at most BODY_STATUS_APP_MAX bytes. */
void app_without_token(const char *app, char out[BODY_STATUS_APP_MAX + 1]);

#endif
