#include "moonlight_settings.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hydra/crypto/digest.h"
#include "hydra/os/file.h"

#define ADDED_MAX 32        /* lines that one edit may add: sections, keys of the identity, of one host in two arrays */
#define KEY_SIZE  48
#define SIZE_KEY  "size"

/* A line of the file with the section that it stands in. Texts are the arena's. */
struct line { const char *section, *key, *text; };     /* key NULL: no KEY=VALUE, kept as it is; text is the whole line */
struct settings { struct hc_arena *arena; struct line *lines; size_t count, room; bool failed; };

/* ---- reading ---- */

static char *copy(struct settings *s, const char *text, size_t len)
{
    char *kept = hc_arena_strndup(s->arena, text, len);
    s->failed |= kept == NULL;
    return kept;
}

static const char *section_name(struct settings *s, const char *text, size_t len)
{
    const char *end = memchr(text, ']', len);
    return text[0] != '[' || end == NULL ? NULL : copy(s, text + 1, (size_t)(end - text - 1));
}

static void read_lines(struct settings *s, const char *old)
{
    const char *section = "";
    for (const char *at = old; *at != '\0' && !s->failed;) {
        size_t len = strcspn(at, "\n"), text_len = len > 0 && at[len - 1] == '\r' ? len - 1 : len;
        const char *equals = memchr(at, '=', text_len), *named = section_name(s, at, text_len);
        struct line *line = &s->lines[s->count++];
        if (named != NULL)
            section = named;
        *line = (struct line){ .section = section, .text = copy(s, at, text_len) };
        if (named == NULL && equals != NULL && at[0] != ';' && at[0] != '#')
            line->key = copy(s, at, (size_t)(equals - at));
        at += len + (at[len] == '\n');
    }
}

static size_t count_lines(const char *text)
{
    size_t count = 1;
    for (; *text != '\0'; text++)
        count += *text == '\n';
    return count;
}

/* ---- finding ---- */

static struct line *find(struct settings *s, const char *section, const char *key)
{
    for (size_t i = s->count; i > 0; i--)                   /* of two of one name the last counts */
        if (s->lines[i - 1].key != NULL && strcmp(s->lines[i - 1].key, key) == 0 && strcmp(s->lines[i - 1].section, section) == 0)
            return &s->lines[i - 1];
    return NULL;
}

static bool has_section(const struct settings *s, const char *section)
{
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->lines[i].section, section) == 0)
            return true;
    return false;
}

static const char *value_of(const struct line *line)
{
    return line->text + strlen(line->key) + 1;
}

/* ---- writing ---- */

static void insert(struct settings *s, size_t at, struct line line)
{
    if (s->count == s->room) {
        s->failed = true;
        return;
    }
    memmove(&s->lines[at + 1], &s->lines[at], (s->count - at) * sizeof *s->lines);
    s->lines[at] = line;
    s->count++;
}

/* Behind the last line of the section that is not blank; a new section at the end. */
static size_t end_of_section(struct settings *s, const char *section)
{
    if (!has_section(s, section)) {
        if (s->count > 0 && s->lines[s->count - 1].text[0] != '\0')
            insert(s, s->count, (struct line){ .section = s->lines[s->count - 1].section, .text = "" });
        const char *head = hc_arena_printf(s->arena, "[%s]", section);
        s->failed |= head == NULL;
        insert(s, s->count, (struct line){ .section = section, .text = head });
    }
    size_t end = s->count;
    while (end > 0 && strcmp(s->lines[end - 1].section, section) != 0)
        end--;
    while (end > 0 && s->lines[end - 1].text[0] == '\0')
        end--;
    return end;
}

static void set_raw(struct settings *s, const char *section, const char *key, const char *value)
{
    struct line *line = find(s, section, key);
    const char *text = hc_arena_printf(s->arena, "%s=%s", key, value), *kept = hc_arena_strdup(s->arena, key);
    if (text == NULL || kept == NULL)
        s->failed = true;
    else if (line != NULL)
        line->text = text;
    else
        insert(s, end_of_section(s, section), (struct line){ .section = section, .key = kept, .text = text });
}

