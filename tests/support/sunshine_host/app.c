#include "app.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "hydra/base/arena.h"
#include "hydra/os/clock.h"
#include "apps.h"
#include "child.h"
#include "log.h"
#include "session.h"

#define HOOK_SLICE_MS   50
#define UNDO_AT_STOP_MS 5000
#define AUTO_DETACH_MS  5000
#define EXIT_TIMEOUT_S  5
#define SURROUND_STEREO 196610          /* channel mask << 16 | channels */

extern char **environ;

static void free_run(struct running *run)
{
    hc_free(run->name);
    hc_free(run->command);
    hc_free(run->folder);
    for (size_t i = 0; i < run->prep_count; i++) {
        hc_free(run->preps[i].start);
        hc_free(run->preps[i].undo);
    }
    for (size_t i = 0; i < run->env_count; i++)
        hc_free(run->env[i]);
    *run = (struct running){ 0 };
}

static void put_env(struct running *run, const char *name, const char *value)
{
    char text[4096];
    size_t name_len = strlen(name);
    (void)snprintf(text, sizeof text, "%s=%s", name, value);
    for (size_t i = 0; i < run->env_count; i++)
        if (strncmp(run->env[i], text, name_len + 1) == 0) {
            hc_free(run->env[i]);
            run->env[i] = host_copy(text);
            return;
        }
    if (run->env_count < HOST_ENV_MAX - 1)
        run->env[run->env_count++] = host_copy(text);
}

static void put_number(struct running *run, const char *name, long value)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%ld", value);
    put_env(run, name, text);
}

static void put_flag(struct running *run, const char *name, bool value)
{
    put_env(run, name, value ? "true" : "false");
}

static void build_env(struct host *host, const struct request *request, struct running *run)
{
    static char audio[8] = "2.0";                       /* under app_mutex; left over from the launch before for odd counts */
    int width = 0, height = 0, fps = 0;
    const char *key, *mode = request_param(request, "mode"), *surround = request_param(request, "surroundParams");
    json_t *value;
    for (char **var = environ; *var != NULL && run->env_count < HOST_ENV_MAX - 1; var++)
        run->env[run->env_count++] = host_copy(*var);
    json_object_foreach(json_object_get(host->apps, "env"), key, value)
        put_env(run, key, json_is_string(value) ? json_string_value(value) : "");
    char *rest = NULL;
    if (mode != NULL) {
        width = (int)strtol(mode, &rest, 10);
        height = *rest == 'x' ? (int)strtol(rest + 1, &rest, 10) : 0;
        fps = *rest == 'x' ? (int)strtol(rest + 1, &rest, 10) : 0;
    }
    long channels = request_number(request, "surroundAudioInfo", SURROUND_STEREO) & 0xffff;
    if (channels == 2 || channels == 6 || channels == 8)
        (void)snprintf(audio, sizeof audio, "%s", channels == 2 ? "2.0" : channels == 6 ? "5.1" : "7.1");
    put_number(run, "SUNSHINE_APP_ID", run->id);
    put_env(run, "SUNSHINE_APP_NAME", run->name);
    put_number(run, "SUNSHINE_CLIENT_WIDTH", width);
    put_number(run, "SUNSHINE_CLIENT_HEIGHT", height);
    put_number(run, "SUNSHINE_CLIENT_FPS", fps);
    put_flag(run, "SUNSHINE_CLIENT_HDR", request_number(request, "hdrMode", 0) != 0);
    put_number(run, "SUNSHINE_CLIENT_GCMAP", request_number(request, "gcmap", 0));
    put_flag(run, "SUNSHINE_CLIENT_HOST_AUDIO", request_number(request, "localAudioPlayMode", 0) != 0);
    put_flag(run, "SUNSHINE_CLIENT_ENABLE_SOPS", request_number(request, "sops", 0) != 0);
    put_env(run, "SUNSHINE_CLIENT_AUDIO_CONFIGURATION", audio);
    if (host->version->surround_params)
        put_env(run, "SUNSHINE_CLIENT_AUDIO_SURROUND_PARAMS", surround == NULL ? "" : surround);
}

