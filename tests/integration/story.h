/* story.h - the small story that docs/API-EXAMPLES.md tells: who is in it, and its chapters in the order in which they are told.
 *
 * The ids of the fleet are written into the data folder before the story begins, so that lists, which are in the order of ids, are the same
 * in every run. */
#ifndef STORY_H
#define STORY_H

#include "exchange.h"

#define STORY_DISTRICT "waterland"
#define STORY_VENUE    "sint-niklaas"
#define STORY_OWNER    "hydra"
#define STORY_CLIENT   "0F1E2D3C-4B5A-6978-8796-A5B4C3D2E1F0"   /* the first tablet's, when it has paired */
#define STORY_XR       "mercator"               /* an experience for headsets; the flat one is FLEET_EXPERIENCE */

struct story {
    struct node body, one, two, quest;          /* two tablets and a headset */
    uint64_t report_seq, applied_epoch;         /* of the body */
    bool paired;                                /* the body shows a client of the first tablet */
};
extern struct story story;

#define AS_ANYBODY    .who = "public"
#define AS_LOOPBACK   .who = "loopback"
#define AS_FLEET      .who = "fleet", .token = scene.home.fleet_token
#define AS_ADMIN      .who = "admin", .token = scene.home.admin_token
#define AS_SELF(node) .who = "self", .token = (node).token
#define AS_BODY(node) .who = "body", .token = (node).token
#define AS_NODE(node) .who = "node", .token = (node).token

int story_open(void **state);                   /* setup: the daemon, and the fleet enrolled */
void story_registry(void);
void story_pairing(void);
void story_visits(void);
void story_headset(void);
void story_operator(void);
void story_farewell(void);
void story_page(void);

void tell(const struct asked *asked);           /* an exchange of whose answer nothing is needed */
/* A call that is not shown; must be served. The body may be NULL. */
struct call quietly(const char *token, const char *method, const char *path, const char *body);
/* What the body would report next: its slot in this state, for this lease and this head (NULL: none). */
json_t *story_report(const char *state, const char *lease_id, const struct node *head);
/* Reports so until the epoch that it is told is confirmed; not shown. */
void story_reports(const char *state, const char *lease_id, const struct node *head);
void story_confirms(const struct call *report); /* takes the epoch that the answer to a report names */
json_t *story_claim(const struct node *head, const char *attempt_id);       /* of protocol 2 */
/* The first 16 hex digits of the SHA-256 of a head's id. */
void story_device_uid(const struct node *head, char out[17]);

#endif
