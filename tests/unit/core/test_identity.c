/* I6, rules §12.1, §12.3: registered once, repeated at will, renewed with an overlap, in use by one head only. */
#include "identities.h"

#include <string.h>

static void head(struct fleet *f, const char *id)
{
    fleet_head(f, id, "north", "hydraheadflatscreen");
}

static const struct identity_rec *identity_of(struct fleet *f, const char *head_id)
{
    const struct identity_rec *identity = alloc_identity(f->alloc, head_id);
    assert_non_null(identity);
    return identity;
}

static void test_identity__registered_and_repeated__keeps_its_first_instant(void **state)
{
    struct fleet *f = *state;
    head(f, "h1");
    struct core_result *out = ask_register(f, "h1", "a");
    hc_time first = out->identity.registered_at;
    assert_int_equal(out->answer, ANSWER_DONE);
    assert_int_equal(first.ms, f->now.ms);
    assert_string_equal(out->identity.supersedes, "");
    assert_false(hc_time_set(out->identity.overlap_until));
    assert_int_equal(fleet_notes(out, NOTE_IDENTITY_REGISTERED), 1);
    f->now = hc_time_add(f->now, HC_HOUR_MS);
    out = ask_register(f, "h1", "a");
    assert_int_equal(out->answer, ANSWER_DONE);
    assert_int_equal(out->identity.registered_at.ms, first.ms);
    assert_int_equal(out->note_count, 0);
    assert_false(out->dirty && identity_of(f, "h1")->registered_at.ms != first.ms);
    assert_string_equal(identity_of(f, "h1")->cert_pem->bytes, "a");
}

static void test_identity__another_certificate__overlaps_for_a_week(void **state)
{
    struct fleet *f = *state;
    head(f, "h1");
    hc_time first = ask_register(f, "h1", "a")->identity.registered_at;
    f->now = hc_time_add(f->now, HC_HOUR_MS);
    struct core_result *out = ask_register(f, "h1", "b");
    hc_time until = hc_time_add(f->now, 7 * HC_DAY_MS);
    assert_string_equal(out->identity.supersedes, fingerprint_of("a"));
    assert_int_equal(out->identity.overlap_until.ms, until.ms);
    assert_int_equal(out->identity.registered_at.ms, f->now.ms);
    f->now = hc_time_add(f->now, HC_HOUR_MS);
    out = ask_register(f, "h1", "b");                 /* a repeat moves no deadline */
    assert_int_equal(out->identity.overlap_until.ms, until.ms);
    assert_string_equal(out->identity.supersedes, fingerprint_of("a"));
    out = ask_register(f, "h1", "a");                 /* the one before counts too, and does not take over again */
    assert_int_equal(out->answer, ANSWER_DONE);
    assert_int_equal(out->identity.registered_at.ms, first.ms);
    assert_string_equal(out->identity.supersedes, "");
    assert_string_equal(identity_of(f, "h1")->fingerprint, fingerprint_of("b"));
}

static void test_identity__overlap_is_over__the_one_before_is_forgotten(void **state)
{
    struct fleet *f = *state;
    head(f, "h1");
    (void)ask_register(f, "h1", "a");
    (void)ask_register(f, "h1", "b");
    f->now = hc_time_add(f->now, 7 * HC_DAY_MS - 1);
    (void)fleet_tick(f);
    assert_string_equal(identity_of(f, "h1")->predecessor.fingerprint, fingerprint_of("a"));
    f->now = hc_time_add(f->now, 1);
    assert_string_equal(ask_register(f, "h1", "b")->identity.supersedes, "");      /* before any tick */
    (void)fleet_tick(f);
    assert_string_equal(identity_of(f, "h1")->predecessor.fingerprint, "");
    assert_false(hc_time_set(identity_of(f, "h1")->predecessor.overlap_until));
}

static void test_identity__third_certificate_in_the_overlap__drops_the_first(void **state)
{
    struct fleet *f = *state;
    head(f, "h1");
    (void)ask_register(f, "h1", "a");
    (void)ask_register(f, "h1", "b");
    assert_string_equal(ask_register(f, "h1", "c")->identity.supersedes, fingerprint_of("b"));
    assert_string_equal(identity_of(f, "h1")->predecessor.fingerprint, fingerprint_of("b"));
}

static void test_identity__certificate_of_another_head__is_in_use_and_told(void **state)
{
    struct fleet *f = *state;
    head(f, "h1");
    head(f, "h2");
    (void)ask_register(f, "h1", "a");
    struct core_result *out = ask_register(f, "h2", "a");
    assert_int_equal(out->deny, DENY_IDENTITY_IN_USE);
    assert_int_equal(fleet_notes(out, NOTE_DUPLICATE_HEAD), 1);
    assert_null(alloc_identity(f->alloc, "h2"));
    (void)ask_register(f, "h1", "b");
    assert_int_equal(ask_register(f, "h2", "a")->deny, DENY_IDENTITY_IN_USE);      /* still h1's for a week */
    f->now = hc_time_add(f->now, 7 * HC_DAY_MS);
    assert_int_equal(ask_register(f, "h2", "a")->answer, ANSWER_DONE);
}

