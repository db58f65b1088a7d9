#include "hydra/core/words.h"

#include <assert.h>
#include <string.h>

#include "hydra/base/id.h"

#define X(id, text) text,
#define WORDS(name, LIST) \
    static const char *const name##_texts[] = { LIST(X) }; \
    const struct hc_words name = { name##_texts, sizeof name##_texts / sizeof name##_texts[0] };
WORDS(lease_state_words, LEASE_STATE_LIST)
WORDS(lease_why_words, LEASE_WHY_LIST)
WORDS(lease_source_words, LEASE_SOURCE_LIST)
WORDS(lease_mode_words, LEASE_MODE_LIST)
WORDS(xr_state_words, XR_STATE_LIST)
WORDS(xr_action_words, XR_ACTION_LIST)
WORDS(enforce_words, ENFORCE_LIST)
WORDS(circuit_words, CIRCUIT_LIST)
WORDS(safe_mode_words, SAFE_MODE_LIST)
WORDS(stream_state_words, STREAM_STATE_LIST)
WORDS(stream_why_words, STREAM_WHY_LIST)
WORDS(ticket_state_words, TICKET_STATE_LIST)
WORDS(wait_words, WAIT_LIST)
WORDS(approval_words, APPROVAL_LIST)
WORDS(accept_mode_words, ACCEPT_MODE_LIST)
WORDS(session_words, SESSION_LIST)
WORDS(stream_status_words, STREAM_STATUS_LIST)
WORDS(gate_mode_words, GATE_MODE_LIST)
WORDS(head_lease_state_words, HEAD_LEASE_STATE_LIST)
WORDS(action_words, ACTION_LIST)
WORDS(body_event_words, BODY_EVENT_LIST)
WORDS(why_not_words, WHY_NOT_LIST)
WORDS(divergence_words, DIVERGENCE_LIST)
WORDS(conflict_words, CONFLICT_LIST)
WORDS(note_words, NOTE_LIST)
WORDS(deny_words, DENY_LIST)
WORDS(op_words, OP_LIST)
WORDS(op_state_words, OP_STATE_LIST)
WORDS(custodian_words, CUSTODIAN_LIST)
WORDS(hold_words, HOLD_LIST)
#undef WORDS
#undef X

const char *word_of(const struct hc_words *list, int value)
{
    assert(value >= 0 && (size_t)value < list->count);
    return list->words[value];
}

int word_find(const struct hc_words *list, const char *word)
{
    for (size_t i = 0; i < list->count; i++)
        if (hc_same(list->words[i], word))
            return (int)i;
    return -1;
}
