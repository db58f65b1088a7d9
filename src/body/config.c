#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "hydra/codec/yaml.h"
#include "hydra/crypto/digest.h"
#include "hydra/gamestream/host.h"
#include "hydra/http/http.h"
#include "hydra/os/file.h"
#include "hydra/proto/body_status.h"
#include "hydra/sunshine/sunshine.h"

#define PATH_TEXT_MAX       4096
#define URL_MAX             1024
#define ADDRESS_MAX         253           /* bytes of a host name */
#define SECRET_MAX          1024          /* bytes of a file with one secret */
#define NETWORKS_MAX        64
#define MAINTENANCE_MAX     64
#define PORT_MAX            65535
#define REPORT_SECONDS      30            /* what the cluster itself asks of an idle body */
#define REPORT_SECONDS_MIN  1
#define REPORT_SECONDS_MAX  60            /* two in a row may be lost before bodyReportFresh, 90 s, is over */

struct slot_part {
    const char *address, *log_file, *username, *password_file;
    uint64_t present;
    uint32_t gamestream, gamestream_tls, web;
};
#define SLOT(member) offsetof(struct slot_part, member)
static const struct codec_field slot_rows[] = {
    { .key = "address",        .type = CODEC_TEXT, .offset = SLOT(address), .limit = ADDRESS_MAX },
    { .key = "gamestream",     .type = CODEC_U32,  .offset = SLOT(gamestream), .limit = PORT_MAX },
    { .key = "gamestream_tls", .type = CODEC_U32,  .offset = SLOT(gamestream_tls), .limit = PORT_MAX },
    { .key = "web",            .type = CODEC_U32,  .offset = SLOT(web), .limit = PORT_MAX },
    { .key = "log_file",       .type = CODEC_TEXT, .offset = SLOT(log_file), .limit = PATH_TEXT_MAX, .flags = CODEC_REQUIRED },
    { .key = "username",       .type = CODEC_TEXT, .offset = SLOT(username), .limit = HC_NAME_MAX, .flags = CODEC_REQUIRED },
    { .key = "password_file",  .type = CODEC_TEXT, .offset = SLOT(password_file), .limit = PATH_TEXT_MAX, .flags = CODEC_REQUIRED },
};
static const struct codec_table slot_table = CODEC_TABLE("slot", slot_rows, struct slot_part, SLOT(present));

struct file_part {
    uint64_t present;
    const char *server_url, *ca_file, *token_file, *state_dir, *listen, *local_token_file;
    char node_id[HC_ID_SIZE], gpu[HC_NAME_SIZE];
    bool insecure_http;
    uint32_t report_seconds, gpu_memory_total_mb;
    struct codec_list trusted_networks, experiences, xr_drivers, maintenance_clients, slots;
};
#define FILE_AT(member) offsetof(struct file_part, member)
static const struct codec_field file_rows[] = {
    { .key = "server_url",       .type = CODEC_TEXT, .offset = FILE_AT(server_url), .limit = URL_MAX, .flags = CODEC_REQUIRED },
    { .key = "ca_file",          .type = CODEC_TEXT, .offset = FILE_AT(ca_file), .limit = PATH_TEXT_MAX },
    { .key = "insecure_http",    .type = CODEC_BOOL, .offset = FILE_AT(insecure_http) },
    { .key = "token_file",       .type = CODEC_TEXT, .offset = FILE_AT(token_file), .limit = PATH_TEXT_MAX, .flags = CODEC_REQUIRED },
    { .key = "node_id",          .type = CODEC_ID,   .offset = FILE_AT(node_id), .flags = CODEC_REQUIRED },
    { .key = "state_dir",        .type = CODEC_TEXT, .offset = FILE_AT(state_dir), .limit = PATH_TEXT_MAX },
    { .key = "listen",           .type = CODEC_TEXT, .offset = FILE_AT(listen), .limit = ADDRESS_MAX },
    { .key = "local_token_file", .type = CODEC_TEXT, .offset = FILE_AT(local_token_file), .limit = PATH_TEXT_MAX },
    { .key = "trusted_networks", .type = CODEC_STRS, .offset = FILE_AT(trusted_networks), .limit = NETWORKS_MAX, .item_limit = 64 },
    { .key = "report_seconds",   .type = CODEC_U32,  .offset = FILE_AT(report_seconds), .limit = REPORT_SECONDS_MAX },
    { .key = "gpu",              .type = CODEC_NAME, .offset = FILE_AT(gpu) },
    { .key = "gpu_memory_total_mb", .type = CODEC_U32, .offset = FILE_AT(gpu_memory_total_mb), .limit = BODY_STATUS_MEMORY_MB_MAX },
    { .key = "installed_experiences", .type = CODEC_STRS, .offset = FILE_AT(experiences), .limit = BODY_STATUS_EXPERIENCES_MAX,
      .item_limit = HC_NAME_MAX },
    { .key = "xr_drivers",       .type = CODEC_STRS, .offset = FILE_AT(xr_drivers), .limit = BODY_STATUS_DRIVERS_MAX,
      .item_limit = BODY_STATUS_WORD_MAX },
    { .key = "maintenance_clients", .type = CODEC_STRS, .offset = FILE_AT(maintenance_clients), .limit = MAINTENANCE_MAX,
      .item_limit = HC_NAME_MAX },
    { .key = "slots",            .type = CODEC_LIST, .offset = FILE_AT(slots), .limit = DIRECTIVE_SLOTS_MAX, .sub = &slot_table,
      .flags = CODEC_REQUIRED },
};
static const struct codec_table file_table = CODEC_TABLE("hydrabody.yaml", file_rows, struct file_part, FILE_AT(present));