/* In quotes, as Qt takes every text; what is no plain character is written as \n, \", \\ or \xHEX. A digit behind a hex escape would be
 * read as a part of it, so it is written as one too. */
static void add_text(struct hc_buf *out, const char *text)
{
    bool after_hex = false;
    for (const char *c = text; *c != '\0'; c++) {
        bool hex_digit = strchr("0123456789abcdefABCDEF", *c) != NULL, special = (unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f;
        if (*c == '\n')
            hc_buf_str(out, "\\n");
        else if (*c == '"' || *c == '\\')
            hc_buf_printf(out, "\\%c", *c);
        else if (special || (after_hex && hex_digit))
            hc_buf_printf(out, "\\x%x", (unsigned char)*c);
        else
            hc_buf_char(out, *c);
        after_hex = *c != '\n' && *c != '"' && *c != '\\' && (special || (after_hex && hex_digit));
    }
}

static void set_text(struct settings *s, const char *section, const char *key, const char *before, const char *text, const char *after)
{
    struct hc_buf value = { 0 };
    hc_buf_char(&value, '"');
    hc_buf_str(&value, before);
    add_text(&value, text);
    hc_buf_str(&value, after);
    hc_buf_char(&value, '"');
    if (value.failed)
        s->failed = true;
    else
        set_raw(s, section, key, value.data);
    if (value.data != NULL)
        crypto_wipe(value.data, value.size);
    hc_buf_free(&value);
}

static void set_bytes(struct settings *s, const char *section, const char *key, const char *bytes)
{
    set_text(s, section, key, "@ByteArray(", bytes, ")");
}

static void host_key(char out[KEY_SIZE], unsigned long index, const char *name)
{
    (void)snprintf(out, KEY_SIZE, "%lu\\%s", index, name);
}

/* A value as Qt may have written it, with quotes or without. */
static bool says(const char *value, const char *text)
{
    size_t len = strlen(text), have = strlen(value);
    bool quoted = have >= 2 && value[0] == '"' && value[have - 1] == '"';
    return quoted ? have - 2 == len && strncmp(value + 1, text, len) == 0 : strcmp(value, text) == 0;
}

/* Of the host with this id, or the next one. 0: there are too many. */
static unsigned long host_index(struct settings *s, const char *section, const char *unique_id, bool *ret_new)
{
    const struct line *line = find(s, section, SIZE_KEY);
    unsigned long size = line == NULL ? 0 : strtoul(value_of(line), NULL, 10);
    *ret_new = false;
    for (unsigned long i = 1; i <= size && i <= MOONLIGHT_HOSTS_MAX; i++) {
        char key[KEY_SIZE];
        host_key(key, i, "uuid");
        line = find(s, section, key);
        if (line != NULL && says(value_of(line), unique_id))
            return i;
    }
    *ret_new = true;
    return size >= MOONLIGHT_HOSTS_MAX ? 0 : size + 1;
}

/* HC_ERR_LIMIT: no room for another host. */
static enum hc_err set_host(struct settings *s, const char *section, const struct moonlight_host *host)
{
    char key[KEY_SIZE], number[24];
    bool is_new;
    unsigned long index = host_index(s, section, host->unique_id, &is_new);
    if (index == 0)
        return HC_ERR_LIMIT;
    const struct { const char *name, *value; } texts[] = {
        { "hostname", host->name[0] == '\0' ? host->address : host->name }, { "uuid", host->unique_id }, { "manualaddress", host->address },
        { "localaddress", host->address },
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        host_key(key, index, texts[i].name);
        set_text(s, section, key, "", texts[i].value, "");
    }
    static const char *const ports[] = { "manualport", "localport" };
    (void)snprintf(number, sizeof number, "%u", host->port);
    for (size_t i = 0; i < sizeof ports / sizeof ports[0]; i++) {
        host_key(key, index, ports[i]);
        set_raw(s, section, key, number);
    }
    host_key(key, index, "srvcert");
    set_bytes(s, section, key, host->cert_pem);
    if (is_new) {
        (void)snprintf(number, sizeof number, "%lu", index);
        set_raw(s, section, SIZE_KEY, number);
    }
    return HC_OK;
}

enum hc_err moonlight_settings_edit(const char *old, const struct identity *identity, const struct moonlight_host *host, struct hc_buf *out,
                                    struct hc_diag *diag)
{
    struct hc_arena arena = { 0 };
    struct settings s = { .arena = &arena, .room = count_lines(old) + ADDED_MAX };
    s.lines = hc_arena_array(&arena, s.room, sizeof *s.lines);
    if (s.lines == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "out of memory");
    read_lines(&s, old);
    set_bytes(&s, "General", "certificate", identity->cert_pem);
    set_bytes(&s, "General", "key", identity->key_pem);
    set_text(&s, "General", "uniqueid", "", identity->device_uid, "");
    enum hc_err err = set_host(&s, "hosts", host);
    const struct line *backup = find(&s, "hostsbackup", SIZE_KEY);
    if (err == HC_OK && backup != NULL && strtoul(value_of(backup), NULL, 10) > 0)
        err = set_host(&s, "hostsbackup", host);
    for (size_t i = 0; i < s.count && !s.failed; i++) {
        hc_buf_str(out, s.lines[i].text);
        hc_buf_char(out, '\n');
    }
    if (err == HC_ERR_LIMIT)
        err = hc_fail(diag, err, "Moonlight's settings have %d hosts: remove some of them", MOONLIGHT_HOSTS_MAX);
    else if (s.failed || out->failed)
        err = hc_fail(diag, HC_ERR_NOMEM, "out of memory");
    for (size_t i = 0; i < s.count; i++)                    /* keys, old and new, stood in these */
        if (s.lines[i].text != NULL && s.lines[i].key != NULL && strcmp(s.lines[i].key, "key") == 0)
            crypto_wipe((char *)(uintptr_t)s.lines[i].text, strlen(s.lines[i].text));
    hc_arena_free(&arena);
    return err;
}

enum hc_err moonlight_settings_write(const char *path, const struct identity *identity, const struct moonlight_host *host,
                                     struct hc_diag *diag)
{
    const char *slash = strrchr(path, '/');
    struct hc_arena arena = { 0 };
    const char *folder = slash == NULL ? NULL : hc_arena_strndup(&arena, slash == path ? "/" : path, slash == path ? 1 : (size_t)(slash -
                                                                                                                               path));
    HC_CLEANUP(os_close) int dir_fd = -1;
    char *old = NULL;
    size_t len = 0;
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    enum hc_err err = folder == NULL ? hc_fail(diag, HC_ERR_CONFIG, "moonlight_settings: %.200s is no whole path", path)
                                     : os_dir_make_private(folder, diag);
    if (err == HC_OK)
        err = os_dir_open(folder, &dir_fd, diag);
    hc_arena_free(&arena);
    if (err == HC_OK)
        err = os_file_read(dir_fd, slash + 1, MOONLIGHT_SETTINGS_MAX, &old, &len, NULL, diag);
    if (err == HC_ERR_NOTFOUND)
        err = HC_OK;
    if (err == HC_OK && old != NULL && strlen(old) != len)
        err = hc_fail(diag, HC_ERR_SYNTAX, "moonlight_settings: %.200s is no text file: it is left as it is", path);
    if (err == HC_OK)
        err = moonlight_settings_edit(old == NULL ? "" : old, identity, host, &text, diag);
    if (err == HC_OK && os_file_replace(dir_fd, slash + 1, text.data, text.len, NULL, diag) == OS_REPLACE_NOT_WRITTEN)
        err = HC_ERR_IO;
    if (old != NULL)
        crypto_wipe(old, len);
    hc_free(old);
    if (text.data != NULL)
        crypto_wipe(text.data, text.size);
    return err;
}
