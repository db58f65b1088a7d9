#include "status_command.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hydra/client/client.h"
#include "hydra/codec/json.h"
#include "hydra/os/clock.h"
#include "hydra/os/file.h"

#include "local_status.h"

#define CALL_MS  5000
#define EVERY_MS 1000
#define URL_MAX  128
#define LINE_MAX_BYTES 512

struct queue_part { uint32_t position; int64_t eta_ms; bool confirm; uint64_t present; };
struct status_part { char status[33], error[65]; const char *message; bool has_queue; struct queue_part queue; };
static const struct codec_field queue_rows[] = {
    { .key = "position", .type = CODEC_U32, .offset = offsetof(struct queue_part, position), .limit = UINT32_MAX },
    { .key = "eta_seconds", .type = CODEC_SECONDS, .offset = offsetof(struct queue_part, eta_ms) },
    { .key = "confirm", .type = CODEC_BOOL, .offset = offsetof(struct queue_part, confirm) },
};
static const struct codec_table queue_table = CODEC_TABLE("queue", queue_rows, struct queue_part, offsetof(struct queue_part, present));
static const struct codec_field status_rows[] = {
    { .key = "status", .type = CODEC_STR, .offset = offsetof(struct status_part, status), .limit = 32, .flags = CODEC_REQUIRED },
    { .key = "error", .type = CODEC_STR, .offset = offsetof(struct status_part, error), .limit = 64 },
    { .key = "message", .type = CODEC_TEXT, .offset = offsetof(struct status_part, message), .limit = LOCAL_MESSAGE_SIZE },
    { .key = "queue", .type = CODEC_OBJECT, .offset = offsetof(struct status_part, queue), .sub = &queue_table,
      .flags = CODEC_NULLABLE_OBJECT, .null_flag = offsetof(struct status_part, has_queue) },
};
static const struct codec_table status_table = CODEC_TABLE("status", status_rows, struct status_part, CODEC_NO_PRESENT);

/* The agent writes down where it answers; who may not read that knows it from the configuration. */
static bool find_url(const struct head_config *config, char url[URL_MAX])
{
    char path[512], *text = NULL;
    size_t len = 0;
    int written = snprintf(path, sizeof path, "%s/local.url", config->state_dir);
    if (written > 0 && (size_t)written < sizeof path && os_file_read(AT_FDCWD, path, URL_MAX - 1, &text, &len, NULL, NULL) == HC_OK) {
        (void)snprintf(url, URL_MAX, "%s", text);
        hc_free(text);
        return true;
    }
    bool v6 = strchr(config->address, ':') != NULL;
    (void)snprintf(url, URL_MAX, "http://%s%s%s:%u", v6 ? "[" : "", config->address, v6 ? "]" : "", config->port);
    return config->port != 0;
}

static void write_line(const struct status_part *part, char line[LINE_MAX_BYTES])
{
    char place[128];
    if (part->has_queue) {
        local_place_text(part->queue.position, codec_has(&queue_table, &part->queue, "eta_seconds") ? part->queue.eta_ms : -1, place,
                         sizeof place);
        (void)snprintf(line, LINE_MAX_BYTES, "queued: %s%s", place, part->queue.confirm ? " (is somebody there?)" : "");
    } else {
        const char *message = part->message == NULL ? "" : part->message;
        (void)snprintf(line, LINE_MAX_BYTES, "%s%s%s", part->status, message[0] == '\0' ? "" : ": ", message);
    }
}

/* False: no answer that can be read. *ret_busy: it may soon say something else. */
static bool ask(struct client *client, char line[LINE_MAX_BYTES], bool *ret_busy)
{
    struct client_answer answer;
    struct status_part part;
    struct json_refusal refusal;
    struct hc_arena arena = { 0 };
    static const char *const busy[] = { "finding_body", "pairing", "starting" };
    if (client_call(client, "GET", "/api/v1/stream/status", NULL, NULL, &answer, NULL) != HC_OK)
        return false;
    bool ok = answer.status == 200 &&
              json_read(&status_table, answer.body.data, answer.body.len, false, &arena, &part, &refusal) == HC_OK;
    if (ok) {
        write_line(&part, line);
        *ret_busy = hc_among(busy, sizeof busy / sizeof busy[0], part.status);
    }
    client_answer_free(&answer);
    hc_arena_free(&arena);
    return ok;
}

int status_command(const struct head_config *config, const struct head_options *options)
{
    char url[URL_MAX] = "", line[LINE_MAX_BYTES] = "";
    struct client *client = NULL;
    struct hc_diag diag = { "" };
    bool follows = isatty(STDOUT_FILENO) == 1 && !options->once, busy = false;
    if (!find_url(config, url)) {
        (void)fprintf(stderr, "hydrahead: the agent does not run, or its folder %s cannot be read\n", config->state_dir);
        return EXIT_FAILED;
    }
    const struct client_options with = { .server_url = url, .timeout_ms = CALL_MS };
    if (client_open(&with, &client, &diag) != HC_OK) {
        (void)fprintf(stderr, "hydrahead: %s\n", diag.text);
        return EXIT_FAILED;
    }
    bool answered;
    while ((answered = ask(client, line, &busy))) {
        (void)printf(follows ? "\r\033[K%s" : "%s\n", line);
        (void)fflush(stdout);
        if (!follows || !busy)
            break;
        os_pause_ms(EVERY_MS);
    }
    if (follows)
        (void)printf("\n");
    if (!answered)
        (void)fprintf(stderr, "hydrahead: no agent answers at %s: is the service running?\n", url);
    client = client_close(client);
    return answered ? EXIT_OK : EXIT_FAILED;
}
