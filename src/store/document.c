#include "document.h"

#include <string.h>

#include "rows.h"

#define LINES_MARK "# lines: "
#define LINES_DIGITS_MAX 10     /* more than YAML_BYTES_MAX can have */

struct head { uint64_t generation; uint32_t schema_version; hc_time saved_at; };
static const struct codec_field head_rows[] = {
    ROW_EPOCH(struct head, "generation", generation, CODEC_REQUIRED),
    ROW_U32(struct head, "schema_version", schema_version, UINT32_MAX),
    ROW_TIME(struct head, "saved_at", saved_at, OMIT),
};
static const struct codec_table head_table = CODEC_TABLE("head", head_rows, struct head, CODEC_NO_PRESENT);
static const struct codec_field end_rows[] = { ROW_EPOCH(struct head, "end", generation, CODEC_REQUIRED) };
static const struct codec_table end_table = CODEC_TABLE("end", end_rows, struct head, CODEC_NO_PRESENT);

size_t document_lines(const char *text, size_t len)
{
    size_t lines = 0;
    for (const char *at = text, *stop = text + len; at < stop && (at = memchr(at, '\n', (size_t)(stop - at))) != NULL; at++)
        lines++;
    return lines;
}

bool document_is_head(const struct document *doc, const char *key)
{
    return strcmp(key, "generation") == 0 || strcmp(key, "schema_version") == 0 || strcmp(key, "end") == 0 ||
           (doc->has_saved_at && strcmp(key, "saved_at") == 0);
}

/* A map of the head's own pairs, so that the field table judges them. */
static enum hc_err read_head(const struct document *doc, struct hc_arena *arena, struct head *ret_head, struct hc_diag *diag)
{
    struct yaml_pair pairs[4];
    struct yaml_node map = { .kind = YAML_MAP, .line = 1, .column = 1, .pairs = pairs };
    for (size_t i = 0; i < doc->root->count; i++) {
        const struct yaml_pair *pair = &doc->root->pairs[i];
        if (document_is_head(doc, pair->key) && strcmp(pair->key, "end") != 0)
            pairs[map.count++] = *pair;        /* at most three: yaml_parse() refuses repeated keys */
    }
    return yaml_read(&head_table, doc->file, &map, arena, ret_head, diag);
}

static enum hc_err check_end(const struct document *doc, struct hc_arena *arena, struct hc_diag *diag)
{
    struct yaml_pair *last = &doc->root->pairs[doc->root->count - 1];
    const struct yaml_node bottom = { .line = (unsigned)document_lines(doc->text, doc->len) + 1, .column = 1 };
    if (strcmp(last->key, "end") != 0)
        return yaml_fail(diag, doc->file, &bottom, "end", "must be the last key: the file was cut off, or has something behind its end");
    const struct yaml_node map = { .kind = YAML_MAP, .line = last->key_line, .column = last->key_column, .pairs = last, .count = 1 };
    struct head end;
    enum hc_err err = yaml_read(&end_table, doc->file, &map, arena, &end, diag);
    if (err != HC_OK)
        return err;
    if (end.generation == doc->generation)
        return HC_OK;
    return yaml_fail(diag, doc->file, last->value, "end", "must be the generation, %llu: the file is not whole",
                     (unsigned long long)doc->generation);
}

/* Our own file cut after its first line has no schema_version either, but then it has nothing else. */
static bool looks_older(const struct document *doc)
{
    size_t others = doc->root->count - (yaml_get(doc->root, "generation") != NULL);
    return doc->may_be_older && yaml_get(doc->root, "schema_version") == NULL && others > 0;
}

enum hc_err document_open(struct document *doc, struct hc_arena *arena, struct hc_diag *diag)
{
    enum hc_err err = yaml_parse(doc->file, doc->text, doc->len, arena, &doc->root, diag);
    if (err != HC_OK)
        return err;
    if (doc->root->count == 0)
        return yaml_fail(diag, doc->file, doc->root, "generation", "is required: the file is empty");
    doc->older = looks_older(doc);
    if (doc->older && yaml_get(doc->root, "generation") == NULL)
        return HC_OK;
    struct head head;
    err = read_head(doc, arena, &head, diag);
    if (err != HC_OK)
        return err;
    if (head.generation >= HC_EPOCH_MAX)
        return yaml_fail(diag, doc->file, yaml_get(doc->root, "generation"), "generation",
                         "is the last one that there is, so the file could never be saved again: write a smaller number here and at `end`");
    doc->generation = head.generation;
    doc->saved_at = head.saved_at;
    if (doc->older)
        return HC_OK;
    const struct yaml_node *version = yaml_get(doc->root, "schema_version");
    if (version == NULL || yaml_is_null(version))
        return yaml_fail(diag, doc->file, version == NULL ? doc->root : version, "schema_version", "is required");
    if (head.schema_version != STORE_SCHEMA_VERSION)
        return yaml_fail(diag, doc->file, version, "schema_version", "is %u, but this program writes and reads %d only",
                         (unsigned)head.schema_version, STORE_SCHEMA_VERSION);
    return check_end(doc, arena, diag);
}

static bool take_count(const char *at, const char *stop, size_t *ret_count)
{
    size_t count = 0, digits = 0;
    for (; at < stop && *at >= '0' && *at <= '9' && digits < LINES_DIGITS_MAX; at++, digits++)
        count = count * 10 + (size_t)(*at - '0');
    *ret_count = count;
    return digits > 0 && (at == stop || *at == '\n' || *at == '\r');
}

enum hc_err document_check_lines(const struct document *doc, struct hc_diag *diag)
{
    static const size_t mark_len = sizeof LINES_MARK - 1;
    const char *stop = doc->text + doc->len;
    size_t lines = 0;
    for (const char *at = doc->text; at < stop; lines++) {
        size_t said;
        bool marked = (size_t)(stop - at) > mark_len && memcmp(at, LINES_MARK, mark_len) == 0;
        if (marked && (!take_count(at + mark_len, stop, &said) || said != lines)) {
            const struct yaml_node here = { .line = (unsigned)lines + 1, .column = 1 };
            return yaml_fail(diag, doc->file, &here, "lines", "%zu lines stand above this comment, which counts others: a line was lost or "
                             "added; if that was meant, delete this comment", lines);
        }
        const char *line_end = memchr(at, '\n', (size_t)(stop - at));
        if (line_end == NULL)
            break;
        at = line_end + 1;
    }
    return HC_OK;
}

void document_write_head(uint64_t generation, hc_time saved_at, struct hc_buf *out)
{
    const struct head head = { generation, STORE_SCHEMA_VERSION, saved_at };
    yaml_write_members(&head_table, &head, 0, out);
}

void document_write_end(uint64_t generation, size_t lines, struct hc_buf *out)
{
    hc_buf_str(out, LINES_MARK);
    hc_buf_u64(out, lines);
    const struct head end = { .generation = generation };
    hc_buf_char(out, '\n');
    yaml_write_members(&end_table, &end, 0, out);
}
