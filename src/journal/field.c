/* field.c - what the walks over tables share: where a field is, how many elements it has, whether it says anything. */
#include "field.h"

#include <string.h>

#include "hydra/base/time.h"
#include "hydra/core/records.h"

size_t field_count(const struct journal_field *field, const void *object)
{
    if (field->count_at == J_NO_COUNT)
        return field->size;
    size_t count;
    memcpy(&count, (const char *)object + field->count_at, sizeof count);
    return count;
}

const char *field_element(const struct journal_field *field, const void *object, size_t i)
{
    const char *at = (const char *)object + field->offset, *first = at;
    if (field->type == J_ARRAY)
        memcpy(&first, at, sizeof first);
    return first + i * field->sub->size;
}

bool table_has_value(const struct journal_table *table, const void *object)
{
    for (size_t i = 0; i < table->count; i++)
        if (field_has_value(&table->fields[i], object))
            return true;
    return false;
}

static bool inline_has_value(const struct journal_field *field, const void *object)
{
    if (field->count_at != J_NO_COUNT)
        return field_count(field, object) > 0;
    for (size_t i = 0; i < field->size; i++)
        if (table_has_value(field->sub, field_element(field, object, i)))
            return true;
    return false;
}

static bool pointer_has_value(const struct journal_field *field, const char *at)
{
    const void *pointer;
    memcpy(&pointer, at, sizeof pointer);
    if (field->type == J_TEXT)
        return pointer == NULL || ((const char *)pointer)[0] != '\0';
    return pointer != NULL;
}

static bool bytes_have_value(const char *at, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (at[i] != 0)
            return true;
    return false;
}

bool field_has_value(const struct journal_field *field, const void *object)
{
    const char *at = (const char *)object + field->offset;
    switch (field->type) {
    case J_CHARS:
        return at[0] != '\0';
    case J_TEXT: case J_COUNTED_TEXT: case J_STRINGS: case J_PAIRED: case J_RARE:
        return pointer_has_value(field, at);
    case J_PART:
        return table_has_value(field->sub, at);
    case J_INLINE:
        return inline_has_value(field, object);
    case J_ARRAY: case J_LIST:
        return field_count(field, object) > 0;
    case J_BOOL: case J_U32: case J_I32: case J_U64: case J_I64: case J_TIME: case J_WORD:
        break;
    }
    return bytes_have_value(at, field_span(field));
}

size_t field_span(const struct journal_field *field)
{
    switch (field->type) {
    case J_CHARS:   return field->size;
    case J_BOOL:    return sizeof(bool);
    case J_U32: case J_I32: case J_WORD:
        return sizeof(uint32_t);
    case J_U64: case J_I64: case J_TIME:
        return sizeof(uint64_t);
    case J_PART:    return field->sub->size;
    case J_INLINE:  return field->size * field->sub->size;
    case J_TEXT: case J_COUNTED_TEXT: case J_ARRAY: case J_LIST: case J_STRINGS: case J_PAIRED: case J_RARE:
        break;
    }
    return sizeof(void *);
}
