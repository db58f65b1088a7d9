/* slot_sessions.h - what runs on a slot, beside its lease: the session that the lease covers, and those that none covers. */
#ifndef CORE_SLOT_SESSIONS_H
#define CORE_SLOT_SESSIONS_H

#include "core.h"

#define SECOND_LAUNCH_SHOWN_MS 120000      /* wire §5: a refused second launch shows that long */

struct slot_extra { const struct session_obs *session; bool wrong_client; };
struct slot_sessions {
    const struct lease *lease;             /* the live one, or NULL */
    const struct session_obs *covered;     /* what the lease covers; NULL: nothing */
    const struct session_obs *shown;       /* a row that is no live session (idle, ending, failed), for want of one; NULL: none */
    size_t live_count;
    size_t extra_count; struct slot_extra extras[REPORT_SESSIONS_MAX];     /* live, covered by no lease */
    bool second_launch;
};
void slot_sessions(const struct core_view *v, const struct body_rec *body, uint32_t slot, struct slot_sessions *ret);
/* Slots to show: those of the record and those that the newest report has live sessions on. */
uint32_t slots_shown(const struct core_view *v, const struct body_rec *body);

struct witness { const struct node_obs *head; const char *body_id; uint32_t slot; };
/* All heads that claim a slot leased to another (§10.3), by body, slot, head. */
HC_MUST enum hc_err witnesses(const struct core_view *v, struct hc_arena *arena, struct witness **ret, size_t *ret_count);
/* The run of them on one body's slot. */
size_t witnesses_of(const struct witness *all, size_t count, const char *body_id, uint32_t slot, const struct witness **ret_first);

#endif
