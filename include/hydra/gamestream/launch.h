/* launch.h - applications of a paired host: list, launch, cancel of the own session. A running application that is not ours is never
 * touched: what is another's is released to the cluster as `unreachable` (rules §13.9). */
#ifndef HYDRA_GAMESTREAM_LAUNCH_H
#define HYDRA_GAMESTREAM_LAUNCH_H

#include "hydra/gamestream/serverinfo.h"

#define GS_APPS_MAX 1024

struct gs_app { const char *title; int64_t id; };
/* The id that a host gives an application of this name without a picture of its own. */
int64_t gs_app_id(const char *name);
HC_MUST enum hc_err gs_applist(const struct gs_host *host, const struct gs_client *client, const char *pinned_cert, int64_t timeout_ms,
                               struct hc_arena *arena, struct gs_app **ret_apps, size_t *ret_count, struct hc_diag *diag);

enum gs_launch_verdict {
    GS_LAUNCHED, GS_LAUNCH_BUSY /* something runs there, and it is not this application */, GS_LAUNCH_REFUSED /* the body's hook,
        or no app */,
    GS_LAUNCH_NOT_PAIRED, GS_LAUNCH_ROTATED, GS_LAUNCH_UNKNOWN
};
struct gs_launch { int64_t app_id; uint32_t width, height, fps; uint8_t key[16]; int32_t key_id; int64_t timeout_ms; };
/* Asks /serverinfo first: only a free host is asked to launch. *ret_session_url (appended) with GS_LAUNCHED. */
HC_MUST enum gs_launch_verdict gs_launch_app(const struct gs_host *host, const struct gs_client *client, const char *pinned_cert,
                                             const struct gs_launch *launch, struct hc_buf *ret_session_url, struct hc_diag *diag);
/* Ends the running application if it is this one; HC_OK also when it no longer runs. HC_ERR_STATE: another one runs, nothing was asked. */
HC_MUST enum hc_err gs_cancel_own(const struct gs_host *host, const struct gs_client *client, const char *pinned_cert, int64_t app_id,
                                  int64_t timeout_ms, struct hc_diag *diag);

#endif
