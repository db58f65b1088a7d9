#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "hydra/codec/yaml.h"
#include "hydra/feed/feed.h"
#include "hydra/journal/journal.h"
#include "config_values.h"
#include "hydra/os/file.h"

#define PATH_TEXT_MAX      4096
#define PROXIES_MAX        64
#define DISTRICTS_MAX      256
#define PASSWORD_MAX       256
#define CONNECTIONS_MAX    65536
#define HEADER_BYTES_MAX   7168      /* the library's pool of 8 KiB holds no more */
#define FILES_BYTES_MAX    ((uint64_t)1024 * 1024 * 1024 * 1024)
#define SEGMENT_BYTES_MIN  ((uint64_t)1024 * 1024)
#define IDLE_SECONDS_MIN   30        /* above the slowest poll: 25 s */

static const char *const approve_texts[] = { "auto", "manual" };
static const struct hc_words approve_words = { approve_texts, 2 };

struct enrollment { enum approve_mode approve; };
struct metrics_part { bool open_on_loopback; };
struct events_part { uint32_t keep; };
struct queue_part { uint32_t max_tickets; };
struct sessions_part { struct file_bounds bounds; };
struct journal_part { bool enabled; struct file_bounds bounds; };
struct limits_part { uint32_t connections, per_address, header_bytes, idle_seconds; };
struct file_part {
    uint64_t present;
    const char *data_dir, *listen, *tls_cert, *tls_key, *timers_file, *district, *server_url;
    bool insecure_http;
    struct enrollment enrollment;
    struct metrics_part metrics;
    struct events_part events;
    struct queue_part queue;
    struct sessions_part sessions;
    struct journal_part journal;
    struct codec_list trusted_proxies;
    struct limits_part limits;
};

#define FIELD(type_, struct_, member, key_, limit_) { .key = key_, .type = type_, .offset = offsetof(struct struct_, member), \
    .limit = limit_ }
static const struct codec_field enrollment_fields[] = {
    { .key = "approve", .type = CODEC_WORD, .offset = offsetof(struct enrollment, approve), .words = &approve_words },
};
static const struct codec_field metrics_fields[] = { FIELD(CODEC_BOOL, metrics_part, open_on_loopback, "open_on_loopback", 0) };
static const struct codec_field events_fields[] = { FIELD(CODEC_U32, events_part, keep, "keep", 1000000) };
static const struct codec_field queue_fields[] = { FIELD(CODEC_U32, queue_part, max_tickets, "max_tickets", 100000) };
static const struct codec_field sessions_fields[] = {
    FIELD(CODEC_U64, sessions_part, bounds.segment_bytes, "segment_bytes", FILES_BYTES_MAX),
    FIELD(CODEC_U64, sessions_part, bounds.keep_bytes, "keep_bytes", FILES_BYTES_MAX),
};
static const struct codec_field journal_fields[] = {
    FIELD(CODEC_BOOL, journal_part, enabled, "enabled", 0),
    FIELD(CODEC_U64, journal_part, bounds.segment_bytes, "segment_bytes", FILES_BYTES_MAX),
    FIELD(CODEC_U64, journal_part, bounds.keep_bytes, "keep_bytes", FILES_BYTES_MAX),
};
static const struct codec_field limits_fields[] = {
    FIELD(CODEC_U32, limits_part, connections, "connections", CONNECTIONS_MAX),
    FIELD(CODEC_U32, limits_part, per_address, "per_address", CONNECTIONS_MAX),
    FIELD(CODEC_U32, limits_part, header_bytes, "header_bytes", HEADER_BYTES_MAX),
    FIELD(CODEC_U32, limits_part, idle_seconds, "idle_seconds", 3600),
};
static const struct codec_table enrollment_table = CODEC_TABLE("enrollment", enrollment_fields, struct enrollment, CODEC_NO_PRESENT);
static const struct codec_table metrics_table = CODEC_TABLE("metrics", metrics_fields, struct metrics_part, CODEC_NO_PRESENT);
static const struct codec_table events_table = CODEC_TABLE("events", events_fields, struct events_part, CODEC_NO_PRESENT);
static const struct codec_table queue_table = CODEC_TABLE("queue", queue_fields, struct queue_part, CODEC_NO_PRESENT);
static const struct codec_table sessions_table = CODEC_TABLE("sessions", sessions_fields, struct sessions_part, CODEC_NO_PRESENT);
static const struct codec_table journal_table = CODEC_TABLE("journal", journal_fields, struct journal_part, CODEC_NO_PRESENT);
static const struct codec_table limits_table = CODEC_TABLE("limits", limits_fields, struct limits_part, CODEC_NO_PRESENT);

