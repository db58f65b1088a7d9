#include <stdarg.h>
#include <stdio.h>

#include "core.h"

#define NOTES_FIRST 8

static struct core_note *add_note(struct core_result *out)
{
    if (out->note_count == out->note_size) {
        size_t size = out->note_size == 0 ? NOTES_FIRST : out->note_size * 2;
        struct core_note *notes = hc_realloc(out->notes, size * sizeof notes[0]);
        if (notes == NULL)
            return NULL;
        out->notes = notes;
        out->note_size = size;
    }
    struct core_note *note = &out->notes[out->note_count++];
    *note = (struct core_note){ .slot = -1, .waited_ms = -1, .eta_ms = -1 };
    return note;
}

enum hc_err step_note(struct step *s, enum note_type type, const char *body_id, int32_t slot, const struct lease *lease,
                      const char *head_id, const char *format, ...)
{
    struct core_note *note = add_note(s->out);
    if (note == NULL)
        return HC_ERR_NOMEM;
    if (head_id[0] == '\0' && lease != NULL)
        head_id = lease->head_id;
    const struct node_rec *body = alloc_node(s->live, body_id), *head = alloc_node(s->live, head_id);
    note->type = type;
    note->at = s->now;
    note->slot = slot;
    HC_SET(note->body_id, body_id);
    HC_SET(note->head_id, head_id);
    if (body != NULL || head != NULL)
        HC_SET(note->district, body != NULL ? body->district : head->district);
    if (body != NULL)
        HC_SET(note->venue, body->venue);
    if (head != NULL) {
        HC_SET(note->head_venue, head->venue);
        note->expected_legacy = head->protocol_version < 2;
    }
    if (lease != NULL) {
        HC_SET(note->lease_id, lease->id);
        note->source = lease->source;
        note->state = lease->state;
        note->why = lease->why;
    }
    va_list args;
    va_start(args, format);
    (void)vsnprintf(note->detail, sizeof note->detail, format, args);
    va_end(args);
    return HC_OK;
}

struct core_note *step_last_note(struct step *s)
{
    return s->out->note_count == 0 ? NULL : &s->out->notes[s->out->note_count - 1];
}
