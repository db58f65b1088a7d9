#include "value_text.h"

#include <stdlib.h>
#include <string.h>

#include "hydra/codec/yaml.h"
#include "plain_text.h"

#define INDENT   2

static const json_t *value_step(const json_t *value, const char *path, size_t len)
{
    while (len > 0 && value != NULL) {
        const char *dot = memchr(path, '.', len);
        size_t step = dot == NULL ? len : (size_t)(dot - path);
        value = json_is_object(value) ? json_object_getn(value, path, step) : NULL;
        path += step + (dot != NULL);
        len -= step + (dot != NULL);
    }
    return value;
}

const json_t *value_at(const json_t *value, const char *path)
{
    const json_t *found = NULL;
    for (;;) {
        size_t len = strcspn(path, "|");
        const json_t *here = value_step(value, path, len);
        if (here != NULL && (found == NULL || json_is_null(found) || json_string_length(found) == 0))
            found = here;
        if (found != NULL && !json_is_null(found) && !(json_is_string(found) && json_string_length(found) == 0))
            return found;
        if (path[len] == '\0')
            return found;
        path += len + 1;
    }
}

const char *value_str(const json_t *value, const char *path)
{
    const char *text = json_string_value(value_at(value, path));
    return text == NULL ? "" : text;
}

bool value_true(const json_t *value, const char *path)
{
    return json_is_true(value_at(value, path));
}

bool value_holds(const json_t *list, const char *word)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *item = json_string_value(json_array_get(list, i));
        if (item != NULL && strcmp(item, word) == 0)
            return true;
    }
    return false;
}

/* ---- JSON ---- */

/* YAML's double quotes know the same escapes. Above U+FFFF JSON needs two halves, which YAML would take for two characters: there such a
 * character, a tag that nobody sees, is written as it is. */
static void json_text(const char *text, struct hc_buf *out)
{
    hc_buf_char(out, '"');
    for (size_t len; *text != '\0'; text += len) {
        uint32_t code = 0;
        len = plain_decode(text, &code);
        if (len == 0) {
            len = 1;                        /* jansson lets no such byte in */
        } else if (code == '"' || code == '\\') {
            hc_buf_char(out, '\\');
            hc_buf_char(out, (char)code);
        } else if (code == '\n') {
            hc_buf_str(out, "\\n");
        } else if (plain_steers(code) && code <= 0xffff) {
            hc_buf_printf(out, "\\u%04x", (unsigned)code);
        } else {
            hc_buf_add(out, text, len);
        }
    }
    hc_buf_char(out, '"');
}

static void json_plain(const json_t *value, struct hc_buf *out)
{
    if (json_is_string(value)) {
        json_text(json_string_value(value), out);
    } else if (json_is_integer(value)) {
        hc_buf_i64(out, json_integer_value(value));
    } else if (json_is_real(value)) {
        char *text = json_dumps(value, JSON_ENCODE_ANY);
        hc_buf_str(out, text == NULL ? "null" : text);
        free(text);
    } else {
        hc_buf_str(out, json_is_true(value) ? "true" : json_is_false(value) ? "false" : "null");
    }
}

/* The tables hold no answer deeper than the parser allows (JSON_PARSER_MAX_DEPTH), so this ends. */
static void json_indented(const json_t *value, int depth, bool lines, struct hc_buf *out);

static void json_break(int depth, bool lines, struct hc_buf *out)
{
    if (!lines)
        return;
    hc_buf_char(out, '\n');
    for (int i = 0; i < depth * INDENT; i++)
        hc_buf_char(out, ' ');
}

static void json_members(const json_t *value, int depth, bool lines, struct hc_buf *out)
{
    bool first = true;
    const char *key;
    json_t *member;
    hc_buf_char(out, '{');
    json_object_foreach((json_t *)value, key, member) {
        if (!first)
            hc_buf_char(out, ',');
        first = false;
        json_break(depth + 1, lines, out);
        json_text(key, out);
        hc_buf_str(out, lines ? ": " : ":");
        json_indented(member, depth + 1, lines, out);
    }
    if (!first)
        json_break(depth, lines, out);
    hc_buf_char(out, '}');
}

static void json_indented(const json_t *value, int depth, bool lines, struct hc_buf *out)
{
    if (json_is_object(value)) {
        json_members(value, depth, lines, out);
    } else if (json_is_array(value)) {
        hc_buf_char(out, '[');
        for (size_t i = 0; i < json_array_size(value); i++) {
            if (i > 0)
                hc_buf_char(out, ',');
            json_break(depth + 1, lines, out);
            json_indented(json_array_get(value, i), depth + 1, lines, out);
        }
        if (json_array_size(value) > 0)
            json_break(depth, lines, out);
        hc_buf_char(out, ']');
    } else {
        json_plain(value, out);
    }
}

void value_json(const json_t *value, struct hc_buf *out)
{
    json_indented(value, 0, true, out);
    hc_buf_char(out, '\n');
}

void value_json_line(const json_t *value, struct hc_buf *out)
{
    json_indented(value, 0, false, out);
    hc_buf_char(out, '\n');
}

/* ---- YAML ---- */

static bool steers_somewhere(const char *text)
{
    for (size_t len; *text != '\0'; text += len) {
        uint32_t code = 0;
        len = plain_decode(text, &code);
        if (len == 0 || plain_steers(code))
            return true;
    }
    return false;
}

static void yaml_text(const char *text, struct hc_buf *out)
{
    if (steers_somewhere(text))
        json_text(text, out);
    else
        yaml_write_scalar(text, out);
}

static bool is_block(const json_t *value)
{
    return (json_is_object(value) && json_object_size(value) > 0) || (json_is_array(value) && json_array_size(value) > 0);
}

static void yaml_leaf(const json_t *value, struct hc_buf *out)
{
    if (json_is_string(value))
        yaml_text(json_string_value(value), out);
    else if (json_is_object(value) || json_is_array(value))
        hc_buf_str(out, json_is_object(value) ? "{}" : "[]");
    else
        json_plain(value, out);
    hc_buf_char(out, '\n');
}

/* `here`: the first line goes on where "- " ended. */
static void yaml_block(const json_t *value, unsigned indent, bool here, struct hc_buf *out)
{
    const char *key;
    json_t *member;
    for (size_t i = 0; i < json_array_size(value); i++) {
        const json_t *item = json_array_get(value, i);
        if (!here || i > 0)
            yaml_write_indent(indent, out);
        hc_buf_str(out, "- ");
        if (is_block(item))
            yaml_block(item, indent + INDENT, true, out);
        else
            yaml_leaf(item, out);
    }
    json_object_foreach((json_t *)value, key, member) {
        if (!here)
            yaml_write_indent(indent, out);
        here = false;
        yaml_text(key, out);
        hc_buf_char(out, ':');
        if (is_block(member)) {
            hc_buf_char(out, '\n');
            yaml_block(member, indent + INDENT, false, out);
        } else {
            hc_buf_char(out, ' ');
            yaml_leaf(member, out);
        }
    }
}

void value_yaml(const json_t *value, struct hc_buf *out)
{
    if (is_block(value))
        yaml_block(value, 0, false, out);
    else
        yaml_leaf(value, out);
}

void value_yaml_item(const json_t *value, struct hc_buf *out)
{
    hc_buf_str(out, "- ");
    if (is_block(value))
        yaml_block(value, INDENT, true, out);
    else
        yaml_leaf(value, out);
}
