#include "record_text.h"

#include <stdlib.h>
#include <string.h>

struct record_kind { record_write_fn *write; record_read_fn *read; };
static const struct record_kind kinds[REC_SAVED_KINDS] = {
    [REC_BODY] = { write_body, read_body },             [REC_STREAM] = { write_stream, read_stream },
    [REC_TICKET] = { write_ticket, read_ticket },       [REC_DISTRICT] = { write_district, read_district },
    [REC_CAP] = { write_cap, read_cap },                [REC_DEMOTION] = { write_demotion, read_demotion },
    [REC_ATTEMPTS] = { write_attempts, read_attempts }, [REC_NODE] = { write_node, read_node },
    [REC_VENUE] = { write_venue, read_venue },          [REC_ORG] = { write_org, read_org },
    [REC_EXPERIENCE] = { write_experience, read_experience }, [REC_OP] = { write_op, read_op },
    [REC_IDENTITY] = { write_identity, read_identity },
};

void record_write(const struct rec *rec, unsigned part, struct hc_buf *out)
{
    kinds[rec->kind].write(rec, part, out);
}

enum hc_err record_read(struct reading *r, const struct section *section, const struct yaml_pair *pair, struct yaml_node *value)
{
    enum hc_err err = kinds[section->kind].read(r, section->part, pair, value);
    hc_arena_free(&r->scratch);
    return err;
}

void reading_free(struct reading *r)
{
    hc_arena_free(&r->scratch);
    hc_free(r->leases);
    r->leases = NULL;
}

void write_keyed(const char *key, const struct codec_table *table, const void *object, struct hc_buf *out)
{
    hc_buf_add(out, "  ", 2);
    yaml_write_scalar(key, out);
    size_t before = out->len;
    hc_buf_add(out, ":\n", 2);
    yaml_write_members(table, object, 4, out);
    if (out->failed || out->len != before + 2)
        return;
    out->len = before;                    /* no member: an empty map, not null */
    hc_buf_str(out, ": {}\n");
}

static enum hc_err fail_at_key(struct reading *r, const struct yaml_pair *pair, const char *what)
{
    const struct yaml_node at = { .line = pair->key_line, .column = pair->key_column };
    return yaml_fail(r->diag, r->file, &at, pair->key, "%s", what);
}

enum hc_err check_key_id(struct reading *r, const struct yaml_pair *pair)
{
    return hc_id_ok(pair->key) ? HC_OK : fail_at_key(r, pair, "must be an id of 1 to 64 characters of A-Z a-z 0-9 . _ -");
}

enum hc_err check_key_name(struct reading *r, const struct yaml_pair *pair)
{
    return hc_name_ok(pair->key) ? HC_OK : fail_at_key(r, pair, "must be a name of 1 to 128 bytes without control characters");
}

static const struct codec_field *row_of(const struct codec_table *table, const char *key)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->fields[i].key, key) == 0)
            return &table->fields[i];
    return NULL;
}

static void drop_unknown(const struct codec_table *table, struct yaml_node *map)
{
    if (map->kind != YAML_MAP)
        return;
    size_t kept = 0;
    for (size_t i = 0; i < map->count; i++) {
        const struct codec_field *row = row_of(table, map->pairs[i].key);
        if (row == NULL)
            continue;
        if (row->type == CODEC_OBJECT)    /* a table is no deeper than its sub-tables: bounded by the tables themselves */
            drop_unknown(row->sub, map->pairs[i].value);
        map->pairs[kept++] = map->pairs[i];
    }
    map->count = kept;
}

enum hc_err read_table(struct reading *r, const struct codec_table *table, struct yaml_node *map, void *object)
{
    if (r->lenient)
        drop_unknown(table, map);
    return yaml_read(table, r->file, map, &r->scratch, object, r->diag);
}

enum hc_err no_memory(struct reading *r)
{
    return hc_fail(r->diag, HC_ERR_NOMEM, "no memory to read %s", r->file);
}

enum hc_err put_record(struct reading *r, struct rec *rec)
{
    enum hc_err err = alloc_put(r->into, rec->kind, rec->key, rec);
    rec_unref(rec);
    return err == HC_OK ? HC_OK : no_memory(r);
}

enum hc_err take_strings(struct reading *r, const struct codec_list *list, bool keep_empty, struct strings **ret)
{
    *ret = NULL;
    if (list->count == 0 && !keep_empty)
        return HC_OK;
    *ret = strings_new((const char *const *)list->items, list->count);
    return *ret == NULL ? no_memory(r) : HC_OK;
}

enum hc_err note_lease(struct reading *r, const char *id, const struct yaml_node *at)
{
    if (r->lease_count == r->lease_size) {
        size_t size = r->lease_size == 0 ? 64 : r->lease_size * 2;      /* bounded by the document */
        struct lease_place *leases = hc_realloc(r->leases, size * sizeof *leases);
        if (leases == NULL)
            return no_memory(r);
        r->leases = leases;
        r->lease_size = size;
    }
    r->leases[r->lease_count++] = (struct lease_place){ id, at->line, at->column };
    return HC_OK;
}

static int by_id_then_place(const void *a, const void *b)
{
    const struct lease_place *x = a, *y = b;
    int order = strcmp(x->id, y->id);
    if (order != 0)
        return order;
    return x->line != y->line ? (x->line > y->line) - (x->line < y->line) : (x->column > y->column) - (x->column < y->column);
}

enum hc_err reading_check_leases(struct reading *r)
{
    if (r->lease_count < 2)
        return HC_OK;
    qsort(r->leases, r->lease_count, sizeof r->leases[0], by_id_then_place);
    for (size_t i = 1; i < r->lease_count; i++) {
        const struct lease_place *first = &r->leases[i - 1], *second = &r->leases[i];
        const struct yaml_node at = { .line = second->line, .column = second->column };
        if (strcmp(first->id, second->id) == 0)
            return yaml_fail(r->diag, r->file, &at, "id", "lease %s is in line %u already", second->id, first->line);
    }
    return HC_OK;
}
