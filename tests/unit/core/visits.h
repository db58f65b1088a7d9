/* visits.h - stretches of a visit under virtual time, beside fixture.h: a hold, a picture, a head that goes on speaking. */
#ifndef CORE_VISITS_H
#define CORE_VISITS_H

#include "fixture.h"

/* A modern body b1 and heads h1, h2 (legacy), p1, p2 (protocol 2) of the same venue; b1 has reported idle. */
void visit_fleet(struct fleet *f);
/* A legacy hold of b1 and an explicit grant on it: the lease's id. */
void visit_hold(struct fleet *f, const char *head_id, char ret_lease_id[HC_ID_SIZE]);
void visit_grant(struct fleet *f, const char *head_id, const char *attempt_id, char ret_lease_id[HC_ID_SIZE],
                 char ret_token[CLAIM_TOKEN_SIZE]);
/* The body's next report, 5 s later, shows this session (or nothing at all). */
struct core_result *visit_shows(struct fleet *f, const char *body_id, enum session_state state, const char *lease_id,
                                const char *launch_id);
struct core_result *visit_idle(struct fleet *f, const char *body_id);
/* A hold of h1 on b1 that streams as launch "l1". */
void visit_plays(struct fleet *f, char ret_lease_id[HC_ID_SIZE]);
/* Time passes while this head says this every 10 s. */
void visit_beats(struct fleet *f, int64_t ms, const char *head_id, const char *status, const char *body_id);
void visit_revoke(struct fleet *f, const char *lease_id);
/* The daemon dies and another one starts on what was saved, `outage_ms` later. */
struct core_result *visit_restart(struct fleet *f, int64_t outage_ms);
size_t visit_ghosts(struct fleet *f, const char *body_id);
const struct stream_rec *visit_stream(struct fleet *f, const char *lease_id);
/* the first of its type; it must be there */
const struct core_note *visit_note(const struct core_result *result, enum note_type type);

#endif
