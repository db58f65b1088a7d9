#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "converge_scene.h"

static const char *const mine[] = { "MINE" }, *const other[] = { "OTHER" }, *const first_launch[] = { "l-1" };

/* ---- the gate ---- */

static void test_converge__gate__flipped_one_by_one_and_read_back_before_applied(void **state)
{
    struct scene *s = *state;
    s->clients[1].enabled = true;
    expect(s, "disable OTHER", 0);
    carry_out(s);
    s->clients[1].enabled = false;
    s->facts.clients_state = LIST_CHANGED;
    expect(s, "read_clients", 0);
    s->facts.clients_state = LIST_KNOWN;
    expect(s, "nothing", 7);
    s->slot.gate.enabled = (struct codec_list){ NULL, 0 };      /* free or a legacy head's: everybody */
    s->slot.epoch = s->facts.floor = 8;
    s->memory.applied_epoch = 7;
    expect(s, "enable OTHER", 7);
}

/* A stranger who comes after the head was told to launch stays until the lease is over: shutting it out might end the launch. */
static void test_converge__in_place_once__nobody_is_shut_out_before_the_next_lease(void **state)
{
    struct scene *s = *state;
    expect(s, "nothing", 7);
    carry_out(s);
    s->clients[1].enabled = true;
    expect(s, "nothing", 6);
    assert_non_null(strstr(s->step.gate_reason, "application"));
    carry_out(s);
    expect(s, "nothing", 6);                /* nor the second time it is asked */
    s->slot.epoch = s->facts.floor = 9;
    HC_SET(s->slot.lease_id, "lse-2");
    expect(s, "disable OTHER", 6);
}

static void test_converge__reconnect_gap__gate_waits_and_says_so(void **state)
{
    struct scene *s = *state;
    s->clients[1].enabled = true;
    runs(s, SLOT_STREAMING, 0);
    expect(s, "nothing", 0);
    assert_non_null(strstr(s->step.gate_reason, "application"));
    s->sessions.viewers = 1;                /* its own session lives: only the stranger's would end */
    expect(s, "disable OTHER", 0);
    s->sessions.viewers_known = false;
    expect(s, "nothing", 0);
    runs(s, SLOT_STARTING, 0);
    s->sessions.app_runs = false;           /* its commands run: the host says free, and is about to begin */
    s->sessions.host = HOST_STATE_FREE;
    s->sessions.viewers_known = true;
    expect(s, "nothing", 0);
}

static void test_converge__host_that_has_no_gate__unavailable_with_its_reason_and_applied(void **state)
{
    struct scene *s = *state;
    s->clients[1].enabled = true;
    s->facts.features = SUNSHINE_NAMES;
    expect(s, "nothing", 7);
    assert_int_equal(s->step.gate_mode, DIRECTIVE_GATE_UNAVAILABLE);
    assert_non_null(s->step.gate_reason);
    s->facts.features = SUNSHINE_NAMES | SUNSHINE_ENABLE;
    expect(s, "nothing", 7);
    assert_int_equal(converge_shut_add(&s->memory, "OTHER"), HC_OK);
    expect(s, "nothing", 0);                /* a door of another lease may still be locked */
}

static void test_converge__client_list_not_known__no_flip_no_removal(void **state)
{
    struct scene *s = *state;
    s->clients[1].enabled = true;
    s->trust.remove = (struct codec_list)LIST(other);
    s->facts.clients_state = LIST_UNREAD;
    expect(s, "read_clients", 0);
    s->facts.clients_state = LIST_UNREADABLE;
    expect(s, "nothing", 7);
    assert_int_equal(s->step.gate_mode, DIRECTIVE_GATE_UNAVAILABLE);
}

