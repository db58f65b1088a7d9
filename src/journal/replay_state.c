/* replay_state.c - what a segment begins with, taken up again; and held against what a data file says of the same moment. */
#include <inttypes.h>
#include <string.h>

#include "hydra/base/id.h"
#include "replay.h"

static bool nonce_of(const char *hex, uint8_t out[SEAL_NONCE_SIZE])
{
    for (size_t i = 0; i < SEAL_NONCE_SIZE; i++) {
        unsigned byte = 0;
        for (size_t k = 0; k < 2; k++) {
            char c = hex[2 * i + k];
            if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
                return false;
            byte = byte * 16 + (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
        }
        out[i] = (uint8_t)byte;
    }
    return hex[2 * SEAL_NONCE_SIZE] == '\0';
}

/* A line of the begin: whole, or the segment is none. *ret_len is less the checksum. */
static enum hc_err next_line(struct replay *r, size_t *ret_len)
{
    enum line_got got = segment_line(&r->in);
    r->cut = got == LINE_END || got == LINE_TORN;
    if (got != LINE_WHOLE)
        return hc_fail(r->diag, HC_ERR_SYNTAX, "the state that a segment begins with is not whole");
    *ret_len = r->in.len;
    bool none;
    bool ok = line_sum_ok(r->in.line, ret_len, &r->sum, &none);
    if (none)
        return hc_fail(r->diag, HC_ERR_SYNTAX, "not a line of a journal: it has no checksum");
    if (!ok)
        replay_differs(r, 0, "state", "the line was altered: its checksum does not fit");
    return HC_OK;
}

static enum hc_err read_head(struct replay *r)
{
    struct segment_head head;
    char check[SEAL_CHECK_SIZE];
    enum line_got got = segment_line(&r->in);
    r->cut = got == LINE_END || got == LINE_TORN;
    if (got != LINE_WHOLE)
        return hc_fail(r->diag, HC_ERR_SYNTAX, "not a journal: its first line is not whole");
    size_t len = r->in.len;
    bool none;
    uint64_t unknown = 0;
    (void)line_sum_ok(r->in.line, &len, &unknown, &none);        /* the start of the sums is in this line */
    if (none)
        return hc_fail(r->diag, HC_ERR_SYNTAX, "not a journal: its first line has no checksum");
    enum hc_err err = head_read(r->in.line, len, &head, r->diag);
    if (err != HC_OK)
        return err;
    if (head.format != JOURNAL_FORMAT)
        return hc_fail(r->diag, HC_ERR_SCHEMA, "the journal has format %" PRIu32 ", this program reads %d only", head.format,
                       JOURNAL_FORMAT);
    if (!nonce_of(head.nonce, r->seal.nonce))
        return hc_fail(r->diag, HC_ERR_SCHEMA, "nonce: 32 hex digits");
    seal_check(&r->seal, check);
    if (strcmp(check, head.check) != 0)
        return hc_fail(r->diag, HC_ERR_CONFIG, "the journal was written with another secret than the one given");
    r->sum = line_sum_start(&r->seal);
    len = r->in.len;
    if (!line_sum_ok(r->in.line, &len, &r->sum, &none))
        replay_differs(r, 0, "segment", "the line was altered: its checksum does not fit");
    return HC_OK;
}

static enum hc_err put_record(struct replay *r, const struct rec *rec)
{
    if (rec->kind < REC_SAVED_KINDS)
        return alloc_put(r->live, rec->kind, rec->key, (struct rec *)rec);
    return observed_put(r->obs, (struct rec *)rec);
}

static enum hc_err read_records(struct replay *r)
{
    uint64_t count = 0, said = 0;
    bool end = false;
    enum hc_err err = HC_OK;
    while (err == HC_OK && !end) {
        struct rec *rec = NULL;
        size_t len = 0;
        err = next_line(r, &len);
        seal_line(&r->seal, (UINT64_C(1) << 63) | count);
        if (err == HC_OK)
            err = state_record_read(r->in.line, len, &r->seal, &rec, &end, &said, r->diag);
        if (err == HC_OK && !end) {
            err = put_record(r, rec);
            count++;
        }
        rec_unref(rec);
    }
    if (err == HC_OK && said != count)
        return hc_fail(r->diag, HC_ERR_SCHEMA, "the state has %" PRIu64 " records, not %" PRIu64, count, said);
    r->report->records += count;
    return err;
}

enum hc_err replay_begin(struct replay *r)
{
    size_t len;
    alloc_free(r->live);
    observed_free(r->obs);
    r->live = NULL;
    r->obs = NULL;
    enum hc_err err = alloc_new(&r->core, &r->live);
    if (err == HC_OK)
        err = observed_new(&r->obs);
    if (err == HC_OK)
        err = read_head(r);
    if (err == HC_OK)
        err = next_line(r, &len);
    if (err == HC_OK)
        err = state_read(r->in.line, len, &r->core, r->live, r->obs, r->diag);
    if (err == HC_OK)
        err = read_records(r);
    r->sum = line_sum_start(&r->seal);       /* events have a chain of their own: the loop writes theirs, another thread the state */
    r->expected = 1;
    return err;
}

static bool in_scope(enum rec_kind kind, bool allocation, bool nodes)
{
    return record_rows[kind].table != NULL && (rec_in_nodes_file(kind) ? nodes : allocation);
}

static bool one_differs(enum rec_kind kind, const struct rec *journal, const struct rec *file, const char *key, char what[REPLAY_WHAT_SIZE])
{
    char path[FIELD_PATH_MAX] = "";
    bool differs = journal == NULL || file == NULL || table_differ(record_rows[kind].table, journal, file, path);
    if (!differs || what[0] != '\0')
        return differs;
    (void)snprintf(what, REPLAY_WHAT_SIZE, "%s %.*s: %s", record_rows[kind].name, REC_KEY_SIZE, key,
                   journal == NULL ? "in the file, not in the journal" : file == NULL ? "in the journal, not in the file" : path);
    return true;
}

bool records_differ(const struct alloc *journal, const struct alloc *file, bool allocation, bool nodes, uint64_t *ret_same,
                    uint64_t *ret_other, char what[REPLAY_WHAT_SIZE])
{
    uint64_t same = 0, other = 0;
    what[0] = '\0';
    for (enum rec_kind kind = 0; kind < REC_SAVED_KINDS; kind++) {
        if (!in_scope(kind, allocation, nodes))
            continue;
        for (size_t i = 0; i < alloc_count(journal, kind); i++) {
            const struct rec *rec = alloc_at(journal, kind, i);
            bool differs = one_differs(kind, rec, alloc_get(file, kind, rec->key), rec->key, what);
            same += !differs;
            other += differs;
        }
        for (size_t i = 0; i < alloc_count(file, kind); i++) {
            const struct rec *rec = alloc_at(file, kind, i);
            if (alloc_get(journal, kind, rec->key) == NULL)
                other += one_differs(kind, NULL, rec, rec->key, what);
        }
    }
    *ret_same = same;
    *ret_other = other;
    return other > 0;
}
