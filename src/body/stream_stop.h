/* stream_stop.h - POST /api/v1/stream/stop: somebody at the body ends what runs (wire §6). */
#ifndef BODY_STREAM_STOP_H
#define BODY_STREAM_STOP_H

#include "hydra/codec/field.h"

struct stream_stop { uint32_t slot; bool force; };      /* force: a leased session too */
extern const struct codec_table stream_stop_table;

#endif
