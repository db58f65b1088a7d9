#include "command_words.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hydra/base/buf.h"
#include "hydra/base/id.h"

#define PATH_USUAL "/usr/local/bin:/usr/bin:/bin"

static const char *const names[] = { "host", "port", "app", "cert", "key", "pin", "uniqueid" };

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* Takes one word from *at, quotes and backslashes off. */
static enum hc_err take_word(const char **at, struct hc_buf *word, struct hc_diag *diag)
{
    char quote = '\0';
    const char *c = *at;
    for (; *c != '\0' && (quote != '\0' || !is_blank(*c)); c++) {
        if (*c == quote) {
            quote = '\0';
        } else if (quote == '\0' && (*c == '\'' || *c == '"')) {
            quote = *c;
        } else if (*c == '\\' && quote != '\'') {
            if (*++c == '\0')
                return hc_fail(diag, HC_ERR_SYNTAX, "ends with a backslash: write \\\\ for one");
            hc_buf_char(word, *c);
        } else {
            hc_buf_char(word, *c);
        }
    }
    *at = c;
    return quote == '\0' ? HC_OK : hc_fail(diag, HC_ERR_SYNTAX, "the quote %c is not closed", quote);
}

/* The name between the braces at `open`; its length, 0: there is none that we know. */
static size_t name_at(const char *open, const char **ret_name)
{
    const char *close = strchr(open, '}');
    for (size_t i = 0; close != NULL && i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == (size_t)(close - open - 1) && strncmp(open + 1, names[i], strlen(names[i])) == 0) {
            *ret_name = names[i];
            return strlen(names[i]);
        }
    return 0;
}

static enum hc_err check_marks(const char *word, struct hc_diag *diag)
{
    for (const char *c = word; *c != '\0'; c++) {
        const char *name;
        if (*c != '{')
            continue;
        if (c[1] == '{')
            c++;
        else if (name_at(c, &name) == 0)
            return hc_fail(diag, HC_ERR_SYNTAX, "'%.40s' is none of {host} {port} {app} {cert} {key} {pin} {uniqueid}; {{ is a brace", c);
    }
    return HC_OK;
}

enum hc_err command_split(const char *text, struct hc_arena *arena, struct command_words *ret, struct hc_diag *diag)
{
    *ret = (struct command_words){ 0 };
    if (strlen(text) > COMMAND_BYTES_MAX)
        return hc_fail(diag, HC_ERR_LIMIT, "is longer than %d bytes", COMMAND_BYTES_MAX);
    for (const char *at = text;;) {
        while (is_blank(*at))
            at++;
        if (*at == '\0')
            break;
        if (ret->count == COMMAND_WORDS_MAX)
            return hc_fail(diag, HC_ERR_LIMIT, "has more than %d arguments", COMMAND_WORDS_MAX);
        HC_CLEANUP(hc_buf_freep) struct hc_buf word = { 0 };
        enum hc_err err = take_word(&at, &word, diag);
        if (err != HC_OK)
            return err;
        const char *kept = word.failed ? NULL : hc_arena_strdup(arena, word.len == 0 ? "" : word.data);
        if (kept == NULL)
            return hc_fail(diag, HC_ERR_NOMEM, "out of memory");
        err = check_marks(kept, diag);
        if (err != HC_OK)
            return err;
        ret->words[ret->count++] = kept;
    }
    return ret->count > 0 && ret->words[0][0] != '\0' ? HC_OK : hc_fail(diag, HC_ERR_SYNTAX, "names no program");
}

static const char *fact_of(const struct command_fact *facts, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(facts[i].name, name) == 0)
            return facts[i].value;
    return NULL;
}

static enum hc_err fill_word(const char *word, const struct command_fact *facts, size_t count, struct hc_buf *out, struct hc_diag *diag)
{
    for (const char *c = word; *c != '\0'; c++) {
        const char *name = NULL;
        size_t len = *c == '{' ? name_at(c, &name) : 0;
        if (len == 0) {
            c += *c == '{' && c[1] == '{';
            hc_buf_char(out, *c);
            continue;
        }
        const char *value = fact_of(facts, count, name);
        if (value == NULL)
            return hc_fail(diag, HC_ERR_CONFIG, "command: {%s} is not known here", name);
        hc_buf_str(out, value);
        c += len + 1;
    }
    if (out->len > COMMAND_ARG_MAX)
        return hc_fail(diag, HC_ERR_LIMIT, "command: an argument is longer than %d bytes", COMMAND_ARG_MAX);
    return HC_OK;
}

enum hc_err command_fill(const struct command_words *words, const struct command_fact *facts, size_t count, struct hc_arena *arena,
                         char ***ret_argv, struct hc_diag *diag)
{
    char **argv = hc_arena_array(arena, words->count + 1, sizeof *argv);
    if (argv == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "out of memory");
    for (size_t i = 0; i < words->count; i++) {
        HC_CLEANUP(hc_buf_freep) struct hc_buf word = { 0 };
        enum hc_err err = fill_word(words->words[i], facts, count, &word, diag);
        if (err != HC_OK)
            return err;
        argv[i] = word.failed ? NULL : hc_arena_strdup(arena, word.len == 0 ? "" : word.data);
        if (argv[i] == NULL)
            return hc_fail(diag, HC_ERR_NOMEM, "out of memory");
    }
    *ret_argv = argv;
    return HC_OK;
}

enum hc_err command_find(const char *program, struct hc_arena *arena, const char **ret_path, struct hc_diag *diag)
{
    const char *folders = getenv("PATH");
    if (strchr(program, '/') != NULL) {
        *ret_path = hc_arena_strdup(arena, program);
        if (*ret_path == NULL)
            return hc_fail(diag, HC_ERR_NOMEM, "out of memory");
        return access(program, X_OK) == 0 ? HC_OK : hc_fail(diag, HC_ERR_NOTFOUND, "%.200s is no program that can be run", program);
    }
    for (const char *at = folders == NULL ? PATH_USUAL : folders; *at != '\0';) {
        size_t len = strcspn(at, ":");
        const char *path = hc_arena_printf(arena, "%.*s/%s", (int)len, at, program);
        if (path == NULL)
            return hc_fail(diag, HC_ERR_NOMEM, "out of memory");
        if (len > 0 && access(path, X_OK) == 0) {
            *ret_path = path;
            return HC_OK;
        }
        at += len + (at[len] == ':');
    }
    return hc_fail(diag, HC_ERR_NOTFOUND, "%.200s is in no folder of PATH: install it, or write its whole path", program);
}
