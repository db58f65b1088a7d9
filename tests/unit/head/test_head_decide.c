#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../../src/head/head_decide.h"

#define TTL_MS   90000
#define RENEW_MS 20000

static struct head_actions acts;

static bool acted(enum head_action_type type)
{
    for (size_t i = 0; i < acts.count; i++)
        if (acts.at[i] == type)
            return true;
    return false;
}

static void give(struct head_state *head, struct head_event ev)
{
    if (ev.fresh_id[0] == '\0')
        HC_SET(ev.fresh_id, "a-fresh");
    head_decide(head, &ev, &acts);
}

static struct head_event grant(int64_t now)
{
    struct head_event ev = { .type = HEV_GRANTED, .now_ms = now, .sent_ms = now };
    HC_SET(ev.lease.id, "lse-1");
    HC_SET(ev.lease.stream_id, "str-1");
    HC_SET(ev.lease.claim_token, "token");
    ev.lease.ttl_ms = ev.lease.start_deadline_ms = TTL_MS;
    ev.lease.renew_after_ms = RENEW_MS;
    ev.body.directive_applied = true;
    HC_SET(ev.body.cert_fp, "fp-of-the-cluster");
    return ev;
}

static void begin(struct head_state *head)
{
    head_init(head, false);
    give(head, (struct head_event){ .type = HEV_START, .experience = "Rupelmonde" });
    assert_int_equal(head->phase, HEAD_CLAIMING);
    assert_int_equal(acts.at[0], ACT_SAVE);             /* the attempt is stored before it is used */
    assert_int_equal(acts.at[1], ACT_CLAIM);
}

static void to_lease(struct head_state *head)
{
    begin(head);
    give(head, grant(0));
    assert_int_equal(head->phase, HEAD_VERIFYING);
    assert_int_equal(acts.at[0], ACT_SAVE);             /* and the token too */
}

static void to_picture(struct head_state *head)
{
    to_lease(head);
    give(head, (struct head_event){ .type = HEV_VERIFIED, .verdict = HOST_YES });
    assert_true(acted(ACT_PROBE));
    give(head, (struct head_event){ .type = HEV_PROBED, .verdict = HOST_YES });
    assert_true(acted(ACT_RENEW) && !acted(ACT_SPAWN));
    give(head, (struct head_event){ .type = HEV_RENEWED });
    assert_true(acted(ACT_SPAWN));
    give(head, (struct head_event){ .type = HEV_CHILD_PLAYS });
    assert_string_equal(head_status_word(head), "streaming");
}

static void test_head__all_goes_well__claims_pairs_launches_releases(void **state)
{
    (void)state;
    struct head_state head;
    to_lease(&head);
    give(&head, (struct head_event){ .type = HEV_VERIFIED, .verdict = HOST_NO });
    assert_true(acted(ACT_PAIR));
    give(&head, (struct head_event){ .type = HEV_PAIRED, .verdict = HOST_YES });
    assert_true(acted(ACT_VERIFY));
    give(&head, (struct head_event){ .type = HEV_VERIFIED, .verdict = HOST_YES });
    give(&head, (struct head_event){ .type = HEV_PROBED, .verdict = HOST_YES });
    give(&head, (struct head_event){ .type = HEV_RENEWED });
    give(&head, (struct head_event){ .type = HEV_CHILD_PLAYS });
    give(&head, (struct head_event){ .type = HEV_CHILD_ENDED, .clean = true });
    assert_true(acted(ACT_RELEASE));
    assert_int_equal(head.release, RELEASE_USER_EXIT);
    give(&head, (struct head_event){ .type = HEV_RELEASED });
    assert_int_equal(head.phase, HEAD_IDLE);
}

