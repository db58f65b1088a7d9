#include <assert.h>
#include <string.h>

#include "field.h"
#include "hydra/base/time.h"
#include "hydra/core/records.h"
#include "text_in.h"

#define KEY_SIZE     64
#define WORD_MAX     64
#define ITEMS_FIRST  4

/* The text of a value, opened if it was sealed. In the heap. */
static enum hc_err read_text(const struct journal_field *field, struct text_in *in, char **ret, size_t *ret_len)
{
    char *text;
    size_t len;
    enum hc_err err = text_string(in, &text, &len);
    if (err != HC_OK || !field->secret) {
        if (err == HC_OK) {
            *ret = text;
            *ret_len = len;
        }
        return err;
    }
    char *open = hc_alloc(len / 2 + 1);
    if (open == NULL)
        err = HC_ERR_NOMEM;
    else if (!seal_read(in->seal, text, len, open) || memchr(open, '\0', len / 2) != NULL)
        err = text_fail(in, HC_ERR_SCHEMA, "a secret that is not sealed with this key");
    hc_free(text);
    if (err != HC_OK) {
        hc_free(open);
        return err;
    }
    *ret = open;
    *ret_len = len / 2;
    return HC_OK;
}

static enum hc_err read_chars(const struct journal_field *field, struct text_in *in, char *at)
{
    char *text;
    size_t len;
    enum hc_err err = read_text(field, in, &text, &len);
    if (err != HC_OK)
        return err;
    if (len < field->size)
        memcpy(at, text, len + 1);
    else
        err = text_fail(in, HC_ERR_SCHEMA, "text too long");
    hc_free(text);
    return err;
}

static enum hc_err read_pointer(const struct journal_field *field, struct text_in *in, char *at)
{
    char *text;
    size_t len;
    const void *pointer = NULL;
    if (text_take_word(in, "null")) {
        memcpy(at, &pointer, sizeof pointer);
        return HC_OK;
    }
    enum hc_err err = read_text(field, in, &text, &len);
    if (err != HC_OK)
        return err;
    pointer = field->type == J_COUNTED_TEXT ? (const void *)text_new(text, len) : hc_arena_strndup(in->arena, text, len);
    hc_free(text);
    if (pointer == NULL)
        return HC_ERR_NOMEM;
    memcpy(at, &pointer, sizeof pointer);
    return HC_OK;
}

static enum hc_err read_unsigned(const struct journal_field *field, struct text_in *in, char *at)
{
    uint64_t value = 0;
    enum hc_err err = text_u64(in, &value);
    if (err != HC_OK)
        return err;
    uint32_t narrow = (uint32_t)value;
    if (field->type == J_U32 && value > UINT32_MAX)
        return text_fail(in, HC_ERR_SCHEMA, "number too large");
    memcpy(at, field->type == J_U32 ? (const void *)&narrow : (const void *)&value, field_span(field));
    return HC_OK;
}

static enum hc_err read_signed(const struct journal_field *field, struct text_in *in, char *at)
{
    int64_t value = 0;
    enum hc_err err = text_i64(in, &value);
    if (err != HC_OK)
        return err;
    int32_t narrow = (int32_t)value;
    bool wide = field->type == J_I64 || field->type == J_TIME;
    if (!wide && (value > INT32_MAX || value < INT32_MIN))
        return text_fail(in, HC_ERR_SCHEMA, "number too large");
    memcpy(at, wide ? (const void *)&value : (const void *)&narrow, field_span(field));
    return HC_OK;
}

static enum hc_err read_word(const struct journal_field *field, struct text_in *in, char *at)
{
    char word[WORD_MAX];
    if (!text_take(in, '"'))
        return read_signed(field, in, at);
    in->at--;
    enum hc_err err = text_chars(in, word, sizeof word);
    for (size_t i = 0; err == HC_OK && field->words != NULL && i < field->words->count; i++) {
        int value = (int)i;
        if (strcmp(field->words->words[i], word) != 0)
            continue;
        memcpy(at, &value, sizeof value);
        return HC_OK;
    }
    return err == HC_OK ? text_fail(in, HC_ERR_SCHEMA, "unknown word") : err;
}

static enum hc_err read_bool(struct text_in *in, char *at)
{
    bool truth = text_take_word(in, "true");
    if (!truth && !text_take_word(in, "false"))
        return text_fail(in, HC_ERR_SCHEMA, "expected true or false");
    memcpy(at, &truth, sizeof truth);
    return HC_OK;
}

