/* engine_state.h - what the files of the engine share.
 *
 * Whose is what: fields under "mutex" are touched with the mutex held, by either thread; fields under "loop" by the loop thread alone.
 * `done`, news, the feed and the store are never called with the mutex held; core_step() is, for it is pure and short.
 *
 * Sequence numbers: live_seq counts steps that changed a record. What is durable is every step up to durable_seq. An operation waits for
 * live_seq as it was after its own step. The list of waiting operations is therefore in order of wait_seq.
 *
 * States that a roll-back goes to:
 *   normally            `committed`, the copy of the last save
 *   forward_only        after a rename that is not proven, or a merge with a foreign file: `floor`, the live state of that moment. The keys
 *                       of `held` then differ from what is proven, and are part of every cut until a save succeeds. Without memory for a
 *                       floor nothing is rolled back: what was answered 503 may then come true later, which 503 allows. */
#ifndef ENGINE_ENGINE_STATE_H
#define ENGINE_ENGINE_STATE_H

#include <pthread.h>

#include "hydra/engine/engine.h"
#include "hydra/journal/journal.h"
#include "hydra/os/worker.h"

#define PROBE_EVERY_MS    1000         /* store down: one save a second (rules §3.5) */
#define SAVE_HANGS_MS     10000        /* a save that takes longer is told as an ailing store */
#define FOREIGN_TRIES_MAX 5            /* rules §3.3 */
#define WAITING_MAX       65536        /* operations; above every limit of connections */
#define NOTES_HELD_MAX    200000       /* notes that wait for a save; then the oldest go, and history is read from the store again */
#define GROUP_PARTS       2
#define GATHER_MAX_US     3000         /* the next group waits no longer for those who have just been answered; nor half the last save */

struct note_batch { uint64_t seq; struct core_note *notes; size_t count; struct note_batch *next; };
struct note_queue { struct note_batch *head, *tail; size_t notes; };

struct op_list { struct engine_op *head, *tail; };

/* One cut on its way to the disk. The second part is saved after the first: removals of nodes, for there allocation
 * goes first (rules §3.1). At a downgrade the store itself turns the order round (rules §3.7). */
struct group {
    struct cut parts[GROUP_PARTS];
    struct save_result results[GROUP_PARTS];
    uint64_t seq, generation;
    struct group *next;
};

#define VENUES_REMEMBERED 64
struct venue_answer { char venue[HC_NAME_SIZE]; bool known; int64_t until_ms; };      /* venue_label.c */
/* The step that the journal has not written yet: facts and references taken under the mutex, written without it. */
struct recorder {
    bool pending; struct journal_step step;
    struct journal_change *changes; size_t size, count;
    bool logged_ok; uint64_t dropped;
};

struct observed_key { enum rec_kind kind; char key[HC_ID_SIZE]; };
struct node_token;                       /* node_tokens.c */

struct engine {
    struct engine_config config;
    const struct timers *timers;
    struct os_worker committer;
    pthread_mutex_t mutex;

    /* mutex */
    pthread_cond_t work;
    int64_t locked_us;
    struct alloc *live, *committed, *floor;
    struct observed *obs;
    struct node_token *tokens; bool tokens_incomplete;
    uint64_t live_seq, durable_seq, floor_seq, generation, saves;
    bool stop, probe, forward_only;
    bool store_ok, recovered;            /* recovered: a save succeeded; the loop tells the core before store_ok is true again */
    bool stalled;                        /* memory ran out in the engine: try again within a second */
    hc_time down_at;
    int64_t saving_since_ms;             /* 0: no save under way */
    size_t saving_count;                 /* records in it */
    int64_t gather_until_us;             /* the next group is taken then, or when so many operations wait as did at the last save's end */
    size_t gather_count; bool gathering; /* gathering: the commit thread waits so; it is woken for that alone */
    char detail[HC_DIAG_SIZE];
    unsigned foreign_tries;
    struct group *held;                  /* keys alone */
    struct group *unapplied;             /* durable, not yet in `committed` for want of memory */
    struct group *reverting;             /* rolled back in part for want of memory: `live` is not usable */
    struct alloc *foreign; struct group *foreign_group; struct load_facts foreign_facts;      /* loaded, to be merged by the loop */
    struct op_list waiting, ready;
    size_t waiting_count; int64_t first_deadline_ms;
    struct note_queue notes_held, notes_out;
    struct group *news, *news_tail;
    bool rescan;                         /* ended leases may be unknown to the history: look through the store */

    /* loop */
    struct recorder recorder;            /* its references are given back under the mutex */
    struct op_list due;
    struct note_batch *spare;
    struct observed_key *seen; size_t seen_count, seen_size; bool seen_any;
    engine_news_fn *news_fn; void *news_ctx;
    bool logged_ok;
    struct venue_answer venues[VENUES_REMEMBERED];
    int64_t next_tick_ms, next_probe_ms, next_publish_ms, next_rescan_ms;
};