static void test_head__renewal_says_410_before_the_launch__no_launch(void **state)
{
    (void)state;
    struct head_state head;
    to_lease(&head);
    give(&head, (struct head_event){ .type = HEV_VERIFIED, .verdict = HOST_YES });
    give(&head, (struct head_event){ .type = HEV_PROBED, .verdict = HOST_YES });
    give(&head, (struct head_event){ .type = HEV_LOST, .ordered = true });
    assert_false(acted(ACT_SPAWN));
    assert_int_equal(head.phase, HEAD_RETRYING);
    give(&head, (struct head_event){ .type = HEV_RENEWED });        /* late: of the lease that is gone */
    assert_false(acted(ACT_SPAWN));
}

static void test_head__renewal_unanswered_before_the_launch__no_launch(void **state)
{
    (void)state;
    struct head_state head;
    to_lease(&head);
    give(&head, (struct head_event){ .type = HEV_VERIFIED, .verdict = HOST_YES });
    give(&head, (struct head_event){ .type = HEV_PROBED, .verdict = HOST_YES });
    give(&head, (struct head_event){ .type = HEV_RENEW_FAILED });
    assert_false(acted(ACT_SPAWN));
    give(&head, (struct head_event){ .type = HEV_TIME, .now_ms = head_due(&head) });
    assert_true(acted(ACT_PROBE));
}

static void test_head__host_plays_somebody_elses__released_unreachable_and_next(void **state)
{
    (void)state;
    struct head_state head;
    to_lease(&head);
    give(&head, (struct head_event){ .type = HEV_VERIFIED, .verdict = HOST_YES });
    give(&head, (struct head_event){ .type = HEV_PROBED, .verdict = HOST_NO });
    assert_true(acted(ACT_RELEASE) && !acted(ACT_SPAWN));
    assert_int_equal(head.release, RELEASE_UNREACHABLE);
    give(&head, (struct head_event){ .type = HEV_RELEASED });
    assert_int_equal(head.phase, HEAD_RETRYING);
    give(&head, (struct head_event){ .type = HEV_TIME, .now_ms = head_due(&head), .fresh_id = "a-second" });
    assert_true(acted(ACT_CLAIM));
    assert_string_equal(head.attempt_id, "a-second");
    assert_string_equal(head.stream_id, "str-1");                   /* the same visit */
}

static void test_head__rotated_as_the_cluster_says__pinned_without_a_handshake(void **state)
{
    (void)state;
    struct head_state head;
    to_lease(&head);
    give(&head, (struct head_event){ .type = HEV_VERIFIED, .verdict = HOST_ROTATED, .fingerprint = "fp-of-the-cluster" });
    assert_true(acted(ACT_REPIN) && acted(ACT_VERIFY) && !acted(ACT_PAIR));
}

static void test_head__rotated_to_a_stranger__unknown_and_in_the_end_unreachable(void **state)
{
    (void)state;
    struct head_state head;
    to_lease(&head);
    for (unsigned i = 1; i < HEAD_VERIFY_TRIES; i++) {
        give(&head, (struct head_event){ .type = HEV_VERIFIED, .verdict = HOST_ROTATED, .fingerprint = "another" });
        assert_int_equal(acts.count, 0);                            /* changes nothing */
        give(&head, (struct head_event){ .type = HEV_TIME, .now_ms = head_due(&head) });
        assert_true(acted(ACT_VERIFY));
    }
    give(&head, (struct head_event){ .type = HEV_VERIFIED, .verdict = HOST_ROTATED, .fingerprint = "another" });
    assert_true(acted(ACT_RELEASE));
}

static void test_head__picture_lives_and_the_cluster_is_away__plays_on(void **state)
{
    (void)state;
    struct head_state head;
    to_picture(&head);
    for (int64_t now = RENEW_MS; now < 20 * TTL_MS; now = head_due(&head)) {
        give(&head, (struct head_event){ .type = HEV_TIME, .now_ms = now });
        assert_true(acted(ACT_RENEW) && !acted(ACT_END_CHILD));
        give(&head, (struct head_event){ .type = HEV_RENEW_FAILED, .now_ms = now });
    }
    assert_int_equal(head.phase, HEAD_STREAMING);
    give(&head, (struct head_event){ .type = HEV_LOST });           /* expired: not ordered */
    assert_false(acted(ACT_END_CHILD));
    struct head_event again = { .type = HEV_RENEWED };
    HC_SET(again.lease.id, "lse-2");
    give(&head, again);
    assert_string_equal(head.lease.id, "lse-2");                    /* adopted under another lease */
    assert_true(acted(ACT_SAVE));
}

