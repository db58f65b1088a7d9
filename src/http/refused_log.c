#include "refused_log.h"

#include "hydra/base/log.h"

bool refused_log_room(struct refused_log *log, int64_t now_ms, struct metrics *metrics)
{
    if (log->second_ms == 0 || now_ms - log->second_ms >= 1000) {
        if (log->dropped > 0)
            hc_log(HC_LOG_INFO, "http_refused_quiet", "dropped=%u", log->dropped);
        log->second_ms = now_ms;
        log->lines = log->dropped = 0;
    }
    if (log->lines < REFUSED_LINES_PER_SECOND) {
        log->lines++;
        return true;
    }
    log->dropped++;
    if (metrics != NULL)
        metrics_add(metrics, METRIC_LOG_DROPPED, 1);
    return false;
}
