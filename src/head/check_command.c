#include "check_command.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hydra/crypto/digest.h"
#include "hydra/os/file.h"

#include "cluster.h"
#include "identity.h"
#include "options.h"
#include "requests.h"

#define CALL_MS   10000
#define PROBE     "check.tmp-file"

struct checked { const struct head_config *config; char token[HEAD_NODE_TOKEN + 1]; bool has_token; };

static bool ok(const char *what, const char *detail)
{
    (void)printf("ok %s%s%s\n", what, detail[0] == '\0' ? "" : " ", detail);
    return true;
}

static bool fails(const char *what, const char *to_do)
{
    (void)printf("FAILED %s: %s\n", what, to_do);
    return false;
}

static bool check_token(struct checked *c)
{
    struct hc_diag diag = { "" };
    c->has_token = head_token_load(c->config, c->token, &diag) == HC_OK;
    return c->has_token ? ok("token", c->config->token_file) : fails("token", diag.text);
}

static bool check_state(struct checked *c)
{
    struct hc_diag diag = { "" };
    HC_CLEANUP(os_close) int dir_fd = -1;
    struct identity identity = { 0 };
    struct os_stamp key = { 0 };
    if (os_dir_make_private(c->config->state_dir, &diag) != HC_OK || os_dir_open(c->config->state_dir, &dir_fd, &diag) != HC_OK ||
        os_file_replace(dir_fd, PROBE, "", 0, NULL, &diag) == OS_REPLACE_NOT_WRITTEN || os_file_remove(dir_fd, PROBE, &diag) != HC_OK)
        return fails("state_dir", diag.text);
    if (os_file_stamp(dir_fd, IDENTITY_KEY_FILE, &key) == HC_OK && !key.exists)
        return ok("state_dir", "(no identity yet: the first start makes it)");
    bool good = identity_load(dir_fd, c->config->node_id, &identity, &diag) == HC_OK;
    identity_free(&identity);
    return good ? ok("state_dir", c->config->state_dir) : fails("identity", diag.text);
}

static bool check_program(struct checked *c)
{
    struct hc_arena arena = { 0 };
    struct hc_diag diag = { "" };
    const char *path = NULL;
    bool good = command_find(c->config->words.words[0], &arena, &path, &diag) == HC_OK;
    good = good ? ok("command", path) : fails("command", diag.text);
    hc_arena_free(&arena);
    return good;
}

static bool check_moonlight(struct checked *c)
{
    const char *path = c->config->moonlight_settings, *slash = path == NULL ? NULL : strrchr(path, '/');
    char folder[4096];
    if (slash == NULL)
        return ok("moonlight_settings", "(not used)");
    int len = snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    if (len < 0 || (size_t)len >= sizeof folder)
        return fails("moonlight_settings", "the path is too long");
    return access(folder, F_OK) != 0 || access(folder, W_OK | X_OK) == 0
               ? ok("moonlight_settings", path)
               : fails("moonlight_settings", "its folder cannot be written by this user");
}

/* A read that needs the head's own token and changes nothing. */
static bool check_cluster(struct checked *c)
{
    struct cluster_line line = { .config = c->config, .token = c->token };
    struct request_text request;
    struct cluster_answer answer;
    if (!c->has_token)
        return fails("cluster", "not asked: there is no token");
    request_offers(c->config->node_id, &request);
    cluster_ask(&line, &request, CALL_MS, NULL, &answer);
    request_drop(&request);
    hc_buf_free(&answer.body);
    cluster_line_close(&line);
    if (answer.err == HC_ERR_CONFIG)
        return fails("cluster", "ca_file cannot be used");
    if (answer.err != HC_OK)
        return fails("cluster", "server_url does not answer, or with a certificate that ca_file did not sign");
    if (answer.status == 401)
        return fails("cluster", "the token is not known there: enrol this head again");
    if (answer.status == 403)
        return fails("cluster", "the head is not approved, or node_id and token_file are of two heads");
    if (answer.status == 404)
        return fails("cluster", "it knows no head of this node_id");
    return answer.status == 200 ? ok("cluster", c->config->server_url) : fails("cluster", "answers, but not as hydraclusterd does");
}

int check_command(const struct head_config *config)
{
    static bool (*const checks[])(struct checked *c) = { check_token, check_state, check_program, check_moonlight, check_cluster };
    struct checked c = { .config = config };
    struct hc_diag diag = { "" };
    bool good = crypto_start(&diag) == HC_OK ? ok("configuration", config->file) : fails("cryptography", diag.text);
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        good = checks[i](&c) && good;
    explicit_bzero(c.token, sizeof c.token);
    return good ? EXIT_OK : EXIT_FAILED;
}
