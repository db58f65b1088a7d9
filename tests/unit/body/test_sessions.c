#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../../src/body/sessions.h"

/* A story: at these seconds this happened, and then the slot looks so: `idle*` is idle for certain, `-` is not named in the report,
 * `streaming l1 + streaming` are two rows, and `!` says that an application runs on without anybody. */
enum act {
    LOOK, STARTED, ENDED, FORGET, VIEWERS, CONNECTED, DISCONNECTED, START_TIMEOUT, TERMINATED, FREE, BUSY, AWAY, SERVED, CLOSING, LOG_ON,
    LOG_OFF, LOG_NEW
};
struct beat { int64_t at_s; enum act act; int64_t number; const char *text, *then; };    /* FREE, BUSY: `number` s before, it was asked */

#define GAME 1840247651

static void render(const struct sessions_view *view, bool flags, char *out, size_t size)
{
    out[0] = '\0';
    for (size_t i = 0; i < view->row_count; i++) {
        const struct session_row *row = &view->rows[i];
        size_t len = strlen(out);
        (void)snprintf(out + len, size - len, "%s%s%s%s", i > 0 ? " + " : "", body_session_words.words[row->state],
                       row->launch.launch_id[0] == '\0' ? "" : " ", row->launch.launch_id);
    }
    if (!view->known)
        (void)snprintf(out, size, "-");
    size_t len = strlen(out);
    if (flags)
        (void)snprintf(out + len, size - len, "%s%s", view->host_idle ? "*" : "", view->abandoned ? "!" : "");
}

static bool log_says(struct sessions *s, enum log_kind kind, int64_t number, int64_t now_ms)
{
    const struct log_event event = { kind, LOG_INFO, number };
    return sessions_log(s, &event, now_ms);
}

static bool starts(struct sessions *s, const char *launch_id, int64_t now_ms)
{
    struct session_launch launch = { .since_ms = 0 };
    HC_SET(launch.launch_id, launch_id);
    HC_SET(launch.lease_id, "lse-1");
    HC_SET(launch.app, "Rupelmonde");
    return sessions_started(s, &launch, now_ms);
}

static bool play_beat(struct sessions *s, const struct beat *beat)
{
    int64_t now_ms = beat->at_s * 1000, asked_ms = now_ms - beat->number * 1000 - 10;
    const char *text = beat->text == NULL ? "" : beat->text;
    switch (beat->act) {
    case LOOK:          return sessions_tick(s, now_ms);
    case STARTED:       return starts(s, text, now_ms);
    case ENDED:         return sessions_ended(s, text, now_ms);
    case FORGET:        return sessions_forget(s, now_ms);
    case VIEWERS:       return log_says(s, LOG_SESSION_STARTED, beat->number, now_ms);
    case CONNECTED:     return log_says(s, LOG_CLIENT_CONNECTED, 0, now_ms);
    case DISCONNECTED:  return log_says(s, LOG_CLIENT_DISCONNECTED, 0, now_ms);
    case START_TIMEOUT: return log_says(s, LOG_START_TIMEOUT, 0, now_ms);
    case TERMINATED:    return log_says(s, LOG_PROCESS_TERMINATED, 0, now_ms);
    case FREE:          return sessions_serverinfo(s, HOST_STATE_FREE, 0, asked_ms, now_ms);
    case BUSY:          return sessions_serverinfo(s, HOST_STATE_BUSY, text[0] == '\0' ? GAME : GAME + 1, asked_ms, now_ms);
    case AWAY:          return sessions_serverinfo(s, HOST_STATE_UNKNOWN, 0, asked_ms, now_ms);
    case SERVED:        return sessions_served(s, text, now_ms);
    case CLOSING:       return sessions_closing(s, now_ms);
    case LOG_ON:        return sessions_log_readable(s, true, now_ms);
    case LOG_OFF:       return sessions_log_readable(s, false, now_ms);
    case LOG_NEW:       return sessions_log_restarted(s, now_ms);
    }
    return false;
}

