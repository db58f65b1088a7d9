/* fleet_calls.c - calls of peers, and what a bad network makes of them: requests that never leave, answers that never arrive. */
#include "fleet.h"

#define PARTITION_NOTICED_MS 5000
#define ANSWER_MISSED_MS     15000

static void deliver_late(struct fleet *fleet, struct flight *flight, int64_t at_ms)
{
    flight->late_ms = at_ms;
    flight->next = fleet->late;
    fleet->late = flight;
}

static void server_error(struct fleet *fleet, const struct flight *flight, const struct client_answer *answer)
{
    fleet->counts[COUNT_SERVER_ERRORS]++;
    if (!fleet->options->verbose)
        return;
    char words[200];
    wire_error(answer->body.data == NULL ? "" : answer->body.data, answer->body.len, words);
    fleet_say(fleet, "%s (call %d) is answered %ld: %.100s", flight->peer == NULL ? "an operator" : flight->peer->id, flight->what,
              answer->status, words);
}

static void on_done(void *ctx, enum hc_err err, const struct client_answer *answer)
{
    struct flight *flight = ctx;
    struct fleet *fleet = flight->fleet;
    fleet->now_ms = fleet_clock_ms(fleet);
    struct peer *peer = flight->peer;
    bool lost = peer != NULL && (peer->answers_to_lose > 0 || fleet->now_ms < peer->partitioned_until);
    if (lost) {
        if (peer->answers_to_lose > 0)
            peer->answers_to_lose--;
        fleet->counts[COUNT_LOST]++;
        deliver_late(fleet, flight, flight->asked_ms + ANSWER_MISSED_MS);
        return;
    }
    if (err != HC_OK)
        fleet->counts[COUNT_UNANSWERED]++;
    else if (answer->status >= 500)
        server_error(fleet, flight, answer);
    flight->answered(fleet, flight, err == HC_OK ? answer : NULL);
    hc_free(flight);
}

void fleet_call(struct fleet *fleet, const struct flight *what, const struct wire_request *request, const char *token)
{
    struct flight *flight = hc_alloc(sizeof *flight);
    if (flight == NULL) {                /* its peer would wait for ever: the run proves nothing any more */
        fleet->violations++;
        fleet->stopping = true;
        fleet_say(fleet, "CHECK no memory for a call: the run ends here");
        return;
    }
    *flight = *what;
    flight->fleet = fleet;
    flight->asked_ms = fleet->now_ms;
    if (flight->peer != NULL && fleet->now_ms < flight->peer->partitioned_until) {
        deliver_late(fleet, flight, fleet->now_ms + PARTITION_NOTICED_MS);
        return;
    }
    fleet->counts[COUNT_REQUESTS]++;
    const char *body = request->body.len == 0 ? NULL : request->body.data;
    uint64_t lane = flight->lane != 0 ? flight->lane : flight->peer == NULL ? 0 : flight->peer->lane;
    enum hc_err err = request->path.failed || request->body.failed
                          ? HC_ERR_NOMEM
                          : client_multi_call(fleet->multi, lane, request->method, request->path.data, token, body,
                                              request->timeout_ms, on_done, flight);
    if (err == HC_OK)
        return;
    fleet->counts[COUNT_UNANSWERED]++;
    deliver_late(fleet, flight, fleet->now_ms + 1);
}

int64_t fleet_late_next(const struct fleet *fleet)
{
    int64_t next = 0;
    for (const struct flight *flight = fleet->late; flight != NULL; flight = flight->next)
        if (next == 0 || flight->late_ms < next)
            next = flight->late_ms;
    return next;
}

void fleet_run_late(struct fleet *fleet)
{
    struct flight *waiting = fleet->late;
    fleet->late = NULL;                  /* those that come in meanwhile are looked at next time */
    while (waiting != NULL) {
        struct flight *flight = waiting;
        waiting = flight->next;
        if (flight->late_ms > fleet->now_ms) {
            flight->next = fleet->late;
            fleet->late = flight;
            continue;
        }
        flight->answered(fleet, flight, NULL);
        hc_free(flight);
    }
}