/* What is being read: the file's name and its tree, for messages with a place. */
struct reading { struct body_config *config; const struct yaml_node *root; struct file_part part; struct hc_diag *diag; };

static enum hc_err no_memory(const struct reading *r)
{
    return hc_fail(r->diag, HC_ERR_NOMEM, "%s: out of memory", r->config->file);
}

static enum hc_err refuse(const struct reading *r, const char *key, const char *what)
{
    const struct yaml_node *at = yaml_get(r->root, key);
    return yaml_fail(r->diag, r->config->file, at == NULL ? r->root : at, key, "%s", what);
}

/* ---- secrets ---- */

/* "token" is CREDENTIALS_DIRECTORY/token under the service manager, else FOLDER-OF-THE-CONFIGURATION/token. */
static const char *secret_path(struct body_config *c, const char *name)
{
    if (name[0] == '/')
        return name;
    const char *folder = getenv("CREDENTIALS_DIRECTORY"), *slash = strrchr(c->file, '/');
    if (folder != NULL && folder[0] == '/')
        return hc_arena_printf(&c->arena, "%s/%s", folder, name);
    return slash == NULL ? name : hc_arena_printf(&c->arena, "%.*s/%s", (int)(slash - c->file), c->file, name);
}

static enum hc_err read_secret(struct reading *r, const struct yaml_node *at, const char *key, const char *name, const char **ret_path,
                               const char **ret_secret)
{
    struct body_config *c = r->config;
    char *text = NULL;
    size_t len = 0;
    const char *path = secret_path(c, name);
    struct hc_diag why = { "" };
    if (path == NULL)
        return no_memory(r);
    enum hc_err err = os_secret_read(path, SECRET_MAX, &text, &len, &why);
    if (err != HC_OK)
        return yaml_fail(r->diag, c->file, at, key, "%s", err == HC_ERR_NOTFOUND ? "there is no such file" : why.text);
    while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r'))
        text[--len] = '\0';
    bool line = len > 0 && strlen(text) == len && strpbrk(text, "\r\n") == NULL && hc_utf8_ok(text, len);
    char *kept = line ? hc_arena_strndup(&c->arena, text, len) : NULL;
    crypto_wipe(text, len);
    hc_free(text);
    if (!line)
        return yaml_fail(r->diag, c->file, at, key, "%s must hold one line, the secret, and nothing else", path);
    if (kept == NULL)
        return no_memory(r);
    *ret_path = path;
    *ret_secret = kept;
    return HC_OK;
}

/* ---- single values ---- */

static bool loopback_name(const char *host)
{
    return strcmp(host, "localhost") == 0 || strcmp(host, "::1") == 0 || strncmp(host, "127.", 4) == 0;
}

/* The host of a URL without brackets and port; empty: it has none. */
static void host_of(const char *authority, char *host, size_t size)
{
    bool brackets = authority[0] == '[';
    size_t len = brackets ? strcspn(authority + 1, "]") : strcspn(authority, ":/");
    host[0] = '\0';
    if (len < size) {
        memcpy(host, authority + brackets, len);
        host[len] = '\0';
    }
}

