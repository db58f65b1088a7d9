/* fuzz_head_json.c - what hydrahead is told, line by line, and what it makes of it. A line is a letter and what belongs to it:
 *
 *     a201 {"lease":…}      the cluster's answer to a claim; b admission, c accept, d renew, e registration, f release
 *     o | n | p             the visitor starts, stops, says that somebody is there
 *     w{"experience":…}     the visitor starts as the kiosk says it, on the local API
 *     h i j k l m t         the host: verified, not paired, paired, free; the picture plays, has ended; time passes
 *
 * Whatever comes in whatever order: a state that is known, a picture only under a lease that was confirmed, and no action without its
 * object. */
#include <stdlib.h>
#include <string.h>

#include "../../src/head/answer_event.h"
#include "../../src/head/wish.h"
#include "fuzz_target.h"
#include "hydra/codec/json.h"

#define LINES_MAX  256
#define STEP_MS    500
#define DIGITS     3

struct act { char letter; enum head_event_type type; enum head_host_verdict verdict; };
static const struct act acts[] = {
    { 'o', HEV_START, HOST_YES }, { 'n', HEV_STOP, HOST_YES }, { 'p', HEV_ACCEPT, HOST_YES },
    { 'h', HEV_VERIFIED, HOST_YES }, { 'i', HEV_VERIFIED, HOST_NO }, { 'j', HEV_PAIRED, HOST_YES },
    { 'k', HEV_PROBED, HOST_YES }, { 'l', HEV_CHILD_PLAYS, HOST_YES }, { 'm', HEV_CHILD_ENDED, HOST_YES },
    { 't', HEV_TIME, HOST_YES }, { 'q', HEV_PROBED, HOST_NO }, { 'r', HEV_VERIFIED, HOST_ROTATED },
    { 's', HEV_PAIRED, HOST_RETRY },
};

/* What the kiosk posts to start; false: refused, with a field. */
static bool wish_of(const char *text, size_t len, struct head_event *event)
{
    struct hc_arena arena = { 0 };
    struct json_refusal refusal = { .field = "", .detail = "" };
    struct wish wish;
    enum hc_err err = json_read(&wish_table, text, len, true, &arena, &wish, &refusal);
    hc_arena_free(&arena);
    if ((err == HC_ERR_SYNTAX || err == HC_ERR_SCHEMA) && refusal.detail[0] == '\0')
        abort();                                        /* a refusal that says nothing */
    if (err != HC_OK || wish.experience[0] == '\0')
        return false;
    event->type = HEV_START;
    HC_SET(event->experience, wish.experience);
    return true;
}

/* False: an empty line, or a letter of nobody. */
static bool event_of(const char *line, size_t len, struct head_event *event)
{
    *event = (struct head_event){ 0 };
    if (len == 0)
        return false;
    if (line[0] >= 'a' && line[0] <= 'f') {
        char digits[DIGITS + 1] = "";
        memcpy(digits, line + 1, len - 1 < DIGITS ? len - 1 : DIGITS);
        const char *body = len > DIGITS + 1 ? line + DIGITS + 1 : "";
        answer_event((enum head_question)(line[0] - 'a'), strtol(digits, NULL, 10), body, len > DIGITS + 1 ? len - DIGITS - 1 : 0,
                     line[0] == 'b', event);
        return true;
    }
    if (line[0] == 'w')
        return wish_of(line + 1, len - 1, event);
    for (size_t i = 0; i < sizeof acts / sizeof acts[0]; i++)
        if (acts[i].letter == line[0]) {
            event->type = acts[i].type;
            event->verdict = acts[i].verdict;
            event->clean = len > 1;
            HC_SET(event->experience, "rupelmonde");
            return true;
        }
    return false;
}

static void check(const struct head_state *head, const struct head_event *event, const struct head_actions *actions)
{
    bool whole = head->phase < HEAD_PHASES && actions->count <= HEAD_ACTIONS_MAX && head_phase_word(head->phase) != NULL &&
        head_status_word(head) != NULL && (head->phase != HEAD_STREAMING || head->has_lease);
    for (size_t i = 0; whole && i < actions->count; i++) {
        if (actions->at[i] == ACT_SPAWN)
            whole = event->type == HEV_RENEWED && head->has_lease && head->lease.id[0] != '\0';
        if (actions->at[i] == ACT_RENEW)
            whole = head->has_lease;
    }
    if (!whole)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct head_state head;
    const char *at = (const char *)data;
    int64_t now_ms = STEP_MS;
    head_init(&head, true);
    for (size_t lines = 0; size > 0 && lines < LINES_MAX; lines++, now_ms += STEP_MS) {
        const char *end = memchr(at, '\n', size);
        size_t len = end == NULL ? size : (size_t)(end - at);
        struct head_event event;
        struct head_actions actions = { 0 };
        if (event_of(at, len, &event)) {
            if (event.type == HEV_TIME && head_due(&head) != INT64_MAX && head_due(&head) > now_ms)
                now_ms = head_due(&head);
            event.now_ms = now_ms;
            event.sent_ms = now_ms - 1;
            HC_SET(event.fresh_id, "fresh");
            head_decide(&head, &event, &actions);
            check(&head, &event, &actions);
        }
        at += end == NULL ? len : len + 1;
        size -= end == NULL ? len : len + 1;
    }
    return 0;
}