/* Every beat too: it says "changed" exactly when the rows have changed. */
static void play(struct sessions *s, const struct beat *beats, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct sessions_view view;
        char before[200], after[200], then[200];
        int64_t now_ms = beats[i].at_s * 1000;
        (void)snprintf(before, sizeof before, "%s", "");
        sessions_look(s, i == 0 ? 0 : beats[i - 1].at_s * 1000, &view);
        render(&view, false, before, sizeof before);
        bool changed = play_beat(s, &beats[i]);
        sessions_look(s, now_ms, &view);
        render(&view, false, after, sizeof after);
        render(&view, true, then, sizeof then);
        if (beats[i].then != NULL && strcmp(then, beats[i].then) != 0)
            fail_msg("beat %zu at %llds: %s, not %s", i, (long long)beats[i].at_s, then, beats[i].then);
        if (changed != (strcmp(before, after) != 0))
            fail_msg("beat %zu at %llds: changed %d from %s to %s", i, (long long)beats[i].at_s, changed, before, after);
    }
}

static struct sessions fresh(void)
{
    struct sessions s = { 0 };
    (void)sessions_tick(&s, 0);
    return s;
}
#define STORY(...) \
    do { \
        static const struct beat beats[] = { __VA_ARGS__ }; \
        struct sessions s = fresh(); \
        play(&s, beats, sizeof beats / sizeof beats[0]); \
    } while (0)

static void test_sessions__a_visit__starting_streaming_ending_idle(void **state)
{
    (void)state;
    STORY({ 1, LOG_ON, 0, NULL, "-" }, { 1, FREE, 0, NULL, "idle*" }, { 5, STARTED, 0, "l1", "starting l1" },
          { 7, FREE, 0, NULL, "starting l1" },          /* its prep commands run */
          { 12, BUSY, 0, NULL, "starting l1" }, { 13, VIEWERS, 1, NULL, "streaming l1" }, { 13, CONNECTED, 0, NULL, "streaming l1" },
          { 300, BUSY, 0, NULL, "streaming l1" }, { 310, ENDED, 0, "l1", "ending l1" }, { 312, BUSY, 0, NULL, "ending l1" },
          { 315, FREE, 0, NULL, "idle*" });
}

static void test_sessions__viewer_leaves_and_comes_back__one_session(void **state)
{
    (void)state;
    STORY({ 1, LOG_ON, 0, NULL, NULL }, { 1, FREE, 0, NULL, NULL }, { 2, STARTED, 0, "l1", NULL }, { 5, BUSY, 0, NULL, NULL },
          { 6, VIEWERS, 1, NULL, "streaming l1" }, { 50, DISCONNECTED, 0, NULL, "streaming l1" }, { 79, BUSY, 0, NULL, "streaming l1" },
          { 79, VIEWERS, 1, NULL, "streaming l1" }, { 500, BUSY, 0, NULL, "streaming l1" });
}

/* The cluster counts its idle reports: only so can the lease of a visitor who walked away end (rules §6.2). */
static void test_sessions__nobody_views_and_lease_is_served__idle_but_not_for_certain(void **state)
{
    (void)state;
    STORY({ 1, LOG_ON, 0, NULL, NULL }, { 1, FREE, 0, NULL, NULL }, { 1, SERVED, 0, "lse-1", NULL }, { 2, STARTED, 0, "l1", NULL },
          { 5, BUSY, 0, NULL, NULL }, { 6, VIEWERS, 1, NULL, "streaming l1" }, { 50, DISCONNECTED, 0, NULL, "streaming l1" },
          { 80, BUSY, 0, NULL, "idle!" }, { 90, VIEWERS, 1, NULL, "streaming l1" }, { 100, DISCONNECTED, 0, NULL, "streaming l1" },
          { 131, BUSY, 0, NULL, "idle!" }, { 200, SERVED, 0, "lse-2", "ending l1!" }, { 201, SERVED, 0, "", "ending l1!" },
          { 202, CLOSING, 0, NULL, "ending l1" }, { 205, FREE, 0, NULL, "idle*" });
}

static void test_sessions__joined_by_resume__two_rows(void **state)
{
    (void)state;
    STORY({ 1, LOG_ON, 0, NULL, NULL }, { 1, FREE, 0, NULL, NULL }, { 2, STARTED, 0, "l1", NULL }, { 5, BUSY, 0, NULL, NULL },
          { 6, VIEWERS, 1, NULL, "streaming l1" }, { 60, VIEWERS, 2, NULL, "streaming l1 + streaming" },
          { 61, VIEWERS, 3, NULL, "streaming l1 + streaming" }, { 70, DISCONNECTED, 0, NULL, "streaming l1 + streaming" },
          { 71, DISCONNECTED, 0, NULL, "streaming l1" }, { 72, DISCONNECTED, 0, NULL, "streaming l1" },
          { 102, BUSY, 0, NULL, "ending l1!" });
}

