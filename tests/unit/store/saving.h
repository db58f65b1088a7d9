/* saving.h - what tests of save and load share: a store on a folder, cuts, and checks of what is on disk. */
#ifndef TESTS_UNIT_STORE_SAVING_H
#define TESTS_UNIT_STORE_SAVING_H

#include "folder.h"
#include "hydra/base/arena.h"
#include "hydra/store/store.h"
#include "states.h"

#define SAVED_AT ((hc_time){ 1757000123456 })

struct store *open_store(const struct folder *folder);                       /* asserts that it opens */
struct alloc *load_state(struct store *store, struct load_facts *ret_facts); /* asserts that it loads; alloc_free() it */

#define CUT_MAX 64
struct test_cut { struct cut_item items[CUT_MAX]; struct cut cut; };
void cut_start(struct test_cut *cut);
void cut_put(struct test_cut *cut, struct rec *rec);                         /* takes the reference */
void cut_remove(struct test_cut *cut, enum rec_kind kind, const char *key);
void cut_apply(const struct test_cut *cut, struct alloc *to, bool allocation, bool nodes);      /* to a model of what should be on disk */
void cut_free(struct test_cut *cut);

struct save_result save_rec(struct store *store, struct rec *rec);           /* a cut of one; takes the reference */
void assert_outcome(const struct save_result *result, enum save_outcome nodes, enum save_outcome allocation);
/* The files are, byte for byte, what the state formats to. */
void assert_on_disk(const struct folder *folder, const struct alloc *state, uint64_t allocation_generation, uint64_t nodes_generation);
uint64_t generation_of(const struct folder *folder, const char *name);
void replace_text(const struct folder *folder, const char *name, const char *from, const char *to);      /* in place, the first one */

#endif
