#include "wish.h"

static const struct codec_field wish_rows[] = {
    { .key = "experience", .type = CODEC_NAME, .offset = offsetof(struct wish, experience), .flags = CODEC_EMPTY_OK },
};
const struct codec_table wish_table = CODEC_TABLE("start", wish_rows, struct wish, CODEC_NO_PRESENT);