static void test_sessions__hook_and_nothing_follows__failed_then_idle(void **state)
{
    (void)state;
    STORY({ 1, LOG_ON, 0, NULL, NULL }, { 1, FREE, 0, NULL, NULL }, { 2, STARTED, 0, "l1", "starting l1" },
          { 61, FREE, 0, NULL, "starting l1" }, { 62, FREE, 0, NULL, "failed l1" }, { 70, FREE, 0, NULL, "failed l1" },
          { 77, FREE, 0, NULL, "idle*" });
}

static void test_sessions__application_without_viewer__failed_until_one_comes(void **state)
{
    (void)state;
    STORY({ 1, LOG_ON, 0, NULL, NULL }, { 1, FREE, 0, NULL, NULL }, { 2, STARTED, 0, "l1", NULL }, { 5, BUSY, 0, NULL, "starting l1" },
          { 34, BUSY, 0, NULL, "starting l1" }, { 35, BUSY, 0, NULL, "failed l1!" },
          { 49, BUSY, 0, NULL, "failed l1!" }, { 50, BUSY, 0, NULL, "ending l1!" }, { 300, BUSY, 0, NULL, "ending l1!" },
          { 301, VIEWERS, 1, NULL, "streaming l1" });
}

static void test_sessions__launch_undone__failed_at_once(void **state)
{
    (void)state;
    STORY({ 1, LOG_ON, 0, NULL, NULL }, { 1, FREE, 0, NULL, NULL }, { 2, STARTED, 0, "l1", NULL }, { 3, ENDED, 0, "", "failed l1" },
          { 4, FREE, 0, NULL, "failed l1" }, { 18, FREE, 0, NULL, "idle*" });
}

static void test_sessions__application_gone_before_a_viewer__failed(void **state)
{
    (void)state;
    STORY({ 1, LOG_ON, 0, NULL, NULL }, { 1, FREE, 0, NULL, NULL }, { 2, STARTED, 0, "l1", NULL }, { 5, BUSY, 0, NULL, NULL },
          { 10, FREE, 0, NULL, "failed l1" });
}

static void test_sessions__host_silent__idle_is_not_known_and_a_session_stays(void **state)
{
    (void)state;
    STORY({ 1, LOG_ON, 0, NULL, "-" }, { 1, FREE, 0, NULL, "idle*" }, { 6, AWAY, 0, NULL, "idle" }, { 15, AWAY, 0, NULL, "idle" },
          { 16, AWAY, 0, NULL, "-" }, { 20, FREE, 0, NULL, "idle*" }, { 35, LOOK, 0, NULL, "-" });
    STORY({ 1, LOG_ON, 0, NULL, NULL }, { 1, BUSY, 0, NULL, "streaming" }, { 6, AWAY, 0, NULL, "streaming" },
          { 6000, AWAY, 0, NULL, "streaming" }, { 6001, FREE, 0, NULL, "idle*" });
    STORY({ 1, LOG_ON, 0, NULL, NULL }, { 1, FREE, 0, NULL, NULL }, { 2, STARTED, 0, "l1", NULL }, { 7, AWAY, 0, NULL, "starting l1" },
          { 600, AWAY, 0, NULL, "starting l1" }, { 601, FREE, 0, NULL, "failed l1" });
}

static void test_sessions__answer_from_before__ends_nothing(void **state)
{
    (void)state;
    STORY({ 1, LOG_ON, 0, NULL, NULL }, { 1, FREE, 0, NULL, NULL }, { 2, STARTED, 0, "l1", NULL }, { 5, BUSY, 0, NULL, NULL },
          { 6, VIEWERS, 1, NULL, "streaming l1" }, { 7, FREE, 1, NULL, "streaming l1" },        /* asked before the viewer came */
          { 9, BUSY, 0, NULL, "streaming l1" }, { 10, FREE, 2, NULL, "streaming l1" },          /* overtaken */
          { 11, FREE, 0, NULL, "idle*" }, { 12, BUSY, 2, NULL, "idle*" });
    /* Busy with the application before: this launch has not begun one yet. */
    STORY({ 1, LOG_ON, 0, NULL, NULL }, { 1, FREE, 0, NULL, NULL }, { 3, STARTED, 0, "l1", NULL }, { 4, BUSY, 2, NULL, "starting l1" },
          { 6, FREE, 0, NULL, "starting l1" }, { 9, BUSY, 0, NULL, "starting l1" }, { 10, FREE, 0, NULL, "failed l1" });
}

