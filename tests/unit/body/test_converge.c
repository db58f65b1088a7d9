#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "converge_scene.h"

#define OLD "Rupelmonde#00000000000000000000000000000000"

static const char *const both[] = { "Rupelmonde", TOKEN }, *const workshop[] = { "Rupelmonde", "Desktop" };

/* ---- the fence ---- */

static void test_converge__all_in_place__nothing_and_applied(void **state)
{
    struct scene *s = *state;
    expect(s, "nothing", 7);
    assert_int_equal(s->step.gate_mode, DIRECTIVE_GATE_ENFORCE);
    assert_null(s->step.gate_reason);
    assert_false(s->step.below_floor);
}

static void test_converge__epoch_above_the_floor__raised_before_anything_else(void **state)
{
    struct scene *s = *state;
    s->slot.epoch = 8;
    s->slot.action = DIRECTIVE_TERMINATE;
    runs(s, SLOT_STREAMING, 1);
    expect(s, "raise_floor", 0);
    assert_int_equal(s->step.epoch, 8);
    carry_out(s);
    expect(s, "raise_floor", 0);            /* not written: asked for again, and nothing goes past it */
}

static void test_converge__epoch_below_the_floor__nothing_applied_and_told_once(void **state)
{
    struct scene *s = *state;
    s->slot.epoch = 6;
    s->slot.action = DIRECTIVE_TERMINATE;
    s->memory.applied_epoch = 7;
    runs(s, SLOT_STREAMING, 1);
    expect(s, "nothing", 7);
    assert_true(s->step.below_floor && s->step.tell_below);
    carry_out(s);
    expect(s, "nothing", 7);
    assert_true(s->step.below_floor);
    assert_false(s->step.tell_below);
    s->slot.epoch = 5;
    assert_true(next(s)->tell_below);
}

static void test_converge__directive_too_old__changes_nothing(void **state)
{
    struct scene *s = *state;
    s->slot.action = DIRECTIVE_TERMINATE;
    runs(s, SLOT_STREAMING, 1);
    s->facts.directive_age_ms = FRESH_MS + 1;
    expect(s, "nothing", 0);
    s->facts.directive_age_ms = FRESH_MS;
    expect(s, "terminate", 7);
}

static void test_converge__floor_unusable_or_no_directive__changes_nothing(void **state)
{
    struct scene *s = *state;
    s->slot.epoch = 8;
    s->facts.floor_unusable = true;
    expect(s, "nothing", 0);
    s->facts.floor_unusable = false;
    s->facts.slot = 1;                      /* the directive does not speak of it */
    expect(s, "nothing", 0);
    s->facts.slot = 0;
    s->facts.desired = NULL;
    expect(s, "nothing", 0);
}

/* ---- ends of an application ---- */

static void test_converge__terminate__closes_once_a_minute(void **state)
{
    struct scene *s = *state;
    s->slot.action = DIRECTIVE_TERMINATE;
    runs(s, SLOT_STREAMING, 1);
    expect(s, "terminate", 7);
    carry_out(s);
    s->facts.now_ms += CONVERGE_CLOSE_MS - 1;
    expect(s, "nothing", 7);
    s->facts.now_ms += 1;
    expect(s, "terminate", 7);
    s->sessions.viewers = 0;                /* nobody views it: it need not wait so long */
    carry_out(s);
    s->facts.now_ms += CONVERGE_RECLOSE_MS;
    expect(s, "close_app", 7);
}

static void test_converge__terminate_that_did_not_reach_the_host__again_within_the_drain(void **state)
{
    struct scene *s = *state;
    bool save;
    s->slot.action = DIRECTIVE_TERMINATE;
    runs(s, SLOT_STREAMING, 1);
    expect(s, "terminate", 7);
    assert_int_equal(converge_will(&s->memory, &s->step, s->facts.now_ms, &save), HC_OK);
    assert_false(converge_did(&s->memory, &s->step, false));
    expect(s, "nothing", 7);
    s->facts.now_ms += CONVERGE_RECLOSE_MS;
    expect(s, "terminate", 7);
    carry_out(s);
    s->facts.now_ms += CONVERGE_RECLOSE_MS;
    expect(s, "nothing", 7);
}

