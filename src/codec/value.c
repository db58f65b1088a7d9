#include "value.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "hydra/base/id.h"
#include "hydra/base/time.h"
#include "place.h"

#define SECONDS_MAX ((uint64_t)INT64_MAX / 1000)

enum hc_err value_refuse(struct value_fault *fault, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(fault->text, sizeof fault->text, format, args);
    va_end(args);
    place_cut_utf8(fault->text);
    return HC_ERR_SCHEMA;
}

bool value_is_text(enum codec_type type)
{
    return type == CODEC_STR || type == CODEC_ID || type == CODEC_NAME || type == CODEC_TEXT || type == CODEC_WORD ||
           type == CODEC_TIME || type == CODEC_DURATION;
}

bool value_is_integer(enum codec_type type)
{
    return type == CODEC_U32 || type == CODEC_U64 || type == CODEC_I64 || type == CODEC_SECONDS;
}

/* Length, UTF-8 and control characters of any text; `lines` allows line ends and tabs. */
static enum hc_err check_text(const char *text, uint64_t limit, bool lines, struct value_fault *fault)
{
    size_t len = strlen(text);
    if (len > limit)
        return value_refuse(fault, "is longer than %llu bytes", (unsigned long long)limit);
    if (!hc_utf8_ok(text, len))
        return value_refuse(fault, "is not UTF-8");
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if ((c < 0x20 || c == 0x7f) && !(lines && (c == '\n' || c == '\r' || c == '\t')))
            return value_refuse(fault, "has a control character");
    }
    return HC_OK;
}

static enum hc_err check_id(const char *text, struct value_fault *fault)
{
    if (hc_id_ok(text))
        return HC_OK;
    return text[0] == '\0' ? value_refuse(fault, "must not be empty")
                           : value_refuse(fault, "must be 1 to %d characters of A-Z a-z 0-9 . _ -", HC_ID_MAX);
}

static enum hc_err check_name(const char *text, uint64_t limit, struct value_fault *fault)
{
    return text[0] == '\0' ? value_refuse(fault, "must not be empty") : check_text(text, limit, false, fault);
}

static enum hc_err set_word(const struct codec_field *row, const char *text, void *object, struct value_fault *fault)
{
    int index = codec_word_index(row->words, text);
    if (index >= 0) {
        memcpy(value_at(row, object), &index, sizeof index);
        return HC_OK;
    }
    char list[160] = "";
    size_t len = 0;
    for (size_t i = 0; i < row->words->count && len < sizeof list; i++)
        if (row->words->words[i][0] != '\0')
            len += (size_t)snprintf(list + len, sizeof list - len, "%s%s", len == 0 ? "" : ", ", row->words->words[i]);
    return value_refuse(fault, "must be one of: %s", list);
}

static enum hc_err set_time(const struct codec_field *row, const char *text, void *object, struct value_fault *fault)
{
    hc_time time;
    if (hc_time_parse(text, &time) != HC_OK)
        return value_refuse(fault, "must be an instant in UTC like 2026-09-04T11:43:18.042Z");
    memcpy(value_at(row, object), &time, sizeof time);
    return HC_OK;
}

static enum hc_err set_duration(const struct codec_field *row, const char *text, void *object, struct value_fault *fault)
{
    int64_t ms;
    if (hc_duration_parse(text, &ms) != HC_OK)
        return value_refuse(fault, "must be a duration like 250ms, 90s, 10min, 24h or 7d");
    if (row->limit != 0 && (uint64_t)ms > row->limit)
        return value_refuse(fault, "is above %llu ms", (unsigned long long)row->limit);
    memcpy(value_at(row, object), &ms, sizeof ms);
    return HC_OK;
}

/* A text that is not this side's to refuse; nothing was written yet. */
static enum hc_err let_pass(const struct codec_field *row, void *object, enum hc_err err)
{
    static const bool odd = true;
    if (err == HC_OK || err == HC_ERR_NOMEM || (row->flags & CODEC_LENIENT) == 0)
        return err;
    memcpy((char *)object + row->null_flag, &odd, sizeof odd);
    *(char *)value_at(row, object) = '\0';
    return HC_OK;
}

