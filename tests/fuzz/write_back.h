/* write_back.h - what was read can be written, and what is written is JSON: a promise of every table, for the fuzz targets of bodies. */
#ifndef WRITE_BACK_H
#define WRITE_BACK_H

#include <stdlib.h>

#include "hydra/codec/json.h"

static inline void write_back(const struct codec_table *table, const void *object, struct hc_arena *arena)
{
    static const struct codec_field no_fields[] = { { .key = "no such key", .type = CODEC_BOOL } };
    static const struct codec_table any_object = CODEC_TABLE("any", no_fields, bool, CODEC_NO_PRESENT);
    struct hc_buf out = { 0 };
    struct json_refusal refusal;
    bool ignored;
    json_write(table, object, &out);
    if (!out.failed && json_read(&any_object, out.data, out.len, false, arena, &ignored, &refusal) != HC_OK)
        abort();
    hc_buf_free(&out);
}

#endif
