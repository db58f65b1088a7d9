/* parse.c - the texts alone: for tests, fuzzing, replay, and what load and init are made of. */
#include "document.h"
#include "file_read.h"
#include "fragment.h"
#include "hydra/store/store.h"

enum hc_err store_parse_allocation(const char *file, const char *text, size_t len, struct alloc *into, hc_time *ret_saved_at,
                                   struct hc_diag *diag)
{
    struct document doc = { .file = file, .text = text, .len = len, .has_saved_at = true };
    enum hc_err err = file_read(&doc, &allocation_sections, into, diag);
    if (err != HC_OK)
        return err;
    into->generation = doc.generation;
    *ret_saved_at = doc.saved_at;
    return HC_OK;
}

enum hc_err store_parse_nodes(const char *file, const char *text, size_t len, struct alloc *into, bool *ret_downgrade, struct hc_diag *diag)
{
    struct document doc = { .file = file, .text = text, .len = len, .may_be_older = true };
    enum hc_err err = file_read(&doc, &nodes_sections, into, diag);
    if (err != HC_OK)
        return err;
    into->nodes_generation = doc.generation;
    *ret_downgrade = doc.older;
    return HC_OK;
}

static enum hc_err format(const struct alloc *from, const struct file_sections *sections, uint64_t generation, hc_time saved_at,
                          struct hc_buf *out)
{
    struct fragments kinds[REC_SAVED_KINDS] = { 0 };
    const struct fragments *tables[REC_SAVED_KINDS];
    enum hc_err err = fragments_of(from, sections, kinds);
    for (size_t i = 0; i < REC_SAVED_KINDS; i++)
        tables[i] = &kinds[i];
    if (err == HC_OK)
        file_write(sections, tables, generation, saved_at, out);
    for (size_t i = 0; i < REC_SAVED_KINDS; i++)
        fragments_free(&kinds[i]);
    return err == HC_OK && out->failed ? HC_ERR_NOMEM : err;
}

enum hc_err store_format_allocation(const struct alloc *from, uint64_t generation, hc_time saved_at, struct hc_buf *out)
{
    return format(from, &allocation_sections, generation, saved_at, out);
}

enum hc_err store_format_nodes(const struct alloc *from, uint64_t generation, struct hc_buf *out)
{
    return format(from, &nodes_sections, generation, HC_TIME_NEVER, out);
}
