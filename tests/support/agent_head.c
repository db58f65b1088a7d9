#include "agent_head.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/base/buf.h"
#include "hydra/client/client.h"
#include "made_keys.h"

#define RUN_MS    60000
#define LOG_SHOWN ((size_t)16384)
#define ARGS_MAX  16

static void file_of(const struct agent_head *agent, const char *what, char out[HOME_PATH_SIZE])
{
    int len = snprintf(out, HOME_PATH_SIZE, "%s/%s", agent->name, what);
    assert_true(len > 0 && len < HOME_PATH_SIZE);
}

static void write_file(const struct agent_head *agent, const char *what, const char *text, char path[HOME_PATH_SIZE])
{
    char file[HOME_PATH_SIZE];
    file_of(agent, what, file);
    home_write(agent->home, file, text);
    home_path(agent->home, file, path);
}

/* A head makes its own where it finds none. */
static void give_identity(const struct agent_head *agent)
{
    static const struct { const char *file; bool is_key; } rows[] = { { "state/client.key", true }, { "state/client.pem", false } };
    char file[HOME_PATH_SIZE], path[HOME_PATH_SIZE];
    struct made_key key;
    file_of(agent, "state", file);
    home_path(agent->home, file, path);
    if (mkdir(path, 0700) != 0)
        return;
    made_key_next(MADE_FOR_CLIENT, &key);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        write_file(agent, rows[i].file, rows[i].is_key ? key.key_pem : key.cert_pem, path);
        assert_int_equal(chmod(path, 0600), 0);
    }
    made_key_free(&key);
}

void agent_head_make(struct agent_head *agent, const struct home *home, const char *name, const char *server_url, const struct node *node,
                     const struct agent_head_options *options)
{
    static const struct agent_head_options usual = { 0 };
    char folder[HOME_PATH_SIZE], token[HOME_PATH_SIZE], client[512];
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    options = options == NULL ? &usual : options;
    *agent = (struct agent_head){ .home = home, .local.home = home };
    (void)snprintf(agent->name, sizeof agent->name, "%s", name);
    home_path(home, name, folder);
    (void)mkdir(folder, 0700);
    write_file(agent, "token", node->token, token);
    if (!options->makes_identity)
        give_identity(agent);
    hc_buf_printf(&text, "server_url: %s\ntoken_file: %s\nnode_id: %s\nstate_dir: %s/state\nlisten: \"127.0.0.1:0\"\nplays_after: 500ms\n"
                  "stop_grace: 2s\n", server_url, token, node->id, folder);
    if (options->command != NULL) {
        hc_buf_printf(&text, "command: \"%s\"\n", options->command);
    } else {
        program_path("STREAM_CLIENT", "stream_client", client, sizeof client);
        hc_buf_printf(&text, "command: \"%s --host {host} --port {port} --app {app} --cert {cert} --key {key} --uniqueid {uniqueid} "
                      "--pin {pin}\"\n", client);
    }
    hc_buf_str(&text, options->more == NULL ? "" : options->more);
    assert_false(text.failed);
    write_file(agent, "config.yaml", text.data, agent->config);
}

void agent_head_start(struct agent_head *agent)
{
    char program[512], file[HOME_PATH_SIZE], log[HOME_PATH_SIZE], line[PROCESS_LINE_MAX];
    struct daemon *local = &agent->local;
    int pid = 0;
    program_path("HYDRAHEAD", "hydrahead", program, sizeof program);
    file_of(agent, "log", file);
    home_path(agent->home, file, log);
    const char *const argv[] = { program, "--config", agent->config, NULL };
    process_start(&local->process, argv, NULL, log);
    if (!process_line(&local->process, line, DAEMON_START_MS) || sscanf(line, "ready url=%127s pid=%d", local->url, &pid) != 2) {
        agent_head_print_log(agent);
        agent_head_end(agent);
        fail_msg("hydrahead %s did not say that it is ready", agent->name);
    }
    assert_int_equal(pid, local->process.pid);
    const struct client_options options = { .server_url = local->url, .timeout_ms = DAEMON_CALL_MS };
    struct hc_diag diag;
    if (client_open(&options, &local->client, &diag) != HC_OK)
        fail_msg("%s", diag.text);
}

