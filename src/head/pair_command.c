#include "pair_command.h"

#include <stdio.h>
#include <string.h>

#include "hydra/codec/json.h"
#include "hydra/crypto/digest.h"
#include "hydra/gamestream/serverinfo.h"
#include "hydra/os/file.h"

#include "host_steps.h"
#include "requests.h"

#define CALL_MS    15000
#define BODIES_MAX 4096
#define TRIES      2

/* ---- which body ---- */

struct body_row { char id[HC_ID_SIZE], name[HC_NAME_SIZE], ip[HC_ID_SIZE], wireguard_ip[HC_ID_SIZE], sunshine_cert_fp[HC_HASH_SIZE]; };
struct bodies { struct codec_list list; };
#define TEXT(key_, member_, limit_) { .key = key_, .type = CODEC_STR, .offset = offsetof(struct body_row, member_), .limit = limit_ }
static const struct codec_field body_rows[] = {
    { .key = "id", .type = CODEC_ID, .offset = offsetof(struct body_row, id), .flags = CODEC_REQUIRED },
    TEXT("name", name, HC_NAME_MAX), TEXT("ip", ip, HC_ID_MAX), TEXT("wireguard_ip", wireguard_ip, HC_ID_MAX),
    TEXT("sunshine_cert_fp", sunshine_cert_fp, HC_HASH_HEX),
};
static const struct codec_table body_table = CODEC_TABLE("body", body_rows, struct body_row, CODEC_NO_PRESENT);
static const struct codec_field bodies_rows[] = {
    { .key = "list", .type = CODEC_LIST, .offset = offsetof(struct bodies, list), .limit = BODIES_MAX, .sub = &body_table },
};
static const struct codec_table bodies_table = CODEC_TABLE("bodies", bodies_rows, struct bodies, CODEC_NO_PRESENT);

struct lease_row { char id[HC_ID_SIZE]; };
struct pair_answer { struct lease_row lease; char error[65], detail[501]; };
static const struct codec_field lease_rows[] = {
    { .key = "id", .type = CODEC_ID, .offset = offsetof(struct lease_row, id), .flags = CODEC_REQUIRED },
};
static const struct codec_table lease_table = CODEC_TABLE("lease", lease_rows, struct lease_row, CODEC_NO_PRESENT);
static const struct codec_field pair_rows[] = {
    { .key = "lease", .type = CODEC_OBJECT, .offset = offsetof(struct pair_answer, lease), .sub = &lease_table },
    { .key = "error", .type = CODEC_STR, .offset = offsetof(struct pair_answer, error), .limit = 64 },
    { .key = "detail", .type = CODEC_STR, .offset = offsetof(struct pair_answer, detail), .limit = 500 },
};
static const struct codec_table pair_table_of_answer = CODEC_TABLE("pair lease", pair_rows, struct pair_answer, CODEC_NO_PRESENT);

struct work {
    const struct head_config *config;
    const struct head_options *options;
    char token[HEAD_NODE_TOKEN + 1];
    struct identity identity;
    struct cluster_line line;
    struct host_memory memory;
    int state_fd, pins_fd;
    struct head_body body;
    char lease_id[HC_ID_SIZE];
};

static bool failed(const char *what, const char *detail)
{
    (void)fprintf(stderr, "hydrahead: %s: %s\n", what, detail);
    return false;
}

static void step(const char *what, const char *of)
{
    (void)printf("%s %s\n", what, of);
    (void)fflush(stdout);
}

/* Asks, frees the request. False: said. */
static bool ask(struct work *w, struct request_text *request, const char *what, struct cluster_answer *answer)
{
    cluster_ask(&w->line, request, CALL_MS, NULL, answer);
    request_drop(request);
    return answer->err == HC_OK || failed(what, "the cluster does not answer: see server_url and the network");
}

static void take_body(struct work *w, const struct body_row *row)
{
    bool far = w->config->network == NETWORK_WIREGUARD && row->wireguard_ip[0] != '\0';
    w->body = (struct head_body){ .http_port = w->options->port == 0 ? GS_PORT_HTTP : w->options->port, .https_port = GS_PORT_HTTPS,
                                  .pair_required = true };
    HC_SET(w->body.id, row->id);
    HC_SET(w->body.name, row->name);
    HC_SET(w->body.address, far || row->ip[0] == '\0' ? row->wireguard_ip : row->ip);
    HC_SET(w->body.cert_fp, row->sunshine_cert_fp);
}

static bool is_named(const struct body_row *row, const char *word)
{
    return hc_same(row->id, word) || hc_same(row->name, word) || hc_same(row->ip, word) || hc_same(row->wireguard_ip, word);
}

static bool find_body(struct work *w)
{
    struct request_text request;
    struct cluster_answer answer;
    struct bodies bodies = { { NULL, 0 } };
    struct json_refusal refusal;
    struct hc_arena arena = { 0 };
    HC_CLEANUP(hc_buf_freep) struct hc_buf whole = { 0 };
    request_bodies(w->config->node_id, &request);
    bool ok = ask(w, &request, "bodies", &answer);
    hc_buf_str(&whole, "{\"list\":");
    hc_buf_add(&whole, answer.body.data == NULL ? "" : answer.body.data, answer.body.len);
    hc_buf_char(&whole, '}');
    hc_buf_free(&answer.body);
    if (ok && (answer.status != 200 || whole.failed ||
               json_read(&bodies_table, whole.data, whole.len, false, &arena, &bodies, &refusal) != HC_OK))
        ok = failed("bodies", answer.status == 401 || answer.status == 403 ? "the token is not accepted: see node_id and token_file"
                                                                          : "the cluster's answer is no list of bodies");
    const struct body_row *found = NULL, *rows = bodies.list.items;
    for (size_t i = 0; ok && i < bodies.list.count && found == NULL; i++)
        found = is_named(&rows[i], w->options->body) ? &rows[i] : NULL;
    if (found != NULL)
        take_body(w, found);
    else if (ok)
        ok = failed(w->options->body, "no body of that id, name or address is online and free for this head");
    if (ok && w->body.address[0] == '\0')
        ok = failed(w->options->body, "the cluster knows no address of this body: an operator sets its ip");
    hc_arena_free(&arena);
    return ok;
}

