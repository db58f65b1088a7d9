#include "fixture.h"

/* What we made durable, and what the other process wrote: taken from the same fleet at two moments. */
struct files { struct alloc *committed, *foreign; struct core_result result; };

static int setup(void **state)
{
    int bad = fleet_setup(state);
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    fleet_head(f, "h1", "north", "hydraheadflatscreen");
    fleet_head(f, "h2", "north", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
    return bad;
}

static struct alloc *now(struct fleet *f)
{
    struct alloc *copy;
    assert_int_equal(alloc_snapshot(f->alloc, &copy), HC_OK);
    return copy;
}

static void merge(struct fleet *f, struct files *files)
{
    assert_int_equal(core_merge_foreign(files->foreign, files->committed, f->obs, f->now, &files->result), HC_OK);
}

static void done(struct files *files)
{
    alloc_free(files->committed);
    alloc_free(files->foreign);
    core_result_free(&files->result);
}

static const struct slot *slot_in(const struct alloc *alloc)
{
    return &alloc_body(alloc, "b1")->slots[0];
}

/* rules §3.3: an acknowledged lease that the foreign file lacks, its slot free there. */
static void test_merge__lease_that_the_file_lacks__is_kept_as_unknown(void **state)
{
    struct fleet *f = *state;
    struct files files = { .foreign = now(f) };
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_NEW);
    char lease_id[HC_ID_SIZE];
    HC_SET(lease_id, f->last.lease.id);
    uint64_t epoch = fleet_slot(f, "b1", 0)->epoch;
    files.committed = now(f);
    f->now = hc_time_add(f->now, 1000);
    merge(f, &files);
    const struct lease *kept = slot_live_lease(slot_in(files.foreign));
    assert_string_equal(kept->id, lease_id);
    assert_int_equal(kept->state, LEASE_UNKNOWN);
    assert_int_equal(kept->came_from, LEASE_GRANTED);
    assert_int_equal(kept->unknown_since.ms, f->now.ms);
    assert_false(kept->left_behind);
    assert_true(slot_in(files.foreign)->epoch >= epoch);
    assert_string_equal(alloc_head_lease(files.foreign, "h1"), lease_id);
    assert_non_null(alloc_head_stream(files.foreign, "h1"));
    assert_true(files.result.dirty);
    assert_int_equal(fleet_notes(&files.result, NOTE_GENERATION_CONFLICT), 1);
    assert_int_equal(fleet_notes(&files.result, NOTE_LEASE_UNKNOWN), 1);
    assert_true(files.foreign->dirty_count > 0);
    assert_int_equal(slot_live_lease(slot_in(files.committed))->state, LEASE_GRANTED);      /* the committed copies are not touched */
    done(&files);
}

static void test_merge__slot_that_is_taken_there__ends_ours_revoked(void **state)
{
    struct fleet *f = *state;
    struct alloc *before = now(f);
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_NEW);
    char ours[HC_ID_SIZE], theirs[HC_ID_SIZE];
    HC_SET(ours, f->last.lease.id);
    struct files files = { .committed = now(f) };
    alloc_free(f->alloc);
    f->alloc = before;                                   /* the other process went on from there */
    assert_int_equal(fleet_claim(f, "h2", "a2", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_NEW);
    HC_SET(theirs, f->last.lease.id);
    files.foreign = now(f);
    merge(f, &files);
    assert_string_equal(slot_live_lease(slot_in(files.foreign))->id, theirs);
    const struct lease *ended = alloc_lease(files.foreign, ours, NULL, NULL);
    assert_int_equal(ended->state, LEASE_REVOKED);
    assert_int_equal(ended->why, WHY_GENERATION_CONFLICT);
    assert_null(alloc_head_lease(files.foreign, "h1"));
    assert_true(slot_in(files.foreign)->epoch >= slot_in(files.committed)->epoch);
    done(&files);
}

static void test_merge__same_file__changes_nothing(void **state)
{
    struct fleet *f = *state;
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_NEW);
    assert_int_equal(fleet_claim(f, "h2", "a2", FLEET_EXPERIENCE)->answer, ANSWER_TICKET);
    struct files files = { .committed = now(f), .foreign = now(f) };
    merge(f, &files);
    assert_false(files.result.dirty);
    assert_int_equal(slot_live_lease(slot_in(files.foreign))->state, LEASE_GRANTED);
    done(&files);
}

/* A restored backup: epochs never fall (§6.1). */
static void test_merge__older_file__raises_its_epochs(void **state)
{
    struct fleet *f = *state;
    struct files files = { .foreign = now(f) };
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_NEW);
    char lease_id[HC_ID_SIZE], token[CLAIM_TOKEN_SIZE];
    HC_SET(lease_id, f->last.lease.id);
    HC_SET(token, f->last.claim_token);
    (void)fleet_release(f, "h1", lease_id, token, WHY_USER_EXIT);
    f->alloc->generation = 40;
    files.committed = now(f);
    merge(f, &files);
    assert_int_equal(slot_in(files.foreign)->epoch, fleet_slot(f, "b1", 0)->epoch);
    assert_int_equal(files.foreign->generation, 40);
    assert_null(slot_live_lease(slot_in(files.foreign)));
    assert_true(lease_is_terminal(alloc_lease(files.foreign, lease_id, NULL, NULL)->state));     /* its history line may not be written */
    done(&files);
}

