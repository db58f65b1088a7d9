#include "board.h"

#include <stdlib.h>
#include <string.h>

#include "plain_text.h"
#include "slot_word.h"
#include "value_text.h"

/* Title, connection, divergence, an empty line; two titles of columns, an empty line, the queue's title; what is left out of both tables.
 * */
#define FIXED_LINES 10
#define QUEUE_MOST  7               /* rows of the queue, when the window is high enough */
#define BANNER_MOST 3               /* divergences named in the banner */

/* ---- the order: where people look for a slot ---- */

static int by_place(const void *a, const void *b)
{
    static const char *const keys[] = { "district", "venue", "body_name|body_id", "body_id" };
    const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        int order = strcmp(value_str(x, keys[i]), value_str(y, keys[i]));
        if (order != 0)
            return order;
    }
    json_int_t left = json_integer_value(value_at(x, "slot")), right = json_integer_value(value_at(y, "slot"));
    return left < right ? -1 : left > right;
}

json_t *board_sorted(const json_t *slots)
{
    size_t count = json_array_size(slots);
    json_t **rows = calloc(count + 1, sizeof *rows);
    json_t *list = json_array();
    for (size_t i = 0; rows != NULL && i < count; i++)
        rows[i] = json_array_get(slots, i);
    if (rows != NULL)
        qsort(rows, count, sizeof rows[0], by_place);
    for (size_t i = 0; rows != NULL && list != NULL && i < count; i++)
        (void)json_array_append(list, rows[i]);
    free(rows);
    if (json_array_size(list) == count)
        return list;
    json_decref(list);
    return NULL;
}

/* ---- the head of the screen ---- */

struct counts { size_t free, busy, unknown, divergent; };

static struct counts count_slots(const json_t *slots)
{
    struct counts counts = { 0 };
    for (size_t i = 0; i < json_array_size(slots); i++) {
        const json_t *row = json_array_get(slots, i);
        const char *word = slot_word(row);
        counts.free += strcmp(word, "free") == 0;
        counts.unknown += strcmp(word, "unknown") == 0;
        counts.busy += value_true(row, "occupied");
        counts.divergent += json_array_size(value_at(row, "divergence")) > 0;
    }
    return counts;
}

/* The class and the row, as the page's banner names them. */
static void add_banner(const json_t *slots, size_t divergent, struct hc_buf *out)
{
    size_t named = 0;
    if (divergent > BANNER_MOST)
        hc_buf_printf(out, "DIVERGENCE, %zu rows: ", divergent);
    else
        hc_buf_str(out, "DIVERGENCE: ");
    for (size_t i = 0; i < json_array_size(slots) && named < BANNER_MOST; i++) {
        const json_t *row = json_array_get(slots, i), *words = value_at(row, "divergence");
        if (json_array_size(words) == 0)
            continue;
        hc_buf_str(out, named++ > 0 ? "; " : "");
        plain_add(value_str(row, "body_name|body_id"), out);
        hc_buf_printf(out, "/%lld", (long long)json_integer_value(value_at(row, "slot")));
        for (size_t w = 0; w < json_array_size(words); w++) {
            hc_buf_char(out, ' ');
            plain_add(json_is_string(json_array_get(words, w)) ? json_string_value(json_array_get(words, w)) : "?", out);
        }
    }
}

/* One line of the head: no longer than the screen, in its colour. */
static void add_line(const struct hc_buf *text, const char *colour, const struct look *look, struct hc_buf *out)
{
    bool coloured = look->colour && colour[0] != '\0';
    if (text->failed)
        out->failed = true;
    hc_buf_str(out, coloured ? colour : "");
    if (text->len > 0 && look->width > 0)
        (void)plain_add_fitted(text->data, look->width, false, out);
    else if (text->len > 0)
        hc_buf_str(out, text->data);
    hc_buf_str(out, coloured ? COLOUR_END "\n" : "\n");
}

