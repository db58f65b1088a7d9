/* actions_child.c - the streaming program: started with this device's identity and the host's pin, watched, its lines in our log. */
#include "agent.h"

#include <stdio.h>
#include <string.h>

#include "hydra/base/log.h"
#include "hydra/gamestream/pins.h"
#include "hydra/os/clock.h"

#include "child_line.h"
#include "moonlight_settings.h"

#define PORT_TEXT 8

static void child_says(void *ctx, const char *line)
{
    (void)ctx;
    char clean[CHILD_LINE_MAX + 1];
    HC_SET(clean, line);
    child_line_clean(clean);
    hc_log(HC_LOG_INFO, "stream_program", "line=%s", hc_logq(clean));
}

static void ended(struct agent *a, bool clean, const char *why)
{
    struct head_event ev = { .type = HEV_CHILD_ENDED, .clean = clean };
    (void)snprintf(ev.sentence, sizeof ev.sentence, "%.*s", (int)sizeof ev.sentence - 1, why);       /* for people: cut is fine */
    agent_give(a, &ev);
}

/* What was verified is what must stream: the same certificate of the host. */
static enum hc_err write_settings(const struct agent *a, struct hc_diag *diag)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf pin = { 0 };
    if (a->config->moonlight_settings == NULL)
        return HC_OK;
    enum hc_err err = gs_pin_load(a->reach.pins_fd, a->host_id, &pin, diag);
    const struct moonlight_host host = { .unique_id = a->host_id, .name = a->host_name, .address = a->head.body.address,
                                         .port = a->head.body.http_port, .cert_pem = pin.data };
    return err == HC_OK ? moonlight_settings_write(a->config->moonlight_settings, &a->identity->identity, &host, diag) : err;
}

static enum hc_err build(const struct agent *a, struct hc_arena *arena, char ***ret_argv, struct hc_diag *diag)
{
    char port[PORT_TEXT];
    const char *dir = a->config->state_dir, *program = NULL;
    (void)snprintf(port, sizeof port, "%u", a->head.body.http_port);
    const char *cert = hc_arena_printf(arena, "%s/%s", dir, IDENTITY_CERT_FILE), *key = hc_arena_printf(arena, "%s/%s", dir,
                                                                                                        IDENTITY_KEY_FILE);
    const char *pin = hc_arena_printf(arena, "%s/pins/%s.pem", dir, a->host_id);
    if (cert == NULL || key == NULL || pin == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "out of memory");
    const struct command_fact facts[] = {
        { "host", a->head.body.address }, { "port", port }, { "app", a->head.body.app_name }, { "cert", cert }, { "key", key },
        { "pin", pin }, { "uniqueid", a->identity->identity.device_uid },
    };
    enum hc_err err = command_fill(&a->config->words, facts, sizeof facts / sizeof facts[0], arena, ret_argv, diag);
    if (err == HC_OK)
        err = command_find((*ret_argv)[0], arena, &program, diag);
    if (err == HC_OK)
        (*ret_argv)[0] = (char *)(uintptr_t)program;
    return err;
}

void agent_spawn(struct agent *a)
{
    struct hc_arena arena = { 0 };
    struct hc_diag diag = { "" };
    char **argv = NULL;
    a->plays_told = false;
    enum hc_err err = write_settings(a, &diag);
    if (err == HC_OK)
        err = build(a, &arena, &argv, &diag);
    if (err == HC_OK)
        err = child_start(&a->child, argv, os_monotonic_ms(), &diag);
    if (err == HC_OK) {
        hc_log(HC_LOG_INFO, "stream_program_started", "pid=%ld program=%s body=%s lease=%s", (long)a->child.pid, hc_logq(argv[0]),
               hc_logq(a->head.body.id), hc_logq(a->head.lease.id));
    } else {
        hc_log(HC_LOG_ERR, "stream_program_not_started", "detail=%s", hc_logq(diag.text));
        ended(a, false, diag.text);
    }
    hc_arena_free(&arena);
}

void agent_child_turn(struct agent *a, int64_t now_ms)
{
    struct hc_diag why = { "" };
    bool clean = false;
    if (a->child.pid <= 0)
        return;
    child_read(&a->child, child_says, a);
    child_turn(&a->child, now_ms);
    if (child_over(&a->child, child_says, a, &clean, &why)) {
        hc_log(clean ? HC_LOG_INFO : HC_LOG_WARNING, "stream_program_ended", "detail=%s", hc_logq(why.text));
        ended(a, clean, why.text);
        return;
    }
    if (!a->plays_told && now_ms - a->child.started_ms >= a->config->plays_after_ms) {
        a->plays_told = true;
        agent_give(a, &(struct head_event){ .type = HEV_CHILD_PLAYS });
    }
}
