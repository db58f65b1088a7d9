#include "fragment.h"

#include <assert.h>
#include <string.h>

#include "document.h"
#include "hydra/base/arena.h"
#include "record_text.h"

struct fragment *fragment_new(const struct rec *rec, struct hc_buf *scratch)
{
    size_t ends[RECORD_PARTS], key_len = strlen(rec->key);
    hc_buf_clear(scratch);
    for (unsigned part = 0; part < RECORD_PARTS; part++) {
        if (part == 0 || rec->kind == REC_DISTRICT || rec->kind == REC_CAP)
            record_write(rec, part, scratch);
        ends[part] = scratch->len;
    }
    struct fragment *text = scratch->failed ? NULL : hc_alloc(sizeof *text + scratch->len + key_len + 1);
    if (text == NULL)
        return NULL;
    size_t start = 0;
    for (unsigned part = 0; part < RECORD_PARTS; part++) {
        text->parts[part].len = ends[part] - start;
        if (ends[part] > start)
            text->parts[part].lines = document_lines(scratch->data + start, ends[part] - start);
        start = ends[part];
    }
    if (scratch->len > 0)
        memcpy(text->bytes, scratch->data, scratch->len);
    memcpy(text->bytes + scratch->len, rec->key, key_len + 1);
    text->key = text->bytes + scratch->len;
    return text;
}

enum hc_err fragments_merge(const struct fragments *cache, struct fragment_change *changes, size_t count, struct fragments *ret_next)
{
    struct fragment **at = hc_alloc((cache->count + count) * sizeof at[0]);
    if (at == NULL)
        return HC_ERR_NOMEM;
    size_t made = 0, old = 0;
    for (size_t i = 0; i < count; i++) {
        assert(i == 0 || strcmp(changes[i - 1].key, changes[i].key) < 0);
        while (old < cache->count && strcmp(cache->at[old]->key, changes[i].key) < 0)
            at[made++] = cache->at[old++];
        bool there = old < cache->count && strcmp(cache->at[old]->key, changes[i].key) == 0;
        changes[i].old = there ? cache->at[old++] : NULL;
        if (changes[i].text != NULL)
            at[made++] = changes[i].text;
    }
    if (old < cache->count)
        memcpy(at + made, cache->at + old, (cache->count - old) * sizeof at[0]);
    *ret_next = (struct fragments){ at, made + cache->count - old };
    return HC_OK;
}

void fragments_adopt(struct fragments *cache, const struct fragment_change *changes, size_t count, struct fragments *next)
{
    for (size_t i = 0; i < count; i++)
        hc_free(changes[i].old);
    hc_free(cache->at);
    *cache = *next;
    *next = (struct fragments){ 0 };
}

void fragments_drop(struct fragments *next)
{
    hc_free(next->at);
    *next = (struct fragments){ 0 };
}

void fragments_free(struct fragments *cache)
{
    for (size_t i = 0; i < cache->count; i++)
        hc_free(cache->at[i]);
    fragments_drop(cache);
}

static enum hc_err fragments_of_kind(const struct alloc *from, enum rec_kind kind, struct hc_buf *scratch, struct fragments *ret)
{
    struct fragments made = { 0 };
    size_t count = alloc_count(from, kind);
    made.at = hc_alloc(count * sizeof made.at[0]);
    if (made.at == NULL)
        return HC_ERR_NOMEM;
    for (; made.count < count; made.count++) {
        made.at[made.count] = fragment_new(alloc_at(from, kind, made.count), scratch);
        if (made.at[made.count] == NULL) {
            fragments_free(&made);
            return HC_ERR_NOMEM;
        }
    }
    *ret = made;
    return HC_OK;
}

enum hc_err fragments_of(const struct alloc *from, const struct file_sections *sections, struct fragments *kinds)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf scratch = { 0 };
    for (size_t i = 0; i < sections->count; i++) {
        enum rec_kind kind = sections->at[i].kind;
        if (sections->at[i].part != 0)       /* the kind was taken with its first part */
            continue;
        enum hc_err err = fragments_of_kind(from, kind, &scratch, &kinds[kind]);
        if (err != HC_OK)
            return err;                      /* what was made stays in `kinds` and is the caller's to free */
    }
    return HC_OK;
}

static size_t write_section(const struct section *section, const struct fragments *texts, struct hc_buf *out)
{
    size_t lines = 1, before = out->len;
    bool empty = true;
    yaml_write_indent(section->group == NULL ? 0 : 2, out);
    hc_buf_str(out, section->key);
    hc_buf_char(out, ':');
    for (size_t i = 0; i < texts->count; i++) {
        const struct fragment *text = texts->at[i];
        if (text->parts[section->part].len == 0)
            continue;
        if (empty)
            hc_buf_char(out, '\n');
        empty = false;
        hc_buf_add(out, text->bytes + (section->part == 0 ? 0 : text->parts[0].len), text->parts[section->part].len);
        lines += text->parts[section->part].lines;
    }
    if (empty && section->when_used && !out->failed) {
        out->len = before;
        return 0;
    }
    if (empty)
        hc_buf_str(out, section->list ? " []\n" : " {}\n");
    return lines;
}

void file_write(const struct file_sections *sections, const struct fragments *const kinds[REC_SAVED_KINDS], uint64_t generation,
                hc_time saved_at, struct hc_buf *out)
{
    const char *group = NULL;
    document_write_head(generation, saved_at, out);
    size_t lines = hc_time_set(saved_at) ? 3 : 2;
    for (size_t i = 0; i < sections->count; i++) {
        const struct section *section = &sections->at[i];
        if (section->group != NULL && section->group != group) {
            hc_buf_str(out, section->group);
            hc_buf_str(out, ":\n");
            lines++;
        }
        group = section->group;
        lines += write_section(section, kinds[section->kind], out);
    }
    document_write_end(generation, lines, out);
}