enum hc_err value_set_text(const struct codec_field *row, const char *text, struct hc_arena *arena, void *object,
                           struct value_fault *fault)
{
    enum hc_err err;
    bool empty_ok = text[0] == '\0' && (row->flags & CODEC_EMPTY_OK) != 0;
    switch (row->type) {
    case CODEC_STR:
        err = check_text(text, row->limit, false, fault);
        if (err == HC_OK)
            hc_copy(value_at(row, object), (size_t)row->limit + 1, text);
        return err;
    case CODEC_ID:
        err = empty_ok ? HC_OK : check_id(text, fault);
        if (err == HC_OK)
            hc_copy(value_at(row, object), HC_ID_SIZE, text);
        return let_pass(row, object, err);
    case CODEC_NAME:
        err = empty_ok ? HC_OK : check_name(text, HC_NAME_MAX, fault);
        if (err == HC_OK)
            hc_copy(value_at(row, object), HC_NAME_SIZE, text);
        return let_pass(row, object, err);
    case CODEC_TEXT: {
        err = check_text(text, row->limit, true, fault);
        const char *copy = err == HC_OK ? hc_arena_strdup(arena, text) : NULL;
        if (err == HC_OK && copy == NULL)
            return HC_ERR_NOMEM;
        if (err == HC_OK)
            memcpy(value_at(row, object), &copy, sizeof copy);
        return err;
    }
    case CODEC_WORD:
        return set_word(row, text, object, fault);
    case CODEC_TIME:
        return set_time(row, text, object, fault);
    case CODEC_DURATION:
        return set_duration(row, text, object, fault);
    default:
        assert(false && "a row of another type");
        return HC_ERR_SCHEMA;
    }
}

enum hc_err value_set_integer(const struct codec_field *row, bool negative, uint64_t magnitude, void *object, struct value_fault *fault)
{
    void *at = value_at(row, object);
    bool below_zero = negative && magnitude != 0;
    uint64_t limit = row->limit;
    if (row->type == CODEC_U32)
        limit = limit < UINT32_MAX ? limit : UINT32_MAX;
    else if (row->type == CODEC_I64)
        limit = limit < INT64_MAX ? limit : INT64_MAX;
    else if (row->type == CODEC_SECONDS)
        limit = limit == 0 || limit > SECONDS_MAX ? SECONDS_MAX : limit;
    if (below_zero && row->type != CODEC_I64)
        return value_refuse(fault, "must not be negative");
    if (magnitude > limit)
        return value_refuse(fault, "is %s %s%llu", below_zero ? "below" : "above", below_zero ? "-" : "", (unsigned long long)limit);
    int64_t number = below_zero ? -(int64_t)magnitude : 0;
    uint32_t small;
    switch (row->type) {
    case CODEC_U32:
        small = (uint32_t)magnitude;
        memcpy(at, &small, sizeof small);
        return HC_OK;
    case CODEC_U64:
        memcpy(at, &magnitude, sizeof magnitude);
        return HC_OK;
    case CODEC_I64:
        number = below_zero ? number : (int64_t)magnitude;
        memcpy(at, &number, sizeof number);
        return HC_OK;
    case CODEC_SECONDS:
        number = (int64_t)magnitude * 1000;
        memcpy(at, &number, sizeof number);
        return HC_OK;
    default:
        assert(false && "a row of another type");
        return HC_ERR_SCHEMA;
    }
}

enum hc_err value_set_list(const struct codec_field *row, size_t count, struct hc_arena *arena, void *object, void **ret_items,
                           struct value_fault *fault)
{
    if (count > row->limit)
        return value_refuse(fault, "has more than %llu items", (unsigned long long)row->limit);
    size_t size = row->type == CODEC_LIST ? row->sub->size : row->type == CODEC_STRS ? sizeof(const char *) : sizeof(uint64_t);
    struct codec_list list = { NULL, count };
    if (count != 0) {
        list.items = hc_arena_array(arena, count, size);
        if (list.items == NULL)
            return HC_ERR_NOMEM;
    }
    memcpy(value_at(row, object), &list, sizeof list);
    *ret_items = list.items;
    return HC_OK;
}

