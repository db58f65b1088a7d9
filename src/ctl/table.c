/* table.c - draws sections: rows in aligned columns, records as lines of name and value. */
#include <assert.h>
#include <string.h>

#include "hydra/base/arena.h"
#include "plain_text.h"
#include "slot_word.h"
#include "value_text.h"
#include "view.h"

#define COLUMNS_MAX  32
#define GAP          2
#define REASONS_LEAST 10        /* what is left of them before names are cut */
#define NARROWEST    6          /* a column is not cut below this: then the line is longer than the terminal */

struct cell { char *text; const char *colour; };

void add_seconds(json_int_t seconds, struct hc_buf *out)
{
    static const struct { const char *big, *small; json_int_t size, part; } steps[] = {
        { "d", "h", 86400, 3600 }, { "h", "m", 3600, 60 }, { "m", "s", 60, 1 },
    };
    if (seconds < 0) {
        hc_buf_char(out, '-');
        return;
    }
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        if (seconds >= steps[i].size) {
            hc_buf_printf(out, "%lld%s %lld%s", (long long)(seconds / steps[i].size), steps[i].big,
                          (long long)(seconds % steps[i].size / steps[i].part), steps[i].small);
            return;
        }
    hc_buf_printf(out, "%llds", (long long)seconds);
}

static void add_scalar(const json_t *value, struct hc_buf *out)
{
    if (json_is_string(value))
        plain_add(json_string_length(value) > 0 ? json_string_value(value) : "-", out);
    else if (json_is_integer(value))
        hc_buf_i64(out, json_integer_value(value));
    else if (json_is_real(value))
        hc_buf_printf(out, "%g", json_real_value(value));
    else
        hc_buf_str(out, json_is_true(value) ? "yes" : json_is_false(value) ? "no" : "-");
}

static void add_list(const json_t *value, struct hc_buf *out)
{
    if (json_array_size(value) == 0)
        add_scalar(json_is_array(value) ? NULL : value, out);
    for (size_t i = 0; i < json_array_size(value); i++) {
        if (i > 0)
            hc_buf_str(out, ", ");
        add_scalar(json_array_get(value, i), out);
    }
}

static void add_nodes(const json_t *value, struct hc_buf *out)
{
    if (json_array_size(value) == 0)
        hc_buf_char(out, '-');
    for (size_t i = 0; i < json_array_size(value); i++) {
        const json_t *row = json_array_get(value, i);
        if (i > 0)
            hc_buf_str(out, ", ");
        add_scalar(value_at(row, "name|node_id"), out);
        hc_buf_str(out, " (");
        add_scalar(value_at(row, "reason"), out);
        hc_buf_char(out, ')');
    }
}

static void add_count(const json_t *value, struct hc_buf *out)
{
    hc_buf_u64(out, json_is_array(value) ? json_array_size(value) : json_object_size(value));
}

/* The text of a cell; its colour, or "". */
static const char *add_cell(const struct column *column, const json_t *row, struct hc_buf *out)
{
    const json_t *value = value_at(row, column->path);
    switch (column->kind) {
    case COLUMN_SECONDS: add_seconds(json_is_integer(value) ? json_integer_value(value) : -1, out); return "";
    case COLUMN_LIST:    add_list(value, out); return "";
    case COLUMN_FAULTS:  add_list(value, out); return json_array_size(value) > 0 ? COLOUR_FAULT : "";
    case COLUMN_NODES:   add_nodes(value, out); return "";
    case COLUMN_COUNT:   add_count(value, out); return "";
    case COLUMN_SLOT:    plain_add(slot_word(row), out); return state_colour(slot_word(row));
    case COLUMN_STATE:   add_scalar(value, out); return json_is_string(value) ? state_colour(json_string_value(value)) : "";
    case COLUMN_TEXT:
    case COLUMN_KINDS:   break;
    }
    add_scalar(value, out);
    return "";
}

static bool take_cell(const struct column *column, const json_t *row, struct hc_arena *arena, struct cell *ret)
{
    struct hc_buf text = { 0 };
    hc_buf_str(&text, "");
    ret->colour = add_cell(column, row, &text);
    ret->text = text.failed ? NULL : hc_arena_strdup(arena, text.data);
    hc_buf_free(&text);
    return ret->text != NULL;
}

/* Reasons are read after names: their columns give way first. */
static size_t widest_of(const struct column *const *columns, const size_t *widths, size_t count)
{
    size_t widest = 0, reason = count;
    for (size_t c = 0; c < count; c++) {
        if (widths[c] > widths[widest])
            widest = c;
        bool gives_way = columns[c]->kind == COLUMN_LIST || columns[c]->kind == COLUMN_NODES;
        if (gives_way && widths[c] > REASONS_LEAST && (reason == count || widths[c] > widths[reason]))
            reason = c;
    }
    return reason < count ? reason : widest;
}

/* Takes columns off the widest until a line fits. True: it had to. */
static bool narrow(const struct column *const *columns, size_t *widths, size_t count, size_t room)
{
    bool cut = false;
    for (;;) {
        size_t total = (count - 1) * GAP, widest = widest_of(columns, widths, count);
        for (size_t c = 0; c < count; c++)
            total += widths[c];
        if (total <= room || widths[widest] <= NARROWEST)
            return cut;
        widths[widest]--;
        cut = true;
    }
}

static void add_cell_text(const struct cell *cell, size_t width, bool last, const struct look *look, struct hc_buf *out)
{
    bool coloured = look->colour && cell->colour[0] != '\0';
    if (coloured)
        hc_buf_str(out, cell->colour);
    (void)plain_add_fitted(cell->text, width, !last, out);
    if (coloured)
        hc_buf_str(out, COLOUR_END);
    if (!last)
        hc_buf_str(out, "  ");
}

