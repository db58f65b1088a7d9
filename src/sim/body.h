/* body.h - a body as a pure machine: Sunshine's sessions as they really are, and the agent that reports them and applies directives.
 *
 * A legacy body reports every 30 s, every 5 s while it streams, and knows only terminate_stream. A modern one names its boot, counts its
 * reports, lists its slots, reports at once when something changed, long-polls its directive, confirms epochs and refuses what is below its
 * floor, which outlives reboots; it tells the clients of its trust store, removes those that it is told to, and does operations. */
#ifndef BODY_H
#define BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hydra/base/id.h"
#include "hydra/proto/operation.h"
#include "trust_store.h"

#define BODY_SLOTS_MAX    16
#define BODY_SESSIONS_MAX 32
#define BODY_ACTS_MAX     40
#define BODY_ENTRIES_MAX  8
#define BODY_EVENTS_MAX   8
#define BODY_APP_SIZE     162
#define BODY_DIGEST_SIZE  65
#define BODY_REMOVE_MAX   32         /* of one directive; the others stand in the next */
#define BODY_OP_ENDS_MAX  8

enum session_phase { SESSION_ASKED, SESSION_STARTS, SESSION_STREAMS, SESSION_ENDS };
struct session {                     /* on this machine, whatever the agent knows */
    size_t head;                     /* number of the head in this process */
    uint32_t slot;
    enum session_phase phase;
    int64_t since_ms, phase_at, gone_at;           /* gone_at: its client is away, Sunshine waits for it until then */
    char client_uuid[HC_ID_SIZE], client_name[HC_NAME_SIZE], launch_id[HC_ID_SIZE], lease_id[HC_ID_SIZE], app[BODY_APP_SIZE];
};

enum body_action { BODY_FREE, BODY_SERVE, BODY_TERMINATE };
struct body_wish {                   /* one slot of a directive */
    uint32_t index, protocol;
    enum body_action action;
    uint64_t epoch;
    char lease_id[HC_ID_SIZE];
    size_t entry_count, evict_count;
    char entries[BODY_ENTRIES_MAX][BODY_APP_SIZE], evict[BODY_ENTRIES_MAX][HC_ID_SIZE];
};
struct body_directive {
    long status;                     /* 0: no answer */
    bool terminate_stream, enforce;
    int64_t next_report_ms;          /* simulated; 0: not told */
    char digest[BODY_DIGEST_SIZE];
    size_t wish_count;
    struct body_wish wishes[BODY_SLOTS_MAX];
    size_t remove_count;
    char remove[BODY_REMOVE_MAX][HC_ID_SIZE];      /* clients that must not stay paired */
};
struct body_op { char op_id[HC_ID_SIZE]; enum operation op; struct operation_args args; };
struct body_op_end {
    char op_id[HC_ID_SIZE];
    enum operation op;
    bool failed, status;             /* status: what Sunshine's web API said */
    const char *error;               /* a word, when it failed */
};

struct body_note { const char *type; uint32_t slot; char launch_id[HC_ID_SIZE], client_uuid[HC_ID_SIZE]; };

struct body {
    char id[HC_ID_SIZE];
    bool modern;
    uint32_t slots;
    /* the machine */
    size_t session_count;
    struct session sessions[BODY_SESSIONS_MAX];
    uint32_t boots, launches;
    int64_t up_at;                   /* off until then; 0: up */
    uint64_t floor[BODY_SLOTS_MAX];  /* a file: outlives reboots */
    struct trust_store trust;        /* Sunshine's; a file too */
    /* the agent */
    int64_t agent_since_ms, report_at;
    bool report_under_way, desired_under_way, changed, has_directive;
    uint64_t report_seq;
    struct body_directive directive;
    uint64_t applied[BODY_SLOTS_MAX];
    size_t note_count;
    struct body_note notes[BODY_EVENTS_MAX];       /* told with the next report */
    int64_t poll_at, ops_at;
    uint32_t agents;                 /* how many were started: an answer to an older one is nobody's */
    bool ops_under_way;
    struct body_op_end op_end;       /* told now */
    size_t ops_done; struct body_op_end op_ends[BODY_OP_ENDS_MAX];      /* a ring of the last ones */
};

enum body_event_type {
    BODY_TIMER, BODY_REPORTED, BODY_DESIRED, BODY_ADMITTED, BODY_LAUNCH, BODY_CLOSE, BODY_CLIENT_AWAY, BODY_REBOOT, BODY_AGENT_RESTART,
    BODY_APP_CRASH, BODY_HANDSHAKE, BODY_PAIRED, BODY_OPS_ANSWERED, BODY_OP_TOLD
};
struct body_launch { size_t head; uint32_t slot; bool joins_busy; const char *app, *client_uuid, *client_name; };
struct body_event {
    enum body_event_type type;
    const struct body_directive *directive;        /* REPORTED, DESIRED */
    struct body_launch launch;                     /* LAUNCH; CLOSE, CLIENT_AWAY, ADMITTED: launch.head; HANDSHAKE, PAIRED: its client */
    const char *admitted_lease;                    /* ADMITTED: "" refused; NULL: no answer, which lets it in */
    int64_t down_ms;                               /* REBOOT */
    const struct body_op *op;                      /* OPS_ANSWERED: NULL: none */
    uint32_t agent;                                /* OPS_ANSWERED, OP_TOLD: who had asked */
    bool heard;                                    /* OPS_ANSWERED: there was an answer that says something */
};

enum body_act_type { BODY_ACT_REPORT, BODY_ACT_POLL, BODY_ACT_ADMIT, BODY_ACT_PICTURE, BODY_ACT_REFUSED, BODY_ACT_DARK,
                     BODY_ACT_OPS_POLL, BODY_ACT_OP_RESULT, BODY_ACTS };
struct body_act { enum body_act_type type; size_t head; uint32_t slot; };     /* head: of ADMIT, PICTURE, REFUSED, DARK */
struct body_acts { size_t count; struct body_act list[BODY_ACTS_MAX]; };

void body_init(struct body *body, const char *id, bool modern, uint32_t slots, int64_t first_report_ms);
void body_free(struct body *body);                       /* what it points to */
void body_step(struct body *body, const struct body_event *event, int64_t now_ms, struct body_acts *ret_acts);
int64_t body_next(const struct body *body);              /* 0: nothing is due */
const struct session *body_session_of(const struct body *body, size_t head);     /* NULL: none */
bool body_streams(const struct body *body);
/* The notes went out with a report. */
void body_notes_told(struct body *body);

#endif
