/* query_params.c - every parameter that a route reads from its query, as data: checked before the handler runs. Others are ignored, for
 * clients send more than we read. */
#include "pipeline.h"

#include <stdio.h>
#include <string.h>

#include "answer_rows.h"

#define PLACE_DIGITS    18          /* of a place in a file */
#define EVENT_DIGITS    20          /* of each of the two numbers in an event's id */
#define WAIT_MAX        25          /* seconds; wire §3, §4 */
#define PAGE_MAX        1000
#define YEAR_SECONDS    UINT32_C(31536000)
#define DETAIL_SIZE     128

#define V1       "/api/v1/"
#define HEAD     V1 "heads/{id}/"
#define ELIGIBLE V1 "bodies/eligible"
#define DESIRED  V1 "bodies/{id}/desired"
#define HISTORY  V1 "sessions/history"
static const struct query_param params[] = {
    { ELIGIBLE, "head_id", PARAM_OWN, 0, 0, NULL },               /* another's is 403 before a malformed one is 400 */
    { ELIGIBLE, "district", PARAM_NAME, 0, 0, NULL },
    { ELIGIBLE, "venue", PARAM_NAME, 0, 0, NULL },
    { ELIGIBLE, "experience", PARAM_NAME, 0, 0, NULL },
    { ELIGIBLE, "stream_mode", PARAM_SHORT, 0, 0, NULL },
    { ELIGIBLE, "protocol", PARAM_SHORT, 0, 0, NULL },
    { ELIGIBLE, "include_leased", PARAM_FLAG, 0, 0, NULL },
    { DESIRED, "since", PARAM_ID, 0, 0, NULL },
    { DESIRED, "wait", PARAM_NUMBER, 0, WAIT_MAX, NULL },
    { HEAD "slot-claims", "dry_run", PARAM_FLAG, 0, 0, NULL },
    { HEAD "admission", "attempt_id", PARAM_ID, 0, 0, NULL },
    { HEAD "admission", "wait", PARAM_NUMBER, 0, WAIT_MAX, NULL },
    { HEAD "streams/{stream_id}", "wait", PARAM_NUMBER, 0, WAIT_MAX, NULL },
    { V1 "nodes/{id}", "force", PARAM_FLAG, 0, 0, NULL },
    { V1 "nodes/{id}/slots", "force", PARAM_FLAG, 0, 0, NULL },
    { V1 "nodes/{id}/drain", "dry_run", PARAM_FLAG, 0, 0, NULL },
    { V1 "nodes/{id}/ops/next", "wait", PARAM_NUMBER, 0, WAIT_MAX, NULL },
    { V1 "slots", "district", PARAM_NAME, 0, 0, NULL },
    { V1 "slots", "venue", PARAM_NAME, 0, 0, NULL },
    { V1 "slots", "body", PARAM_ID, 0, 0, NULL },
    { V1 "slots", "divergent", PARAM_FLAG, 0, 0, NULL },
    { V1 "queue", "district", PARAM_NAME, 0, 0, NULL },
    { V1 "migration", "district", PARAM_NAME, 0, 0, NULL },
    { V1 "explain", "lease", PARAM_ID, 0, 0, NULL },
    { V1 "explain", "cursor", PARAM_PLACE, 0, 0, NULL },
    { V1 "explain", "head_id", PARAM_ID, 0, 0, NULL },
    { V1 "explain", "experience", PARAM_NAME, 0, 0, NULL },
    { V1 "explain", "protocol", PARAM_NUMBER, 0, 2, NULL },
    { V1 "streams", "district", PARAM_NAME, 0, 0, NULL },
    { V1 "streams", "venue", PARAM_NAME, 0, 0, NULL },
    { V1 "streams", "state", PARAM_WORD, 0, 0, &stream_state_words },
    { V1 "streams", "unattended_over", PARAM_NUMBER, 0, YEAR_SECONDS, NULL },
    { V1 "streams", "limit", PARAM_NUMBER, 1, PAGE_MAX, NULL },
    { V1 "streams", "cursor", PARAM_OWN, 0, 0, NULL },
    { HISTORY, "head", PARAM_ID, 0, 0, NULL },
    { HISTORY, "body", PARAM_ID, 0, 0, NULL },
    { HISTORY, "venue", PARAM_NAME, 0, 0, NULL },
    { HISTORY, "since", PARAM_INSTANT, 0, 0, NULL },
    { HISTORY, "limit", PARAM_NUMBER, 1, PAGE_MAX, NULL },
    { HISTORY, "cursor", PARAM_PLACE, 0, 0, NULL },
    { V1 "events", "since", PARAM_EVENT, 0, 0, NULL },
    { V1 "events", "cursor", PARAM_EVENT, 0, 0, NULL },
    { V1 "events", "type", PARAM_WORD, 0, 0, &note_words },
    { V1 "events", "follow", PARAM_FLAG, 0, 0, NULL },
    { V1 "events", "limit", PARAM_NUMBER, 1, PAGE_MAX, NULL },
};

