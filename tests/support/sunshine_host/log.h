/* log.h - sunshine.log: what an agent reads there. One file for the process; thread-safe. */
#ifndef LOG_H
#define LOG_H

#include "host.h"

#define LOG_BYTES_MAX 4000000u          /* of /api/logs */

bool log_open(const struct host *host);                 /* what was there becomes sunshine.log.1 */
void log_close(void);
void log_line(const char *level, const char *format, ...) HC_PRINTF(2, 3);         /* level: Info, Warning, Error, Debug */

#endif
