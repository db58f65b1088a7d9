#include "exchange_view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "stable_text.h"

#define OBJECTS_SHOWN 2                 /* of a list; the rest look alike */
#define WORDS_SHOWN   8
#define LETTERS_SHOWN ((size_t)160)     /* of one text */
#define LETTERS_LEFT  ((size_t)48)      /* of a longer one */
#define LINES_SHOWN   8
#define CUT           "@cut "           /* begins the text that stands for what was cut, until it is a line */
#define TAR_BLOCK     ((size_t)512)

/* ---- JSON, cut where it goes on in the same way ---- */

static void add_text(json_t *array, const char *format, size_t count)
{
    char text[128];
    (void)snprintf(text, sizeof text, format, count);
    assert_int_equal(json_array_append_new(array, json_string(text)), 0);
}

static json_t *cut_json(json_t *value);

static json_t *cut_array(json_t *array)
{
    bool objects = json_is_object(json_array_get(array, 0));
    size_t count = json_array_size(array), shown = objects ? OBJECTS_SHOWN : WORDS_SHOWN;
    json_t *out = json_array();
    for (size_t i = 0; i < count && i < shown; i++)
        assert_int_equal(json_array_append_new(out, cut_json(json_array_get(array, i))), 0);
    if (count > shown)
        add_text(out, objects ? CUT "(%zu more like these)" : CUT "(%zu more)", count - shown);
    return out;
}

static json_t *cut_string(const char *text)
{
    char shown[LETTERS_SHOWN + 64];
    size_t len = strlen(text);
    if (len <= LETTERS_SHOWN)
        return json_string(text);
    (void)snprintf(shown, sizeof shown, "%.*s… (cut: %zu bytes in all)", (int)LETTERS_LEFT, text, len);
    return json_string(shown);
}

static json_t *cut_json(json_t *value)
{
    if (json_is_array(value))
        return cut_array(value);
    if (json_is_string(value))
        return cut_string(json_string_value(value));
    if (!json_is_object(value))
        return json_incref(value);
    json_t *out = json_object(), *member;
    const char *key;
    json_object_foreach(value, key, member)
        assert_int_equal(json_object_set_new(out, key, cut_json(member)), 0);
    return out;
}

/* `"@cut (3 more)"` becomes a line of its own words, without quotes. */
static void add_dumped(const char *dumped, struct hc_buf *out)
{
    for (const char *at = dumped; *at != '\0'; at++) {
        if (strncmp(at, "\"" CUT, strlen("\"" CUT)) != 0) {
            hc_buf_char(out, *at);
            continue;
        }
        const char *text = at + strlen("\"" CUT), *end = strchr(text, '"');
        hc_buf_add(out, text, (size_t)(end - text));
        at = end;
    }
    hc_buf_char(out, '\n');
}

static void add_json(const json_t *json, struct hc_buf *out)
{
    json_t *stable = stable_json(json), *cut = cut_json(stable);
    char *dumped = json_dumps(cut, JSON_INDENT(2) | JSON_ENCODE_ANY);
    assert_non_null(dumped);
    add_dumped(dumped, out);
    free(dumped);
    json_decref(cut);
    json_decref(stable);
}

/* ---- what is no JSON ---- */

static void add_bytes(size_t len, const char *type, struct hc_buf *out)
{
    if (len >= 1000)
        hc_buf_printf(out, "(%zu,%03zu bytes of %s)\n", len / 1000, len % 1000, type);
    else
        hc_buf_printf(out, "(%zu bytes of %s)\n", len, type);
}

static void add_lines(const char *text, const char *about, struct hc_buf *out)
{
    size_t shown = 0, left = 0;
    for (const char *line = text; *line != '\0';) {
        size_t len = strcspn(line, "\n");
        bool wanted = about == NULL || memmem(line, len, about, strlen(about)) != NULL;
        bool fits = wanted && shown < LINES_SHOWN;
        if (fits)
            hc_buf_printf(out, "%.*s\n", (int)len, line);
        shown += fits ? 1 : 0;
        left += fits ? 0 : 1;
        line += len + (line[len] == '\n' ? 1 : 0);
    }
    if (left > 0 && about != NULL)
        hc_buf_printf(out, "(cut: these are %slines about %s)\n", shown == LINES_SHOWN ? "the first " : "the ", about);
    else if (left > 0)
        hc_buf_str(out, "(cut: it goes on)\n");
}

