/* pair.h - the pairing handshake, client side: five steps with every check that a client can make (rules §12.7, §13.8).
 *
 * The caller holds the slot's lease or pair lease: a host gives a PIN to some pending handshake and does not say which. Our own pending
 * entry is cancelled before a first attempt and after every abort; nobody else's is touched. */
#ifndef HYDRA_GAMESTREAM_PAIR_H
#define HYDRA_GAMESTREAM_PAIR_H

#include "hydra/gamestream/host.h"

#define GS_PIN_SIZE 5                   /* four digits and the NUL */

enum gs_pin_answer {
    GS_PIN_TAKEN,                       /* a pending request was answered: whose, the handshake shows */
    GS_PIN_NOT_PENDING,                 /* the host has no request yet, or took none: tried again */
    GS_PIN_LOST                         /* no way to give it: the handshake ends */
};
typedef enum gs_pin_answer gs_pin_fn(void *ctx, const char pin[GS_PIN_SIZE]);

enum gs_pair_verdict {
    GS_PAIR_DONE, GS_PAIR_WRONG_PIN, GS_PAIR_REFUSED /* the host said no */, GS_PAIR_BUSY /* another handshake is under way */,
    GS_PAIR_OTHER_HOST /* its certificate is not the one that the cluster names */, GS_PAIR_TAMPERED /* a signature is not the host's */,
    GS_PAIR_NO_PIN, GS_PAIR_UNKNOWN /* no answer, or one that makes no sense */
};
const char *gs_pair_verdict_word(enum gs_pair_verdict verdict);

struct gs_pairing {
    const char *pin;                    /* four digits, random for each attempt */
    const char *expected_fingerprint;   /* sunshine_cert_fp of the cluster; "" not known */
    gs_pin_fn *submit_pin; void *pin_ctx;       /* called on this thread while the first step's answer is held */
    int64_t step_timeout_ms;            /* of every step but the first */
    int64_t pin_timeout_ms;             /* of the first: until the PIN was taken and the host has answered */
    void (*random)(void *out, size_t len);
    const volatile bool *stop;          /* may be NULL: true ends the handshake soon */
};
/* *ret_host_cert (PEM, appended; the caller's) only with GS_PAIR_DONE: the certificate to pin from now on. */
HC_MUST enum gs_pair_verdict gs_pair(const struct gs_host *host, const struct gs_client *client, const struct gs_pairing *how,
                                     struct hc_buf *ret_host_cert, struct hc_diag *diag);
/* Drops what the host still keeps of a handshake of ours; every answer is fine. */
void gs_pair_cancel(const struct gs_host *host, const struct gs_client *client, int64_t timeout_ms);

#endif
