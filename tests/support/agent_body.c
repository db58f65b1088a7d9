#include "agent_body.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "fault.h"
#include "hydra/base/arena.h"
#include "hydra/base/buf.h"
#include "hydra/client/client.h"

#define NAME_SIZE   128
#define RUN_MS      30000
#define LOG_SHOWN   ((size_t)8192)

static void path_under(const char *folder, const char *name, char out[HOME_PATH_SIZE])
{
    int len = snprintf(out, HOME_PATH_SIZE, "%s/%s", folder, name);
    assert_true(len > 0 && len < HOME_PATH_SIZE);
}

/* NAME/FILE of the home: what home_write() and home_read() take. */
static void name_in(const struct agent_body *agent, const char *file, char out[NAME_SIZE])
{
    int len = snprintf(out, NAME_SIZE, "%s/%s", agent->name, file);
    assert_true(len > 0 && len < NAME_SIZE);
}

static void put(const struct agent_body *agent, const char *file, const char *text)
{
    char name[NAME_SIZE], path[HOME_PATH_SIZE];
    name_in(agent, file, name);
    home_write(agent->home, name, text);
    path_under(agent->folder, file, path);
    assert_int_equal(chmod(path, 0600), 0);
}

char *agent_body_apps(const struct home *home, const char *name, unsigned slot)
{
    struct hc_buf text = { 0 };
    hc_buf_printf(&text,
                  "{\"env\":{},\"apps\":[{\"name\":\"Desktop\",\"prep-cmd\":[],\"detached\":[]},"
                  "{\"name\":\"" FLEET_EXPERIENCE "\",\"cmd\":\"sleep 600\",\"detached\":[],\"prep-cmd\":["
                  "{\"do\":\"/bin/sh %s/%s/hook started %u\",\"undo\":\"/bin/sh %s/%s/hook ended %u\"}]}]}",
                  home->root, name, slot, home->root, name, slot);
    assert_false(text.failed);
    return text.data;
}

static void write_hook(const struct agent_body *agent)
{
    char program[512];
    struct hc_buf text = { 0 };
    program_path("HYDRABODY", "hydrabody", program, sizeof program);
    hc_buf_printf(&text, "#!/bin/sh\nexec %s hook \"$1\" --slot \"$2\" --port \"$(cat %s/port)\"\n", program, agent->folder);
    put(agent, "hook", text.data);
    hc_buf_free(&text);
}

void agent_body_make(struct agent_body *agent, const struct home *home, const char *name, const char *server_url, const struct node *node,
                     const struct sunshine *hosts, size_t count)
{
    struct hc_buf text = { 0 };
    *agent = (struct agent_body){ .home = home, .slots = count };
    (void)snprintf(agent->name, sizeof agent->name, "%s", name);
    home_path(home, name, agent->folder);
    (void)mkdir(agent->folder, 0700);
    put(agent, "token", node->token);
    put(agent, "local-token", AGENT_BODY_TOKEN "\n");
    put(agent, "password", "secret-1\n");
    put(agent, "port", "1");                    /* nobody answers there: an agent that has not begun */
    write_hook(agent);
    hc_buf_printf(&text, "server_url: %s\nnode_id: %s\ntoken_file: token\nstate_dir: %s/state\nlisten: \"127.0.0.1:0\"\n"
                         "local_token_file: local-token\ntrusted_networks: []\nslots:\n", server_url, node->id, agent->folder);
    for (size_t i = 0; i < count; i++)
        hc_buf_printf(&text, "  - {gamestream: %u, gamestream_tls: %u, web: %u, log_file: %s/sunshine.log, username: venue, "
                             "password_file: password}\n", hosts[i].http, hosts[i].https, hosts[i].web, hosts[i].dir);
    assert_false(text.failed);
    put(agent, "hydrabody.yaml", text.data);
    hc_buf_free(&text);
}

