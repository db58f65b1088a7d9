#include <string.h>

#include "hydra/base/arena.h"
#include "record_text.h"
#include "rows.h"

static const struct codec_field client_rows[] = {
    ROW_STR(struct paired_client, "name", name, 0),
    ROW_TIME(struct paired_client, "first_seen", first_seen, OMIT),
};
static const struct codec_table client_table = CODEC_TABLE("paired", client_rows, struct paired_client, CODEC_NO_PRESENT);

void write_paired(const char *key, const struct paired *paired, unsigned indent, struct hc_buf *out)
{
    if (paired == NULL || paired->count == 0)
        return;
    yaml_write_indent(indent, out);
    hc_buf_str(out, key);
    hc_buf_str(out, ":\n");
    for (size_t i = 0; i < paired->count; i++) {
        yaml_write_indent(indent + 2, out);
        yaml_write_scalar(paired->at[i].uuid, out);
        hc_buf_str(out, ":\n");
        yaml_write_members(&client_table, &paired->at[i], indent + 4, out);
    }
}

static struct yaml_node *take_out(struct yaml_node *map, const char *key)
{
    for (size_t i = 0; map->kind == YAML_MAP && i < map->count; i++) {
        struct yaml_node *value = map->pairs[i].value;
        if (strcmp(map->pairs[i].key, key) != 0)
            continue;
        memmove(&map->pairs[i], &map->pairs[i + 1], (map->count - i - 1) * sizeof map->pairs[0]);
        map->count--;
        return value;
    }
    return NULL;
}

static enum hc_err read_clients(struct reading *r, const struct yaml_node *list, struct paired_client *clients)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct yaml_pair *pair = &list->pairs[i];
        enum hc_err err = check_key_id(r, pair);
        if (err == HC_OK)
            err = read_table(r, &client_table, pair->value, &clients[i]);
        if (err != HC_OK)
            return err;
        HC_SET(clients[i].uuid, pair->key);
    }
    return HC_OK;
}

enum hc_err read_paired(struct reading *r, const char *key, size_t max, struct yaml_node *map, struct paired **ret)
{
    struct yaml_node *list = take_out(map, key);
    if (list == NULL || yaml_is_null(list))
        return HC_OK;
    if (list->kind != YAML_MAP)
        return yaml_fail(r->diag, r->file, list, key, "must be a map");
    if (list->count > max)
        return yaml_fail(r->diag, r->file, list, key, "has more than %zu clients", max);
    struct paired_client *clients = hc_arena_array(&r->scratch, list->count + 1, sizeof clients[0]);
    if (clients == NULL)
        return no_memory(r);
    enum hc_err err = read_clients(r, list, clients);
    if (err != HC_OK)
        return err;
    *ret = paired_new(clients, list->count);
    return *ret == NULL ? no_memory(r) : HC_OK;
}
