#include "event_line.h"

#include <string.h>

#include "hydra/codec/json.h"

struct event_line { struct feed_event event; uint64_t present; };

#define AT(member) offsetof(struct event_line, event.member)
#define OPTIONAL_ID (CODEC_EMPTY_OK | CODEC_OMIT_EMPTY)
static const struct codec_field event_fields[] = {
    { .key = "id",              .type = CODEC_STR,  .offset = AT(id),            .limit = EVENT_ID_SIZE - 1, .flags = CODEC_REQUIRED },
    { .key = "at",              .type = CODEC_TIME, .offset = AT(note.at),       .flags = CODEC_REQUIRED },
    { .key = "type",            .type = CODEC_WORD, .offset = AT(note.type),     .flags = CODEC_REQUIRED, .words = &note_words },
    { .key = "district",        .type = CODEC_NAME, .offset = AT(note.district), .flags = CODEC_EMPTY_OK },
    { .key = "body_id",         .type = CODEC_ID,   .offset = AT(note.body_id),  .flags = OPTIONAL_ID },
    { .key = "lease_id",        .type = CODEC_ID,   .offset = AT(note.lease_id), .flags = OPTIONAL_ID },
    { .key = "head_id",         .type = CODEC_ID,   .offset = AT(note.head_id),  .flags = OPTIONAL_ID },
    { .key = "expected_legacy", .type = CODEC_BOOL, .offset = AT(note.expected_legacy) },
    { .key = "detail",          .type = CODEC_STR,  .offset = AT(note.detail),   .limit = HC_NAME_SIZE * 2 - 1 },
    /* The last one: left out when there is none. */
    { .key = "slot",            .type = CODEC_U32,  .offset = AT(note.slot),     .limit = BODY_SLOTS_MAX },
};
#define EVENT_FIELDS  (sizeof event_fields / sizeof event_fields[0])
#define EVENT_PRESENT offsetof(struct event_line, present)
static const struct codec_table with_slot = { "event", event_fields, EVENT_FIELDS, sizeof(struct event_line), EVENT_PRESENT };
static const struct codec_table without_slot = { "event", event_fields, EVENT_FIELDS - 1, sizeof(struct event_line), EVENT_PRESENT };

void event_line_write(const struct feed_event *event, struct hc_buf *out)
{
    struct event_line line = { .event = *event };
    json_write(event->note.slot < 0 ? &without_slot : &with_slot, &line, out);
    hc_buf_char(out, '\n');
}

enum hc_err event_line_read(const char *text, size_t len, struct feed_event *ret_event)
{
    struct event_line line;
    struct json_refusal refusal;
    struct hc_arena arena = { 0 };
    enum hc_err err = json_read_own(&with_slot, text, len, &arena, &line);
    if (err != HC_OK)
        err = json_read(&with_slot, text, len, false, &arena, &line, &refusal);
    hc_arena_free(&arena);
    if (err != HC_OK)
        return err;
    *ret_event = line.event;
    if (!codec_has(&with_slot, &line, "slot"))
        ret_event->note.slot = -1;
    ret_event->note.waited_ms = ret_event->note.eta_ms = -1;
    return HC_OK;
}