static void test_converge__enforce_taken_back__doors_that_we_locked_are_opened(void **state)
{
    struct scene *s = *state;
    s->desired.enforce = DIRECTIVE_OBSERVE;
    s->slot.gate.mode = DIRECTIVE_GATE_OBSERVE;
    expect(s, "nothing", 7);                /* somebody else locked it */
    assert_int_equal(converge_shut_add(&s->memory, "OTHER"), HC_OK);
    s->slot.gate = (struct desired_gate){ .mode = DIRECTIVE_GATE_OBSERVE };
    expect(s, "enable OTHER", 0);
    carry_out(s);
    assert_int_equal(s->memory.shut_count, 0);
}

/* ---- evictions ---- */

static void intrudes(struct scene *s)
{
    runs(s, SLOT_STREAMING, 1);
    HC_SET(s->sessions.launch.lease_id, "");
    HC_SET(s->sessions.launch.client_uuid, "OTHER");
    s->clients[1].enabled = true;
    s->slot.evict = (struct codec_list)LIST(first_launch);
}

static void test_converge__evict__only_a_known_client_that_is_not_the_lease_s(void **state)
{
    struct scene *s = *state;
    intrudes(s);
    expect(s, "evict OTHER", 0);
    s->desired.enforce = DIRECTIVE_OBSERVE;
    assert_string_equal(step_text(next(s)), "nothing");
    s->desired.enforce = DIRECTIVE_ENFORCE;
    s->facts.features = SUNSHINE_NAMES | SUNSHINE_ENABLE;               /* it would end everybody's session */
    assert_string_equal(step_text(next(s)), "nothing");
    s->facts.features = ALL_FEATURES;
    HC_SET(s->sessions.launch.launch_id, "l-2");                        /* not the launch that is named */
    assert_string_equal(step_text(next(s)), "nothing");
    HC_SET(s->sessions.launch.launch_id, "l-1");
    HC_SET(s->sessions.launch.client_uuid, "");                         /* nobody knows who it is */
    assert_string_equal(step_text(next(s)), "nothing");
    HC_SET(s->sessions.launch.client_uuid, "MINE");
    s->clients[1].enabled = false;
    assert_string_equal(step_text(next(s)), "nothing");
    intrudes(s);
    s->facts.clients_state = LIST_UNREADABLE;
    assert_string_equal(step_text(next(s)), "nothing");
    s->facts.clients_state = LIST_KNOWN;
    s->memory.closed = true;                                            /* one close a slot a minute */
    s->memory.closed_ms = s->facts.now_ms - CONVERGE_CLOSE_MS + 1;
    assert_string_equal(step_text(next(s)), "nothing");
}

static void test_converge__evicted__let_in_again_when_its_session_has_ended(void **state)
{
    struct scene *s = *state;
    intrudes(s);
    s->slot.gate.enabled = (struct codec_list){ NULL, 0 };              /* the gate wants everybody in */
    expect(s, "evict OTHER", 7);
    carry_out(s);
    s->clients[1].enabled = false;
    expect(s, "nothing", 6);                                            /* while it lives it stays out */
    stops(s);
    expect(s, "enable OTHER", 6);
    carry_out(s);
    assert_string_equal(s->memory.evicting, "");
    assert_int_equal(s->memory.shut_count, 0);
}

static void test_converge__evicted_and_no_gate__let_in_again_too(void **state)
{
    struct scene *s = *state;
    intrudes(s);
    static const char *const unlisted[] = { "NEW" };
    s->slot.gate.enabled = (struct codec_list)LIST(unlisted);           /* the host does not list it: no gate */
    assert_string_equal(step_text(next(s)), "evict OTHER");
    carry_out(s);
    s->clients[1].enabled = false;
    assert_string_equal(step_text(next(s)), "nothing");
    runs(s, SLOT_ENDING, 0);
    HC_SET(s->sessions.launch.client_uuid, "OTHER");
    assert_string_equal(step_text(next(s)), "enable OTHER");
}

/* ---- trust ---- */

