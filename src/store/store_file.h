/* store_file.h - the store over two YAML files: what store.c, load.c and save.c share. */
#ifndef STORE_STORE_FILE_H
#define STORE_STORE_FILE_H

#include <limits.h>

#include "fragment.h"
#include "hydra/os/file.h"
#include "hydra/store/store.h"

#define FILE_HEAD_MAX 64                    /* has the first line, the generation, in it */

struct data_file {
    const char *name;                       /* in the folder */
    char path[PATH_MAX];                    /* for messages */
    const struct file_sections *sections;
    struct os_stamp stamp;                  /* of the file that we wrote or read last */
    char head[FILE_HEAD_MAX]; size_t head_len;      /* how it begins */
    uint64_t generation;                    /* in it */
    uint64_t generation_floor;              /* never written again: the highest that this process has seen in it */
    bool unproven;                          /* renamed, but the folder's fsync failed: the next save writes it again */
    bool absent;                            /* missing when loaded: the next save makes it */
};
struct store {
    int dir_fd, lock_fd;
    struct data_file nodes, allocation;
    struct fragments texts[REC_SAVED_KINDS];        /* of both files as they are on disk */
    bool nodes_older;                       /* an older binary wrote nodes.yaml: it gets its key back after allocation.yaml (rules §3.7) */
    struct os_stamp copied;                 /* the older file that was copied last */
    struct hc_buf scratch, out;
};

void file_head_set(struct data_file *file, const char *text, size_t len);

/* store_ops of the files */
HC_MUST enum hc_err file_load(struct store *s, const struct core_config *config, struct alloc **ret_alloc, struct load_facts *ret_facts,
                              struct hc_diag *diag);
struct save_result file_save(struct store *s, const struct cut *cut);

#endif
