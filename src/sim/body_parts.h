/* body_parts.h - what the parts of a body's machine share: its sessions (body.c), the operations of its agent (body_ops.c). */
#ifndef BODY_PARTS_H
#define BODY_PARTS_H

#include "body.h"

#define POLL_REPEAT_MS 2000          /* after a long-poll that was not heard */

struct turn { struct body *body; int64_t now_ms; struct body_acts *out; };

void body_act_add(struct turn *t, enum body_act_type type, size_t head, uint32_t slot);
void body_changed(struct turn *t);                       /* a modern agent reports it at once */
bool body_agent_runs(const struct turn *t);
bool body_session_lives(const struct session *session);
void body_end_all(struct turn *t);                       /* every session */

void body_ops_poll(struct turn *t);
void body_ops_answered(struct turn *t, const struct body_event *event);
void body_op_told(struct turn *t, const struct body_event *event);

#endif