static void add_tar(const char *bytes, size_t len, struct hc_buf *out)
{
    hc_buf_str(out, "(a tar archive of");
    for (size_t at = 0, files = 0; at + TAR_BLOCK <= len && bytes[at] != '\0'; files++) {
        size_t size = (size_t)strtoull(bytes + at + 124, NULL, 8);
        hc_buf_printf(out, "%s %.100s", files == 0 ? "" : ",", bytes + at);
        at += TAR_BLOCK + (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
    }
    hc_buf_str(out, ")\n");
}

static void add_text_body(const struct asked *asked, const char *bytes, struct hc_buf *out)
{
    char *text = stable_text(bytes);
    if (asked->show == SHOW_LINES) {
        add_lines(text, asked->about, out);
    } else {
        hc_buf_str(out, text);
        if (text[0] != '\0' && text[strlen(text) - 1] != '\n')
            hc_buf_char(out, '\n');
    }
    hc_free(text);
}

static void add_body(const struct asked *asked, const struct view_answer *answer, const char *type, struct hc_buf *out)
{
    if (answer->len == 0)
        return;
    hc_buf_char(out, '\n');
    if (asked->show == SHOW_SIZE)
        add_bytes(answer->len, type, out);
    else if (asked->show == SHOW_KIND)
        hc_buf_printf(out, "(%s)\n", type);
    else if (asked->show == SHOW_TAR)
        add_tar(answer->body, answer->len, out);
    else if (answer->json != NULL)
        add_json(answer->json, out);
    else
        add_text_body(asked, answer->body, out);
}

/* ---- the two halves ---- */

static void add_request(const struct asked *asked, const char *path, struct hc_buf *out)
{
    char *shown = stable_text(path);
    hc_buf_printf(out, "```http\n%.*s %s\n", (int)strcspn(asked->route, " "), asked->route, shown);
    hc_free(shown);
    if (asked->token != NULL)
        hc_buf_str(out, "Authorization: Bearer TOKEN\n");
    if (asked->json != NULL || asked->type != NULL)
        hc_buf_printf(out, "Content-Type: %s\n", asked->json != NULL ? "application/json" : asked->type);
    if (asked->json != NULL) {
        hc_buf_char(out, '\n');
        add_json(asked->json, out);
    } else if (asked->type != NULL && strncmp(asked->type, "image/", 6) == 0) {
        hc_buf_char(out, '\n');
        add_bytes(asked->len, asked->type, out);
    } else if (asked->len > 0) {
        char *text = stable_text(asked->bytes);
        hc_buf_printf(out, "\n%s%s", text, text[strlen(text) - 1] == '\n' ? "" : "\n");
        hc_free(text);
    }
    hc_buf_str(out, "```\n");
}

/* The value of a cookie is as good as a token; a file's ETag is another with every change of the file. */
static void add_header(const char *name, const char *value, struct hc_buf *out)
{
    const char *from = strchr(value, '='), *to = strchr(value, ';');
    char *shown = stable_text(value);
    if (strcasecmp(name, "Set-Cookie") == 0 && from != NULL && to != NULL && from < to)
        hc_buf_printf(out, "%s: %.*s=COOKIE%s\n", name, (int)(from - value), value, to);
    else if (strcasecmp(name, "ETag") == 0)
        hc_buf_printf(out, "%s: \"…\"\n", name);
    else
        hc_buf_printf(out, "%s: %s\n", name, shown);
    hc_free(shown);
}

static bool matters(const char *name, const char *value)
{
    static const char *const names[] = { "Location", "Retry-After", "ETag", "X-Next-Cursor", "Cache-Control", "Content-Disposition",
                                         "Set-Cookie" };
    if (strcasecmp(name, "Content-Type") == 0)
        return strcmp(value, "application/json") != 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcasecmp(name, names[i]) == 0)
            return true;
    return false;
}

static void add_answer(const struct asked *asked, const struct view_answer *answer, struct hc_buf *out)
{
    char type[128] = "bytes";
    const char *line = answer->head;
    hc_buf_printf(out, "```http\n%.*s\n", (int)strcspn(line, "\r\n"), line);
    while ((line = strstr(line, "\r\n")) != NULL) {
        char name[64], value[1024];
        line += 2;
        if (sscanf(line, "%63[^:]: %1023[^\r\n]", name, value) != 2)
            continue;
        if (matters(name, value))
            add_header(name, value, out);
        if (strcasecmp(name, "Content-Type") == 0)
            (void)snprintf(type, sizeof type, "%.*s", (int)strcspn(value, ";"), value);
    }
    add_body(asked, answer, type, out);
    hc_buf_str(out, "```\n");
}

char *exchange_view(const struct asked *asked, const char *path, const struct view_answer *answer)
{
    struct hc_buf out = { 0 };
    hc_buf_printf(&out, "### `%s`\n\n*%s*: %s\n\n", asked->route, asked->who, asked->says);
    add_request(asked, path, &out);
    hc_buf_char(&out, '\n');
    add_answer(asked, answer, &out);
    assert_false(out.failed);
    return out.data;
}
