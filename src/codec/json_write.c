#include <assert.h>
#include <string.h>

#include "hydra/base/time.h"
#include "hydra/codec/json.h"
#include "value.h"

static void write_list(const struct codec_field *row, const struct codec_list *list, struct hc_buf *out)
{
    if (row->type == CODEC_LIST) {
        json_write_array(row->sub, list->items, list->count, out);
        return;
    }
    hc_buf_char(out, '[');
    for (size_t i = 0; i < list->count; i++) {
        if (i > 0)
            hc_buf_char(out, ',');
        if (row->type == CODEC_STRS)
            hc_buf_json_str(out, ((const char *const *)list->items)[i]);
        else
            hc_buf_u64(out, ((const uint64_t *)list->items)[i]);
    }
    hc_buf_char(out, ']');
}

static void write_time(hc_time time, struct hc_buf *out)
{
    char text[HC_TIME_TEXT_SIZE + 2];
    text[0] = '"';
    hc_time_format(time, text + 1);
    text[HC_TIME_TEXT_SIZE] = '"';
    hc_buf_add(out, text, HC_TIME_TEXT_SIZE + 1);
}

/* Is the value written as null? Times and objects have no other text for "none"; the rest only if the row wants it. */
static bool is_null(const struct codec_field *row, const void *object)
{
    switch (row->type) {
    case CODEC_TIME:
    case CODEC_SECONDS:
    case CODEC_DURATION:
    case CODEC_OBJECT:
    case CODEC_RAW:
        return value_empty(row, object);
    case CODEC_STR:
    case CODEC_ID:
    case CODEC_NAME:
    case CODEC_TEXT:
    case CODEC_WORD:
        return (row->flags & CODEC_NULL_EMPTY) != 0 && value_empty(row, object);
    default:
        return false;
    }
}

static void write_value(const struct codec_field *row, const void *object, struct hc_buf *out)
{
    const void *at = value_of(row, object);
    switch (row->type) {
    case CODEC_STR:
    case CODEC_ID:
    case CODEC_NAME:
        hc_buf_json_str(out, at);
        return;
    case CODEC_TEXT:
        hc_buf_json_str(out, *(const char *const *)at);
        return;
    case CODEC_RAW:
        hc_buf_str(out, *(const char *const *)at);
        return;
    case CODEC_BOOL:
        hc_buf_str(out, *(const bool *)at ? "true" : "false");
        return;
    case CODEC_U32:
        hc_buf_u64(out, *(const uint32_t *)at);
        return;
    case CODEC_U64:
        hc_buf_u64(out, *(const uint64_t *)at);
        return;
    case CODEC_I64:
        hc_buf_i64(out, *(const int64_t *)at);
        return;
    case CODEC_WORD:
        hc_buf_json_str(out, value_word(row, object));
        return;
    case CODEC_TIME:
        write_time(*(const hc_time *)at, out);
        return;
    case CODEC_SECONDS:
        hc_buf_i64(out, value_seconds(row, *(const int64_t *)at));
        return;
    case CODEC_DURATION:
        hc_buf_char(out, '"');
        value_write_duration(*(const int64_t *)at, out);
        hc_buf_char(out, '"');
        return;
    case CODEC_OBJECT:
        json_write(row->sub, at, out);
        return;
    case CODEC_LIST:
    case CODEC_STRS:
    case CODEC_U64S:
        write_list(row, at, out);
        return;
    case CODEC_TYPES:
        break;
    }
    assert(false && "a row has a type");
}

bool json_write_members(const struct codec_table *table, const void *object, bool first, struct hc_buf *out)
{
    bool wrote = false;
    for (size_t i = 0; i < table->count; i++) {
        const struct codec_field *row = &table->fields[i];
        if ((row->flags & CODEC_OMIT_EMPTY) != 0 && value_empty(row, object))
            continue;
        if (first && !wrote)
            hc_buf_char(out, '"');
        else
            hc_buf_add(out, ",\"", 2);
        wrote = true;
        hc_buf_str(out, row->key);
        hc_buf_add(out, "\":", 2);
        if (is_null(row, object))
            hc_buf_str(out, "null");
        else
            write_value(row, object, out);
    }
    return wrote;
}

void json_write(const struct codec_table *table, const void *object, struct hc_buf *out)
{
    hc_buf_char(out, '{');
    (void)json_write_members(table, object, true, out);
    hc_buf_char(out, '}');
}

void json_write_array(const struct codec_table *table, const void *objects, size_t count, struct hc_buf *out)
{
    hc_buf_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            hc_buf_char(out, ',');
        json_write(table, (const char *)objects + i * table->size, out);
    }
    hc_buf_char(out, ']');
}