static size_t digits_at(const char *text)
{
    return strspn(text, "0123456789");
}

static bool id_ok(const struct query_param *param, const char *text) { (void)param; return hc_id_ok(text); }
static bool name_ok(const struct query_param *param, const char *text) { (void)param; return hc_name_ok(text); }
static bool any_ok(const struct query_param *param, const char *text) { (void)param; (void)text; return true; }

static bool number_ok(const struct query_param *param, const char *text)
{
    uint32_t value;
    return query_number(text, param->most, &value) && value >= param->least;
}

static bool flag_ok(const struct query_param *param, const char *text)
{
    (void)param;
    return strcmp(text, "1") == 0 || strcmp(text, "0") == 0 || strcmp(text, "true") == 0 || strcmp(text, "false") == 0;
}

static bool instant_ok(const struct query_param *param, const char *text)
{
    hc_time time;
    (void)param;
    return hc_time_parse(text, &time) == HC_OK;
}

static bool short_ok(const struct query_param *param, const char *text)
{
    (void)param;
    return strlen(text) <= PARAM_SHORT_MAX && hc_name_ok(text);
}

static bool word_ok(const struct query_param *param, const char *text)
{
    return word_find(param->words, text) >= 0;
}

static bool event_ok(const struct query_param *param, const char *text)
{
    (void)param;
    return query_event_ok(text);
}

/* A lease's id, or a place in the file behind the rows in memory ("@1234"). */
static bool place_ok(const struct query_param *param, const char *text)
{
    (void)param;
    size_t digits = text[0] == '@' ? digits_at(text + 1) : 0;
    return text[0] == '@' ? digits > 0 && digits <= PLACE_DIGITS && text[digits + 1] == '\0'
                          : strncmp(text, "lse-", 4) == 0 && text[4] != '\0' && hc_id_ok(text);
}

struct rule { bool (*ok)(const struct query_param *param, const char *text); const char *says; };
static const struct rule rules[PARAM_KINDS] = {
    [PARAM_ID] = { id_ok, "An id is 1 to 64 characters of A-Z a-z 0-9 . _ -" },
    [PARAM_NAME] = { name_ok, "A name is 1 to 128 bytes of UTF-8 without control characters." },
    [PARAM_NUMBER] = { number_ok, NULL },                        /* refuse() says its bounds */
    [PARAM_FLAG] = { flag_ok, "It is 1 (true) or 0 (false)." },
    [PARAM_INSTANT] = { instant_ok, "It is an instant, such as 2026-09-04T11:43:18Z." },
    [PARAM_SHORT] = { short_ok, "It is a word of at most 32 bytes." },
    [PARAM_WORD] = { word_ok, "It is none of the words that can stand here." },
    [PARAM_EVENT] = { event_ok, "It is the id of an event, as an answer gave it." },
    [PARAM_PLACE] = { place_ok, "It is what X-Next-Cursor of the page before said." },
    [PARAM_OWN] = { any_ok, NULL },
};

bool query_event_ok(const char *text)
{
    size_t generation = digits_at(text), number = text[generation] == '-' ? digits_at(text + generation + 1) : 0;
    return generation > 0 && generation <= EVENT_DIGITS && number > 0 && number <= EVENT_DIGITS && text[generation + 1 + number] == '\0';
}

bool query_number(const char *text, uint32_t most, uint32_t *ret)
{
    size_t len = digits_at(text);
    uint64_t value = 0;
    if (len == 0 || text[len] != '\0')
        return false;
    for (size_t i = 0; i < len && value <= most; i++)
        value = value * 10 + (uint64_t)(text[i] - '0');
    if (value > most)
        return false;
    *ret = (uint32_t)value;
    return true;
}

static const struct query_param *param_of(const char *pattern, const char *key)
{
    for (size_t i = 0; i < sizeof params / sizeof params[0]; i++)
        if (strcmp(params[i].key, key) == 0 && strcmp(params[i].pattern, pattern) == 0)
            return &params[i];
    return NULL;
}

static void refuse(struct call *call, const struct query_param *param)
{
    char detail[DETAIL_SIZE];
    if (param->kind == PARAM_NUMBER) {
        (void)snprintf(detail, sizeof detail, "It must be a whole number from %u to %u.", param->least, param->most);
        call_bad(call, param->key, detail);
    } else {
        call_bad(call, param->key, rules[param->kind].says);
    }
}

bool query_params_ok(struct call *call)
{
    const char *key, *value;
    for (size_t at = 0; http_query_next(call->req, &at, &key, &value);) {
        const struct query_param *param = value[0] == '\0' ? NULL : param_of(call->route->pattern, key);      /* an empty one is absent */
        if (param == NULL || rules[param->kind].ok(param, value))
            continue;
        refuse(call, param);
        return false;
    }
    return true;
}

size_t query_params(const struct query_param **ret_rows)
{
    *ret_rows = params;
    return sizeof params / sizeof params[0];
}
