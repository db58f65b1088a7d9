/* requests.h - what a head says to the cluster, as method, path and body (wire §2, §3). Pure. */
#ifndef HEAD_REQUESTS_H
#define HEAD_REQUESTS_H

#include <stdint.h>

#include "hydra/base/buf.h"

#include "head_decide.h"

#define PROTOCOL_VERSION 2
#define PAIRING_PROTOCOL 2

struct request_text { const char *method; struct hc_buf path, body; };      /* an empty body: none is sent */
void request_drop(struct request_text *request);        /* wipes the body: it may hold a token */
bool request_failed(const struct request_text *request);    /* no memory for it */

void request_claim(const char *head_id, const struct head_state *head, const char *device_uid, struct request_text *out);
void request_admission(const char *head_id, const char *attempt_id, unsigned wait_seconds, struct request_text *out);
void request_accept(const char *head_id, struct request_text *out);
void request_renew(const char *head_id, const struct head_lease *lease, struct request_text *out);
/* Without a claim token: the head's own DELETE of what it has on that body. */
void request_release(const char *head_id, const struct head_lease *lease, const char *body_id, const char *reason,
                     struct request_text *out);
/* Ends the visit that waits; without a stream id, whatever the head has. */
void request_leave(const char *head_id, const char *stream_id, struct request_text *out);
/* `diagnostics` is JSON. */
void request_beat(const char *head_id, const struct head_state *head, const char *diagnostics, struct request_text *out);
void request_offers(const char *head_id, struct request_text *out);
void request_identity(const char *head_id, struct request_text *out);       /* the body is identity_registration()'s */
void request_pin(const char *body_id, const char *pin, struct request_text *out);
void request_pair_lease(const char *head_id, const char *body_id, struct request_text *out);
void request_pair_release(const char *head_id, const char *lease_id, struct request_text *out);
/* A read of bodies that claims nothing. */
void request_bodies(const char *head_id, struct request_text *out);

#endif
