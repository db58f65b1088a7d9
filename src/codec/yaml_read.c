#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "hydra/codec/yaml.h"
#include "place.h"
#include "value.h"

#define KEY_PATH_SIZE 200
#define DIGITS_MAX    20    /* of 2^64 - 1 */

struct yaml_reader { const char *file; struct hc_arena *arena; struct hc_diag *diag; };

bool yaml_is_null(const struct yaml_node *node)
{
    return node->kind == YAML_SCALAR && !node->quoted &&
           (node->scalar[0] == '\0' || strcmp(node->scalar, "~") == 0 || strcmp(node->scalar, "null") == 0);
}

const struct yaml_node *yaml_get(const struct yaml_node *map, const char *key)
{
    for (size_t i = 0; map->kind == YAML_MAP && i < map->count; i++)
        if (strcmp(map->pairs[i].key, key) == 0)
            return map->pairs[i].value;
    return NULL;
}

enum hc_err yaml_fail(struct hc_diag *diag, const char *file, const struct yaml_node *at, const char *key, const char *format, ...)
{
    char what[HC_DIAG_SIZE];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return hc_fail(diag, HC_ERR_SCHEMA, "%s:%u:%u: %s: %s", file, at->line, at->column, key, what);
}

static enum hc_err refuse_at(const struct yaml_reader *reader, const struct yaml_node *node, const struct place *place, const char *root,
                             const char *what)
{
    char key[KEY_PATH_SIZE];
    place_text(place, key, sizeof key);
    return yaml_fail(reader->diag, reader->file, node, place == NULL ? root : key, "%s", what);
}

static enum hc_err refuse(const struct yaml_reader *reader, const struct yaml_node *node, const struct place *place, const char *what)
{
    return refuse_at(reader, node, place, "", what);
}

static enum hc_err set_fault(const struct yaml_reader *reader, const struct yaml_node *node, const struct place *place, enum hc_err err,
                             const struct value_fault *fault)
{
    if (err == HC_ERR_SCHEMA)
        return refuse(reader, node, place, fault->text);
    return err == HC_ERR_NOMEM ? hc_fail(reader->diag, err, "no memory to read %s", reader->file) : err;
}

