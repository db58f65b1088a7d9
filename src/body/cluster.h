/* cluster.h - one thread's way to hydraclusterd: calls with this node's token that end early when the agent is to stop. */
#ifndef BODY_CLUSTER_H
#define BODY_CLUSTER_H

#include <stdatomic.h>

#include "hydra/base/buf.h"
#include "hydra/client/client.h"

#include "config.h"

#define CLUSTER_CALL_MS 10000       /* of a call that waits for nothing */
#define CLUSTER_POLL_S  25          /* of a long poll, as the wire allows */
#define CLUSTER_POLL_MS 35000       /* and what it may take in all */

struct cluster;
/* `stop` turns true when the agent is to end; it outlives the handle. */
HC_MUST enum hc_err cluster_open(const struct body_config *config, const atomic_bool *stop, struct cluster **ret_cluster,
                                 struct hc_diag *diag);
struct cluster *cluster_close(struct cluster *cluster);        /* accepts NULL, returns NULL */

struct cluster_answer { long status; int retry_after_seconds; struct hc_buf body; };     /* body NUL-terminated when len > 0 */
void cluster_answer_free(struct cluster_answer *answer);
/* HC_OK with any HTTP status. HC_ERR_NET (also: to stop), HC_ERR_TIMEOUT, HC_ERR_NOMEM with diag. Free *ret_answer in every case. `body`
 * may be NULL. */
HC_MUST enum hc_err cluster_call(struct cluster *cluster, const char *method, const char *path, const char *body, int64_t timeout_ms,
                                 struct cluster_answer *ret_answer, struct hc_diag *diag);

/* How long to wait before the next try after `failures` in a row (from 1): doubling from a second to 30, with up to half of it at random,
 * so that a fleet does not come back as one. */
int64_t cluster_backoff_ms(unsigned failures, uint32_t random);

/* A question that is asked again and again: how often in a row it has failed, and what was logged of that. Zeroed at first. */
struct cluster_silence { unsigned failures; bool told; long told_status; };
/* One more failure: logs `event`, once for each status in a row, and waits as long as cluster_backoff_ms() says, or until `stop`. */
void cluster_silent(struct cluster_silence *silence, const atomic_bool *stop, const char *event, long status, const struct hc_diag *diag);
/* It was answered; how many failures that ends. */
unsigned cluster_heard(struct cluster_silence *silence);

#endif
