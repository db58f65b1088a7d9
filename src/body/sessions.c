#include "sessions.h"

#include <string.h>

enum { PHASE_NONE, PHASE_STARTING, PHASE_LIVE, PHASE_ENDING, PHASE_FAILED };

/* ---- what is known ---- */

static bool viewers_known(const struct sessions *s)
{
    return s->log_readable && s->viewers_known;
}

static bool nobody_views(const struct sessions *s)
{
    return viewers_known(s) && s->viewers == 0;
}

/* The last viewer has been gone for longer than one takes to come back. */
static bool left(const struct sessions *s, int64_t now_ms)
{
    return s->phase == PHASE_LIVE && nobody_views(s) && now_ms - s->viewer_gone_ms >= SESSIONS_RECONNECT_MS;
}

/* The cluster still counts the lease of what is open, or of what has none that we know. It ends it by idle reports, and gives the slot to
 * nobody before we have confirmed the epoch of that end. */
static bool is_served(const struct sessions *s)
{
    return s->served[0] != '\0' && (s->launch.lease_id[0] == '\0' || strcmp(s->launch.lease_id, s->served) == 0);
}

static enum slot_state state_of(const struct sessions *s, int64_t now_ms)
{
    switch (s->phase) {
    case PHASE_STARTING:
        return SLOT_STARTING;
    case PHASE_LIVE:
        if (!left(s, now_ms))
            return SLOT_STREAMING;
        return is_served(s) ? SLOT_IDLE : SLOT_ENDING;
    case PHASE_ENDING:
        return SLOT_ENDING;
    case PHASE_FAILED:
        return SLOT_FAILED;
    default:
        return SLOT_IDLE;
    }
}

static bool is_abandoned(const struct sessions *s, int64_t now_ms)
{
    if (s->host != HOST_STATE_BUSY || !nobody_views(s))
        return false;
    return s->phase == PHASE_FAILED || left(s, now_ms);
}

void sessions_look(const struct sessions *s, int64_t now_ms, struct sessions_view *ret)
{
    *ret = (struct sessions_view){ .host = s->host, .viewers = s->viewers, .viewers_known = viewers_known(s) };
    bool answers = s->ever_answered && now_ms - s->answered_ms < SESSIONS_SILENT_MS;
    ret->known = s->phase != PHASE_NONE || answers;
    ret->app_runs = s->host == HOST_STATE_BUSY;
    ret->host_idle = s->host == HOST_STATE_FREE && answers && s->phase == PHASE_NONE;
    ret->abandoned = is_abandoned(s, now_ms);
    ret->launch.since_ms = -1;
    if (s->phase != PHASE_NONE)
        ret->launch = s->launch;
    ret->row_count = 1;
    ret->rows[0].state = state_of(s, now_ms);
    ret->rows[0].launch.since_ms = -1;
    if (ret->rows[0].state != SLOT_IDLE)
        ret->rows[0].launch = s->launch;
    if (ret->rows[0].state == SLOT_STREAMING && viewers_known(s) && s->viewers > 1) {
        struct session_row *joined = &ret->rows[ret->row_count++];
        joined->state = SLOT_STREAMING;                 /* no witness names who it is */
        joined->launch.since_ms = s->joined_ms;
    }
}

/* ---- what changes ---- */

static void enter(struct sessions *s, int phase, int64_t now_ms)
{
    s->phase = phase;
    s->phase_since_ms = now_ms;
}

static void close_all(struct sessions *s, int64_t now_ms)
{
    s->launch = (struct session_launch){ .since_ms = -1 };
    s->busy_seen = false;
    enter(s, PHASE_NONE, now_ms);
}

/* An application that runs and of whose launch no hook told. */
static void open_unknown(struct sessions *s, int64_t game, int64_t now_ms)
{
    s->launch = (struct session_launch){ .since_ms = now_ms, .game = game };
    s->busy_seen = true;
    s->viewer_gone_ms = now_ms;
    enter(s, PHASE_LIVE, now_ms);
}

static void set_viewers(struct sessions *s, unsigned viewers, int64_t now_ms)
{
    if (viewers == 0 && s->viewers > 0)
        s->viewer_gone_ms = now_ms;
    if (viewers > 1 && s->viewers <= 1)
        s->joined_ms = now_ms;
    s->viewers = viewers;
    if (s->connecting > viewers)
        s->connecting = viewers;
}

/* It was to end, or nobody came, and it runs on: from here as an application whose viewer has left. */
static void run_on(struct sessions *s, int64_t now_ms)
{
    s->viewer_gone_ms = now_ms - SESSIONS_RECONNECT_MS;
    enter(s, PHASE_LIVE, now_ms);
}

