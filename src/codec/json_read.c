#include <assert.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "hydra/base/id.h"
#include "hydra/codec/json.h"
#include "json_place.h"
#include "place.h"
#include "value.h"

/* The parser goes on after some allocations that fail (a text loses a character) and reports others as bad tokens, so we keep count
 * ourselves: whatever it says after one, the answer is HC_ERR_NOMEM. */
static _Thread_local bool out_of_memory;

static void *parser_alloc(size_t size)
{
    void *p = hc_alloc(size);
    out_of_memory = out_of_memory || p == NULL;
    return p;
}

__attribute__((constructor)) static void parser_use_our_memory(void)    /* before threads and before the first JSON value */
{
    json_set_alloc_funcs(parser_alloc, hc_free);
}

struct json_reader { struct hc_arena *arena; struct json_refusal *refusal; };

static void json_unrefp(json_t **json)
{
    json_decref(*json);
}

static enum hc_err refuse(struct json_refusal *refusal, enum hc_err err, const char *field, const char *format, ...)
    HC_PRINTF(4, 5);
static enum hc_err refuse(struct json_refusal *refusal, enum hc_err err, const char *field, const char *format, ...)
{
    (void)snprintf(refusal->field, sizeof refusal->field, "%s", field);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(refusal->detail, sizeof refusal->detail, format, args);
    va_end(args);
    place_cut_utf8(refusal->detail);
    return err;
}

static enum hc_err refuse_at(const struct json_reader *reader, const struct place *place, const char *what)
{
    char field[JSON_REFUSAL_MAX];
    place_text(place, field, sizeof field);
    return refuse(reader->refusal, HC_ERR_SCHEMA, field, "%s %s", field[0] == '\0' ? "the text" : field, what);
}

/* Before the parser, whose own bound is far above ours. Brackets outside strings; whether they pair up is the parser's business. */
static bool nested_too_deep(const char *text, size_t len)
{
    size_t depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        if (in_string) {
            if (c == '\\')
                i++;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            if (++depth > JSON_NESTING_MAX)
                return true;
        } else if ((c == '}' || c == ']') && depth > 0) {
            depth--;
        }
    }
    return false;
}

static enum hc_err set_fault(const struct json_reader *reader, const struct place *place, enum hc_err err,
                             const struct value_fault *fault)
{
    return err == HC_ERR_SCHEMA ? refuse_at(reader, place, fault->text) : err;
}

static enum hc_err read_object(const struct json_reader *reader, const struct codec_table *table, const json_t *json,
                               const struct place *place, void *object);

static enum hc_err read_raw(const struct json_reader *reader, const struct codec_field *row, const json_t *json,
                            const struct place *place, void *object)
{
    const size_t how = JSON_COMPACT | JSON_ENCODE_ANY;
    size_t len = json_dumpb(json, NULL, 0, how);
    if (len == 0)
        return HC_ERR_NOMEM;    /* no value has an empty text; what was parsed can be written */
    if (len > row->limit) {
        struct value_fault fault;
        enum hc_err err = value_refuse(&fault, "is longer than %llu bytes", (unsigned long long)row->limit);
        return set_fault(reader, place, err, &fault);
    }
    char *text = hc_arena_alloc(reader->arena, len + 1);
    if (text == NULL || json_dumpb(json, text, len, how) != len)
        return HC_ERR_NOMEM;
    memcpy(value_at(row, object), &text, sizeof text);
    return HC_OK;
}

static bool take_integer(const json_t *json, bool *ret_negative, uint64_t *ret_magnitude)
{
    if (!json_is_integer(json))
        return false;
    json_int_t value = json_integer_value(json);
    *ret_negative = value < 0;
    *ret_magnitude = value < 0 ? (uint64_t)0 - (uint64_t)value : (uint64_t)value;
    return true;
}

static enum hc_err read_item(const struct json_reader *reader, const struct codec_field *row, const json_t *json,
                             const struct place *place, void *items)
{
    struct value_fault fault;
    enum hc_err err;
    switch (row->type) {
    case CODEC_LIST:
        return read_object(reader, row->sub, json, place, (char *)items + place->index * row->sub->size);
    case CODEC_STRS:
        if (!json_is_string(json))
            return refuse_at(reader, place, "must be text");
        err = value_item_text(row, json_string_value(json), reader->arena, (const char **)items + place->index, &fault);
        return set_fault(reader, place, err, &fault);
    default: {
        assert(row->type == CODEC_U64S);
        bool negative;
        uint64_t magnitude;
        if (!take_integer(json, &negative, &magnitude))
            return refuse_at(reader, place, "must be a whole number");
        err = value_item_integer(negative, magnitude, (uint64_t *)items + place->index, &fault);
        return set_fault(reader, place, err, &fault);
    }
    }
}

static enum hc_err read_list(const struct json_reader *reader, const struct codec_field *row, const json_t *json, struct place *place,
                             void *object)
{
    if (!json_is_array(json))
        return refuse_at(reader, place, "must be a list");
    struct value_fault fault;
    void *items;
    enum hc_err err = value_set_list(row, json_array_size(json), reader->arena, object, &items, &fault);
    if (err != HC_OK)
        return set_fault(reader, place, err, &fault);
    for (size_t i = 0; i < json_array_size(json); i++) {
        place->index = i;
        err = read_item(reader, row, json_array_get(json, i), place, items);
        if (err != HC_OK)
            return err;
    }
    place->index = PLACE_NO_INDEX;
    return HC_OK;
}

