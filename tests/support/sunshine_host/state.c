#include "state.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>

#include "hydra/base/arena.h"
#include "hydra/os/file.h"
#include "clients.h"
#include "log.h"

#define FILE_MAX    ((size_t)16 * 1024 * 1024)
#define SALT_LEN    16
#define DUMP_FLAGS  (JSON_INDENT(4) | JSON_SORT_KEYS)

bool state_read_file(const char *path, char **ret_text)
{
    size_t len;
    return os_file_read(AT_FDCWD, path, FILE_MAX, ret_text, &len, NULL, NULL) == HC_OK;
}

bool state_write_file(const char *path, const char *text)
{
    HC_CLEANUP(os_close) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    return fd >= 0 && os_write_all(fd, text, strlen(text)) == HC_OK;
}

json_t *state_as_text(const json_t *value)
{
    char text[64];
    const char *key;
    size_t index;
    json_t *row, *copy;
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        copy = json_object();
        json_object_foreach((json_t *)(uintptr_t)value, key, row)
            (void)json_object_set_new(copy, key, state_as_text(row));
        return copy;
    case JSON_ARRAY:
        if (json_array_size(value) == 0)
            return json_string("");
        copy = json_array();
        json_array_foreach(value, index, row)
            (void)json_array_append_new(copy, state_as_text(row));
        return copy;
    case JSON_INTEGER:
        (void)snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value));
        return json_string(text);
    case JSON_REAL:
        (void)snprintf(text, sizeof text, "%g", json_real_value(value));
        return json_string(text);
    case JSON_TRUE:
        return json_string("true");
    case JSON_FALSE:
        return json_string("false");
    case JSON_STRING:
        return json_string(json_string_value(value));
    case JSON_NULL:
    default:
        return json_string("null");
    }
}

static void digest_password(const char *password, const char *salt, char out[HOST_NAME_SIZE])
{
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned len = 0;
    char text[512];
    (void)snprintf(text, sizeof text, "%s%s", password, salt);
    if (EVP_Digest(text, strlen(text), digest, &len, EVP_sha256(), NULL) != 1)
        abort();
    hs_hex_upper(digest, len, out);
}

void state_set_credentials(struct host *host, const char *username, const char *password)
{
    uint8_t bytes[SALT_LEN / 2];
    if (RAND_bytes(bytes, sizeof bytes) != 1)
        abort();
    (void)snprintf(host->username, sizeof host->username, "%s", username == NULL ? "" : username);
    hs_hex_upper(bytes, sizeof bytes, host->salt);
    digest_password(password == NULL ? "" : password, host->salt, host->password);
}

bool state_credentials_fit(const struct host *host, const char *username, const char *password)
{
    char digest[HOST_NAME_SIZE];
    digest_password(password, host->salt, digest);
    return strcasecmp(username, host->username) == 0 && strlen(digest) == strlen(host->password) &&
           CRYPTO_memcmp(digest, host->password, strlen(digest)) == 0;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text == NULL ? "" : text;
}

static void read_clients(struct host *host, const json_t *root)
{
    size_t index, at;
    json_t *row, *cert;
    json_array_foreach(json_object_get(root, "named_devices"), index, row)
        (void)clients_add(host, text_of(row, "name"), text_of(row, "cert"), text_of(row, "uuid"),
                          strcmp(text_of(row, "enabled"), "false") != 0);
    json_array_foreach(json_object_get(root, "devices"), index, row)
        json_array_foreach(json_object_get(row, "certs"), at, cert)
            (void)clients_add(host, "", json_string_value(cert), "", true);
}

static json_t *load(const char *path, bool *ret_exists)
{
    char *text = NULL;
    *ret_exists = access(path, F_OK) == 0;
    json_t *json = state_read_file(path, &text) ? json_loads(text, 0, NULL) : NULL;
    hc_free(text);
    return json;
}

bool state_read(struct host *host)
{
    char path[HOST_PATH_SIZE];
    bool exists, exists_too;
    host_path(host, "sunshine_state.json", path);
    json_t *json = load(path, &exists);
    json_t *credentials = host->credentials_path[0] == '\0' ? json_incref(json) : load(host->credentials_path, &exists_too);
    const json_t *root = json_object_get(json, "root");
    (void)snprintf(host->uniqueid, sizeof host->uniqueid, "%s", text_of(root, "uniqueid"));
    if (host->uniqueid[0] == '\0')
        host_uuid(host->uniqueid);
    (void)snprintf(host->username, sizeof host->username, "%s", text_of(credentials, "username"));
    (void)snprintf(host->salt, sizeof host->salt, "%s", text_of(credentials, "salt"));
    (void)snprintf(host->password, sizeof host->password, "%s", text_of(credentials, "password"));
    read_clients(host, root);
    json_decref(credentials);
    json_decref(json);
    if (exists && json == NULL)
        log_line("Error", "Couldn't read %s", path);
    return !exists;
}

static json_t *named_devices(const struct host *host)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < host->client_count; i++) {
        const struct client *client = &host->clients[i];
        json_t *row = json_pack("{s:s, s:s, s:s}", "name", client->name, "cert", client->pem, "uuid", client->uuid);
        if (host->version->enabled_flag)
            (void)json_object_set_new(row, "enabled", json_string(client->enabled ? "true" : "false"));
        (void)json_array_append_new(rows, row);
    }
    return rows;
}

/* The form of the releases before named clients: certificates without names. */
static json_t *old_devices(const struct host *host)
{
    json_t *certs = json_array();
    for (size_t i = 0; i < host->client_count; i++)
        (void)json_array_append_new(certs, json_string(host->clients[i].pem));
    return json_pack("[{s:s, s:o}]", "uniqueid", "0123456789ABCDEF", "certs", certs);
}

static void put_credentials(const struct host *host, json_t *json)
{
    if (host->username[0] == '\0')
        return;
    (void)json_object_set_new(json, "username", json_string(host->username));
    (void)json_object_set_new(json, "salt", json_string(host->salt));
    (void)json_object_set_new(json, "password", json_string(host->password));
}

static void dump(const char *path, json_t *json)
{
    json_t *as_text = state_as_text(json);
    char *text = json_dumps(as_text, DUMP_FLAGS);
    if (text == NULL || !state_write_file(path, text))
        log_line("Error", "Couldn't write %s", path);
    free(text);
    json_decref(as_text);
    json_decref(json);
}

void state_write(struct host *host)
{
    char path[HOST_PATH_SIZE];
    if (host_fault(host, FAULT_STATE_UNWRITABLE) != 0) {
        log_line("Error", "Couldn't write sunshine_state.json");
        return;
    }
    json_t *root = json_pack("{s:s}", "uniqueid", host->uniqueid), *json = json_object();
    if (host->version->channels)
        (void)json_object_set_new(root, "devices", old_devices(host));
    else
        (void)json_object_set_new(root, "named_devices", named_devices(host));
    (void)json_object_set_new(json, "root", root);
    if (host->credentials_path[0] == '\0') {
        put_credentials(host, json);
    } else if (host->username[0] != '\0') {
        json_t *credentials = json_object();
        put_credentials(host, credentials);
        dump(host->credentials_path, credentials);
    }
    host_path(host, "sunshine_state.json", path);
    dump(path, json);
}

void state_break(struct host *host)
{
    char path[HOST_PATH_SIZE];
    struct stat st;
    host_path(host, "sunshine_state.json", path);
    if (stat(path, &st) != 0 || truncate(path, st.st_size / 2) != 0)
        log_line("Error", "Couldn't break %s", path);
}