static void test_merge__file_without_the_body__brings_it_back_with_its_lease(void **state)
{
    struct fleet *f = *state;
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_NEW);
    struct files files = { .committed = now(f) };
    assert_int_equal(alloc_new(&f->config, &files.foreign), HC_OK);
    merge(f, &files);
    assert_int_equal(slot_live_lease(slot_in(files.foreign))->state, LEASE_UNKNOWN);
    assert_int_equal(slot_in(files.foreign)->epoch, fleet_slot(f, "b1", 0)->epoch);
    assert_null(alloc_node(files.foreign, "b1"));        /* nodes.yaml is as the admin wrote it */
    done(&files);
}

static void test_merge__head_that_went_on_elsewhere__leaves_the_kept_lease_behind(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b2", "north");
    (void)fleet_report(f, "b2");
    struct alloc *before = now(f);
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_NEW);
    char ours[HC_ID_SIZE], body_id[HC_ID_SIZE];
    HC_SET(ours, f->last.lease.id);
    HC_SET(body_id, alloc_lease_body(f->alloc, ours));
    struct files files = { .committed = now(f) };
    alloc_free(f->alloc);
    f->alloc = before;
    struct body_rec *closed = (struct body_rec *)alloc_edit(f->alloc, REC_BODY, body_id);
    closed->maintenance = true;
    bool changed;
    assert_int_equal(alloc_end_step(f->alloc, &changed), HC_OK);
    assert_int_equal(fleet_claim(f, "h1", "a9", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_NEW);
    char theirs[HC_ID_SIZE];
    HC_SET(theirs, f->last.lease.id);
    files.foreign = now(f);
    merge(f, &files);
    assert_int_equal(alloc_lease(files.foreign, ours, NULL, NULL)->state, LEASE_UNKNOWN);
    assert_true(alloc_lease(files.foreign, ours, NULL, NULL)->left_behind);
    assert_string_equal(alloc_head_lease(files.foreign, "h1"), theirs);
    done(&files);
}

static void test_merge__ticket_of_a_stream_unknown_there__keeps_its_place(void **state)
{
    struct fleet *f = *state;
    struct files files = { .foreign = now(f) };
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_NEW);
    assert_int_equal(fleet_claim(f, "h2", "a2", FLEET_EXPERIENCE)->answer, ANSWER_TICKET);
    files.committed = now(f);
    merge(f, &files);
    assert_string_equal(alloc_ticket(files.foreign, "h2")->id, alloc_ticket(f->alloc, "h2")->id);
    assert_int_equal(alloc_ticket(files.foreign, "h2")->created_at.ms, alloc_ticket(f->alloc, "h2")->created_at.ms);
    assert_non_null(alloc_head_stream(files.foreign, "h2"));
    done(&files);
}

/* rules §8.1: in boot safe mode an end that was asked for since our start is told. With a clock that went back, a file's older ones lie in
 * the future: they were before our start. */
static void test_merge__changes_in_the_future__were_before_our_start(void **state)
{
    struct fleet *f = *state;
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_NEW);
    struct files files = { .committed = now(f), .foreign = now(f) };
    f->now = hc_time_add(f->now, -2 * HC_HOUR_MS);
    f->obs->started_at = f->now;
    f->now = hc_time_add(f->now, 30000);
    merge(f, &files);
    assert_int_equal(slot_live_lease(slot_in(files.foreign))->changed_at.ms, f->obs->started_at.ms);
    done(&files);
}

static void test_merge__each_allocation_failing__leaves_the_loaded_state(void **state)
{
    struct fleet *f = *state;
    struct files files = { .foreign = now(f) };
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_NEW);
    assert_int_equal(fleet_claim(f, "h2", "a2", FLEET_EXPERIENCE)->answer, ANSWER_TICKET);
    files.committed = now(f);
    assert_null(alloc_head_lease(files.foreign, "h1"));          /* indexes are built: their memory may fail without harm */
    assert_non_null(alloc_head_lease(files.committed, "h1"));
    alloc_begin_step(files.foreign);                             /* the roster too */
    alloc_undo_step(files.foreign);
    unsigned n = 0;
    for (enum hc_err err = HC_ERR_NOMEM; err != HC_OK;) {
        core_result_free(&files.result);
        hc_alloc_fail_after(++n);
        err = core_merge_foreign(files.foreign, files.committed, f->obs, f->now, &files.result);
        hc_alloc_fail_after(0);
        if (err == HC_OK)
            break;
        assert_int_equal(err, HC_ERR_NOMEM);
        assert_null(slot_live_lease(slot_in(files.foreign)));
        assert_int_equal(alloc_count(files.foreign, REC_TICKET), 0);
        assert_int_equal(files.foreign->dirty_count, 0);
    }
    assert_true(n > 5);
    assert_non_null(slot_live_lease(slot_in(files.foreign)));
    done(&files);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fleet_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_merge__lease_that_the_file_lacks__is_kept_as_unknown),
        TEST(test_merge__slot_that_is_taken_there__ends_ours_revoked),
        TEST(test_merge__same_file__changes_nothing),
        TEST(test_merge__older_file__raises_its_epochs),
        TEST(test_merge__file_without_the_body__brings_it_back_with_its_lease),
        TEST(test_merge__head_that_went_on_elsewhere__leaves_the_kept_lease_behind),
        TEST(test_merge__ticket_of_a_stream_unknown_there__keeps_its_place),
        TEST(test_merge__changes_in_the_future__were_before_our_start),
        TEST(test_merge__each_allocation_failing__leaves_the_loaded_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
