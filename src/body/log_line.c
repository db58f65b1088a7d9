#include "log_line.h"

#include <assert.h>
#include <string.h>

#define DATE_MAX 40                     /* `[2026-08-21 10:00:00.123]`, or with colons; far above either */

static const struct { const char *word; enum log_level level; } levels[] = {
    { "Info", LOG_INFO }, { "Warning", LOG_WARNING }, { "Error", LOG_ERROR }, { "Fatal", LOG_FATAL },
};

/* The whole text is `before`, then a number where there is an `after`, then `after`; or, with `any_before`, any text and then `before`. */
static const struct form { enum log_kind kind; const char *before, *after; bool any_before; int64_t least; } forms[] = {
    { LOG_SESSION_STARTED, "New streaming session started [active sessions: ", "]", false, 1 },
    { LOG_CLIENT_CONNECTED, "CLIENT CONNECTED", NULL, false, 0 },
    { LOG_CLIENT_DISCONNECTED, "CLIENT DISCONNECTED", NULL, false, 0 },
    { LOG_START_TIMEOUT, "Initial Ping Timeout", NULL, false, 0 },      /* before the next, whose end it has */
    { LOG_PING_TIMEOUT, ": Ping Timeout", NULL, true, 0 },
    { LOG_PROCESS_TERMINATED, "Process terminated", NULL, false, 0 },
    { LOG_APP_EXITED, "App exited with code [", "]", false, -LOG_COUNT_MAX },
    { LOG_CLIENT_DISABLED, "Client is disabled -- denied", NULL, false, 0 },
};

struct text { const char *at; size_t len; };

static bool skip(struct text *text, const char *word)
{
    size_t len = strlen(word);
    if (text->len < len || memcmp(text->at, word, len) != 0)
        return false;
    text->at += len;
    text->len -= len;
    return true;
}

static bool skip_date(struct text *text)
{
    if (!skip(text, "["))
        return false;
    for (size_t i = 0; i < text->len && i < DATE_MAX; i++)
        if (text->at[i] == ']') {
            text->at += i;
            text->len -= i;
            return skip(text, "]: ");
        }
    return false;
}

static bool skip_level(struct text *text, enum log_level *ret_level)
{
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        struct text rest = *text;
        if (skip(&rest, levels[i].word) && skip(&rest, ": ")) {
            *text = rest;
            *ret_level = levels[i].level;
            return true;
        }
    }
    return false;
}

static bool skip_number(struct text *text, int64_t *ret_number)
{
    bool negative = skip(text, "-");
    int64_t number = 0;
    size_t digits = 0;
    for (; digits < text->len && text->at[digits] >= '0' && text->at[digits] <= '9'; digits++) {
        number = number * 10 + (text->at[digits] - '0');
        if (number > LOG_COUNT_MAX)
            return false;
    }
    text->at += digits;
    text->len -= digits;
    *ret_number = negative ? -number : number;
    return digits > 0;
}

static bool fits(const struct form *form, struct text text, int64_t *ret_number)
{
    size_t len = strlen(form->before);
    *ret_number = 0;
    if (form->any_before && text.len > len) {
        text.at += text.len - len;
        text.len = len;
    }
    if (!skip(&text, form->before))
        return false;
    if (form->after != NULL && (!skip_number(&text, ret_number) || *ret_number < form->least || !skip(&text, form->after)))
        return false;
    return text.len == 0;
}

bool log_line_read(const char *line, size_t len, struct log_event *ret)
{
    struct text text = { line, len };
    struct log_event event;
    if (!skip_date(&text) || !skip_level(&text, &event.level))
        return false;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (fits(&forms[i], text, &event.number)) {
            event.kind = forms[i].kind;
            *ret = event;
            return true;
        }
    return false;
}

const char *log_kind_word(enum log_kind kind)
{
    static const char *const words[LOG_KINDS] = {
        [LOG_SESSION_STARTED] = "session_started", [LOG_CLIENT_CONNECTED] = "client_connected",
        [LOG_CLIENT_DISCONNECTED] = "client_disconnected", [LOG_PING_TIMEOUT] = "ping_timeout", [LOG_START_TIMEOUT] = "start_timeout",
        [LOG_PROCESS_TERMINATED] = "process_terminated", [LOG_APP_EXITED] = "app_exited", [LOG_CLIENT_DISABLED] = "client_disabled",
    };
    assert((size_t)kind < LOG_KINDS);
    return words[kind];
}