static void add_preps(struct running *run, const json_t *list)
{
    size_t index;
    json_t *prep;
    json_array_foreach(list, index, prep) {
        if (run->prep_count == HOST_PREPS_MAX)
            break;
        run->preps[run->prep_count].start = host_copy(apps_text(prep, "do"));
        run->preps[run->prep_count++].undo = host_copy(apps_text(prep, "undo"));
    }
}

/* Copies what the run needs, so that the list may change meanwhile. False: no such app. */
static bool prepare(struct host *host, const struct request *request, long id, struct running *run)
{
    host_lock(host);
    const json_t *app = apps_find(host, id);
    bool found = app != NULL;
    if (found) {
        *run = (struct running){ .id = id, .name = host_copy(apps_text(app, "name")), .command = host_copy(apps_text(app, "cmd")),
                                 .folder = host_copy(apps_text(app, "working-dir")), .auto_detach = apps_flag(app, "auto-detach", true),
                                 .exit_timeout_ms = apps_number(app, "exit-timeout", EXIT_TIMEOUT_S) * 1000 };
        if (!apps_flag(app, "exclude-global-prep-cmd", false))
            add_preps(run, host->global_preps);
        add_preps(run, json_object_get(app, "prep-cmd"));
        build_env(host, request, run);
    }
    host_unlock(host);
    return found;
}

/* A hook's whole time. False: the host stops first; `undo` commands are given some seconds even then. */
static bool wait_hook(struct host *host, pid_t pid, bool undo, int *ret_code)
{
    bool ended = false;
    int64_t until_ms = os_monotonic_ms() + (undo ? UNDO_AT_STOP_MS : 0);
    while (!ended && (!atomic_load(&host->stop) || os_monotonic_ms() < until_ms))
        ended = child_wait(pid, HOOK_SLICE_MS, ret_code);
    while (ended && !undo && host_fault(host, FAULT_HOOK_HANGS) != 0 && !atomic_load(&host->stop))
        (void)poll(NULL, 0, HOOK_SLICE_MS);
    if (!ended)
        child_end(pid, 0);
    return ended;
}

static void log_exit(const struct host *host, const char *command, int code)
{
    log_line("Error", "[%s] %s with code [%d]", command, host->version->says_failed ? "failed" : "exited", code);
}

static void run_undos(struct host *host, struct running *run)
{
    run->env[run->env_count] = NULL;
    while (run->preps_done > 0) {
        const struct prep *prep = &run->preps[--run->preps_done];
        pid_t pid;
        int code = 0;
        if (prep->undo[0] == '\0')
            continue;
        log_line("Info", "Executing Undo Cmd: [%s]", prep->undo);
        if (!child_start(prep->undo, run->folder, run->env, &pid))
            log_line("Error", "Couldn't run [%s]", prep->undo);
        else if (wait_hook(host, pid, true, &code) && code != 0)
            log_exit(host, prep->undo, code);
    }
}

/* One `do`. False: the launch is off. */
static bool run_do(struct host *host, const struct running *run, const struct prep *prep)
{
    pid_t pid;
    int code = 0;
    /* A Windows service with nobody logged on: no token to run it with. Desktops were forgiven that in older releases. */
    if (host_fault(host, FAULT_NOBODY_LOGGED_ON) != 0) {
        log_line("Error", "Couldn't run [%s]: permission denied", prep->start);
        return run->command[0] == '\0';
    }
    log_line("Info", "Executing Do Cmd: [%s]", prep->start);
    if (!child_start(prep->start, run->folder, run->env, &pid)) {
        log_line("Error", "Couldn't run [%s]", prep->start);
        return false;
    }
    if (!wait_hook(host, pid, false, &code))
        return false;
    if (code != 0)
        log_exit(host, prep->start, code);
    return code == 0;
}

static bool start_app(struct running *run)
{
    if (run->command[0] == '\0') {
        log_line("Info", "Executing [Desktop]");
        return true;
    }
    log_line("Info", "Executing: [%s] in [\"%s\"]", run->command, run->folder);
    return child_start(run->command, run->folder, run->env, &run->pid);
}

