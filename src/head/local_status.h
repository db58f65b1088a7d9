/* local_status.h - what the kiosk and the queue card are told of the visit (wire §7). Pure. */
#ifndef HEAD_LOCAL_STATUS_H
#define HEAD_LOCAL_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hydra/base/buf.h"

#include "head_decide.h"

#define LOCAL_MESSAGE_SIZE 400

struct local_status {
    const char *status;                     /* idle ready finding_body pairing starting streaming error: the kiosk knows no other */
    const char *error;                      /* "" : none */
    char message[LOCAL_MESSAGE_SIZE];       /* for the visitor */
    bool queued, confirm;                   /* confirm: somebody must say that they are there */
    uint32_t position; int64_t eta_ms;      /* while queued; negative: not known */
};
/* `online`: the cluster answers. `wish`: the next visit is wanted while the last one still ends. */
void local_status_of(const struct head_state *head, bool online, bool wish, struct local_status *ret);
void local_status_json(const struct local_status *status, struct hc_buf *out);
/* "2nd in line, about 4 minutes"; "next in line". At most `size` bytes with the NUL. */
void local_place_text(uint32_t position, int64_t eta_ms, char *out, size_t size);

#endif