/* What only time decides. */
static void advance(struct sessions *s, int64_t now_ms)
{
    if (s->phase == PHASE_STARTING && s->busy_seen && (!viewers_known(s) || s->viewers > 0)) {
        s->viewer_gone_ms = now_ms;                     /* somebody views it, or one whom we cannot see: occupied */
        enter(s, PHASE_LIVE, now_ms);
    }
    bool never_ran = s->phase == PHASE_STARTING && !s->busy_seen && s->host == HOST_STATE_FREE &&
                     now_ms - s->phase_since_ms >= SESSIONS_START_MS;
    bool no_viewer = s->phase == PHASE_STARTING && s->busy_seen && s->host == HOST_STATE_BUSY &&
                     now_ms - s->busy_since_ms >= SESSIONS_VIEWER_MS;
    if (never_ran || no_viewer)
        enter(s, PHASE_FAILED, now_ms);
    bool shown = s->phase == PHASE_FAILED && now_ms - s->phase_since_ms >= SESSIONS_FAILED_MS;
    bool overdue = s->phase == PHASE_ENDING && now_ms - s->phase_since_ms >= SESSIONS_ENDING_MS;
    if (shown && s->host == HOST_STATE_FREE)
        close_all(s, now_ms);
    else if ((shown || overdue) && s->host == HOST_STATE_BUSY)
        run_on(s, now_ms);
}

/* Is what a report says another thing than before? */
static bool settle(struct sessions *s, int64_t now_ms)
{
    advance(s, now_ms);
    struct sessions_view view;
    sessions_look(s, now_ms, &view);
    uint64_t told = HC_FNV1A64_START;
    const char known[] = { view.known ? '1' : '0', '\0' };
    told = hc_fnv1a64(told, known);
    for (size_t i = 0; i < view.row_count; i++) {
        const struct session_row *row = &view.rows[i];
        const char state[] = { '|', (char)('0' + (int)row->state), '\0' };
        told = hc_fnv1a64(told, state);
        told = hc_fnv1a64(told, row->launch.launch_id);
        told = hc_fnv1a64(told, row->launch.lease_id);
    }
    bool changed = told != s->told;
    s->told = told;
    return changed;
}

bool sessions_restore(struct sessions *s, const struct session_launch *launch, int64_t now_ms)
{
    s->launch = *launch;
    if (s->launch.since_ms > now_ms)
        s->launch.since_ms = now_ms;
    s->busy_seen = launch->game > 0;
    s->viewer_gone_ms = s->busy_since_ms = now_ms;
    enter(s, launch->game > 0 ? PHASE_LIVE : PHASE_STARTING, now_ms);
    return settle(s, now_ms);
}

/* The host begins no application beside one that runs, so that nobody views anything now. */
bool sessions_started(struct sessions *s, const struct session_launch *launch, int64_t now_ms)
{
    close_all(s, now_ms);
    s->launch = *launch;
    s->launch.since_ms = now_ms;
    s->launch.game = 0;
    s->viewers_known = s->log_readable;
    set_viewers(s, 0, now_ms);
    s->evidence_ms = now_ms;
    enter(s, PHASE_STARTING, now_ms);
    return settle(s, now_ms);
}

bool sessions_ended(struct sessions *s, const char *launch_id, int64_t now_ms)
{
    bool other = launch_id[0] != '\0' && s->launch.launch_id[0] != '\0' && strcmp(launch_id, s->launch.launch_id) != 0;
    if (other || s->phase == PHASE_NONE)
        return settle(s, now_ms);
    if (s->phase == PHASE_STARTING)
        enter(s, PHASE_FAILED, now_ms);                 /* undone before anybody viewed it */
    else if (s->phase == PHASE_LIVE)
        enter(s, PHASE_ENDING, now_ms);
    if (s->viewers_known)
        set_viewers(s, 0, now_ms);
    return settle(s, now_ms);
}

bool sessions_forget(struct sessions *s, int64_t now_ms)
{
    close_all(s, now_ms);
    return settle(s, now_ms);
}

/* ---- the log ---- */

static void viewer_came(struct sessions *s, unsigned viewers, int64_t now_ms)
{
    s->viewers_known = true;
    set_viewers(s, viewers, now_ms);
    s->connecting = s->connecting < viewers ? s->connecting + 1 : viewers;
    if (!s->ever_answered)
        return;                                         /* lines of the past: they tell how many, the host tells whether */
    s->evidence_ms = now_ms;
    if (s->phase == PHASE_NONE)
        open_unknown(s, 0, now_ms);
    else
        enter(s, PHASE_LIVE, now_ms);
}

static void app_ended(struct sessions *s, int64_t now_ms)
{
    s->viewers_known = true;                            /* every viewer ends with it, however many they were */
    set_viewers(s, 0, now_ms);
    if (!s->ever_answered)
        return;
    if (s->phase == PHASE_LIVE)
        enter(s, PHASE_ENDING, now_ms);
    else if (s->phase == PHASE_STARTING && s->busy_seen)        /* before that, the line may be of the application before */
        enter(s, PHASE_FAILED, now_ms);
}

