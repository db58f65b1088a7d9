#include "sse.h"

#include <string.h>

/* Calls back for a whole event; one without data only moves the id. */
static void dispatch(struct sse *sse, sse_event_fn *on_event, void *ctx)
{
    memcpy(sse->id, sse->next_id, sizeof sse->id);
    if (sse->data.len > 0 && !sse->data.failed)
        on_event(ctx, sse->data.data);
    hc_buf_clear(&sse->data);
}

/* The value behind "NAME:", without the one blank that may stand there; NULL: another field. */
static const char *field(const char *line, const char *name)
{
    size_t len = strlen(name);
    if (strncmp(line, name, len) != 0 || (line[len] != ':' && line[len] != '\0'))
        return NULL;
    const char *value = line + len + (line[len] == ':');
    return value + (*value == ' ');
}

static enum hc_err take_line(struct sse *sse, sse_event_fn *on_event, void *ctx)
{
    const char *line = sse->line.len > 0 ? sse->line.data : "", *value;
    if (line[0] == '\0') {
        dispatch(sse, on_event, ctx);
    } else if ((value = field(line, "data")) != NULL) {
        if (sse->data.len + strlen(value) + 1 > SSE_LINE_MAX)
            return HC_ERR_LIMIT;
        if (sse->data.len > 0)
            hc_buf_char(&sse->data, '\n');
        hc_buf_str(&sse->data, value);
    } else if ((value = field(line, "id")) != NULL) {
        if (strlen(value) < sizeof sse->next_id)
            memcpy(sse->next_id, value, strlen(value) + 1);
    }
    bool failed = sse->line.failed || sse->data.failed;
    hc_buf_clear(&sse->line);
    return failed ? HC_ERR_NOMEM : HC_OK;
}

enum hc_err sse_feed(struct sse *sse, const char *bytes, size_t len, sse_event_fn *on_event, void *ctx)
{
    enum hc_err err = HC_OK;
    for (size_t i = 0; i < len && err == HC_OK; i++) {
        char c = bytes[i];
        bool second_half = c == '\n' && sse->after_cr;       /* of a CRLF, perhaps cut in two */
        sse->after_cr = c == '\r';
        if (second_half)
            continue;
        if (c == '\n' || c == '\r')
            err = take_line(sse, on_event, ctx);
        else if (sse->line.len >= SSE_LINE_MAX)
            err = HC_ERR_LIMIT;
        else if (c != '\0')
            hc_buf_char(&sse->line, c);
    }
    return err;
}

void sse_reset(struct sse *sse)
{
    hc_buf_clear(&sse->line);
    hc_buf_clear(&sse->data);
    memcpy(sse->next_id, sse->id, sizeof sse->next_id);
    sse->after_cr = false;
}

void sse_free(struct sse *sse)
{
    hc_buf_free(&sse->line);
    hc_buf_free(&sse->data);
}
