#include "host_steps.h"

#include <stdio.h>
#include <string.h>

#include "hydra/gamestream/launch.h"
#include "hydra/gamestream/pins.h"
#include "hydra/os/random.h"

#define CALL_MS        5000
#define PIN_MS         20000       /* until the host has answered the PIN: the cluster's way to the body is in it */
#define PIN_CALL_MS    15000
#define PINS           10000u
#define PIN_DRAWS      (UINT16_MAX / PINS * PINS)       /* draws above are thrown away: every PIN is as likely */

static struct gs_host host_of(const struct host_step *step)
{
    return (struct gs_host){ step->body->address, step->body->http_port, step->body->https_port };
}

static struct gs_client client_of(const struct host_step *step)
{
    return (struct gs_client){ step->identity->device_uid, step->identity->cert_pem, step->identity->key_pem };
}

static void answer(struct head_event *ev, enum head_event_type type, enum head_host_verdict verdict, const struct hc_diag *why)
{
    *ev = (struct head_event){ .type = type, .verdict = verdict };
    (void)snprintf(ev->sentence, sizeof ev->sentence, "%.*s", (int)sizeof ev->sentence - 1, why->text);      /* for people: cut is fine */
}

/* Its id names the file with its certificate; anybody may ask for it. */
static enum hc_err name_host(const struct host_step *step, struct hc_diag *why)
{
    const struct gs_host host = host_of(step);
    const struct gs_client client = client_of(step);
    struct gs_serverinfo info;
    step->memory->unique_id[0] = step->memory->name[0] = '\0';
    enum hc_err err = gs_serverinfo(&host, &client, CALL_MS, &info, why);
    if (err == HC_OK) {
        HC_SET(step->memory->unique_id, info.unique_id);
        HC_SET(step->memory->name, info.hostname);
    }
    return err;
}

/* HC_ERR_NOTFOUND: no pin that can be used. */
static enum hc_err load_pin(const struct host_step *step, struct hc_buf *pin, struct hc_diag *why)
{
    enum hc_err err = gs_pin_load(step->pins_fd, step->memory->unique_id, pin, why);
    return err == HC_ERR_SYNTAX ? HC_ERR_NOTFOUND : err;
}

/* A 401 of a host that has us in its list, as the cluster says, may be a gate that is not open yet (rules §13.5). */
static enum head_host_verdict verdict_of(const struct host_step *step, enum gs_verdict verdict)
{
    switch (verdict) {
    case GS_PAIRED:     return HOST_YES;
    case GS_NOT_PAIRED: return step->body->pair_required ? HOST_NO : HOST_UNKNOWN;
    case GS_ROTATED:    return HOST_ROTATED;
    case GS_UNKNOWN:    break;
    }
    return HOST_UNKNOWN;
}

/* *ret_verified: free it in every case. False: there is no pin, or it could not be looked at; then the event says which. */
static bool verified(const struct host_step *step, enum head_event_type type, struct gs_verified *ret_verified, struct head_event *ev)
{
    const struct gs_host host = host_of(step);
    const struct gs_client client = client_of(step);
    struct hc_diag why = { "" };
    HC_CLEANUP(hc_buf_freep) struct hc_buf pin = { 0 };
    *ret_verified = (struct gs_verified){ 0 };
    bool named = type == HEV_PROBED && step->memory->unique_id[0] != '\0';       /* by the verification right before */
    if (!named && name_host(step, &why) != HC_OK) {
        answer(ev, type, HOST_UNKNOWN, &why);
        return false;
    }
    enum hc_err err = load_pin(step, &pin, &why);
    if (err != HC_OK) {
        answer(ev, type, err == HC_ERR_NOTFOUND ? HOST_NO : HOST_UNKNOWN, &why);
        return false;
    }
    gs_verify(&host, &client, pin.data, CALL_MS, ret_verified);
    return true;
}

void host_verify(const struct host_step *step, struct head_event *ev)
{
    struct gs_verified found;
    hc_buf_clear(&step->memory->shown_cert);
    if (verified(step, HEV_VERIFIED, &found, ev)) {
        answer(ev, HEV_VERIFIED, verdict_of(step, found.verdict), &found.why);
        HC_SET(ev->fingerprint, found.peer_fingerprint);
        if (found.verdict == GS_ROTATED && found.peer_cert.data != NULL)
            hc_buf_add(&step->memory->shown_cert, found.peer_cert.data, found.peer_cert.len);
    }
    gs_verified_free(&found);
}

enum hc_err host_repin(const struct host_step *step, struct hc_diag *diag)
{
    if (step->memory->shown_cert.len == 0 || step->memory->unique_id[0] == '\0')
        return hc_fail(diag, HC_ERR_STATE, "the host has shown no certificate to pin");
    return gs_pin_store(step->pins_fd, step->memory->unique_id, step->memory->shown_cert.data, diag);
}

