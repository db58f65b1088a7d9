/* fleet.h - machines of a test: enrolled and speaking over the real wire.
 *
 *     fleet_venue(&daemon, "north", "museum");
 *     struct node body = fleet_body(&daemon, "b1", "north");
 *     struct node head = fleet_head(&daemon, "h1", "harbour");
 *     fleet_reports(&daemon, &body, "idle");
 *     struct call read = fleet_reads(&daemon, &head);            (the claiming read of a shipping head)
 *
 * Every experience is FLEET_EXPERIENCE. A modern body confirms at once the epoch that it is told. */
#ifndef FLEET_H
#define FLEET_H

#include "daemon.h"
#include "hydra/base/id.h"

#define FLEET_EXPERIENCE "rupelmonde"
#define FLEET_TEXT_SIZE  64
#define FLEET_CLAIM_SIZE 512

struct node {
    char id[HC_ID_SIZE], token[HOME_TOKEN_SIZE];
    char boot_id[HC_ID_SIZE + 8];       /* of a modern body */
    uint64_t report_seq, applied_epoch;
};
/* What a head of protocol 2 keeps of its lease. */
struct held_lease { char id[HC_ID_SIZE], claim_token[HOME_TOKEN_SIZE], body_id[HC_ID_SIZE], stream_id[HC_ID_SIZE]; int64_t slot, epoch; };

void fleet_venue(struct daemon *daemon, const char *venue, const char *owner);
struct node fleet_body(struct daemon *daemon, const char *name, const char *venue);
struct node fleet_head(struct daemon *daemon, const char *name, const char *venue);

/* A legacy body's report: stream_status alone. */
void fleet_reports(struct daemon *daemon, const struct node *body, const char *stream_status);
/* A modern body's: slot 0 in this state, for this lease (NULL: none). Reports again until the epoch that it was told is confirmed.
 * The answer to the last report; the caller frees it. */
struct call fleet_reports_modern(struct daemon *daemon, struct node *body, const char *state, const char *lease_id);
/* The JSON of such a report, for calls made otherwise. */
void fleet_modern_report(struct node *body, const char *state, const char *lease_id, char *out, size_t size);

/* Reads and claims come in a millisecond of their own: the queue's order is that of milliseconds, then of random ids (rules §7.1). */
struct call fleet_reads(struct daemon *daemon, const struct node *head);
void fleet_read_path(const struct node *head, char out[FLEET_CLAIM_SIZE]);
void fleet_beats(struct daemon *daemon, const struct node *head, const char *status, const char *body_id);    /* body_id may be NULL */

struct call fleet_claims(struct daemon *daemon, const struct node *head, const char *attempt_id);
void fleet_claim_path(const struct node *head, char out[FLEET_CLAIM_SIZE]);
void fleet_claim_body(const char *attempt_id, char out[FLEET_CLAIM_SIZE]);
/* False: the answer carries no lease with a token. */
bool fleet_lease_of(const struct call *call, struct held_lease *ret);
long fleet_renews(struct daemon *daemon, const struct node *head, const struct held_lease *lease);
long fleet_releases(struct daemon *daemon, const struct node *head, const struct held_lease *lease, const char *reason);

/* /slots: the text, and one row by the body's id (fails the test when there is none). */
struct call fleet_slots(struct daemon *daemon);
json_t *fleet_row(const struct call *slots, const char *body_id);           /* borrowed */
const char *fleet_lease_id(const struct call *slots, const char *body_id);  /* "" when the slot has no lease */
const char *fleet_lease_state(const struct call *slots, const char *body_id);
const char *fleet_holder(const struct call *slots, const char *body_id);    /* head_id of the lease, "" likewise */
/* How many events of this type have been published so far (at most 100 are counted), the lives before a restart included. */
size_t fleet_events(struct daemon *daemon, const char *type);
bool fleet_waits_event(struct daemon *daemon, const char *type, int64_t at_most_ms);
/* GET /readyz says 200 (or: says 503) within the time. */
bool fleet_waits_ready(struct daemon *daemon, bool ready, int64_t at_most_ms);

#endif
