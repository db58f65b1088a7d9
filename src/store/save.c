#include <stdlib.h>
#include <string.h>

#include "hydra/base/arena.h"
#include "store_file.h"

/* A cut on its way into one file. */
struct saving {
    struct fragment_change *changes; size_t count;      /* of both files, sorted by kind and key; nodes.yaml's kinds are the greater */
    size_t first_node;                      /* from here on they are of nodes.yaml */
    hc_time saved_at;
    struct hc_diag *diag;
};

static int by_kind_then_key(const void *a, const void *b)
{
    const struct fragment_change *x = a, *y = b;
    return x->kind != y->kind ? (x->kind > y->kind) - (x->kind < y->kind) : strcmp(x->key, y->key);
}

static void saving_free(struct saving *saving)
{
    for (size_t i = 0; i < saving->count; i++)
        hc_free(saving->changes[i].text);   /* those that went into the cache are no longer named here */
    hc_free(saving->changes);
}

/* Formats what the cut changes, and only that. */
static enum hc_err saving_make(struct store *s, const struct cut *cut, struct saving *saving)
{
    _Static_assert(REC_NODE > REC_ATTEMPTS && REC_EXPERIENCE + 1 == REC_SAVED_KINDS, "nodes.yaml's kinds are the last ones");
    saving->changes = hc_alloc(cut->count * sizeof saving->changes[0]);
    if (saving->changes == NULL)
        return HC_ERR_NOMEM;
    for (; saving->count < cut->count; saving->count++) {
        const struct cut_item *item = &cut->items[saving->count];
        struct fragment *text = item->version == NULL ? NULL : fragment_new(item->version, &s->scratch);
        if (item->version != NULL && text == NULL)
            return HC_ERR_NOMEM;
        saving->changes[saving->count] = (struct fragment_change){ .kind = item->kind, .key = item->key, .text = text };
    }
    qsort(saving->changes, saving->count, sizeof saving->changes[0], by_kind_then_key);
    while (saving->first_node < saving->count && !rec_in_nodes_file(saving->changes[saving->first_node].kind))
        saving->first_node++;
    return HC_OK;
}

/* The stamp says nothing of a write in place within one tick of the kernel's clock; the generation at the head of the file does. */
static bool head_is_ours(int dir_fd, const struct data_file *file)
{
    return os_file_begins(dir_fd, file->name, file->head, file->head_len, FILE_HEAD_MAX);
}

/* SAVE_DURABLE: it is the file that we wrote or read last. */
static enum save_outcome look_at(const struct store *s, const struct data_file *file, struct hc_diag *diag)
{
    struct os_stamp now;
    if (os_file_stamp(s->dir_fd, file->name, &now) != HC_OK) {
        (void)hc_fail(diag, HC_ERR_IO, "cannot look at %s", file->path);
        return SAVE_NOT_WRITTEN;
    }
    if (os_stamp_same(&now, &file->stamp) && (!now.exists || head_is_ours(s->dir_fd, file)))
        return SAVE_DURABLE;
    (void)hc_fail(diag, HC_ERR_GENERATION, "%s is not the file of generation %llu that was written last", file->path,
                  (unsigned long long)file->generation);
    return SAVE_FOREIGN;
}

/* The changes of one kind begin at `from`; returns where they end. */
static size_t run_end(const struct saving *saving, size_t from, size_t to)
{
    size_t end = from + 1;
    while (end < to && saving->changes[end].kind == saving->changes[from].kind)
        end++;
    return end;
}

static bool merge(struct store *s, struct saving *saving, size_t from, size_t to, struct fragments next[REC_SAVED_KINDS],
                  const struct fragments *tables[REC_SAVED_KINDS])
{
    for (size_t i = 0; i < REC_SAVED_KINDS; i++)
        tables[i] = &s->texts[i];
    for (size_t end; from < to; from = end) {
        enum rec_kind kind = saving->changes[from].kind;
        end = run_end(saving, from, to);
        if (fragments_merge(&s->texts[kind], &saving->changes[from], end - from, &next[kind]) != HC_OK)
            return false;
        tables[kind] = &next[kind];
    }
    return true;
}

/* The file is renamed: from now on its text is what is on disk. */
static void adopt(struct store *s, struct data_file *file, struct saving *saving, size_t from, size_t to,
                  struct fragments next[REC_SAVED_KINDS])
{
    for (size_t end; from < to; from = end) {
        enum rec_kind kind = saving->changes[from].kind;
        end = run_end(saving, from, to);
        fragments_adopt(&s->texts[kind], &saving->changes[from], end - from, &next[kind]);
        for (size_t i = from; i < end; i++)
            saving->changes[i].text = NULL;
    }
    file_head_set(file, s->out.data, s->out.len);
    file->absent = false;
}

