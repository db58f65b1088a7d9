/* slot_loop.h - one slot's thread: the three witnesses, the host's lists, and the steps of converge.h carried out.
 *
 * slot_loop.c turns, slot_reads.c looks at the host, slot_steps.c changes it. All fields are the thread's own. */
#ifndef BODY_SLOT_LOOP_H
#define BODY_SLOT_LOOP_H

#include "agent_state.h"
#include "converge.h"
#include "floor.h"
#include "log_follow.h"
#include "pattern_file.h"

#define SLOT_TURN_MS       250          /* how soon a line of the host's log is seen */
#define SLOT_LOOK_MS       5000         /* rules §13.4: an application's own exit is noticed by nothing else */
#define SLOT_LOOK_FAST_MS  1000
#define SLOT_LISTS_MS      60000        /* lists are read anew, for what people change in Sunshine's own page */
#define SLOT_AGAIN_MS      5000         /* and what could not be read is tried again */
#define SLOT_HOST_CALL_MS  2000
#define SLOT_WEB_CALL_MS   3000
#define SLOT_STEPS_MAX     64           /* in one turn */

struct app_names { struct hc_arena arena; const char **names; size_t count; };

struct slot_loop {
    struct slot *slot;
    struct agent *agent;
    struct sunshine_api *api;
    struct floor floor; bool floor_unusable;
    struct converge_memory memory;
    struct log_follow log;
    struct hc_buf saved;                /* of sessions.json, as written last */
    bool save_failed;
    struct patterns patterns; bool patterns_unsaved;
    struct app_names apps; enum list_state apps_state; bool apps_own_change;
    struct kept_clients *clients; enum list_state clients_state;
    enum host_state host; bool looked;  /* as it answered last; looked: there was a last time */
    int64_t look_at_ms, lists_at_ms, reread_at_ms, tick_at_ms, step_at_ms;
    unsigned step_failures;
    char lease_id[HC_ID_SIZE], device_uid[HC_ID_SIZE];     /* of the directive that was looked at last */
    uint64_t missing_told;              /* hash of the entry without a pattern that was told last */
};

/* Opens the slot's folder and all that stands in it, and tells the sessions what an earlier agent kept. Before the threads. */
HC_MUST enum hc_err slot_open(struct slot *slot, struct hc_diag *diag);
void slot_close(struct slot *slot);     /* accepts one that was not opened */
void slot_main(void *slot);             /* the thread */

/* slot_reads.c */
void slot_look(struct slot_loop *l);                    /* /serverinfo */
void slot_read_log(struct slot_loop *l);
void slot_read_apps(struct slot_loop *l);
void slot_read_clients(struct slot_loop *l);
void slot_read_certificate(struct slot_loop *l);
void slot_show_experiences(struct slot_loop *l);        /* what patterns say, in the report */
/* How a call to the web API ended: shown, and logged when it is news. */
void slot_web_was(struct slot_loop *l, enum sunshine_outcome outcome, enum web_call call, const struct hc_diag *diag);

/* slot_steps.c: carries out what is next until there is nothing, or a step fails. */
void slot_converge(struct slot_loop *l);
bool slot_save(struct slot_loop *l);                    /* sessions.json; false: the disk did not take it */
bool slot_host_is_idle(void *slot_loop);                /* sunshine_access.idle: looks again, and holds hooks off meanwhile */

#endif
