/* floor.h - the epoch floor of each slot, in slot_epoch.json: a directive below it was issued before one that this body has applied, so it
 * is not applied, whoever sends it (rules §6.1, §13; seed I4). Survives a kill: raised on disk before the directive is applied. */
#ifndef BODY_FLOOR_H
#define BODY_FLOOR_H

#include <stdint.h>

#include "hydra/base/err.h"
#include "hydra/proto/directive.h"

#define FLOOR_FILE      "slot_epoch.json"
#define FLOOR_FILE_MAX  4096

struct floor { uint64_t epoch[DIRECTIVE_SLOTS_MAX]; };          /* 0: none applied yet */

/* A missing file is all 0. HC_ERR_SYNTAX, HC_ERR_SCHEMA: a garbled one is not guessed: the agent says so and applies nothing until the
 * operator has looked (diag). HC_ERR_IO. */
HC_MUST enum hc_err floor_load(int dir_fd, struct floor *ret_floor, struct hc_diag *diag);
enum floor_verdict { FLOOR_APPLY, FLOOR_BELOW, FLOOR_NOT_WRITTEN /* the disk did not take it: what was applied stays, tried again */ };
/* Raises the slot's floor to `epoch` on disk and in memory, when it is above; FLOOR_BELOW changes nothing. */
HC_MUST enum floor_verdict floor_raise(int dir_fd, struct floor *floor, uint32_t slot, uint64_t epoch, struct hc_diag *diag);

#endif
