/* desired.c - GET /bodies/{id}/desired: the directive again as soon as it differs from the one that the body has (wire §4). */
#include "directive_json.h"
#include "operator_routes.h"

struct desired_call { const char *since; };

/* Answers if it differs from what the caller has, or if it must. False: the call waits on. */
static bool answer_if_news(struct call *call, bool must)
{
    const struct desired_call *asked = call->user;
    struct hc_arena arena = { 0 };            /* a poll may look many times: each look's memory goes with it */
    struct directive directive;
    char digest[DIRECTIVE_DIGEST_SIZE] = "";
    struct hc_buf json = { 0 };
    hc_buf_char(&json, '{');
    enum hc_err err = engine_directive(call->api->config.engine, call->ids[0], &arena, &directive);
    if (err == HC_OK)
        err = directive_json(&directive, digest, &json);
    hc_arena_free(&arena);
    hc_buf_char(&json, '}');
    if (err == HC_OK && (must || !hc_same(asked->since, digest))) {
        call_json(call, 200, &json);
        return true;
    }
    hc_buf_free(&json);
    if (err == HC_OK)
        return false;
    if (err == HC_ERR_NOTFOUND)
        call_error(call, 404, "node_not_found", "No such node has that id.", NULL, 0);
    else
        call_fault(call, err);
    return true;
}

static void look_again(struct call *call, bool last)
{
    (void)answer_if_news(call, last);
}

void desired_get(struct call *call)
{
    uint32_t wait = call_query_u32(call, "wait", 0);
    struct desired_call *asked = hc_arena_alloc(call->arena, sizeof *asked);
    if (asked == NULL) {
        call_fault(call, HC_ERR_NOMEM);
        return;
    }
    asked->since = call_query(call, "since");
    call->user = asked;
    if (answer_if_news(call, wait == 0))
        return;
    call_wait(call, WAIT_FOR_BODY, call->ids[0], call->api->config.monotonic_ms() + (int64_t)wait * HC_SECOND_MS, look_again);
}