static enum hc_err take_server(struct reading *r)
{
    const char *url = r->part.server_url;
    bool plain = strncasecmp(url, "http://", 7) == 0;
    char host[ADDRESS_MAX + 1];
    if (!plain && strncasecmp(url, "https://", 8) != 0)
        return refuse(r, "server_url", "must be https://HOST[:PORT] or http://HOST[:PORT]");
    host_of(url + (plain ? 7 : 8), host, sizeof host);
    if (host[0] == '\0' || strpbrk(url, "?#@ ") != NULL)
        return refuse(r, "server_url", "must be https://HOST[:PORT] or http://HOST[:PORT], perhaps with a path");
    if (plain && !loopback_name(host) && !r->part.insecure_http)
        return refuse(r, "server_url", "is plain HTTP to another machine, which shows the token to the network: use https, or say "
                                       "insecure_http: true");
    r->config->server_url = url;
    r->config->ca_file = r->part.ca_file;
    r->config->insecure_http = r->part.insecure_http;
    return HC_OK;
}

/* ADDRESS:PORT, an IPv6 address in brackets. */
static enum hc_err take_listen(struct reading *r)
{
    struct body_config *c = r->config;
    const char *text = r->part.listen, *colon = text == NULL ? NULL : strrchr(text, ':');
    c->address = "127.0.0.1";
    c->port = BODY_PORT;
    if (text == NULL)
        return HC_OK;
    static const char says[] = "must be ADDRESS:PORT, for example 127.0.0.1:47991 or 0.0.0.0:47991";
    if (colon == NULL || colon[1] < '0' || colon[1] > '9')
        return refuse(r, "listen", says);
    char *end = NULL;
    unsigned long port = strtoul(colon + 1, &end, 10);
    size_t len = (size_t)(colon - text);
    bool brackets = len > 2 && text[0] == '[' && text[len - 1] == ']';
    char *address = hc_arena_strndup(&c->arena, text + brackets, brackets ? len - 2 : len);
    if (address == NULL)
        return no_memory(r);
    if (port > PORT_MAX || *end != '\0' || !http_address_ok(address))
        return refuse(r, "listen", says);
    c->address = address;
    c->port = (uint16_t)port;
    return HC_OK;
}

static enum hc_err take_networks(struct reading *r)
{
    static const char *const usual[] = { "10.10.0.0/16" };
    struct body_config *c = r->config;
    bool said = codec_has(&file_table, &r->part, "trusted_networks");
    const char *const *texts = said ? r->part.trusted_networks.items : usual;
    size_t count = said ? r->part.trusted_networks.count : 1;
    c->networks = hc_arena_array(&c->arena, count + 1, sizeof c->networks[0]);
    if (c->networks == NULL)
        return no_memory(r);
    for (size_t i = 0; i < count; i++)
        if (!network_parse(texts[i], &c->networks[c->network_count++]))
            return yaml_fail(r->diag, c->file, yaml_get(r->root, "trusted_networks")->items[i], "trusted_networks",
                             "must be a network such as 10.10.0.0/16, with nothing set behind its bits, or an address");
    return HC_OK;
}

static enum hc_err take_texts(struct reading *r)
{
    struct body_config *c = r->config;
    const struct file_part *part = &r->part;
    c->node_id = hc_arena_strdup(&c->arena, part->node_id);
    c->gpu = hc_arena_strdup(&c->arena, part->gpu);
    if (c->node_id == NULL || c->gpu == NULL)
        return no_memory(r);
    c->state_dir = part->state_dir == NULL ? "/var/lib/hydrabody" : part->state_dir;
    if (c->state_dir[0] != '/')
        return refuse(r, "state_dir", "must begin with /: a service has no folder of its own to start from");
    c->gpu_memory_total_mb = part->gpu_memory_total_mb;
    c->experiences = part->experiences;
    c->xr_drivers = part->xr_drivers;
    c->maintenance_clients = part->maintenance_clients;
    uint32_t seconds = codec_has(&file_table, part, "report_seconds") ? part->report_seconds : REPORT_SECONDS;
    if (seconds < REPORT_SECONDS_MIN)
        return refuse(r, "report_seconds", "must be at least 1");
    c->report_ms = (int64_t)seconds * 1000;
    return HC_OK;
}

/* ---- slots ---- */

static uint16_t port_or(const struct slot_part *part, const char *key, uint32_t value, uint16_t usual)
{
    return codec_has(&slot_table, part, key) ? (uint16_t)value : usual;
}

static enum hc_err take_slot(struct reading *r, const struct yaml_node *node, const struct slot_part *part, struct slot_config *slot)
{
    const char *file = r->config->file;
    slot->address = part->address == NULL ? "127.0.0.1" : part->address;
    slot->gamestream = port_or(part, "gamestream", part->gamestream, GS_PORT_HTTP);
    slot->gamestream_tls = port_or(part, "gamestream_tls", part->gamestream_tls, GS_PORT_HTTPS);
    slot->web = port_or(part, "web", part->web, SUNSHINE_PORT);
    slot->log_file = part->log_file;
    slot->username = part->username;
    if (slot->gamestream == 0 || slot->gamestream_tls == 0 || slot->web == 0)
        return yaml_fail(r->diag, file, node, "slots", "a port of Sunshine is 1 to %d", PORT_MAX);
    if (slot->log_file[0] != '/')
        return yaml_fail(r->diag, file, yaml_get(node, "log_file"), "log_file", "must begin with /");
    return read_secret(r, yaml_get(node, "password_file"), "password_file", part->password_file, &slot->password_file, &slot->password);
}

