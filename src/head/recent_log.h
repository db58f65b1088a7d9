/* recent_log.h - the newest lines of our log, for `GET /api/v1/logs`. Lines still go to stderr. One thread, the loop, writes and reads: the
 * lanes do not log. */
#ifndef HEAD_RECENT_LOG_H
#define HEAD_RECENT_LOG_H

#include "hydra/base/buf.h"

#define RECENT_LOG_LINES 200

void recent_log_start(void);            /* from here on; once, before the first line */
/* Appends {"entries":[{"timestamp":...,"message":...}]}, oldest first. */
void recent_log_json(struct hc_buf *out);

#endif