static void print_log(const struct agent_body *agent)
{
    char *text = agent_body_log(agent);
    size_t len = strlen(text);
    (void)fprintf(stderr, "--- end of the log of hydrabody\n%s---\n", text + (len > LOG_SHOWN ? len - LOG_SHOWN : 0));
    hc_free(text);
}

void agent_body_start(struct agent_body *agent)
{
    char program[512], config[HOME_PATH_SIZE], log[HOME_PATH_SIZE], line[PROCESS_LINE_MAX];
    struct fault_environment env;
    int pid = 0;
    program_path("HYDRABODY", "hydrabody", program, sizeof program);
    path_under(agent->folder, "hydrabody.yaml", config);
    path_under(agent->folder, "log", log);
    fault_environment(&env, agent->home, agent->faults);
    const char *const argv[] = { program, "--config", config, NULL };
    process_start(&agent->process, argv, env.vars, log);
    bool ready = process_line(&agent->process, line, AGENT_BODY_START_MS) && sscanf(line, "ready url=%127s pid=%d", agent->url, &pid) == 2;
    if (!ready) {
        print_log(agent);
        agent_body_end(agent);
        fail_msg("hydrabody did not say that it is ready");
    }
    assert_int_equal(pid, agent->process.pid);
    put(agent, "port", strrchr(agent->url, ':') + 1);
}

void agent_body_kill(struct agent_body *agent)
{
    process_end(&agent->process);
}

int agent_body_stop(struct agent_body *agent)
{
    process_signal(&agent->process, SIGTERM);
    int code = process_wait(&agent->process, AGENT_BODY_STOP_MS);
    if (code != 0)
        print_log(agent);
    return code;
}

void agent_body_end(struct agent_body *agent)
{
    process_end(&agent->process);
}

struct call agent_body_call(const struct agent_body *agent, const char *method, const char *path, const char *body)
{
    const struct client_options options = { .server_url = agent->url, .timeout_ms = DAEMON_CALL_MS };
    struct call call = { .err = HC_OK };
    struct client *client = NULL;
    struct client_answer answer = { 0 };
    struct hc_diag diag = { "" };
    assert_int_equal(client_open(&options, &client, &diag), HC_OK);
    call.err = client_call(client, method, path, AGENT_BODY_TOKEN, body, &answer, &diag);
    if (call.err != HC_OK)
        fail_msg("%s %s: %s", method, path, diag.text);
    call.status = answer.status;
    call.retry_after_seconds = answer.retry_after_seconds;
    call.text = answer.body.data;           /* taken over; call_free() frees it */
    call.json = json_loads(call.text, 0, NULL);
    (void)client_close(client);
    return call;
}

int agent_body_run(const struct agent_body *agent, const char *const *words, const char *const *env, char *output, size_t size)
{
    char program[512], log[HOME_PATH_SIZE], line[PROCESS_LINE_MAX];
    const char *argv[PROCESS_ARGS_MAX] = { program };
    size_t count = 1, len = 0;
    struct process process;
    program_path("HYDRABODY", "hydrabody", program, sizeof program);
    path_under(agent->folder, "log", log);
    for (; words[count - 1] != NULL; count++) {
        assert_true(count < PROCESS_ARGS_MAX - 1);
        argv[count] = words[count - 1];
    }
    argv[count] = NULL;
    process_start(&process, argv, env, log);
    while (process_line(&process, line, RUN_MS)) {
        int more = output == NULL ? 0 : snprintf(output + len, size - len, "%s\n", line);
        assert_true(more >= 0 && (output == NULL || (size_t)more < size - len));
        len += (size_t)more;
    }
    return process_wait(&process, RUN_MS);
}

char *agent_body_log(const struct agent_body *agent)
{
    char name[NAME_SIZE];
    name_in(agent, "log", name);
    return home_read(agent->home, name);
}

bool agent_body_log_has(const struct agent_body *agent, const char *text)
{
    char *log = agent_body_log(agent);
    bool has = strstr(log, text) != NULL;
    hc_free(log);
    return has;
}