static void test_identity__certificate_of_a_denied_or_deleted_head__is_free(void **state)
{
    struct fleet *f = *state;
    head(f, "h1");
    head(f, "h2");
    head(f, "h3");
    (void)ask_register(f, "h1", "a");
    deny(f, "h1", true);
    assert_int_equal(ask_register(f, "h2", "a")->answer, ANSWER_DONE);
    struct core_event ev = fleet_event(f, CORE_NODE_DELETE, CALLER_ADMIN, "");
    ev.u.node_delete = (struct node_delete_req){ "h2", true };
    assert_int_equal(fleet_step(f, &ev)->answer, ANSWER_DONE);
    assert_int_equal(ask_register(f, "h3", "a")->answer, ANSWER_DONE);
}

static void test_identity__revoked__only_an_admin_gives_another(void **state)
{
    struct fleet *f = *state;
    head(f, "h1");
    (void)ask_register(f, "h1", "a");
    assert_int_equal(ask_identity_revoke(f, "h1")->answer, ANSWER_DONE);
    assert_int_equal(ask_register(f, "h1", "a")->deny, DENY_IDENTITY_REVOKED);
    assert_int_equal(ask_register(f, "h1", "b")->deny, DENY_IDENTITY_REVOKED);
    assert_int_equal(ask_register_by_admin(f, "h1", "a")->deny, DENY_IDENTITY_REVOKED);
    struct core_result *out = ask_register_by_admin(f, "h1", "b");
    assert_int_equal(out->answer, ANSWER_DONE);
    assert_string_equal(out->identity.supersedes, "");      /* what was revoked does not count for another week */
    assert_true(identity_counts(f->alloc, "h1"));
    assert_int_equal(ask_register(f, "h1", "b")->answer, ANSWER_DONE);
}

static void test_identity__unknown_head_or_no_store__is_refused(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    head(f, "h1");
    assert_int_equal(ask_register_by_admin(f, "nobody", "a")->deny, DENY_NOT_FOUND);
    assert_int_equal(ask_register_by_admin(f, "b1", "a")->deny, DENY_NOT_FOUND);
    f->store_down = true;
    assert_int_equal(ask_register(f, "h1", "a")->deny, DENY_STORE);
    assert_null(alloc_identity(f->alloc, "h1"));
}

/* §12.3 in the order of §6.5.5 */
static void test_claim__revoked_or_unknown_identity__is_refused_before_busy(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    head(f, "h1");
    head(f, "h2");
    (void)fleet_report(f, "b1");
    (void)fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE);
    (void)ask_register(f, "h2", "b");
    (void)ask_identity_revoke(f, "h2");
    assert_int_equal(fleet_claim(f, "h2", "a2", FLEET_EXPERIENCE)->deny, DENY_IDENTITY_REVOKED);
    assert_null(alloc_ticket(f->alloc, "h2"));
    alloc_begin_step(f->alloc);
    struct district_rec *district = (struct district_rec *)alloc_create(f->alloc, REC_DISTRICT, FLEET_DISTRICT);
    assert_non_null(district);
    district->per_device_identity_at = f->now;
    edit_done(f);
    assert_int_equal(fleet_claim(f, "h1", "a1", FLEET_EXPERIENCE)->answer, ANSWER_LEASE_SAME);      /* the same attempt: no new judgement */
    assert_int_equal(fleet_claim(f, "h1", "a2", FLEET_EXPERIENCE)->deny, DENY_IDENTITY_UNKNOWN);    /* before head_busy */
    (void)ask_register(f, "h1", "a");
    assert_int_equal(fleet_claim(f, "h1", "a2", FLEET_EXPERIENCE)->deny, DENY_HEAD_BUSY);
}

static void test_read__revoked_identity__is_served_as_ever(void **state)
{
    struct fleet *f = *state;
    fleet_body(f, "b1", "north");
    head(f, "h1");
    (void)fleet_report(f, "b1");
    (void)ask_register(f, "h1", "a");
    (void)ask_identity_revoke(f, "h1");
    assert_int_equal(fleet_read(f, "h1", FLEET_EXPERIENCE)->answer, ANSWER_ROWS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FLEET_TEST(test_identity__registered_and_repeated__keeps_its_first_instant),
        FLEET_TEST(test_identity__another_certificate__overlaps_for_a_week),
        FLEET_TEST(test_identity__overlap_is_over__the_one_before_is_forgotten),
        FLEET_TEST(test_identity__third_certificate_in_the_overlap__drops_the_first),
        FLEET_TEST(test_identity__certificate_of_another_head__is_in_use_and_told),
        FLEET_TEST(test_identity__certificate_of_a_denied_or_deleted_head__is_free),
        FLEET_TEST(test_identity__revoked__only_an_admin_gives_another),
        FLEET_TEST(test_identity__unknown_head_or_no_store__is_refused),
        FLEET_TEST(test_claim__revoked_or_unknown_identity__is_refused_before_busy),
        FLEET_TEST(test_read__revoked_identity__is_served_as_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
