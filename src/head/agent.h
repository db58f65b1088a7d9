/* agent.h - hydrahead while it runs: the visit (head_decide.h), the lanes that carry its actions out, the streaming program, the heartbeat.
 *
 * Everything here belongs to the loop's thread. The way of an event: something happens, agent_give() takes it, head_decide() says what to
 * do, agent_act() asks a lane for it, and what the lane brings back is the next event. */
#ifndef HEAD_AGENT_H
#define HEAD_AGENT_H

#include "asks.h"
#include "child.h"
#include "config.h"
#include "head_decide.h"

#define AGENT_INBOX 8

enum agent_recovery { AGENT_RECOVERING, AGENT_RECOVERED };

/* What stands in the attempt file; compared, so that it is written when it changes and not else. */
struct attempt_saved {
    char experience[HC_NAME_SIZE], attempt_id[HC_ID_SIZE], stream_id[HC_ID_SIZE], lease_id[HC_ID_SIZE], claim_token[HEAD_TOKEN_SIZE];
};
/* What the cluster was told last. */
struct beat_facts { char status[16], lease_state[16], lease_id[HC_ID_SIZE], body_id[HC_ID_SIZE], stream_id[HC_ID_SIZE]; };

struct agent {
    const struct head_config *config;
    char token[HEAD_NODE_TOKEN + 1];
    struct reach reach;
    struct identity_use *identity;
    struct lanes *lanes;
    struct head_state head;
    struct attempt_saved saved;
    struct head_event inbox[AGENT_INBOX]; size_t inbox_count;
    bool deciding;
    unsigned round;                     /* answers of an earlier round are dropped (ACT_DROP_CALLS) */
    unsigned ending;                    /* releases and leaves under way: we do not go before they are answered */
    struct child child;
    bool plays_told;
    char host_id[HC_ID_SIZE], host_name[GS_TEXT_SIZE], host_verdict[32];      /* of the last host step */
    char wish[HC_NAME_SIZE];            /* the visitor's next experience, while the last visit still ends; "" : none */
    enum agent_recovery recovery; bool recovering_asked, unwanted /* stopped before it was known */; int64_t recover_at_ms;
    bool registered, registering; int64_t register_at_ms;
    struct beat_facts beaten; bool beating; int64_t beat_at_ms, beat_least_ms;
    bool online;                        /* the cluster has answered the last heartbeat */
    long beat_status;
    struct hc_buf offers;               /* [{name,label}] as JSON; empty: not known yet */
    bool offers_asked; int64_t offers_at_ms;
    bool stopping;
};

/* Opens the state folder, reads the token, identity and attempt, starts the lanes. The exit code that goes with a failure is 2 for
 * HC_ERR_CONFIG, else 1. Close it in every case. */
HC_MUST enum hc_err agent_open(struct agent *agent, const struct head_config *config, struct hc_diag *diag);
/* False: a lane hangs in a call, and nothing of the agent may be freed. */
bool agent_close(struct agent *agent);

void agent_give(struct agent *agent, const struct head_event *event);
void agent_act(struct agent *agent, const struct head_state *before, enum head_action_type action);
/* One turn: answers of the lanes, the child, clocks. */
void agent_turn(struct agent *agent);
int64_t agent_due(const struct agent *agent);       /* os_monotonic_ms() of the next clock */
bool agent_quiet(const struct agent *agent);        /* nothing is left to release, no child */

/* The visitor's wishes. NULL: taken; else the word of the refusal. */
const char *agent_start(struct agent *agent, const char *experience);
void agent_stop(struct agent *agent);
void agent_accept(struct agent *agent);

/* Heartbeat, registration, experiences, the visit of a former life: what goes on by itself (beat.c). */
void agent_beat_turn(struct agent *agent, int64_t now_ms);
int64_t agent_beat_due(const struct agent *agent);
void agent_beat_answer(struct agent *agent, struct ask *ask);
void agent_beat_heard(struct agent *agent, const struct ask *ask);      /* of every question to the cluster */
/* Asks a lane; false and a line in the log: no memory. */
bool agent_ask(struct agent *agent, struct ask *ask);

/* The streaming program of the lease that the head has (actions_child.c). */
void agent_spawn(struct agent *agent);
void agent_child_turn(struct agent *agent, int64_t now_ms);

#endif
