/* tally.c - counts for metrics and reports, from what became durable. */
#include <stdio.h>

#include "engine_state.h"

void tally_start(const struct engine *e)
{
    for (size_t type = 0; type < NOTE_TYPES; type++) {
        metrics_add(e->config.metrics, METRIC_EVENTS, 0, word_of(&note_words, (int)type), "false");
        metrics_add(e->config.metrics, METRIC_EVENTS, 0, word_of(&note_words, (int)type), "true");
    }
}

static void tally_granted(struct engine *e, const struct core_note *note)
{
    struct metrics *m = e->config.metrics;
    const char *venue = venue_label(e, note->head_venue);
    metrics_add(m, METRIC_CLAIMS_GRANTED, 1, venue, word_of(&lease_source_words, (int)note->source));
    if (note->waited_ms < 0)
        return;
    char pool[POOL_SIZE];
    (void)snprintf(pool, sizeof pool, "%s/%s-owned", note->district, note->venue);
    feed_waited(e->config.feed, pool, note->head_venue, note->waited_ms);
    metrics_observe(m, METRIC_QUEUE_WAIT, (double)note->waited_ms / 1000, venue);
    if (note->eta_ms < 0)
        return;
    int64_t off_ms = note->eta_ms > note->waited_ms ? note->eta_ms - note->waited_ms : note->waited_ms - note->eta_ms;
    metrics_observe(m, METRIC_ETA_ERROR, (double)off_ms / 1000);
}

void tally_notes(struct engine *e, const struct core_note *notes, size_t count)
{
    struct metrics *m = e->config.metrics;
    for (size_t i = 0; i < count; i++) {
        const struct core_note *note = &notes[i];
        metrics_add(m, METRIC_EVENTS, 1, word_of(&note_words, (int)note->type), note->expected_legacy ? "true" : "false");
        metrics_set(m, METRIC_EVENT_LAST, (double)note->at.ms / 1000, word_of(&note_words, (int)note->type));
        if (note->type == NOTE_HOME_VENUE_DENIED)
            metrics_set(m, METRIC_HOME_DENIED_LAST, (double)note->at.ms / 1000, venue_label(e, note->head_venue));
        if (note->type == NOTE_LEASE_GRANTED)
            tally_granted(e, note);
        if (note->type == NOTE_LEASE_ENDED)
            metrics_add(m, METRIC_LEASES_ENDED, 1, word_of(&lease_state_words, (int)note->state),
                        word_of(&lease_why_words, (int)note->why));
        if (note->type == NOTE_EDGE_ERROR)
            metrics_add(m, METRIC_EDGE_ERRORS, 1);
    }
}

void tally_answer(struct engine *e, const struct engine_op *op)
{
    const struct core_result *result = &op->result;
    bool asks = op->ev.type == CORE_CLAIM || op->ev.type == CORE_READ;
    if (op->outcome != ENGINE_DURABLE || op->ev.dry_run || !asks)
        return;
    if (result->answer != ANSWER_REFUSED && !result->denied_for_capacity)
        return;
    const char *reason = result->deny != DENY_NONE ? word_of(&deny_words, (int)result->deny) : word_of(&deny_words, DENY_NO_SLOT);
    const char *venue = venue_label(e, result->head_venue);
    metrics_add(e->config.metrics, METRIC_CLAIMS_DENIED, 1, venue, reason, venue, venue_label(e, result->body_venue));
    if (!result->denied_for_capacity)
        return;
    const char *why = result->wait != WAIT_NONE ? word_of(&wait_words, (int)result->wait) : reason;
    feed_denied(e->config.feed, op->ev.now, why, result->head_venue, result->body_venue);
}

void tally_save(const struct engine *e, enum save_outcome outcome, int64_t took_us)
{
    static const char *const words[] = { [SAVE_DURABLE] = "durable", [SAVE_NOT_WRITTEN] = "not_written", [SAVE_VISIBLE] = "visible",
                                         [SAVE_FOREIGN] = "foreign" };
    metrics_add(e->config.metrics, METRIC_SAVES, 1, words[outcome]);
    metrics_observe(e->config.metrics, METRIC_SAVE_SECONDS, (double)took_us / 1e6);
}