static void test_head__revoked_while_streaming__ends_and_releases_nothing(void **state)
{
    (void)state;
    struct head_state head;
    to_picture(&head);
    give(&head, (struct head_event){ .type = HEV_LOST, .ordered = true });
    assert_true(acted(ACT_END_CHILD));
    give(&head, (struct head_event){ .type = HEV_CHILD_ENDED });
    assert_false(acted(ACT_RELEASE));
    assert_int_equal(head.phase, HEAD_IDLE);
}

static void test_head__start_takes_too_long__gives_up_by_its_own_clock(void **state)
{
    (void)state;
    struct head_state head;
    to_lease(&head);
    give(&head, (struct head_event){ .type = HEV_TIME, .now_ms = TTL_MS });
    assert_true(acted(ACT_DROP_CALLS) && acted(ACT_RELEASE));
    give(&head, (struct head_event){ .type = HEV_VERIFIED, .verdict = HOST_YES });      /* late */
    assert_int_equal(acts.count, 0);
}

static void test_head__crashed_program__released_error_and_tried_again_boundedly(void **state)
{
    (void)state;
    struct head_state head;
    begin(&head);
    for (unsigned i = 0; i < HEAD_STARTS_MAX; i++) {
        give(&head, grant(0));
        give(&head, (struct head_event){ .type = HEV_VERIFIED, .verdict = HOST_YES });
        give(&head, (struct head_event){ .type = HEV_PROBED, .verdict = HOST_YES });
        give(&head, (struct head_event){ .type = HEV_RENEWED });
        give(&head, (struct head_event){ .type = HEV_CHILD_ENDED, .sentence = "the program crashed" });
        assert_int_equal(head.release, RELEASE_ERROR);
        give(&head, (struct head_event){ .type = HEV_RELEASED });
        give(&head, (struct head_event){ .type = HEV_TIME, .now_ms = head_due(&head) == INT64_MAX ? 0 : head_due(&head) });
    }
    assert_int_equal(head.phase, HEAD_FAILED);
    assert_string_equal(head.message, "the program crashed");
}

static void test_head__queued_asked_and_left__accepts_or_leaves_the_line(void **state)
{
    (void)state;
    struct head_state head;
    begin(&head);
    give(&head, (struct head_event){ .type = HEV_WAITING, .ticket = { .position = 1 } });
    assert_true(acted(ACT_ADMISSION));
    give(&head, (struct head_event){ .type = HEV_ACCEPT });
    assert_int_equal(acts.count, 0);                                /* nobody asked */
    give(&head, (struct head_event){ .type = HEV_WAITING, .ticket = { .position = 1, .confirm_required = true } });
    assert_int_equal(acts.count, 0);                                /* a poll would be answered at once, again and again */
    give(&head, (struct head_event){ .type = HEV_TIME, .now_ms = head_due(&head) });
    assert_true(acted(ACT_ADMISSION) && !acted(ACT_ACCEPT));
    give(&head, (struct head_event){ .type = HEV_ACCEPT });
    assert_true(acted(ACT_ACCEPT));
    give(&head, (struct head_event){ .type = HEV_STOP });
    assert_true(acted(ACT_LEAVE_QUEUE));
    assert_int_equal(head.phase, HEAD_IDLE);
}

static void test_head__visitor_leaves_while_claiming__the_late_lease_is_released(void **state)
{
    (void)state;
    struct head_state head;
    begin(&head);
    give(&head, (struct head_event){ .type = HEV_STOP });
    give(&head, grant(5));
    assert_true(acted(ACT_RELEASE) && !acted(ACT_VERIFY));
    give(&head, (struct head_event){ .type = HEV_RELEASED });
    assert_int_equal(head.phase, HEAD_IDLE);
}

