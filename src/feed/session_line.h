/* session_line.h - one ended lease as a line of sessions.jsonl; the keys are those of /sessions/history (wire §5). */
#ifndef FEED_SESSION_LINE_H
#define FEED_SESSION_LINE_H

#include "hydra/base/buf.h"
#include "hydra/core/query.h"

void session_line_write(const struct session_row *row, struct hc_buf *out);
/* HC_ERR_SYNTAX, HC_ERR_SCHEMA: not a line of ours. */
HC_MUST enum hc_err session_line_read(const char *line, size_t len, struct session_row *ret_row);

#endif
