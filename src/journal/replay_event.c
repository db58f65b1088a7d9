/* replay_event.c - one event, decided again and compared with what its line says. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "hydra/base/id.h"
#include "replay.h"

void replay_differs(struct replay *r, uint64_t event, const char *type, const char *format, ...)
{
    struct replay_report *report = r->report;
    if (report->verdict == REPLAY_DIFFERS)
        return;                            /* the first one counts */
    report->verdict = REPLAY_DIFFERS;
    HC_SET(report->file, r->in.path);
    HC_SET(report->type, type);
    report->line = r->in.number;
    report->event = event;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(report->what, sizeof report->what, format, args);
    va_end(args);
}

enum hc_err replay_refuse(struct replay *r, enum hc_err err)
{
    char text[HC_DIAG_SIZE];
    (void)snprintf(text, sizeof text, "%.*s", (int)sizeof text - 1, r->diag->text[0] != '\0' ? r->diag->text : hc_err_text(err));
    return hc_fail(r->diag, err, "%s:%" PRIu64 ": %s", r->in.path, r->in.number, text);
}

static const struct rec *version_of(const struct replay *r, const struct rec_change *change)
{
    return alloc_get(r->live, change->kind, change->key);
}

static void name_of(const struct rec_change *change, char *out, size_t size)
{
    (void)snprintf(out, size, "%s/%s", record_rows[change->kind].name == NULL ? "?" : record_rows[change->kind].name, change->key);
}

/* Both lists are in the order in which the step changed the records. */
static bool changes_differ(const struct replay *r, const struct event_line *line, char what[REPLAY_WHAT_SIZE])
{
    const struct rec_change *changes;
    size_t count = alloc_last_step(r->live, &changes);
    char name[sizeof line->changes[0].name];
    for (size_t i = 0; i < count && i < CHANGES_SHOWN_MAX; i++) {
        name_of(&changes[i], name, sizeof name);
        if (i >= line->change_count || strcmp(name, line->changes[i].name) != 0) {
            (void)snprintf(what, REPLAY_WHAT_SIZE, "record %s: replay changed it here, the journal says %s", name,
                           i >= line->change_count ? "nothing" : line->changes[i].name);
            return true;
        }
        if (record_digest(version_of(r, &changes[i])) != line->changes[i].digest) {
            (void)snprintf(what, REPLAY_WHAT_SIZE, "record %s: replay left it with other values", name);
            return true;
        }
    }
    if (count >= line->change_count)
        return false;
    (void)snprintf(what, REPLAY_WHAT_SIZE, "record %s: the journal changed it, replay did not", line->changes[count].name);
    return true;
}

static bool decision_differs(const struct replay *r, const struct event_line *line, const struct core_result *result,
                             char what[REPLAY_WHAT_SIZE])
{
    const struct rec_change *changes;
    struct decision decision;
    struct journal_notes notes = journal_notes_of(result->notes, result->note_count);
    char path[FIELD_PATH_MAX];
    decision_of(result, result->note_count, alloc_last_step(r->live, &changes), &decision);
    if (table_differ(&decision_table, &line->decision, &decision, path)) {
        (void)snprintf(what, REPLAY_WHAT_SIZE, "decision: %s (replay, not journal)", path);
        return true;
    }
    if (changes_differ(r, line, what))
        return true;
    if (decision_digest(result, &notes) == line->digest)
        return false;
    (void)snprintf(what, REPLAY_WHAT_SIZE, "digest of the answer and its notes: the answer's facts differ beyond what the line tells");
    return true;
}

static enum hc_err run_again(struct replay *r, const struct event_line *line)
{
    struct core_result result;
    char what[REPLAY_WHAT_SIZE] = "";
    const char *type = core_event_name(line->ev.type);
    r->live->generation = line->generation;
    r->obs->store_down_since = line->down;
    enum hc_err err = core_step(r->live, r->obs, &line->ev, &result);
    if (err == HC_ERR_NOMEM) {
        core_result_free(&result);
        return err;
    }
    if (err != HC_OK)
        replay_differs(r, line->n, type, "replay failed: %s", hc_err_text(err));
    else if (decision_differs(r, line, &result, what))
        replay_differs(r, line->n, type, "%s%s", r->altered ? "the line was altered: its checksum does not fit; " : "", what);
    else if (r->altered)
        replay_differs(r, line->n, type, "the line was altered: its checksum does not fit; the decision is the same nevertheless");
    core_result_free(&result);
    r->report->last_generation = line->generation;
    return HC_OK;
}

enum hc_err replay_event(struct replay *r, size_t len)
{
    struct hc_arena arena = { 0 };
    struct event_line line;
    enum hc_err err = event_read(r->in.line, len, &r->seal, &arena, &line, r->diag);
    if (err != HC_OK && r->altered) {
        replay_differs(r, r->expected, "unknown", "the line was altered: its checksum does not fit; %.*s", 200, r->diag->text);
        err = HC_OK;
    } else if (err == HC_OK && line.n != r->expected) {
        replay_differs(r, line.n, core_event_name(line.ev.type), "event %" PRIu64 " stands where event %" PRIu64 " must be", line.n,
                       r->expected);
    } else if (err == HC_OK) {
        err = run_again(r, &line);
    }
    r->expected++;
    hc_arena_free(&arena);
    return err;
}