/* ---- pairing ---- */

static void draw_pin(char pin[GS_PIN_SIZE])
{
    uint16_t number;
    do
        os_random(&number, sizeof number);
    while (number >= PIN_DRAWS);
    (void)snprintf(pin, GS_PIN_SIZE, "%04u", number % PINS);
}

/* 502: Sunshine had no request to give it to, or not yet. 409: another head pairs there just now. */
static enum gs_pin_answer submit_pin(void *ctx, const char pin[GS_PIN_SIZE])
{
    const struct host_step *step = ctx;
    struct request_text request;
    struct cluster_answer got = { .err = HC_ERR_NOMEM };
    request_pin(step->body->id, pin, &request);
    if (!request_failed(&request))
        cluster_ask(step->line, &request, PIN_CALL_MS, step->stop, &got);
    request_drop(&request);
    long status = got.err == HC_OK ? got.status : 0;
    hc_buf_free(&got.body);
    return status == 200 ? GS_PIN_TAKEN : status == 502 || status == 409 ? GS_PIN_NOT_PENDING : GS_PIN_LOST;
}

static enum head_host_verdict pair_verdict(enum gs_pair_verdict verdict)
{
    switch (verdict) {
    case GS_PAIR_DONE:       return HOST_YES;
    case GS_PAIR_WRONG_PIN:
    case GS_PAIR_BUSY:
    case GS_PAIR_NO_PIN:
    case GS_PAIR_UNKNOWN:    return HOST_RETRY;
    case GS_PAIR_REFUSED:
    case GS_PAIR_OTHER_HOST:
    case GS_PAIR_TAMPERED:   break;
    }
    return HOST_UNKNOWN;
}

void host_pair(const struct host_step *step, struct head_event *ev)
{
    const struct gs_host host = host_of(step);
    const struct gs_client client = client_of(step);
    char pin[GS_PIN_SIZE];
    struct hc_diag why = { "" };
    HC_CLEANUP(hc_buf_freep) struct hc_buf cert = { 0 };
    struct host_step own = *step;
    if (name_host(step, &why) != HC_OK) {
        answer(ev, HEV_PAIRED, HOST_RETRY, &why);
        return;
    }
    draw_pin(pin);
    const struct gs_pairing how = { .pin = pin, .expected_fingerprint = step->body->cert_fp, .submit_pin = submit_pin, .pin_ctx = &own,
                                    .step_timeout_ms = CALL_MS, .pin_timeout_ms = PIN_MS, .random = os_random,
                                    .stop = (const volatile bool *)(const volatile void *)step->stop };
    enum gs_pair_verdict verdict = gs_pair(&host, &client, &how, &cert, &why);
    explicit_bzero(pin, sizeof pin);
    enum head_host_verdict found = pair_verdict(verdict);
    if (verdict == GS_PAIR_DONE && gs_pin_store(step->pins_fd, step->memory->unique_id, cert.data, &why) != HC_OK)
        found = HOST_UNKNOWN;               /* a pairing that is forgotten would be made again and again */
    answer(ev, HEV_PAIRED, found, &why);
}

/* ---- is it free? ---- */

/* Only an application with our lease's own token in its name is ours: a plain name may be anybody's. */
static bool runs_ours(const struct host_step *step, int64_t current_game, struct hc_diag *why)
{
    const struct gs_host host = host_of(step);
    const struct gs_client client = client_of(step);
    const char *app = step->body->app_name;
    struct hc_arena arena = { 0 };
    struct gs_app *apps = NULL;
    size_t count = 0;
    bool ours = false;
    HC_CLEANUP(hc_buf_freep) struct hc_buf pin = { 0 };
    if (strchr(app, '#') != NULL && load_pin(step, &pin, why) == HC_OK &&
        gs_applist(&host, &client, pin.data, CALL_MS, &arena, &apps, &count, why) == HC_OK)
        for (size_t i = 0; i < count && !ours; i++)
            ours = apps[i].id == current_game && strcmp(apps[i].title, app) == 0;
    hc_arena_free(&arena);
    return ours;
}

void host_probe(const struct host_step *step, struct head_event *ev)
{
    struct gs_verified found;
    if (verified(step, HEV_PROBED, &found, ev)) {
        bool paired = found.verdict == GS_PAIRED;
        bool free_or_ours = paired && (!found.info.busy || runs_ours(step, found.info.current_game, &found.why));
        answer(ev, HEV_PROBED, free_or_ours ? HOST_YES : paired ? HOST_NO : HOST_UNKNOWN, &found.why);
    }
    gs_verified_free(&found);
}

void host_memory_free(struct host_memory *memory)
{
    hc_buf_free(&memory->shown_cert);
}