static void test_sessions__busy_and_no_hook__a_session_without_a_launch(void **state)
{
    (void)state;
    STORY({ 1, BUSY, 0, NULL, "streaming" }, { 600, BUSY, 0, NULL, "streaming" }, { 601, FREE, 0, NULL, "idle*" });
}

static void test_sessions__started_beside_a_paused_application__told_from_the_past(void **state)
{
    (void)state;        /* the log of the past says that the viewer left */
    STORY({ 1, LOG_ON, 0, NULL, "-" }, { 1, VIEWERS, 1, NULL, "-" }, { 1, DISCONNECTED, 0, NULL, "-" }, { 1, TERMINATED, 0, NULL, "-" },
          { 1, VIEWERS, 1, NULL, "-" }, { 1, DISCONNECTED, 0, NULL, "-" }, { 2, BUSY, 0, NULL, "streaming" },
          { 31, BUSY, 0, NULL, "streaming" }, { 32, BUSY, 0, NULL, "ending!" });
    /* The lines come before it is said that they can be read. */
    STORY({ 1, VIEWERS, 1, NULL, "-" }, { 1, TERMINATED, 0, NULL, "-" }, { 1, LOG_ON, 0, NULL, "-" }, { 2, BUSY, 0, NULL, "streaming" },
          { 32, BUSY, 0, NULL, "ending!" });
    STORY({ 1, LOG_ON, 0, NULL, "-" }, { 1, VIEWERS, 2, NULL, "-" }, { 2, BUSY, 0, NULL, "streaming + streaming" });
    STORY({ 1, LOG_ON, 0, NULL, "-" }, { 1, VIEWERS, 1, NULL, "-" }, { 1, TERMINATED, 0, NULL, "-" }, { 2, FREE, 0, NULL, "idle*" });
}

static void test_sessions__log_not_readable__an_application_counts_as_viewed(void **state)
{
    (void)state;
    STORY({ 1, FREE, 0, NULL, "idle*" }, { 2, STARTED, 0, "l1", "starting l1" }, { 5, BUSY, 0, NULL, "streaming l1" },
          { 900, BUSY, 0, NULL, "streaming l1" }, { 901, FREE, 0, NULL, "idle*" });
    STORY({ 1, LOG_ON, 0, NULL, NULL }, { 1, FREE, 0, NULL, NULL }, { 2, STARTED, 0, "l1", NULL }, { 5, BUSY, 0, NULL, NULL },
          { 6, VIEWERS, 1, NULL, NULL }, { 10, DISCONNECTED, 0, NULL, "streaming l1" }, { 41, BUSY, 0, NULL, "ending l1!" },
          { 42, LOG_OFF, 0, NULL, "streaming l1" }, { 43, LOG_ON, 0, NULL, "streaming l1" }, { 900, BUSY, 0, NULL, "streaming l1" },
          { 901, VIEWERS, 1, NULL, "streaming l1" }, { 902, DISCONNECTED, 0, NULL, "streaming l1" }, { 933, BUSY, 0, NULL, "ending l1!" });
}

static void test_sessions__log_moved_away__the_stream_stays_until_the_host_says_free(void **state)
{
    (void)state;
    STORY({ 1, LOG_ON, 0, NULL, NULL }, { 1, FREE, 0, NULL, NULL }, { 2, STARTED, 0, "l1", NULL }, { 5, BUSY, 0, NULL, NULL },
          { 6, VIEWERS, 1, NULL, NULL }, { 50, LOG_NEW, 0, NULL, "streaming l1" },
          { 60, DISCONNECTED, 0, NULL, "streaming l1" },        /* how many there were is not known any more */
          { 500, BUSY, 0, NULL, "streaming l1" });
    STORY({ 1, LOG_ON, 0, NULL, NULL }, { 1, FREE, 0, NULL, NULL }, { 2, STARTED, 0, "l1", NULL }, { 5, BUSY, 0, NULL, NULL },
          { 6, VIEWERS, 1, NULL, NULL }, { 49, AWAY, 0, NULL, "streaming l1" }, { 50, LOG_NEW, 0, NULL, "streaming l1" },
          { 52, FREE, 0, NULL, "idle*" });
}

