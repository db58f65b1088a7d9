#include "slot_stop.h"

#include "hydra/proto/directive.h"

static const struct codec_field stop_rows[] = {
    { .key = "slot",  .type = CODEC_U32,  .offset = offsetof(struct slot_stop, slot), .limit = DIRECTIVE_SLOTS_MAX - 1 },
    { .key = "force", .type = CODEC_BOOL, .offset = offsetof(struct slot_stop, force) },
};
const struct codec_table slot_stop_table = CODEC_TABLE("stop", stop_rows, struct slot_stop, CODEC_NO_PRESENT);
