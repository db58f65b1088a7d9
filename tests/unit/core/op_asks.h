/* op_asks.h - operations and pair leases as tests ask for them. */
#ifndef CORE_OP_ASKS_H
#define CORE_OP_ASKS_H

#include "fixture.h"

struct core_result *ask_op(struct fleet *f, const char *node_id, enum op_kind op, bool force);        /* by an admin; uuid "u1" */
struct core_result *ask_pin(struct fleet *f, const char *head_id, const char *body_id);                /* relayed */
struct core_result *poll_op(struct fleet *f, const char *node_id);
struct core_result *answer_op(struct fleet *f, const char *node_id, const char *op_id, bool failed, enum op_verdict verdict);
/* `count` clients u000, u001 ... named roth, from that number on. */
struct core_result *answer_list(struct fleet *f, const char *node_id, const char *op_id, unsigned first, size_t count);
struct core_result *ask_pair(struct fleet *f, const char *head_id, const char *body_id, uint32_t slot);
struct core_result *leave_pair(struct fleet *f, const char *head_id, const char *lease_id);
/* What the node is given now; "" nothing. */
const char *given_op(struct fleet *f, const char *node_id, enum op_kind op);
const struct op_rec *fleet_op(struct fleet *f, const char *op_id);

#endif
