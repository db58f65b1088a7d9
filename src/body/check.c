#include "check.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hydra/base/buf.h"
#include "hydra/client/client.h"
#include "hydra/codec/json.h"
#include "hydra/gamestream/serverinfo.h"
#include "hydra/os/file.h"
#include "hydra/sunshine/sunshine.h"

#include "floor.h"

#define CALL_MS         10000
#define HOST_CALL_MS    5000
#define LOCAL_CALL_MS   2000
#define UNIQUE_ID       "0000000000000000"

struct checking { const struct body_config *config; bool all; };

static void say_ok(const char *format, ...) HC_PRINTF(1, 2);
static void say_failed(struct checking *c, const char *format, ...) HC_PRINTF(2, 3);

static void say_ok(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)fputs("ok ", stdout);
    (void)vprintf(format, args);
    (void)putchar('\n');
    va_end(args);
}

static void say_failed(struct checking *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    c->all = false;
    (void)fputs("FAILED ", stdout);
    (void)vprintf(format, args);
    (void)putchar('\n');
    va_end(args);
}

/* ---- files ---- */

/* One that others may read is refused with the configuration. */
static void say_secret(const char *key, const char *path)
{
    if (path != NULL)
        say_ok("%s %s", key, path);
}

static void check_files(struct checking *c)
{
    say_secret("token_file", c->config->token_file);
    say_secret("local_token_file", c->config->local_token_file);
    for (size_t i = 0; i < c->config->slot_count; i++) {
        const struct slot_config *slot = &c->config->slots[i];
        say_secret("password_file", slot->password_file);
        if (access(slot->log_file, R_OK) == 0)
            say_ok("slot %zu: log_file %s", i, slot->log_file);
        else
            say_failed(c, "slot %zu: log_file %s cannot be read: without it nobody sees a second viewer join; name Sunshine's log, and let "
                          "the agent's user read it", i, slot->log_file);
    }
}

static void check_floor(struct checking *c, size_t slot)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf path = { 0 };
    HC_CLEANUP(os_close) int fd = -1;
    struct floor floor;
    struct hc_diag diag = { "" };
    struct os_stamp stamp;
    hc_buf_printf(&path, "%s/slot-%zu", c->config->state_dir, slot);
    if (path.failed)
        return;
    if (os_file_stamp(AT_FDCWD, path.data, &stamp) == HC_OK && !stamp.exists)
        say_ok("slot %zu: no epoch floor yet in %s: it is made at the first start", slot, path.data);
    else if (os_dir_open(path.data, &fd, &diag) != HC_OK)
        say_failed(c, "slot %zu: state_dir: %s: give it to the agent's user", slot, diag.text);
    else if (floor_load(fd, &floor, &diag) != HC_OK)
        say_failed(c, "slot %zu: %s/%s: put it back from a backup, or remove it when the cluster has not been restored from one", slot,
                   path.data, diag.text);
    else
        say_ok("slot %zu: epoch floor %llu", slot, (unsigned long long)floor.epoch[slot]);
}

/* ---- the cluster and the agent ---- */

struct answered { char error[HC_NAME_SIZE]; };
static const struct codec_field answered_rows[] = { { .key = "error", .type = CODEC_NAME, .offset = 0, .flags = CODEC_EMPTY_OK } };
static const struct codec_table answered_table = CODEC_TABLE("answer", answered_rows, struct answered, CODEC_NO_PRESENT);

static void judge_cluster(struct checking *c, const struct client_answer *answer)
{
    static const struct { long status; const char *advice; } rows[] = {
        { 401, "the cluster does not know the token: make a new one with POST /nodes/ID/token and put it into token_file" },
        { 403, "the token is another node's, or the node waits for approval or was denied: look at GET /nodes" },
        { 404, "the cluster has no body of this node_id: enrol it with the role body" },
    };
    struct hc_arena arena = { 0 };
    struct answered said = { "" };
    struct json_refusal refusal;
    enum hc_err err = json_read(&answered_table, answer->body.data, answer->body.len, true, &arena, &said, &refusal);
    if (err != HC_OK)
        said.error[0] = '\0';           /* a page of somebody else: the status says enough */
    const char *advice = answer->status == 200 ? NULL : "look at the cluster's log";
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].status == answer->status)
            advice = rows[i].advice;
    if (advice == NULL)
        say_ok("cluster %s takes the token of %s", c->config->server_url, c->config->node_id);
    else
        say_failed(c, "cluster %s answers %ld %s: %s", c->config->server_url, answer->status, said.error, advice);
    hc_arena_free(&arena);
}

static void check_cluster(struct checking *c)
{
    const struct client_options options = { .server_url = c->config->server_url, .ca_file = c->config->ca_file, .timeout_ms = CALL_MS };
    struct client *client = NULL;
    struct client_answer answer = { 0 };
    struct hc_diag diag = { "" };
    HC_CLEANUP(hc_buf_freep) struct hc_buf path = { 0 };
    hc_buf_printf(&path, "/api/v1/bodies/%s/desired?since=&wait=0", c->config->node_id);
    enum hc_err err = path.failed ? HC_ERR_NOMEM : client_open(&options, &client, &diag);
    if (err == HC_OK)
        err = client_call(client, "GET", path.data, c->config->token, NULL, &answer, &diag);
    if (err == HC_OK)
        judge_cluster(c, &answer);
    else
        say_failed(c, "cluster %s: %s: check server_url, ca_file and the network", c->config->server_url, diag.text);
    client_answer_free(&answer);
    (void)client_close(client);
}

