#include "operation_run.h"

#include <stdio.h>
#include <string.h>

#include "hydra/os/clock.h"

#define PIN_EVERY_MS   200
#define LIST_MAX       ((size_t)200 * 1024)     /* of the answer's 256 KiB */

enum hc_err operation_hands_open(struct agent *agent, struct operation_hands *ret, struct hc_diag *diag)
{
    enum hc_err err = HC_OK;
    *ret = (struct operation_hands){ .agent = agent };
    for (size_t i = 0; i < agent->slot_count && err == HC_OK; i++) {
        const struct slot_config *config = &agent->config->slots[i];
        const struct sunshine_access access = { .address = config->address, .port = config->web, .username = config->username,
                                                .password = config->password, .timeout_ms = OPERATION_CALL_MS };
        err = sunshine_open(&access, &ret->apis[i], diag);
    }
    return err;
}

void operation_hands_close(struct operation_hands *hands)
{
    for (size_t i = 0; i < DIRECTIVE_SLOTS_MAX; i++)
        hands->apis[i] = sunshine_close(hands->apis[i]);
}

static void say_status(struct operation_became *ret, bool status)
{
    ret->state = OPERATION_DONE;
    hc_buf_str(&ret->output, status ? "{\"status\":true}" : "{\"status\":false}");
}

static void say_failed(struct operation_became *ret, const char *error)
{
    ret->state = OPERATION_FAILED;
    HC_SET(ret->error, strlen(error) <= HC_NAME_MAX ? error : "failed");
}

/* ---- list_clients ---- */

/* What was no list, as text: its first 4 KiB, without what JSON text cannot carry. */
static void say_raw(struct operation_became *ret, const struct hc_buf *raw)
{
    char text[OPERATION_RAW_MAX / 2 + 1];
    size_t len = 0;
    for (size_t i = 0; i < raw->len && len < sizeof text - 1; i++) {
        unsigned char c = (unsigned char)raw->data[i];
        text[len++] = c >= 0x20 && c < 0x7f ? (char)c : ' ';
    }
    text[len] = '\0';
    ret->state = OPERATION_DONE;
    hc_buf_str(&ret->output, "{\"raw\":");
    hc_buf_json_str(&ret->output, text);
    hc_buf_char(&ret->output, '}');
}

static void add_clients(struct hc_buf *out, const struct sunshine_client *clients, size_t count, bool *first)
{
    for (size_t i = 0; i < count; i++) {
        hc_buf_str(out, *first ? "{\"enabled\":" : ",{\"enabled\":");
        hc_buf_str(out, clients[i].enabled ? "true" : "false");
        hc_buf_str(out, ",\"name\":");
        hc_buf_json_str(out, clients[i].name);
        hc_buf_str(out, ",\"uuid\":");
        hc_buf_json_str(out, clients[i].uuid);
        hc_buf_char(out, '}');
        *first = false;
    }
}

static void list_clients(struct operation_hands *hands, const struct operation_ask *ask, struct operation_became *ret)
{
    (void)ask;
    HC_CLEANUP(hc_buf_freep) struct hc_buf raw = { 0 };
    bool first = true;
    hc_buf_str(&ret->output, "{\"named_certs\":[");
    for (size_t i = 0; i < hands->agent->slot_count; i++) {
        struct hc_arena arena = { 0 };
        const struct sunshine_client *clients = NULL;
        size_t count = 0;
        hc_buf_clear(&raw);
        enum sunshine_outcome outcome = sunshine_clients(hands->apis[i], &arena, &clients, &count, &raw, NULL);
        if (outcome == SUNSHINE_OK)
            add_clients(&ret->output, clients, count, &first);
        hc_arena_free(&arena);
        if (outcome == SUNSHINE_OK && ret->output.len <= LIST_MAX)
            continue;
        hc_buf_clear(&ret->output);
        if (outcome == SUNSHINE_UNKNOWN && raw.len > 0)
            say_raw(ret, &raw);
        else
            say_failed(ret, outcome == SUNSHINE_OK ? "the list is longer than an answer may be" : sunshine_outcome_word(outcome));
        return;
    }
    hc_buf_str(&ret->output, "],\"status\":true}");
    ret->state = OPERATION_DONE;
}