static enum hc_err read_value(const struct json_reader *reader, const struct codec_field *row, const json_t *json,
                              struct place *place, void *object)
{
    struct value_fault fault;
    if (value_is_text(row->type)) {
        if (!json_is_string(json))
            return refuse_at(reader, place, "must be text");
        enum hc_err err = value_set_text(row, json_string_value(json), reader->arena, object, &fault);
        return set_fault(reader, place, err, &fault);
    }
    if (value_is_integer(row->type)) {
        bool negative;
        uint64_t magnitude;
        if (!take_integer(json, &negative, &magnitude))
            return refuse_at(reader, place, "must be a whole number");
        enum hc_err err = row->type == CODEC_U64 && !negative && magnitude > VALUE_JSON_INTEGER_MAX
                              ? value_refuse(&fault, "is above %llu", (unsigned long long)VALUE_JSON_INTEGER_MAX)
                              : value_set_integer(row, negative, magnitude, object, &fault);
        return set_fault(reader, place, err, &fault);
    }
    switch (row->type) {
    case CODEC_BOOL:
        if (!json_is_boolean(json))
            return refuse_at(reader, place, "must be true or false");
        *(bool *)value_at(row, object) = json_is_true(json);
        return HC_OK;
    case CODEC_OBJECT:
        value_set_there(row, object);
        return read_object(reader, row->sub, json, place, value_at(row, object));
    case CODEC_RAW:
        return read_raw(reader, row, json, place, object);
    default:
        return read_list(reader, row, json, place, object);
    }
}

static enum hc_err read_object(const struct json_reader *reader, const struct codec_table *table, const json_t *json,
                               const struct place *place, void *object)
{
    assert(table->count <= 64);
    if (!json_is_object(json))
        return refuse_at(reader, place, "must be an object");
    for (size_t i = 0; i < table->count; i++) {
        const struct codec_field *row = &table->fields[i];
        struct place here = { place, row->key, PLACE_NO_INDEX };
        const json_t *value = json_object_get(json, row->key);
        if (value == NULL || json_is_null(value)) {
            if ((row->flags & CODEC_REQUIRED) != 0)
                return refuse_at(reader, &here, "is required");
            continue;
        }
        enum hc_err err = read_value(reader, row, value, &here, object);
        if (err != HC_OK)
            return err;
        value_set_present(table, i, object);
    }
    return HC_OK;
}

/* The parser's finding in our words: its own name no interface of ours, change with its version, and quote the input. */
static const char *syntax_words(enum json_error_code code)
{
    switch (code) {
    case json_error_premature_end_of_input: return "the text ends too early";
    case json_error_end_of_input_expected:  return "something follows the value";
    case json_error_invalid_utf8:           return "this is not UTF-8";
    case json_error_null_character:         return "a NUL character is not allowed";
    case json_error_null_byte_in_key:       return "a key has a NUL character";
    case json_error_duplicate_key:          return "a key is repeated in its object";
    case json_error_numeric_overflow:       return "the number is too large";
    case json_error_stack_overflow:         return "it is nested too deep";
    default:                                return "this is no JSON";
    }
}

/* A value that no reader can take, in a text that is otherwise well-formed so far: its field is known. The parser has no code for all of
 * them; should another version word them otherwise, the refusal is one of the whole text again. */
static bool is_of_a_value(const json_error_t *error)
{
    static const char *const texts[] = { "invalid Unicode", "control character", "unexpected newline" };
    enum json_error_code code = json_error_code(error);
    bool found = code == json_error_null_character || code == json_error_numeric_overflow;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0] && !found; i++)
        found = code == json_error_invalid_syntax && strncmp(error->text, texts[i], strlen(texts[i])) == 0;
    return found;
}

static enum hc_err refuse_syntax(struct json_refusal *refusal, const struct codec_table *table, const char *text, size_t len,
                                 const json_error_t *error)
{
    char field[JSON_REFUSAL_MAX] = "";
    if (is_of_a_value(error) && error->position > 0 && (size_t)error->position <= len)
        json_place(table, text, (size_t)error->position, field, sizeof field);
    return refuse(refusal, HC_ERR_SYNTAX, field, "the text is not well-formed JSON at line %d, column %d: %s", error->line, error->column,
                  syntax_words(json_error_code(error)));
}

enum hc_err json_read(const struct codec_table *table, const char *text, size_t len, bool empty_ok, struct hc_arena *arena,
                      void *object, struct json_refusal *ret_refusal)
{
    memset(object, 0, table->size);
    ret_refusal->field[0] = ret_refusal->detail[0] = '\0';
    if (len == 0 && !empty_ok)
        return refuse(ret_refusal, HC_ERR_SYNTAX, "", "the text is empty, a JSON object is needed");
    if (nested_too_deep(text, len))
        return refuse(ret_refusal, HC_ERR_SYNTAX, "", "the text is nested deeper than %d levels", JSON_NESTING_MAX);
    json_error_t error;
    out_of_memory = false;
    HC_CLEANUP(json_unrefp) json_t *json = len == 0 ? json_object() : json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
    if (out_of_memory)
        return HC_ERR_NOMEM;
    if (json == NULL)
        return refuse_syntax(ret_refusal, table, text, len, &error);
    const struct json_reader reader = { arena, ret_refusal };
    return read_object(&reader, table, json, NULL, object);
}