static void test_converge__terminate__never_the_successor_and_never_blindly(void **state)
{
    struct scene *s = *state;
    s->slot.action = DIRECTIVE_TERMINATE;
    expect(s, "nothing", 7);                /* nothing runs */
    runs(s, SLOT_STREAMING, 1);
    HC_SET(s->sessions.launch.lease_id, "lse-2");
    expect(s, "nothing", 7);
    HC_SET(s->sessions.launch.lease_id, "");
    expect(s, "terminate", 7);              /* whose it is was never known */
    s->sessions.app_runs = false;
    s->sessions.host = HOST_STATE_UNKNOWN;
    expect(s, "nothing", 0);
    runs(s, SLOT_ENDING, 0);
    expect(s, "nothing", 7);                /* on its way out */
    s->sessions.abandoned = true;
    expect(s, "close_app", 7);
}

static void test_converge__runs_on_after_its_lease__closed_only_when_nobody_views_it(void **state)
{
    struct scene *s = *state;
    s->slot.action = DIRECTIVE_FREE;
    HC_SET(s->slot.lease_id, "");
    runs(s, SLOT_STREAMING, 1);
    expect(s, "nothing", 7);                /* seed I11: nothing that is seen here ends a stream */
    runs(s, SLOT_ENDING, 0);
    s->sessions.abandoned = true;
    expect(s, "close_app", 7);
    assert_false(s->step.terminates);
    carry_out(s);
    s->facts.now_ms += CONVERGE_RECLOSE_MS - 1;
    expect(s, "nothing", 7);
    s->facts.now_ms += 1;
    expect(s, "close_app", 7);
}

/* A visit so short that the cluster ended its lease before it was shown: nobody comes back to it. */
static void test_converge__viewer_left_and_the_lease_is_over__closed_without_waiting_for_a_return(void **state)
{
    struct scene *s = *state;
    runs(s, SLOT_STREAMING, 0);
    expect(s, "nothing", 7);                /* its lease's: who views it may come back */
    s->slot.action = DIRECTIVE_FREE;
    HC_SET(s->slot.lease_id, "");
    expect(s, "close_app", 7);
    runs(s, SLOT_STARTING, 0);
    expect(s, "nothing", 7);                /* somebody may be on the way */
    runs(s, SLOT_STREAMING, 0);
    HC_SET(s->sessions.launch.lease_id, "");
    expect(s, "nothing", 7);                /* whose it is was never known: the cluster may adopt it */
}

/* Between the decision and the call lists are read: somebody may have resumed meanwhile. */
static void test_converge__somebody_resumed_before_the_close__does_not_hold(void **state)
{
    struct scene *s = *state;
    s->slot.action = DIRECTIVE_FREE;
    HC_SET(s->slot.lease_id, "");
    runs(s, SLOT_ENDING, 0);
    s->sessions.abandoned = true;
    expect(s, "close_app", 7);
    assert_true(converge_holds(&s->step, &s->sessions));
    s->sessions.viewers = 1;
    assert_false(converge_holds(&s->step, &s->sessions));
    s->sessions.viewers = 0;
    s->sessions.viewers_known = false;
    assert_false(converge_holds(&s->step, &s->sessions));
    s->slot.action = DIRECTIVE_TERMINATE;   /* by order: whoever views it */
    runs(s, SLOT_STREAMING, 1);
    HC_SET(s->sessions.launch.lease_id, "");
    expect(s, "terminate", 7);
    assert_true(converge_holds(&s->step, &s->sessions));
}

/* Visits may be shorter than the wait: the slot of the next one must not wait for the close of the one before. */
static void test_converge__another_application_right_after_a_close__closed_at_once(void **state)
{
    struct scene *s = *state;
    s->slot.action = DIRECTIVE_FREE;
    HC_SET(s->slot.lease_id, "");
    runs(s, SLOT_ENDING, 0);
    s->sessions.abandoned = true;
    expect(s, "close_app", 7);
    carry_out(s);
    s->sessions.launch.since_ms = s->facts.now_ms + 1;
    s->facts.now_ms += 2;
    expect(s, "close_app", 7);
}

