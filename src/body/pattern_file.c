#include "pattern_file.h"

#include <string.h>

#include "hydra/base/buf.h"
#include "hydra/base/id.h"
#include "hydra/codec/json.h"
#include "hydra/os/file.h"

#include "admit.h"

static const struct codec_field pattern_rows[] = {
    { .key = "name",  .type = CODEC_TEXT, .offset = offsetof(struct pattern, name), .limit = HC_NAME_MAX, .flags = CODEC_REQUIRED },
    { .key = "entry", .type = CODEC_RAW,  .offset = offsetof(struct pattern, entry), .limit = PATTERN_ENTRY_MAX, .flags = CODEC_REQUIRED },
};
static const struct codec_table pattern_table = CODEC_TABLE("pattern", pattern_rows, struct pattern, CODEC_NO_PRESENT);
static const struct codec_field file_rows[] = {
    { .key = "patterns", .type = CODEC_LIST, .offset = 0, .limit = PATTERNS_MAX, .sub = &pattern_table, .flags = CODEC_REQUIRED },
};
static const struct codec_table file_table = CODEC_TABLE("patterns", file_rows, struct codec_list, CODEC_NO_PRESENT);

void patterns_free(struct patterns *patterns)
{
    hc_arena_free(&patterns->arena);
    patterns->count = 0;
}

static enum hc_err read_rows(const char *text, size_t len, struct patterns *ret, struct hc_diag *diag)
{
    struct codec_list list;
    struct json_refusal refusal;
    enum hc_err err = json_read(&file_table, text, len, false, &ret->arena, &list, &refusal);
    if (err == HC_ERR_NOMEM)
        return hc_fail(diag, err, "%s: out of memory", PATTERN_FILE);
    if (err != HC_OK)
        return hc_fail(diag, err, "%s: %s: %s", PATTERN_FILE, refusal.field, refusal.detail);
    ret->count = list.count;
    if (list.count > 0)
        memcpy(ret->rows, list.items, list.count * sizeof ret->rows[0]);
    return HC_OK;
}

enum hc_err patterns_load(int dir_fd, struct patterns *ret, struct hc_diag *diag)
{
    char *text = NULL;
    size_t len = 0;
    memset(ret, 0, sizeof *ret);
    enum hc_err err = os_file_read(dir_fd, PATTERN_FILE, PATTERN_FILE_MAX, &text, &len, NULL, diag);
    if (err == HC_ERR_NOTFOUND)
        return HC_OK;
    if (err == HC_OK)
        err = read_rows(text, len, ret, diag);
    hc_free(text);
    if (err != HC_OK)
        patterns_free(ret);
    return err;
}

const char *pattern_of(const struct patterns *patterns, const char *name)
{
    for (size_t i = 0; i < patterns->count; i++)
        if (strcmp(patterns->rows[i].name, name) == 0)
            return patterns->rows[i].entry;
    return NULL;
}

static bool lists(const struct pattern_news *news, const char *name)
{
    for (size_t i = 0; i < news->count; i++)
        if (strcmp(news->apps[i].name, name) == 0)
            return true;
    return false;
}

static bool was_removed(const struct pattern_news *news, const char *name)
{
    return !news->own && hc_among(news->before, news->before_count, name) && !lists(news, name);
}

static bool put(struct patterns *patterns, const char *name, const char *entry)
{
    struct pattern *row = &patterns->rows[patterns->count++];
    row->name = hc_arena_strdup(&patterns->arena, name);
    row->entry = hc_arena_strdup(&patterns->arena, entry);
    return row->name != NULL && row->entry != NULL;
}

/* The first entry of a name counts: that one the host's clients are given. */
static bool take_listed(struct patterns *made, const struct pattern_news *news, const char **ret_left_out)
{
    for (size_t i = 0; i < news->count; i++) {
        const struct sunshine_app *app = &news->apps[i];
        if (app_token_in(app->name)[0] != '\0' || pattern_of(made, app->name) != NULL)
            continue;
        if (!hc_name_ok(app->name) || strlen(app->json) > PATTERN_ENTRY_MAX || made->count >= PATTERNS_MAX)
            *ret_left_out = app->name;
        else if (!put(made, app->name, app->json))
            return false;
    }
    return true;
}

static bool same_rows(const struct patterns *a, const struct patterns *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++) {
        const char *other = pattern_of(b, a->rows[i].name);
        same = other != NULL && strcmp(other, a->rows[i].entry) == 0;
    }
    return same;
}

enum hc_err patterns_learn(struct patterns *patterns, const struct pattern_news *news, bool *ret_changed, const char **ret_left_out)
{
    struct patterns *made = hc_alloc(sizeof *made);
    const char *left_out = NULL;
    if (made == NULL)
        return HC_ERR_NOMEM;
    bool ok = take_listed(made, news, &left_out);
    for (size_t i = 0; ok && i < patterns->count; i++) {
        const struct pattern *row = &patterns->rows[i];
        if (pattern_of(made, row->name) == NULL && !was_removed(news, row->name) && made->count < PATTERNS_MAX)
            ok = put(made, row->name, row->entry);
    }
    *ret_changed = ok && !same_rows(made, patterns);
    *ret_left_out = left_out;
    if (*ret_changed) {
        patterns_free(patterns);
        *patterns = *made;
    } else {
        patterns_free(made);
    }
    hc_free(made);
    return ok ? HC_OK : HC_ERR_NOMEM;
}

enum hc_err patterns_save(int dir_fd, const struct patterns *patterns, struct hc_diag *diag)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    const struct codec_list list = { (void *)(uintptr_t)patterns->rows, patterns->count };
    json_write(&file_table, &list, &text);
    hc_buf_char(&text, '\n');
    if (text.failed)
        return hc_fail(diag, HC_ERR_NOMEM, "no memory to write %s", PATTERN_FILE);
    return os_file_replace(dir_fd, PATTERN_FILE, text.data, text.len, NULL, diag) == OS_REPLACE_NOT_WRITTEN ? HC_ERR_IO : HC_OK;
}