static bool same_host(const struct slot_config *a, const struct slot_config *b)
{
    return strcmp(a->address, b->address) == 0 && (a->gamestream == b->gamestream || a->gamestream_tls == b->gamestream_tls ||
                                                    a->web == b->web);
}

static enum hc_err take_slots(struct reading *r)
{
    struct body_config *c = r->config;
    const struct slot_part *parts = r->part.slots.items;
    const struct yaml_node *list = yaml_get(r->root, "slots");
    c->slots = hc_arena_array(&c->arena, r->part.slots.count + 1, sizeof c->slots[0]);
    if (c->slots == NULL)
        return no_memory(r);
    if (r->part.slots.count == 0)
        return refuse(r, "slots", "must name at least one Sunshine");
    for (size_t i = 0; i < r->part.slots.count; i++) {
        enum hc_err err = take_slot(r, list->items[i], &parts[i], &c->slots[i]);
        if (err != HC_OK)
            return err;
        c->slot_count++;
        for (size_t k = 0; k < i; k++)
            if (same_host(&c->slots[i], &c->slots[k]))
                return yaml_fail(r->diag, c->file, list->items[i], "slots",
                                 "slot %zu has a port of slot %zu: each slot is a Sunshine of its own", i, k);
    }
    return HC_OK;
}

static enum hc_err take_secrets(struct reading *r)
{
    struct body_config *c = r->config;
    enum hc_err err = read_secret(r, yaml_get(r->root, "token_file"), "token_file", r->part.token_file, &c->token_file, &c->token);
    c->local_token = "";
    if (err == HC_OK && r->part.local_token_file != NULL)
        err = read_secret(r, yaml_get(r->root, "local_token_file"), "local_token_file", r->part.local_token_file, &c->local_token_file,
                          &c->local_token);
    return err;
}

static enum hc_err read_file(const char *path, struct reading *r)
{
    struct body_config *c = r->config;
    char *text = NULL;
    size_t len = 0;
    struct yaml_node *root = NULL;
    enum hc_err err = os_file_read(AT_FDCWD, path, BODY_CONFIG_BYTES_MAX, &text, &len, NULL, r->diag);
    if (err == HC_ERR_NOTFOUND)
        return hc_fail(r->diag, HC_ERR_CONFIG, "%s: there is no such configuration file; name one with --config", path);
    char *kept = err == HC_OK ? hc_arena_strndup(&c->arena, text, len) : NULL;
    hc_free(text);
    if (err != HC_OK)
        return err;
    c->file = hc_arena_strdup(&c->arena, path);
    if (c->file == NULL || kept == NULL)
        return hc_fail(r->diag, HC_ERR_NOMEM, "%s: out of memory", path);
    err = yaml_parse(c->file, kept, len, &c->arena, &root, r->diag);
    if (err != HC_OK)
        return err;
    r->root = root;
    return root->kind != YAML_MAP ? yaml_fail(r->diag, path, root, "", "must be a map of keys")
                                  : yaml_read(&file_table, c->file, root, &c->arena, &r->part, r->diag);
}

enum hc_err body_config_load(const char *path, struct body_config *ret, struct hc_diag *diag)
{
    *ret = (struct body_config){ 0 };
    struct reading r = { .config = ret, .diag = diag };
    static enum hc_err (*const takers[])(struct reading *) = { take_server, take_listen, take_networks, take_texts, take_secrets,
                                                               take_slots };
    enum hc_err err = read_file(path, &r);
    for (size_t i = 0; i < sizeof takers / sizeof takers[0] && err == HC_OK; i++)
        err = takers[i](&r);
    return err;
}

static void wipe(const char *secret)
{
    if (secret != NULL && secret[0] != '\0')
        crypto_wipe((void *)(uintptr_t)secret, strlen(secret));      /* our own copy, in the arena */
}

void body_config_free(struct body_config *config)
{
    wipe(config->token);
    wipe(config->local_token);
    for (size_t i = 0; i < config->slot_count; i++)
        wipe(config->slots[i].password);
    hc_arena_free(&config->arena);
    *config = (struct body_config){ 0 };
}