static const struct codec_field file_fields[] = {
    FIELD(CODEC_TEXT, file_part, data_dir, "data_dir", PATH_TEXT_MAX),
    FIELD(CODEC_TEXT, file_part, listen, "listen", PATH_TEXT_MAX),
    FIELD(CODEC_TEXT, file_part, tls_cert, "tls_cert", PATH_TEXT_MAX),
    FIELD(CODEC_TEXT, file_part, tls_key, "tls_key", PATH_TEXT_MAX),
    FIELD(CODEC_BOOL, file_part, insecure_http, "insecure_http", 0),
    FIELD(CODEC_TEXT, file_part, timers_file, "timers_file", PATH_TEXT_MAX),
    FIELD(CODEC_TEXT, file_part, district, "district", HC_NAME_MAX),
    FIELD(CODEC_TEXT, file_part, server_url, "server_url", PATH_TEXT_MAX),
    { .key = "enrollment", .type = CODEC_OBJECT, .offset = offsetof(struct file_part, enrollment), .sub = &enrollment_table },
    { .key = "metrics", .type = CODEC_OBJECT, .offset = offsetof(struct file_part, metrics), .sub = &metrics_table },
    { .key = "events", .type = CODEC_OBJECT, .offset = offsetof(struct file_part, events), .sub = &events_table },
    { .key = "queue", .type = CODEC_OBJECT, .offset = offsetof(struct file_part, queue), .sub = &queue_table },
    { .key = "sessions", .type = CODEC_OBJECT, .offset = offsetof(struct file_part, sessions), .sub = &sessions_table },
    { .key = "journal", .type = CODEC_OBJECT, .offset = offsetof(struct file_part, journal), .sub = &journal_table },
    { .key = "trusted_proxies", .type = CODEC_STRS, .offset = offsetof(struct file_part, trusted_proxies), .limit = PROXIES_MAX,
        .item_limit = 64 },
    { .key = "limits", .type = CODEC_OBJECT, .offset = offsetof(struct file_part, limits), .sub = &limits_table },
};
static const struct codec_table file_table = CODEC_TABLE("hydraclusterd.yaml", file_fields, struct file_part, offsetof(struct file_part,
    present));

struct sunshine_part { const char *username, *password_file; };
static const struct codec_field sunshine_fields[] = {
    { .key = "username", .type = CODEC_TEXT, .offset = offsetof(struct sunshine_part, username), .limit = HC_NAME_MAX,
        .flags = CODEC_REQUIRED },
    { .key = "password_file", .type = CODEC_TEXT, .offset = offsetof(struct sunshine_part, password_file), .limit = PATH_TEXT_MAX,
      .flags = CODEC_REQUIRED },
};
static const struct codec_table sunshine_table = CODEC_TABLE("sunshine", sunshine_fields, struct sunshine_part, CODEC_NO_PRESENT);

static void set_defaults(struct daemon_config *c)
{
    c->data_dir = "/var/lib/hydracluster";
    c->listen = "127.0.0.1:8080";
    c->district = "default";
    c->metrics_open_on_loopback = true;
    c->keep_events = 10000;
    c->queue_max_tickets = QUEUE_TICKETS_DEFAULT;
    c->limits = (struct http_limits){ .connections = 8192, .per_address = 256, .header_bytes = 7168, .idle_seconds = 75,
        .first_request_seconds = 10 };
    c->journal = true;
    c->journal_files = (struct file_bounds){ JOURNAL_SEGMENT_BYTES, JOURNAL_KEEP_BYTES };
    c->session_files = (struct file_bounds){ SESSIONS_SEGMENT_BYTES, SESSIONS_KEEP_BYTES };
    timers_default(&c->timers);
}

/* Reads a file whole into the arena. */
static enum hc_err read_text(struct hc_arena *arena, const char *path, size_t limit, char **ret_text, size_t *ret_len, struct hc_diag *diag)
{
    char *text = NULL;
    enum hc_err err = os_file_read(AT_FDCWD, path, limit, &text, ret_len, NULL, diag);
    if (err != HC_OK)
        return err;
    *ret_text = hc_arena_strndup(arena, text, *ret_len);
    hc_free(text);
    return *ret_text == NULL ? hc_fail(diag, HC_ERR_NOMEM, "%s: out of memory", path) : HC_OK;
}

/* A relative name in the file: "secrets/key.pem" is the service manager's credential secrets_key.pem (the unit loads the folder), without a
 * service manager the file beside the configuration. NULL: no memory. */
