#include "hook.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hydra/base/buf.h"
#include "hydra/client/client.h"
#include "hydra/codec/json.h"
#include "hydra/os/random.h"

#include "config.h"
#include "stream_edge.h"

#define LAUNCH_ID_BYTES 8
#define URL_SIZE        32
#define NUMBER_MAX      65535UL

/* First of them that is set and not empty. Upstream names no client; one fork does. */
static const char *first_of(const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && value[0] != '\0')
            return value;
    }
    return "";
}

static unsigned long number_of(const char *variable, unsigned long most, unsigned long otherwise)
{
    const char *text = getenv(variable);
    char *end = NULL;
    unsigned long value = text == NULL || text[0] < '0' || text[0] > '9' ? NUMBER_MAX + 1 : strtoul(text, &end, 10);
    return value > most || *end != '\0' ? otherwise : value;
}

static bool printable(const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++)
        if (*at < 0x20 || *at == 0x7f)
            return false;
    return hc_utf8_ok(text, strlen(text));
}

/* What does not fit a field is left out: the agent then judges by the rest. */
static void take(char *to, size_t size, const char *text)
{
    hc_copy(to, size, strlen(text) < size && printable(text) ? text : "");
}

static void fill(const struct options *options, struct stream_edge *edge)
{
    static const char *const uuids[] = { "APOLLO_CLIENT_UUID", "SUNSHINE_CLIENT_UUID" };
    static const char *const names[] = { "APOLLO_CLIENT_NAME", "SUNSHINE_CLIENT_NAME" };
    static const char *const apps[] = { "SUNSHINE_APP_NAME", "APOLLO_APP_NAME" };
    uint8_t bytes[LAUNCH_ID_BYTES];
    *edge = (struct stream_edge){ 0 };
    edge->slot = options->slot_told ? options->slot : (uint32_t)number_of("HYDRABODY_SLOT", DIRECTIVE_SLOTS_MAX - 1, 0);
    take(edge->app, sizeof edge->app, first_of(apps, 2));
    take(edge->client_uuid, sizeof edge->client_uuid, first_of(uuids, 2));
    if (!hc_id_ok(edge->client_uuid))
        edge->client_uuid[0] = '\0';
    take(edge->client_name, sizeof edge->client_name, first_of(names, 2));
    if (options->command == COMMAND_HOOK_STARTED) {
        os_random(bytes, sizeof bytes);
        hc_hex(bytes, sizeof bytes, edge->launch_id);
    }
}

struct refusal { char error[HC_NAME_SIZE], reason[HC_NAME_SIZE]; };
static const struct codec_field refusal_rows[] = {
    { .key = "error",  .type = CODEC_NAME, .offset = offsetof(struct refusal, error), .flags = CODEC_REQUIRED },
    { .key = "reason", .type = CODEC_NAME, .offset = offsetof(struct refusal, reason), .flags = CODEC_EMPTY_OK },
};
static const struct codec_table refusal_table = CODEC_TABLE("refusal", refusal_rows, struct refusal, CODEC_NO_PRESENT);

static enum hook_exit judge(const struct client_answer *answer)
{
    struct hc_arena arena = { 0 };
    struct refusal refusal = { "", "" };
    struct json_refusal odd;
    bool read = answer->status == 403 && json_read(&refusal_table, answer->body.data, answer->body.len, false, &arena, &refusal,
                                                   &odd) == HC_OK;
    hc_arena_free(&arena);
    if (read && strcmp(refusal.error, "not_admitted") == 0) {
        (void)fprintf(stderr, "hydrabody hook: the launch is not admitted: %s\n", refusal.reason);
        return HOOK_NOT_ADMITTED;
    }
    if (answer->status != 200)
        (void)fprintf(stderr, "hydrabody hook: the agent answered %ld; the launch goes on\n", answer->status);
    return HOOK_GO_ON;
}

enum hook_exit hook_run(const struct options *options)
{
    struct stream_edge edge;
    char url[URL_SIZE];
    HC_CLEANUP(hc_buf_freep) struct hc_buf body = { 0 };
    struct client *client = NULL;
    struct client_answer answer = { 0 };
    struct hc_diag diag = { "" };
    enum hook_exit code = HOOK_GO_ON;
    const char *path = options->command == COMMAND_HOOK_STARTED ? STREAM_STARTED_PATH : STREAM_ENDED_PATH;
    unsigned long port = options->port_told ? options->port : number_of("HYDRABODY_PORT", NUMBER_MAX, BODY_PORT);
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%lu", port);
    fill(options, &edge);
    json_write(&stream_edge_table, &edge, &body);
    const struct client_options how = { .server_url = url, .timeout_ms = HOOK_PATIENCE_MS };
    enum hc_err err = body.failed ? HC_ERR_NOMEM : client_open(&how, &client, &diag);
    if (err == HC_OK)
        err = client_call(client, "POST", path, NULL, body.data, &answer, &diag);
    if (err == HC_OK)
        code = judge(&answer);
    else
        (void)fprintf(stderr, "hydrabody hook: the agent does not answer: %s; the launch goes on\n", diag.text);
    client_answer_free(&answer);
    (void)client_close(client);
    return code;
}