static void set_count(const struct journal_field *field, void *object, size_t count)
{
    if (field->count_at != J_NO_COUNT)
        memcpy((char *)object + field->count_at, &count, sizeof count);
}

/* Room for one more element at the end, zeroed; the pointer and the count in the object are right at every moment. */
static enum hc_err grow(const struct journal_field *field, void *object, size_t count, size_t *size)
{
    char *items;
    if (count < *size)
        return HC_OK;
    size_t more = *size == 0 ? ITEMS_FIRST : 2 * *size;
    memcpy(&items, (char *)object + field->offset, sizeof items);
    items = hc_realloc(items, more * field->sub->size);
    if (items == NULL)
        return HC_ERR_NOMEM;
    memset(items + *size * field->sub->size, 0, (more - *size) * field->sub->size);
    memcpy((char *)object + field->offset, &items, sizeof items);
    *size = more;
    return HC_OK;
}

/* What an event points to is the arena's. */
static enum hc_err into_arena(const struct journal_field *field, struct text_in *in, void *object, size_t count)
{
    char *items, *copy = NULL;
    memcpy(&items, (char *)object + field->offset, sizeof items);
    if (count > 0) {
        copy = hc_arena_array(in->arena, count, field->sub->size);
        if (copy != NULL)
            memcpy(copy, items, count * field->sub->size);
    }
    hc_free(items);
    memcpy((char *)object + field->offset, &copy, sizeof copy);
    return count > 0 && copy == NULL ? HC_ERR_NOMEM : HC_OK;
}

static enum hc_err read_array(const struct journal_field *field, struct text_in *in, void *object)
{
    size_t count = 0, room = field->type == J_INLINE ? field->size : FIELD_ITEMS_MAX, size = field->type == J_INLINE ? room : 0;
    enum hc_err err = text_expect(in, '[');
    bool end = err == HC_OK && text_take(in, ']');
    while (err == HC_OK && !end) {
        err = count > 0 ? text_expect(in, ',') : HC_OK;
        if (err == HC_OK && count == room)
            err = text_fail(in, HC_ERR_LIMIT, "too many elements");
        if (err == HC_OK)
            err = grow(field, object, count, &size);
        if (err != HC_OK)
            break;
        set_count(field, object, ++count);
        err = table_read(field->sub, in, (void *)(uintptr_t)field_element(field, object, count - 1));
        end = err == HC_OK && text_take(in, ']');
    }
    if (field->type == J_ARRAY && in->arena != NULL) {
        enum hc_err moved = into_arena(field, in, object, count);
        err = err == HC_OK ? moved : err;
    }
    return err;
}

static void free_items(char **items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hc_free(items[i]);
    hc_free(items);
}

static enum hc_err read_items(struct text_in *in, char ***ret_items, size_t *ret_count)
{
    char **items = NULL;
    size_t count = 0, size = 0, len;
    enum hc_err err = text_expect(in, '[');
    bool end = err == HC_OK && text_take(in, ']');
    while (err == HC_OK && !end) {
        err = count > 0 ? text_expect(in, ',') : HC_OK;
        if (err == HC_OK && count == FIELD_ITEMS_MAX)
            err = text_fail(in, HC_ERR_LIMIT, "too many elements");
        if (err == HC_OK && count == size) {
            size = size == 0 ? ITEMS_FIRST : 2 * size;
            char **more = hc_realloc(items, size * sizeof items[0]);
            err = more == NULL ? HC_ERR_NOMEM : HC_OK;
            items = more == NULL ? items : more;
        }
        if (err == HC_OK)
            err = text_string(in, &items[count], &len);
        count += err == HC_OK ? 1 : 0;
        end = err == HC_OK && text_take(in, ']');
    }
    if (err != HC_OK) {
        free_items(items, count);
        return err;
    }
    *ret_items = items;
    *ret_count = count;
    return HC_OK;
}

static enum hc_err keep_list(const struct journal_field *field, struct text_in *in, void *object, char **items, size_t count)
{
    const char **list = hc_arena_array(in->arena, count + 1, sizeof list[0]);
    if (list == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0; i < count; i++) {
        list[i] = hc_arena_strdup(in->arena, items[i]);
        if (list[i] == NULL)
            return HC_ERR_NOMEM;
    }
    memcpy((char *)object + field->offset, &list, sizeof list);
    set_count(field, object, count);
    return HC_OK;
}