static void test_head__claim_unanswered__the_same_attempt_again(void **state)
{
    (void)state;
    struct head_state head;
    begin(&head);
    give(&head, (struct head_event){ .type = HEV_NO_ANSWER });
    give(&head, (struct head_event){ .type = HEV_TIME, .now_ms = head_due(&head), .fresh_id = "a-other" });
    assert_true(acted(ACT_CLAIM));
    assert_string_equal(head.attempt_id, "a-fresh");
    give(&head, (struct head_event){ .type = HEV_REFUSED, .refusal = REFUSE_ATTEMPT });
    give(&head, (struct head_event){ .type = HEV_TIME, .now_ms = head_due(&head), .fresh_id = "a-other" });
    assert_string_equal(head.attempt_id, "a-other");
}

static void test_head__claim_repeated_after_a_place_in_line__says_the_same_stream(void **state)
{
    (void)state;
    struct head_state head;
    begin(&head);
    struct head_event place = { .type = HEV_WAITING, .ticket = { .position = 1 } };
    HC_SET(place.ticket.stream_id, "str-1");
    give(&head, place);
    assert_string_equal(head.stream_id, "str-1");
    assert_string_equal(head.claim_stream_id, "");                  /* as the claim was: else it is `attempt_reused` */
    give(&head, (struct head_event){ .type = HEV_REFUSED, .refusal = REFUSE_ATTEMPT });
    give(&head, (struct head_event){ .type = HEV_TIME, .now_ms = head_due(&head), .fresh_id = "a-second" });
    assert_true(acted(ACT_CLAIM));
    assert_string_equal(head.claim_stream_id, "str-1");             /* another attempt names the visit from the start */
}

static void test_head__body_not_ready_yet__looked_at_soon_and_then_less_often(void **state)
{
    (void)state;
    struct head_state head;
    struct head_event lease = grant(0);
    lease.body.directive_applied = false;
    begin(&head);
    lease.now_ms = 20000;                   /* the poll that it answers was sent twenty seconds ago: that time is no waiting */
    give(&head, lease);
    assert_int_equal(head.phase, HEAD_PREPARING);
    static const struct { int64_t now, due; } rows[] = { { 20010, 20030 }, { 20400, 20500 }, { 22000, 22500 }, { 80000, 81000 } };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lease.now_ms = rows[i].now;
        give(&head, lease);
        assert_int_equal(head.due_ms, rows[i].due);
    }
    lease.body.directive_applied = true;
    give(&head, lease);
    assert_true(acted(ACT_VERIFY));
}

static void test_head__gate_closed_right_after_pairing__unknown_not_a_second_pairing(void **state)
{
    (void)state;
    struct head_state head;
    to_lease(&head);
    give(&head, (struct head_event){ .type = HEV_VERIFIED, .verdict = HOST_NO });
    give(&head, (struct head_event){ .type = HEV_PAIRED, .verdict = HOST_YES });
    give(&head, (struct head_event){ .type = HEV_VERIFIED, .verdict = HOST_NO });
    assert_false(acted(ACT_PAIR));
}

/* ---- whatever comes in whatever order ---- */

struct world { bool lease, child; };

/* What the actions do outside; the rules that no order of events may break. */
static void check_actions(const struct head_state *head, const struct head_event *ev, enum head_phase before, struct world *world)
{
    for (size_t i = 0; i < acts.count; i++) {
        switch (acts.at[i]) {
        case ACT_SPAWN:
            assert_false(world->child);
            assert_true(before == HEAD_CONFIRMING && ev->type == HEV_RENEWED && head->has_lease);
            world->child = true;
            break;
        case ACT_END_CHILD:
            assert_true(world->child);
            break;
        case ACT_RELEASE:
            assert_true(head->has_lease);
            assert_false(world->child);                 /* never while a picture is up */
            break;
        case ACT_VERIFY:
        case ACT_PAIR:
        case ACT_PROBE:
        case ACT_RENEW:
            assert_true(head->has_lease);
            break;
        default:
            break;
        }
    }
    assert_true(head->child == world->child);
}

