/* converge.h - from what the newest directive wants to what one slot's host has: the next thing to do, one at a time. Pure (rules §6.1,
 * §10.4, §13; seed I4, I11, E3).
 *
 * The order: the floor, before anything of a directive is applied; a terminate; an application that runs on after its lease; the lists;
 * application entries, only while the host is idle; the gate; evictions; trust. A directive below the floor or older than
 * directiveFreshness changes nothing; neither does a host or a list that is not known. A live stream ends only by a terminate or an evict
 * of the cluster, never by what is seen here.
 *
 * The caller asks converge_next(), tells converge_will() (and saves the memory's `shut` when that says so), carries the step out, tells
 * converge_did(), and asks again. */
#ifndef BODY_CONVERGE_H
#define BODY_CONVERGE_H

#include "hydra/base/arena.h"
#include "hydra/proto/directive.h"

#include "gate.h"
#include "sessions.h"
#include "trust.h"

#define CONVERGE_CLOSE_MS     ((int64_t)60 * 1000)      /* between two closes of a viewed session on a slot (rules §13.2) */
/* Between two closes of one application that nobody views (its own exit takes 5 s), or after one that did not reach the host: well within
 * the cluster's drainGrace. */
#define CONVERGE_RECLOSE_MS   ((int64_t)10 * 1000)

enum list_state {
    LIST_UNREAD,                        /* never read, or changed by somebody since: converge asks for it */
    LIST_KNOWN,
    LIST_CHANGED,                       /* as read, with our own flips entered: enough to go on; read back before anything is applied */
    LIST_UNREADABLE                     /* the last read failed or did not parse; the caller tries again in its own time (LIST_UNREAD) */
};

/* What one slot remembers from step to step. Zero at first; `shut` from session_file.h; converge_forget() frees. */
struct converge_memory {
    bool closed; int64_t closed_ms;     /* the last close that was asked for */
    bool close_failed;                  /* and the host did not say that it did it */
    uint64_t applied_epoch;             /* the newest that was completely in place */
    uint64_t ready_epoch;               /* the newest that ever was: the head of that lease may launch at any moment */
    uint64_t told_below;                /* epoch of the last epoch_below_floor event, plus 1 */
    char evicting[HC_ID_SIZE];          /* shut only to end its session: let in again when it has ended */
    char **shut; size_t shut_count;     /* uuids that this agent has shut out and not let in again */
};

struct converge_facts {
    uint32_t slot;
    int64_t now_ms;
    const struct desired *desired;      /* NULL: none since the agent began */
    const struct trust *trust;          /* NULL: not told */
    int64_t directive_age_ms;           /* since it was issued, by our clock */
    int64_t directive_fresh_ms;         /* directiveFreshness */
    uint64_t floor;                     /* of this slot */
    bool floor_unusable;                /* the floor's file is garbled: nothing is applied until the operator has looked */
    const struct sessions_view *sessions;
    const struct host_client *clients; size_t client_count; enum list_state clients_state;
    const char *const *published; size_t published_count; enum list_state published_state;      /* names of the host's entries */
    const char *const *experiences; size_t experience_count;    /* of which the agent keeps a pattern (entries.h) */
    unsigned features;                  /* of sunshine.h; 0: version not known */
    const char *const *maintenance; size_t maintenance_count;   /* clients that are always let in */
    const struct converge_memory *memory;
};

enum converge_do {
    CONVERGE_NOTHING,
    CONVERGE_RAISE_FLOOR,               /* floor_raise(epoch). FLOOR_NOT_WRITTEN: ask again later, nothing else is done before */
    CONVERGE_CLOSE_APP,
    CONVERGE_READ_ENTRIES, CONVERGE_READ_CLIENTS,
    CONVERGE_REMOVE_ENTRY, CONVERGE_ADD_ENTRY,          /* entry, pattern (its experience). Afterwards LIST_UNREAD */
    CONVERGE_DISABLE, CONVERGE_ENABLE,                  /* uuid. Done: enter it in the list, now LIST_CHANGED; refused: LIST_UNREAD */
    CONVERGE_UNPAIR,                                    /* uuid. Afterwards LIST_UNREAD */
    CONVERGE_DOINGS
};
const char *converge_word(enum converge_do what);       /* for logs */

struct converge_step {
    enum converge_do what;
    uint64_t epoch;
    const char *entry, *pattern, *uuid; /* borrowed from the facts */
    bool evicts;                        /* this DISABLE ends a session for the cluster's `evict` */
    bool terminates;                    /* this CLOSE_APP ends a viewed session, by the cluster's terminate */

    /* What the slot's report says, whatever there is to do. */
    uint64_t applied_epoch;
    bool below_floor;                   /* also of admit_facts */
    bool tell_below;                    /* epoch_below_floor is to be reported; once a directive */
    int gate_mode; const char *gate_reason;     /* body_gate_words; reason NULL or in the arena */
    const char *missing;                /* an entry that is wanted and has no pattern, NULL */
};
HC_MUST enum hc_err converge_next(const struct converge_facts *facts, struct hc_arena *arena, struct converge_step *ret_step);
/* Right before a step, with what the host's log says by now: a close of what nobody views is none when somebody has come back. */
bool converge_holds(const struct converge_step *step, const struct sessions_view *sessions);
/* Right before a step that holds. *ret_save: `shut` has changed, save it first: a flag that we took must be known as ours after a kill.
 * HC_ERR_NOMEM: do not carry the step out. */
HC_MUST enum hc_err converge_will(struct converge_memory *memory, const struct converge_step *step, int64_t now_ms, bool *ret_save);
/* Right after one; `done`: the host did it. True: `shut` has changed. Call it for CONVERGE_NOTHING too: it remembers what is applied. */
bool converge_did(struct converge_memory *memory, const struct converge_step *step, bool done);
HC_MUST enum hc_err converge_shut_add(struct converge_memory *memory, const char *uuid);        /* from session_file.h, at start */
void converge_forget(struct converge_memory *memory);   /* frees; zero afterwards */

#endif
