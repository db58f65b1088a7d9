#include "stream_edge.h"

#include <string.h>

#include "hydra/proto/directive.h"

#include "admit.h"

#define EDGE(member) offsetof(struct stream_edge, member)
static const struct codec_field edge_rows[] = {
    { .key = "slot",        .type = CODEC_U32,  .offset = EDGE(slot), .limit = DIRECTIVE_SLOTS_MAX - 1 },
    { .key = "launch_id",   .type = CODEC_ID,   .offset = EDGE(launch_id), .flags = CODEC_EMPTY_OK },
    { .key = "client_uuid", .type = CODEC_ID,   .offset = EDGE(client_uuid), .flags = CODEC_EMPTY_OK },
    /* a stranger names its device as it likes */
    { .key = "client_name", .type = CODEC_STR,  .offset = EDGE(client_name), .limit = HC_NAME_MAX },
    { .key = "app",         .type = CODEC_STR,  .offset = EDGE(app), .limit = BODY_STATUS_APP_MAX },
};
const struct codec_table stream_edge_table = CODEC_TABLE("stream", edge_rows, struct stream_edge, CODEC_NO_PRESENT);

void app_without_token(const char *app, char out[BODY_STATUS_APP_MAX + 1])
{
    const char *token = app_token_in(app);
    hc_copy(out, BODY_STATUS_APP_MAX + 1, app);
    if (token[0] != '\0')
        out[token - 1 - app] = '\0';
}
