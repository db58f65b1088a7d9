#include "local_status.h"

#include <stdio.h>
#include <string.h>

#include "hydra/base/time.h"

/* The kiosk's word for each phase of a visit that is wanted. */
static const char *const words[HEAD_PHASES] = {
    [HEAD_IDLE] = "ready", [HEAD_CLAIMING] = "finding_body", [HEAD_QUEUED] = "finding_body", [HEAD_PREPARING] = "finding_body",
    [HEAD_VERIFYING] = "finding_body", [HEAD_PAIRING] = "pairing", [HEAD_PROBING] = "starting", [HEAD_CONFIRMING] = "starting",
    [HEAD_STREAMING] = "starting", [HEAD_STOPPING] = "starting", [HEAD_RELEASING] = "finding_body", [HEAD_RETRYING] = "finding_body",
    [HEAD_FAILED] = "error",
};

static const char *word_of(const struct head_state *head, bool online, bool wish)
{
    bool over = head->phase == HEAD_IDLE || head->phase == HEAD_FAILED;
    if (wish)
        return "finding_body";
    if (head->phase == HEAD_IDLE || (!over && !head->wanted))
        return online ? "ready" : "idle";
    if (head->phase == HEAD_STREAMING && head->plays)
        return "streaming";
    return words[head->phase];
}

static const char *ordinal_end(uint32_t n)
{
    static const char *const ends[] = { "th", "st", "nd", "rd" };
    uint32_t last = n % 10, tens = n % 100;
    return last > 3 || (tens >= 11 && tens <= 13) ? ends[0] : ends[last];
}

void local_place_text(uint32_t position, int64_t eta_ms, char *out, size_t size)
{
    char place[48], eta[48] = "";
    if (position <= 1)
        (void)snprintf(place, sizeof place, "next in line");
    else
        (void)snprintf(place, sizeof place, "%u%s in line", position, ordinal_end(position));
    int64_t minutes = (eta_ms + HC_MINUTE_MS - 1) / HC_MINUTE_MS;
    if (eta_ms >= 0 && minutes <= 1)
        (void)snprintf(eta, sizeof eta, ", about a minute");
    else if (eta_ms >= 0)
        (void)snprintf(eta, sizeof eta, ", about %lld minutes", (long long)minutes);
    (void)snprintf(out, size, "%s%s", place, eta);
}

void local_status_of(const struct head_state *head, bool online, bool wish, struct local_status *ret)
{
    *ret = (struct local_status){ .status = word_of(head, online, wish), .error = "", .eta_ms = -1 };
    ret->queued = !wish && head->phase == HEAD_QUEUED && head->wanted;
    if (ret->queued) {
        char place[LOCAL_MESSAGE_SIZE - 64];
        ret->confirm = head->ticket.confirm_required && !head->accept_by_itself;      /* else nobody is asked */
        ret->position = head->ticket.position;
        ret->eta_ms = head->ticket.eta_ms;
        local_place_text(ret->position, ret->eta_ms, place, sizeof place);
        (void)snprintf(ret->message, sizeof ret->message, "%s%s", ret->confirm ? "Are you still there? You are " : "You are ", place);
        return;
    }
    if (head->phase == HEAD_FAILED && !wish) {
        ret->error = "no_picture";
        (void)snprintf(ret->message, sizeof ret->message, "%s", head->message[0] == '\0' ? "There is no picture just now." : head->message);
    } else if (head->wanted) {
        (void)snprintf(ret->message, sizeof ret->message, "%s", head->message);
    }
}

void local_status_json(const struct local_status *status, struct hc_buf *out)
{
    hc_buf_str(out, "{\"status\":");
    hc_buf_json_str(out, status->status);
    if (status->error[0] != '\0') {
        hc_buf_str(out, ",\"error\":");
        hc_buf_json_str(out, status->error);
    }
    if (status->message[0] != '\0') {
        hc_buf_str(out, ",\"message\":");
        hc_buf_json_str(out, hc_utf8_ok(status->message, strlen(status->message)) ? status->message : "");
    }
    if (status->queued) {
        hc_buf_printf(out, ",\"queue\":{\"position\":%u,\"eta_seconds\":", status->position);
        if (status->eta_ms < 0)
            hc_buf_str(out, "null");
        else
            hc_buf_i64(out, (status->eta_ms + HC_SECOND_MS - 1) / HC_SECOND_MS);
        hc_buf_printf(out, ",\"confirm\":%s}", status->confirm ? "true" : "false");
    }
    hc_buf_char(out, '}');
}
