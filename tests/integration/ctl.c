#include "ctl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/base/buf.h"

#define ARGS_MAX    24
#define RUN_MS      30000
#define VALUE_SIZE  512

static char program[512];
static char server_env[VALUE_SIZE], token_env[VALUE_SIZE], home_env[VALUE_SIZE], program_env[VALUE_SIZE + 16];
static const char *environment[] = { server_env, token_env, home_env, program_env, "NO_COLOR=", "TERM=xterm", NULL, NULL };
#define LEAKS_AT    6               /* of environment: NULL, or PROCESS_NO_LEAKS */
#define COMMANDS    128

void ctl_set_up(void)
{
    char path[HOME_PATH_SIZE];
    program_path("HYDRACTL", "hydractl", program, sizeof program);
    home_write(&scene.home, "admin.token", scene.home.admin_token);
    home_path(&scene.home, "admin.token", path);
    assert_int_equal(chmod(path, 0600), 0);
    (void)snprintf(server_env, sizeof server_env, "HYDRACTL_SERVER=%s", scene.daemon.url);
    (void)snprintf(token_env, sizeof token_env, "HYDRACTL_TOKEN_FILE=%s", path);
    (void)snprintf(home_env, sizeof home_env, "HOME=%s", scene.home.root);
    (void)snprintf(program_env, sizeof program_env, "HYDRACTL=%s", program);
}

/* Each command word's first run in a test program looks for leaks; to look costs as much as all that the program does. */
static const char *leaks_of(const char *command)
{
    static char seen[COMMANDS][VALUE_SIZE];
    static size_t count;
    for (size_t i = 0; i < count; i++)
        if (strcmp(seen[i], command) == 0)
            return PROCESS_NO_LEAKS;
    if (count < COMMANDS && strlen(command) < VALUE_SIZE)
        (void)snprintf(seen[count++], VALUE_SIZE, "%s", command);
    return NULL;
}

static void start(struct process *process, const char *err_name, const char *const *argv)
{
    char err_path[HOME_PATH_SIZE];
    environment[LEAKS_AT] = argv[0] == program ? leaks_of(argv[1] == NULL ? "" : argv[1]) : NULL;
    home_write(&scene.home, err_name, "");
    home_path(&scene.home, err_name, err_path);
    process_start(process, argv, environment, err_path);
}

static struct ran finish(struct process *process)
{
    struct hc_buf out = { 0 };
    char line[PROCESS_LINE_MAX];
    hc_buf_str(&out, "");
    while (process_line(process, line, RUN_MS)) {
        hc_buf_str(&out, line);
        hc_buf_char(&out, '\n');
    }
    assert_false(out.failed);
    return (struct ran){ .code = process_wait(process, RUN_MS), .out = out.data, .err = home_read(&scene.home, "ctl.err") };
}

static void take_args(const char *first, va_list args, const char *argv[ARGS_MAX + 2])
{
    size_t count = 0;
    argv[count++] = program;
    for (const char *arg = first; arg != NULL; arg = va_arg(args, const char *)) {
        assert_true(count <= ARGS_MAX);
        argv[count++] = arg;
    }
    argv[count] = NULL;
}

struct ran ctl(const char *first, ...)
{
    const char *argv[ARGS_MAX + 2];
    struct process process;
    va_list args;
    va_start(args, first);
    take_args(first, args, argv);
    va_end(args);
    start(&process, "ctl.err", argv);
    return finish(&process);
}

struct ran ctl_shell(const char *script)
{
    struct process process;
    const char *const argv[] = { "/bin/bash", "-c", script, NULL };
    start(&process, "ctl.err", argv);
    return finish(&process);
}

void ctl_start(struct process *process, const char *err_name, const char *first, ...)
{
    const char *argv[ARGS_MAX + 2];
    va_list args;
    va_start(args, first);
    take_args(first, args, argv);
    va_end(args);
    start(process, err_name, argv);
}

void ctl_start_shell(struct process *process, const char *err_name, const char *script)
{
    const char *const argv[] = { "/bin/bash", "-c", script, NULL };
    start(process, err_name, argv);
}

void ran_free(struct ran *ran)
{
    hc_free(ran->out);
    hc_free(ran->err);
    *ran = (struct ran){ 0 };
}

static bool line_has(const char *text, const char *first, const char *second)
{
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n')) {
        size_t len = strcspn(line, "\n");
        const char *a = memmem(line, len, first, strlen(first));
        if (a != NULL && (second == NULL || memmem(line, len, second, strlen(second)) != NULL))
            return true;
    }
    return false;
}

void ctl_shows(const struct ran *ran, const char *text, const char *second)
{
    if (!line_has(ran->out, text, second))
        fail_msg("no line with %s and %s in (code %d)\n%s\n%s", text, second == NULL ? "" : second, ran->code, ran->out, ran->err);
}

bool ctl_says(const struct ran *ran, const char *text)
{
    bool found = strstr(ran->err, text) != NULL;
    if (!found)
        print_error("stderr has no \"%s\": %s\n%s\n", text, ran->err, ran->out);
    return found;
}

json_t *ctl_json(const struct ran *ran)
{
    json_t *json = json_loads(ran->out, JSON_DECODE_ANY, NULL);
    if (json == NULL)
        fail_msg("no JSON (code %d): %s\n%s", ran->code, ran->out, ran->err);
    return json;
}

void ctl_good(struct ran ran)
{
    if (ran.code != 0)
        fail_msg("code %d: %s\n%s", ran.code, ran.out, ran.err);
    ran_free(&ran);
}

void ctl_waits_line(struct process *process, const char *text)
{
    char line[PROCESS_LINE_MAX];
    while (process_line(process, line, SCENE_WAIT_MS))
        if (strstr(line, text) != NULL)
            return;
    fail_msg("no line with %s came", text);
}

struct awaited { const char *name, *text; };

static bool is_said(void *ctx)
{
    const struct awaited *awaited = ctx;
    char *text = home_read(&scene.home, awaited->name);
    bool found = strstr(text, awaited->text) != NULL;
    hc_free(text);
    return found;
}

bool ctl_waits_err(const char *err_name, const char *text)
{
    struct awaited awaited = { err_name, text };
    return wait_until(is_said, &awaited, SCENE_WAIT_MS);
}