static bool waits_for_an_answer(const struct head_state *head)
{
    enum head_phase p = head->phase;
    return p == HEAD_IDLE || p == HEAD_FAILED || p == HEAD_CLAIMING || p == HEAD_QUEUED || p == HEAD_STOPPING || p == HEAD_RELEASING ||
           p == HEAD_STREAMING || p == HEAD_PREPARING;
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static struct head_event any_event(uint32_t *seed, int64_t now)
{
    struct head_event ev = grant(now);
    ev.type = (enum head_event_type)(next_random(seed) % (HEV_RELEASED + 1));
    ev.refusal = (enum head_refusal)(next_random(seed) % (REFUSE_FOREVER + 1));
    ev.verdict = (enum head_host_verdict)(next_random(seed) % (HOST_UNKNOWN + 1));
    ev.ordered = next_random(seed) % 2 == 0;
    ev.clean = next_random(seed) % 2 == 0;
    ev.body.directive_applied = next_random(seed) % 3 != 0;
    ev.ticket.confirm_required = next_random(seed) % 3 == 0;
    ev.jitter = next_random(seed);
    HC_SET(ev.experience, "Rupelmonde");
    HC_SET(ev.fresh_id, "a-any");
    HC_SET(ev.sentence, "why");
    return ev;
}

static void test_head__any_events_in_any_order__no_rule_broken_and_never_stuck(void **state)
{
    (void)state;
    for (uint32_t run = 1; run <= 2000; run++) {
        uint32_t seed = run;
        struct head_state head;
        struct world world = { 0 };
        int64_t now = 0;
        head_init(&head, run % 2 == 0);
        for (unsigned i = 0; i < 200; i++) {
            struct head_event ev = any_event(&seed, now);
            enum head_phase before = head.phase;
            if (ev.type == HEV_CHILD_ENDED)
                world.child = false;
            if (ev.type == HEV_CHILD_ENDED && !head.child)
                continue;
            head_decide(&head, &ev, &acts);
            check_actions(&head, &ev, before, &world);
            assert_true(waits_for_an_answer(&head) || head_due(&head) < INT64_MAX);      /* each of these has a clock of its own */
            now += next_random(&seed) % 7000;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_head__all_goes_well__claims_pairs_launches_releases),
        cmocka_unit_test(test_head__renewal_says_410_before_the_launch__no_launch),
        cmocka_unit_test(test_head__renewal_unanswered_before_the_launch__no_launch),
        cmocka_unit_test(test_head__host_plays_somebody_elses__released_unreachable_and_next),
        cmocka_unit_test(test_head__rotated_as_the_cluster_says__pinned_without_a_handshake),
        cmocka_unit_test(test_head__rotated_to_a_stranger__unknown_and_in_the_end_unreachable),
        cmocka_unit_test(test_head__picture_lives_and_the_cluster_is_away__plays_on),
        cmocka_unit_test(test_head__revoked_while_streaming__ends_and_releases_nothing),
        cmocka_unit_test(test_head__start_takes_too_long__gives_up_by_its_own_clock),
        cmocka_unit_test(test_head__crashed_program__released_error_and_tried_again_boundedly),
        cmocka_unit_test(test_head__queued_asked_and_left__accepts_or_leaves_the_line),
        cmocka_unit_test(test_head__visitor_leaves_while_claiming__the_late_lease_is_released),
        cmocka_unit_test(test_head__claim_unanswered__the_same_attempt_again),
        cmocka_unit_test(test_head__claim_repeated_after_a_place_in_line__says_the_same_stream),
        cmocka_unit_test(test_head__body_not_ready_yet__looked_at_soon_and_then_less_often),
        cmocka_unit_test(test_head__gate_closed_right_after_pairing__unknown_not_a_second_pairing),
        cmocka_unit_test(test_head__any_events_in_any_order__no_rule_broken_and_never_stuck),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
