/* log_line.h - one line of the host's log, as an event. Pure (rules §13.3).
 *
 * The host tells in its log, and nowhere else, that a viewer came or went; it names nobody. Every release writes the same texts behind one
 * of two forms of date. What is not known here is no event: debug output, lines without date and level, texts of other releases, noise. */
#ifndef BODY_LOG_LINE_H
#define BODY_LOG_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOG_COUNT_MAX 1000000           /* a greater number in a line is no number */

/* Debug and verbose lines are no events: in them clients choose the text. */
enum log_level { LOG_INFO, LOG_WARNING, LOG_ERROR, LOG_FATAL };
enum log_kind {
    LOG_SESSION_STARTED,                /* `number`: viewers now, this one included; at least 1 */
    LOG_CLIENT_CONNECTED,               /* its control stream is up */
    LOG_CLIENT_DISCONNECTED,            /* one viewer is gone, whatever the reason */
    LOG_PING_TIMEOUT,                   /* why the next one is gone */
    LOG_START_TIMEOUT,                  /* a viewer was expected, or had begun, and never sent anything */
    LOG_PROCESS_TERMINATED,             /* the application was ended, and every viewer with it */
    LOG_APP_EXITED,                     /* the application ended by itself; `number`: its code */
    LOG_CLIENT_DISABLED,                /* the gate turned somebody away */
    LOG_KINDS
};
struct log_event { enum log_kind kind; enum log_level level; int64_t number; };

/* `line` without its line end; any bytes, no NUL needed behind it. False: no event, and *ret is as it was. */
bool log_line_read(const char *line, size_t len, struct log_event *ret);
const char *log_kind_word(enum log_kind kind);          /* for our own log */

#endif
