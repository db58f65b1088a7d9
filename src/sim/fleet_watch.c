/* fleet_watch.c - the operator's eye: polls the lists and checks what they say against itself and against this process. */
#include "fleet.h"

#include <inttypes.h>

#define QUEUE_EVERY_MS     1000      /* real ones */
#define SLOTS_EVERY_MS     2000
#define CONFLICTS_EVERY_MS 5000
#define LARGE_FLEET        200       /* bodies: /slots is asked for less often */
#define LARGE_FACTOR       5

enum watch_call { WATCH_QUEUE, WATCH_SLOTS, WATCH_CONFLICTS };

static void take_places(struct fleet *fleet, const struct wire_place *places, size_t count)
{
    fleet->waiting = count;
    for (size_t i = 0; i < count; i++) {
        size_t number = fleet_find(fleet->head_index, fleet->scenario->head_count, places[i].head_id);
        if (number == SIZE_MAX)
            continue;
        struct fleet_head *head = &fleet->heads[number];
        bool news = head->place != places[i].position && places[i].position != 0;
        head->place = places[i].position;
        char ordinal[16];
        if (news)
            fleet_news(fleet, "%s is %s in line", head->plan->name, fleet_ordinal(head->place, ordinal));
    }
}

static void on_queue(struct fleet *fleet, const char *text, size_t len)
{
    struct wire_place *places = hc_alloc(WIRE_QUEUE_MAX * sizeof places[0]);
    size_t count = 0;
    if (places != NULL && wire_queue(text, len, places, &count)) {
        for (size_t i = 0; i < fleet->scenario->head_count; i++) {
            bool listed = false;
            for (size_t k = 0; fleet->heads[i].place != 0 && k < count && !listed; k++)
                listed = hc_same(places[k].head_id, fleet->heads[i].peer.id);
            if (!listed)
                fleet->heads[i].place = 0;
        }
        take_places(fleet, places, count);
    }
    hc_free(places);
}

struct slots_look { struct fleet *fleet; char body_id[HC_ID_SIZE], lease_id[HC_ID_SIZE]; uint32_t slot; size_t divergences; };

static const char *name_of(const struct fleet *fleet, size_t body)
{
    return fleet->bodies[body].plan->name;
}

static void on_slot(void *ctx, const struct wire_slot_row *row)
{
    struct slots_look *look = ctx;
    struct fleet *fleet = look->fleet;
    look->divergences += row->divergences;
    size_t body = fleet_find(fleet->body_index, fleet->scenario->body_count, row->body_id);
    if (body == SIZE_MAX || row->slot >= BODY_SLOTS_MAX)
        return;
    uint64_t *highest = &fleet->bodies[body].epochs[row->slot];
    if (row->epoch < *highest) {
        fleet->violations++;
        fleet_say(fleet, "CHECK %s slot %u: its epoch fell from %" PRIu64 " to %" PRIu64, name_of(fleet, body), row->slot, *highest,
                  row->epoch);
    }
    if (row->epoch > *highest)
        *highest = row->epoch;
    if (!row->has_lease)
        return;
    bool same_slot = hc_same(look->body_id, row->body_id) && look->slot == row->slot;
    if (same_slot && look->lease_id[0] != '\0' && !hc_same(look->lease_id, row->lease_id)) {
        fleet->violations++;
        fleet_say(fleet, "CHECK %s slot %u: two leases at once, %s and %s", name_of(fleet, body), row->slot, look->lease_id, row->lease_id);
    }
    HC_SET(look->body_id, row->body_id);
    HC_SET(look->lease_id, row->lease_id);
    look->slot = row->slot;
}

static void on_slots(struct fleet *fleet, const char *text, size_t len)
{
    struct slots_look look = { .fleet = fleet };
    if (wire_slots(text, len, on_slot, &look))
        fleet->divergences = look.divergences;
}

static void on_conflicts(struct fleet *fleet, const char *text, size_t len)
{
    (void)wire_count(text, len, &fleet->conflict_rows);
}

static struct {
    const char *path; int64_t every_ms; size_t asked, at; void (*take)(struct fleet *fleet, const char *text, size_t len);
} const watch_rows[] = {
    [WATCH_QUEUE] = { "/api/v1/queue", QUEUE_EVERY_MS, offsetof(struct fleet, queue_asked), offsetof(struct fleet, queue_at), on_queue },
    [WATCH_SLOTS] = { "/api/v1/slots", SLOTS_EVERY_MS, offsetof(struct fleet, slots_asked), offsetof(struct fleet, slots_at), on_slots },
    [WATCH_CONFLICTS] = { "/api/v1/conflicts", CONFLICTS_EVERY_MS, offsetof(struct fleet, conflicts_asked),
                          offsetof(struct fleet, conflicts_at), on_conflicts },
};

static bool *asked_of(struct fleet *fleet, size_t row)
{
    return (bool *)(void *)((char *)fleet + watch_rows[row].asked);
}

static int64_t *at_of(struct fleet *fleet, size_t row)
{
    return (int64_t *)(void *)((char *)fleet + watch_rows[row].at);
}

static void answered(struct fleet *fleet, const struct flight *flight, const struct client_answer *answer)
{
    *asked_of(fleet, (size_t)flight->what) = false;
    if (answer != NULL && answer->status == 200 && answer->body.len > 0)
        watch_rows[flight->what].take(fleet, answer->body.data, answer->body.len);
}

void fleet_watch(struct fleet *fleet)
{
    for (size_t i = 0; i < sizeof watch_rows / sizeof watch_rows[0]; i++) {
        if (*asked_of(fleet, i) || fleet->now_ms < *at_of(fleet, i))
            continue;
        int64_t every_ms = watch_rows[i].every_ms * (fleet->scenario->body_count > LARGE_FLEET ? LARGE_FACTOR : 1);
        *asked_of(fleet, i) = true;
        *at_of(fleet, i) = fleet->now_ms + every_ms * fleet->scenario->scale;
        struct wire_request request = { .method = "GET", .timeout_ms = WIRE_TIMEOUT_MS };
        hc_buf_str(&request.path, watch_rows[i].path);
        const struct flight flight = { .what = (int)i, .answered = answered };
        fleet_call(fleet, &flight, &request, fleet->options->admin_token);
        wire_request_free(&request);
    }
}