static const char *secret_path(struct daemon_config *c, const char *name)
{
    if (name == NULL || name[0] == '/' || name[0] == '\0')
        return name;
    const char *folder = getenv("CREDENTIALS_DIRECTORY"), *slash = strrchr(c->file, '/');
    if (folder == NULL || folder[0] != '/')
        return slash == NULL ? name : hc_arena_printf(&c->arena, "%.*s/%s", (int)(slash - c->file), c->file, name);
    char *id = hc_arena_strndup(&c->arena, name, strlen(name));
    for (char *at = id; at != NULL && (at = strchr(at, '/')) != NULL; at++)
        *at = '_';                          /* as systemd names what it finds in a folder */
    return id == NULL ? NULL : hc_arena_printf(&c->arena, "%s/%s", folder, id);
}

static enum hc_err take_password(struct daemon_config *c, const struct sunshine_part *part, struct api_sunshine *ret, struct hc_diag *diag)
{
    char *text = NULL;
    size_t len = 0;
    const char *path = secret_path(c, part->password_file);
    if (path == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "%s: out of memory", c->file);
    enum hc_err err = read_text(&c->arena, path, PASSWORD_MAX, &text, &len, diag);
    if (err != HC_OK)
        return err;
    while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r'))
        text[--len] = '\0';
    if (len == 0 || strlen(text) != len || !hc_name_ok(text))
        return hc_fail(diag, HC_ERR_CONFIG, "%s: must hold one line, the password of Sunshine's web page", path);
    ret->username = part->username;
    ret->password = text;
    return HC_OK;
}

static enum hc_err take_sunshine(struct daemon_config *c, const struct yaml_node *map, struct hc_diag *diag)
{
    if (yaml_is_null(map))
        return HC_OK;
    if (map->kind != YAML_MAP || map->count > DISTRICTS_MAX)
        return yaml_fail(diag, c->file, map, "sunshine", "must be a map of at most %d districts", DISTRICTS_MAX);
    c->sunshine = hc_arena_array(&c->arena, map->count, sizeof *c->sunshine);
    if (c->sunshine == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "%s: out of memory", c->file);
    for (size_t i = 0; i < map->count; i++) {
        const struct yaml_pair *pair = &map->pairs[i];
        struct sunshine_part part;
        if (!hc_name_ok(pair->key) || pair->value->kind != YAML_MAP)
            return yaml_fail(diag, c->file, pair->value, pair->key, "must be a district with username and password_file");
        enum hc_err err = yaml_read(&sunshine_table, c->file, pair->value, &c->arena, &part, diag);
        if (err == HC_OK)
            err = take_password(c, &part, &c->sunshine[i], diag);
        if (err != HC_OK)
            return err;
        c->sunshine[i].district = pair->key;
        c->sunshine_count++;
    }
    return HC_OK;
}

#define TAKE(key, member, value)                          \
    do {                                                  \
        if (codec_has(&file_table, &part, key))           \
            c->member = (value);                          \
    } while (0)

static enum hc_err take_limits(struct daemon_config *c, const struct yaml_node *map, const struct limits_part *part, struct hc_diag *diag)
{
    static const struct { const char *key; size_t from, to; uint32_t least; } rows[] = {
        { "connections", offsetof(struct limits_part, connections), offsetof(struct http_limits, connections), 1 },
        { "per_address", offsetof(struct limits_part, per_address), offsetof(struct http_limits, per_address), 1 },
        { "header_bytes", offsetof(struct limits_part, header_bytes), offsetof(struct http_limits, header_bytes), 1024 },
        { "idle_seconds", offsetof(struct limits_part, idle_seconds), offsetof(struct http_limits, idle_seconds), IDLE_SECONDS_MIN },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct yaml_node *node = yaml_get(map, rows[i].key);
        if (node == NULL || yaml_is_null(node))
            continue;
        uint32_t value;
        memcpy(&value, (const char *)part + rows[i].from, sizeof value);
        if (value < rows[i].least)
            return yaml_fail(diag, c->file, node, rows[i].key, "must be at least %u", rows[i].least);
        memcpy((char *)&c->limits + rows[i].to, &value, sizeof value);
    }
    return HC_OK;
}

