/* field_digest.c - a number that stands for the values of an object: equal values give equal numbers, in every process. It is no protection
 * against a forger, who could not forge a decision anyway: replay makes it again. */
#include <string.h>

#include "field.h"
#include "hydra/base/time.h"
#include "hydra/core/records.h"

uint64_t digest_number(uint64_t digest, uint64_t number)
{
    digest = (digest ^ number) * UINT64_C(0xff51afd7ed558ccd);
    return digest ^ digest >> 29;
}

uint64_t digest_bytes(uint64_t digest, const void *bytes, size_t len)
{
    const char *at = bytes;
    digest = digest_number(digest, len);
    for (; len >= sizeof(uint64_t); at += sizeof(uint64_t), len -= sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        digest = digest_number(digest, word);
    }
    uint64_t rest = 0;
    memcpy(&rest, at, len);
    return digest_number(digest, rest);
}

static uint64_t digest_text(uint64_t digest, const char *text)
{
    return text == NULL ? digest_number(digest, UINT64_MAX) : digest_bytes(digest, text, strlen(text));
}

static uint64_t digest_list(uint64_t digest, const char *const *items, size_t count)
{
    digest = digest_number(digest, count);
    for (size_t i = 0; i < count; i++)
        digest = digest_text(digest, items[i]);
    return digest;
}

static uint64_t digest_array(uint64_t digest, const struct journal_field *field, const void *object)
{
    size_t count = field_count(field, object);
    digest = digest_number(digest, count);
    for (size_t i = 0; i < count; i++) {
        const char *element = field_element(field, object, i);
        const struct journal_table *table = field->sub->brief == NULL ? field->sub : field->sub->brief(element);
        digest = table_digest(digest, table, element);
    }
    return digest;
}

static uint64_t digest_paired(uint64_t digest, const struct journal_table *table, const struct paired *paired)
{
    digest = digest_number(digest, paired->count);
    for (size_t i = 0; i < paired->count; i++)
        digest = table_digest(digest, table, &paired->at[i]);
    return digest;
}

static uint64_t digest_plain(uint64_t digest, const struct journal_field *field, const char *at)
{
    uint64_t value = 0;
    memcpy(&value, at, field_span(field));
    return digest_number(digest, value);
}

static uint64_t digest_value(uint64_t digest, const struct journal_field *field, const void *object)
{
    const char *at = (const char *)object + field->offset;
    const void *pointer;
    switch (field->type) {
    case J_CHARS:
        return digest_text(digest, at);
    case J_TEXT:
        memcpy(&pointer, at, sizeof pointer);
        return digest_text(digest, pointer);
    case J_COUNTED_TEXT:
        memcpy(&pointer, at, sizeof pointer);
        return digest_text(digest, ((const struct text *)pointer)->bytes);
    case J_PART:
        return table_digest(digest, field->sub, at);
    case J_INLINE: case J_ARRAY:
        return digest_array(digest, field, object);
    case J_LIST:
        memcpy(&pointer, at, sizeof pointer);
        return digest_list(digest, pointer, field_count(field, object));
    case J_STRINGS:
        memcpy(&pointer, at, sizeof pointer);
        return digest_list(digest, (const char *const *)((const struct strings *)pointer)->at, ((const struct strings *)pointer)->count);
    case J_PAIRED:
        memcpy(&pointer, at, sizeof pointer);
        return digest_paired(digest, field->sub, pointer);
    case J_RARE:
        memcpy(&pointer, at, sizeof pointer);
        return table_digest(digest, field->sub, pointer);
    case J_BOOL: case J_U32: case J_I32: case J_U64: case J_I64: case J_TIME: case J_WORD:
        break;
    }
    return digest_plain(digest, field, at);
}

uint64_t table_digest(uint64_t digest, const struct journal_table *table, const void *object)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct journal_field *field = &table->fields[i];
        if (field_has_value(field, object))
            digest = digest_value(digest_number(digest, i + 1), field, object);
    }
    return digest_number(digest, table->count);
}
