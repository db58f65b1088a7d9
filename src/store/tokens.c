#include "hydra/store/tokens.h"

#include <assert.h>
#include <string.h>

#include "document.h"
#include "hydra/os/file.h"
#include "rows.h"

#define TOKENS_FILE      "tokens.yaml"
#define TOKENS_LOCK      "tokens.yaml.lock"
#define TOKENS_LOCK_MS   5000               /* others hold it for one small save */
#define TOKENS_BYTES_MAX ((size_t)1024 * 1024)

static const char *const kind_texts[TOKEN_KINDS] = { [TOKEN_ADMIN] = "admin", [TOKEN_READ] = "read", [TOKEN_FLEET] = "fleet" };
static const struct hc_words kind_words = { kind_texts, TOKEN_KINDS };

static const struct codec_field token_rows[] = {
    ROW_ID(struct token_row, "id", id, CODEC_REQUIRED),
    ROW_WORD(struct token_row, "kind", kind, kind_words, CODEC_REQUIRED),
    ROW(struct token_row, "hash", CODEC_STR, hash, HC_HASH_HEX, CODEC_REQUIRED),
    ROW_TIME(struct token_row, "created_at", created_at, OMIT),
    ROW_TIME(struct token_row, "last_used_at", last_used_at, OMIT),
};
static const struct codec_table token_table = CODEC_TABLE("token", token_rows, struct token_row, CODEC_NO_PRESENT);

struct tokens_file { struct codec_list tokens; };
static const struct codec_field file_rows[] = { ROW_LIST(struct tokens_file, "tokens", tokens, TOKENS_MAX, token_table, 0) };
static const struct codec_table file_table = CODEC_TABLE("tokens", file_rows, struct tokens_file, CODEC_NO_PRESENT);

const char *token_kind_word(enum token_kind kind)
{
    assert((unsigned)kind < TOKEN_KINDS);
    return kind_texts[kind];
}

int token_kind_find(const char *word)
{
    return codec_word_index(&kind_words, word);
}

void token_list_free(struct token_list *list)
{
    hc_free(list->rows);
    *list = (struct token_list){ 0 };
}

/* The list with room for one more; `generation` of the file as read, 0: there was none. */
static enum hc_err copy_rows(const struct codec_list *from, struct token_list *ret_list)
{
    struct token_row *rows = hc_alloc((from->count + 1) * sizeof *rows);
    if (rows == NULL)
        return HC_ERR_NOMEM;
    if (from->count > 0)
        memcpy(rows, from->items, from->count * sizeof *rows);
    *ret_list = (struct token_list){ rows, from->count };
    return HC_OK;
}

static enum hc_err check_rows(const struct document *doc, const struct tokens_file *file, struct hc_diag *diag)
{
    const struct token_row *rows = file->tokens.items;
    const struct yaml_node *list = yaml_get(doc->root, "tokens");
    for (size_t i = 0; i < file->tokens.count; i++) {
        if (strlen(rows[i].hash) != HC_HASH_HEX)
            return yaml_fail(diag, doc->file, list->items[i], "hash", "must have %d hex digits", HC_HASH_HEX);
        for (size_t k = 0; k < i; k++)
            if (strcmp(rows[i].id, rows[k].id) == 0)
                return yaml_fail(diag, doc->file, list->items[i], "id", "%s is there twice", rows[i].id);
    }
    return HC_OK;
}

static enum hc_err parse_tokens(const char *text, size_t len, struct hc_arena *arena, struct token_list *ret_list, uint64_t *ret_generation,
                                struct hc_diag *diag)
{
    struct document doc = { .file = TOKENS_FILE, .text = text, .len = len };
    enum hc_err err = document_open(&doc, arena, diag);
    if (err != HC_OK)
        return err;
    struct yaml_node rest = *doc.root;       /* without the head: what is left is the table's */
    rest.pairs = hc_arena_array(arena, doc.root->count, sizeof *rest.pairs);
    if (rest.pairs == NULL)
        return HC_ERR_NOMEM;
    rest.count = 0;
    for (size_t i = 0; i < doc.root->count; i++)
        if (!document_is_head(&doc, doc.root->pairs[i].key))
            rest.pairs[rest.count++] = doc.root->pairs[i];
    struct tokens_file file;
    err = yaml_read(&file_table, doc.file, &rest, arena, &file, diag);
    if (err == HC_OK)
        err = check_rows(&doc, &file, diag);
    if (err == HC_OK)
        err = document_check_lines(&doc, diag);
    if (err != HC_OK)
        return err;
    *ret_generation = doc.generation;
    return copy_rows(&file.tokens, ret_list);
}

static enum hc_err read_tokens(int dir_fd, struct token_list *ret_list, uint64_t *ret_generation, struct hc_diag *diag)
{
    char *text;
    size_t len;
    enum hc_err err = os_file_read(dir_fd, TOKENS_FILE, TOKENS_BYTES_MAX, &text, &len, NULL, diag);
    if (err == HC_ERR_NOTFOUND) {
        *ret_generation = 0;
        return copy_rows(&(struct codec_list){ NULL, 0 }, ret_list);
    }
    if (err != HC_OK)
        return err;
    struct hc_arena arena = { 0 };
    err = parse_tokens(text, len, &arena, ret_list, ret_generation, diag);
    hc_arena_free(&arena);
    hc_free(text);
    return err == HC_ERR_NOMEM ? hc_fail(diag, err, "no memory to read %s", TOKENS_FILE) : err;
}

