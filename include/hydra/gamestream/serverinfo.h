/* serverinfo.h - what a host says about itself, and verify-then-pair's first half: are we still paired? (seed I7; rules §12, §13.8) */
#ifndef HYDRA_GAMESTREAM_SERVERINFO_H
#define HYDRA_GAMESTREAM_SERVERINFO_H

#include "hydra/gamestream/host.h"

#define GS_TEXT_SIZE 129

struct gs_serverinfo {
    char hostname[GS_TEXT_SIZE], unique_id[HC_ID_SIZE], app_version[GS_TEXT_SIZE];
    int generation;                     /* first number of app_version */
    bool busy;                          /* state ends with _SERVER_BUSY */
    int64_t current_game;               /* 0: none; a host's odd values below it count as none */
    bool pair_status;
    uint16_t https_port;                /* 0: not told */
};
/* Over HTTP anybody may ask. Errors as gs_call()'s; HC_ERR_STATE never; a root that is not 200: HC_ERR_NET with its message. */
HC_MUST enum hc_err gs_serverinfo(const struct gs_host *host, const struct gs_client *client, int64_t timeout_ms,
                                  struct gs_serverinfo *ret_info, struct hc_diag *diag);

enum gs_verdict {
    GS_PAIRED,                          /* no handshake, no PIN */
    GS_NOT_PAIRED,                      /* proven: the pinned host refuses our certificate, or we have no pin of it */
    GS_ROTATED,                         /* the host shows another certificate than the pin */
    GS_UNKNOWN                          /* anything else: changes nothing, the launch is tried again later */
};
struct gs_verified {
    enum gs_verdict verdict;
    struct gs_serverinfo info;          /* of GS_PAIRED */
    char peer_fingerprint[HC_HASH_SIZE];        /* "" : no handshake came that far */
    struct hc_buf peer_cert;            /* PEM, of GS_ROTATED: to pin when the cluster names its fingerprint (rules §13.8) */
    struct hc_diag why;                 /* for people */
};
void gs_verified_free(struct gs_verified *verified);
/* `pinned_cert` NULL: GS_NOT_PAIRED without a call. Never fails: what is not known is GS_UNKNOWN. */
void gs_verify(const struct gs_host *host, const struct gs_client *client, const char *pinned_cert, int64_t timeout_ms,
               struct gs_verified *ret_verified);

#endif
