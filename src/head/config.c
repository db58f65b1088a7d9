#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "hydra/base/id.h"
#include "hydra/base/time.h"
#include "hydra/codec/yaml.h"
#include "hydra/os/file.h"

#define TEXT_MAX         4096
#define GRACE_MAX_MS     ((uint64_t)30 * 1000)
#define PLAYS_MAX_MS     ((uint64_t)120 * 1000)
#define PORT_MAX         65535UL
#define COMMAND_USUAL    "moonlight stream {host}:{port} {app}"

static const char *const network_texts[] = { "lan", "wireguard" };
static const struct hc_words network_words = { network_texts, 2 };
static const char *const accept_texts[] = { "ask", "auto" };
static const struct hc_words accept_words = { accept_texts, 2 };

struct file_part {
    uint64_t present;
    const char *server_url, *ca_file, *token_file, *node_id, *state_dir, *listen, *command, *moonlight_settings, *experience, *district,
        *venue;
    bool insecure_http;
    enum head_network network;
    enum head_accept accept;
    int64_t plays_after_ms, stop_grace_ms;
};
#define ROW(key_, type_, member_, limit_) { .key = key_, .type = type_, .offset = offsetof(struct file_part, member_), .limit = limit_ }
#define WORD(key_, member_, words_) { .key = key_, .type = CODEC_WORD, .offset = offsetof(struct file_part, member_), .words = &words_ }
static const struct codec_field rows[] = {
    ROW("server_url", CODEC_TEXT, server_url, TEXT_MAX),
    ROW("ca_file", CODEC_TEXT, ca_file, TEXT_MAX),
    ROW("insecure_http", CODEC_BOOL, insecure_http, 0),
    ROW("token_file", CODEC_TEXT, token_file, TEXT_MAX),
    ROW("node_id", CODEC_TEXT, node_id, HC_ID_MAX),
    ROW("state_dir", CODEC_TEXT, state_dir, TEXT_MAX),
    ROW("listen", CODEC_TEXT, listen, TEXT_MAX),
    WORD("network", network, network_words),
    ROW("command", CODEC_TEXT, command, COMMAND_BYTES_MAX),
    ROW("moonlight_settings", CODEC_TEXT, moonlight_settings, TEXT_MAX),
    WORD("accept", accept, accept_words),
    ROW("experience", CODEC_TEXT, experience, HC_NAME_MAX),
    ROW("district", CODEC_TEXT, district, HC_NAME_MAX),
    ROW("venue", CODEC_TEXT, venue, HC_NAME_MAX),
    ROW("plays_after", CODEC_DURATION, plays_after_ms, PLAYS_MAX_MS),
    ROW("stop_grace", CODEC_DURATION, stop_grace_ms, GRACE_MAX_MS),
};
static const struct codec_table table = CODEC_TABLE("hydrahead.yaml", rows, struct file_part, offsetof(struct file_part, present));

static void set_usual(struct head_config *c)
{
    c->state_dir = "/var/lib/hydrahead";
    c->listen = "127.0.0.1:9740";
    c->command = COMMAND_USUAL;
    c->experience = c->district = c->venue = "";
    c->plays_after_ms = 10 * HC_SECOND_MS;
    c->stop_grace_ms = 5 * HC_SECOND_MS;
}

/* ---- single values ---- */

/* ADDRESS:PORT of this machine alone. */
static bool listen_ok(const char *text)
{
    static const char *const loopback[] = { "127.0.0.1:", "[::1]:", "localhost:" };
    for (size_t i = 0; i < sizeof loopback / sizeof loopback[0]; i++) {
        const char *port = text + strlen(loopback[i]);
        if (strncmp(text, loopback[i], strlen(loopback[i])) != 0)
            continue;
        char *end = NULL;
        unsigned long number = *port < '0' || *port > '9' ? PORT_MAX + 1 : strtoul(port, &end, 10);
        return number <= PORT_MAX && *end == '\0';
    }
    return false;
}

static bool url_ok(const char *text)
{
    static const char *const schemes[] = { "https://", "http://" };
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        if (strncmp(text, schemes[i], strlen(schemes[i])) != 0)
            continue;
        const char *host = text + strlen(schemes[i]);
        for (const char *c = host; *c != '\0'; c++)
            if ((unsigned char)*c <= ' ' || (unsigned char)*c >= 0x7f || *c == '?' || *c == '#' || *c == '@')
                return false;
        return *host != '\0' && *host != '/' && *host != ':';
    }
    return false;
}

