#include "saving.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct store *open_store(const struct folder *folder)
{
    struct store *store;
    struct hc_diag diag = { "" };
    if (store_open(folder->path, &store, &diag) != HC_OK)
        fail_msg("%s", diag.text);
    return store;
}

struct alloc *load_state(struct store *store, struct load_facts *ret_facts)
{
    struct alloc *alloc = NULL;
    struct hc_diag diag = { "" };
    if (store_file_ops.load(store, NULL, &alloc, ret_facts, &diag) != HC_OK)
        fail_msg("%s", diag.text);
    return alloc;
}

void cut_start(struct test_cut *cut)
{
    cut->cut = (struct cut){ cut->items, 0, SAVED_AT };
}

static struct cut_item *cut_item(struct test_cut *cut, enum rec_kind kind, const char *key)
{
    size_t at = 0;
    while (at < cut->cut.count && (cut->items[at].kind != kind || strcmp(cut->items[at].key, key) != 0))
        at++;
    assert_true(at < CUT_MAX);
    struct cut_item *item = &cut->items[at];
    if (at == cut->cut.count)
        cut->cut.count++;
    else
        rec_unref(item->version);
    *item = (struct cut_item){ .kind = kind };
    HC_SET(item->key, key);
    return item;
}

void cut_put(struct test_cut *cut, struct rec *rec)
{
    cut_item(cut, rec->kind, rec->key)->version = rec;
}

void cut_remove(struct test_cut *cut, enum rec_kind kind, const char *key)
{
    cut_item(cut, kind, key)->version = NULL;
}

void cut_apply(const struct test_cut *cut, struct alloc *to, bool allocation, bool nodes)
{
    for (size_t i = 0; i < cut->cut.count; i++) {
        const struct cut_item *item = &cut->items[i];
        if (rec_in_nodes_file(item->kind) ? nodes : allocation)
            assert_int_equal(alloc_put(to, item->kind, item->key, item->version), HC_OK);
    }
}

void cut_free(struct test_cut *cut)
{
    for (size_t i = 0; i < cut->cut.count; i++)
        rec_unref(cut->items[i].version);
    cut->cut.count = 0;
}

struct save_result save_rec(struct store *store, struct rec *rec)
{
    struct test_cut cut;
    cut_start(&cut);
    if (rec != NULL)
        cut_put(&cut, rec);
    struct save_result result = store_file_ops.save(store, &cut.cut);
    cut_free(&cut);
    return result;
}

void assert_outcome(const struct save_result *result, enum save_outcome nodes, enum save_outcome allocation)
{
    if (result->nodes != nodes || result->allocation != allocation)
        fail_msg("nodes %d, allocation %d: %s", (int)result->nodes, (int)result->allocation, result->diag.text);
}

void assert_on_disk(const struct folder *folder, const struct alloc *state, uint64_t allocation_generation, uint64_t nodes_generation)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf allocation = { 0 };
    HC_CLEANUP(hc_buf_freep) struct hc_buf nodes = { 0 };
    assert_int_equal(store_format_allocation(state, allocation_generation, SAVED_AT, &allocation), HC_OK);
    assert_int_equal(store_format_nodes(state, nodes_generation, &nodes), HC_OK);
    char *text = folder_get(folder, "allocation.yaml");
    assert_string_equal(text, allocation.data);
    free(text);
    text = folder_get(folder, "nodes.yaml");
    assert_string_equal(text, nodes.data);
    free(text);
}

uint64_t generation_of(const struct folder *folder, const char *name)
{
    char *text = folder_get(folder, name);
    assert_non_null(text);
    assert_int_equal(strncmp(text, "generation: ", 12), 0);
    uint64_t generation = strtoull(text + 12, NULL, 10);
    free(text);
    return generation;
}

void replace_text(const struct folder *folder, const char *name, const char *from, const char *to)
{
    char *text = folder_get(folder, name);
    assert_non_null(text);
    char *at = strstr(text, from);
    assert_non_null(at);
    size_t size = strlen(text) + strlen(to) + 1;
    char *changed = calloc(1, size);
    assert_non_null(changed);
    (void)snprintf(changed, size, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    folder_put(folder, name, changed);
    free(changed);
    free(text);
}
