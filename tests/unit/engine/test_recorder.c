/* The engine and its flight recorder: what a roll-back, a merge and a run after it leave is replayed as it was decided. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hydra/journal/replay.h"
#include "rig.h"

struct recorded { struct rig rig; char dir[64], folder[80]; };

static void open_recorded(struct recorded *r)
{
    rig_make(&r->rig);
    (void)snprintf(r->dir, sizeof r->dir, "/tmp/hydra-recorder-XXXXXX");
    assert_non_null(mkdtemp(r->dir));
    (void)snprintf(r->folder, sizeof r->folder, "%s/%s", r->dir, JOURNAL_FOLDER);
    struct hc_diag diag = { "" };
    const struct journal_config config = { .data_dir = r->dir, .secret = r->rig.core.secret, .segment_bytes = JOURNAL_SEGMENT_BYTES,
                                           .keep_bytes = JOURNAL_KEEP_BYTES, .version = "test" };
    if (journal_open(&config, &r->rig.journal, &diag) != HC_OK)
        fail_msg("%s", diag.text);
    rig_start(&r->rig, NULL);
}

/* The engine ends, its journal is replayed: the same decisions in so many segments. */
static void close_and_replay(struct recorded *r, unsigned segments)
{
    struct journal *journal = r->rig.journal;
    struct replay_report report;
    struct hc_diag diag;
    uint8_t secret[32];
    memcpy(secret, r->rig.core.secret, sizeof secret);
    rig_close(&r->rig);
    journal_close(journal);
    const struct replay_config config = { .path = r->folder, .secret = secret };
    if (journal_replay(&config, &report, &diag) != HC_OK)
        fail_msg("%s", diag.text);
    if (report.verdict != REPLAY_SAME)
        fail_msg("%s:%llu: %s: %s", report.file, (unsigned long long)report.line, report.type, report.what);
    assert_int_equal(report.segments, segments);
    for (unsigned i = 1; i <= segments; i++) {
        char path[128];
        (void)snprintf(path, sizeof path, "%s/journal-%010u.jsonl", r->folder, i);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(r->folder), 0);
    assert_int_equal(rmdir(r->dir), 0);
}

static void test_recorder__events_and_ticks__are_replayed(void **state)
{
    (void)state;
    struct recorded r;
    struct ask venue, enrol;
    open_recorded(&r);
    ask_venue(&r.rig, &venue, "north");
    ask_enrol(&r.rig, &enrol, "visitor", "hash-1");
    RIG_UNTIL(&r.rig, venue.calls == 1 && enrol.calls == 1);
    close_and_replay(&r, 1);
}

static void test_recorder__a_group_rolled_back__the_next_event_begins_a_segment(void **state)
{
    (void)state;
    struct recorded r;
    struct ask first, lost, later;
    struct engine_health health;
    open_recorded(&r);
    ask_venue(&r.rig, &first, "first");
    RIG_UNTIL(&r.rig, first.calls == 1);
    fake_script(&r.rig.store, SAVE_NOT_WRITTEN, SAVE_NOT_WRITTEN);
    ask_venue(&r.rig, &lost, "lost");
    RIG_UNTIL(&r.rig, lost.calls == 1);
    assert_int_equal(lost.outcome, ENGINE_UNAVAILABLE);
    RIG_UNTIL(&r.rig, (engine_health(r.rig.engine, &health), health.store_ok));
    ask_venue(&r.rig, &later, "later");
    RIG_UNTIL(&r.rig, later.calls == 1);
    assert_int_equal(later.outcome, ENGINE_DURABLE);
    close_and_replay(&r, 2);
}

static struct alloc *foreign_state(const struct core_config *core)
{
    struct alloc *alloc;
    assert_int_equal(alloc_new(core, &alloc), HC_OK);
    put_node(alloc, "node-theirs", ROLE_HEAD, "hash-theirs");
    return alloc;
}

static void test_recorder__a_foreign_file_merged__operations_that_ran_again_are_replayed(void **state)
{
    (void)state;
    struct recorded r;
    struct ask first, enrol, venue;
    open_recorded(&r);
    r.rig.store.foreign = foreign_state;
    ask_venue(&r.rig, &first, "ours");
    RIG_UNTIL(&r.rig, first.calls == 1);
    fake_hang(&r.rig.store, true);
    ask_enrol(&r.rig, &enrol, "visitor", "hash-1");
    rig_until_hanging(&r.rig);
    ask_venue(&r.rig, &venue, "gent");
    fake_script(&r.rig.store, SAVE_NOT_WRITTEN, SAVE_FOREIGN);
    fake_hang(&r.rig.store, false);
    RIG_UNTIL(&r.rig, enrol.calls == 1 && venue.calls == 1);
    assert_int_equal(enrol.outcome, ENGINE_DURABLE);
    close_and_replay(&r, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorder__events_and_ticks__are_replayed),
        cmocka_unit_test(test_recorder__a_group_rolled_back__the_next_event_begins_a_segment),
        cmocka_unit_test(test_recorder__a_foreign_file_merged__operations_that_ran_again_are_replayed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