/* The hook speaks to the loopback address, whatever else is listened on. */
static void check_agent(struct checking *c)
{
    char url[64];
    struct client *client = NULL;
    struct client_answer answer = { 0 };
    const struct client_options options = { .server_url = url, .timeout_ms = LOCAL_CALL_MS };
    if (c->config->port == 0) {
        say_failed(c, "listen: port 0 is another port at each start: the hook must know it");
        return;
    }
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%u", (unsigned)c->config->port);
    enum hc_err err = client_open(&options, &client, NULL);
    if (err == HC_OK)
        err = client_call(client, "GET", "/api/v1/status", c->config->local_token[0] == '\0' ? NULL : c->config->local_token, NULL, &answer,
                          NULL);
    if (err != HC_OK)
        say_ok("port %u: nothing answers there; the agent does not run now", (unsigned)c->config->port);
    else if (answer.status == 200 || answer.status == 401)
        say_ok("port %u: the agent runs", (unsigned)c->config->port);
    else
        say_failed(c, "port %u: something else answers there (%ld): give the agent another port in listen, and the hook too (--port)",
                   (unsigned)c->config->port, answer.status);
    client_answer_free(&answer);
    (void)client_close(client);
}

/* ---- Sunshine ---- */

static void check_host(struct checking *c, size_t i)
{
    const struct slot_config *slot = &c->config->slots[i];
    const struct gs_host host = { slot->address, slot->gamestream, slot->gamestream_tls };
    const struct gs_client client = { .unique_id = UNIQUE_ID };
    struct gs_serverinfo info;
    struct hc_diag diag = { "" };
    if (gs_serverinfo(&host, &client, HOST_CALL_MS, &info, &diag) != HC_OK)
        say_failed(c, "slot %zu: Sunshine at %s:%u: %s: start it, or correct address and gamestream", i, slot->address,
                   (unsigned)slot->gamestream, diag.text);
    else if (info.https_port != 0 && info.https_port != slot->gamestream_tls)
        say_failed(c, "slot %zu: Sunshine says that its TLS port is %u: set gamestream_tls to it", i, (unsigned)info.https_port);
    else
        say_ok("slot %zu: Sunshine answers as %s%s", i, info.hostname, info.busy ? ", an application runs" : "");
}

static bool has_hook(const char *text)
{
    return text != NULL && strstr(text, "hook started") != NULL && strstr(text, "hook ended") != NULL;
}

/* In the global commands, or in every application that has an experience. */
static bool hook_installed(struct sunshine_api *api, struct hc_diag *diag)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf global = { 0 };
    struct hc_arena arena = { 0 };
    const struct sunshine_app *apps = NULL;
    size_t count = 0, with = 0, without = 0;
    bool everywhere = sunshine_setting(api, "global_prep_cmd", &global, diag) == SUNSHINE_OK && has_hook(global.data);
    if (!everywhere && sunshine_apps(api, &arena, &apps, &count, diag) == SUNSHINE_OK) {
        for (size_t i = 0; i < count; i++) {
            bool desktop = strcmp(apps[i].name, "Desktop") == 0;
            with += !desktop && has_hook(apps[i].json);
            without += !desktop && !has_hook(apps[i].json);
        }
    }
    hc_arena_free(&arena);
    return everywhere || (with > 0 && without == 0);
}

static void check_hook(struct checking *c, size_t i, struct sunshine_api *api)
{
    struct hc_diag diag = { "" };
    if (hook_installed(api, &diag)) {
        say_ok("slot %zu: the hook is installed", i);
        return;
    }
    char port[24] = "";
    if (c->config->port != BODY_PORT)
        (void)snprintf(port, sizeof port, " --port %u", (unsigned)c->config->port);
    say_failed(c, "slot %zu: the hook is not installed%s%s: put this line into Sunshine's sunshine.conf and start Sunshine anew: "
                  "global_prep_cmd = [{\"do\":\"/usr/bin/hydrabody hook started --slot %zu%s\","
                  "\"undo\":\"/usr/bin/hydrabody hook ended --slot %zu%s\"}]",
               i, diag.text[0] == '\0' ? "" : ": ", diag.text, i, port, i, port);
}

static void check_web(struct checking *c, size_t i)
{
    const struct slot_config *slot = &c->config->slots[i];
    const struct sunshine_access access = { .address = slot->address, .port = slot->web, .username = slot->username,
                                            .password = slot->password, .timeout_ms = HOST_CALL_MS };
    struct sunshine_api *api = NULL;
    struct hc_diag diag = { "" };
    char version[SUNSHINE_VERSION_SIZE] = "";
    unsigned features = 0;
    if (sunshine_open(&access, &api, &diag) != HC_OK) {
        say_failed(c, "slot %zu: %s", i, diag.text);
        return;
    }
    enum sunshine_outcome outcome = sunshine_version(api, version, &features, &diag);
    if (outcome != SUNSHINE_OK) {
        say_failed(c, "slot %zu: Sunshine's web page at port %u: %s", i, (unsigned)slot->web, diag.text);
    } else {
        say_ok("slot %zu: Sunshine %s takes the user name and password", i, version);
        if ((features & SUNSHINE_ENABLE_ONE) == 0)
            say_ok("slot %zu: note: this version cannot shut out a single client: the gate needs v2026.816", i);
        check_hook(c, i, api);
    }
    (void)sunshine_close(api);
}

bool check_all(const struct body_config *config)
{
    struct checking c = { config, true };
    say_ok("configuration %s", config->file);
    check_files(&c);
    check_cluster(&c);
    check_agent(&c);
    for (size_t i = 0; i < config->slot_count; i++) {
        check_floor(&c, i);
        check_host(&c, i);
        check_web(&c, i);
    }
    return c.all;
}
