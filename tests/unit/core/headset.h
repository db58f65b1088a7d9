/* headset.h - a headset and a body with its driver, beside fixture.h: the shipped calls, one each. */
#ifndef CORE_HEADSET_H
#define CORE_HEADSET_H

#include "fixture.h"

/* Body b1 (modern, driver alvr, idle) and head q1 (hydraheadquest, with a client hostname) of venue north; the fleet's experience is of
 * mode xr. */
void headset_fleet(struct fleet *f);
void headset_body(struct fleet *f, const char *body_id);          /* one more such body */
void headset_head(struct fleet *f, const char *head_id);
struct core_result *headset_start(struct fleet *f, const char *head_id, const char *body_id);
struct core_result *headset_poll(struct fleet *f, const char *head_id);
struct core_result *headset_end(struct fleet *f, const char *head_id);
/* The body's state in its next report, a second later. */
struct core_result *headset_body_says(struct fleet *f, const char *body_id, const char *xr_state);
/* Time passes; `head_id` (NULL: none) polls and beats every 5 s, as it does. */
void headset_pass(struct fleet *f, int64_t ms, const char *head_id, const char *status);
const struct xr_session *headset_session(struct fleet *f, const char *body_id);

#endif
