/* wish.h - POST /api/v1/stream/start: what the visitor at the kiosk wants (wire §7). */
#ifndef HEAD_WISH_H
#define HEAD_WISH_H

#include "hydra/base/id.h"
#include "hydra/codec/field.h"

struct wish { char experience[HC_NAME_SIZE]; };         /* "": the one of the configuration */
extern const struct codec_table wish_table;

#endif
