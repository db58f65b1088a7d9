/* slot_stop.h - POST /api/v1/stream/stop: somebody at the body ends what runs (wire §6). */
#ifndef BODY_SLOT_STOP_H
#define BODY_SLOT_STOP_H

#include "hydra/codec/field.h"

struct slot_stop { uint32_t slot; bool force; };      /* force: a leased session too */
extern const struct codec_table slot_stop_table;

#endif
