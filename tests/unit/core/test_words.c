#include <string.h>

#include "fixture.h"

struct row { const struct hc_words *list; size_t count; };
static const struct row lists[] = {
    { &lease_state_words, LEASE_STATES }, { &lease_why_words, LEASE_WHYS }, { &lease_source_words, LEASE_SOURCES },
        { &lease_mode_words, LEASE_MODES },
    { &enforce_words, ENFORCE_MODES }, { &circuit_words, CIRCUIT_STATES }, { &safe_mode_words, SAFE_MODES },
        { &stream_state_words, STREAM_STATES },
    { &stream_why_words, STREAM_WHYS }, { &ticket_state_words, TICKET_STATES }, { &wait_words, WAIT_WHYS }, { &approval_words, APPROVALS },
    { &accept_mode_words, ACCEPT_MODES }, { &session_words, SESSION_STATES }, { &stream_status_words, STREAM_STATUSES },
        { &gate_mode_words, GATE_MODES },
    { &head_lease_state_words, HEAD_LEASE_STATES }, { &action_words, SLOT_ACTIONS }, { &body_event_words, BODY_EVENT_TYPES },
    { &why_not_words, WHY_NOT_BITS }, { &divergence_words, DIVERGENCE_BITS }, { &conflict_words, CONFLICT_KINDS },
        { &note_words, NOTE_TYPES },
    { &deny_words, DENY_REASONS },
};

static void test_words__every_list__goes_there_and_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        assert_int_equal(lists[i].list->count, lists[i].count);
        for (size_t k = 0; k < lists[i].count; k++) {
            const char *word = word_of(lists[i].list, (int)k);
            assert_true(strlen(word) < WORD_SIZE);
            assert_int_equal(word_find(lists[i].list, word), k);         /* also: no word twice in a list */
        }
        assert_int_equal(word_find(lists[i].list, "no_such_word"), -1);
    }
}

static void test_terminal__states_of_the_list__are_the_last_five(void **state)
{
    (void)state;
    static const char *const terminal[] = { "ended", "expired", "revoked", "abandoned", "failed" };
    size_t found = 0;
    for (int i = 0; i < LEASE_STATES; i++) {
        bool named = false;
        for (size_t k = 0; k < 5; k++)
            named = named || strcmp(terminal[k], word_of(&lease_state_words, i)) == 0;
        assert_int_equal(lease_is_terminal((enum lease_state)i), named);
        found += named ? 1 : 0;
        assert_false(lease_is_terminal((enum lease_state)i) && lease_is_pre_stream((enum lease_state)i));
    }
    assert_int_equal(found, 5);
    assert_true(lease_is_pre_stream(LEASE_HELD) && lease_is_pre_stream(LEASE_GRANTED) && lease_is_pre_stream(LEASE_PAIRING));
    assert_true(lease_is_pre_stream(LEASE_STARTING) && !lease_is_pre_stream(LEASE_STREAMING) && !lease_is_pre_stream(LEASE_DRAINING));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words__every_list__goes_there_and_back),
        cmocka_unit_test(test_terminal__states_of_the_list__are_the_last_five),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
