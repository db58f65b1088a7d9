/* fleet.c - one thread, one loop: wakes whoever is due, lets the network turn, watches, ends cleanly. */
#include "fleet.h"

#include <stdlib.h>
#include <string.h>

#include "hydra/os/clock.h"
#include "hydra/os/service.h"

#define TURN_MOST_MS     50          /* real */
#define WAKES_PER_TURN   2000
#define SCREEN_EVERY_MS  500
#define PROGRESS_EVERY_MS 10000
#define FAREWELL_MOST_MS 8000
#define DESCRIPTORS_SPARE 64

int64_t fleet_clock_ms(const struct fleet *fleet)
{
    return 1 + (os_monotonic_us() - fleet->started_us) * fleet->scenario->scale / 1000;
}

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct fleet_index *)a)->id, ((const struct fleet_index *)b)->id);
}

size_t fleet_find(const struct fleet_index *index, size_t count, const char *id)
{
    const struct fleet_index wanted = { .id = id };
    const struct fleet_index *found = count == 0 ? NULL : bsearch(&wanted, index, count, sizeof wanted, by_id);
    return found == NULL ? SIZE_MAX : found->number;
}

static int by_time(const void *a, const void *b, void *ctx)
{
    const struct scenario *plan = ctx;
    size_t left = *(const size_t *)a, right = *(const size_t *)b;
    int64_t l = plan->steps[left].at_ms, r = plan->steps[right].at_ms;
    return l != r ? (l < r ? -1 : 1) : (left < right ? -1 : 1);
}

static bool make_lists(struct fleet *fleet)
{
    const struct scenario *plan = fleet->scenario;
    fleet->heads = hc_alloc((plan->head_count + 1) * sizeof fleet->heads[0]);
    fleet->bodies = hc_alloc((plan->body_count + 1) * sizeof fleet->bodies[0]);
    fleet->head_index = hc_alloc((plan->head_count + 1) * sizeof fleet->head_index[0]);
    fleet->body_index = hc_alloc((plan->body_count + 1) * sizeof fleet->body_index[0]);
    fleet->experiences = hc_alloc((plan->experience_count + 1) * sizeof fleet->experiences[0]);
    fleet->step_order = hc_alloc((plan->step_count + 1) * sizeof fleet->step_order[0]);
    fleet->expect_states = hc_alloc(plan->expect_count + 1);
    if (fleet->heads == NULL || fleet->bodies == NULL || fleet->head_index == NULL || fleet->body_index == NULL ||
        fleet->experiences == NULL ||
        fleet->step_order == NULL || fleet->expect_states == NULL)
        return false;
    for (size_t i = 0; i < plan->head_count; i++) {
        fleet->heads[i].plan = &plan->heads[i];
        fleet->heads[i].peer.lane = 1 + i;
    }
    for (size_t i = 0; i < plan->body_count; i++) {
        fleet->bodies[i].plan = &plan->bodies[i];
        fleet->bodies[i].peer.lane = 1 + plan->head_count + i;
        fleet->bodies[i].ops_lane = 1 + plan->head_count + plan->body_count + i;
    }
    for (size_t i = 0; i < plan->experience_count; i++)
        fleet->experiences[i] = plan->experiences[i].name;
    for (size_t i = 0; i < plan->step_count; i++)
        fleet->step_order[i] = i;
    qsort_r(fleet->step_order, plan->step_count, sizeof fleet->step_order[0], by_time, (void *)(uintptr_t)plan);
    return true;
}

enum hc_err fleet_open(const struct scenario *scenario, const struct fleet_options *options, struct fleet **ret_fleet, struct hc_diag *diag)
{
    struct fleet *fleet = hc_alloc(sizeof *fleet);
    if (fleet == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "no memory for the fleet");
    fleet->scenario = scenario;
    fleet->options = options;
    fleet->rng = rng_of(scenario->seed, 0);
    fleet->started_us = os_monotonic_us();
    const struct client_options client = { .server_url = options->server_url, .ca_file = options->ca_file, .insecure = options->insecure,
                                           .timeout_ms = WIRE_TIMEOUT_MS };
    enum hc_err err = client_multi_open(&client, &fleet->multi, diag);
    if (err == HC_OK)
        err = os_descriptors_at_least((unsigned)(2 * scenario->head_count + 3 * scenario->body_count + DESCRIPTORS_SPARE), diag);
    bool memory = err == HC_OK && make_lists(fleet) && due_new(2 * scenario->head_count + scenario->body_count, &fleet->due) == HC_OK &&
                  truth_new(scenario->body_count, scenario->head_count, &fleet->truth) == HC_OK;
    if (err == HC_OK && !memory)
        err = hc_fail(diag, HC_ERR_NOMEM, "no memory for a fleet of %zu heads and %zu bodies", scenario->head_count, scenario->body_count);
    if (err == HC_OK)
        err = fleet_enrol(fleet, diag);
    if (err != HC_OK) {
        (void)fleet_close(fleet);
        return err;
    }
    *ret_fleet = fleet;
    return HC_OK;
}

