/* refused_log.h - a line for each answer of 400 and above, so that the id that its peer was given leads somewhere; few in a second. */
#ifndef HYDRA_SRC_HTTP_REFUSED_LOG_H
#define HYDRA_SRC_HTTP_REFUSED_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "hydra/metrics/metrics.h"

#define REFUSED_LINES_PER_SECOND 20

struct refused_log {
    int64_t second_ms;                 /* when the present second began */
    unsigned lines, dropped;           /* in it */
};

/* May one more be written now? What may not is counted, and told with the first line of a later second. `metrics` may be NULL. */
bool refused_log_room(struct refused_log *log, int64_t now_ms, struct metrics *metrics);

#endif
