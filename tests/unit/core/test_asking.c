#include "asks.h"

#include "hydra/base/arena.h"

#define ALLOCATIONS_MAX 2000

/* The whole way of a head, each event tried with memory running out at every allocation: nothing is half done (architecture §2). */
static void step_without_memory(struct fleet *f, const struct core_event *ev)
{
    for (unsigned n = 1; n < ALLOCATIONS_MAX; n++) {
        uint64_t tickets = alloc_count(f->alloc, REC_TICKET), streams = alloc_count(f->alloc, REC_STREAM);
        bool busy = alloc_body(f->alloc, "b1") != NULL && fleet_live(f, "b1", 0) != NULL;
        core_result_free(&f->last);
        hc_alloc_fail_after(n);
        enum hc_err err = core_step(f->alloc, f->obs, ev, &f->last);
        hc_alloc_fail_after(0);
        if (err == HC_OK)
            return;
        assert_int_equal(err, HC_ERR_NOMEM);
        assert_int_equal(alloc_count(f->alloc, REC_TICKET), tickets);
        assert_int_equal(alloc_count(f->alloc, REC_STREAM), streams);
        assert_int_equal(fleet_live(f, "b1", 0) != NULL, busy);
    }
    fail_msg("event %s never came through", core_event_name(ev->type));
}

static struct core_event reads(struct fleet *f, const char *head_id)
{
    struct core_event ev = fleet_event(f, CORE_READ, CALLER_NODE, head_id);
    ev.u.read = (struct read_req){ .head_id = head_id, .district = "", .venue = "", .experience = FLEET_EXPERIENCE, .stream_mode = "",
                                   .last_chance = true };
    return ev;
}

static struct core_event claims(struct fleet *f, const char *head_id)
{
    struct core_event ev = fleet_event(f, CORE_CLAIM, CALLER_NODE, head_id);
    ev.u.claim = usual_claim(head_id, "a1");
    return ev;
}

static void fleet_of_two_venues(struct fleet *f)
{
    fleet_body(f, "b1", "north");
    fleet_head(f, "i1", "north", "hydraheadipad");
    fleet_head(f, "p1", "north", "hydraheadflatscreen");
    fleet_head(f, "s1", "south", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
}

static void test_read__memory_runs_out_at_every_allocation__is_whole_or_nothing(void **state)
{
    struct fleet *f = *state;
    fleet_of_two_venues(f);
    struct core_event ev = reads(f, "i1");
    step_without_memory(f, &ev);
    assert_int_equal(f->last.answer, ANSWER_ROWS);
    ev = claims(f, "p1");                             /* queues up */
    step_without_memory(f, &ev);
    assert_int_equal(f->last.answer, ANSWER_TICKET);
    ev = fleet_event(f, CORE_HEARTBEAT, CALLER_NODE, "i1");
    ev.u.heartbeat = usual_heartbeat("i1", "error");
    step_without_memory(f, &ev);
    assert_null(fleet_live(f, "b1", 0));
    f->now = hc_time_add(f->now, 1000);
    (void)fleet_report(f, "b1");
    (void)fleet_report(f, "b1");                      /* promotes p1 */
    ev = fleet_event(f, CORE_ADMISSION, CALLER_NODE, "p1");
    ev.u.admission = (struct admission_req){ "p1", "a1" };
    step_without_memory(f, &ev);
    assert_true(f->last.has_lease);
    assert_string_not_equal(f->last.claim_token, "");
}

static void test_preempt__memory_runs_out_at_every_allocation__is_whole_or_nothing(void **state)
{
    struct fleet *f = *state;
    fleet_of_two_venues(f);
    struct core_event ev = claims(f, "s1");
    step_without_memory(f, &ev);
    assert_int_equal(f->last.answer, ANSWER_LEASE_NEW);
    ev = claims(f, "p1");
    step_without_memory(f, &ev);
    assert_int_equal(f->last.answer, ANSWER_TICKET);
    assert_null(fleet_live(f, "b1", 0));
    assert_string_not_equal(fleet_slot(f, "b1", 0)->promise_ticket_id, "");
}

static void test_step__same_state_event_and_seed__same_result(void **state)
{
    struct fleet *f = *state;
    fleet_of_two_venues(f);
    struct core_event ev = claims(f, "p1");
    ev.dry_run = true;
    char first[HC_ID_SIZE];
    HC_SET(first, fleet_step(f, &ev)->lease.id);
    assert_string_equal(fleet_step(f, &ev)->lease.id, first);
    ev.dry_run = false;
    assert_string_equal(fleet_step(f, &ev)->lease.id, first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_read__memory_runs_out_at_every_allocation__is_whole_or_nothing),
        FLEET_TEST(test_preempt__memory_runs_out_at_every_allocation__is_whole_or_nothing),
        FLEET_TEST(test_step__same_state_event_and_seed__same_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
