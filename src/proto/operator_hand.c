#include "hydra/proto/operator_hand.h"

static const struct codec_field hand_rows[] = {
    { .key = "reason", .type = CODEC_STR, .offset = offsetof(struct lease_hand, reason), .limit = HC_NAME_MAX },
};
const struct codec_table lease_hand_table = CODEC_TABLE("lease_end", hand_rows, struct lease_hand, CODEC_NO_PRESENT);

static const struct codec_field safe_rows[] = {
    { .key = "district", .type = CODEC_NAME, .offset = offsetof(struct safe_mode_end, district), .flags = CODEC_EMPTY_OK },
};
const struct codec_table safe_mode_end_table = CODEC_TABLE("safe_mode_end", safe_rows, struct safe_mode_end, CODEC_NO_PRESENT);