static void test_sessions__host_restarts_in_a_launch__failed(void **state)
{
    (void)state;
    STORY({ 1, LOG_ON, 0, NULL, NULL }, { 1, FREE, 0, NULL, NULL }, { 2, STARTED, 0, "l1", NULL }, { 4, LOG_NEW, 0, NULL, "starting l1" },
          { 6, FREE, 0, NULL, "failed l1" }, { 21, FREE, 0, NULL, "idle*" });
}

static void test_sessions__application_terminated__ending_until_free_or_overdue(void **state)
{
    (void)state;
    STORY({ 1, LOG_ON, 0, NULL, NULL }, { 1, FREE, 0, NULL, NULL }, { 2, STARTED, 0, "l1", NULL }, { 5, BUSY, 0, NULL, NULL },
          { 6, VIEWERS, 1, NULL, NULL }, { 50, TERMINATED, 0, NULL, "ending l1" }, { 55, BUSY, 0, NULL, "ending l1" },
          { 65, BUSY, 0, NULL, "ending l1!" }, { 66, FREE, 0, NULL, "idle*" });
    /* Served, it must come to idle reports, or its lease never ends. */
    STORY({ 1, LOG_ON, 0, NULL, NULL }, { 1, FREE, 0, NULL, NULL }, { 1, SERVED, 0, "lse-1", NULL }, { 2, STARTED, 0, "l1", NULL },
          { 5, BUSY, 0, NULL, NULL }, { 6, VIEWERS, 1, NULL, NULL }, { 50, ENDED, 0, "", "ending l1" }, { 65, BUSY, 0, NULL, "idle!" });
    /* It was told to end and did not, and nobody can see whether it is viewed: it is shown again, so that it is told again. */
    STORY({ 1, BUSY, 0, NULL, "streaming" }, { 50, CLOSING, 0, NULL, "ending" }, { 65, BUSY, 0, NULL, "streaming" });
}

static void test_sessions__line_of_the_application_before__fails_no_launch(void **state)
{
    (void)state;
    STORY({ 1, LOG_ON, 0, NULL, NULL }, { 1, FREE, 0, NULL, NULL }, { 2, STARTED, 0, "l1", NULL },
          { 2, TERMINATED, 0, NULL, "starting l1" },
          { 2, DISCONNECTED, 0, NULL, "starting l1" }, { 5, BUSY, 0, NULL, "starting l1" }, { 6, TERMINATED, 0, NULL, "failed l1!" });
}

static void test_sessions__viewer_that_never_sends__no_viewer(void **state)
{
    (void)state;        /* the host drops it without a line that says so; one that had connected has such a line */
    STORY({ 1, LOG_ON, 0, NULL, NULL }, { 1, FREE, 0, NULL, NULL }, { 2, STARTED, 0, "l1", NULL }, { 5, BUSY, 0, NULL, NULL },
          { 6, VIEWERS, 1, NULL, "streaming l1" }, { 16, START_TIMEOUT, 0, NULL, "streaming l1" }, { 16, START_TIMEOUT, 0, NULL, NULL },
          { 46, BUSY, 0, NULL, "ending l1!" });
    STORY({ 1, LOG_ON, 0, NULL, NULL }, { 1, FREE, 0, NULL, NULL }, { 2, STARTED, 0, "l1", NULL }, { 5, BUSY, 0, NULL, NULL },
          { 6, VIEWERS, 1, NULL, NULL }, { 6, CONNECTED, 0, NULL, NULL }, { 16, START_TIMEOUT, 0, NULL, NULL },
          { 99, BUSY, 0, NULL, "streaming l1" });
}

