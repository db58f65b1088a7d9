/* report.h - the body of POST /body/status, made of what the agent knows at one moment. Pure (wire §4).
 *
 * `struct body_view` borrows everything; the caller copies under its mutex and writes outside. */
#ifndef BODY_REPORT_H
#define BODY_REPORT_H

#include "hydra/base/buf.h"
#include "hydra/proto/body_status.h"
#include "hydra/proto/directive.h"

#include "sessions.h"
#include "trust.h"

#define REPORT_BYTES_MAX ((size_t)240 * 1024)           /* the daemon takes 256 KiB: beyond, the lists of clients are left out as unknown */

/* Events wait until a report that carried them was answered 2xx. Types are the daemon's words: second_launch_refused, unauthorized_launch,
 * epoch_below_floor, pair_contention, trim_parse_failed. */
struct report_events { struct body_status_event events[BODY_STATUS_EVENTS_MAX]; size_t count; };
/* One that waits already (same type, slot, launch and client) is not added again; only its detail is taken. False: full, or a text does not
 * fit its field; the caller logs it. `detail` is a sentence of ours, at most HC_NAME_MAX bytes. */
bool report_event_add(struct report_events *events, const char *type, uint32_t slot, const char *launch_id, const char *client_uuid,
                      const char *detail);
void report_events_answered(struct report_events *events, size_t sent);         /* the first `sent` of them went out and were taken */

struct body_view_slot {
    struct sessions_view sessions;
    uint64_t applied_epoch, max_epoch_seen;             /* 0: none yet */
    struct body_status_ports ports;
    const char *sunshine_cert_fp;                       /* "" not known */
    const struct host_client *clients; size_t client_count; bool clients_known;
    int gate_mode; const char *gate_reason;             /* body_gate_words; 0: no gate was judged yet. Reason may be NULL */
};
struct body_view {
    const char *gpu, *provider_status, *provider_version, *hydrabody_version;
    const char *const *experiences; size_t experience_count;    /* names that the wire cannot carry are left out */
    const char *xr_state;                                       /* "" none */
    const char *const *xr_drivers; size_t xr_driver_count;
    const char *boot_id; uint64_t report_seq;
    int64_t provider_uptime_ms;                         /* the agent process's age */
    uint32_t gpu_memory_total_mb;                       /* 0: not known, and not told */
    const struct body_view_slot *slots; size_t slot_count;      /* by index from 0; at most DIRECTIVE_SLOTS_MAX; slots_total */
    const struct report_events *events;                 /* NULL: none */
    int64_t now_ms;
};
/* Appends the JSON. A text of ours that does not fit its field is sent as "". HC_ERR_NOMEM. */
HC_MUST enum hc_err report_write(const struct body_view *view, struct hc_buf *out);
/* When the next one is to go: at `next_ms`, of the cadence or of the wait after a failure; with an edge (something changed) as soon as the
 * gap after the last try, at `tried_ms`, allows. */
int64_t report_due_ms(bool edge, bool failing, int64_t tried_ms, int64_t next_ms);
/* Of a list as the host lists it: the same list has the same digest. Never "" and never "unknown", also of an empty one. */
void report_digest(const struct host_client *clients, size_t count, char ret_digest[HC_HASH_SIZE]);

#endif
