/* library_log.h - the log lines of libmicrohttpd: ours in form, few in number. Peers cause most of them. */
#ifndef HYDRA_SRC_HTTP_LIBRARY_LOG_H
#define HYDRA_SRC_HTTP_LIBRARY_LOG_H

#include <stdarg.h>
#include <stdint.h>

#include "hydra/base/err.h"
#include "hydra/metrics/metrics.h"

#define LIBRARY_LINES_PER_SECOND 5

struct library_log {
    struct metrics *metrics;           /* may be NULL */
    int64_t second_ms;                 /* when the present second began */
    unsigned lines, dropped;           /* in it */
    struct hc_diag first;              /* the reason when the library does not start */
};

void library_log_line(void *log, const char *format, va_list args);   /* the library's callback */

#endif