/* ---- unpair, submit_pin ---- */

/* On the Sunshine that has it; one that is away might have it, so then nobody can say that it is gone. */
static void unpair(struct operation_hands *hands, const struct operation_ask *ask, struct operation_became *ret)
{
    enum sunshine_outcome worst = SUNSHINE_OK;
    bool removed = false;
    for (size_t i = 0; i < hands->agent->slot_count; i++) {
        enum sunshine_outcome outcome = sunshine_unpair(hands->apis[i], ask->args.uuid, NULL);
        removed = removed || outcome == SUNSHINE_OK;
        if (outcome > SUNSHINE_REFUSED)
            worst = outcome > worst ? outcome : worst;
    }
    if (removed || worst == SUNSHINE_OK)
        say_status(ret, removed);
    else
        say_failed(ret, sunshine_outcome_word(worst));
}

static void submit_pin(struct operation_hands *hands, const struct operation_ask *ask, struct operation_became *ret)
{
    int64_t until_ms = os_monotonic_ms() + OPERATION_PIN_MS;
    enum sunshine_outcome worst;
    do {
        worst = SUNSHINE_REFUSED;
        for (size_t i = 0; i < hands->agent->slot_count; i++) {
            enum sunshine_outcome outcome = sunshine_pin(hands->apis[i], ask->args.pin, ask->args.name, NULL);
            if (outcome == SUNSHINE_OK) {
                say_status(ret, true);
                return;
            }
            worst = outcome > worst ? outcome : worst;
        }
        if (worst == SUNSHINE_REFUSED)
            os_pause_ms(PIN_EVERY_MS);          /* no request has arrived yet: there is no other way to know */
    } while (worst == SUNSHINE_REFUSED && os_monotonic_ms() < until_ms && !atomic_load(&hands->agent->stop));
    if (worst == SUNSHINE_REFUSED)
        say_status(ret, false);
    else
        say_failed(ret, sunshine_outcome_word(worst));
}

/* ---- close_app, restart ---- */

static bool leased_session_lives(struct agent *agent)
{
    bool lives = false;
    agent_lock(agent);
    for (size_t i = 0; i < agent->slot_count; i++)
        lives = lives || slot_session_is_leased(&agent->slots[i]);
    agent_unlock(agent);
    return lives;
}

static void end_sessions(struct operation_hands *hands, const struct operation_ask *ask, struct operation_became *ret)
{
    struct agent *agent = hands->agent;
    enum sunshine_outcome worst = SUNSHINE_OK;
    if (!ask->args.force && leased_session_lives(agent)) {
        say_failed(ret, "session_live");
        return;
    }
    for (size_t i = 0; i < agent->slot_count; i++) {
        bool restart = ask->op == OPERATION_RESTART;
        enum sunshine_outcome outcome = restart ? sunshine_restart(hands->apis[i], NULL) : sunshine_close_app(hands->apis[i], NULL);
        outcome = restart && outcome == SUNSHINE_AWAY ? SUNSHINE_OK : outcome;
        worst = outcome > worst ? outcome : worst;
        agent_lock(agent);
        if (outcome == SUNSHINE_OK && sessions_closing(&agent->slots[i].sessions, os_monotonic_ms()))
            slot_edge(&agent->slots[i]);
        agent_unlock(agent);
    }
    if (worst == SUNSHINE_OK)
        say_status(ret, true);
    else
        say_failed(ret, sunshine_outcome_word(worst));
}

static void (*const runners[OPERATIONS])(struct operation_hands *, const struct operation_ask *, struct operation_became *) = {
    [OPERATION_LIST_CLIENTS] = list_clients, [OPERATION_UNPAIR] = unpair, [OPERATION_SUBMIT_PIN] = submit_pin,
    [OPERATION_CLOSE_APP] = end_sessions, [OPERATION_RESTART] = end_sessions,
};

void operation_run(struct operation_hands *hands, const struct operation_ask *ask, struct operation_became *ret)
{
    *ret = (struct operation_became){ .state = OPERATION_FAILED };
    runners[ask->op](hands, ask, ret);
    if (ret->output.failed) {
        hc_buf_free(&ret->output);
        say_failed(ret, "no memory for the answer");
    }
}
