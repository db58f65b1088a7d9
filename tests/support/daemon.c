#include "daemon.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "answer_check.h"
#include "fault.h"
#include "hydra/base/arena.h"
#include "hydra/client/client.h"

#define LOG_SHOWN      ((size_t)8192)

struct command { const char *argv[PROCESS_ARGS_MAX]; size_t count; char program[512], timers[HOME_PATH_SIZE]; };

static void add_arg(struct command *command, const char *arg)
{
    assert_true(command->count < PROCESS_ARGS_MAX - 1);
    command->argv[command->count++] = arg;
    command->argv[command->count] = NULL;
}

static void build_command(struct command *command, const struct home *home, const struct daemon_options *options)
{
    command->count = 0;
    program_path("HYDRACLUSTERD", "hydraclusterd", command->program, sizeof command->program);
    add_arg(command, command->program);
    add_arg(command, "--data-dir");
    add_arg(command, home->data);
    add_arg(command, "--listen");
    add_arg(command, options->listen == NULL ? "127.0.0.1:0" : options->listen);
    if (options->timers != NULL) {
        home_write(home, "timers.yaml", options->timers);
        home_path(home, "timers.yaml", command->timers);
        add_arg(command, "--timers");
        add_arg(command, command->timers);
        add_arg(command, "--unsafe-timers");
    }
    for (size_t i = 0; options->args != NULL && options->args[i] != NULL; i++)
        add_arg(command, options->args[i]);
}

static void launch(struct process *process, const struct home *home, const struct daemon_options *options)
{
    struct command command;
    struct fault_environment env;
    build_command(&command, home, options);
    fault_environment(&env, home, options->faults);
    process_start(process, command.argv, env.vars, home->log);
}

static void connect_client(struct daemon *daemon)
{
    const struct client_options options = { .server_url = daemon->url, .timeout_ms = DAEMON_CALL_MS, .insecure = daemon->ca_file[0] == '\0',
                                            .ca_file = daemon->ca_file[0] == '\0' ? NULL : daemon->ca_file };
    struct hc_diag diag;
    if (client_open(&options, &daemon->client, &diag) != HC_OK)
        fail_msg("%s", diag.text);
}

static void print_log(const struct home *home)
{
    if (!home_has(home, "daemon.log"))
        return;
    char *text = home_read(home, "daemon.log");
    size_t len = strlen(text);
    (void)fprintf(stderr, "--- end of the log of hydraclusterd\n%s---\n", text + (len > LOG_SHOWN ? len - LOG_SHOWN : 0));
    hc_free(text);
}

void daemon_start(struct daemon *daemon, const struct home *home, const struct daemon_options *options)
{
    static const struct daemon_options plain;
    char line[PROCESS_LINE_MAX];
    int pid = 0;
    options = options == NULL ? &plain : options;
    *daemon = (struct daemon){ .home = home };
    (void)snprintf(daemon->ca_file, sizeof daemon->ca_file, "%s", options->ca_file == NULL ? "" : options->ca_file);
    launch(&daemon->process, home, options);
    bool ready = process_line(&daemon->process, line, DAEMON_START_MS) && sscanf(line, "ready url=%127s pid=%d", daemon->url, &pid) == 2;
    if (!ready) {
        print_log(home);
        bool running = process_running(&daemon->process);
        daemon_end(daemon);
        fail_msg("hydraclusterd %s", running ? "did not say that it is ready" : "ended instead of being ready");
    }
    assert_int_equal(pid, daemon->process.pid);
    daemon->described = true;
    connect_client(daemon);
}

int daemon_refuses(const struct home *home, const struct daemon_options *options, char last_line[PROCESS_LINE_MAX])
{
    static const struct daemon_options plain;
    struct process process;
    launch(&process, home, options == NULL ? &plain : options);
    int code = process_wait(&process, DAEMON_START_MS);
    if (last_line == NULL)
        return code;
    last_line[0] = '\0';
    char *text = home_read(home, "daemon.log"), *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;)
        if (line[0] != '\0')
            (void)snprintf(last_line, PROCESS_LINE_MAX, "%s", line);
    hc_free(text);
    return code;
}

