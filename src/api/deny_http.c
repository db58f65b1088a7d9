/* deny_http.c - refusals of the core as HTTP: the one place that knows their status, their retry times and what else they say (wire §3). */
#include "pipeline.h"

#include <stdio.h>
#include <string.h>

enum deny_member { SAYS_LEASE = 1, SAYS_LOST = 2, SAYS_WAIT = 4, SAYS_HOLDER = 8, SAYS_FIELD = 16 };

/* retry 0: none unless the core gave one */
struct deny_row { unsigned status; int64_t retry_seconds; unsigned members; const char *detail; };

static const struct deny_row rows[DENY_REASONS] = {
    [DENY_NONE]              = { 500, 0, 0, "Nothing was refused." },
    [DENY_NO_SLOT]           = { 409, 10, SAYS_WAIT, "No body can serve this now." },
    [DENY_RESERVED]          = { 409, 10, SAYS_WAIT, "What is left is kept for visitors of the home venue." },
    [DENY_RECONCILING]       = { 503, 5, 0, "The state of the bodies is not known yet; ask again." },
    [DENY_QUEUED]            = { 409, 5, SAYS_WAIT, "It waits in the queue." },
    [DENY_HEAD_BUSY]         = { 409, 0, SAYS_LEASE, "This head holds a lease already." },
    [DENY_ATTEMPT_REUSED]    = { 409, 0, 0, "This attempt_id was used for another claim." },
    [DENY_IDENTITY_UNKNOWN]  = { 409, 0, 0, "This head has no registered device identity." },
    [DENY_IDENTITY_REVOKED]  = { 409, 0, 0, "The device identity of this head was revoked." },
    [DENY_DUPLICATE_HEAD]    = { 409, 0, 0, "Two devices speak as this head." },
    [DENY_LEASE_LOST]        = { 410, 0, SAYS_LOST, "The lease is over." },
    [DENY_NOT_YOUR_STREAM]   = { 403, 0, 0, "The stream is another head's." },
    [DENY_WRONG_TOKEN]       = { 403, 0, 0, "The claim token is not this lease's." },
    [DENY_EXPERIENCE]        = { 422, 0, 0, "No body of the district has this experience." },
    [DENY_THROTTLED]         = { 429, 6, 0, "Too many new leases in a short time." },
    [DENY_QUEUE_FULL]        = { 429, 10, 0, "The queue of the district is full." },
    [DENY_STORE]             = { 503, 5, 0, "The store does not save now; ask again." },
    [DENY_NOT_FOUND]         = { 404, 0, 0, "There is nothing with that id." },
    [DENY_BAD_REQUEST]       = { 400, 0, SAYS_FIELD, "The request is not right." },
    [DENY_FORBIDDEN]         = { 403, 0, 0, "The token is not good for this." },
    [DENY_NODE_HAS_LEASE]    = { 409, 0, 0, "The node holds or serves a lease; force drains it first." },
    [DENY_ENFORCE_NOT_READY] = { 409, 0, 0, "The body has not yet been observed for a full day without unauthorized launches." },
    [DENY_SLOT_HELD]         = { 409, 0, SAYS_HOLDER, "The slot is held by another head." },
    [DENY_IDENTITY_IN_USE]   = { 409, 0, 0, "This certificate is registered for another head." },
    [DENY_NOT_XR_CAPABLE]    = { 409, 0, 0, "This head, body and experience make no XR session." },
    [DENY_LIMIT]             = { 409, 0, 0, "A limit of this installation is reached." },
    [DENY_OP_FINISHED]       = { 409, 0, 0, "The operation is over: it has its one result, or it ran out." },
    [DENY_SESSION_LIVE]      = { 409, 0, 0, "A leased session is live there; args.force ends it." },
    [DENY_PAIR_CONTENTION]   = { 409, 0, 0, "Another head pairs with this body now." },
    [DENY_NODE_DENIED]       = { 409, 0, 0, "An operator has denied this node: its agent is given nothing." },
    [DENY_BODY_BUSY]         = { 409, 0, 0, "Another head has a lease there, or it cannot serve now." },
};

unsigned deny_status(enum deny_reason deny)
{
    return rows[deny].status;
}

static void add_key(struct hc_buf *out, const char *key)
{
    if (out->len > 0)
        hc_buf_char(out, ',');
    hc_buf_json_str(out, key);
    hc_buf_char(out, ':');
}

static void add_text(struct hc_buf *out, const char *key, const char *text)
{
    add_key(out, key);
    hc_buf_json_str(out, text[0] == '\0' ? NULL : text);
}

static void add_holder(const struct core_result *result, struct hc_buf *out)
{
    add_key(out, "holder");
    if (!result->has_lease) {
        hc_buf_str(out, "null");
        return;
    }
    hc_buf_str(out, "{\"head_id\":");
    hc_buf_json_str(out, result->lease.head_id[0] == '\0' ? "unknown" : result->lease.head_id);
    hc_buf_str(out, ",\"device_uid\":");
    hc_buf_json_str(out, result->lease.device_uid[0] == '\0' ? NULL : result->lease.device_uid);
    hc_buf_char(out, '}');
}

static const char *stream_of(const struct core_result *result)
{
    return result->stream.id[0] != '\0' ? result->stream.id : result->has_lease ? result->lease.stream_id : "";
}

static void add_members(const struct call *call, const struct core_result *result, int64_t retry_seconds, struct hc_buf *out)
{
    unsigned members = rows[result->deny].members;
    if ((members & SAYS_LEASE) != 0) {
        add_key(out, "lease");
        if (result->has_lease)
            json_lease(result, &call->api->config.core->timers, out);
        else
            hc_buf_str(out, "null");
    }
    if ((members & SAYS_LOST) != 0) {
        add_text(out, "reason", result->lost_why);
        add_text(out, "cause", result->lost_cause);
        add_text(out, "stream_id", stream_of(result));
    }
    if ((members & SAYS_WAIT) != 0)
        add_text(out, "reason", word_of(&wait_words, (int)result->wait));
    if ((members & SAYS_HOLDER) != 0)
        add_holder(result, out);
    if ((members & SAYS_FIELD) != 0) {
        add_key(out, "field");
        hc_buf_json_str(out, result->field);
    }
    if (retry_seconds > 0) {
        add_key(out, "retry_after_seconds");
        hc_buf_i64(out, retry_seconds);
    }
}

void call_refuse(struct call *call, const struct core_result *result)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf extra = { 0 };
    const struct deny_row *row = &rows[result->deny];
    int64_t retry_seconds = result->retry_after_ms > 0 ? (result->retry_after_ms + HC_SECOND_MS - 1) / HC_SECOND_MS : row->retry_seconds;
    add_members(call, result, retry_seconds, &extra);
    call_error(call, row->status, word_of(&deny_words, (int)result->deny), result->detail[0] != '\0' ? result->detail : row->detail,
               extra.failed ? NULL : extra.data, retry_seconds);
}
