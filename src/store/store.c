#include "hydra/store/store.h"

#include <stdio.h>
#include <string.h>

#include "files.h"
#include "hydra/base/arena.h"
#include "store_file.h"

static uint64_t file_generation(const struct store *s)
{
    return s->allocation.generation;
}

const struct store_ops store_file_ops = { .load = file_load, .save = file_save, .generation = file_generation };

void file_head_set(struct data_file *file, const char *text, size_t len)
{
    file->head_len = len < FILE_HEAD_MAX ? len : FILE_HEAD_MAX;
    if (file->head_len > 0)
        memcpy(file->head, text, file->head_len);
}

static enum hc_err name_file(struct data_file *file, const char *data_dir, const char *name, const struct file_sections *sections)
{
    file->name = name;
    file->sections = sections;
    return (size_t)snprintf(file->path, sizeof file->path, "%s/%s", data_dir, name) < sizeof file->path ? HC_OK : HC_ERR_LIMIT;
}

enum hc_err store_open(const char *data_dir, struct store **ret_store, struct hc_diag *diag)
{
    struct store *s = hc_alloc(sizeof *s);
    if (s == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "no memory to open %s", data_dir);
    s->dir_fd = -1;
    s->lock_fd = -1;
    enum hc_err err = name_file(&s->nodes, data_dir, NODES_FILE, &nodes_sections);
    if (err == HC_OK)
        err = name_file(&s->allocation, data_dir, ALLOCATION_FILE, &allocation_sections);
    if (err != HC_OK)
        (void)hc_fail(diag, err, "the path of the data folder is too long");
    if (err == HC_OK)
        err = os_dir_open(data_dir, &s->dir_fd, diag);
    if (err == HC_OK)
        err = os_lock_take(s->dir_fd, LOCK_FILE, &s->lock_fd, NULL, diag);
    if (err != HC_OK) {
        store_close(s);
        return err;
    }
    *ret_store = s;
    return HC_OK;
}

struct store *store_close(struct store *s)
{
    if (s == NULL)
        return NULL;
    for (size_t i = 0; i < REC_SAVED_KINDS; i++)
        fragments_free(&s->texts[i]);
    hc_buf_free(&s->scratch);
    hc_buf_free(&s->out);
    os_close(&s->lock_fd);
    os_close(&s->dir_fd);
    hc_free(s);
    return NULL;
}
