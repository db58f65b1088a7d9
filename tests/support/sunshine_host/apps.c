#include "apps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hydra/base/arena.h"
#include "log.h"
#include "state.h"

#define CRC_POLYNOMIAL 0xedb88320u
#define PNG_MAGIC      "\x89PNG\r\n\x1a\n"
#define VARIABLE_MAX   128u
#define ID_INPUT_MAX   1024u

static const char default_apps[] =
    "{\"env\": {\"PATH\": \"$(PATH)\"}, \"apps\": [{\"name\": \"Desktop\", \"prep-cmd\": [], \"detached\": []}]}";

uint32_t apps_crc32(const char *text, uint32_t so_far)
{
    uint32_t crc = ~so_far;
    for (; *text != '\0'; text++) {
        crc ^= (uint8_t)*text;
        for (unsigned bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? CRC_POLYNOMIAL : 0);
    }
    return ~crc;
}

char *apps_expand(const char *text)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf out = { 0 };
    hc_buf_str(&out, "");
    while (*text != '\0') {
        const char *end = strncmp(text, "$(", 2) == 0 ? strchr(text, ')') : NULL;
        if (end != NULL && end - text - 2 < (long)VARIABLE_MAX) {
            char name[VARIABLE_MAX + 1];
            (void)snprintf(name, sizeof name, "%.*s", (int)(end - text - 2), text + 2);
            const char *value = getenv(name);
            hc_buf_str(&out, value == NULL ? "" : value);
            text = end + 1;
        } else {
            text += strncmp(text, "$$", 2) == 0;
            hc_buf_char(&out, *text++);
        }
    }
    return host_copy(out.data == NULL ? "" : out.data);
}

static json_t *expanded(const json_t *value)
{
    const char *key;
    size_t index;
    json_t *row, *copy;
    if (json_is_object(value)) {
        copy = json_object();
        json_object_foreach((json_t *)(uintptr_t)value, key, row)
            (void)json_object_set_new(copy, key, expanded(row));
        return copy;
    }
    if (json_is_array(value)) {
        copy = json_array();
        json_array_foreach(value, index, row)
            (void)json_array_append_new(copy, expanded(row));
        return copy;
    }
    if (!json_is_string(value))
        return json_deep_copy(value);
    char *text = apps_expand(json_string_value(value));
    copy = json_string(text);
    hc_free(text);
    return copy;
}

const char *apps_text(const json_t *app, const char *key)
{
    const char *text = json_string_value(json_object_get(app, key));
    return text == NULL ? "" : text;
}

bool apps_flag(const json_t *app, const char *key, bool otherwise)
{
    const json_t *value = json_object_get(app, key);
    if (json_is_boolean(value))
        return json_is_true(value);
    return json_is_string(value) ? strcmp(json_string_value(value), "true") == 0 : otherwise;
}

long apps_number(const json_t *app, const char *key, long otherwise)
{
    const json_t *value = json_object_get(app, key);
    if (json_is_integer(value))
        return (long)json_integer_value(value);
    return json_is_string(value) && json_string_length(value) > 0 ? strtol(json_string_value(value), NULL, 10) : otherwise;
}

json_t *apps_file(const struct host *host)
{
    char path[HOST_PATH_SIZE], *text = NULL;
    host_path(host, "apps.json", path);
    json_t *json = state_read_file(path, &text) ? json_loads(text, 0, NULL) : NULL;
    hc_free(text);
    return json;
}

void apps_save(const struct host *host, json_t *json)
{
    char path[HOST_PATH_SIZE];
    json_t *as_text = host->version->text_json ? state_as_text(json) : json_incref(json);
    char *text = json_dumps(as_text, JSON_INDENT(4) | JSON_SORT_KEYS);
    host_path(host, "apps.json", path);
    if (text == NULL || !state_write_file(path, text))
        log_line("Error", "Couldn't write %s", path);
    free(text);
    json_decref(as_text);
    json_decref(json);
}

static bool usable(const json_t *json)
{
    size_t index;
    json_t *app;
    const json_t *apps = json_object_get(json, "apps");
    bool empty = json_is_string(apps) && json_string_length(apps) == 0;        /* how older releases write an empty list */
    if (json_object_get(json, "env") == NULL || (!json_is_array(apps) && !empty) || json_array_size(apps) > HOST_APPS_MAX)
        return false;
    json_array_foreach(apps, index, app)
        if (!json_is_string(json_object_get(app, "name")))
            return false;
    return true;
}

void apps_parse(struct host *host)
{
    json_t *json = apps_file(host);
    if (!usable(json)) {
        log_line("Error", "Couldn't parse apps.json");
        json_decref(json);
        return;
    }
    json_decref(host->apps);
    host->apps = expanded(json);
    json_decref(json);
}

void apps_open(struct host *host)
{
    json_t *json = apps_file(host);
    if (json == NULL)
        apps_save(host, json_loads(default_apps, 0, NULL));
    json_decref(json);
    host->apps = json_pack("{s:[], s:{}}", "apps", "env");
    apps_parse(host);
}

/* The lower-case hex SHA-256 of a PNG file; "" when the app has none that is valid. */
static void image_digest(const json_t *app, char out[2 * HS_HASH_LEN + 1])
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    FILE *file = fopen(apps_text(app, "image-path"), "re");
    out[0] = '\0';
    if (file == NULL)
        return;
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    char block[4096];
    bool png = false, first = true, made = ctx != NULL && EVP_DigestInit_ex(ctx, EVP_sha256(), NULL) == 1;
    for (size_t got = fread(block, 1, sizeof block, file); got > 0 && made; got = fread(block, 1, sizeof block, file)) {
        png |= first && got >= strlen(PNG_MAGIC) && memcmp(block, PNG_MAGIC, strlen(PNG_MAGIC)) == 0;
        first = false;
        made = EVP_DigestUpdate(ctx, block, got) == 1;
    }
    if (made && png && EVP_DigestFinal_ex(ctx, digest, &len) == 1) {
        hs_hex_upper(digest, len, out);
        for (char *c = out; *c != '\0'; c++)
            *c = (char)(*c >= 'A' && *c <= 'F' ? *c - 'A' + 'a' : *c);
    }
    EVP_MD_CTX_free(ctx);
    (void)fclose(file);
}

static long id_of(const char *input)
{
    int32_t number = (int32_t)apps_crc32(input, 0);
    return number < 0 ? -(long)number : (long)number;
}

long apps_id(const struct host *host, size_t index)
{
    const json_t *apps = json_object_get(host->apps, "apps");
    long ids[HOST_APPS_MAX];
    for (size_t i = 0; i <= index; i++) {
        const json_t *app = json_array_get(apps, i);
        char digest[2 * HS_HASH_LEN + 1], input[ID_INPUT_MAX];
        image_digest(app, digest);
        (void)snprintf(input, sizeof input, "%s%s", apps_text(app, "name"), digest);
        ids[i] = id_of(input);
        for (size_t before = 0; before < i; before++)
            if (ids[before] == ids[i]) {
                (void)snprintf(input, sizeof input, "%s%s%zu", apps_text(app, "name"), digest, i);
                ids[i] = id_of(input);
                break;
            }
    }
    return ids[index];
}

json_t *apps_find(const struct host *host, long id)
{
    json_t *apps = json_object_get(host->apps, "apps");
    for (size_t i = 0; i < json_array_size(apps); i++)
        if (apps_id(host, i) == id)
            return json_array_get(apps, i);
    return NULL;
}