static void add_head(const struct board *board, const struct look *look, struct hc_buf *out)
{
    struct counts counts = count_slots(board->slots);
    struct hc_buf line = { 0 };
    hc_buf_str(&line, "hydracluster at ");
    plain_add(board->server, &line);
    hc_buf_printf(&line, "   slots %zu   occupied %zu   free %zu   unknown %zu   waiting %zu", json_array_size(board->slots), counts.busy,
                  counts.free, counts.unknown, json_array_size(board->queue));
    add_line(&line, COLOUR_TITLE, look, out);
    hc_buf_clear(&line);
    if (board->lost_ms > 0) {
        hc_buf_str(&line, "NOT CONNECTED for ");
        add_seconds(board->lost_ms / 1000, &line);
        hc_buf_str(&line, ": what stands here was true then; trying again (");
        plain_add(board->why, &line);
        hc_buf_char(&line, ')');
    } else {
        hc_buf_str(&line, "connected, live; Ctrl-C ends");
    }
    add_line(&line, board->lost_ms > 0 ? "\033[1;31m" : "", look, out);
    hc_buf_clear(&line);
    if (counts.divergent > 0) {
        add_banner(board->slots, counts.divergent, &line);
        add_line(&line, "\033[1;31m", look, out);
    }
    hc_buf_free(&line);
    hc_buf_char(out, '\n');
}

void board_write(const struct board *board, const struct look *look, size_t height, struct hc_buf *out)
{
    size_t slots_lines = 0, queue_lines = 0;
    if (height > 0) {
        size_t room = height > FIXED_LINES + 2 ? height - FIXED_LINES : 2, waiting = json_array_size(board->queue);
        queue_lines = waiting < QUEUE_MOST ? waiting : QUEUE_MOST;
        if (queue_lines > room / 2)
            queue_lines = room / 2;
        if (queue_lines == 0)
            queue_lines = 1;
        slots_lines = room - queue_lines;
    }
    json_t *rows = board_sorted(board->slots);
    if (rows == NULL) {
        out->failed = true;
        return;
    }
    add_head(board, look, out);
    (void)table_write(&board_slots, rows, look, slots_lines, out);
    hc_buf_printf(out, look->colour ? "\n" COLOUR_TITLE "%s" COLOUR_END "\n" : "\n%s\n", board_queue.title);
    (void)table_write(&board_queue, board->queue, look, queue_lines, out);
    json_decref(rows);
}

/* ---- lines of what changed ---- */

static void add_key(const json_t *row, struct hc_buf *out)
{
    plain_add(value_str(row, "body_name|body_id"), out);
    hc_buf_printf(out, "/%lld", (long long)json_integer_value(value_at(row, "slot")));
}

static void add_state(const json_t *row, struct hc_buf *out)
{
    const char *head = value_str(row, "lease.head_name|lease.head_id"), *experience = value_str(row, "lease.experience");
    const json_t *words = value_at(row, "divergence");
    plain_add(slot_word(row), out);
    if (head[0] != '\0') {
        hc_buf_str(out, "  head=");
        plain_add(head, out);
    }
    if (experience[0] != '\0') {
        hc_buf_str(out, "  experience=");
        plain_add(experience, out);
    }
    for (size_t w = 0; w < json_array_size(words); w++) {
        hc_buf_str(out, w == 0 ? "  divergence=" : ",");
        plain_add(json_is_string(json_array_get(words, w)) ? json_string_value(json_array_get(words, w)) : "?", out);
    }
}

/* What each slot is now: several rows of one slot, two sessions, are one text. NULL: no memory. */
static json_t *states(const json_t *slots)
{
    json_t *now = json_object();
    bool ok = now != NULL;
    for (size_t i = 0; ok && i < json_array_size(slots); i++) {
        const json_t *row = json_array_get(slots, i);
        struct hc_buf key = { 0 }, state = { 0 };
        add_key(row, &key);
        const char *known = key.failed ? NULL : json_string_value(json_object_get(now, key.data));
        if (known != NULL)
            hc_buf_printf(&state, "%s  and  ", known);
        add_state(row, &state);
        ok = !key.failed && !state.failed && json_object_set_new(now, key.data, json_string(state.data)) == 0;
        hc_buf_free(&key);
        hc_buf_free(&state);
    }
    if (ok)
        return now;
    json_decref(now);
    return NULL;
}

bool board_changes(const json_t *slots, json_t *before, struct hc_buf *out)
{
    json_t *now = states(slots), *value;
    const char *key;
    if (now == NULL)
        return false;
    json_object_foreach(now, key, value) {
        const json_t *was = json_object_get(before, key);
        if (was == NULL || strcmp(json_string_value(was), json_string_value(value)) != 0)
            hc_buf_printf(out, "%s  %s\n", key, json_string_value(value));
    }
    json_object_foreach(before, key, value)
        if (json_object_get(now, key) == NULL)
            hc_buf_printf(out, "%s  gone\n", key);
    bool ok = json_object_clear(before) == 0 && json_object_update(before, now) == 0;
    json_decref(now);
    return ok;
}
