/* store.h - the durable state behind an interface (rules §3; architecture §2). Nothing above store/ knows files.
 *
 * Threads: open and load before any other thread; save() and probe() on the commit thread only; the record versions of a cut are immutable,
 * so save() formats them without the mutex. */
#ifndef HYDRA_STORE_STORE_H
#define HYDRA_STORE_STORE_H

#include "hydra/base/buf.h"
#include "hydra/core/record.h"
#include "hydra/core/records.h"

/* version NULL: removed; the cut holds a reference */
struct cut_item { enum rec_kind kind; char key[REC_KEY_SIZE]; struct rec *version; };
struct cut { struct cut_item *items; size_t count; hc_time saved_at; };

enum save_outcome {
    SAVE_DURABLE,        /* both files (those that the cut touches) are proven on disk */
    SAVE_NOT_WRITTEN,    /* nothing of it is on disk; the old file is */
    SAVE_VISIBLE,        /* renamed, the folder's fsync failed: only a later save proves it */
    SAVE_FOREIGN         /* the file on disk is not the one that we wrote last: load() and merge */
};
/* nodes.yaml is written before allocation.yaml. An untouched file is DURABLE. allocation is NOT_WRITTEN when nodes was not DURABLE.
 * - A cut of nothing writes allocation.yaml: the save of the start, and the probe of a store that was down.
 * - What was VISIBLE, missing or an older binary's when loaded is written by the next save, touched or not.
 * - Of a file that is NOT_WRITTEN or FOREIGN the store keeps nothing: its records are rolled back, or come again with a later cut. Of a
 *   VISIBLE one it keeps everything. Both files are looked at first: when one is FOREIGN, nothing is written and the other is NOT_WRITTEN.
 * - After a downgrade (load_facts) the order is the other way round: nodes.yaml gets its key when allocation.yaml, with the safe mode that
 *   this cut must bring, is DURABLE (rules §3.7). Then allocation may be DURABLE with nodes NOT_WRITTEN. */
struct save_result { enum save_outcome nodes, allocation; struct hc_diag diag; };

struct load_facts {
    hc_time saved_at;               /* of allocation.yaml; NEVER: it was made empty */
    bool downgrade;                 /* nodes.yaml lacked schema_version: loaded leniently, a copy was kept (§3.7) */
    bool allocation_missing;        /* §3.6; with bodies known */
};
struct store;
struct store_ops {                  /* what the engine needs; tests plug a store that fails on demand */
    /* A whole new state from what is on disk. HC_ERR_SCHEMA, HC_ERR_SYNTAX: refused, diag names file, line, column and key (exit 4;
     * §3.6). HC_ERR_IO. */
    HC_MUST enum hc_err (*load)(struct store *s, const struct core_config *config, struct alloc **ret_alloc, struct load_facts *ret_facts,
                                struct hc_diag *diag);
    struct save_result (*save)(struct store *s, const struct cut *cut);
    uint64_t (*generation)(const struct store *s);      /* of allocation.yaml as last written or loaded */
};
extern const struct store_ops store_file_ops;

/* Takes the flock of DIR/allocation.yaml.lock: HC_ERR_LOCKED with the owner's PID in diag (exit 3). `init` has made the folder. */
HC_MUST enum hc_err store_open(const char *data_dir, struct store **ret_store, struct hc_diag *diag);
struct store *store_close(struct store *s);             /* accepts NULL, returns NULL; releases the lock */
/* `hydraclusterd init`: folder 0700, both files empty, `secret`. HC_ERR_EXISTS when there is a secret: nothing changed. */
HC_MUST enum hc_err store_init(const char *data_dir, struct hc_diag *diag);
HC_MUST enum hc_err store_secret(const char *data_dir, uint8_t ret_secret[32], struct hc_diag *diag);      /* HC_ERR_NOTFOUND: run init */

/* For tests, fuzzing and `replay`: the texts alone. */
HC_MUST enum hc_err store_parse_allocation(const char *file, const char *text, size_t len, struct alloc *into, hc_time *ret_saved_at,
                                           struct hc_diag *diag);
HC_MUST enum hc_err store_parse_nodes(const char *file, const char *text, size_t len, struct alloc *into, bool *ret_downgrade,
                                      struct hc_diag *diag);
HC_MUST enum hc_err store_format_allocation(const struct alloc *from, uint64_t generation, hc_time saved_at, struct hc_buf *out);
HC_MUST enum hc_err store_format_nodes(const struct alloc *from, uint64_t generation, struct hc_buf *out);

#endif
