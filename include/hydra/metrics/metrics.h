/* metrics.h - counters, gauges and histograms as table rows, and their Prometheus text. */
#ifndef HYDRA_METRICS_METRICS_H
#define HYDRA_METRICS_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "hydra/base/buf.h"

enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM };

/* id, type, name (prefixed hydracluster_ in the text), label names (comma-separated, "" none), help. Names: seed, Observability. */
#define METRIC_LIST(X)                                                                                                              \
    X(HTTP_REQUESTS,       COUNTER,   "http_requests_total",        "route,status",                       "Requests answered.")      \
    X(HTTP_CONNECTIONS,    GAUGE,     "http_connections",           "",                                   "Open connections.")       \
    X(HTTP_REFUSED,        COUNTER,   "http_connections_refused_total", "why",                            "Connections refused.")    \
    X(HTTP_PARKED,         GAUGE,     "http_parked",                "why",                                "Requests that wait.")     \
    X(CLAIM_LATENCY,       HISTOGRAM, "claim_latency_seconds",      "",                                   "Claim, first byte to answer.") \
    X(CLAIMS_GRANTED,      COUNTER,   "claims_granted_total",       "venue,source",                       "Leases granted.")         \
    X(CLAIMS_DENIED,       COUNTER,   "claims_denied_total",        "venue,reason,head_venue,body_venue", "Claims not granted.")     \
    X(SLOTS_TOTAL,         GAUGE,     "slots_total",                "venue,body",                         "Slots.")                  \
    X(SLOTS_OCCUPIED,      GAUGE,     "slots_occupied",             "venue,body,cause",                   "Occupied slots.")         \
    X(QUEUE_DEPTH,         GAUGE,     "queue_depth",                "venue",                              "Tickets waiting.")        \
    X(QUEUE_WAIT,          HISTOGRAM, "queue_wait_seconds",         "venue",                              "Wait until served.")      \
    X(LEASE_AGE,           GAUGE,     "lease_age_seconds",          "venue,body,slot",                    "Age of a live lease.")    \
    X(HEAD_RENEWAL_AGE,    GAUGE,     "seconds_since_head_renewal", "venue,body,slot",                    "Since the head last renewed.") \
    X(BODY_REPORT_AGE,     GAUGE,     "body_report_age_seconds",    "body",                               "Age of the newest report.") \
    X(NAMED_CERTS,         GAUGE,     "named_certs_count",          "body",                               "Paired clients on a body.") \
    X(CIRCUIT_OPEN,        GAUGE,     "circuit_open",               "body",                               "1 while the circuit is open.") \
    X(DIVERGENCE,          GAUGE,     "divergence",                 "kind",                               "Slots with this divergence.") \
    X(SLOTS_DIVERGENT,     GAUGE,     "slots_divergent",            "venue,body,kind",                    "Of one body.") \
    X(BODY_ONLINE,         GAUGE,     "body_online",                "body",                               "1 while the body is heard.") \
    X(CUSTODIAN_SUCCESS,   GAUGE,     "custodian_last_success_timestamp_seconds", "body",   "When a trust store was last gone through.") \
    X(PAIR_ATTEMPTS,       COUNTER,   "pair_attempts_total",        "result",                             "PINs relayed to bodies.") \
    X(EVENT_LAST,          GAUGE,     "event_last_timestamp_seconds", "type",               "When such an event last happened.") \
    X(HOME_DENIED_LAST,    GAUGE,     "home_venue_denied_last_timestamp_seconds", "venue",  "Home visitor found no body.") \
    X(EVENTS,              COUNTER,   "events_total",               "type,expected_legacy",               "Events published.")       \
    X(LEASES_ENDED,        COUNTER,   "leases_ended_total",         "state,reason",                       "Leases ended.")           \
    X(SAVES,               COUNTER,   "store_saves_total",          "outcome",                            "Saves of the data files.") \
    X(SAVE_SECONDS,        HISTOGRAM, "store_save_seconds",         "",                        "One save: format to folder sync.") \
    X(SAVE_GROUP,          HISTOGRAM, "store_save_group_size",      "",                        "Operations that shared a save.") \
    X(STORE_UP,            GAUGE,     "store_up",                   "",                                   "1 while saves succeed.")  \
    X(MUTEX_HELD,          HISTOGRAM, "mutex_held_seconds",         "",                                   "One hold of the mutex.")  \
    X(EDGE_ERRORS,         COUNTER,   "lease_edge_errors_total",    "",                        "Transitions that no row has.") \
    X(ETA_ERROR,           HISTOGRAM, "queue_eta_error_seconds",    "",                                   "|Estimated - real| wait.") \
    X(JOURNAL_UP,          GAUGE,     "journal_up",                 "",                        "1 while the flight recorder keeps up.") \
    X(JOURNAL_DROPPED,     COUNTER,   "journal_dropped_total",      "",                        "Events that it did not record.") \
    X(LOG_DROPPED,         COUNTER,   "log_lines_dropped_total",    "",                        "Library log lines over the rate.")
#define X(id, type, name, labels, help) METRIC_##id,
enum metric_id { METRIC_LIST(X) METRIC_COUNT };
#undef X

struct metrics;                                    /* one per daemon; every series is bounded by METRIC_SERIES_MAX per metric */
#define METRIC_SERIES_MAX 4096
struct metrics *metrics_new(void);                 /* NULL: no memory */
void metrics_free(struct metrics *m);              /* accepts NULL */
/* Label values (const char *) in the table's order, as many as the row has labels; none for a row without. Over METRIC_SERIES_MAX the
 * label values become "other". Thread-safe (an own leaf lock). Without memory for a new series the sample is dropped. */
void metrics_add(struct metrics *m, enum metric_id id, double by, ...);        /* counters and gauges */
void metrics_set(struct metrics *m, enum metric_id id, double value, ...);     /* gauges */
void metrics_observe(struct metrics *m, enum metric_id id, double value, ...); /* histograms */
void metrics_clear(struct metrics *m, enum metric_id id);                      /* drops all series of a gauge before it is set anew */
void metrics_write(struct metrics *m, struct hc_buf *out);                     /* text/plain; version=0.0.4 */

#endif
