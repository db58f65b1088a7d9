#include "asks.h"

/* b1 stands in north; south1 and south2 are heads of another venue, north1 and north2 of the house. */
static void two_venues(struct fleet *f)
{
    fleet_body(f, "b1", "north");
    fleet_head(f, "north1", "north", "hydraheadflatscreen");
    fleet_head(f, "north2", "north", "hydraheadflatscreen");
    fleet_head(f, "south1", "south", "hydraheadflatscreen");
    fleet_head(f, "south2", "south", "hydraheadflatscreen");
    (void)fleet_report(f, "b1");
}

static void guest(struct fleet *f, const char *head_id, char lease_id[HC_ID_SIZE])
{
    struct core_result *out = fleet_claim(f, head_id, "guest", FLEET_EXPERIENCE);
    assert_int_equal(out->answer, ANSWER_LEASE_NEW);
    hc_copy(lease_id, HC_ID_SIZE, out->lease.id);
    f->now = hc_time_add(f->now, 1000);
}

static void test_preempt__granted_to_another_venue__is_taken_and_promised(void **state)      /* §7.7 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], stream[HC_ID_SIZE];
    two_venues(f);
    guest(f, "south1", lease);
    HC_SET(stream, fleet_lease(f, lease)->stream_id);
    hc_time created = alloc_stream(f->alloc, stream)->created_at;
    struct core_result *out = fleet_claim(f, "north1", "a1", FLEET_EXPERIENCE);
    assert_int_equal(out->answer, ANSWER_TICKET);
    assert_int_equal(fleet_notes(out, NOTE_PREEMPTED), 1);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_REVOKED);
    assert_int_equal(fleet_lease(f, lease)->why, WHY_PREEMPTED);
    assert_string_equal(fleet_slot(f, "b1", 0)->promise_ticket_id, alloc_ticket(f->alloc, "north1")->id);
    assert_int_equal(alloc_stream(f->alloc, stream)->state, STREAM_SEEKING);      /* it keeps its place */
    assert_int_equal(alloc_ticket(f->alloc, "south1")->created_at.ms, created.ms);
    assert_int_equal(alloc_stream(f->alloc, stream)->preempted, 1);
    f->now = hc_time_add(f->now, 1000);
    (void)fleet_report(f, "b1");                      /* the body confirms the new epoch */
    assert_non_null(fleet_live(f, "b1", 0));
    assert_string_equal(fleet_live(f, "b1", 0)->head_id, "north1");
    assert_string_equal(fleet_slot(f, "b1", 0)->promise_ticket_id, "");
}

static void test_preempt__pairing__may_be_taken(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    two_venues(f);
    guest(f, "south1", lease);
    (void)fleet_heartbeat_lease(f, "south1", "starting", lease, HEAD_LEASE_PAIRING);
    (void)fleet_claim(f, "north1", "a1", FLEET_EXPERIENCE);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_REVOKED);
}

typedef void prepare(struct fleet *f, char lease_id[HC_ID_SIZE]);
static void starting(struct fleet *f, char lease[HC_ID_SIZE])
{
    two_venues(f);
    guest(f, "south1", lease);
    (void)fleet_heartbeat_lease(f, "south1", "starting", lease, HEAD_LEASE_STARTING);
}
static void streaming(struct fleet *f, char lease[HC_ID_SIZE])
{
    two_venues(f);
    guest(f, "south1", lease);
    fleet_session(f, "b1", 0, SESSION_STREAMING, lease, "launch-1");
    (void)fleet_report(f, "b1");
}
static void legacy_lease(struct fleet *f, char lease[HC_ID_SIZE])
{
    two_venues(f);
    hc_copy(lease, HC_ID_SIZE, fleet_read(f, "south1", FLEET_EXPERIENCE)->lease.id);
}
static void legacy_body(struct fleet *f, char lease[HC_ID_SIZE])
{
    two_venues(f);
    guest(f, "south1", lease);
    edit_report(f, "b1")->modern = false;
}
static void of_the_house(struct fleet *f, char lease[HC_ID_SIZE])
{
    two_venues(f);
    guest(f, "north2", lease);
}
static void twice_already(struct fleet *f, char lease[HC_ID_SIZE])
{
    two_venues(f);
    guest(f, "south1", lease);
    alloc_begin_step(f->alloc);
    ((struct stream_rec *)alloc_edit(f->alloc, REC_STREAM, fleet_lease(f, lease)->stream_id))->preempted = 2;
    edit_done(f);
}

static void test_preempt__each_lease_that_may_not_be_taken__stays(void **state)      /* §7.7 */
{
    static prepare *const rows[] = { starting, streaming, legacy_lease, legacy_body, of_the_house, twice_already };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        void *fleet;
        char lease[HC_ID_SIZE];
        assert_int_equal(fleet_setup(&fleet), 0);
        struct fleet *f = fleet;
        rows[i](f, lease);
        enum lease_state before = fleet_lease(f, lease)->state;
        assert_int_equal(fleet_claim(f, "north1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_TICKET);
        if (fleet_lease(f, lease)->state != before || fleet_slot(f, "b1", 0)->promise_ticket_id[0] != '\0')
            fail_msg("row %zu was taken", i);
        assert_int_equal(fleet_teardown(&fleet), 0);
    }
}

static void test_preempt__guest_claims_where_it_is_no_home__takes_nothing(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    two_venues(f);
    guest(f, "south1", lease);
    (void)fleet_claim(f, "south2", "a1", FLEET_EXPERIENCE);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_GRANTED);
}

