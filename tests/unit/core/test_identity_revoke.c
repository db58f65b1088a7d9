/* rules §12.5: a revoked identity's leases end, its place in the queue goes, and what is revoked stays so over a rollback. */
#include "identities.h"

#include <string.h>

static void registered(struct fleet *f, const char *id)
{
    fleet_head(f, id, "north", "hydraheadflatscreen");
    assert_int_equal(ask_register(f, id, id)->answer, ANSWER_DONE);
}

static void test_revoke__streaming_head__its_lease_is_revoked_and_its_stream_over(void **state)
{
    struct fleet *f = *state;
    char lease[HC_ID_SIZE], stream[HC_ID_SIZE];
    fleet_body(f, "b1", "north");
    registered(f, "h1");
    (void)fleet_report(f, "b1");
    HC_SET(lease, fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->lease.id);
    HC_SET(stream, fleet_lease(f, lease)->stream_id);
    fleet_session(f, "b1", 0, SESSION_STREAMING, lease, "launch-1");
    (void)fleet_report(f, "b1");
    struct core_result *out = ask_identity_revoke(f, "h1");
    assert_int_equal(out->answer, ANSWER_DONE);
    assert_int_equal(fleet_notes(out, NOTE_IDENTITY_REVOKED), 1);
    assert_int_equal(fleet_lease(f, lease)->state, LEASE_REVOKED);
    assert_int_equal(fleet_lease(f, lease)->why, WHY_IDENTITY_REVOKED);
    assert_int_equal(alloc_stream(f->alloc, stream)->state, STREAM_ENDED);
    struct told told = { 0 };
    tell(f, "b1", &told);
    assert_int_equal(told.d.slots[0].action, ACTION_TERMINATE);
    hc_arena_free(&told.arena);
}

static void test_revoke__waiting_head__loses_its_place(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    registered(f, "h1");
    registered(f, "h2");
    (void)fleet_report(f, "b1");
    (void)fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE);
    assert_int_equal(fleet_claim(f, "h2", "a1", FLEET_EXPERIENCE)->answer, ANSWER_TICKET);
    (void)ask_identity_revoke(f, "h2");
    assert_null(alloc_ticket(f->alloc, "h2"));
    assert_null(alloc_head_stream(f->alloc, "h2"));
}

static void test_revoke__repeated_unknown_or_without_store__as_an_operator_expects(void **state)
{
    struct fleet *f = *state;
    registered(f, "h1");
    assert_int_equal(ask_identity_revoke(f, "nobody")->deny, DENY_NOT_FOUND);
    f->store_down = true;
    assert_int_equal(ask_identity_revoke(f, "h1")->deny, DENY_STORE);
    f->store_down = false;
    (void)ask_identity_revoke(f, "h1");
    hc_time at = alloc_identity(f->alloc, "h1")->revoked_at;
    f->now = hc_time_add(f->now, HC_MINUTE_MS);
    struct core_result *out = ask_identity_revoke(f, "h1");
    assert_int_equal(out->answer, ANSWER_DONE);
    assert_int_equal(out->note_count, 0);
    assert_int_equal(alloc_identity(f->alloc, "h1")->revoked_at.ms, at.ms);
}

static void test_delete__registered_head__is_revoked_for_a_year(void **state)
{
    struct fleet *f = *state;
    registered(f, "h1");
    struct core_event ev = fleet_event(f, CORE_NODE_DELETE, CALLER_ADMIN, "");
    ev.u.node_delete = (struct node_delete_req){ "h1", true };
    assert_int_equal(fleet_step(f, &ev)->answer, ANSWER_DONE);
    const struct identity_rec *identity = alloc_identity(f->alloc, "h1");
    assert_non_null(identity);
    assert_int_equal(identity->revoked_at.ms, f->now.ms);
    assert_null(identity->cert_pem);
    f->now = hc_time_add(f->now, 365 * HC_DAY_MS - 1);
    (void)fleet_tick(f);
    assert_non_null(alloc_identity(f->alloc, "h1"));
    f->now = hc_time_add(f->now, 1);
    (void)fleet_tick(f);
    assert_null(alloc_identity(f->alloc, "h1"));
}

/* ---- a foreign file (§3.1, §3.3) ---- */

static struct alloc *backup_of(struct fleet *f)
{
    struct alloc *backup;
    assert_int_equal(alloc_snapshot(f->alloc, &backup), HC_OK);
    return backup;
}

static void merge(struct fleet *f, struct alloc *foreign)
{
    struct core_result result;
    assert_int_equal(core_merge_foreign(foreign, f->alloc, f->obs, f->now, &result), HC_OK);
    core_result_free(&result);
}

