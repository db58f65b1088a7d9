#include "file_read.h"

#include <string.h>

#include "hydra/base/arena.h"
#include "record_text.h"

static const struct section *find_section(const struct file_sections *sections, const char *group, const char *key)
{
    for (size_t i = 0; i < sections->count; i++)
        if (hc_same(sections->at[i].group, group) && strcmp(sections->at[i].key, key) == 0)
            return &sections->at[i];
    return NULL;
}

static bool is_group(const struct file_sections *sections, const char *key)
{
    for (size_t i = 0; i < sections->count; i++)
        if (sections->at[i].group != NULL && strcmp(sections->at[i].group, key) == 0)
            return true;
    return false;
}

static enum hc_err unknown_key(struct reading *r, const struct yaml_pair *pair)
{
    if (r->lenient)
        return HC_OK;
    const struct yaml_node at = { .line = pair->key_line, .column = pair->key_column };
    return yaml_fail(r->diag, r->file, &at, pair->key, "unknown key");
}

static enum hc_err read_section(struct reading *r, const struct section *section, const struct yaml_node *node)
{
    if (yaml_is_null(node))
        return HC_OK;
    if (node->kind != (section->list ? YAML_SEQ : YAML_MAP))
        return yaml_fail(r->diag, r->file, node, section->key, section->list ? "must be a list" : "must be a map");
    for (size_t i = 0; i < node->count; i++) {
        const struct yaml_pair *pair = section->list ? NULL : &node->pairs[i];
        enum hc_err err = record_read(r, section, pair, section->list ? node->items[i] : pair->value);
        if (err != HC_OK)
            return err;
    }
    return HC_OK;
}

static enum hc_err read_group(struct reading *r, const struct file_sections *sections, const struct yaml_pair *group)
{
    const struct yaml_node *map = group->value;
    if (yaml_is_null(map))
        return HC_OK;
    if (map->kind != YAML_MAP)
        return yaml_fail(r->diag, r->file, map, group->key, "must be a map");
    for (size_t i = 0; i < map->count; i++) {
        const struct section *section = find_section(sections, group->key, map->pairs[i].key);
        enum hc_err err = section == NULL ? unknown_key(r, &map->pairs[i]) : read_section(r, section, map->pairs[i].value);
        if (err != HC_OK)
            return err;
    }
    return HC_OK;
}

static enum hc_err read_sections(struct reading *r, const struct document *doc, const struct file_sections *sections)
{
    for (size_t i = 0; i < doc->root->count; i++) {
        const struct yaml_pair *pair = &doc->root->pairs[i];
        const struct section *section = find_section(sections, NULL, pair->key);
        enum hc_err err = HC_OK;
        if (section != NULL)
            err = read_section(r, section, pair->value);
        else if (is_group(sections, pair->key))
            err = read_group(r, sections, pair);
        else if (!document_is_head(doc, pair->key))
            err = unknown_key(r, pair);
        if (err != HC_OK)
            return err;
    }
    return reading_check_leases(r);
}

enum hc_err file_read(struct document *doc, const struct file_sections *sections, struct alloc *into, struct hc_diag *diag)
{
    struct hc_arena tree = { 0 };
    struct reading r = { .file = doc->file, .diag = diag, .into = into };
    enum hc_err err = document_open(doc, &tree, diag);
    if (err == HC_OK) {
        r.lenient = doc->older;
        err = read_sections(&r, doc, sections);
    }
    if (err == HC_OK && !doc->older)
        err = document_check_lines(doc, diag);
    reading_free(&r);
    hc_arena_free(&tree);
    doc->root = NULL;
    return err;
}