static enum hc_err take_bounds(const char *file, const struct yaml_node *map, const struct file_bounds *said, struct file_bounds *to,
                               struct hc_diag *diag)
{
    const struct yaml_node *segment = yaml_get(map, "segment_bytes"), *keep = yaml_get(map, "keep_bytes");
    if (segment != NULL)
        to->segment_bytes = said->segment_bytes;
    if (keep != NULL)
        to->keep_bytes = said->keep_bytes;
    if (to->segment_bytes < SEGMENT_BYTES_MIN)
        return yaml_fail(diag, file, segment, "segment_bytes", "must be at least %llu", (unsigned long long)SEGMENT_BYTES_MIN);
    if (to->keep_bytes < 2 * to->segment_bytes)
        return yaml_fail(diag, file, keep != NULL ? keep : segment, keep != NULL ? "keep_bytes" : "segment_bytes",
                         "two segments must fit: keep_bytes is %llu, segment_bytes %llu", (unsigned long long)to->keep_bytes,
                         (unsigned long long)to->segment_bytes);
    return HC_OK;
}

static enum hc_err take_parts(struct daemon_config *c, const struct yaml_node *root, const struct file_part *part, struct hc_diag *diag)
{
    const struct yaml_node *node;
    if ((node = yaml_get(root, "enrollment")) != NULL && node->kind == YAML_MAP)
        c->approve = part->enrollment.approve;
    if ((node = yaml_get(root, "metrics")) != NULL && node->kind == YAML_MAP && yaml_get(node, "open_on_loopback") != NULL)
        c->metrics_open_on_loopback = part->metrics.open_on_loopback;
    if ((node = yaml_get(root, "events")) != NULL && node->kind == YAML_MAP && yaml_get(node, "keep") != NULL) {
        if (part->events.keep == 0)
            return yaml_fail(diag, c->file, node, "keep", "must be at least 1");
        c->keep_events = part->events.keep;
    }
    if ((node = yaml_get(root, "queue")) != NULL && node->kind == YAML_MAP && yaml_get(node, "max_tickets") != NULL) {
        if (part->queue.max_tickets == 0)
            return yaml_fail(diag, c->file, node, "max_tickets", "must be at least 1");
        c->queue_max_tickets = part->queue.max_tickets;
    }
    enum hc_err err = HC_OK;
    if ((node = yaml_get(root, "sessions")) != NULL && node->kind == YAML_MAP)
        err = take_bounds(c->file, node, &part->sessions.bounds, &c->session_files, diag);
    if (err == HC_OK && (node = yaml_get(root, "journal")) != NULL && node->kind == YAML_MAP) {
        c->journal = yaml_get(node, "enabled") == NULL ? c->journal : part->journal.enabled;
        err = take_bounds(c->file, node, &part->journal.bounds, &c->journal_files, diag);
    }
    if (err == HC_OK && (node = yaml_get(root, "limits")) != NULL && node->kind == YAML_MAP)
        err = take_limits(c, node, &part->limits, diag);
    return err;
}

/* `sunshine` is a map of districts, which no fixed table describes: it is read on its own and taken out of what the table sees. */
static enum hc_err take_file(struct daemon_config *c, const char *path, struct hc_diag *diag)
{
    char *text = NULL;
    size_t len = 0;
    struct yaml_node *root;
    struct file_part part;
    enum hc_err err = read_text(&c->arena, path, CONFIG_BYTES_MAX, &text, &len, diag);
    if (err != HC_OK)
        return err == HC_ERR_NOTFOUND ? hc_fail(diag, HC_ERR_CONFIG, "%s: no such configuration file", path) : err;
    c->file = path;
    err = yaml_parse(path, text, len, &c->arena, &root, diag);
    if (err != HC_OK)
        return err;
    struct yaml_node rest = *root;
    rest.count = 0;
    if (root->kind != YAML_MAP)
        return yaml_fail(diag, path, root, "", "must be a map of keys");
    rest.pairs = hc_arena_array(&c->arena, root->count + 1, sizeof *rest.pairs);
    if (rest.pairs == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "%s: out of memory", path);
    for (size_t i = 0; i < root->count; i++) {
        if (strcmp(root->pairs[i].key, "sunshine") != 0)
            rest.pairs[rest.count++] = root->pairs[i];
        else if ((err = take_sunshine(c, root->pairs[i].value, diag)) != HC_OK)
            return err;
    }
    if ((err = yaml_read(&file_table, path, &rest, &c->arena, &part, diag)) != HC_OK ||
        (err = config_values_check(path, root, diag)) != HC_OK)
        return err;
    TAKE("data_dir", data_dir, part.data_dir);
    TAKE("listen", listen, part.listen);
    TAKE("tls_cert", tls_cert, secret_path(c, part.tls_cert));
    TAKE("tls_key", tls_key, secret_path(c, part.tls_key));
    TAKE("insecure_http", insecure_http, part.insecure_http);
    TAKE("timers_file", timers_file, part.timers_file);
    TAKE("district", district, part.district);
    TAKE("server_url", server_url, part.server_url);
    TAKE("trusted_proxies", trusted_proxies, part.trusted_proxies);
    if ((part.tls_cert != NULL && c->tls_cert == NULL) || (part.tls_key != NULL && c->tls_key == NULL))
        return hc_fail(diag, HC_ERR_NOMEM, "%s: out of memory", path);     /* never: on without a certificate */
    return take_parts(c, root, &part, diag);
}