static enum save_outcome replace(struct store *s, struct data_file *file, uint64_t generation, struct saving *saving, size_t from,
                                 size_t to, struct fragments next[REC_SAVED_KINDS])
{
    struct os_stamp stamp;
    enum os_replace got = os_file_replace(s->dir_fd, file->name, s->out.data, s->out.len, &stamp, saving->diag);
    if (got == OS_REPLACE_NOT_WRITTEN)
        return SAVE_NOT_WRITTEN;
    adopt(s, file, saving, from, to, next);
    file->stamp = stamp;
    file->generation = generation;
    file->generation_floor = generation;
    file->unproven = got == OS_REPLACE_VISIBLE;
    return got == OS_REPLACE_VISIBLE ? SAVE_VISIBLE : SAVE_DURABLE;
}

static enum save_outcome write_file(struct store *s, struct data_file *file, struct saving *saving, size_t from, size_t to)
{
    enum save_outcome got = look_at(s, file, saving->diag);
    uint64_t generation = file->generation_floor + 1;
    if (got != SAVE_DURABLE)
        return got;
    if (generation > HC_EPOCH_MAX) {
        (void)hc_fail(saving->diag, HC_ERR_RANGE, "%s has the last generation that there is, %llu", file->path,
                      (unsigned long long)HC_EPOCH_MAX);
        return SAVE_NOT_WRITTEN;
    }
    struct fragments next[REC_SAVED_KINDS] = { 0 };
    const struct fragments *tables[REC_SAVED_KINDS];
    hc_buf_clear(&s->out);
    bool ok = merge(s, saving, from, to, next, tables);
    if (ok)
        file_write(file->sections, tables, generation, file == &s->allocation ? saving->saved_at : HC_TIME_NEVER, &s->out);
    if (ok && !s->out.failed) {
        got = replace(s, file, generation, saving, from, to, next);
    } else {
        (void)hc_fail(saving->diag, HC_ERR_NOMEM, "no memory to write %s", file->path);
        got = SAVE_NOT_WRITTEN;
    }
    for (size_t i = 0; i < REC_SAVED_KINDS; i++)
        fragments_drop(&next[i]);
    if (file == &s->nodes)
        hc_buf_free(&s->out);             /* written once a minute, and by far the larger one */
    return got;
}

static enum save_outcome write_nodes(struct store *s, struct saving *saving)
{
    bool due = saving->first_node < saving->count || s->nodes.unproven || s->nodes.absent || s->nodes_older;
    enum save_outcome got = due ? write_file(s, &s->nodes, saving, saving->first_node, saving->count) : SAVE_DURABLE;
    if (got == SAVE_DURABLE || got == SAVE_VISIBLE)
        s->nodes_older = false;
    return got;
}

static enum save_outcome write_allocation(struct store *s, struct saving *saving)
{
    /* A cut of nothing is the start's save, or a probe of a store that was down: it must prove something. */
    bool due = saving->first_node > 0 || saving->count == 0 || s->allocation.unproven || s->allocation.absent || s->nodes_older;
    return due ? write_file(s, &s->allocation, saving, 0, saving->first_node) : SAVE_DURABLE;
}

static void write_both(struct store *s, struct saving *saving, struct save_result *result)
{
    if (s->nodes_older) {
        /* The safe mode is on disk before nodes.yaml stops to say why (rules §3.7). */
        result->allocation = write_allocation(s, saving);
        if (result->allocation == SAVE_DURABLE)
            result->nodes = write_nodes(s, saving);
        return;
    }
    result->nodes = write_nodes(s, saving);
    if (result->nodes == SAVE_DURABLE)
        result->allocation = write_allocation(s, saving);
}

struct save_result file_save(struct store *s, const struct cut *cut)
{
    struct save_result result = { .nodes = SAVE_NOT_WRITTEN, .allocation = SAVE_NOT_WRITTEN };
    enum save_outcome nodes = look_at(s, &s->nodes, &result.diag), allocation = look_at(s, &s->allocation, &result.diag);
    if (nodes == SAVE_FOREIGN)
        result.nodes = nodes;
    if (allocation == SAVE_FOREIGN)
        result.allocation = allocation;
    if (nodes != SAVE_DURABLE || allocation != SAVE_DURABLE)
        return result;
    struct saving saving = { .saved_at = cut->saved_at, .diag = &result.diag };
    if (saving_make(s, cut, &saving) == HC_OK)
        write_both(s, &saving, &result);
    else
        (void)hc_fail(&result.diag, HC_ERR_NOMEM, "no memory to format %zu records", cut->count);
    saving_free(&saving);
    return result;
}