/* mutex.c */
void engine_lock(struct engine *e);
void engine_unlock(struct engine *e);      /* measures the hold */
void engine_wait(struct engine *e);        /* on `work`; the wait is no hold */
void engine_wait_until(struct engine *e, int64_t until_us);      /* the same, at most until that monotonic time */
void engine_wake_loop(const struct engine *e);

/* op_list.c */
void op_push(struct op_list *list, struct engine_op *op);
void op_remove(struct op_list *list, struct engine_op *op);
struct engine_op *op_pop(struct op_list *list);

/* submit.c; the mutex is held */
HC_MUST enum hc_err engine_step(struct engine *e, struct core_event *ev, hc_time now, struct core_result *result);
bool engine_spare(struct engine *e);       /* memory for the notes of one step is there; false: none */
void engine_finish(struct engine *e, struct engine_op *op);      /* without the mutex: counts, `done`, frees the result */
void engine_resolve(struct engine *e, enum engine_outcome outcome, uint64_t upto);      /* waiting ones up to that sequence become ready */

/* group.c; the mutex is held */
HC_MUST enum hc_err group_take(struct engine *e, struct group **ret_group);
void group_free(struct group *group);                            /* versions too; accepts NULL */
void group_drop_versions(struct group *group);                   /* the keys stay */
/* Keys of all records of both states: what must be saved after a merge. */
HC_MUST enum hc_err group_of_all(const struct alloc *a, const struct alloc *b, struct group **ret_group);

/* commit.c */
void engine_commit_main(void *engine);
void engine_commit_once(struct engine *e);       /* the mutex is held before and after, not during the save */

/* outcome.c; the mutex is held. Each takes the group. */
void outcome_settle(struct engine *e, struct group *group);      /* not for SAVE_FOREIGN */
void outcome_commit(struct engine *e, struct group *group);
void outcome_revert(struct engine *e, struct group *group);
void outcome_down(struct engine *e, const char *detail, hc_time since);
enum save_outcome outcome_of(const struct group *group);         /* the worst of its parts */

/* foreign.c: what the commit thread learned, done on the loop thread with the mutex held; everything on the loop calls settle first. */
void engine_settle(struct engine *e, hc_time now);
bool engine_usable(const struct engine *e);      /* false: `live` may not be stepped now */

/* notes_out.c */
void notes_push(struct note_queue *queue, struct note_batch *batch);
void notes_free(struct note_queue *queue);
void notes_release(struct engine *e);                            /* held ones that are durable go out; mutex */
void notes_drop_after(struct engine *e, uint64_t seq);           /* mutex */
void notes_hold(struct engine *e, struct core_result *result);   /* takes them from the result; the spare must be there; mutex */
void notes_hold_outage(struct engine *e, hc_time now);           /* store_down, store_up; mutex */
void notes_publish(struct engine *e, int64_t now_ms);            /* loop, without the mutex */

/* history_out.c; loop, without the mutex */
void history_ended(struct engine *e, const struct note_batch *chain);
void history_rescan(struct engine *e, int64_t now_ms);
void history_written(struct engine *e);
void history_fill_pools(struct engine *e);                       /* at start */

/* node_tokens.c; the mutex is held */
void tokens_change(struct engine *e, const struct node_rec *old, const struct node_rec *now);
void tokens_fill(struct engine *e);
void tokens_free(struct engine *e);

/* venue_label.c; loop, without the mutex. The venue, or VENUE_OTHER. */
const char *venue_label(struct engine *e, const char *venue);

/* recorder.c: the flight recorder; loop */
void recorder_before(struct engine *e, const struct core_event *ev);      /* mutex */
void recorder_after(struct engine *e, const struct core_event *ev, enum hc_err err, const struct core_result *result);      /* mutex */
/* Before the event or its result goes away; without the mutex where answers wait for it. */
void recorder_write(struct engine *e);
void recorder_state_changed(struct engine *e);     /* by no event: either thread */
void recorder_tell(struct engine *e);              /* health to log and metrics, without the mutex */
bool recorder_stop(struct engine *e, int64_t most_ms);      /* false: its thread still uses the engine */
void recorder_free(struct engine *e);              /* it is stopped */

/* tally.c */
void tally_start(const struct engine *e);                        /* what counts from 0 before it first happens */
void tally_notes(struct engine *e, const struct core_note *notes, size_t count);
void tally_answer(struct engine *e, const struct engine_op *op);
void tally_save(const struct engine *e, enum save_outcome outcome, int64_t took_us);

#endif