struct fleet *fleet_close(struct fleet *fleet)
{
    if (fleet == NULL)
        return NULL;
    fleet->closing = true;               /* what still comes back is nobody's news */
    fleet->multi = client_multi_close(fleet->multi);
    fleet->due = due_free(fleet->due);
    while (fleet->late != NULL) {
        struct flight *flight = fleet->late;
        fleet->late = flight->next;
        hc_free(flight);
    }
    fleet->truth = truth_free(fleet->truth);
    for (size_t i = 0; fleet->bodies != NULL && i < fleet->scenario->body_count; i++)
        body_free(&fleet->bodies[i].machine);
    hc_free(fleet->heads);
    hc_free(fleet->bodies);
    hc_free(fleet->head_index);
    hc_free(fleet->body_index);
    hc_free(fleet->experiences);
    hc_free(fleet->step_order);
    hc_free(fleet->expect_states);
    hc_free(fleet);
    return NULL;
}

static void name_client(struct fleet_head *head)
{
    (void)snprintf(head->client_uuid, sizeof head->client_uuid, "%016llx", (unsigned long long)hc_fnv1a64(HC_FNV1A64_START, head->peer.id));
    if (head_kinds[head->plan->kind].protocol >= 2)
        (void)snprintf(head->client_name, sizeof head->client_name, "hydra-%s", head->peer.id);
    else
        HC_SET(head->client_name, "roth");                /* what every shipping head calls itself */
}

/* The doors open: the time of the scenario begins now. */
static void begin(struct fleet *fleet)
{
    const struct scenario *plan = fleet->scenario;
    fleet->started_us = os_monotonic_us();
    fleet->now_ms = fleet_clock_ms(fleet);
    for (size_t i = 0; i < plan->head_count; i++) {
        struct fleet_head *head = &fleet->heads[i];
        fleet->head_index[i] = (struct fleet_index){ head->peer.id, i };
        name_client(head);
        head_init(&head->machine, plan->heads[i].kind, head->peer.id, rng_of(plan->seed, 2 * i + 1), plan->scale, fleet->now_ms);
        due_set(fleet->due, i, head_next(&head->machine));
        if (!plan->heads[i].visits || plan->experience_count == 0)
            continue;
        visitor_init(&head->visitor, rng_of(plan->seed, 2 * i + 2), fleet->now_ms);
        due_set(fleet->due, fleet_due_visitor(fleet, i), head->visitor.comes_at);
    }
    for (size_t i = 0; i < plan->body_count; i++) {
        struct fleet_body *body = &fleet->bodies[i];
        fleet->body_index[i] = (struct fleet_index){ body->peer.id, i };
        body_init(&body->machine, body->peer.id, !plan->bodies[i].legacy, plan->bodies[i].slots, fleet->now_ms);
        due_set(fleet->due, fleet_due_body(fleet, i), body_next(&body->machine));
    }
    qsort(fleet->head_index, plan->head_count, sizeof fleet->head_index[0], by_id);
    qsort(fleet->body_index, plan->body_count, sizeof fleet->body_index[0], by_id);
    fleet->next_fault_ms = fleet->now_ms + rng_between(&fleet->rng, 10000, 20000);
    fleet->progress_at = fleet->now_ms + PROGRESS_EVERY_MS * plan->scale;
}

static void wake(struct fleet *fleet)
{
    size_t heads = fleet->scenario->head_count, bodies = fleet->scenario->body_count, number;
    const struct head_event head_timer = { .type = HEAD_TIMER };
    const struct body_event body_timer = { .type = BODY_TIMER };
    for (unsigned i = 0; i < WAKES_PER_TURN && due_take(fleet->due, fleet->now_ms, &number); i++) {
        if (number < heads)
            fleet_head_event(fleet, number, &head_timer);
        else if (number < heads + bodies)
            fleet_body_event(fleet, number - heads, &body_timer);
        else if (!fleet->stopping)
            fleet_visitor_looks(fleet, number - heads - bodies);
    }
}

