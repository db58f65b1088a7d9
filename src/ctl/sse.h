/* sse.h - server-sent events, read from bytes as they come: lines, an event at each empty line. Pure. */
#ifndef CTL_SSE_H
#define CTL_SSE_H

#include <stdbool.h>
#include <stddef.h>

#include "hydra/base/buf.h"

#define SSE_LINE_MAX ((size_t)64 * 1024)
#define SSE_ID_SIZE  64

struct sse { struct hc_buf line, data; char id[SSE_ID_SIZE]; /* of the newest whole event */ char next_id[SSE_ID_SIZE]; bool after_cr; };
typedef void sse_event_fn(void *ctx, const char *data);        /* data is one event's, borrowed */
/* HC_ERR_LIMIT: a line or an event is too long; HC_ERR_NOMEM. After an error only sse_reset() may follow. */
HC_MUST enum hc_err sse_feed(struct sse *sse, const char *bytes, size_t len, sse_event_fn *on_event, void *ctx);
void sse_reset(struct sse *sse);            /* the connection is another: half an event is forgotten, the id is kept */
void sse_free(struct sse *sse);

#endif