static enum hc_err write_tokens(int dir_fd, const struct token_list *list, uint64_t generation, struct hc_diag *diag)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf out = { 0 };
    const struct tokens_file file = { { list->rows, list->count } };
    document_write_head(generation, HC_TIME_NEVER, &out);
    yaml_write_members(&file_table, &file, 0, &out);
    document_write_end(generation, out.failed ? 0 : document_lines(out.data, out.len), &out);
    if (out.failed)
        return hc_fail(diag, HC_ERR_NOMEM, "no memory to write %s", TOKENS_FILE);
    return os_file_replace(dir_fd, TOKENS_FILE, out.data, out.len, NULL, diag) == OS_REPLACE_DURABLE ? HC_OK : HC_ERR_IO;
}

/* What tokens_add, _revoke and _used do to the list; HC_ERR_STATE: nothing to write. */
typedef enum hc_err edit_fn(struct token_list *list, const void *what, struct hc_diag *diag);

static enum hc_err edit_tokens(const char *data_dir, edit_fn *edit, const void *what, struct hc_diag *diag)
{
    HC_CLEANUP(os_close) int dir_fd = -1;
    HC_CLEANUP(os_close) int lock_fd = -1;
    enum hc_err err = os_dir_open(data_dir, &dir_fd, diag);
    if (err == HC_OK)
        err = os_lock_wait(dir_fd, TOKENS_LOCK, TOKENS_LOCK_MS, &lock_fd, diag);
    if (err != HC_OK)
        return err;
    HC_CLEANUP(token_list_free) struct token_list list = { 0 };
    uint64_t generation;
    err = read_tokens(dir_fd, &list, &generation, diag);
    if (err != HC_OK)
        return err;
    err = edit(&list, what, diag);
    if (err == HC_ERR_STATE)
        return HC_OK;
    return err == HC_OK ? write_tokens(dir_fd, &list, generation + 1, diag) : err;
}

static enum hc_err add_row(struct token_list *list, const void *what, struct hc_diag *diag)
{
    const struct token_row *row = what;
    if (list->count >= TOKENS_MAX)
        return hc_fail(diag, HC_ERR_LIMIT, "there are %d tokens already: revoke one first", TOKENS_MAX);
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->rows[i].id, row->id) == 0)
            return hc_fail(diag, HC_ERR_EXISTS, "there is a token %s already", row->id);
    list->rows[list->count++] = *row;        /* read_tokens() left room for one */
    return HC_OK;
}

enum hc_err tokens_add(const char *data_dir, enum token_kind kind, const char *id, const char *hash, hc_time now, struct hc_diag *diag)
{
    assert(hc_id_ok(id) && strlen(hash) == HC_HASH_HEX);
    struct token_row row = { .kind = kind, .created_at = now };
    HC_SET(row.id, id);
    HC_SET(row.hash, hash);
    return edit_tokens(data_dir, add_row, &row, diag);
}

static enum hc_err revoke_row(struct token_list *list, const void *what, struct hc_diag *diag)
{
    const char *id = what;
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->rows[i].id, id) != 0)
            continue;
        list->count--;
        memmove(&list->rows[i], &list->rows[i + 1], (list->count - i) * sizeof list->rows[0]);
        return HC_OK;
    }
    return hc_fail(diag, HC_ERR_NOTFOUND, "there is no token %s", id);
}

enum hc_err tokens_revoke(const char *data_dir, const char *id, struct hc_diag *diag)
{
    return edit_tokens(data_dir, revoke_row, id, diag);
}

struct used { const struct token_row *rows; size_t count; };

static enum hc_err mark_used(struct token_list *list, const void *what, struct hc_diag *diag)
{
    (void)diag;
    const struct used *used = what;
    bool changed = false;
    for (size_t i = 0; i < used->count; i++)
        for (size_t k = 0; k < list->count; k++)
            if (strcmp(used->rows[i].id, list->rows[k].id) == 0 && hc_time_before(list->rows[k].last_used_at, used->rows[i].last_used_at)) {
                list->rows[k].last_used_at = used->rows[i].last_used_at;
                changed = true;
            }
    return changed ? HC_OK : HC_ERR_STATE;   /* a token revoked meanwhile stays revoked */
}

enum hc_err tokens_used(const char *data_dir, const struct token_row *used, size_t count, struct hc_diag *diag)
{
    return edit_tokens(data_dir, mark_used, &(struct used){ used, count }, diag);
}

enum hc_err tokens_read(const char *data_dir, struct token_list *ret_list, struct hc_diag *diag)
{
    HC_CLEANUP(os_close) int dir_fd = -1;
    uint64_t generation;
    enum hc_err err = os_dir_open(data_dir, &dir_fd, diag);
    return err != HC_OK ? err : read_tokens(dir_fd, ret_list, &generation, diag);
}

bool tokens_changed(const char *data_dir, struct tokens_seen *seen)
{
    HC_CLEANUP(os_close) int dir_fd = -1;
    struct os_stamp now;
    if (os_dir_open(data_dir, &dir_fd, NULL) != HC_OK || os_file_stamp(dir_fd, TOKENS_FILE, &now) != HC_OK)
        return false;                        /* what was read stays in force; the next look may succeed */
    const struct tokens_seen found = { .words = { now.exists, now.device, now.inode, (uint64_t)now.size, (uint64_t)now.mtime_ns,
                                                  (uint64_t)now.ctime_ns } };
    bool changed = memcmp(&found, seen, sizeof found) != 0;
    *seen = found;
    return changed;
}
