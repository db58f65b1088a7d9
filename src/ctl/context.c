#include "context.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hydra/os/file.h"
#include "plain_text.h"
#include "value_text.h"

int context_fail(enum exit_code code, const struct hc_diag *diag)
{
    struct hc_buf line = { 0 };
    context_progress("");
    hc_buf_str(&line, "hydractl: ");
    plain_add(diag->text, &line);
    hc_buf_char(&line, '\n');
    (void)fputs(line.failed ? "hydractl: out of memory\n" : line.data, stderr);
    hc_buf_free(&line);
    return (int)code;
}

int context_complain(enum exit_code code, const char *format, ...)
{
    struct hc_diag diag;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(diag.text, sizeof diag.text, format, args);      /* cut at the size of a diag, as hc_fail() does */
    va_end(args);
    return context_fail(code, &diag);
}

int context_print(struct hc_buf *text)
{
    context_progress("");
    bool ok = !text->failed && (text->len == 0 || os_write_all(STDOUT_FILENO, text->data, text->len) == HC_OK);
    bool memory = text->failed;
    hc_buf_free(text);
    if (ok)
        return EXIT_GOOD;
    return memory ? context_complain(EXIT_REFUSED, "out of memory") : context_complain(EXIT_REFUSED, "standard output cannot be written");
}

int context_show(const struct context *context, const struct view *view, const json_t *answer)
{
    struct hc_buf text = { 0 };
    bool cut = false;
    hc_buf_str(&text, "");
    if (context->settings.output == OUTPUT_JSON)
        value_json(answer, &text);
    else if (context->settings.output == OUTPUT_YAML)
        value_yaml(answer, &text);
    else
        cut = view_write(view, answer, &context->look, &text);
    int code = context_print(&text);
    if (cut)
        (void)fputs("hydractl: cut to the width of the terminal where it says …; -o wide shows all\n", stderr);
    return code;
}

void context_progress(const char *text)
{
    static bool shown;
    if (isatty(STDERR_FILENO) != 1 || (!shown && text[0] == '\0'))
        return;
    (void)fprintf(stderr, "\r\033[K%s", text);
    (void)fflush(stderr);
    shown = text[0] != '\0';
}
