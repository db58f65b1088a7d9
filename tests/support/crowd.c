#include "crowd.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/client/client.h"
#include "hydra/os/clock.h"

#define TURN_MS 20

void crowd_open(struct crowd *crowd, const char *url, const char *ca_file)
{
    const struct client_options options = { .server_url = url, .timeout_ms = DAEMON_CALL_MS, .insecure = ca_file == NULL,
                                            .ca_file = ca_file };
    struct hc_diag diag;
    *crowd = (struct crowd){ .multi = NULL };
    if (client_multi_open(&options, &crowd->multi, &diag) != HC_OK)
        fail_msg("%s", diag.text);
}

void crowd_close(struct crowd *crowd)
{
    if (crowd->multi != NULL)
        crowd->multi = client_multi_close(crowd->multi);
}

static void take(void *ctx, enum hc_err err, const struct client_answer *answer)
{
    struct crowd_call *call = ctx;
    call->took_ms = os_monotonic_ms() - call->started_ms;
    call->done = true;
    call->crowd->under_way--;
    call->call.err = err;
    if (err != HC_OK)
        return;
    call->call.status = answer->status;
    call->call.retry_after_seconds = answer->retry_after_seconds;
    call->call.json = json_loadb(answer->body.data, answer->body.len, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    call->call.text = hc_alloc(answer->body.len + 1);
    assert_non_null(call->call.text);
    memcpy(call->call.text, answer->body.data, answer->body.len);
    call->call.text[answer->body.len] = '\0';
}

void crowd_start(struct crowd *crowd, uint64_t lane, struct crowd_call *call)
{
    call->crowd = crowd;
    call->done = false;
    call->call = (struct call){ .retry_after_seconds = -1 };
    call->started_ms = os_monotonic_ms();
    crowd->under_way++;
    assert_int_equal(client_multi_call(crowd->multi, lane, call->method, call->path, call->token, call->body, 0, take, call), HC_OK);
}

void crowd_turn(struct crowd *crowd, int64_t wait_ms)
{
    client_multi_turn(crowd->multi, wait_ms);
}

bool crowd_done(struct crowd *crowd, int64_t at_most_ms)
{
    int64_t end = os_monotonic_ms() + at_most_ms;
    while (crowd->under_way > 0 && os_monotonic_ms() < end)
        crowd_turn(crowd, TURN_MS);
    return crowd->under_way == 0;
}

void crowd_until(struct crowd *crowd, bool (*is_so)(void *ctx), void *ctx, int64_t at_most_ms)
{
    int64_t end = os_monotonic_ms() + at_most_ms;
    while (!is_so(ctx)) {
        if (os_monotonic_ms() >= end)
            fail_msg("it was not so within %lld ms, with %zu calls under way", (long long)at_most_ms, crowd->under_way);
        crowd_turn(crowd, TURN_MS);
    }
}

void crowd_run(struct crowd *crowd, struct crowd_call *calls, size_t count, int64_t at_most_ms)
{
    for (size_t i = 0; i < count; i++)
        crowd_start(crowd, i + 1, &calls[i]);
    if (!crowd_done(crowd, at_most_ms))
        fail_msg("%zu of %zu calls were not answered within %lld ms", crowd->under_way, count, (long long)at_most_ms);
}

void crowd_free(struct crowd_call *calls, size_t count)
{
    for (size_t i = 0; i < count; i++)
        call_free(&calls[i].call);
}

size_t crowd_count(const struct crowd_call *calls, size_t count, long status)
{
    size_t same = 0;
    for (size_t i = 0; i < count; i++)
        same += calls[i].done && calls[i].call.status == status;
    return same;
}
