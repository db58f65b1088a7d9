/* operation_command.c - has a body's agent do something, and waits for its one result. */
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "context.h"
#include "hydra/os/clock.h"
#include "hydra/proto/operation.h"
#include "value_text.h"

#define POLL_MS        500
#define WAIT_MS        90000            /* longer than an operation lives (opTTL, 60 s) */
#define PIN_LINE_SIZE  16

/* A PIN stands in no argument, where `ps` would show it. On a terminal it is not shown either. */
static int read_pin(char ret_pin[OPERATION_PIN_DIGITS + 1])
{
    struct termios before, quiet;
    char line[PIN_LINE_SIZE] = "";
    bool terminal = isatty(STDIN_FILENO) == 1 && tcgetattr(STDIN_FILENO, &before) == 0;
    if (terminal) {
        quiet = before;
        quiet.c_lflag &= ~(tcflag_t)ECHO;
        (void)fputs("PIN: ", stderr);
        (void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
    }
    (void)setvbuf(stdin, NULL, _IONBF, 0);      /* no copy of it stays in a buffer */
    bool got = fgets(line, sizeof line, stdin) != NULL;
    if (terminal) {
        (void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
        (void)fputc('\n', stderr);
    }
    line[strcspn(line, "\r\n")] = '\0';
    bool good = got && operation_pin_ok(line);
    if (good)
        memcpy(ret_pin, line, OPERATION_PIN_DIGITS + 1);
    explicit_bzero(line, sizeof line);
    return good ? EXIT_GOOD : context_complain(EXIT_USAGE, "op: standard input holds no PIN of four digits");
}

static void add_text(const char *key, const char *value, bool *first, struct hc_buf *out)
{
    if (value == NULL)
        return;
    hc_buf_str(out, *first ? "" : ",");
    *first = false;
    hc_buf_json_str(out, key);
    hc_buf_char(out, ':');
    hc_buf_json_str(out, value);
}

/* What each operation needs, the server says; only the PIN is ours, for it stands in no flag. */
static int build(const struct context *context, const char *pin, struct hc_buf *out)
{
    const struct invocation *invocation = context->invocation;
    bool first = true;
    hc_buf_str(out, "{\"op\":");
    hc_buf_json_str(out, invocation->arguments[1]);
    hc_buf_str(out, ",\"args\":{");
    add_text("uuid", invocation_flag(invocation, "uuid"), &first, out);
    add_text("pin", pin, &first, out);
    add_text("name", invocation_flag(invocation, "name"), &first, out);
    if (invocation_flag(invocation, "force") != NULL)
        hc_buf_str(out, first ? "\"force\":true" : ",\"force\":true");
    hc_buf_str(out, "}}");
    return out->failed ? context_complain(EXIT_REFUSED, "out of memory") : EXIT_GOOD;
}

/* *ret_result is for the caller to json_decref. */
static int wait_for(struct context *context, const char *path, const char *op_id, json_t **ret_result)
{
    char *result_path = hc_arena_printf(&context->arena, "%s/%s/result", path, op_id);
    int64_t started_ms = os_monotonic_ms();
    if (result_path == NULL)
        return context_complain(EXIT_REFUSED, "out of memory");
    for (;;) {
        int code = ask(context, "GET", result_path, NULL, ret_result);
        if (code != EXIT_GOOD || strcmp(value_str(*ret_result, "state"), "pending") != 0)
            return code;
        json_decref(*ret_result);
        *ret_result = NULL;
        int64_t waited_ms = os_monotonic_ms() - started_ms;
        if (waited_ms > WAIT_MS)
            return context_complain(EXIT_REFUSED, "op: %s has no result after %d s", op_id, WAIT_MS / 1000);
        char line[80];
        (void)snprintf(line, sizeof line, "waiting for the body's agent, %lld s", (long long)(waited_ms / 1000));
        context_progress(line);
        os_pause_ms(POLL_MS);
    }
}

static int ask_and_wait(struct context *context, const char *pin)
{
    struct hc_buf body = { 0 };
    json_t *asked = NULL, *result = NULL;
    char *path;
    int code = wire_path(context, NULL, &path);
    if (code == EXIT_GOOD)
        code = build(context, pin, &body);
    if (code == EXIT_GOOD)
        code = ask(context, "POST", path, body.data, &asked);
    if (body.data != NULL)
        explicit_bzero(body.data, body.len);
    hc_buf_free(&body);
    bool wait = invocation_flag(context->invocation, "no-wait") == NULL;
    if (code == EXIT_GOOD && wait)
        code = wait_for(context, path, value_str(asked, "op_id"), &result);
    if (code == EXIT_GOOD)
        code = context_show(context, &operation_view, wait ? result : asked);
    if (code == EXIT_GOOD && wait && strcmp(value_str(result, "state"), "done") != 0)
        code = EXIT_REFUSED;
    json_decref(asked);
    json_decref(result);
    return code;
}

int run_operation(struct context *context)
{
    char pin[OPERATION_PIN_DIGITS + 1] = "";
    bool needs_pin = strcmp(context->invocation->arguments[1], "sunshine.submit_pin") == 0;
    int code = needs_pin ? read_pin(pin) : EXIT_GOOD;
    if (code == EXIT_GOOD)
        code = ask_and_wait(context, needs_pin ? pin : NULL);
    explicit_bzero(pin, sizeof pin);
    return code;
}
