#include "json_place.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "hydra/codec/json.h"
#include "place.h"

/* An object (its table, NULL: unknown) or a list, and the row of the value that is being read in it (NULL: unknown, or a key is next). */
struct level { bool list, key_next; const struct codec_table *table; const struct codec_field *row; size_t index; };
struct walk { struct level levels[JSON_NESTING_MAX]; size_t depth; };

static const struct codec_field *row_of(const struct codec_table *table, const char *key, size_t len)
{
    for (size_t i = 0; table != NULL && i < table->count; i++)
        if (strlen(table->fields[i].key) == len && memcmp(table->fields[i].key, key, len) == 0)
            return &table->fields[i];
    return NULL;
}

static bool holds_objects(const struct codec_field *row, bool in_list)
{
    return row != NULL && row->type == (in_list ? CODEC_LIST : CODEC_OBJECT);
}

static void enter(struct walk *walk, const struct codec_table *root, bool list)
{
    const struct level *up = walk->depth == 0 ? NULL : &walk->levels[walk->depth - 1];
    const struct codec_field *row = up == NULL ? NULL : up->row;
    struct level level = { .list = list, .key_next = !list };
    if (list)
        level.row = up != NULL && !up->list ? row : NULL;
    else if (up == NULL)
        level.table = root;
    else if (holds_objects(row, up->list))
        level.table = row->sub;
    assert(walk->depth < JSON_NESTING_MAX);
    walk->levels[walk->depth++] = level;
}

/* The index behind the text that begins at `from`: behind its quote, or `taken`. */
static size_t after_text(const char *text, size_t from, size_t taken)
{
    size_t at = from + 1;
    while (at < taken && text[at] != '"')
        at += text[at] == '\\' ? 2 : 1;
    return at < taken ? at + 1 : taken;
}

static void take_text(struct walk *walk, const char *key, size_t len)
{
    struct level *level = walk->depth == 0 ? NULL : &walk->levels[walk->depth - 1];
    if (level == NULL || !level->key_next)
        return;
    level->key_next = false;
    level->row = row_of(level->table, key, len);
}

static void take_mark(struct walk *walk, const struct codec_table *root, char c)
{
    if (c == '{' || c == '[') {
        enter(walk, root, c == '[');
    } else if (walk->depth > 0 && (c == '}' || c == ']')) {
        walk->depth--;
    } else if (walk->depth > 0 && c == ',') {
        struct level *level = &walk->levels[walk->depth - 1];
        if (level->list) {
            level->index++;
        } else {
            level->key_next = true;
            level->row = NULL;
        }
    }
}

static void tell(const struct walk *walk, char *out, size_t size)
{
    struct place places[JSON_NESTING_MAX];
    size_t count = 0;
    for (size_t i = 0; i < walk->depth && walk->levels[i].row != NULL; i++) {
        const struct level *level = &walk->levels[i];
        if (level->list) {
            places[count - 1].index = level->index;      /* its key is the object's that it stands in */
            continue;
        }
        places[count] = (struct place){ count == 0 ? NULL : &places[count - 1], level->row->key, PLACE_NO_INDEX };
        count++;
    }
    place_text(count == 0 ? NULL : &places[count - 1], out, size);
}

void json_place(const struct codec_table *table, const char *text, size_t taken, char *out, size_t size)
{
    struct walk walk = { .depth = 0 };
    for (size_t at = 0; at < taken;) {
        if (text[at] != '"') {
            take_mark(&walk, table, text[at++]);
            continue;
        }
        size_t end = after_text(text, at, taken);
        take_text(&walk, text + at + 1, end - at - (end - at >= 2 ? 2 : 1));
        at = end;
    }
    tell(&walk, out, size);
}
