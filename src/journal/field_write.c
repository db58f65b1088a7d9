#include <string.h>

#include "field.h"
#include "hydra/base/time.h"
#include "hydra/core/records.h"

static void write_text(const struct journal_field *field, const char *text, struct seal *seal, struct hc_buf *out)
{
    if (text == NULL || !field->secret) {
        hc_buf_json_str(out, text);
        return;
    }
    hc_buf_char(out, '"');
    seal_write(seal, text, strlen(text), out);
    hc_buf_char(out, '"');
}

static void write_number(enum journal_type type, const char *at, struct hc_buf *out)
{
    uint32_t u32 = 0;
    int32_t i32 = 0;
    int64_t i64 = 0;
    uint64_t u64 = 0;
    switch (type) {
    case J_U32:
        memcpy(&u32, at, sizeof u32);
        hc_buf_u64(out, u32);
        break;
    case J_I32: case J_WORD:
        memcpy(&i32, at, sizeof i32);
        hc_buf_i64(out, i32);
        break;
    case J_U64:
        memcpy(&u64, at, sizeof u64);
        hc_buf_u64(out, u64);
        break;
    default:
        memcpy(&i64, at, sizeof i64);
        hc_buf_i64(out, i64);
    }
}

static void write_word(const struct journal_field *field, const char *at, struct hc_buf *out)
{
    int value;
    memcpy(&value, at, sizeof value);
    if (field->words != NULL && value >= 0 && (size_t)value < field->words->count)
        hc_buf_json_str(out, field->words->words[value]);
    else
        write_number(J_WORD, at, out);
}

static void write_array(const struct journal_field *field, const void *object, struct seal *seal, struct hc_buf *out)
{
    size_t count = field_count(field, object);
    /* A fixed array ends with its last value. */
    while (field->count_at == J_NO_COUNT && count > 0 && !table_has_value(field->sub, field_element(field, object, count - 1)))
        count--;
    hc_buf_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            hc_buf_char(out, ',');
        table_write(field->sub, field_element(field, object, i), seal, out);
    }
    hc_buf_char(out, ']');
}

static void write_list(const char *const *items, size_t count, struct hc_buf *out)
{
    hc_buf_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            hc_buf_char(out, ',');
        hc_buf_json_str(out, items[i]);
    }
    hc_buf_char(out, ']');
}

static void write_paired(const struct paired *paired, const struct journal_table *table, struct seal *seal, struct hc_buf *out)
{
    hc_buf_char(out, '[');
    for (size_t i = 0; paired != NULL && i < paired->count; i++) {
        if (i > 0)
            hc_buf_char(out, ',');
        table_write(table, &paired->at[i], seal, out);
    }
    hc_buf_char(out, ']');
}

static void write_value(const struct journal_field *field, const void *object, struct seal *seal, struct hc_buf *out)
{
    const char *at = (const char *)object + field->offset;
    const void *pointer = NULL;
    bool truth;
    switch (field->type) {
    case J_CHARS:
        write_text(field, at, seal, out);
        break;
    case J_TEXT:
        memcpy(&pointer, at, sizeof pointer);
        write_text(field, pointer, seal, out);
        break;
    case J_COUNTED_TEXT:
        memcpy(&pointer, at, sizeof pointer);
        write_text(field, pointer == NULL ? NULL : ((const struct text *)pointer)->bytes, seal, out);
        break;
    case J_BOOL:
        memcpy(&truth, at, sizeof truth);
        hc_buf_str(out, truth ? "true" : "false");
        break;
    case J_U32: case J_I32: case J_U64: case J_I64: case J_TIME:
        write_number(field->type, at, out);
        break;
    case J_WORD:
        write_word(field, at, out);
        break;
    case J_PART:
        table_write(field->sub, at, seal, out);
        break;
    case J_INLINE: case J_ARRAY:
        write_array(field, object, seal, out);
        break;
    case J_LIST:
        memcpy(&pointer, at, sizeof pointer);
        write_list(pointer, field_count(field, object), out);
        break;
    case J_STRINGS:
        memcpy(&pointer, at, sizeof pointer);
        if (pointer != NULL)
            write_list((const char *const *)((const struct strings *)pointer)->at, ((const struct strings *)pointer)->count, out);
        break;
    case J_PAIRED:
        memcpy(&pointer, at, sizeof pointer);
        write_paired(pointer, field->sub, seal, out);
        break;
    case J_RARE:
        memcpy(&pointer, at, sizeof pointer);
        table_write(field->sub, pointer, seal, out);
        break;
    }
}

void table_write(const struct journal_table *table, const void *object, struct seal *seal, struct hc_buf *out)
{
    if (table->bare) {
        write_value(&table->fields[0], object, seal, out);
        return;
    }
    bool first = true;
    hc_buf_char(out, '{');
    for (size_t i = 0; i < table->count; i++) {
        const struct journal_field *field = &table->fields[i];
        if (!field_has_value(field, object))
            continue;
        hc_buf_str(out, first ? "\"" : ",\"");
        hc_buf_str(out, field->key);
        hc_buf_str(out, "\":");
        write_value(field, object, seal, out);
        first = false;
    }
    hc_buf_char(out, '}');
}
