/* openapi_yaml.c - a tree as YAML. Texts that YAML could take for something else are quoted as JSON quotes them, which is YAML too. */
#include "openapi.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_COLUMNS 132
#define INDENT           2

static bool is_word(const char *text, bool key_of_block)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    static const char more[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";
    static const char path[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.{}/";
    static const char *const reserved[] = { "true", "false", "null", "yes", "no", "on", "off", "y", "n" };
    if (strcmp(text, "$ref") == 0 || (key_of_block && text[0] == '/' && strspn(text, path) == strlen(text)))
        return true;
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
        if (strcasecmp(text, reserved[i]) == 0)
            return false;
    return text[0] != '\0' && strchr(letters, text[0]) != NULL && strspn(text, more) == strlen(text);
}

static void write_text(const char *text, bool key_of_block, struct hc_buf *out)
{
    if (is_word(text, key_of_block))
        hc_buf_str(out, text);
    else
        hc_buf_json_str(out, text);
}

static void write_flow(const json_t *value, struct hc_buf *out)
{
    if (json_is_string(value)) {
        write_text(json_string_value(value), false, out);
    } else if (json_is_object(value)) {
        const char *key;
        json_t *member;
        bool first = true;
        hc_buf_char(out, '{');
        json_object_foreach((json_t *)(uintptr_t)value, key, member) {
            hc_buf_str(out, first ? "" : ", ");
            first = false;
            write_text(key, false, out);
            hc_buf_str(out, ": ");
            write_flow(member, out);
        }
        hc_buf_char(out, '}');
    } else if (json_is_array(value)) {
        hc_buf_char(out, '[');
        for (size_t i = 0; i < json_array_size(value); i++) {
            hc_buf_str(out, i == 0 ? "" : ", ");
            write_flow(json_array_get(value, i), out);
        }
        hc_buf_char(out, ']');
    } else {
        char *text = json_dumps(value, JSON_ENCODE_ANY);
        assert(text != NULL);
        hc_buf_str(out, text);
        free(text);
    }
}

static void indent(size_t columns, struct hc_buf *out)
{
    for (size_t i = 0; i < columns; i++)
        hc_buf_char(out, ' ');
}

static void write_block(const json_t *value, size_t columns, struct hc_buf *out);

/* Behind "key:" or "-". `used`: columns before it. */
static void write_behind(const json_t *value, size_t columns, size_t used, struct hc_buf *out)
{
    struct hc_buf flow = { 0 };
    write_flow(value, &flow);
    assert(!flow.failed);
    if (json_is_object(value) || json_is_array(value) ? used + flow.len < LINE_MAX_COLUMNS : true) {
        hc_buf_char(out, ' ');
        hc_buf_add(out, flow.data, flow.len);
        hc_buf_char(out, '\n');
    } else {
        hc_buf_char(out, '\n');
        write_block(value, columns + INDENT, out);
    }
    hc_buf_free(&flow);
}

static void write_block(const json_t *value, size_t columns, struct hc_buf *out)
{
    const char *key;
    json_t *member;
    for (size_t i = 0; json_is_array(value) && i < json_array_size(value); i++) {
        indent(columns, out);
        hc_buf_char(out, '-');
        write_behind(json_array_get(value, i), columns, columns + 1, out);
    }
    json_object_foreach((json_t *)(uintptr_t)value, key, member) {
        indent(columns, out);
        write_text(key, true, out);
        hc_buf_char(out, ':');
        write_behind(member, columns, columns + strlen(key) + 4, out);
    }
}

void yaml_write(const json_t *value, struct hc_buf *out)
{
    write_block(value, 0, out);
}