static enum hc_err take_timers(struct daemon_config *c, struct hc_diag *diag)
{
    char *text = NULL;
    size_t len = 0;
    struct yaml_node *root;
    enum hc_err err = read_text(&c->arena, c->timers_file, CONFIG_BYTES_MAX, &text, &len, diag);
    if (err == HC_OK)
        err = yaml_parse(c->timers_file, text, len, &c->arena, &root, diag);
    if (err != HC_OK)
        return err;
    if (root->kind != YAML_MAP)
        return yaml_fail(diag, c->timers_file, root, "", "must be a map of timer names to durations");
    for (size_t i = 0; i < root->count; i++) {
        const struct yaml_pair *pair = &root->pairs[i];
        int64_t ms;
        if (pair->value->kind != YAML_SCALAR || hc_duration_parse(pair->value->scalar, &ms) != HC_OK)
            return yaml_fail(diag, c->timers_file, pair->value, pair->key, "must be a duration such as 90s, 10min, 24h or 7d");
        enum hc_err set = timers_set(&c->timers, pair->key, ms, NULL);
        if (set != HC_OK)
            return yaml_fail(diag, c->timers_file, pair->value, pair->key,
                             set == HC_ERR_RANGE ? "is too short: the daemon would spin" : "is no timer that we know");
    }
    return c->unsafe_timers ? HC_OK : timers_check(&c->timers, diag);
}

static bool is_loopback(const char *address)
{
    return strcmp(address, "localhost") == 0 || strcmp(address, "::1") == 0 || strncmp(address, "127.", 4) == 0;
}

static enum hc_err take_listen(struct daemon_config *c, struct hc_diag *diag)
{
    const char *from;
    size_t len;
    if (!listen_split(c->listen, &from, &len, &c->port))
        return hc_fail(diag, HC_ERR_CONFIG, "listen: '%s' is not ADDRESS:PORT, for example 127.0.0.1:8080 or [::]:8443", c->listen);
    char *address = hc_arena_strndup(&c->arena, from, len);
    if (address == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "out of memory");
    c->address = strcmp(address, "localhost") == 0 ? "127.0.0.1" : address;
    return HC_OK;
}

static enum hc_err check(struct daemon_config *c, struct hc_diag *diag)
{
    enum hc_err err = take_listen(c, diag);
    if (err != HC_OK)
        return err;
    if ((c->tls_cert == NULL) != (c->tls_key == NULL))
        return hc_fail(diag, HC_ERR_CONFIG, "tls_cert and tls_key belong together: one of them is missing");
    if (c->tls_cert == NULL && !c->insecure_http && !is_loopback(c->address))
        return hc_fail(diag, HC_ERR_CONFIG,
                       "listen: %s is not loopback: give tls_cert and tls_key, or say insecure_http: true (--insecure-http)",
                       c->listen);
    return HC_OK;
}

enum hc_err config_load(const struct config_flags *flags, struct daemon_config *ret, struct hc_diag *diag)
{
    *ret = (struct daemon_config){ 0 };
    set_defaults(ret);
    const char *path = flags->config_file;
    struct os_stamp stamp;
    if (path == NULL && os_file_stamp(AT_FDCWD, CONFIG_DEFAULT_FILE, &stamp) == HC_OK && stamp.exists)
        path = CONFIG_DEFAULT_FILE;
    enum hc_err err = path == NULL ? HC_OK : take_file(ret, path, diag);
    if (err != HC_OK)
        return err;
    const struct { const char *flag; const char **to; } texts[] = {
        { flags->data_dir, &ret->data_dir }, { flags->listen, &ret->listen }, { flags->tls_cert, &ret->tls_cert },
        { flags->tls_key, &ret->tls_key }, { flags->timers_file, &ret->timers_file },
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i].flag != NULL)
            *texts[i].to = texts[i].flag;
    ret->insecure_http = ret->insecure_http || flags->insecure_http;
    ret->unsafe_timers = flags->unsafe_timers;
    if (ret->timers_file != NULL && (err = take_timers(ret, diag)) != HC_OK)
        return err;
    return check(ret, diag);
}

void config_free(struct daemon_config *config)
{
    hc_arena_free(&config->arena);
}
