#include "table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "hydra/base/arena.h"
#include "hydra/base/buf.h"
#include "hydra/base/time.h"
#include "hydra/os/clock.h"
#include "hydra/os/file.h"

#include "fatal.h"

#define ROWS_MAX     128
#define DOC_MAX      ((size_t)256 * 1024)
#define DOC_BEGIN    "<!-- bench: begin -->\n"
#define DOC_END      "<!-- bench: end -->"
#define SAMPLES_FIRST 1024

struct row { const char *key, *text, *unit; double value, bound; enum row_want want; char beside[160]; };
static struct row rows[ROWS_MAX];
static size_t row_count;

void samples_add(struct samples *samples, int64_t us)
{
    if (samples->count == samples->size) {
        samples->size = samples->size == 0 ? SAMPLES_FIRST : 2 * samples->size;
        samples->us = need(hc_realloc(samples->us, samples->size * sizeof samples->us[0]));
    }
    samples->us[samples->count++] = us;
    samples->sorted = false;
}

static int compare(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

double samples_ms(struct samples *samples, double part)
{
    if (samples->count == 0)
        return 0;
    if (!samples->sorted)
        qsort(samples->us, samples->count, sizeof samples->us[0], compare);
    samples->sorted = true;
    size_t at = (size_t)((double)samples->count * part);
    return (double)samples->us[at < samples->count ? at : samples->count - 1] / 1000;
}

void samples_clear(struct samples *samples)
{
    samples->count = 0;
}

void samples_free(struct samples *samples)
{
    hc_free(samples->us);
    *samples = (struct samples){ 0 };
}

static bool row_ok(const struct row *row)
{
    return row->want == WANT_NOTHING || (row->want == WANT_AT_MOST ? row->value <= row->bound : row->value >= row->bound);
}

static const char *verdict(const struct row *row)
{
    return row->want == WANT_NOTHING ? "" : row_ok(row) ? "ok" : "**not ok**";
}

void table_row(const char *key, const char *text, double value, const char *unit, enum row_want want, double bound, const char *beside, ...)
{
    if (row_count == ROWS_MAX)
        fatal("more than %d rows", ROWS_MAX);
    struct row *row = &rows[row_count++];
    *row = (struct row){ .key = key, .text = text, .unit = unit, .value = value, .bound = bound, .want = want };
    va_list args;
    va_start(args, beside);
    (void)vsnprintf(row->beside, sizeof row->beside, beside, args);
    va_end(args);
    (void)fprintf(stderr, "%-64s %10.2f %-4s %s  %s\n", text, value, unit, verdict(row), row->beside);
}

static void add_number(struct hc_buf *out, double value)
{
    hc_buf_printf(out, value >= 1000 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
}

static void add_rows(struct hc_buf *out)
{
    hc_buf_str(out, "| measure | value | bound | | beside, in the same run |\n|---|---|---|---|---|\n");
    for (const struct row *row = rows; row < rows + row_count; row++) {
        hc_buf_printf(out, "| %s | ", row->text);
        add_number(out, row->value);
        hc_buf_printf(out, " %s | ", row->unit);
        if (row->want != WANT_NOTHING) {
            hc_buf_str(out, row->want == WANT_AT_MOST ? "≤ " : "≥ ");
            add_number(out, row->bound);
        }
        hc_buf_printf(out, " | %s | %s |\n", verdict(row), row->beside);
    }
}

void table_print(void)
{
    struct hc_buf out = { 0 };
    add_rows(&out);
    if (out.failed || fwrite(out.data, 1, out.len, stdout) != out.len)
        fatal("the table cannot be printed");
    hc_buf_free(&out);
}

static void write_file(const char *path, const struct hc_buf *out)
{
    HC_CLEANUP(os_close) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (out->failed || fd < 0 || os_write_all(fd, out->data, out->len) != HC_OK)
        fatal("%s: %s", path, strerror(errno));
}

void table_write_json(const char *path, double seconds)
{
    struct hc_buf out = { 0 };
    hc_buf_printf(&out, "{\"version\":\"%s\",\"seconds\":%.1f,\"all_ok\":%s,\"rows\":[", HYDRA_VERSION, seconds,
                  table_all_ok() ? "true" : "false");
    for (const struct row *row = rows; row < rows + row_count; row++) {
        hc_buf_printf(&out, "%s\n{\"key\":\"%s\",\"measure\":", row == rows ? "" : ",", row->key);
        hc_buf_json_str(&out, row->text);
        hc_buf_printf(&out, ",\"value\":%.4f,\"unit\":\"%s\"", row->value, row->unit);
        if (row->want != WANT_NOTHING)
            hc_buf_printf(&out, ",\"%s\":%.4f,\"ok\":%s", row->want == WANT_AT_MOST ? "at_most" : "at_least", row->bound,
                          row_ok(row) ? "true" : "false");
        hc_buf_str(&out, ",\"beside\":");
        hc_buf_json_str(&out, row->beside);
        hc_buf_char(&out, '}');
    }
    hc_buf_str(&out, "\n]}\n");
    write_file(path, &out);
    hc_buf_free(&out);
}

void table_write_doc(const char *path, double load_before)
{
    char *text = NULL;
    size_t len;
    struct hc_diag diag;
    if (os_file_read(AT_FDCWD, path, DOC_MAX, &text, &len, NULL, &diag) != HC_OK)
        fatal("%s", diag.text);
    char *begin = strstr(text, DOC_BEGIN), *end = strstr(text, DOC_END);
    if (begin == NULL || end == NULL || end < begin)
        fatal("%s lacks the lines that the table stands between", path);
    struct hc_buf out = { 0 };
    time_t today = (time_t)(os_wall().ms / 1000);
    struct tm utc;
    char date[32];
    if (gmtime_r(&today, &utc) == NULL || strftime(date, sizeof date, "%Y-%m-%d", &utc) == 0)
        fatal("no date");
    hc_buf_add(&out, text, (size_t)(begin - text) + strlen(DOC_BEGIN));
    hc_buf_printf(&out, "Made by `make bench-doc` on %s: %ld cores, load %.1f before the run.\n\n", date, sysconf(_SC_NPROCESSORS_ONLN),
                  load_before);
    add_rows(&out);
    hc_buf_str(&out, end);
    write_file(path, &out);
    hc_buf_free(&out);
    hc_free(text);
}

bool table_all_ok(void)
{
    for (const struct row *row = rows; row < rows + row_count; row++)
        if (!row_ok(row))
            return false;
    return true;
}