void daemon_signal(const struct daemon *daemon, int signal)
{
    process_signal(&daemon->process, signal);
}

int daemon_wait(struct daemon *daemon, int64_t at_most_ms)
{
    daemon->client = client_close(daemon->client);
    return process_wait(&daemon->process, at_most_ms);
}

int daemon_stop(struct daemon *daemon)
{
    daemon_signal(daemon, SIGTERM);
    return daemon_wait(daemon, DAEMON_STOP_MS);
}

void daemon_kill(struct daemon *daemon)
{
    daemon_signal(daemon, SIGKILL);
    assert_int_equal(daemon_wait(daemon, DAEMON_STOP_MS), -SIGKILL);
}

void daemon_end(struct daemon *daemon)
{
    daemon->client = client_close(daemon->client);
    process_end(&daemon->process);
}

struct call daemon_try(struct daemon *daemon, const char *token, const char *method, const char *path, const char *body)
{
    struct call call = { .retry_after_seconds = -1 };
    struct client_answer answer;
    assert_non_null(daemon->client);
    call.err = client_call(daemon->client, method, path, token, body, &answer, NULL);
    if (call.err != HC_OK)
        return call;
    call.status = answer.status;
    call.retry_after_seconds = answer.retry_after_seconds;
    call.json = json_loadb(answer.body.data, answer.body.len, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    call.text = answer.body.data;           /* taken over; call_free() frees it */
    char why[ANSWER_WHY_SIZE];
    if (daemon->described && !answer_check(method, path, call.status, call.json, call.text, why, sizeof why))
        fail_msg("%s %s: docs/openapi.yaml says otherwise: %s; %ld %s", method, path, why, call.status, call.text);
    return call;
}

struct call daemon_call(struct daemon *daemon, const char *token, const char *method, const char *path, const char *body)
{
    struct call call = daemon_try(daemon, token, method, path, body);
    if (call.err != HC_OK) {
        print_log(daemon->home);
        fail_msg("%s %s: %s", method, path, hc_err_text(call.err));
    }
    return call;
}

struct call daemon_callf(struct daemon *daemon, const char *token, const char *method, const char *path, const char *format, ...)
{
    va_list args;
    char *body = NULL;
    va_start(args, format);
    int len = vasprintf(&body, format, args);
    va_end(args);
    assert_true(len >= 0);
    struct call call = daemon_call(daemon, token, method, path, body);
    free(body);
    return call;
}

void call_free(struct call *call)
{
    json_decref(call->json);
    hc_free(call->text);
    *call = (struct call){ .retry_after_seconds = -1 };
}

json_t *call_value(const struct call *call, const char *path)
{
    char copy[256], *rest = copy;
    int len = snprintf(copy, sizeof copy, "%s", path);
    assert_true(len >= 0 && (size_t)len < sizeof copy);
    json_t *at = call->json;
    for (char *step; at != NULL && (step = strsep(&rest, ".")) != NULL;)
        at = json_is_array(at) ? json_array_get(at, (size_t)strtoul(step, NULL, 10)) : json_object_get(at, step);
    return at;
}

static json_t *needed(const struct call *call, const char *path, bool right_type)
{
    json_t *value = call_value(call, path);
    if (value == NULL || !right_type)
        fail_msg("%s is %s in: %ld %s", path, value == NULL ? "missing" : "of another type", call->status, call->text);
    return value;
}

const char *call_str(const struct call *call, const char *path)
{
    return json_string_value(needed(call, path, json_is_string(call_value(call, path))));
}

int64_t call_int(const struct call *call, const char *path)
{
    return json_integer_value(needed(call, path, json_is_integer(call_value(call, path))));
}

bool call_bool(const struct call *call, const char *path)
{
    return json_boolean_value(needed(call, path, json_is_boolean(call_value(call, path))));
}
