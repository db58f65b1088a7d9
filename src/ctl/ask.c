/* ask.c - calls to the server, and what its refusals mean to a person. */
#include <string.h>

#include "context.h"
#include "hydra/base/id.h"
#include "value_text.h"

/* "404 node_not_found: No such node has that id." */
static void refusal(const struct client_answer *answer, struct hc_diag *diag)
{
    json_t *json = json_loadb(answer->body.data, answer->body.len, JSON_REJECT_DUPLICATES, NULL);
    const char *error = value_str(json, "error"), *detail = value_str(json, "detail"), *field = value_str(json, "field");
    const char *hint = answer->status == 401   ? " (the token is not known there: is it the right file, was it revoked?)"
                       : answer->status == 403 ? " (the token may not do this)"
                                               : "";
    if (error[0] == '\0')
        (void)hc_fail(diag, HC_ERR_CONFIG, "the server answered %ld and no reason%s", answer->status, hint);
    else
        (void)hc_fail(diag, HC_ERR_CONFIG, "%ld %s%s%s: %s%s", answer->status, error, field[0] == '\0' ? "" : " in ", field,
                      detail[0] == '\0' ? "no more is known" : detail, hint);
    if (answer->retry_after_seconds >= 0) {
        size_t len = strlen(diag->text);
        (void)snprintf(diag->text + len, sizeof diag->text - len, " Try again in %d s.", answer->retry_after_seconds);
    }
    json_decref(json);
}

static int call(struct context *context, const char *method, const char *path, const char *body, struct client_answer *ret_answer,
                struct hc_diag *diag)
{
    const char *token = context->settings.token[0] == '\0' ? NULL : context->settings.token;
    enum hc_err err = client_call(context->client, method, path, token, body, ret_answer, diag);
    if (err == HC_ERR_NET || err == HC_ERR_TIMEOUT)
        return EXIT_UNREACHABLE;
    if (err != HC_OK)
        return err == HC_ERR_CONFIG || err == HC_ERR_SYNTAX ? EXIT_USAGE : EXIT_REFUSED;
    if (ret_answer->status >= 200 && ret_answer->status < 300)
        return EXIT_GOOD;
    refusal(ret_answer, diag);
    client_answer_free(ret_answer);
    return EXIT_REFUSED;
}

int ask_raw(struct context *context, const char *method, const char *path, const char *body, struct client_answer *ret_answer)
{
    struct hc_diag diag = { "" };
    int code = call(context, method, path, body, ret_answer, &diag);
    return code == EXIT_GOOD ? code : context_fail((enum exit_code)code, &diag);
}

/* Whatever answers at that address may be no hydraclusterd at all. */
static int parse(const struct client_answer *answer, json_t **ret_answer, struct hc_diag *diag)
{
    json_error_t why;
    if (answer->body.len == 0) {
        *ret_answer = NULL;
        return EXIT_GOOD;
    }
    *ret_answer = json_loadb(answer->body.data, answer->body.len, JSON_REJECT_DUPLICATES, &why);
    if (*ret_answer != NULL)
        return EXIT_GOOD;
    (void)hc_fail(diag, HC_ERR_SYNTAX, "the answer is no JSON (%s): is that a hydraclusterd?", why.text);
    return EXIT_REFUSED;
}

static int ask_parsed(struct context *context, const char *method, const char *path, const char *body, json_t **ret_answer,
                      struct hc_diag *diag)
{
    struct client_answer answer = { 0 };
    int code = call(context, method, path, body, &answer, diag);
    if (code != EXIT_GOOD)
        return code;
    code = parse(&answer, ret_answer, diag);
    client_answer_free(&answer);
    return code;
}

int ask(struct context *context, const char *method, const char *path, const char *body, json_t **ret_answer)
{
    struct hc_diag diag = { "" };
    int code = ask_parsed(context, method, path, body, ret_answer, &diag);
    return code == EXIT_GOOD ? code : context_fail((enum exit_code)code, &diag);
}

int ask_quietly(struct context *context, const char *path, json_t **ret_answer, struct hc_diag *diag)
{
    return ask_parsed(context, "GET", path, NULL, ret_answer, diag);
}

/* The ids that enrolment gives: a name that looks like one would be asked for as an id. */
static bool looks_like_id(const char *text)
{
    return strncmp(text, "node-", 5) == 0 && strlen(text) == 13 && strspn(text + 5, "0123456789abcdef") == 8;
}

static int choose(const json_t *nodes, const char *wanted, struct context *context, const char **ret_id)
{
    struct hc_buf several = { 0 };
    const char *found = NULL;
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        const json_t *node = json_array_get(nodes, i);
        const char *id = value_str(node, "id");
        bool is_id = strcmp(id, wanted) == 0;
        if (!is_id && strcmp(value_str(node, "name"), wanted) != 0)
            continue;
        count = is_id ? 1 : count + 1;
        found = id;
        hc_buf_str(&several, several.len > 0 ? ", " : "");
        hc_buf_str(&several, id);
        if (is_id)
            break;
    }
    int code = EXIT_GOOD;
    if (count == 0)
        code = context_complain(EXIT_REFUSED, "%s: no node has that id or name; `hydractl nodes` lists them", wanted);
    else if (count > 1)
        code = context_complain(EXIT_REFUSED, "%s: several nodes have that name: %s; say which by its id", wanted,
                                several.failed ? "" : several.data);
    else if ((*ret_id = hc_arena_strdup(&context->arena, found)) == NULL)
        code = context_complain(EXIT_REFUSED, "out of memory");
    hc_buf_free(&several);
    return code;
}

int ask_node(struct context *context, const char *id_or_name, const char **ret_id)
{
    *ret_id = id_or_name;
    if (looks_like_id(id_or_name))
        return EXIT_GOOD;
    json_t *nodes = NULL;
    int code = ask(context, "GET", "/api/v1/nodes", NULL, &nodes);
    if (code == EXIT_GOOD)
        code = choose(nodes, id_or_name, context, ret_id);
    json_decref(nodes);
    return code;
}
