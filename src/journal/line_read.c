#include <string.h>

#include "hydra/base/id.h"
#include "line.h"
#include "state_tables.h"
#include "text_in.h"

#define KEY_SIZE        40
#define SUM_MARK        ",\"sum\":\""
#define SUM_BYTES       (sizeof SUM_MARK - 1 + HEX64_SIZE - 1 + 2)      /* mark, digits, quote and brace */

static bool hex64(const char *hex, uint64_t *ret)
{
    uint64_t value = 0;
    for (size_t i = 0; i < HEX64_SIZE - 1; i++) {
        char c = hex[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
            return false;
        value = value << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    *ret = value;
    return true;
}

bool line_sum_ok(const char *line, size_t *len, uint64_t *sum, bool *ret_none)
{
    uint64_t said = 0;
    *ret_none = *len < SUM_BYTES;
    const char *mark = *ret_none ? line : line + *len - SUM_BYTES;
    *ret_none = *ret_none || memcmp(mark, SUM_MARK, sizeof SUM_MARK - 1) != 0 || !hex64(mark + sizeof SUM_MARK - 1, &said) ||
                memcmp(line + *len - 2, "\"}", 2) != 0;
    if (*ret_none)
        return false;
    *len -= SUM_BYTES;
    bool ok = digest_bytes(*sum, line, *len) == said;
    *sum = said;
    return ok;
}

static struct text_in text_of(const char *line, size_t len, struct hc_arena *arena, struct seal *seal, struct hc_diag *diag)
{
    return (struct text_in){ .at = line, .end = line + len, .arena = arena, .seal = seal, .diag = diag };
}

static enum hc_err expect_key(struct text_in *in, const char *want, bool first)
{
    char key[KEY_SIZE];
    enum hc_err err = text_expect(in, first ? '{' : ',');
    if (err == HC_OK)
        err = text_chars(in, key, sizeof key);
    if (err == HC_OK && strcmp(key, want) != 0)
        return hc_fail(in->diag, HC_ERR_SCHEMA, "expected the key '%s', not '%s'", want, key);
    return err == HC_OK ? text_expect(in, ':') : err;
}

/* The closing brace was cut off with the checksum. */
enum hc_err head_read(const char *line, size_t len, struct segment_head *ret, struct hc_diag *diag)
{
    struct text_in in = text_of(line, len, NULL, NULL, diag);
    *ret = (struct segment_head){ 0 };
    enum hc_err err = expect_key(&in, "segment", true);
    if (err == HC_OK)
        err = table_read(&segment_head_table, &in, ret);
    return err == HC_OK ? text_end(&in) : err;
}

static enum hc_err timers_read(struct text_in *in, struct timers *timers)
{
    char key[KEY_SIZE];
    enum hc_err err = text_expect(in, '{');
    for (size_t count = 0; err == HC_OK; count++) {
        bool end = false;
        int64_t ms = 0;
        err = text_key(in, count, key, sizeof key, &end);
        if (err != HC_OK || end)
            break;
        err = text_i64(in, &ms);
        size_t i = 0;
        while (i < timer_row_count && strcmp(timer_rows[i].name, key) != 0)
            i++;
        if (err == HC_OK && i == timer_row_count)
            err = hc_fail(in->diag, HC_ERR_SCHEMA, "no timer is called '%s'", key);
        if (err == HC_OK)
            memcpy((char *)timers + timer_rows[i].offset, &ms, sizeof ms);
    }
    return err;
}

enum hc_err state_read(const char *line, size_t len, struct core_config *config, struct alloc *saved, struct observed *obs,
                       struct hc_diag *diag)
{
    struct text_in in = text_of(line, len, NULL, NULL, diag);
    struct state_line state = { 0 };
    enum hc_err err = expect_key(&in, "state", true);
    if (err == HC_OK)
        err = table_read(&state_line_table, &in, &state);
    if (err == HC_OK)
        err = expect_key(&in, "observed", false);
    if (err == HC_OK)
        err = table_read(&observed_table, &in, obs);
    if (err == HC_OK)
        err = expect_key(&in, "timers", false);
    if (err == HC_OK)
        err = timers_read(&in, &config->timers);
    if (err == HC_OK)
        err = text_end(&in);
    if (err != HC_OK)
        return err;
    saved->generation = state.generation;
    saved->nodes_generation = state.nodes_generation;
    config->queue_max_tickets = state.queue_max_tickets;
    HC_SET(config->default_district, state.default_district);
    return HC_OK;
}

static enum hc_err record_value(struct text_in *in, struct rec **ret)
{
    char name[KEY_SIZE], key[REC_KEY_SIZE];
    enum hc_err err = text_chars(in, name, sizeof name);
    int kind = err == HC_OK ? record_kind_find(name) : -1;
    if (err == HC_OK && kind < 0)
        return hc_fail(in->diag, HC_ERR_SCHEMA, "no record is called '%s'", name);
    if (err == HC_OK)
        err = expect_key(in, "key", false);
    if (err == HC_OK)
        err = text_chars(in, key, sizeof key);
    if (err == HC_OK)
        err = expect_key(in, "is", false);
    if (err != HC_OK)
        return err;
    struct rec *rec = rec_new((enum rec_kind)kind, key);
    if (rec == NULL)
        return HC_ERR_NOMEM;
    err = table_read(record_rows[kind].table, in, rec);
    if (err == HC_OK)
        err = text_end(in);
    if (err != HC_OK)
        rec_unref(rec);
    else
        *ret = rec;
    return err;
}

enum hc_err state_record_read(const char *line, size_t len, struct seal *seal, struct rec **ret, bool *ret_end, uint64_t *ret_count,
                        struct hc_diag *diag)
{
    struct text_in in = text_of(line, len, NULL, seal, diag);
    char key[KEY_SIZE];
    *ret = NULL;
    *ret_end = false;
    enum hc_err err = text_expect(&in, '{');
    if (err == HC_OK)
        err = text_chars(&in, key, sizeof key);
    if (err == HC_OK)
        err = text_expect(&in, ':');
    if (err != HC_OK)
        return err;
    if (strcmp(key, "record") == 0)
        return record_value(&in, ret);
    if (strcmp(key, "records") != 0)
        return hc_fail(diag, HC_ERR_SCHEMA, "expected a record of the state, not '%s'", key);
    *ret_end = true;
    err = text_u64(&in, ret_count);
    return err == HC_OK ? text_end(&in) : err;
}

static enum hc_err seed_read(struct text_in *in, uint8_t seed[32])
{
    char hex[65];
    enum hc_err err = text_chars(in, hex, sizeof hex);
    for (size_t i = 0; i < 32 && err == HC_OK; i += 8) {
        char part[HEX64_SIZE] = "";
        uint64_t value = 0;
        if (strlen(hex) == 64)
            memcpy(part, hex + 2 * i, HEX64_SIZE - 1);
        if (!hex64(part, &value))
            err = hc_fail(in->diag, HC_ERR_SCHEMA, "a seed is 64 hex digits");
        for (size_t k = 0; k < 8; k++)
            seed[i + k] = (uint8_t)(value >> (56 - 8 * k));
    }
    return err;
}

static enum hc_err type_read(struct text_in *in, struct event_line *ret)
{
    char name[KEY_SIZE];
    enum hc_err err = text_chars(in, name, sizeof name);
    int type = err == HC_OK ? event_type_find(name) : -1;
    if (err == HC_OK && (type < 0 || event_rows[type].table == NULL))
        return hc_fail(in->diag, HC_ERR_SCHEMA, "no event is called '%s'", name);
    if (err == HC_OK)
        ret->ev.type = (enum core_event_type)type;
    return err;
}

static enum hc_err when_read(struct text_in *in, struct event_line *ret)
{
    enum hc_err err = expect_key(in, "n", true);
    if (err == HC_OK)
        err = text_u64(in, &ret->n);
    if (err == HC_OK)
        err = expect_key(in, "type", false);
    if (err == HC_OK)
        err = type_read(in, ret);
    if (err == HC_OK)
        err = expect_key(in, "at", false);
    if (err == HC_OK)
        err = text_i64(in, &ret->ev.now.ms);
    if (err == HC_OK)
        err = expect_key(in, "generation", false);
    if (err == HC_OK)
        err = text_u64(in, &ret->generation);
    if (err == HC_OK)
        err = expect_key(in, "store_ok", false);
    if (err != HC_OK)
        return err;
    ret->ev.store_ok = text_take_word(in, "true");
    if (!ret->ev.store_ok && !text_take_word(in, "false"))
        return text_fail(in, HC_ERR_SCHEMA, "expected true or false");
    err = expect_key(in, "down", false);
    if (err == HC_OK)
        err = text_i64(in, &ret->down.ms);
    if (err == HC_OK)
        err = expect_key(in, "seed", false);
    if (err == HC_OK)
        err = seed_read(in, ret->ev.seed);
    if (err == HC_OK)
        err = expect_key(in, "by", false);
    return err == HC_OK ? table_read(&caller_table, in, &ret->ev.caller) : err;
}

/* For people alone: what they say is in the digest too. */
static enum hc_err notes_skip(struct text_in *in)
{
    char word[KEY_SIZE];
    enum hc_err err = text_expect(in, '[');
    bool end = err == HC_OK && text_take(in, ']');
    for (size_t i = 0; err == HC_OK && !end && i < JOURNAL_NOTES_SHOWN; i++) {
        err = text_chars(in, word, sizeof word);
        end = err == HC_OK && text_take(in, ']');
        if (err == HC_OK && !end)
            err = text_expect(in, ',');
    }
    return err == HC_OK && !end ? text_fail(in, HC_ERR_LIMIT, "too many notes") : err;
}

static enum hc_err hex64_read(struct text_in *in, uint64_t *ret)
{
    char hex[HEX64_SIZE];
    enum hc_err err = text_chars(in, hex, sizeof hex);
    return err != HC_OK || hex64(hex, ret) ? err : text_fail(in, HC_ERR_SCHEMA, "expected 16 hex digits");
}

static enum hc_err changes_read(struct text_in *in, struct event_line *ret)
{
    size_t size = 0, key_size = sizeof ret->changes[0].name;
    enum hc_err err = text_expect(in, '{');
    for (size_t count = 0; err == HC_OK; count++) {
        bool end = text_take(in, '}');
        if (end)
            break;
        err = count > 0 ? text_expect(in, ',') : HC_OK;
        if (err == HC_OK && count == CHANGES_SHOWN_MAX)
            err = text_fail(in, HC_ERR_LIMIT, "too many records");
        if (err == HC_OK && count == size) {
            size = size == 0 ? 16 : 2 * size;
            void *more = hc_arena_array(in->arena, size, sizeof ret->changes[0]);
            if (more == NULL)
                return HC_ERR_NOMEM;
            if (count > 0)
                memcpy(more, ret->changes, count * sizeof ret->changes[0]);
            ret->changes = more;
        }
        if (err == HC_OK)
            err = text_chars(in, ret->changes[count].name, key_size);
        if (err == HC_OK)
            err = text_expect(in, ':');
        if (err == HC_OK)
            err = hex64_read(in, &ret->changes[count].digest);
        ret->change_count = count + 1;
    }
    return err;
}

enum hc_err event_read(const char *line, size_t len, struct seal *seal, struct hc_arena *arena, struct event_line *ret,
                       struct hc_diag *diag)
{
    struct text_in in = text_of(line, len, arena, seal, diag);
    *ret = (struct event_line){ .n = 0 };
    enum hc_err err = when_read(&in, ret);
    if (err != HC_OK)
        return err;
    const struct event_row *row = &event_rows[ret->ev.type];
    seal_line(seal, ret->n);
    err = expect_key(&in, "event", false);
    if (err == HC_OK)
        err = table_read(row->table, &in, (char *)&ret->ev + row->offset);
    if (err == HC_OK)
        err = expect_key(&in, "decision", false);
    if (err == HC_OK)
        err = table_read(&decision_table, &in, &ret->decision);
    if (err == HC_OK)
        err = expect_key(&in, "notes", false);
    if (err == HC_OK)
        err = notes_skip(&in);
    if (err == HC_OK)
        err = expect_key(&in, "changed", false);
    if (err == HC_OK)
        err = changes_read(&in, ret);
    if (err == HC_OK)
        err = expect_key(&in, "digest", false);
    if (err == HC_OK)
        err = hex64_read(&in, &ret->digest);
    return err == HC_OK ? text_end(&in) : err;
}
