#include "hydra/base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LINE_MAX_BYTES  2048
#define QUOTE_BUFFERS   8
#define QUOTE_MAX_BYTES 256

static enum hc_log_level most_verbose_level = HC_LOG_INFO;
static void (*line_sink)(const char *line);

void hc_log_level_set(enum hc_log_level most_verbose)
{
    most_verbose_level = most_verbose;
}

void hc_log_sink_set(void (*sink)(const char *line))
{
    line_sink = sink;
}

static const char *level_word(enum hc_log_level level)
{
    static const char *const words[] = { [HC_LOG_ERR] = "error", [HC_LOG_WARNING] = "warning", [HC_LOG_NOTICE] = "notice",
                                         [HC_LOG_INFO] = "info", [HC_LOG_DEBUG] = "debug" };
    return words[level];
}

void hc_log(enum hc_log_level level, const char *event, const char *format, ...)
{
    if (level > most_verbose_level)
        return;
    char line[LINE_MAX_BYTES];
    int head = snprintf(line, sizeof line, "<%d>level=%s event=%s ", (int)level, level_word(level), event);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line + head, sizeof line - (size_t)head, format, args);
    va_end(args);
    if (line_sink != NULL)
        line_sink(line);
    else
        (void)fprintf(stderr, "%s\n", line);
}

static bool plain(const char *text)
{
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++)
        if ((unsigned char)*text <= 0x20 || *text == '"' || *text == '\\' || *text == '=' || *text == 0x7f)
            return false;
    return true;
}

const char *hc_logq(const char *text)
{
    static _Thread_local char buffers[QUOTE_BUFFERS][QUOTE_MAX_BYTES];
    static _Thread_local unsigned next;
    if (text == NULL)
        text = "";
    if (plain(text) && strlen(text) < QUOTE_MAX_BYTES)
        return text;
    char *out = buffers[next++ % QUOTE_BUFFERS];
    size_t n = 0;
    out[n++] = '"';
    for (; *text != '\0'; text++) {
        if (n + 9 > QUOTE_MAX_BYTES) {
            memcpy(out + n, "...", 3);
            n += 3;
            break;
        }
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            out[n++] = '\\';
        if (c < 0x20 || c == 0x7f)
            n += (size_t)snprintf(out + n, 5, "\\x%02x", c);
        else
            out[n++] = (char)c;
    }
    out[n++] = '"';
    out[n] = '\0';
    return out;
}