static void run_scenario(struct fleet *fleet)
{
    const struct scenario *plan = fleet->scenario;
    while (fleet->next_step < plan->step_count && plan->steps[fleet->step_order[fleet->next_step]].at_ms < fleet->now_ms)
        fleet_do_step(fleet, &plan->steps[fleet->step_order[fleet->next_step++]]);
    if (plan->random_faults && fleet->now_ms >= fleet->next_fault_ms)
        fleet_random_fault(fleet);
    fleet_expect_look(fleet);
}

static int64_t turn_ms(const struct fleet *fleet)
{
    int64_t next = due_next(fleet->due), late = fleet_late_next(fleet);
    if (late != 0 && (next == 0 || late < next))
        next = late;
    int64_t real_ms = next == 0 ? TURN_MOST_MS : (next - fleet->now_ms) / fleet->scenario->scale;
    return real_ms < 0 ? 0 : real_ms > TURN_MOST_MS ? TURN_MOST_MS : real_ms;
}

static void one_turn(struct fleet *fleet)
{
    fleet->now_ms = fleet_clock_ms(fleet);
    wake(fleet);
    fleet_run_late(fleet);
    if (!fleet->stopping) {
        run_scenario(fleet);
        fleet_watch(fleet);
    }
    client_multi_turn(fleet->multi, turn_ms(fleet));
    fleet->now_ms = fleet_clock_ms(fleet);
    if (fleet->screen && fleet->now_ms >= fleet->screen_at) {
        fleet_screen(fleet);
        fleet->screen_at = fleet->now_ms + SCREEN_EVERY_MS * fleet->scenario->scale;
    }
    if (!fleet->screen && !fleet->stopping && fleet->now_ms >= fleet->progress_at) {
        fleet_progress(fleet);
        fleet->progress_at = fleet->now_ms + PROGRESS_EVERY_MS * fleet->scenario->scale;
    }
}

static bool is_over(const struct fleet *fleet)
{
    const struct scenario *plan = fleet->scenario;
    if (fleet->stopping || (plan->duration_ms > 0 && fleet->now_ms > plan->duration_ms))
        return true;
    return plan->ends_when_expected && fleet->next_step == plan->step_count && fleet_expect_all_met(fleet);
}

static bool quiet(const struct fleet *fleet)
{
    for (size_t i = 0; i < fleet->scenario->head_count; i++) {
        const struct head *head = &fleet->heads[i].machine;
        if (head->phase != HEAD_OFF && (head->farewell_left > 0 || (head->phase != HEAD_IDLE && head->phase != HEAD_ERROR)))
            return false;
    }
    for (size_t i = 0; i < fleet->scenario->body_count; i++)
        if (fleet->bodies[i].machine.session_count > 0 || fleet->bodies[i].machine.changed)
            return false;
    return true;
}

/* Everybody leaves as visitors do, bodies tell that they are idle, then the nodes go. A second signal skips the rest. */
static void farewell(struct fleet *fleet, int signal_fd)
{
    static const struct head_event leave = { .type = HEAD_LEAVE };
    fleet->stopping = true;
    fleet->now_ms = fleet_clock_ms(fleet);
    for (size_t i = 0; i < fleet->scenario->head_count; i++) {
        fleet->heads[i].peer.answers_to_lose = 0;
        fleet->heads[i].peer.partitioned_until = 0;
        fleet_head_event(fleet, i, &leave);
    }
    for (size_t i = 0; i < fleet->scenario->body_count; i++) {
        fleet->bodies[i].peer.answers_to_lose = 0;
        fleet->bodies[i].peer.partitioned_until = 0;
    }
    int64_t until_ms = fleet->now_ms + FAREWELL_MOST_MS * fleet->scenario->scale;
    while (!quiet(fleet) && fleet->now_ms < until_ms) {
        one_turn(fleet);
        if (os_signal_next(signal_fd) != 0)
            return;
    }
    if (!fleet->options->keep)
        fleet_remove_nodes(fleet);
}

int fleet_run(struct fleet *fleet, int signal_fd)
{
    begin(fleet);
    while (!is_over(fleet)) {
        one_turn(fleet);
        int signal_number = os_signal_next(signal_fd);
        if (signal_number == SIGTERM || signal_number == SIGINT)
            fleet->stopping = true;
    }
    fleet->now_ms = fleet_clock_ms(fleet);
    fleet_expect_verdicts(fleet);
    int64_t ended_ms = fleet->now_ms;
    farewell(fleet, signal_fd);
    fleet->now_ms = ended_ms;
    if (fleet->screen)
        (void)fputs("\n", stdout);          /* the live screen stays above it */
    fleet->screen = false;
    fleet_summary(fleet);
    return fleet->violations == 0 ? 0 : 1;
}
