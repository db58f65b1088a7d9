#include <string.h>

#include "hydra/base/id.h"
#include "line.h"
#include "state_tables.h"

static void add_hex64(struct hc_buf *out, uint64_t value)
{
    static const char digits[] = "0123456789abcdef";
    char hex[HEX64_SIZE];
    for (size_t i = 0; i < HEX64_SIZE - 1; i++)
        hex[i] = digits[value >> (60 - 4 * i) & 15];
    hex[HEX64_SIZE - 1] = '\0';
    hc_buf_add(out, hex, HEX64_SIZE - 1);
}

uint64_t line_sum_start(const struct seal *seal)
{
    return digest_bytes(DIGEST_START, seal->nonce, sizeof seal->nonce);
}

void line_finish(struct hc_buf *out, size_t start, uint64_t *sum)
{
    if (out->failed)
        return;
    out->data[--out->len] = '\0';            /* the closing brace comes behind the checksum */
    *sum = digest_bytes(*sum, out->data + start, out->len - start);
    hc_buf_str(out, ",\"sum\":\"");
    add_hex64(out, *sum);
    hc_buf_str(out, "\"}\n");
}

void head_write(const struct segment_head *head, struct hc_buf *out)
{
    hc_buf_str(out, "{\"segment\":");
    table_write(&segment_head_table, head, NULL, out);
    hc_buf_char(out, '}');
}

void state_write(const struct alloc *saved, const struct observed *obs, struct hc_buf *out)
{
    struct state_line state = { .generation = saved->generation, .nodes_generation = saved->nodes_generation,
                                .queue_max_tickets = saved->config->queue_max_tickets };
    HC_SET(state.default_district, saved->config->default_district);
    hc_buf_str(out, "{\"state\":");
    table_write(&state_line_table, &state, NULL, out);
    hc_buf_str(out, ",\"observed\":");
    table_write(&observed_table, obs, NULL, out);
    hc_buf_str(out, ",\"timers\":{");
    for (size_t i = 0; i < timer_row_count; i++) {
        int64_t ms;
        memcpy(&ms, (const char *)&saved->config->timers + timer_rows[i].offset, sizeof ms);
        hc_buf_str(out, i > 0 ? ",\"" : "\"");
        hc_buf_str(out, timer_rows[i].name);
        hc_buf_str(out, "\":");
        hc_buf_i64(out, ms);
    }
    hc_buf_str(out, "}}");
}

void state_record_write(const struct rec *rec, struct seal *seal, struct hc_buf *out)
{
    hc_buf_str(out, "{\"record\":");
    hc_buf_json_str(out, record_rows[rec->kind].name);
    hc_buf_str(out, ",\"key\":");
    hc_buf_json_str(out, rec->key);
    hc_buf_str(out, ",\"is\":");
    table_write(record_rows[rec->kind].table, rec, seal, out);
    hc_buf_char(out, '}');
}

void state_end_write(uint64_t records, struct hc_buf *out)
{
    hc_buf_str(out, "{\"records\":");
    hc_buf_u64(out, records);
    hc_buf_char(out, '}');
}

static void write_changes(const struct journal_step *step, struct hc_buf *out)
{
    hc_buf_str(out, ",\"changed\":{");
    for (size_t i = 0; i < step->change_count && i < CHANGES_SHOWN_MAX; i++) {
        const struct journal_change *change = &step->changes[i];
        hc_buf_str(out, i > 0 ? ",\"" : "\"");
        hc_buf_str(out, record_rows[change->kind].name == NULL ? "?" : record_rows[change->kind].name);
        hc_buf_char(out, '/');
        size_t quote = out->len;
        hc_buf_json_str(out, change->key);
        if (!out->failed)
            memmove(out->data + quote, out->data + quote + 1, out->len - quote);       /* the key goes on in the same string */
        out->len -= out->failed ? 0 : 1;
        hc_buf_str(out, ":\"");
        add_hex64(out, record_digest(change->version));
        hc_buf_char(out, '"');
    }
    hc_buf_char(out, '}');
}

static void write_notes(const struct journal_notes *notes, struct hc_buf *out)
{
    hc_buf_str(out, ",\"notes\":[");
    for (size_t i = 0; i < notes->count && i < JOURNAL_NOTES_SHOWN; i++) {
        if (i > 0)
            hc_buf_char(out, ',');
        hc_buf_json_str(out, word_of(&note_words, (int)notes->shown[i]));
    }
    hc_buf_char(out, ']');
}

static void write_when(const struct journal_step *step, uint64_t n, struct hc_buf *out)
{
    const struct core_event *ev = step->ev;
    char seed[2 * sizeof ev->seed + 1];
    hc_hex(ev->seed, sizeof ev->seed, seed);
    hc_buf_str(out, "{\"n\":");
    hc_buf_u64(out, n);
    hc_buf_str(out, ",\"type\":");
    hc_buf_json_str(out, core_event_name(ev->type));
    hc_buf_str(out, ",\"at\":");
    hc_buf_i64(out, ev->now.ms);
    hc_buf_str(out, ",\"generation\":");
    hc_buf_u64(out, step->generation);
    hc_buf_str(out, ev->store_ok ? ",\"store_ok\":true" : ",\"store_ok\":false");
    hc_buf_str(out, ",\"down\":");
    hc_buf_i64(out, step->store_down_since.ms);
    hc_buf_str(out, ",\"seed\":\"");
    hc_buf_add(out, seed, sizeof seed - 1);
    hc_buf_str(out, "\",\"by\":");
    table_write(&caller_table, &ev->caller, NULL, out);
}

bool event_write(const struct journal_step *step, uint64_t n, struct seal *seal, struct hc_buf *out)
{
    const struct event_row *row = &event_rows[step->ev->type];
    struct decision decision;
    if (row->table == NULL)
        return false;
    seal_line(seal, n);
    write_when(step, n, out);
    hc_buf_str(out, ",\"event\":");
    table_write(row->table, (const char *)step->ev + row->offset, seal, out);
    decision_of(step->result, step->notes.count, step->change_count, &decision);
    hc_buf_str(out, ",\"decision\":");
    table_write(&decision_table, &decision, NULL, out);
    write_notes(&step->notes, out);
    write_changes(step, out);
    hc_buf_str(out, ",\"digest\":\"");
    add_hex64(out, decision_digest(step->result, &step->notes));
    hc_buf_str(out, "\"}");
    return !out->failed;
}
