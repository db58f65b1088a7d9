#include <stdio.h>
#include <string.h>

#include "files.h"
#include "hydra/base/arena.h"
#include "hydra/codec/yaml.h"
#include "hydra/core/records.h"
#include "hydra/os/clock.h"
#include "store_file.h"

#define COPY_PREFIX NODES_FILE ".before-upgrade-"

/* What is on disk, and what it says. The store takes it over only when all of it is good. */
struct found {
    char *text; size_t len;                 /* NULL: there is no such file */
    struct os_stamp stamp;
};
struct loading {
    struct found nodes, allocation;
    struct alloc *alloc;
    struct load_facts facts;
    struct fragments texts[REC_SAVED_KINDS];
};

static void loading_free(struct loading *l)
{
    hc_free(l->nodes.text);
    hc_free(l->allocation.text);
    alloc_free(l->alloc);
    for (size_t i = 0; i < REC_SAVED_KINDS; i++)
        fragments_free(&l->texts[i]);
}

static enum hc_err find(const struct store *s, const struct data_file *file, struct found *found, struct hc_diag *diag)
{
    enum hc_err err = os_file_read(s->dir_fd, file->name, YAML_BYTES_MAX, &found->text, &found->len, &found->stamp, diag);
    if (err != HC_ERR_NOTFOUND)
        return err;
    *found = (struct found){ 0 };
    return HC_OK;
}

static bool knows_a_body(const struct alloc *alloc)
{
    for (size_t i = 0; i < alloc_count(alloc, REC_NODE); i++)
        if ((((const struct node_rec *)alloc_at(alloc, REC_NODE, i))->roles & ROLE_BODY) != 0)
            return true;
    return false;
}

static enum hc_err parse(const struct store *s, struct loading *l, struct hc_diag *diag)
{
    enum hc_err err = HC_OK;
    if (l->nodes.text != NULL)
        err = store_parse_nodes(s->nodes.path, l->nodes.text, l->nodes.len, l->alloc, &l->facts.downgrade, diag);
    if (err == HC_OK && l->allocation.text != NULL)
        err = store_parse_allocation(s->allocation.path, l->allocation.text, l->allocation.len, l->alloc, &l->facts.saved_at, diag);
    if (err != HC_OK)
        return err;
    if (l->nodes.text == NULL && alloc_count(l->alloc, REC_BODY) > 0)
        return hc_fail(diag, HC_ERR_SCHEMA, "%s:1:1: nodes: the file is missing, but %s has bodies", s->nodes.path, s->allocation.path);
    l->facts.allocation_missing = l->allocation.text == NULL && knows_a_body(l->alloc);
    return HC_OK;
}

/* Once for each file that an older binary wrote: it is all there is of what our reader passed over. */
static enum hc_err keep_copy(struct store *s, const struct found *nodes, struct hc_diag *diag)
{
    if (os_stamp_same(&s->copied, &nodes->stamp))
        return HC_OK;
    char name[sizeof COPY_PREFIX + HC_TIME_TEXT_SIZE], time[HC_TIME_TEXT_SIZE];
    hc_time_format(os_wall(), time);
    (void)snprintf(name, sizeof name, COPY_PREFIX "%s", time);
    if (os_file_replace(s->dir_fd, name, nodes->text, nodes->len, NULL, diag) != OS_REPLACE_DURABLE)
        return HC_ERR_IO;
    s->copied = nodes->stamp;
    return HC_OK;
}

static void adopt_file(struct data_file *file, const struct found *found, uint64_t generation)
{
    file->unproven = file->unproven && os_stamp_same(&file->stamp, &found->stamp);     /* reading proves nothing of the disk */
    file->stamp = found->stamp;
    file_head_set(file, found->text, found->len);
    file->generation = generation;
    if (file->generation_floor < generation)
        file->generation_floor = generation;
    file->absent = found->text == NULL;
}

static void adopt(struct store *s, struct loading *l)
{
    adopt_file(&s->nodes, &l->nodes, l->alloc->nodes_generation);
    adopt_file(&s->allocation, &l->allocation, l->alloc->generation);
    s->nodes_older = l->facts.downgrade;
    for (size_t i = 0; i < REC_SAVED_KINDS; i++) {
        fragments_free(&s->texts[i]);
        s->texts[i] = l->texts[i];
        l->texts[i] = (struct fragments){ 0 };
    }
}

enum hc_err file_load(struct store *s, const struct core_config *config, struct alloc **ret_alloc, struct load_facts *ret_facts,
                      struct hc_diag *diag)
{
    struct loading l = { 0 };
    enum hc_err err = alloc_new(config, &l.alloc);
    if (err == HC_OK)
        err = find(s, &s->nodes, &l.nodes, diag);
    if (err == HC_OK)
        err = find(s, &s->allocation, &l.allocation, diag);
    if (err == HC_OK)
        err = parse(s, &l, diag);
    if (err == HC_OK)
        err = fragments_of(l.alloc, &nodes_sections, l.texts);
    if (err == HC_OK)
        err = fragments_of(l.alloc, &allocation_sections, l.texts);
    if (err == HC_ERR_NOMEM)
        (void)hc_fail(diag, err, "no memory to load %s and %s", s->nodes.path, s->allocation.path);
    if (err == HC_OK && l.facts.downgrade)
        err = keep_copy(s, &l.nodes, diag);
    if (err == HC_OK) {
        adopt(s, &l);
        *ret_alloc = l.alloc;
        *ret_facts = l.facts;
        l.alloc = NULL;
    }
    loading_free(&l);
    return err;
}
