/* operator_hand.h - bodies of POST /leases/{lease_id}/release and /revoke, and of POST /safe-mode/end (wire §5). */
#ifndef HYDRA_PROTO_OPERATOR_HAND_H
#define HYDRA_PROTO_OPERATOR_HAND_H

#include "hydra/base/id.h"
#include "hydra/codec/field.h"

struct lease_hand { char reason[HC_NAME_SIZE]; };                  /* for people, in the event */
struct safe_mode_end { char district[HC_NAME_SIZE]; };             /* "": every district */
extern const struct codec_table lease_hand_table, safe_mode_end_table;

#endif