static void test_sessions__end_of_an_earlier_launch__changes_nothing(void **state)
{
    (void)state;
    STORY({ 1, LOG_ON, 0, NULL, NULL }, { 1, ENDED, 0, "l0", "-" }, { 1, FREE, 0, NULL, "idle*" }, { 2, STARTED, 0, "l1", NULL },
          { 3, ENDED, 0, "l0", "starting l1" }, { 5, BUSY, 0, NULL, "starting l1" });
}

static void test_sessions__another_application_runs__not_the_launch_that_was_seen(void **state)
{
    (void)state;
    STORY({ 1, LOG_ON, 0, NULL, NULL }, { 1, FREE, 0, NULL, NULL }, { 2, STARTED, 0, "l1", NULL }, { 5, BUSY, 0, NULL, NULL },
          { 6, VIEWERS, 1, NULL, "streaming l1" }, { 60, BUSY, 0, "another", "streaming" });
}

static void test_sessions__missed_undo__count_dropped_when_the_host_is_free(void **state)
{
    (void)state;
    STORY({ 1, LOG_ON, 0, NULL, NULL }, { 1, FREE, 0, NULL, NULL }, { 2, STARTED, 0, "l1", NULL }, { 5, BUSY, 0, NULL, NULL },
          { 6, VIEWERS, 1, NULL, "streaming l1" }, { 58, BUSY, 0, NULL, NULL }, { 60, FORGET, 0, NULL, "idle" },
          { 60, STARTED, 0, "l2", "starting l2" });
}

static void test_sessions__admission_facts__open_until_an_end_is_seen(void **state)
{
    (void)state;
    static const struct { enum act act; bool open; } steps[] = {
        { LOG_ON, false }, { FREE, false }, { STARTED, true }, { BUSY, true }, { VIEWERS, true }, { DISCONNECTED, true }, { ENDED, false },
        { FREE, false },
    };
    struct sessions s = fresh();
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        const struct beat beat = { (int64_t)i + 1, steps[i].act, 1, "", NULL };
        struct admit_facts facts = { .below_floor = true };
        (void)play_beat(&s, &beat);
        sessions_admit_facts(&s, HOST_STATE_FREE, &facts);
        assert_int_equal(facts.session_open, steps[i].open);
        assert_int_equal(facts.host, HOST_STATE_FREE);
        assert_true(facts.below_floor);
    }
}

static struct sessions restored(int64_t game)
{
    struct sessions s = fresh();
    struct session_launch launch = { .since_ms = 500, .game = game };
    HC_SET(launch.launch_id, "l1");
    assert_true(sessions_restore(&s, &launch, 1000));
    return s;
}

static void test_sessions__agent_restarts_beside_a_stream__shown_at_once_with_its_launch(void **state)
{
    (void)state;
    static const struct beat lives[] = { { 1, LOOK, 0, NULL, "streaming l1" }, { 1, LOG_ON, 0, NULL, "streaming l1" },
        { 2, BUSY, 0, NULL, "streaming l1" }, { 900, BUSY, 0, NULL, "streaming l1" } };
    struct sessions s = restored(GAME);
    play(&s, lives, 4);
    assert_int_equal(sessions_launch(&s)->since_ms, 500);
    static const struct beat gone[] = { { 1, LOOK, 0, NULL, "streaming l1" }, { 2, FREE, 0, NULL, "idle*" } };
    s = restored(GAME);
    play(&s, gone, 2);
    assert_null(sessions_launch(&s));
    static const struct beat another[] = { { 2, BUSY, 0, "another", "streaming" } };
    s = restored(GAME);
    play(&s, another, 1);
    assert_null(sessions_launch(&s));
    static const struct beat begins[] = { { 1, LOOK, 0, NULL, "starting l1" }, { 2, FREE, 0, NULL, "starting l1" },
        { 5, BUSY, 0, NULL, "streaming l1" } };
    s = restored(0);
    play(&s, begins, 3);
    assert_int_equal(sessions_launch(&s)->game, GAME);
}

#define STORIES 300
#define BEATS   200

static uint32_t some(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % below;
}

/* Whatever the witnesses say in whatever order: entries may change only when nothing is there, an application that runs is never an idle
 * slot of nobody's lease, and a host that stays free makes the slot idle. */
