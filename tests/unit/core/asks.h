/* asks.h - what heads and operators ask of a fleet, beside fixture.h: one call an event. */
#ifndef CORE_ASKS_H
#define CORE_ASKS_H

#include "fixture.h"

/* May be parked: not the last chance. */
struct core_result *ask_read(struct fleet *f, const char *head_id, const char *experience);
struct core_result *ask_pure(struct fleet *f, const char *head_id, const char *experience, const char *stream_mode);     /* protocol=2 */
/* By an admin without head_id. */
struct core_result *ask_listing(struct fleet *f, const char *district, const char *venue, bool include_leased);
struct core_result *ask_fetch(struct fleet *f, const char *head_id);                                 /* not the last chance */
/* A claim with its fields open; `req` starts as the fleet's usual claim. */
struct claim_req usual_claim(const char *head_id, const char *attempt_id);
struct core_result *ask_claim(struct fleet *f, const struct claim_req *req, bool dry_run);
struct core_result *ask_admission(struct fleet *f, const char *head_id, const char *attempt_id);
struct core_result *ask_accept(struct fleet *f, const char *head_id);
struct core_result *ask_stop(struct fleet *f, const char *head_id, const char *body_id);             /* DELETE /heads/{id}/stream */
struct core_result *ask_stream_end(struct fleet *f, const char *head_id, const char *stream_id);
struct core_result *ask_heartbeat(struct fleet *f, const struct heartbeat_req *req);
struct heartbeat_req usual_heartbeat(const char *head_id, const char *status);
void answer_lost(struct fleet *f, const char *head_id);

void give_venue(struct fleet *f, const char *venue, enum accept_mode mode);
void give_cap(struct fleet *f, const char *kind_and_name, uint32_t cap);       /* "venue/north", "org/acme" */
void assign_body(struct fleet *f, const char *head_id, const char *body_id, const char *app_id);
/* Edits outside of any event: between edit_body() and edit_done(). */
struct body_rec *edit_body(struct fleet *f, const char *body_id);
struct node_rec *edit_node(struct fleet *f, const char *node_id);
void edit_done(struct fleet *f);
struct body_obs *edit_report(struct fleet *f, const char *body_id);
/* What the body lists: in its record, and in its newest report if there is one. */
void set_experiences(struct fleet *f, const char *body_id, const char *const *list, size_t count);
const struct node_obs *head_seen(struct fleet *f, const char *head_id);

/* A streaming lease: the head reads, its body shows the session. */
void play_legacy(struct fleet *f, const char *head_id, char ret_lease_id[HC_ID_SIZE]);
const char *body_of(struct fleet *f, const char *lease_id);

#endif
