#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "field.h"
#include "hydra/base/id.h"
#include "hydra/base/time.h"
#include "hydra/core/records.h"

#define VALUE_MAX 48      /* bytes of a value that a difference shows */

/* `path` grows to the right; `len` is where this level begins. */
struct differ { char path[FIELD_PATH_MAX]; size_t len; };

static void go_to(struct differ *d, const char *key, size_t index)
{
    int len = index == SIZE_MAX ? snprintf(d->path + d->len, sizeof d->path - d->len, "%s%s", d->len > 0 ? "." : "", key)
                                : snprintf(d->path + d->len, sizeof d->path - d->len, "[%zu]", index);
    size_t more = len < 0 ? 0 : (size_t)len, room = sizeof d->path - 1 - d->len;
    d->len += more < room ? more : room;
}

/* The value as one line, cut; a secret is only said to be one. */
static void show(const struct journal_field *field, const void *object, char out[VALUE_MAX])
{
    struct journal_table one = { .name = "", .fields = field, .count = 1, .bare = true };
    struct hc_buf text = { 0 };
    if (field->secret) {
        hc_copy(out, VALUE_MAX, "a secret");
    } else if (!field_has_value(field, object)) {
        hc_copy(out, VALUE_MAX, "nothing");
    } else if (field->type == J_ARRAY || field->type == J_INLINE) {
        (void)snprintf(out, VALUE_MAX, "%zu elements", field_count(field, object));
    } else {
        table_write(&one, object, NULL, &text);
        (void)snprintf(out, VALUE_MAX, "%s", text.failed || text.data == NULL ? "" : text.data);
    }
    hc_buf_free(&text);
}

static void tell(struct differ *d, const struct journal_field *field, const void *a, const void *b)
{
    char one[VALUE_MAX], other[VALUE_MAX];
    show(field, a, one);
    show(field, b, other);
    (void)snprintf(d->path + d->len, sizeof d->path - d->len, ": %s, not %s", other, one);
}

static bool differ(struct differ *d, const struct journal_table *table, const void *a, const void *b);

static bool field_differs(struct differ *d, const struct journal_field *field, const void *a, const void *b)
{
    if (field->type == J_PART)
        return differ(d, field->sub, (const char *)a + field->offset, (const char *)b + field->offset);
    bool array = field->type == J_INLINE || field->type == J_ARRAY;
    size_t count = array ? field_count(field, a) : 0, start = d->len;
    if (array && count == field_count(field, b)) {
        for (size_t i = 0; i < count; i++) {
            go_to(d, "", i);
            if (differ(d, field->sub, field_element(field, a, i), field_element(field, b, i)))
                return true;
            d->len = start;
        }
        return false;
    }
    struct journal_table one = { .name = "", .fields = field, .count = 1 };
    if (!array && table_digest(DIGEST_START, &one, a) == table_digest(DIGEST_START, &one, b))
        return false;
    tell(d, field, a, b);
    return true;
}

static bool differ(struct differ *d, const struct journal_table *table, const void *a, const void *b)
{
    size_t start = d->len;
    for (size_t i = 0; i < table->count; i++) {
        const struct journal_field *field = &table->fields[i];
        if (!field_has_value(field, a) && !field_has_value(field, b))
            continue;
        if (!table->bare)
            go_to(d, field->key, SIZE_MAX);
        if (field_differs(d, field, a, b))
            return true;
        d->len = start;
    }
    return false;
}

bool table_differ(const struct journal_table *table, const void *a, const void *b, char out[FIELD_PATH_MAX])
{
    struct differ d = { .len = 0 };
    if (!differ(&d, table, a, b))
        return false;
    hc_copy(out, FIELD_PATH_MAX, d.path);
    return true;
}
