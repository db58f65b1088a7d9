/* wire_text.c - from the command line to a request's path and body, by the command's row. */
#include <assert.h>
#include <string.h>

#include "context.h"
#include "hydra/base/time.h"

#define COUNT_DIGITS_MAX 9
#define AUTO             "auto"

static int no_memory(void)
{
    return context_complain(EXIT_REFUSED, "out of memory");
}

void wire_escape(const char *text, struct hc_buf *out)
{
    static const char unreserved[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    for (; *text != '\0'; text++) {
        if (strchr(unreserved, *text) != NULL)
            hc_buf_char(out, *text);
        else
            hc_buf_printf(out, "%%%02X", (unsigned)(unsigned char)*text);
    }
}

static bool is_count(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits <= COUNT_DIGITS_MAX && text[digits] == '\0';
}

static int count_of(const struct flag *flag, const char *given, const char **ret)
{
    bool automatic = flag->kind == FLAG_COUNT_AUTO;
    if (automatic && strcmp(given, AUTO) == 0)
        return EXIT_GOOD;
    for (; is_count(given) && given[0] == '0' && given[1] != '\0'; given++)      /* JSON knows no 007 */
        *ret = given + 1;
    return is_count(given) ? EXIT_GOOD
                           : context_complain(EXIT_USAGE, "--%s: %s is no whole number of at most %d digits%s", flag->name, given,
                                              COUNT_DIGITS_MAX, automatic ? ", and not the word " AUTO : "");
}

/* A flag's value as text: of a duration its seconds, of a node its id. */
static int value_of(struct context *context, const struct flag *flag, const char *given, const char **ret)
{
    int64_t ms = 0;
    *ret = given;
    switch (flag->kind) {
    case FLAG_SWITCH:
        *ret = "1";
        return EXIT_GOOD;
    case FLAG_COUNT:
    case FLAG_COUNT_AUTO:
        return count_of(flag, given, ret);
    case FLAG_DURATION:
        if (hc_duration_parse(given, &ms) != HC_OK || ms % HC_SECOND_MS != 0)
            return context_complain(EXIT_USAGE, "--%s: %s is no time in whole seconds like 90s, 5min or 2h", flag->name, given);
        *ret = hc_arena_printf(&context->arena, "%lld", (long long)(ms / HC_SECOND_MS));
        return *ret != NULL ? EXIT_GOOD : no_memory();
    case FLAG_NODE:
        return ask_node(context, given, ret);
    case FLAG_TEXT:
    case FLAG_WORDS:
    case FLAG_FILE:
    case FLAG_KINDS:
        break;
    }
    return EXIT_GOOD;
}

/* ---- the path ---- */

static int add_arguments(struct context *context, const char *path, struct hc_buf *out)
{
    const struct command *command = context->invocation->command;
    size_t next = 0;
    for (const char *hole; (hole = strstr(path, "{}")) != NULL; path = hole + 2, next++) {
        assert(next < ARGUMENTS_MAX && context->invocation->arguments[next] != NULL);
        const char *value = context->invocation->arguments[next];
        int code = command->arguments[next].kind == ARGUMENT_NODE ? ask_node(context, value, &value) : EXIT_GOOD;
        if (code != EXIT_GOOD)
            return code;
        hc_buf_add(out, path, (size_t)(hole - path));
        wire_escape(value, out);
    }
    hc_buf_str(out, path);
    return EXIT_GOOD;
}

static int add_query(struct context *context, struct hc_buf *out)
{
    const struct command *command = context->invocation->command;
    for (size_t i = 0; i < command->flag_count; i++) {
        const struct flag *flag = &command->flags[i];
        const char *value = context->invocation->flags[i];
        if (flag->place != FLAG_QUERY || value == NULL)
            continue;
        int code = value_of(context, flag, value, &value);
        if (code != EXIT_GOOD)
            return code;
        hc_buf_char(out, out->data != NULL && strchr(out->data, '?') != NULL ? '&' : '?');
        hc_buf_str(out, flag->key);
        hc_buf_char(out, '=');
        wire_escape(value, out);
    }
    return EXIT_GOOD;
}

int wire_path(struct context *context, const char *path, char **ret_path)
{
    struct hc_buf text = { 0 };
    int code = add_arguments(context, path != NULL ? path : context->invocation->command->path, &text);
    if (code == EXIT_GOOD)
        code = add_query(context, &text);
    if (code == EXIT_GOOD && (text.failed || (*ret_path = hc_arena_strdup(&context->arena, text.data)) == NULL))
        code = no_memory();
    hc_buf_free(&text);
    return code;
}

/* ---- the body ---- */

static int add_words(const struct flag *flag, const char *value, struct hc_arena *arena, struct hc_buf *out)
{
    hc_buf_char(out, '[');
    for (;;) {
        size_t len = strcspn(value, ",");
        char *word = hc_arena_strndup(arena, value, len);
        if (word == NULL)
            return no_memory();
        if (len == 0)
            return context_complain(EXIT_USAGE, "--%s: a word between two commas is missing", flag->name);
        hc_buf_json_str(out, word);
        if (value[len] == '\0')
            break;
        hc_buf_char(out, ',');
        value += len + 1;
    }
    hc_buf_char(out, ']');
    return EXIT_GOOD;
}

static int add_member(struct context *context, const struct flag *flag, const char *given, struct hc_buf *out)
{
    const char *value;
    int code = value_of(context, flag, given, &value);
    if (code != EXIT_GOOD)
        return code;
    if (out->len > 1)
        hc_buf_char(out, ',');
    hc_buf_json_str(out, flag->key);
    hc_buf_char(out, ':');
    if (flag->kind == FLAG_WORDS)
        return add_words(flag, value, &context->arena, out);
    if (flag->kind == FLAG_SWITCH)
        hc_buf_str(out, "true");
    else if (flag->kind == FLAG_COUNT || flag->kind == FLAG_DURATION || (flag->kind == FLAG_COUNT_AUTO && is_count(value)))
        hc_buf_str(out, value);
    else
        hc_buf_json_str(out, value);
    return EXIT_GOOD;
}

int wire_body(struct context *context, char **ret_body)
{
    const struct command *command = context->invocation->command;
    struct hc_buf text = { 0 };
    int code = EXIT_GOOD;
    *ret_body = NULL;
    if (strcmp(command->method, "POST") != 0 && strcmp(command->method, "PUT") != 0)
        return EXIT_GOOD;
    hc_buf_char(&text, '{');
    hc_buf_str(&text, command->body == NULL ? "" : command->body);
    for (size_t i = 0; i < command->flag_count && code == EXIT_GOOD; i++)
        if (command->flags[i].place == FLAG_BODY && context->invocation->flags[i] != NULL)
            code = add_member(context, &command->flags[i], context->invocation->flags[i], &text);
    hc_buf_char(&text, '}');
    if (code == EXIT_GOOD && (text.failed || (*ret_body = hc_arena_strdup(&context->arena, text.data)) == NULL))
        code = no_memory();
    hc_buf_free(&text);
    return code;
}
