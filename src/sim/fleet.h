/* fleet.h - the machines of a scenario on the real wire: who lives in this process, what is under way, what was counted and said. */
#ifndef FLEET_H
#define FLEET_H

#include <stdio.h>

#include "due.h"
#include "hydra/client/client.h"
#include "scenario.h"
#include "truth.h"
#include "visitor.h"
#include "wire_in.h"
#include "wire_out.h"

#define FLEET_DISTRICT   "default"
#define FLEET_NEWS_MAX   6           /* lines on the screen */
#define FLEET_TOKEN_SIZE 160

#define COUNTER_LIST(X)                                                                                            \
    X(REQUESTS, "requests") X(UNANSWERED, "unanswered") X(LOST, "answers lost on purpose") X(SERVER_ERRORS, "answers 5xx") \
    X(BAD_ANSWERS, "answers that do not read") X(GRANTS, "slots given") X(REFUSALS, "refusals") X(QUEUED, "sent to the queue") \
    X(PICTURES, "pictures begun") X(INTERRUPTED, "interrupted") X(PAIR_FAILED, "pairings failed") X(BUSY_HOSTS, "busy hosts met") \
    X(LEASES_LOST, "leases lost") X(OPERATIONS, "operations given") X(FAULTS, "faults made")
#define X(id, text) COUNT_##id,
enum fleet_counter { COUNTER_LIST(X) FLEET_COUNTERS };
#undef X
extern const char *const fleet_counter_words[FLEET_COUNTERS];

struct peer { uint64_t lane; char id[HC_ID_SIZE], token[FLEET_TOKEN_SIZE]; uint32_t answers_to_lose; int64_t partitioned_until; };
struct fleet_head {
    struct peer peer;
    const struct plan_head *plan;
    struct head machine;
    struct visitor visitor;
    char client_uuid[HC_ID_SIZE], client_name[HC_NAME_SIZE];
    uint32_t place;                  /* in the line; 0: not in it */
    int64_t since_ms;                /* the picture */
};
struct fleet_body {
    struct peer peer;
    const struct plan_body *plan;
    struct body machine;
    uint64_t ops_lane;               /* its poll for operations waits on a connection of its own */
    uint64_t epochs[BODY_SLOTS_MAX]; /* the highest that /slots ever said */
};

struct fleet_options {
    const char *server_url, *ca_file;
    char admin_token[FLEET_TOKEN_SIZE];
    const char *footer;              /* text below the live screen; NULL: none */
    bool insecure, plain, keep, verbose;
};

struct flight;                       /* a call under way, or an answer that will not come */
struct fleet_index { const char *id; size_t number; };
struct fleet {
    const struct scenario *scenario;
    const struct fleet_options *options;
    struct client_multi *multi;
    struct fleet_head *heads;
    struct fleet_body *bodies;
    struct fleet_index *head_index, *body_index;   /* by id */
    const char **experiences;
    struct due *due;
    struct truth *truth;
    struct flight *late;
    struct rng rng;                  /* of faults */
    int64_t started_us, now_ms, next_fault_ms;
    uint64_t counts[FLEET_COUNTERS];
    size_t next_step, *step_order;   /* by time */
    /* what operators see, polled */
    bool queue_asked, slots_asked, conflicts_asked;
    int64_t queue_at, slots_at, conflicts_at;
    size_t waiting, divergences, conflict_rows;
    uint64_t violations;             /* what the checker found, the truth's conflicts among them */
    uint8_t *expect_states;          /* enum expect_state */
    int64_t expects_at;
    bool stopping, closing, screen;
    size_t enrol_next, enrol_done; char enrol_error[HC_DIAG_SIZE];
    size_t news_count; char news[FLEET_NEWS_MAX][200];
    int64_t screen_at, progress_at;
};

/* fleet.c */
HC_MUST enum hc_err fleet_open(const struct scenario *scenario, const struct fleet_options *options, struct fleet **ret_fleet,
                               struct hc_diag *diag);
struct fleet *fleet_close(struct fleet *fleet);
/* Runs to the end of the scenario or until `signal_fd` brings a signal; then heads leave and nodes are removed. 0 or 1: the exit code. */
int fleet_run(struct fleet *fleet, int signal_fd);
size_t fleet_find(const struct fleet_index *index, size_t count, const char *id);      /* SIZE_MAX: nobody here */
int64_t fleet_clock_ms(const struct fleet *fleet);

/* fleet_enrol.c: venues, experiences, nodes with the admin's token; and their end. */
HC_MUST enum hc_err fleet_enrol(struct fleet *fleet, struct hc_diag *diag);
void fleet_remove_nodes(struct fleet *fleet);

/* fleet_calls.c: one place for faults of the network. `answer` NULL: none came. */
typedef void fleet_answered_fn(struct fleet *fleet, const struct flight *flight, const struct client_answer *answer);
struct flight {
    struct fleet *fleet;
    struct peer *peer;
    size_t node;
    int what;                        /* enum head_call, or what fleet_bodies.c means */
    uint32_t round;
    uint64_t lane;                   /* 0: the peer's */
    size_t other;                    /* ADMIT: the head */
    int64_t asked_ms, late_ms;
    fleet_answered_fn *answered;
    struct flight *next;
};
void fleet_call(struct fleet *fleet, const struct flight *what, const struct wire_request *request, const char *token);
void fleet_run_late(struct fleet *fleet);
int64_t fleet_late_next(const struct fleet *fleet);      /* 0: none */

/* fleet_heads.c, fleet_bodies.c */
void fleet_head_event(struct fleet *fleet, size_t head, const struct head_event *event);
void fleet_visitor_looks(struct fleet *fleet, size_t head);
void fleet_body_event(struct fleet *fleet, size_t body, const struct body_event *event);
void fleet_conflict(struct fleet *fleet, const struct truth_conflict *conflict);

/* fleet_faults.c */
void fleet_do_step(struct fleet *fleet, const struct plan_step *step);
void fleet_random_fault(struct fleet *fleet);

/* fleet_watch.c: /queue, /slots and /conflicts as an operator polls them. */
void fleet_watch(struct fleet *fleet);

/* fleet_expect.c */
void fleet_expect_look(struct fleet *fleet);
bool fleet_expect_all_met(const struct fleet *fleet);
void fleet_expect_verdicts(struct fleet *fleet);         /* those still open are judged unmet */

/* fleet_say.c, fleet_screen.c */
void fleet_say(struct fleet *fleet, const char *format, ...) HC_PRINTF(2, 3);          /* always told */
void fleet_news(struct fleet *fleet, const char *format, ...) HC_PRINTF(2, 3);         /* in a small fleet, or with --verbose */
void fleet_progress(struct fleet *fleet);
void fleet_summary(struct fleet *fleet);
void fleet_screen(struct fleet *fleet);
const char *fleet_ordinal(uint32_t n, char out[16]);

/* Numbers in `due`: heads, then bodies, then visitors. */
static inline size_t fleet_due_body(const struct fleet *fleet, size_t body) { return fleet->scenario->head_count + body; }
static inline size_t fleet_due_visitor(const struct fleet *fleet, size_t head)
{
    return fleet->scenario->head_count + fleet->scenario->body_count + head;
}

#endif
