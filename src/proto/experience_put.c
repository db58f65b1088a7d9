#include "hydra/proto/experience_put.h"

#define AT(member) offsetof(struct experience_put, member)
static const struct codec_field rows[] = {
    { .key = "label",             .type = CODEC_NAME, .offset = AT(label) },
    { .key = "orientation",       .type = CODEC_STR,  .offset = AT(orientation), .limit = EXPERIENCE_WORD_MAX },
    { .key = "enable_microphone", .type = CODEC_BOOL, .offset = AT(enable_microphone) },
    { .key = "stream_mode",       .type = CODEC_STR,  .offset = AT(stream_mode), .limit = EXPERIENCE_WORD_MAX },
    { .key = "venues",            .type = CODEC_STRS, .offset = AT(venues), .limit = EXPERIENCE_VENUES_MAX, .item_limit = HC_NAME_MAX },
};
const struct codec_table experience_put_table = CODEC_TABLE("experience", rows, struct experience_put, AT(present));
