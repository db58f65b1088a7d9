/* log.h - structured lines on stderr: `<priority>level=... event=... key=value`, journal priorities in front.
 *
 * Only engine/, daemon/, http/ and the programs log above debug; core, store and codec return errors instead.
 * Values are quoted when they need it. Never pass a secret. `sink` replaces stderr in tests. */
#ifndef HYDRA_BASE_LOG_H
#define HYDRA_BASE_LOG_H

#include <stdbool.h>

#include "hydra/base/err.h"

enum hc_log_level { HC_LOG_ERR = 3, HC_LOG_WARNING = 4, HC_LOG_NOTICE = 5, HC_LOG_INFO = 6, HC_LOG_DEBUG = 7 };

/* hc_log(HC_LOG_WARNING, "store_down", "path=%s error=%s", ...): keys are literal, values come quoted through hc_logq(). */
void hc_log(enum hc_log_level level, const char *event, const char *format, ...) HC_PRINTF(3, 4);
/* Quotes `text` into one of eight rotating thread-local buffers when it has spaces, quotes or control characters; a long value ends
 * in "...". */
const char *hc_logq(const char *text);
void hc_log_level_set(enum hc_log_level most_verbose);      /* default HC_LOG_INFO */
void hc_log_sink_set(void (*sink)(const char *line));       /* NULL: stderr */

#endif
