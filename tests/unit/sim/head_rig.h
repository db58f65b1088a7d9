/* head_rig.h - a head, its clock and its last acts. rig_until() lets timers run; rig_answer() answers a call as the decoder would. */
#ifndef HEAD_RIG_H
#define HEAD_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../../src/sim/head.h"

#define RIG_CALLS_MAX 256

struct head_rig {
    struct head head;
    int64_t now_ms;
    struct head_acts acts;                   /* of the last step */
    size_t call_count; struct head_args calls[RIG_CALLS_MAX];      /* all that were sent, oldest first */
    unsigned launches, closes, holds, drops, renewals, handshakes, pairings;
    char paired_with[HC_ID_SIZE];            /* of the last handshake */
    char app[HEAD_APP_SIZE];                 /* of the last launch */
    int64_t last_until_ms;                   /* of the last hold or renewal */
};

void rig_make(struct head_rig *rig, enum head_kind kind);
void rig_event(struct head_rig *rig, enum head_event_type type);
void rig_ask(struct head_rig *rig);
/* Runs timers until the head is in that phase; fails after `most_ms`. Heartbeats, config and command polls are answered 200. */
void rig_until(struct head_rig *rig, enum head_phase phase, int64_t most_ms);
void rig_pass(struct head_rig *rig, int64_t ms);
const struct head_args *rig_last(const struct head_rig *rig, enum head_call call);       /* NULL: never sent */
size_t rig_count(const struct head_rig *rig, enum head_call call);
/* A renewal is granted: 90 s more. */
void rig_renew(struct head_rig *rig);
/* Lease in hand: pairs, says that it starts, hears that the lease is its own, launches. */
void rig_until_launch(struct head_rig *rig);
/* Answers the newest call of that kind. */
void rig_answer(struct head_rig *rig, enum head_call call, long status, const char *error);
void rig_give_body(struct head_rig *rig);                /* the read is answered with body b1 */
void rig_give_lease(struct head_rig *rig, enum head_call call, const char *lease_id, bool applied);      /* ttl 90 s, renew after 20 s */
void rig_answer_full(struct head_rig *rig, struct head_answer answer);

#endif
