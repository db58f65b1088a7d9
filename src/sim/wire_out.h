/* wire_out.h - requests of heads and bodies as text: method, path, body (wire §2 to §4). */
#ifndef WIRE_OUT_H
#define WIRE_OUT_H

#include "body.h"
#include "hydra/crypto/device_certificate.h"
#include "head.h"
#include "hydra/base/buf.h"

#define WIRE_TIMEOUT_MS   15000      /* shipping heads */
#define WIRE_WAIT_SECONDS 25
#define WIRE_POLL_MS      35000      /* a long-poll and then some */

struct wire_request {
    const char *method;
    struct hc_buf path, body;        /* body.len 0: none */
    int64_t timeout_ms;
};
void wire_request_free(struct wire_request *request);

struct wire_head { const char *id, *district, *venue; uint32_t protocol; };
void wire_head_request(const struct wire_head *who, const struct head_args *args, struct wire_request *ret);

#define WIRE_UID_SIZE 17
void wire_device_uid(const char *head_id, char out[WIRE_UID_SIZE]);      /* I6: a name that everybody can compute */
void wire_identity(const char *head_id, const struct device_certificate *certificate, struct wire_request *ret);

/* A report says what there is now; durations are told in real seconds. */
struct wire_body { const char *gpu; uint32_t memory_mb; const char *const *experiences; size_t experience_count; int64_t scale; };
void wire_report(const struct wire_body *what, const struct body *body, int64_t now_ms, struct wire_request *ret);
void wire_desired(const struct body *body, struct wire_request *ret);
void wire_admit(const struct body *body, const struct session *session, struct wire_request *ret);
void wire_ops_next(const struct body *body, struct wire_request *ret);
void wire_op_result(const struct body *body, struct wire_request *ret);      /* of body->op_end */

#endif
