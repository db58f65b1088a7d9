/* agent.h - the agent at work: threads that watch and steer each slot's Sunshine, report to the cluster, and take its directives and
 * operations. What the main loop and the local API may ask of it.
 *
 * Works whoever is away: without the cluster nothing changes on the hosts and every launch is admitted; without a host its slot keeps the
 * state that was seen last, and in time is not named any more (rules §13; seed I11). Every call here is short and for the loop thread. */
#ifndef BODY_AGENT_H
#define BODY_AGENT_H

#include "hydra/base/buf.h"

#include "config.h"
#include "errand.h"

#define AGENT_STOP_MS  4000         /* what its threads are given to end: wire §8 gives the program 5 s */

struct agent;
/* `config` outlives the agent. `wake_fd` is an eventfd that is written when an errand is done. Opens the state folder, starts the threads.
 * HC_ERR_CONFIG, HC_ERR_IO, HC_ERR_NOMEM with diag. */
HC_MUST enum hc_err agent_start(const struct body_config *config, int wake_fd, struct agent **ret_agent, struct hc_diag *diag);
/* Ends the threads within AGENT_STOP_MS and frees all; accepts NULL. False: one hangs in a call, nothing was freed, and the process must
 * leave with _exit(): everything that must be kept is on the disk already. */
HC_MUST bool agent_stop(struct agent *agent);

/* Gives an errand to its slot's errand thread. False: too many wait; it is still the caller's. */
bool agent_errand(struct agent *agent, struct errand *errand);
struct errand *agent_errand_done(struct agent *agent);         /* the caller's again; NULL: none */
void agent_stream_ended(struct agent *agent, const struct stream_edge *edge);     /* the hook `ended` */

/* Append one JSON value; tokens are left out of names. */
void agent_sessions_json(struct agent *agent, struct hc_buf *out);
void agent_status_json(struct agent *agent, struct hc_buf *out);

/* Every thread has come round lately: what a watchdog wants to know. */
bool agent_lives(struct agent *agent);

#endif