static void test_sessions__anything_in_any_order__occupied_while_busy_and_idle_in_the_end(void **state)
{
    (void)state;
    static const char *const texts[] = { "", "l1", "l2" }, *const leases[] = { "", "lse-1", "lse-2" };
    uint32_t seed = 1;
    for (unsigned story = 0; story < STORIES; story++) {
        struct sessions s = fresh();
        int64_t at_s = 1;
        for (unsigned i = 0; i < BEATS; i++) {
            struct beat beat = { .act = (enum act)some(&seed, LOG_NEW + 1) };
            at_s += some(&seed, 8) == 0 ? some(&seed, 40) : some(&seed, 3);
            beat.at_s = at_s;
            beat.number = beat.act == VIEWERS ? 1 + some(&seed, 3) : some(&seed, 4);
            beat.text = beat.act == SERVED ? leases[some(&seed, 3)] : texts[some(&seed, 3)];
            if (beat.act == FORGET)
                continue;                               /* only when the host is free, by a hook that begins the next */
            (void)play_beat(&s, &beat);
            struct sessions_view view;
            sessions_look(&s, at_s * 1000, &view);
            assert_in_range(view.row_count, 1, SESSIONS_ROWS_MAX);
            assert_true(!view.host_idle || (view.host == HOST_STATE_FREE && view.launch.since_ms < 0 && view.known));
            assert_true(!view.app_runs || !view.known || view.rows[0].state != SLOT_IDLE || s.served[0] != '\0');
            assert_true(!view.abandoned || (view.app_runs && view.viewers_known && view.viewers == 0));
        }
        struct sessions_view view;
        (void)sessions_serverinfo(&s, HOST_STATE_FREE, 0, (at_s + 1) * 1000, (at_s + 1) * 1000);
        (void)sessions_serverinfo(&s, HOST_STATE_FREE, 0, (at_s + 70) * 1000, (at_s + 70) * 1000);
        (void)sessions_serverinfo(&s, HOST_STATE_FREE, 0, (at_s + 90) * 1000, (at_s + 90) * 1000);
        sessions_look(&s, (at_s + 90) * 1000, &view);
        assert_true(view.known && view.host_idle && view.rows[0].state == SLOT_IDLE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sessions__a_visit__starting_streaming_ending_idle),
        cmocka_unit_test(test_sessions__viewer_leaves_and_comes_back__one_session),
        cmocka_unit_test(test_sessions__nobody_views_and_lease_is_served__idle_but_not_for_certain),
        cmocka_unit_test(test_sessions__joined_by_resume__two_rows),
        cmocka_unit_test(test_sessions__hook_and_nothing_follows__failed_then_idle),
        cmocka_unit_test(test_sessions__application_without_viewer__failed_until_one_comes),
        cmocka_unit_test(test_sessions__launch_undone__failed_at_once),
        cmocka_unit_test(test_sessions__application_gone_before_a_viewer__failed),
        cmocka_unit_test(test_sessions__host_silent__idle_is_not_known_and_a_session_stays),
        cmocka_unit_test(test_sessions__answer_from_before__ends_nothing),
        cmocka_unit_test(test_sessions__busy_and_no_hook__a_session_without_a_launch),
        cmocka_unit_test(test_sessions__started_beside_a_paused_application__told_from_the_past),
        cmocka_unit_test(test_sessions__log_not_readable__an_application_counts_as_viewed),
        cmocka_unit_test(test_sessions__log_moved_away__the_stream_stays_until_the_host_says_free),
        cmocka_unit_test(test_sessions__host_restarts_in_a_launch__failed),
        cmocka_unit_test(test_sessions__application_terminated__ending_until_free_or_overdue),
        cmocka_unit_test(test_sessions__line_of_the_application_before__fails_no_launch),
        cmocka_unit_test(test_sessions__viewer_that_never_sends__no_viewer),
        cmocka_unit_test(test_sessions__end_of_an_earlier_launch__changes_nothing),
        cmocka_unit_test(test_sessions__another_application_runs__not_the_launch_that_was_seen),
        cmocka_unit_test(test_sessions__missed_undo__count_dropped_when_the_host_is_free),
        cmocka_unit_test(test_sessions__admission_facts__open_until_an_end_is_seen),
        cmocka_unit_test(test_sessions__agent_restarts_beside_a_stream__shown_at_once_with_its_launch),
        cmocka_unit_test(test_sessions__anything_in_any_order__occupied_while_busy_and_idle_in_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
