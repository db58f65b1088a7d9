#include <assert.h>

#include "hydra/base/time.h"
#include "hydra/codec/yaml.h"
#include "value.h"

#define INDENT 2

/* Back to `len`, when what follows turned out to be nothing. */
static void cut_back(struct hc_buf *out, size_t len)
{
    if (out->failed)
        return;
    assert(len <= out->len);
    out->len = len;
    out->data[len] = '\0';
}

static void write_flow(const struct codec_field *row, const struct codec_list *list, struct hc_buf *out)
{
    hc_buf_str(out, " [");
    for (size_t i = 0; i < list->count; i++) {
        if (i > 0)
            hc_buf_add(out, ", ", 2);
        if (row->type == CODEC_STRS)
            yaml_write_scalar(((const char *const *)list->items)[i], out);
        else
            hc_buf_u64(out, ((const uint64_t *)list->items)[i]);
    }
    hc_buf_str(out, "]\n");
}

static void write_object(const struct codec_field *row, const void *object, unsigned indent, struct hc_buf *out)
{
    hc_buf_char(out, '\n');
    size_t before = out->len;
    yaml_write_members(row->sub, object, indent + INDENT, out);
    if (out->len == before && !out->failed) {
        cut_back(out, before - 1);
        hc_buf_str(out, " {}\n");
    }
}

static void write_items(const struct codec_field *row, const struct codec_list *list, unsigned indent, struct hc_buf *out)
{
    if (list->count == 0) {
        hc_buf_str(out, " []\n");
        return;
    }
    hc_buf_char(out, '\n');
    for (size_t i = 0; i < list->count; i++)
        yaml_write_item(row->sub, (const char *)list->items + i * row->sub->size, indent + INDENT, out);
}

/* Is there nothing that the reader would take back? Then the row is null, which it reads as absent. */
static bool is_null(const struct codec_field *row, const void *object)
{
    switch (row->type) {
    case CODEC_TEXT:
        return *(const char *const *)value_of(row, object) == NULL;
    case CODEC_ID:
    case CODEC_NAME:
        return (row->flags & CODEC_EMPTY_OK) == 0 && value_empty(row, object);
    case CODEC_TIME:
    case CODEC_SECONDS:
    case CODEC_DURATION:
    case CODEC_OBJECT:
        return value_empty(row, object);
    default:
        return false;
    }
}

static void write_time(hc_time time, struct hc_buf *out)
{
    char text[HC_TIME_TEXT_SIZE];
    hc_time_format(time, text);
    hc_buf_add(out, text, HC_TIME_TEXT_SIZE - 1);
}

static void write_scalar(const struct codec_field *row, const void *object, struct hc_buf *out)
{
    const void *at = value_of(row, object);
    hc_buf_char(out, ' ');
    switch (row->type) {
    case CODEC_STR:
    case CODEC_ID:
    case CODEC_NAME:
        yaml_write_scalar(at, out);
        break;
    case CODEC_TEXT:
        yaml_write_scalar(*(const char *const *)at, out);
        break;
    case CODEC_WORD:
        yaml_write_scalar(value_word(row, object), out);
        break;
    case CODEC_BOOL:
        hc_buf_str(out, *(const bool *)at ? "true" : "false");
        break;
    case CODEC_U32:
        hc_buf_u64(out, *(const uint32_t *)at);
        break;
    case CODEC_U64:
        hc_buf_u64(out, *(const uint64_t *)at);
        break;
    case CODEC_I64:
        hc_buf_i64(out, *(const int64_t *)at);
        break;
    case CODEC_TIME:
        write_time(*(const hc_time *)at, out);
        break;
    case CODEC_SECONDS:
        hc_buf_i64(out, value_seconds(row, *(const int64_t *)at));
        break;
    case CODEC_DURATION:
        value_write_duration(*(const int64_t *)at, out);
        break;
    default:
        assert(false && "a row of a type that YAML has");
    }
    hc_buf_char(out, '\n');
}

void yaml_write_members(const struct codec_table *table, const void *object, unsigned indent, struct hc_buf *out)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct codec_field *row = &table->fields[i];
        if ((row->flags & CODEC_OMIT_EMPTY) != 0 && value_empty(row, object))
            continue;
        yaml_write_indent(indent, out);
        hc_buf_str(out, row->key);
        hc_buf_char(out, ':');
        if (is_null(row, object))
            hc_buf_str(out, " null\n");
        else if (row->type == CODEC_OBJECT)
            write_object(row, value_of(row, object), indent, out);
        else if (row->type == CODEC_LIST)
            write_items(row, value_of(row, object), indent, out);
        else if (row->type == CODEC_STRS || row->type == CODEC_U64S)
            write_flow(row, value_of(row, object), out);
        else
            write_scalar(row, object, out);
    }
}

void yaml_write_item(const struct codec_table *table, const void *object, unsigned indent, struct hc_buf *out)
{
    size_t before = out->len;
    yaml_write_members(table, object, indent + INDENT, out);
    if (out->failed)
        return;
    if (out->len == before) {
        yaml_write_indent(indent, out);
        hc_buf_str(out, "- {}\n");
        return;
    }
    out->data[before + indent] = '-';    /* in the first member's indentation */
}
