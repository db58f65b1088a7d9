/* json_scan.c - reads back what json_write() wrote, in one pass and without a tree: files of ten thousand lines are read at a start. */
#include <string.h>

#include "hydra/codec/json.h"
#include "value.h"

#define SCAN_TEXT_MAX   600         /* a longer text is json_read()'s */
#define SCAN_DIGITS_MAX 15          /* below 2^53 */

struct scan { const char *at, *end; };

static bool take(struct scan *scan, const char *text)
{
    size_t len = strlen(text);
    if ((size_t)(scan->end - scan->at) < len || memcmp(scan->at, text, len) != 0)
        return false;
    scan->at += len;
    return true;
}

/* ,"key": or, for the first member, the same without the comma. */
static bool take_key(struct scan *scan, const char *key, bool first)
{
    struct scan ahead = *scan;
    if ((!first && !take(&ahead, ",")) || !take(&ahead, "\"") || !take(&ahead, key) || !take(&ahead, "\":"))
        return false;
    *scan = ahead;
    return true;
}

/* Plain ASCII: what is escaped, or must be proven to be UTF-8, is json_read()'s. */
static bool take_text(struct scan *scan, char out[SCAN_TEXT_MAX + 1])
{
    size_t len = 0;
    if (!take(scan, "\""))
        return false;
    for (; scan->at < scan->end && *scan->at != '"'; scan->at++) {
        unsigned char c = (unsigned char)*scan->at;
        if (c < 0x20 || c >= 0x7f || c == '\\' || len == SCAN_TEXT_MAX)
            return false;
        out[len++] = (char)c;
    }
    out[len] = '\0';
    return take(scan, "\"");
}

static bool take_digits(struct scan *scan, uint64_t *ret_value)
{
    uint64_t value = 0;
    unsigned digits = 0;
    bool zero_first = scan->at < scan->end && *scan->at == '0';
    for (; scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9' && digits <= SCAN_DIGITS_MAX; scan->at++, digits++)
        value = value * 10 + (uint64_t)(*scan->at - '0');
    *ret_value = value;
    return digits > 0 && digits <= SCAN_DIGITS_MAX && (!zero_first || digits == 1);
}

static bool take_value(struct scan *scan, const struct codec_field *row, struct hc_arena *arena, void *object)
{
    struct value_fault fault;
    char text[SCAN_TEXT_MAX + 1];
    uint64_t number;
    if (value_is_text(row->type))
        return take_text(scan, text) && value_set_text(row, text, arena, object, &fault) == HC_OK;
    if (value_is_integer(row->type))
        return take_digits(scan, &number) && value_set_integer(row, false, number, object, &fault) == HC_OK;
    if (row->type != CODEC_BOOL)
        return false;
    bool yes = take(scan, "true");
    *(bool *)value_at(row, object) = yes;
    return yes || take(scan, "false");
}

enum hc_err json_read_own(const struct codec_table *table, const char *line, size_t len, struct hc_arena *arena, void *object)
{
    struct scan scan = { line, line + len };
    bool first = true;
    memset(object, 0, table->size);
    if (!take(&scan, "{"))
        return HC_ERR_SYNTAX;
    for (size_t i = 0; i < table->count; i++) {
        const struct codec_field *row = &table->fields[i];
        bool required = (row->flags & CODEC_REQUIRED) != 0, there = take_key(&scan, row->key, first);
        if (!there && required)
            return HC_ERR_SYNTAX;
        if (!there)
            continue;
        first = false;
        if (!required && take(&scan, "null"))
            continue;
        if (!take_value(&scan, row, arena, object))
            return HC_ERR_SYNTAX;
        value_set_present(table, i, object);
    }
    return take(&scan, "}") && scan.at == scan.end ? HC_OK : HC_ERR_SYNTAX;
}
