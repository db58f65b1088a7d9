/* cluster.h - one call to hydraclusterd that can be given up while it waits. */
#ifndef HEAD_CLUSTER_H
#define HEAD_CLUSTER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "hydra/base/buf.h"
#include "hydra/client/client.h"

#include "config.h"
#include "requests.h"

/* A connection that is kept; one thread at a time. `multi` is opened by the first call. */
struct cluster_line { const struct head_config *config; const char *token; struct client_multi *multi; };
struct cluster_answer { enum hc_err err; long status /* 0: none came */; struct hc_buf body; };

/* HC_OK in ret->err: an HTTP answer came, whatever its status. *stop (may be NULL) true gives it up within a tenth of a second: HC_ERR_NET.
 * Free ret->body in every case. */
void cluster_ask(struct cluster_line *line, const struct request_text *request, int64_t timeout_ms, const atomic_bool *stop,
                 struct cluster_answer *ret);
void cluster_line_close(struct cluster_line *line);
/* Waits so long, or until *stop. */
void cluster_pause(const atomic_bool *stop, int64_t ms);

#endif
