/* agent_state.h - what the agent's threads share, and who may touch it.
 *
 * One mutex. It is held to copy, to count and to feed a witness to `sessions`; never across a call, a file or a log line. A field without a
 * note is set before the threads start and not changed. */
#ifndef BODY_AGENT_STATE_H
#define BODY_AGENT_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "hydra/gamestream/serverinfo.h"
#include "hydra/os/worker.h"
#include "hydra/sunshine/sunshine.h"

#include "agent.h"
#include "bell.h"
#include "cluster.h"
#include "gpu.h"
#include "kept.h"
#include "report.h"
#include "sessions.h"

#define DIRECTIVE_FRESH_MS  90000       /* directiveFreshness: an older one refuses nobody and changes nothing */
#define ERRANDS_WAITING_MAX 4           /* of a slot: Sunshine launches one application at a time */
#define EDGE_FAST_MS        15000       /* after something changed the host is looked at every second */
#define REREAD_MS           10000       /* after a PIN the client list is read every second: when the handshake ends, nobody tells */
#define THREAD_SILENT_MS    120000      /* longer than any bounded call: a thread that is silent so long hangs */
#define BOOT_ID_FILE        "/proc/sys/kernel/random/boot_id"

/* Calls to the web API, each judged by itself: its list of clients may make no sense while all else works. */
enum web_call { WEB_CONFIG, WEB_APPS, WEB_CLIENTS, WEB_ORDERS, WEB_CALLS };

/* What the slot's thread found out, for the report and for whoever looks. Under the mutex. */
struct slot_shown {
    bool looked;                            /* the host was asked for everything once, whatever it said */
    uint64_t applied_epoch, floor;
    bool floor_unusable, below_floor;
    int gate_mode; char gate_reason[HC_NAME_SIZE];
    struct kept_clients *clients;           /* NULL: not known */
    struct kept_names *experiences;         /* plain entries of which there is a pattern, without Desktop; NULL: none */
    char sunshine_cert_fp[HC_HASH_SIZE], version[SUNSHINE_VERSION_SIZE];
    unsigned features;
    enum sunshine_outcome web[WEB_CALLS];   /* how each went last; SUNSHINE_OK for whatever Sunshine said as itself */
    struct hc_diag web_error;               /* of the newest that went otherwise */
};

struct slot {
    struct agent *agent;
    uint32_t index;
    const struct slot_config *config;
    struct gs_host host;
    int dir_fd;                             /* STATE_DIR/slot-N; the slot's thread writes there */
    struct slot_loop *loop;                 /* the slot thread's own (slot_loop.h) */
    struct bell bell, errand_bell;
    struct os_worker loop_worker, errand_worker;
    atomic_llong loop_beat_ms, errand_beat_ms;
    /* under the mutex: */
    struct sessions sessions;
    struct slot_shown shown;
    unsigned launching;                     /* hooks that wait for an answer: entries must not change now */
    bool changing;                          /* entries change now: a hook waits a moment */
    int64_t fast_until_ms, reread_until_ms; /* look often; read the clients often: a pairing may be ending */
    struct errand *errands, **errands_end; unsigned errand_count;
};

/* The cluster as it was met last. Under the mutex. */
struct cluster_met { int64_t reported_ms; long status; struct hc_diag error; };

struct agent {
    const struct body_config *config;
    int wake_fd, state_fd;
    char boot_id[HC_ID_SIZE];
    char unique_id[GS_UNIQUE_ID_SIZE];      /* who we are to /serverinfo */
    struct gpu gpu;
    int64_t started_ms;
    atomic_bool stop;
    struct bell report_bell;
    struct os_worker report_worker, directive_worker, operation_worker;
    atomic_llong report_beat_ms, directive_beat_ms, operation_beat_ms;
    pthread_mutex_t mutex;
    /* under the mutex: */
    struct kept_directive *directive;       /* NULL: none since the agent began */
    uint64_t generation, told_generation;   /* of the experiences: as they are, and as the cluster was told last */
    struct report_events events;
    struct cluster_met met;
    bool edge;                              /* something to report at once */
    struct errand *done, **done_end;
    struct slot slots[DIRECTIVE_SLOTS_MAX]; size_t slot_count;
};

void agent_lock(struct agent *agent);
void agent_unlock(struct agent *agent);
void agent_beat(atomic_llong *beat_ms);

/* With the mutex held: */
void agent_edge(struct agent *agent);                           /* report at once */
void slot_edge(struct slot *slot);                              /* and look at the host more often for a while */
bool slot_session_is_leased(struct slot *slot);                 /* a session lives that has a lease: not to be ended (rules §13.7) */
/* The newest directive, counted; NULL: none. Drop it with the mutex held. */
struct kept_directive *agent_directive(struct agent *agent);

enum sunshine_outcome slot_web_worst(const struct slot *slot);      /* SUNSHINE_OK: every kind of call works */

/* Without the mutex: */
void agent_event(struct agent *agent, const struct body_status_event *event);       /* for the next report; logged when there is no room */
int64_t directive_age_ms(const struct kept_directive *directive, int64_t now_ms);

/* The threads. */
void report_main(void *agent);              /* reporter.c */
void directive_main(void *agent);           /* directive_poll.c */
void operation_main(void *agent);           /* operation_poll.c */
void errand_main(void *slot);               /* errands.c */

#endif
