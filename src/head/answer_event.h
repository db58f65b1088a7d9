/* answer_event.h - the cluster's answer to a question of a head, as the event that head_decide() understands. Pure. */
#ifndef HEAD_ANSWER_EVENT_H
#define HEAD_ANSWER_EVENT_H

#include "hydra/proto/claim_answer.h"

#include "head_decide.h"

enum head_question { ASK_CLAIM, ASK_ADMISSION, ASK_ACCEPT, ASK_RENEW, ASK_REGISTER, ASK_RELEASE };
/* status 0: no answer came. `body` may be anything: what is not the cluster's JSON (a portal, a proxy) is "no answer". `via_wireguard`:
 * which of a body's addresses this head uses. Fills type and what belongs to it; now_ms, sent_ms, fresh_id and jitter are the caller's. */
void answer_event(enum head_question question, long status, const char *body, size_t len, bool via_wireguard, struct head_event *ret_event);

#endif