/* Decimal digits, unquoted, with at most a minus before them. A leading zero would be octal to some readers, so it is none to us. */
static bool take_integer(const struct yaml_node *node, bool *ret_negative, uint64_t *ret_magnitude)
{
    if (node->kind != YAML_SCALAR || node->quoted)
        return false;
    const char *at = node->scalar;
    bool negative = *at == '-';
    at += negative;
    size_t digits = strspn(at, "0123456789");
    if (digits == 0 || digits > DIGITS_MAX || at[digits] != '\0' || (at[0] == '0' && digits > 1))
        return false;
    uint64_t value = 0;
    for (size_t i = 0; i < digits; i++) {
        uint64_t digit = (uint64_t)(at[i] - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *ret_negative = negative;
    *ret_magnitude = value;
    return true;
}

static enum hc_err read_map(const struct yaml_reader *reader, const struct codec_table *table, const struct yaml_node *map,
                            const struct place *place, void *object);

static enum hc_err read_item(const struct yaml_reader *reader, const struct codec_field *row, const struct yaml_node *node,
                             const struct place *place, void *items)
{
    struct value_fault fault;
    enum hc_err err;
    switch (row->type) {
    case CODEC_LIST:
        return read_map(reader, row->sub, node, place, (char *)items + place->index * row->sub->size);
    case CODEC_STRS:
        if (node->kind != YAML_SCALAR || yaml_is_null(node))
            return refuse(reader, node, place, "must be text");
        err = value_item_text(row, node->scalar, reader->arena, (const char **)items + place->index, &fault);
        return set_fault(reader, node, place, err, &fault);
    default: {
        assert(row->type == CODEC_U64S);
        bool negative;
        uint64_t magnitude;
        if (!take_integer(node, &negative, &magnitude))
            return refuse(reader, node, place, "must be a whole number");
        err = value_item_integer(negative, magnitude, (uint64_t *)items + place->index, &fault);
        return set_fault(reader, node, place, err, &fault);
    }
    }
}

static enum hc_err read_list(const struct yaml_reader *reader, const struct codec_field *row, const struct yaml_node *node,
                             struct place *place, void *object)
{
    if (node->kind != YAML_SEQ)
        return refuse(reader, node, place, "must be a list");
    struct value_fault fault;
    void *items;
    enum hc_err err = value_set_list(row, node->count, reader->arena, object, &items, &fault);
    if (err != HC_OK)
        return set_fault(reader, node, place, err, &fault);
    for (size_t i = 0; i < node->count; i++) {
        place->index = i;
        err = read_item(reader, row, node->items[i], place, items);
        if (err != HC_OK)
            return err;
    }
    place->index = PLACE_NO_INDEX;
    return HC_OK;
}

static enum hc_err read_value(const struct yaml_reader *reader, const struct codec_field *row, const struct yaml_node *node,
                              struct place *place, void *object)
{
    struct value_fault fault;
    if (value_is_text(row->type)) {
        if (node->kind != YAML_SCALAR)
            return refuse(reader, node, place, "must be text");
        return set_fault(reader, node, place, value_set_text(row, node->scalar, reader->arena, object, &fault), &fault);
    }
    if (value_is_integer(row->type)) {
        bool negative;
        uint64_t magnitude;
        if (!take_integer(node, &negative, &magnitude))
            return refuse(reader, node, place, "must be a whole number");
        return set_fault(reader, node, place, value_set_integer(row, negative, magnitude, object, &fault), &fault);
    }
    switch (row->type) {
    case CODEC_BOOL: {
        bool plain = node->kind == YAML_SCALAR && !node->quoted;
        bool yes = plain && strcmp(node->scalar, "true") == 0;
        if (!yes && !(plain && strcmp(node->scalar, "false") == 0))
            return refuse(reader, node, place, "must be true or false");
        *(bool *)value_at(row, object) = yes;
        return HC_OK;
    }
    case CODEC_OBJECT:
        value_set_there(row, object);
        return read_map(reader, row->sub, node, place, value_at(row, object));
    default:
        assert(row->type != CODEC_RAW);    /* JSON only */
        return read_list(reader, row, node, place, object);
    }
}

/* The row of `key`, looked for from `hint` on: a file that we wrote has the keys in the order of the rows. table->count: none. */
static size_t find_row(const struct codec_table *table, const char *key, size_t hint)
{
    for (size_t i = 0; i < table->count; i++) {
        size_t row = (hint + i) % table->count;
        if (strcmp(table->fields[row].key, key) == 0)
            return row;
    }
    return table->count;
}

static enum hc_err read_map(const struct yaml_reader *reader, const struct codec_table *table, const struct yaml_node *map,
                            const struct place *place, void *object)
{
    assert(table->count <= 64);
    if (map->kind != YAML_MAP)
        return refuse_at(reader, map, place, table->name, "must be a map");
    uint64_t seen = 0;
    size_t hint = 0;
    for (size_t i = 0; i < map->count; i++) {
        const struct yaml_pair *pair = &map->pairs[i];
        struct place here = { place, pair->key, PLACE_NO_INDEX };
        size_t row = find_row(table, pair->key, hint);
        if (row == table->count) {
            const struct yaml_node at = { .line = pair->key_line, .column = pair->key_column };
            return refuse(reader, &at, &here, "unknown key");
        }
        hint = row + 1;
        if (yaml_is_null(pair->value))
            continue;
        enum hc_err err = read_value(reader, &table->fields[row], pair->value, &here, object);
        if (err != HC_OK)
            return err;
        seen |= UINT64_C(1) << row;
        value_set_present(table, row, object);
    }
    for (size_t row = 0; row < table->count; row++) {
        struct place here = { place, table->fields[row].key, PLACE_NO_INDEX };
        if ((table->fields[row].flags & CODEC_REQUIRED) != 0 && (seen >> row & 1) == 0)
            return refuse(reader, map, &here, "is required");
    }
    return HC_OK;
}

enum hc_err yaml_read(const struct codec_table *table, const char *file, const struct yaml_node *map, struct hc_arena *arena,
                      void *object, struct hc_diag *diag)
{
    memset(object, 0, table->size);
    const struct yaml_reader reader = { file, arena, diag };
    return read_map(&reader, table, map, NULL, object);
}