static bool is_said(const char *text) { return text[0] != '\0'; }
static bool is_path(const char *text) { return text[0] == '/'; }
static bool name_or_nothing(const char *text) { return text[0] == '\0' || hc_name_ok(text); }

struct value_row { const char *key; bool (*ok)(const char *text); const char *says; };
static const struct value_row value_rows[] = {
    { "server_url", url_ok, "must be https://HOST[:PORT] or http://HOST[:PORT], perhaps with a path" },
    { "ca_file", is_said, "must name a file" },
    { "token_file", is_said, "must name a file" },
    { "node_id", hc_id_ok, "must be the id that the enrolment gave, for example node-1a2b3c4d" },
    { "state_dir", is_said, "must name a folder" },
    { "listen", listen_ok, "must be 127.0.0.1:PORT, [::1]:PORT or localhost:PORT: the local API is for this machine only" },
    { "moonlight_settings", is_path, "must be the whole path of Moonlight's settings file" },
    { "experience", name_or_nothing, "must be a name of 1 to 128 bytes without control characters" },
    { "district", name_or_nothing, "must be a name of 1 to 128 bytes without control characters" },
    { "venue", name_or_nothing, "must be a name of 1 to 128 bytes without control characters" },
};

static enum hc_err check_values(const char *file, const struct yaml_node *root, struct hc_diag *diag)
{
    for (size_t i = 0; i < sizeof value_rows / sizeof value_rows[0]; i++) {
        const struct yaml_node *node = yaml_get(root, value_rows[i].key);
        if (node != NULL && !yaml_is_null(node) && node->kind == YAML_SCALAR && !value_rows[i].ok(node->scalar))
            return yaml_fail(diag, file, node, value_rows[i].key, "%s", value_rows[i].says);
    }
    return HC_OK;
}

static bool is_loopback_url(const char *url)
{
    static const char *const hosts[] = { "http://127.", "http://localhost", "http://[::1]" };
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++)
        if (strncmp(url, hosts[i], strlen(hosts[i])) == 0)
            return true;
    return false;
}

/* ---- the whole ---- */

static enum hc_err take_listen(struct head_config *c, struct hc_diag *diag)
{
    const char *colon = strrchr(c->listen, ':');
    bool v6 = c->listen[0] == '[';
    c->port = (uint16_t)strtoul(colon + 1, NULL, 10);
    c->address = v6 ? hc_arena_strdup(&c->arena, "::1") : hc_arena_strdup(&c->arena, "127.0.0.1");
    return c->address == NULL ? hc_fail(diag, HC_ERR_NOMEM, "out of memory") : HC_OK;
}

static enum hc_err take_command(struct head_config *c, const struct yaml_node *root, struct hc_diag *diag)
{
    struct hc_diag why = { "" };
    const struct yaml_node *node = yaml_get(root, "command");
    enum hc_err err = command_split(c->command, &c->arena, &c->words, &why);
    if (err == HC_OK)
        return HC_OK;
    (void)yaml_fail(diag, c->file, node == NULL ? root : node, "command", "%s", why.text);
    return err;
}

/* What belongs together. */
static enum hc_err check(struct head_config *c, const struct yaml_node *root, struct hc_diag *diag)
{
    const struct yaml_node *url = yaml_get(root, "server_url");
    if (c->server_url == NULL)
        return yaml_fail(diag, c->file, root, "server_url", "is missing: where hydraclusterd answers, for example https://cluster.example");
    if (c->node_id == NULL)
        return yaml_fail(diag, c->file, root, "node_id", "is missing: the id that the enrolment gave, for example node-1a2b3c4d");
    if (strncmp(c->server_url, "http://", 7) == 0 && !is_loopback_url(c->server_url) && !c->insecure_http)
        return yaml_fail(diag, c->file, url, "server_url", "is plain HTTP to another machine: the token would be readable on the way; use "
                         "https://, or say insecure_http: true");
    enum hc_err err = take_listen(c, diag);
    return err == HC_OK ? take_command(c, root, diag) : err;
}

