/* sessions.h - what runs on one slot's host, put together from three witnesses that each see a part. Pure (rules §10.5, §13.2 to §13.4).
 *
 *   hooks        a launch begins, with its application's name; its application was ended. They miss joins, disconnects, a killed host.
 *   the log      viewers come and go, by number, without a name.
 *   /serverinfo  an application runs or none does. It says "none" while a launch is still being prepared.
 *
 * What is not known is occupied: while a host does not answer, a session that it had is still shown, and a slot that was idle is not named
 * in the report. FREE ends what was there, but only when it was asked after the last sign of life. Nothing here reads a clock: `now_ms` is
 * os_monotonic_ms(), which goes on while the agent is dead and begins anew with the machine.
 *
 * Every input returns whether what a report says has changed: then report at once. */
#ifndef BODY_SESSIONS_H
#define BODY_SESSIONS_H

#include "hydra/base/id.h"
#include "hydra/proto/body_status.h"

#include "admit.h"
#include "log_line.h"

#define SESSIONS_START_MS       ((int64_t)60 * 1000)    /* hook to application: what its prep commands may take; then the launch failed */
#define SESSIONS_VIEWER_MS      ((int64_t)30 * 1000)    /* application to viewer: the host waits 10 s for it and forgets; then it failed */
#define SESSIONS_RECONNECT_MS   ((int64_t)30 * 1000)    /* without a viewer, and still a session: the cluster's drainGrace counts on it */
#define SESSIONS_ENDING_MS      ((int64_t)15 * 1000)    /* what an application may take to end; then it runs on */
#define SESSIONS_FAILED_MS      ((int64_t)15 * 1000)    /* how long a failed launch is shown as one */
#define SESSIONS_SILENT_MS      ((int64_t)15 * 1000)    /* three polls without an answer: an idle slot is not known to be idle any more */
#define SESSIONS_ROWS_MAX       2

enum slot_state { SLOT_IDLE, SLOT_STARTING, SLOT_STREAMING, SLOT_ENDING, SLOT_FAILED };         /* in the order of body_session_words */

/* A launch, as far as it is known: every text may be "". All of it is kept over an agent's restart (session_file.h). */
struct session_launch {
    char launch_id[HC_ID_SIZE];         /* made by the agent at the hook; "": no hook was seen */
    char lease_id[HC_ID_SIZE];          /* by the directive or the cluster's answer at admission; never changed afterwards */
    char client_uuid[HC_ID_SIZE], client_name[HC_NAME_SIZE];
    char app[BODY_STATUS_APP_MAX + 1];
    int64_t since_ms;                   /* when it began; os_monotonic_ms() */
    int64_t game;                       /* currentgame of /serverinfo, once seen; 0: not yet */
};
struct session_row { enum slot_state state; struct session_launch launch; };    /* since_ms -1: nothing runs, and all else is "" */

/* Everything that others may want to know of the slot, at one moment. */
struct sessions_view {
    bool known;                         /* false: the slot is left out of the report, so that nobody is given it */
    struct session_row rows[SESSIONS_ROWS_MAX]; size_t row_count;       /* 1; 2 when somebody joined by /resume; first the launch's own */
    enum host_state host;               /* as answered last; UNKNOWN when the last look failed */
    bool app_runs;                      /* the host is busy, and answered last */
    bool host_idle;                     /* free for certain, and no session counted: only then may entries change */
    unsigned viewers; bool viewers_known;
    struct session_launch launch;       /* what is open on the host, also when its row says idle; since_ms -1: nothing */
    bool abandoned;                     /* an application runs on, nobody views it, and nobody is expected back */
};

struct sessions {                       /* zero at first; fields are sessions.c's */
    int phase;
    struct session_launch launch;
    int64_t phase_since_ms, evidence_ms, busy_since_ms, viewer_gone_ms, joined_ms, restarted_ms, asked_ms, answered_ms;
    bool busy_seen, ever_answered;
    bool log_readable, viewers_known;
    unsigned viewers, connecting;
    enum host_state host;
    char served[HC_ID_SIZE];
    uint64_t told;                      /* what the last view said, in short */
};

/* What session_file.h kept of this slot: shown at once, and dropped when the host says FREE or runs another application. Once, before any
 * other input. */
bool sessions_restore(struct sessions *s, const struct session_launch *launch, int64_t now_ms);
/* The hook `started`, admitted. Refused launches are not told: the host gives them up. `launch` without `game`; since_ms is set to now. */
bool sessions_started(struct sessions *s, const struct session_launch *launch, int64_t now_ms);
/* The hook `ended`: undo ran. `launch_id` "": of whatever is open. One of an earlier launch changes nothing. */
bool sessions_ended(struct sessions *s, const char *launch_id, int64_t now_ms);
/* admission.forget_session: the count was left over from an end that nobody told (rules §13.2). Before sessions_started(). */
bool sessions_forget(struct sessions *s, int64_t now_ms);
bool sessions_log(struct sessions *s, const struct log_event *event, int64_t now_ms);
/* log_polled.readable after each poll: while it is false, an application that runs counts as viewed. */
bool sessions_log_readable(struct sessions *s, bool readable, int64_t now_ms);
bool sessions_log_restarted(struct sessions *s, int64_t now_ms);
/* A look at HTTP /serverinfo that was sent at `asked_ms`. HOST_STATE_UNKNOWN: no answer, or one that makes no sense. `game`: currentgame,
 * values below 1 are none. */
bool sessions_serverinfo(struct sessions *s, enum host_state host, int64_t game, int64_t asked_ms, int64_t now_ms);
/* The lease that the newest directive serves on the slot, "" for none: of an application that nobody views any more it decides between
 * `idle` (the cluster counts the lease out) and `ending` (the agent closes it). */
bool sessions_served(struct sessions *s, const char *lease_id, int64_t now_ms);
bool sessions_closing(struct sessions *s, int64_t now_ms);      /* the application was told to end: `ending` until the host is free */
bool sessions_tick(struct sessions *s, int64_t now_ms);         /* once a second: what only time decides */

void sessions_look(const struct sessions *s, int64_t now_ms, struct sessions_view *ret);
/* Fills session_open and host of the facts; `host` is a look made right before. */
void sessions_admit_facts(const struct sessions *s, enum host_state host, struct admit_facts *facts);
/* What must survive the agent; NULL: nothing is open. Borrowed until the next input. */
const struct session_launch *sessions_launch(const struct sessions *s);

#endif