enum hc_err value_item_text(const struct codec_field *row, const char *text, struct hc_arena *arena, const char **ret_item,
                            struct value_fault *fault)
{
    enum hc_err err = check_name(text, row->item_limit, fault);
    if (err == HC_OK && (row->flags & CODEC_ID_ITEMS) != 0)
        err = check_id(text, fault);
    if (err != HC_OK)
        return err;
    const char *copy = hc_arena_strdup(arena, text);
    if (copy == NULL)
        return HC_ERR_NOMEM;
    *ret_item = copy;
    return HC_OK;
}

enum hc_err value_item_integer(bool negative, uint64_t magnitude, uint64_t *ret_item, struct value_fault *fault)
{
    if (negative && magnitude != 0)
        return value_refuse(fault, "must not be negative");
    if (magnitude > VALUE_JSON_INTEGER_MAX)
        return value_refuse(fault, "is above %llu", (unsigned long long)VALUE_JSON_INTEGER_MAX);
    *ret_item = magnitude;
    return HC_OK;
}

void value_set_there(const struct codec_field *row, void *object)
{
    static const bool there = true;
    if ((row->flags & CODEC_NULLABLE_OBJECT) != 0)
        memcpy((char *)object + row->null_flag, &there, sizeof there);
}

void value_set_present(const struct codec_table *table, size_t row, void *object)
{
    if (table->present == CODEC_NO_PRESENT)
        return;
    uint64_t present;
    memcpy(&present, (char *)object + table->present, sizeof present);
    present |= UINT64_C(1) << row;
    memcpy((char *)object + table->present, &present, sizeof present);
}

const char *value_word(const struct codec_field *row, const void *object)
{
    int index;
    memcpy(&index, value_of(row, object), sizeof index);
    assert(index >= 0 && (size_t)index < row->words->count);
    return row->words->words[index];
}

bool value_empty(const struct codec_field *row, const void *object)
{
    const void *at = value_of(row, object);
    switch (row->type) {
    case CODEC_STR:
    case CODEC_ID:
    case CODEC_NAME:
        return *(const char *)at == '\0';
    case CODEC_TEXT:
    case CODEC_RAW:
        return *(const char *const *)at == NULL || **(const char *const *)at == '\0';
    case CODEC_BOOL:
        return !*(const bool *)at;
    case CODEC_WORD:
        return value_word(row, object)[0] == '\0';
    case CODEC_TIME:
        return !hc_time_set(*(const hc_time *)at);
    case CODEC_SECONDS:
    case CODEC_DURATION:
        return *(const int64_t *)at < 0;
    case CODEC_LIST:
    case CODEC_STRS:
    case CODEC_U64S:
        return ((const struct codec_list *)at)->count == 0;
    case CODEC_OBJECT:
        return (row->flags & CODEC_NULLABLE_OBJECT) != 0 && !*(const bool *)((const char *)object + row->null_flag);
    case CODEC_U32:
    case CODEC_U64:
    case CODEC_I64:
    case CODEC_TYPES:
        break;
    }
    return false;
}

int64_t value_seconds(const struct codec_field *row, int64_t ms)
{
    return ms / HC_SECOND_MS + ((row->flags & CODEC_PAST) == 0 && ms % HC_SECOND_MS > 0);
}

void value_write_duration(int64_t ms, struct hc_buf *out)
{
    static const struct { const char *unit; int64_t ms; } units[] = {
        { "d", HC_DAY_MS }, { "h", HC_HOUR_MS }, { "min", HC_MINUTE_MS }, { "s", HC_SECOND_MS }, { "ms", 1 },
    };
    if (ms == 0) {
        hc_buf_str(out, "0s");
        return;
    }
    size_t i = 0;
    while (ms % units[i].ms != 0)    /* ends at 1 ms at the latest */
        i++;
    hc_buf_i64(out, ms / units[i].ms);
    hc_buf_str(out, units[i].unit);
}