static size_t choose(const struct section *section, bool wide, const struct column *ret[COLUMNS_MAX])
{
    size_t count = 0;
    assert(section->count <= COLUMNS_MAX);
    for (size_t c = 0; c < section->count; c++)
        if (wide || !section->columns[c].wide)
            ret[count++] = &section->columns[c];
    return count;
}

static bool fill(const struct column *const *columns, size_t count, const json_t *rows, size_t lines, struct hc_arena *arena,
                 struct cell *cells,
                 size_t *widths)
{
    for (size_t c = 0; c < count; c++) {
        cells[c] = (struct cell){ hc_arena_strdup(arena, columns[c]->title), COLOUR_TITLE };
        if (cells[c].text == NULL)
            return false;
    }
    for (size_t r = 0; r < lines; r++)
        for (size_t c = 0; c < count; c++)
            if (!take_cell(columns[c], json_array_get(rows, r), arena, &cells[(r + 1) * count + c]))
                return false;
    for (size_t i = 0; i < (lines + 1) * count; i++) {
        size_t width = plain_width(cells[i].text);
        widths[i % count] = width > widths[i % count] ? width : widths[i % count];
    }
    return true;
}

bool table_write(const struct section *section, const json_t *rows, const struct look *look, size_t lines_max, struct hc_buf *out)
{
    const struct column *columns[COLUMNS_MAX];
    size_t widths[COLUMNS_MAX] = { 0 };
    size_t total = json_array_size(rows), lines = lines_max > 0 && total > lines_max ? lines_max : total;
    if (total == 0) {
        hc_buf_str(out, section->empty);
        return false;
    }
    size_t count = choose(section, look->wide, columns);
    struct hc_arena arena = { 0 };
    struct cell *cells = hc_arena_array(&arena, (lines + 1) * count, sizeof *cells);
    bool cut = false;
    if (cells == NULL || !fill(columns, count, rows, lines, &arena, cells, widths))
        out->failed = true;
    else if (look->width > 0 && !look->wide)
        cut = narrow(columns, widths, count, look->width);
    for (size_t i = 0; !out->failed && i < (lines + 1) * count; i++) {
        bool last = i % count == count - 1;
        add_cell_text(&cells[i], widths[i % count], last, look, out);
        if (last)
            hc_buf_char(out, '\n');
    }
    hc_arena_free(&arena);
    if (lines < total)
        hc_buf_printf(out, "… and %zu more\n", total - lines);
    return cut;
}

/* ---- records ---- */

/* What has a section of its own is no line of its record. */
static bool has_section(const struct view *view, const char *path, const char *key)
{
    size_t len = strlen(path);
    for (size_t i = 0; i < view->count; i++) {
        const char *at = view->sections[i].path;
        if (strncmp(at, path, len) == 0 && strcmp(at + len + (len > 0 && at[len] == '.'), key) == 0)
            return true;
    }
    return false;
}

static bool is_line(const json_t *value)
{
    bool of_objects = json_is_array(value) && json_is_object(json_array_get(value, 0));
    return !json_is_object(value) && !of_objects;
}

static void record_write(const struct view *view, const char *path, const json_t *record, const struct look *look, struct hc_buf *out)
{
    const char *key;
    json_t *value;
    size_t width = 0;
    struct hc_buf name = { 0 };
    hc_buf_str(&name, "");
    json_object_foreach((json_t *)record, key, value) {
        hc_buf_clear(&name);
        plain_add(key, &name);
        if (is_line(value) && !has_section(view, path, key) && !name.failed && plain_width(name.data) > width)
            width = plain_width(name.data);
    }
    json_object_foreach((json_t *)record, key, value) {
        if (!is_line(value) || has_section(view, path, key))
            continue;
        const struct column column = { key, "", json_is_array(value) ? COLUMN_LIST : COLUMN_STATE, false };
        struct hc_buf text = { 0 };
        const char *colour = add_cell(&column, value, &text);
        hc_buf_clear(&name);
        plain_add(key, &name);
        if (!name.failed)
            (void)plain_add_fitted(name.data, width, true, out);
        hc_buf_str(out, "  ");
        hc_buf_str(out, look->colour ? colour : "");
        hc_buf_str(out, text.failed ? "" : text.data);
        hc_buf_str(out, look->colour && colour[0] != '\0' ? COLOUR_END : "");
        hc_buf_char(out, '\n');
        out->failed |= text.failed || name.failed;
        hc_buf_free(&text);
    }
    hc_buf_free(&name);
}

bool view_write(const struct view *view, const json_t *answer, const struct look *look, struct hc_buf *out)
{
    bool cut = false;
    for (size_t i = 0; i < view->count; i++) {
        const struct section *section = &view->sections[i];
        const json_t *value = value_at(answer, section->path);
        if (section->columns == NULL && json_object_size(value) == 0)
            continue;                       /* nothing is there, for instance no end of a session */
        if (section->columns != NULL && !json_is_array(value) && section->path[0] != '\0')
            continue;
        if (i > 0 && section->title != NULL)
            hc_buf_char(out, '\n');
        if (section->title != NULL)
            hc_buf_printf(out, look->colour ? COLOUR_TITLE "%s" COLOUR_END "\n" : "%s\n", section->title);
        if (section->columns != NULL)
            cut |= table_write(section, value, look, 0, out);
        else
            record_write(view, section->path, value, look, out);
    }
    return cut;
}
