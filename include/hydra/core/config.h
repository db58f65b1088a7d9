/* config.h - what the core is told once at start: timers, limits, the server secret. Never saved. */
#ifndef HYDRA_CORE_CONFIG_H
#define HYDRA_CORE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "hydra/base/err.h"
#include "hydra/base/id.h"

/* One row per timer: field (in ms), the name in --timers, the default, why that value (seed, Timers; rules §15). */
#define TIMER_LIST(X)                                                                                                                     \
    X(lease_ttl,            "leaseTTL",                  90000,    "three missed 30 s beats; above the body's 45 s dedup ceiling")        \
    X(soft_hold_initial,    "softHoldInitial",           40000,    "above the 30 s tick that renews it")                                  \
    X(soft_hold_quest,      "softHoldQuest",             150000,   "a Quest is silent while it pairs: two tries of 45 s and probes")      \
    X(soft_hold_rolling,    "softHoldRolling",           75000,    "2.5 ticks of 30 s: one lost beat frees nothing")                      \
    X(start_deadline_legacy,"startDeadlineLegacy",       210000,   "a legacy getservercert alone may block 180 s")                        \
    X(start_deadline,       "startDeadline",             90000,    "verify-then-pair is one round trip")                                  \
    X(drain_grace,          "drainGrace",                45000,    "the body's 30 s reconnect grace plus one 5 s post, and slack")        \
    X(body_idle_confirm,    "bodyIdleConfirm",           60000,    "one idle report is no evidence")                                      \
    X(max_unattended,       "maxUnattendedStream",       1800000,  "longer than any venue experience")                                    \
    X(unknown_hold,         "unknownHold",               600000,   "a body that we cannot reach may still serve the venue's LAN")         \
    X(body_report_fresh,    "bodyReportFresh",           90000,    "two worst report gaps of 45 s")                                       \
    X(boot_safe_mode,       "bootSafeMode",              180000,   "bound of an evidence-based wait")                                     \
    X(watchdog_tick,        "watchdogTick",              10000,    "every clock ends within one tick of its time")                        \
    X(renew_write_quantum,  "renewWriteQuantum",         15000,    "how stale a saved renewal may be")                                    \
    X(idempotency_window,   "implicitIdempotencyWindow", 10000,    "below the heads' 15 s request timeout")                               \
    X(demotion_window,      "bodyDemotionWindow",        300000,   "after an unconfirmed hold")                                           \
    X(circuit_window,       "circuitWindow",             600000,   "three failures in it open the circuit")                               \
    X(circuit_open,         "circuitOpen",               300000,   "above a Windows boot plus Sunshine start")                            \
    X(circuit_open_max,     "circuitOpenMax",            1800000,  "ceiling of the doubling")                                             \
    X(ticket_ttl,           "ticketTTL",                 45000,    "a visitor who walked away frees the queue")                           \
    X(ticket_max,           "ticketMax",                 600000,   "then a present visitor is asked")                                     \
    X(collect_window,       "collectWindow",             45000,    "a promotion that nobody collects is wasted")                          \
    X(pair_lease_ttl,       "pairLeaseTTL",              60000,    "getservercert, PIN retries, slack")                                   \
    X(device_cert_overlap,  "deviceCertOverlap",         604800000,"one venue maintenance cycle")                                         \
    X(claim_throttle_window,"claimThrottleWindow",       60000,    "five explicit grants in it; 0s: off")                                 \
    X(node_offline,         "nodeOffline",               120000,   "any authenticated request counts")                                    \
    X(body_unconfirmed,     "bodyUnconfirmed",           300000,   "an online body without a report")                                     \
    X(renew_after,          "renewAfter",                20000,    "four tries within leaseTTL")                                          \
    X(directive_freshness,  "directiveFreshness",        90000,    "the body enforces nothing older")                                     \
    X(claim_wait,           "claimWait",                 8000,     "below the heads' 15 s request timeout")                               \
    X(safe_mode_timeout,    "safeModeTimeout",           900000,   "bound of downgrade safe mode")                                        \
    X(promise_window,       "promiseWindow",             45000,    "a preempted slot is kept that long")                                  \
    X(op_ttl,               "opTTL",                     60000,    "an operation nobody fetched is over")                                 \
    X(xr_arm,               "xrArm",                     150000,   "shipped XR timing")                                                   \
    X(xr_head_stale,        "xrHeadStale",               180000,   "shipped XR timing")                                                   \
    X(xr_failed_hold,       "xrFailedHold",              60000,    "shipped XR timing")                                                   \
    X(xr_ending_hold,       "xrEndingHold",              900000,   "shipped XR timing")                                                   \
    X(agent_warmup,         "agentWarmup",               60000,    "a restarted agent's registry is empty at first")                      \
    X(silent_head_backoff,  "silentHeadBackoff",         75000,    "a legacy head that fell silent may still launch")                     \
    X(attempt_memory,       "attemptMemory",             600000,   "how long an ended attempt answers 410")                               \
    X(reserve_memory,       "reserveMemory",             1800000,  "a home head that streamed lately counts for the reserve")             \
    X(confirm_window,       "confirmWindow",             45000,    "time to answer confirm_required")                                     \
    X(witness_silence,      "witnessSilence",            75000,    "a witness that fell silent says nothing")                             \
    X(duplicate_head_window,"duplicateHeadWindow",       60000,    "A, then B, then A within it")                                         \
    X(custodian_every,      "custodianEvery",            300000,   "pairing custodian's tick")                                            \
    X(commit_wait,          "commitWait",                10000,    "an answer waits that long for its save")                              \
    X(report_commit_wait,   "reportCommitWait",          1000,     "a body report waits that long")                                       \
    X(awaited_memory,       "awaitedMemory",             86400000, "bodies heard in it before the stop are awaited")                      \
    X(enforce_observation,  "enforceObservation",        86400000, "a full operating day without unauthorized launches")
#define X(field, name, default_ms, why) int64_t field##_ms;
struct timers { TIMER_LIST(X) };
#undef X
struct timer_row { const char *name; size_t offset; int64_t default_ms; const char *why; };
extern const struct timer_row timer_rows[];
extern const size_t timer_row_count;
void timers_default(struct timers *timers);
/* HC_ERR_NOTFOUND: no such timer */
HC_MUST enum hc_err timers_set(struct timers *timers, const char *name, int64_t ms, struct hc_diag *diag);
/* The orderings of rules §15; HC_ERR_CONFIG names the first that is broken. */
HC_MUST enum hc_err timers_check(const struct timers *timers, struct hc_diag *diag);

#define QUEUE_TICKETS_DEFAULT 200
struct core_config {
    struct timers timers;
    uint8_t secret[32];
    char default_district[HC_NAME_SIZE];
    uint32_t queue_max_tickets;      /* per district */
};

#endif