static void test_converge__abandoned_under_its_lease__left_to_the_cluster(void **state)
{
    struct scene *s = *state;
    runs(s, SLOT_IDLE, 0);
    s->sessions.abandoned = true;
    expect(s, "nothing", 7);
    HC_SET(s->slot.lease_id, "lse-2");      /* another's turn: the old one goes */
    expect(s, "close_app", 7);
}

static void test_converge__maintenance__the_workshop_s_own_launch_is_left_alone(void **state)
{
    struct scene *s = *state;
    s->desired.maintenance = true;
    s->slot.action = DIRECTIVE_FREE;
    HC_SET(s->slot.lease_id, "");
    runs(s, SLOT_ENDING, 0);
    s->sessions.abandoned = true;
    expect(s, "close_app", 0);              /* the door that the lease shut opens when it has ended */
    HC_SET(s->sessions.launch.lease_id, "");
    expect(s, "nothing", 0);
}

/* ---- entries ---- */

static void test_converge__entries_differ__changed_one_by_one_while_idle(void **state)
{
    struct scene *s = *state;
    s->published[0] = OLD;
    s->published[1] = "Rupelmonde";
    s->published[2] = "Steam Big Picture";
    s->facts.published_count = 3;
    expect(s, "remove_entry " OLD, 0);
    s->published[0] = "Steam Big Picture";
    expect(s, "remove_entry Rupelmonde", 0);
    s->facts.published_count = 1;
    expect(s, "add_entry " TOKEN, 0);
    assert_string_equal(s->step.pattern, "Rupelmonde");
    s->published[1] = TOKEN;
    s->facts.published_count = 2;
    expect(s, "nothing", 7);
}

static void test_converge__observe__plain_and_token_are_both_published(void **state)
{
    struct scene *s = *state;
    s->desired.enforce = DIRECTIVE_OBSERVE;
    s->slot.gate = (struct desired_gate){ .mode = DIRECTIVE_GATE_OBSERVE };
    s->slot.app_entries = (struct codec_list)LIST(both);
    expect(s, "add_entry Rupelmonde", 0);
    s->published[1] = "Rupelmonde";
    s->facts.published_count = 2;
    expect(s, "nothing", 7);
    assert_int_equal(s->step.gate_mode, DIRECTIVE_GATE_OBSERVE);
    assert_string_equal(s->step.gate_reason, "enforce would change 1 clients");
}

static void test_converge__not_idle__entries_wait_and_are_not_applied(void **state)
{
    struct scene *s = *state;
    s->published[0] = "Rupelmonde";
    runs(s, SLOT_STREAMING, 1);
    s->memory.applied_epoch = 7;
    expect(s, "nothing", 6);                /* seen to be otherwise than the epoch wants it */
    s->sessions.app_runs = false;
    s->sessions.host = HOST_STATE_UNKNOWN;
    expect(s, "nothing", 6);
}

static void test_converge__entries_not_known__nothing_changed_and_what_was_applied_stays(void **state)
{
    struct scene *s = *state;
    s->facts.published_state = LIST_UNREAD;
    expect(s, "read_entries", 0);
    s->facts.published_state = LIST_UNREADABLE;
    expect(s, "nothing", 0);
    s->memory.applied_epoch = 7;
    expect(s, "nothing", 7);
    s->slot.epoch = s->facts.floor = 8;
    expect(s, "nothing", 7);
}

static void test_converge__no_entries_wanted__host_s_own_stay(void **state)
{
    struct scene *s = *state;
    s->slot.app_entries = (struct codec_list){ NULL, 0 };
    s->published[0] = "Rupelmonde";
    expect(s, "nothing", 7);
}

static void test_converge__entry_without_a_pattern__told_and_not_applied_but_in_maintenance(void **state)
{
    struct scene *s = *state;
    s->slot.app_entries = (struct codec_list)LIST(workshop);
    s->published[0] = "Rupelmonde";
    expect(s, "nothing", 0);
    assert_string_equal(s->step.missing, "Desktop");
    s->desired.maintenance = true;
    s->clients[1].enabled = true;
    expect(s, "nothing", 7);
}

