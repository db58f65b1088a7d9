#include "hydra/codec/field.h"

#include <assert.h>
#include <string.h>

bool codec_has(const struct codec_table *table, const void *object, const char *key)
{
    assert(table->present != CODEC_NO_PRESENT);
    size_t row = 0;
    while (row < table->count && strcmp(table->fields[row].key, key) != 0)
        row++;
    assert(row < table->count);
    uint64_t present;
    memcpy(&present, (const char *)object + table->present, sizeof present);
    return (present >> row & 1) != 0;
}

int codec_word_index(const struct hc_words *words, const char *word)
{
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->words[i], word) == 0)
            return (int)i;
    return -1;
}