bool sessions_log(struct sessions *s, const struct log_event *event, int64_t now_ms)
{
    switch (event->kind) {
    case LOG_SESSION_STARTED:
        viewer_came(s, (unsigned)event->number, now_ms);
        break;
    case LOG_CLIENT_CONNECTED:
        s->connecting -= s->connecting > 0;
        break;
    case LOG_CLIENT_DISCONNECTED:
        if (s->viewers > 0)
            set_viewers(s, s->viewers - 1, now_ms);
        break;
    case LOG_START_TIMEOUT:             /* of a viewer who had begun: the host drops it, and no line says that it is gone */
        if (s->connecting > 0 && s->viewers > 0) {
            s->connecting--;
            set_viewers(s, s->viewers - 1, now_ms);
        }
        break;
    case LOG_PROCESS_TERMINATED:
        app_ended(s, now_ms);
        break;
    case LOG_PING_TIMEOUT:
    case LOG_APP_EXITED:
    case LOG_CLIENT_DISABLED:
    case LOG_KINDS:
        break;
    }
    return settle(s, now_ms);
}

bool sessions_log_readable(struct sessions *s, bool readable, int64_t now_ms)
{
    if (!readable)
        s->viewers_known = false;
    s->log_readable = readable;
    return settle(s, now_ms);
}

/* A new file says that the host has begun anew, or only that the file was moved away: what counts is what the host says next. */
bool sessions_log_restarted(struct sessions *s, int64_t now_ms)
{
    s->viewers_known = false;
    s->viewers = s->connecting = 0;
    s->restarted_ms = now_ms;
    return settle(s, now_ms);
}

/* ---- the host ---- */

static void host_busy(struct sessions *s, int64_t game, int64_t asked_ms, int64_t now_ms)
{
    bool begins = s->phase == PHASE_STARTING && asked_ms > s->phase_since_ms;
    bool another = s->launch.game > 0 && game > 0 && s->launch.game != game;
    if (s->evidence_ms < asked_ms)
        s->evidence_ms = asked_ms;
    if (s->phase == PHASE_NONE || another) {
        open_unknown(s, game, now_ms);
        return;
    }
    if (begins && !s->busy_seen) {
        s->busy_seen = true;
        s->busy_since_ms = now_ms;
    }
    if (s->busy_seen && game > 0)
        s->launch.game = game;
}

static void host_free(struct sessions *s, int64_t asked_ms, int64_t now_ms)
{
    if (asked_ms <= s->evidence_ms)
        return;                                         /* asked before the last sign of life */
    s->viewers_known = s->log_readable;
    set_viewers(s, 0, now_ms);
    if (s->phase == PHASE_LIVE || s->phase == PHASE_ENDING)
        close_all(s, now_ms);
    else if (s->phase == PHASE_STARTING && (s->busy_seen || s->restarted_ms > s->launch.since_ms))
        enter(s, PHASE_FAILED, now_ms);                 /* it ran and nobody came, or its host began anew in the middle */
}

bool sessions_serverinfo(struct sessions *s, enum host_state host, int64_t game, int64_t asked_ms, int64_t now_ms)
{
    if (asked_ms < s->asked_ms)
        return settle(s, now_ms);                       /* overtaken by a look that was made after it */
    s->asked_ms = asked_ms;
    s->host = host;
    if (host != HOST_STATE_UNKNOWN) {
        s->answered_ms = now_ms;
        s->ever_answered = true;
    }
    if (host == HOST_STATE_BUSY)
        host_busy(s, game, asked_ms, now_ms);
    else if (host == HOST_STATE_FREE)
        host_free(s, asked_ms, now_ms);
    return settle(s, now_ms);
}

/* ---- the agent ---- */

bool sessions_served(struct sessions *s, const char *lease_id, int64_t now_ms)
{
    HC_SET(s->served, lease_id);
    return settle(s, now_ms);
}

bool sessions_closing(struct sessions *s, int64_t now_ms)
{
    if (s->phase != PHASE_NONE)
        enter(s, PHASE_ENDING, now_ms);
    return settle(s, now_ms);
}

bool sessions_tick(struct sessions *s, int64_t now_ms)
{
    return settle(s, now_ms);
}

void sessions_admit_facts(const struct sessions *s, enum host_state host, struct admit_facts *facts)
{
    facts->session_open = s->phase == PHASE_STARTING || s->phase == PHASE_LIVE || s->phase == PHASE_FAILED;
    facts->host = host;
}

const struct session_launch *sessions_launch(const struct sessions *s)
{
    bool named = s->launch.launch_id[0] != '\0' || s->launch.lease_id[0] != '\0' || s->launch.app[0] != '\0';
    return s->phase != PHASE_NONE && named ? &s->launch : NULL;
}