enum launched app_launch(struct host *host, const struct request *request)
{
    struct running run = { 0 };
    long id = request_number(request, "appid", 0);
    (void)pthread_mutex_lock(&host->app_mutex);
    if (!prepare(host, request, id, &run)) {
        log_line("Error", "Couldn't find app with ID [%ld]", id);
        (void)pthread_mutex_unlock(&host->app_mutex);
        return LAUNCHED_NO_SUCH;
    }
    run.env[run.env_count] = NULL;
    bool fine = true;
    while (fine && run.preps_done < run.prep_count) {
        const struct prep *prep = &run.preps[run.preps_done];
        fine = prep->start[0] == '\0' || run_do(host, &run, prep);
        run.preps_done += fine;
    }
    fine = fine && start_app(&run);
    if (fine) {
        run.started_ms = os_monotonic_ms();
        host_lock(host);
        host->running = run;
        host->minus_one_until_ms = 0;
        host_unlock(host);
    } else {
        run_undos(host, &run);
        free_run(&run);
    }
    (void)pthread_mutex_unlock(&host->app_mutex);
    return fine ? LAUNCHED_OK : LAUNCHED_FAILED;
}

bool app_is_running(struct host *host)
{
    host_lock(host);
    bool runs = host->running.id != 0;
    host_unlock(host);
    return runs;
}

/* Under app_mutex: nobody else takes the app away, so that its members may be used without the other mutex. */
static void terminate(struct host *host)
{
    struct running *run = &host->running;
    host_lock(host);
    (void)session_end_all(host);
    host_unlock(host);
    if (run->pid > 0 && !run->exit_seen)
        child_end(run->pid, run->exit_timeout_ms);
    run_undos(host, run);
    host_lock(host);
    free_run(run);
    host_unlock(host);
}

bool app_terminate(struct host *host)
{
    (void)pthread_mutex_lock(&host->app_mutex);
    bool ran = app_is_running(host);
    if (ran)
        terminate(host);
    (void)pthread_mutex_unlock(&host->app_mutex);
    return ran;
}

/* True: it is to be cleaned up. The first look after the exit still says that it runs. */
static bool has_exited(struct running *run)
{
    if (run->id == 0 || run->pid == 0)
        return false;
    if (run->exit_seen)
        return true;
    if (!child_wait(run->pid, 0, &run->exit_code))
        return false;
    if (run->auto_detach && run->exit_code == 0 && os_monotonic_ms() - run->started_ms < AUTO_DETACH_MS) {
        run->pid = 0;                                   /* a starter: what it started is somewhere, and "runs" until somebody ends it */
        return false;
    }
    run->exit_seen = true;
    return false;
}

void app_poll(struct host *host)
{
    if (pthread_mutex_trylock(&host->app_mutex) != 0)
        return;                                         /* it is being launched or ended */
    host_lock(host);
    bool exited = has_exited(&host->running);
    host_unlock(host);
    if (exited) {
        log_line("Info", "App exited with code [%d]", host->running.exit_code);
        terminate(host);
    }
    (void)pthread_mutex_unlock(&host->app_mutex);
}

void app_forget(struct host *host)
{
    if (host->running.id == 0)
        return;
    for (size_t i = 0; i < HOST_ORPHANS_MAX && host->running.pid > 0; i++)
        if (host->orphans[i] == 0) {
            host->orphans[i] = host->running.pid;
            host->running.pid = 0;
        }
    if (session_end_all(host) == 0)
        log_line("Info", "Process terminated");
    free_run(&host->running);
}

void app_tick(struct host *host)
{
    host_lock(host);
    bool watched = session_count(host) > 0;
    int64_t hang_until_ms = host->hang_until_ms;
    session_tick(host);
    for (size_t i = 0; i < HOST_ORPHANS_MAX; i++)
        if (host->orphans[i] > 0 && waitpid(host->orphans[i], NULL, WNOHANG) != 0)
            host->orphans[i] = 0;
    host_unlock(host);
    if (watched)
        app_poll(host);
    if (hang_until_ms != 0 && os_monotonic_ms() >= hang_until_ms) {
        log_line("Fatal", "Hang detected! Session failed to terminate in 10 seconds.");
        abort();
    }
}
