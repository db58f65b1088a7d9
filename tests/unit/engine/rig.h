/* rig.h - an engine over a store that does what a script says, driven as the daemon's loop drives it: poll on the eventfd, dispatch, tick.
 *
 * Every wait is on a condition and bounded (RIG_WAIT_MS); nothing sleeps. */
#ifndef ENGINE_RIG_H
#define ENGINE_RIG_H

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "hydra/engine/engine.h"

#define RIG_WAIT_MS    10000
#define RIG_SCRIPT_MAX 64
#define RIG_LOG_SIZE   65536

struct fake_store {                  /* behind store_ops; its own lock, for the commit thread calls it */
    pthread_mutex_t mutex; pthread_cond_t moved;
    struct save_result script[RIG_SCRIPT_MAX]; size_t script_count, script_at;      /* after the script: durable */
    bool hang, hanging;              /* hang: save() waits until it is taken back */
    int hang_fd;                     /* eventfd: a save hangs */
    unsigned saves, loads;
    unsigned fail_after;             /* once: this allocation of the commit thread after the next save fails (1 = its next) */
    size_t last_items;               /* in the newest cut */
    uint64_t generation;
    char log[RIG_LOG_SIZE]; size_t log_len;      /* "kind:key " of each cut, "-kind:key " removed, "; " between saves */
    struct alloc *(*foreign)(const struct core_config *core); /* what load() gives; NULL: load_err */
    enum hc_err load_err; const char *load_diag;
    bool foreign_downgrade;
};
extern const struct store_ops fake_ops;
void fake_script(struct fake_store *store, enum save_outcome nodes, enum save_outcome allocation);
void fake_hang(struct fake_store *store, bool hang);
unsigned fake_saves(struct fake_store *store);
unsigned fake_loads(struct fake_store *store);

struct rig {
    struct journal *journal;        /* NULL: nothing is recorded; set before rig_start() */
    struct fake_store store;
    struct core_config core;
    struct metrics *metrics;
    struct feed *feed;
    struct engine *engine;
    char dir[64];
    int wake_fd;
    unsigned answered;               /* counts `done` calls: the order of answers */
    char news[8192]; size_t news_len;/* "kind:key " each; "end " */
};
struct ask {                         /* one operation and what became of it */
    struct engine_op op;
    struct rig *rig;
    unsigned calls, order;           /* order: from 1 */
    enum engine_outcome outcome; enum hc_err err;
    enum core_answer answer; enum deny_reason deny;
    char id[HC_ID_SIZE], lease_id[HC_ID_SIZE], claim_token[CLAIM_TOKEN_SIZE];
};

extern int64_t rig_clock_offset_ms;              /* added to the daemon's time that the engine sees; change it while no save is under way */
void rig_make(struct rig *rig);                  /* everything but the engine */
void rig_start(struct rig *rig, struct alloc *loaded);      /* NULL: an empty state */
void rig_open(struct rig *rig);                  /* make and start, empty */
void rig_close(struct rig *rig);
void rig_turn(struct rig *rig);                  /* one turn of the loop: waits at most 10 ms */
/* Turns until the condition holds; fails the test after RIG_WAIT_MS. */
#define RIG_UNTIL(rig, condition) \
    do { \
        int64_t rig_end_ms = rig_ms() + RIG_WAIT_MS; \
        while (!(condition) && rig_ms() < rig_end_ms) \
            rig_turn(rig); \
        assert_true(condition); \
    } while (0)
int64_t rig_ms(void);
void rig_until_hanging(struct rig *rig);         /* a save is under way and hangs; does not turn the loop */
bool rig_saved(struct rig *rig, const char *text);           /* is it in the store's log? */
uint32_t rig_count(struct rig *rig, const char *series);     /* value of a metric's line, 0 when absent */
size_t rig_events(struct rig *rig, enum note_type type);     /* published ones in the ring */

void ask_venue(struct rig *rig, struct ask *ask, const char *name);               /* changes nodes.yaml */
void ask_slots(struct rig *rig, struct ask *ask, const char *body_id, uint32_t slots_total);    /* changes allocation.yaml */
void ask_enrol(struct rig *rig, struct ask *ask, const char *name, const char *token_hash);
void ask_nothing(struct rig *rig, struct ask *ask);          /* a step that changes no record */
void ask_init(struct rig *rig, struct ask *ask, enum core_event_type type);
void ask_send(struct ask *ask);

/* Records for a loaded state; a body has one slot, its node is approved. */
void put_node(struct alloc *alloc, const char *id, uint32_t roles, const char *token_hash);
void put_body(struct alloc *alloc, const char *id);
bool committed_has(struct rig *rig, enum rec_kind kind, const char *key);

#endif
