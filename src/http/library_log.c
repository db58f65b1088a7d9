#include "library_log.h"

#include <stdio.h>
#include <string.h>

#include "hydra/base/log.h"
#include "hydra/os/clock.h"

void library_log_line(void *cls, const char *format, va_list args)
{
    struct library_log *log = cls;
    int64_t now = os_monotonic_ms();
    if (now - log->second_ms >= 1000) {
        if (log->dropped > 0)
            hc_log(HC_LOG_INFO, "http_library_quiet", "dropped=%u", log->dropped);
        log->second_ms = now;
        log->lines = log->dropped = 0;
    }
    if (log->lines >= LIBRARY_LINES_PER_SECOND) {
        log->dropped++;
        if (log->metrics != NULL)
            metrics_add(log->metrics, METRIC_LOG_DROPPED, 1);
        return;
    }
    log->lines++;
    struct hc_diag line;
    (void)vsnprintf(line.text, sizeof line.text, format, args);
    line.text[strcspn(line.text, "\r\n")] = '\0';
    if (log->first.text[0] == '\0')
        log->first = line;
    hc_log(HC_LOG_INFO, "http_library", "text=%s", hc_logq(line.text));
}