/* ---- the steps ---- */

static bool take_lease(struct work *w)
{
    struct request_text request;
    struct cluster_answer answer;
    struct pair_answer found = { .error = "" };
    struct json_refusal refusal;
    struct hc_arena arena = { 0 };
    request_pair_lease(w->config->node_id, w->body.id, &request);
    bool ok = ask(w, &request, "pair lease", &answer);
    if (ok && (answer.body.len == 0 ||
               json_read(&pair_table_of_answer, answer.body.data, answer.body.len, false, &arena, &found, &refusal) != HC_OK))
        ok = failed("pair lease", "the cluster's answer cannot be read");
    if (ok && answer.status != 201)
        ok = failed(found.error[0] == '\0' ? "pair lease" : found.error, found.detail[0] == '\0' ? "refused" : found.detail);
    if (ok)
        HC_SET(w->lease_id, found.lease.id);
    hc_buf_free(&answer.body);
    hc_arena_free(&arena);
    return ok;
}

static bool give_back(struct work *w)
{
    struct request_text request;
    struct cluster_answer answer;
    request_pair_release(w->config->node_id, w->lease_id, &request);
    bool ok = ask(w, &request, "pair lease", &answer);
    hc_buf_free(&answer.body);
    return ok;
}

/* The secure port is what the host says it is. */
static bool find_port(struct work *w)
{
    const struct gs_host host = { w->body.address, w->body.http_port, w->body.https_port };
    const struct gs_client client = { w->identity.device_uid, w->identity.cert_pem, w->identity.key_pem };
    struct gs_serverinfo info;
    struct hc_diag why = { "" };
    if (gs_serverinfo(&host, &client, CALL_MS, &info, &why) != HC_OK)
        return failed(w->body.address, why.text);
    if (info.https_port != 0)
        w->body.https_port = info.https_port;
    return true;
}

static bool pair(struct work *w)
{
    const struct host_step how = { .identity = &w->identity, .body = &w->body, .pins_fd = w->pins_fd, .line = &w->line,
                                   .memory = &w->memory };
    struct head_event ev = { .verdict = HOST_UNKNOWN };
    for (unsigned i = 0; i < TRIES && ev.verdict != HOST_YES; i++) {
        step("pairing with", w->body.address);
        host_pair(&how, &ev);
        if (ev.verdict != HOST_YES && ev.verdict != HOST_RETRY)
            break;
    }
    if (ev.verdict != HOST_YES)
        return failed("pairing", ev.sentence[0] == '\0' ? "the host did not pair" : ev.sentence);
    step("verifying", w->body.address);
    host_verify(&how, &ev);
    return ev.verdict == HOST_YES || failed("verifying", ev.sentence[0] == '\0' ? "the host does not accept us" : ev.sentence);
}

static bool open_work(struct work *w)
{
    struct hc_diag diag = { "" };
    HC_CLEANUP(hc_buf_freep) struct hc_buf pins = { 0 };
    hc_buf_printf(&pins, "%s/pins", w->config->state_dir);
    bool ok = !pins.failed && crypto_start(&diag) == HC_OK && head_token_load(w->config, w->token, &diag) == HC_OK &&
              os_dir_make_private(w->config->state_dir, &diag) == HC_OK &&
              os_dir_open(w->config->state_dir, &w->state_fd, &diag) == HC_OK && os_dir_make_private(pins.data, &diag) == HC_OK &&
              os_dir_open(pins.data, &w->pins_fd, &diag) == HC_OK &&
              identity_load(w->state_fd, w->config->node_id, &w->identity, &diag) == HC_OK;
    w->line = (struct cluster_line){ .config = w->config, .token = w->token };
    return ok || failed("configuration", diag.text);
}

static void close_work(struct work *w)
{
    cluster_line_close(&w->line);
    host_memory_free(&w->memory);
    identity_free(&w->identity);
    os_close(&w->state_fd);
    os_close(&w->pins_fd);
    explicit_bzero(w->token, sizeof w->token);
}

int pair_command(const struct head_config *config, const struct head_options *options)
{
    struct work w = { .config = config, .options = options, .state_fd = -1, .pins_fd = -1 };
    if (!open_work(&w)) {
        close_work(&w);
        return EXIT_USAGE;
    }
    bool ok = find_body(&w);
    if (ok) {
        step("found body", w.body.id);
        ok = find_port(&w) && take_lease(&w);
    }
    if (ok) {
        step("pair lease", w.lease_id);
        ok = pair(&w);
        if (give_back(&w))
            step("gave back", w.lease_id);
    }
    if (ok)
        step("paired with", w.body.id);
    close_work(&w);
    return ok ? EXIT_OK : EXIT_FAILED;
}