int agent_head_stop(struct agent_head *agent)
{
    daemon_signal(&agent->local, SIGTERM);
    return daemon_wait(&agent->local, AGENT_HEAD_STOP_MS);
}

void agent_head_kill(struct agent_head *agent)
{
    daemon_kill(&agent->local);
}

void agent_head_end(struct agent_head *agent)
{
    daemon_end(&agent->local);
}

int agent_head_run(const struct agent_head *agent, const char *const *words, char *output, size_t size)
{
    char program[512], file[HOME_PATH_SIZE], log[HOME_PATH_SIZE], line[PROCESS_LINE_MAX];
    const char *argv[ARGS_MAX] = { program };
    size_t count = 1, len = 0;
    struct process process;
    program_path("HYDRAHEAD", "hydrahead", program, sizeof program);
    for (; *words != NULL; words++) {
        assert_true(count < ARGS_MAX - 3);
        argv[count++] = *words;
    }
    argv[count++] = "--config";
    argv[count++] = agent->config;
    file_of(agent, "run.log", file);
    home_path(agent->home, file, log);
    process_start(&process, argv, NULL, log);
    while (process_line(&process, line, RUN_MS))
        if (output != NULL && len < size)
            len += (size_t)snprintf(output + len, size - len, "%s\n", line);
    return process_wait(&process, RUN_MS);
}

struct call agent_head_call(struct agent_head *agent, const char *method, const char *path, const char *body)
{
    return daemon_call(&agent->local, NULL, method, path, body);
}

static void post(struct agent_head *agent, const char *path, const char *body)
{
    struct call call = agent_head_call(agent, "POST", path, body);
    if (call.status != 200)
        fail_msg("%s: %ld %s", path, call.status, call.text);
    call_free(&call);
}

void agent_head_wants(struct agent_head *agent, const char *experience)
{
    char body[256];
    (void)snprintf(body, sizeof body, "{\"experience\":\"%s\"}", experience);
    post(agent, "/api/v1/stream/start", body);
}

void agent_head_leaves(struct agent_head *agent)
{
    post(agent, "/api/v1/stream/stop", "{}");
}

bool agent_head_is(struct agent_head *agent, const char *status)
{
    struct call call = agent_head_call(agent, "GET", "/api/v1/stream/status", NULL);
    bool is = strcmp(call_str(&call, "status"), status) == 0;
    call_free(&call);
    return is;
}

long agent_head_place(struct agent_head *agent)
{
    struct call call = agent_head_call(agent, "GET", "/api/v1/stream/status", NULL);
    long place = (long)json_integer_value(call_value(&call, "queue.position"));
    call_free(&call);
    return place;
}

struct wanted { struct agent_head *agent; const char *status; };
static bool status_is(void *ctx)
{
    const struct wanted *wanted = ctx;
    return agent_head_is(wanted->agent, wanted->status);
}

bool agent_head_waits(struct agent_head *agent, const char *status, int64_t at_most_ms)
{
    struct wanted wanted = { agent, status };
    bool yes = wait_until(status_is, &wanted, at_most_ms);
    if (!yes)
        agent_head_print_log(agent);
    return yes;
}

static char *read_log(const struct agent_head *agent)
{
    char file[HOME_PATH_SIZE];
    file_of(agent, "log", file);
    return home_has(agent->home, file) ? home_read(agent->home, file) : NULL;
}

bool agent_head_log_has(const struct agent_head *agent, const char *text)
{
    char *log = read_log(agent);
    bool has = log != NULL && strstr(log, text) != NULL;
    hc_free(log);
    return has;
}

void agent_head_print_log(const struct agent_head *agent)
{
    char *log = read_log(agent);
    size_t len = log == NULL ? 0 : strlen(log);
    if (log != NULL)
        (void)fprintf(stderr, "--- end of the log of hydrahead %s\n%s---\n", agent->name, log + (len > LOG_SHOWN ? len - LOG_SHOWN : 0));
    hc_free(log);
}