static enum hc_err read_list(const struct journal_field *field, struct text_in *in, void *object)
{
    char **items = NULL;
    size_t count = 0;
    enum hc_err err = read_items(in, &items, &count);
    if (err != HC_OK)
        return err;
    if (field->type == J_LIST) {
        err = keep_list(field, in, object, items, count);
    } else {
        struct strings *strings = strings_new((const char *const *)items, count);
        memcpy((char *)object + field->offset, &strings, sizeof strings);
        err = strings == NULL ? HC_ERR_NOMEM : HC_OK;
    }
    free_items(items, count);
    return err;
}

/* As an array of the heap first, of which the counted one is a copy. */
static enum hc_err read_paired(const struct journal_field *field, struct text_in *in, void *object)
{
    struct list { struct paired_client *at; size_t count; } list = { NULL, 0 };
    const struct journal_field as_array = { .key = field->key, .type = J_ARRAY, .offset = offsetof(struct list, at),
                                            .count_at = offsetof(struct list, count), .sub = field->sub };
    struct text_in heap = *in;
    heap.arena = NULL;
    enum hc_err err = read_array(&as_array, &heap, &list);
    in->at = heap.at;
    if (err == HC_OK) {
        struct paired *paired = paired_new(list.at, list.count);
        memcpy((char *)object + field->offset, &paired, sizeof paired);
        err = paired == NULL ? HC_ERR_NOMEM : HC_OK;
    }
    hc_free(list.at);
    return err;
}

static enum hc_err read_rare(const struct journal_field *field, struct text_in *in, void *object)
{
    struct node_rare *rare = hc_alloc(sizeof *rare);
    if (rare == NULL)
        return HC_ERR_NOMEM;
    rare->refs = 1;
    memcpy((char *)object + field->offset, &rare, sizeof rare);         /* the record's from here on, whatever comes of the reading */
    return table_read(field->sub, in, rare);
}

static enum hc_err read_value(const struct journal_field *field, struct text_in *in, void *object)
{
    char *at = (char *)object + field->offset;
    switch (field->type) {
    case J_CHARS:                       return read_chars(field, in, at);
    case J_TEXT: case J_COUNTED_TEXT:   return read_pointer(field, in, at);
    case J_BOOL:                        return read_bool(in, at);
    case J_U32: case J_U64:             return read_unsigned(field, in, at);
    case J_I32: case J_I64: case J_TIME: return read_signed(field, in, at);
    case J_WORD:                        return read_word(field, in, at);
    case J_PART:                        return table_read(field->sub, in, at);
    case J_INLINE: case J_ARRAY:        return read_array(field, in, object);
    case J_LIST: case J_STRINGS:        return read_list(field, in, object);
    case J_PAIRED:                      return read_paired(field, in, object);
    case J_RARE:                        return read_rare(field, in, object);
    }
    return HC_ERR_STATE;
}

/* A text that was not written is "", not NULL. */
static void empty_texts(const struct journal_table *table, void *object)
{
    static const char *const none = "";
    for (size_t i = 0; i < table->count; i++)
        if (table->fields[i].type == J_TEXT)
            memcpy((char *)object + table->fields[i].offset, &none, sizeof none);
        else if (table->fields[i].type == J_PART)
            empty_texts(table->fields[i].sub, (char *)object + table->fields[i].offset);
}

static const struct journal_field *find(const struct journal_table *table, const char *key)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->fields[i].key, key) == 0)
            return &table->fields[i];
    return NULL;
}

enum hc_err table_read(const struct journal_table *table, struct text_in *in, void *object)
{
    if (table->bare)
        return read_value(&table->fields[0], in, object);
    empty_texts(table, object);
    char key[KEY_SIZE];
    uint64_t seen = 0;
    assert(table->count <= 64);
    enum hc_err err = text_expect(in, '{');
    for (size_t count = 0; err == HC_OK; count++) {
        bool end = false;
        err = text_key(in, count, key, sizeof key, &end);
        if (err != HC_OK || end)
            break;
        const struct journal_field *field = find(table, key);
        uint64_t bit = field == NULL ? 0 : UINT64_C(1) << (field - table->fields);
        if (field == NULL || (seen & bit) != 0)
            return hc_fail(in->diag, HC_ERR_SCHEMA, "%s: key '%s' is unknown, or there twice", table->name, key);
        seen |= bit;
        err = read_value(field, in, object);
    }
    return err;
}