/* Without the key: what the service manager has loaded as `token`, else the usual file. */
static enum hc_err usual_token_file(struct head_config *c, struct hc_diag *diag)
{
    const char *credentials = getenv("CREDENTIALS_DIRECTORY");
    c->token_file = credentials == NULL || credentials[0] == '\0' ? HEAD_TOKEN_FILE : hc_arena_printf(&c->arena, "%s/token", credentials);
    return c->token_file == NULL ? hc_fail(diag, HC_ERR_NOMEM, "out of memory") : HC_OK;
}

#define TAKE(key_, member_) \
    do { if (codec_has(&table, part, key_)) c->member_ = part->member_; } while (0)
static void take(struct head_config *c, const struct file_part *part)
{
    TAKE("server_url", server_url);
    TAKE("ca_file", ca_file);
    TAKE("insecure_http", insecure_http);
    TAKE("token_file", token_file);
    TAKE("node_id", node_id);
    TAKE("state_dir", state_dir);
    TAKE("listen", listen);
    TAKE("network", network);
    TAKE("command", command);
    TAKE("moonlight_settings", moonlight_settings);
    TAKE("accept", accept);
    TAKE("experience", experience);
    TAKE("district", district);
    TAKE("venue", venue);
    TAKE("plays_after", plays_after_ms);
    TAKE("stop_grace", stop_grace_ms);
}

static enum hc_err read_tree(struct head_config *c, struct yaml_node **ret_root, struct hc_diag *diag)
{
    char *text = NULL;
    size_t len = 0;
    enum hc_err err = os_file_read(AT_FDCWD, c->file, HEAD_CONFIG_BYTES, &text, &len, NULL, diag);
    if (err != HC_OK)
        return err == HC_ERR_NOTFOUND ? hc_fail(diag, HC_ERR_CONFIG, "%.300s: no such configuration file; --config names another", c->file)
                                      : err;
    char *kept = hc_arena_strndup(&c->arena, text, len);
    hc_free(text);
    if (kept == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "out of memory");
    err = yaml_parse(c->file, kept, len, &c->arena, ret_root, diag);
    if (err == HC_OK && (*ret_root)->kind != YAML_MAP)
        err = yaml_fail(diag, c->file, *ret_root, "", "must be a map of keys");
    return err;
}

enum hc_err head_config_load(const char *path, struct head_config *ret, struct hc_diag *diag)
{
    *ret = (struct head_config){ 0 };
    set_usual(ret);
    ret->file = hc_arena_strdup(&ret->arena, path == NULL ? HEAD_CONFIG_FILE : path);
    if (ret->file == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "out of memory");
    struct yaml_node *root = NULL;
    struct file_part part;
    enum hc_err err = read_tree(ret, &root, diag);
    if (err == HC_OK)
        err = yaml_read(&table, ret->file, root, &ret->arena, &part, diag);
    if (err == HC_OK)
        err = check_values(ret->file, root, diag);
    if (err != HC_OK)
        return err;
    take(ret, &part);
    if (ret->token_file == NULL && (err = usual_token_file(ret, diag)) != HC_OK)
        return err;
    return check(ret, root, diag);
}

void head_config_free(struct head_config *config)
{
    hc_arena_free(&config->arena);
}

enum hc_err head_token_load(const struct head_config *config, char ret_token[HEAD_NODE_TOKEN + 1], struct hc_diag *diag)
{
    char *text = NULL;
    size_t len = 0;
    struct hc_diag why = { "" };
    enum hc_err err = os_secret_read(config->token_file, HEAD_NODE_TOKEN + 2, &text, &len, &why);
    if (err == HC_ERR_CONFIG)
        return hc_fail(diag, err, "token_file: %s", why.text);
    if (err != HC_OK)
        return hc_fail(diag, HC_ERR_CONFIG, "token_file: %.200s cannot be read (%s): put the token of the enrolment there, mode 0600",
                       config->token_file, hc_err_text(err));
    size_t end = strcspn(text, "\r\n");
    bool ok = end > 0 && end <= HEAD_NODE_TOKEN && strspn(text + end, "\r\n") == len - end;
    for (size_t i = 0; ok && i < end; i++)
        ok = text[i] > ' ' && text[i] < 0x7f;
    if (ok) {
        text[end] = '\0';
        hc_copy(ret_token, HEAD_NODE_TOKEN + 1, text);
    } else {
        err = hc_fail(diag, HC_ERR_CONFIG, "token_file: %.200s must hold one line, the token of the enrolment", config->token_file);
    }
    explicit_bzero(text, len);
    hc_free(text);
    return err;
}