static void test_preempt__youngest_of_two__is_taken(void **state)
{
    struct fleet *f = *state;
    char old[HC_ID_SIZE], young[HC_ID_SIZE];
    two_venues(f);
    fleet_body(f, "b2", "north");
    (void)fleet_report(f, "b2");
    guest(f, "south1", old);
    guest(f, "south2", young);
    (void)fleet_claim(f, "north1", "a1", FLEET_EXPERIENCE);
    assert_int_equal(fleet_lease(f, old)->state, LEASE_GRANTED);
    assert_int_equal(fleet_lease(f, young)->state, LEASE_REVOKED);
    /* One promise a ticket: asking again takes no second slot. */
    (void)fleet_claim(f, "north1", "a1", FLEET_EXPERIENCE);
    assert_int_equal(fleet_lease(f, old)->state, LEASE_GRANTED);
    /* The next of the house has its own claim. */
    (void)fleet_claim(f, "north2", "a2", FLEET_EXPERIENCE);
    assert_int_equal(fleet_lease(f, old)->state, LEASE_REVOKED);
}

static void test_preempt__who_was_preempted__cannot_preempt_back(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], mine[HC_ID_SIZE];
    two_venues(f);
    fleet_body(f, "b2", "south");
    (void)fleet_report(f, "b2");
    edit_body(f, "b2")->maintenance = true;
    edit_done(f);
    guest(f, "south1", lease);
    (void)fleet_claim(f, "north1", "a1", FLEET_EXPERIENCE);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_REVOKED);
    fleet_head(f, "west1", "west", "hydraheadflatscreen");
    edit_body(f, "b1")->maintenance = true;
    edit_done(f);
    char stream[HC_ID_SIZE];
    HC_SET(stream, alloc_head_stream(f->alloc, "north1"));
    (void)ask_stream_end(f, "north1", stream);
    alloc_begin_step(f->alloc);
    assert_int_equal(alloc_remove(f->alloc, REC_TICKET, "south1"), HC_OK);      /* so that west1 gets the slot */
    edit_done(f);
    edit_body(f, "b2")->maintenance = false;
    edit_done(f);
    guest(f, "west1", mine);
    assert_string_equal(body_of(f, mine), "b2");
    assert_int_equal(fleet_claim(f, "south1", "a9", FLEET_EXPERIENCE)->answer, ANSWER_TICKET);
    assert_int_equal(fleet_lease(f, mine)->state, LEASE_GRANTED);
}

static void test_preempt__promise_not_kept__ends_with_its_time(void **state)      /* §7.7 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    two_venues(f);
    guest(f, "south1", lease);
    fleet_silent(f, "b1");
    (void)fleet_claim(f, "north1", "a1", FLEET_EXPERIENCE);
    for (int64_t ms = 0; ms < f->config.timers.promise_window_ms + 10000; ms += 10000) {
        fleet_pass(f, 10000);
        (void)ask_admission(f, "north1", "");
        (void)ask_admission(f, "south1", "");
    }
    assert_string_equal(fleet_slot(f, "b1", 0)->promise_ticket_id, "");
}

static void test_preempt__ticket_of_the_promise_goes__frees_the_slot(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], stream[HC_ID_SIZE];
    two_venues(f);
    guest(f, "south1", lease);
    (void)fleet_claim(f, "north1", "a1", FLEET_EXPERIENCE);
    HC_SET(stream, alloc_head_stream(f->alloc, "north1"));
    (void)ask_stream_end(f, "north1", stream);
    f->now = hc_time_add(f->now, 1000);
    (void)fleet_report(f, "b1");
    assert_non_null(fleet_live(f, "b1", 0));
    assert_string_equal(fleet_live(f, "b1", 0)->head_id, "south1");
}

static void test_preempt__legacy_head_of_the_house__reads_and_waits_for_the_slot(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    two_venues(f);
    fleet_head(f, "i1", "north", "hydraheadipad");
    guest(f, "south1", lease);
    assert_int_equal(ask_read(f, "i1", FLEET_EXPERIENCE)->answer, ANSWER_WAIT_SLOT);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_REVOKED);
    (void)fleet_report(f, "b1");
    assert_int_equal(ask_read(f, "i1", FLEET_EXPERIENCE)->answer, ANSWER_ROWS);
}

static void test_home_venue__goes_without_while_guests_sit_there__is_told_once(void **state)      /* §7.6 */
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE];
    streaming(f, lease);
    assert_int_equal(fleet_notes(fleet_claim(f, "north1", "a1", FLEET_EXPERIENCE), NOTE_HOME_VENUE_DENIED), 1);
    assert_int_equal(fleet_notes(fleet_claim(f, "north1", "a1", FLEET_EXPERIENCE), NOTE_HOME_VENUE_DENIED), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_preempt__granted_to_another_venue__is_taken_and_promised),
        FLEET_TEST(test_preempt__pairing__may_be_taken),
        cmocka_unit_test(test_preempt__each_lease_that_may_not_be_taken__stays),
        FLEET_TEST(test_preempt__guest_claims_where_it_is_no_home__takes_nothing),
        FLEET_TEST(test_preempt__youngest_of_two__is_taken),
        FLEET_TEST(test_preempt__who_was_preempted__cannot_preempt_back),
        FLEET_TEST(test_preempt__promise_not_kept__ends_with_its_time),
        FLEET_TEST(test_preempt__ticket_of_the_promise_goes__frees_the_slot),
        FLEET_TEST(test_preempt__legacy_head_of_the_house__reads_and_waits_for_the_slot),
        FLEET_TEST(test_home_venue__goes_without_while_guests_sit_there__is_told_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