static void test_converge__trust__one_removal_a_step_after_the_gate(void **state)
{
    struct scene *s = *state;
    s->trust.remove = (struct codec_list)LIST(other);
    expect(s, "unpair OTHER", 7);
    s->clients[1].enabled = true;
    expect(s, "disable OTHER", 0);
    s->clients[1].enabled = false;
    s->facts.features = 0;                                              /* before v2025.118 an unpair means everybody */
    assert_string_equal(step_text(next(s)), "nothing");
}

static void test_converge__trust__never_the_lease_s_client_nor_the_last_of_a_running_host(void **state)
{
    struct scene *s = *state;
    s->trust.remove = (struct codec_list)LIST(mine);
    assert_string_equal(step_text(next(s)), "nothing");
    s->trust.remove = (struct codec_list)LIST(other);
    s->facts.clients = &s->clients[1];
    s->facts.client_count = 1;
    s->slot.gate.enabled = (struct codec_list){ NULL, 0 };
    s->clients[1].enabled = true;
    runs(s, SLOT_STREAMING, 1);
    assert_string_equal(step_text(next(s)), "nothing");
    stops(s);
    assert_string_equal(step_text(next(s)), "unpair OTHER");
}

static void test_converge__a_flag_taken__to_be_saved_before_and_after(void **state)
{
    struct scene *s = *state;
    bool save = false;
    s->clients[1].enabled = true;
    expect(s, "disable OTHER", 0);
    assert_int_equal(converge_will(&s->memory, &s->step, 1, &save), HC_OK);
    assert_true(save);
    assert_false(converge_did(&s->memory, &s->step, false));            /* whether it is shut is not known: it stays ours */
    assert_int_equal(s->memory.shut_count, 1);
    assert_int_equal(converge_will(&s->memory, &s->step, 1, &save), HC_OK);
    assert_false(save);
    s->clients[1].enabled = false;
    s->slot.gate.enabled = (struct codec_list){ NULL, 0 };
    expect(s, "enable OTHER", 0);
    assert_false(converge_did(&s->memory, &s->step, false));
    assert_true(converge_did(&s->memory, &s->step, true));
    assert_int_equal(s->memory.shut_count, 0);
}

static void test_converge__no_memory__told(void **state)
{
    struct scene *s = *state;
    s->clients[1].enabled = true;
    for (unsigned n = 1; n < 4; n++) {
        hc_arena_free(&s->arena);
        hc_alloc_fail_after(n);
        enum hc_err err = converge_next(&s->facts, &s->arena, &s->step);
        hc_alloc_fail_after(0);
        assert_true(err == HC_OK || err == HC_ERR_NOMEM);
    }
    bool save;
    (void)next(s);
    hc_alloc_fail_after(1);
    enum hc_err err = converge_will(&s->memory, &s->step, 1, &save);
    hc_alloc_fail_after(0);
    assert_int_equal(err, HC_ERR_NOMEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SCENE(test_converge__gate__flipped_one_by_one_and_read_back_before_applied),
        WITH_SCENE(test_converge__in_place_once__nobody_is_shut_out_before_the_next_lease),
        WITH_SCENE(test_converge__reconnect_gap__gate_waits_and_says_so),
        WITH_SCENE(test_converge__host_that_has_no_gate__unavailable_with_its_reason_and_applied),
        WITH_SCENE(test_converge__client_list_not_known__no_flip_no_removal),
        WITH_SCENE(test_converge__enforce_taken_back__doors_that_we_locked_are_opened),
        WITH_SCENE(test_converge__evict__only_a_known_client_that_is_not_the_lease_s),
        WITH_SCENE(test_converge__evicted__let_in_again_when_its_session_has_ended),
        WITH_SCENE(test_converge__evicted_and_no_gate__let_in_again_too),
        WITH_SCENE(test_converge__trust__one_removal_a_step_after_the_gate),
        WITH_SCENE(test_converge__trust__never_the_lease_s_client_nor_the_last_of_a_running_host),
        WITH_SCENE(test_converge__a_flag_taken__to_be_saved_before_and_after),
        WITH_SCENE(test_converge__no_memory__told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
