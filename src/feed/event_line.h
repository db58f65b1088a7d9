/* event_line.h - one published event as a line of events.jsonl. */
#ifndef FEED_EVENT_LINE_H
#define FEED_EVENT_LINE_H

#include "hydra/feed/feed.h"

void event_line_write(const struct feed_event *event, struct hc_buf *out);
/* HC_ERR_SYNTAX, HC_ERR_SCHEMA: not a line of ours. */
HC_MUST enum hc_err event_line_read(const char *line, size_t len, struct feed_event *ret_event);

#endif