/* ---- a whole way ---- */

/* A host that does what it is told. */
static void do_it(struct scene *s, const struct converge_step *step)
{
    for (size_t i = 0; step->uuid != NULL && i < 2; i++)
        if (strcmp(s->clients[i].uuid, step->uuid) == 0)
            s->clients[i].enabled = step->what == CONVERGE_ENABLE;
    switch (step->what) {
    case CONVERGE_RAISE_FLOOR:  s->facts.floor = step->epoch; break;
    case CONVERGE_READ_ENTRIES: s->facts.published_state = LIST_KNOWN; break;
    case CONVERGE_READ_CLIENTS: s->facts.clients_state = LIST_KNOWN; break;
    case CONVERGE_REMOVE_ENTRY: s->facts.published_count--; s->facts.published_state = LIST_UNREAD; break;
    case CONVERGE_ADD_ENTRY:    s->published[s->facts.published_count++] = TOKEN; s->facts.published_state = LIST_UNREAD; break;
    case CONVERGE_ENABLE:
    case CONVERGE_DISABLE:      s->facts.clients_state = LIST_CHANGED; break;
    default: break;
    }
}

static void test_converge__new_lease_on_a_fresh_agent__every_step_in_order(void **state)
{
    struct scene *s = *state;
    struct hc_buf way = { 0 };
    s->facts.floor = 3;
    s->facts.published_state = s->facts.clients_state = LIST_UNREAD;
    s->published[0] = "Rupelmonde";
    s->clients[1].enabled = true;
    for (unsigned i = 0; i < 20 && next(s)->what != CONVERGE_NOTHING; i++) {
        hc_buf_printf(&way, "%s, ", step_text(&s->step));
        assert_true(s->step.applied_epoch < 7);
        carry_out(s);
        do_it(s, &s->step);
    }
    assert_string_equal(way.data, "raise_floor, read_entries, read_clients, remove_entry Rupelmonde, read_entries, add_entry " TOKEN
                                  ", read_entries, disable OTHER, read_clients, ");
    assert_int_equal(s->step.applied_epoch, 7);
    assert_int_equal(s->memory.shut_count, 1);
    hc_buf_free(&way);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SCENE(test_converge__all_in_place__nothing_and_applied),
        WITH_SCENE(test_converge__epoch_above_the_floor__raised_before_anything_else),
        WITH_SCENE(test_converge__epoch_below_the_floor__nothing_applied_and_told_once),
        WITH_SCENE(test_converge__directive_too_old__changes_nothing),
        WITH_SCENE(test_converge__floor_unusable_or_no_directive__changes_nothing),
        WITH_SCENE(test_converge__terminate__closes_once_a_minute),
        WITH_SCENE(test_converge__terminate_that_did_not_reach_the_host__again_within_the_drain),
        WITH_SCENE(test_converge__terminate__never_the_successor_and_never_blindly),
        WITH_SCENE(test_converge__runs_on_after_its_lease__closed_only_when_nobody_views_it),
        WITH_SCENE(test_converge__another_application_right_after_a_close__closed_at_once),
        WITH_SCENE(test_converge__viewer_left_and_the_lease_is_over__closed_without_waiting_for_a_return),
        WITH_SCENE(test_converge__somebody_resumed_before_the_close__does_not_hold),
        WITH_SCENE(test_converge__abandoned_under_its_lease__left_to_the_cluster),
        WITH_SCENE(test_converge__maintenance__the_workshop_s_own_launch_is_left_alone),
        WITH_SCENE(test_converge__entries_differ__changed_one_by_one_while_idle),
        WITH_SCENE(test_converge__observe__plain_and_token_are_both_published),
        WITH_SCENE(test_converge__not_idle__entries_wait_and_are_not_applied),
        WITH_SCENE(test_converge__entries_not_known__nothing_changed_and_what_was_applied_stays),
        WITH_SCENE(test_converge__no_entries_wanted__host_s_own_stay),
        WITH_SCENE(test_converge__entry_without_a_pattern__told_and_not_applied_but_in_maintenance),
        WITH_SCENE(test_converge__new_lease_on_a_fresh_agent__every_step_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