static void test_merge__file_from_before__keeps_identities_and_revocations(void **state)
{
    struct fleet *f = *state;
    registered(f, "h1");
    struct alloc *foreign = backup_of(f);
    registered(f, "h2");
    (void)ask_identity_revoke(f, "h1");
    merge(f, foreign);
    assert_true(hc_time_set(alloc_identity(foreign, "h1")->revoked_at));
    assert_string_equal(alloc_identity(foreign, "h2")->cert_pem->bytes, "h2");
    alloc_free(foreign);
}

static void test_merge__latch_set_since__stays(void **state)
{
    struct fleet *f = *state;
    struct alloc *foreign = backup_of(f);
    assert_int_equal(ask_latch(f, "nowhere", false)->deny, DENY_NOT_FOUND);
    fleet_body(f, "b1", "north");
    assert_int_equal(ask_latch(f, FLEET_DISTRICT, false)->answer, ANSWER_DONE);
    merge(f, foreign);
    assert_true(hc_time_set(alloc_district(foreign, FLEET_DISTRICT)->per_device_identity_off_at));
    alloc_free(foreign);
}

static void test_merge__later_certificate_in_the_file__is_not_revoked(void **state)
{
    struct fleet *f = *state;
    registered(f, "h1");
    (void)ask_identity_revoke(f, "h1");
    struct alloc *ours = backup_of(f);
    f->now = hc_time_add(f->now, HC_MINUTE_MS);
    (void)ask_register_by_admin(f, "h1", "b");
    struct core_result result;
    struct alloc *foreign = backup_of(f);
    assert_int_equal(core_merge_foreign(foreign, ours, f->obs, f->now, &result), HC_OK);
    core_result_free(&result);
    assert_true(identity_counts(foreign, "h1"));
    alloc_free(foreign);
    alloc_free(ours);
}

/* An admin gave the head another certificate; the file is from before and knows the revocation alone. */
static void test_merge__certificate_given_since_the_file__stands(void **state)
{
    struct fleet *f = *state;
    registered(f, "h1");
    (void)ask_identity_revoke(f, "h1");
    struct alloc *foreign = backup_of(f);
    f->now = hc_time_add(f->now, HC_MINUTE_MS);
    (void)ask_register_by_admin(f, "h1", "b");
    merge(f, foreign);
    assert_true(identity_counts(foreign, "h1"));
    assert_string_equal(alloc_identity(foreign, "h1")->cert_pem->bytes, "b");
    alloc_free(foreign);
}

/* Clocks of two lives: the revocation bears an earlier time than the certificate that it is of. */
static void test_merge__revocation_by_a_clock_that_went_back__holds(void **state)
{
    struct fleet *f = *state;
    registered(f, "h1");
    struct alloc *foreign = backup_of(f);
    f->now = hc_time_add(f->now, -30 * HC_SECOND_MS);
    (void)ask_identity_revoke(f, "h1");
    merge(f, foreign);
    assert_true(hc_time_set(alloc_identity(foreign, "h1")->revoked_at));
    alloc_free(foreign);
}

/* The heads had a lease and a place in the line of the file, and were revoked since. */
static void test_merge__heads_revoked_since__keep_neither_lease_nor_ticket(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    registered(f, "h1");
    registered(f, "h2");
    (void)fleet_report(f, "b1");
    assert_int_equal(fleet_claim(f, "h2", "a2", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_NEW);
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_TICKET);
    struct alloc *foreign = backup_of(f);
    assert_non_null(alloc_ticket(foreign, "h1"));
    assert_non_null(alloc_head_lease(foreign, "h2"));
    (void)ask_identity_revoke(f, "h1");
    (void)ask_identity_revoke(f, "h2");
    merge(f, foreign);
    assert_null(alloc_head_lease(foreign, "h2"));
    assert_null(alloc_ticket(foreign, "h1"));
    alloc_free(foreign);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_revoke__streaming_head__its_lease_is_revoked_and_its_stream_over),
        FLEET_TEST(test_revoke__waiting_head__loses_its_place),
        FLEET_TEST(test_revoke__repeated_unknown_or_without_store__as_an_operator_expects),
        FLEET_TEST(test_delete__registered_head__is_revoked_for_a_year),
        FLEET_TEST(test_merge__file_from_before__keeps_identities_and_revocations),
        FLEET_TEST(test_merge__latch_set_since__stays),
        FLEET_TEST(test_merge__later_certificate_in_the_file__is_not_revoked),
        FLEET_TEST(test_merge__certificate_given_since_the_file__stands),
        FLEET_TEST(test_merge__revocation_by_a_clock_that_went_back__holds),
        FLEET_TEST(test_merge__heads_revoked_since__keep_neither_lease_nor_ticket),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
