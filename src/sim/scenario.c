/* scenario.c - the lists of a scenario, and a fleet dealt without a file. */
#include "scenario.h"

#include <stdio.h>
#include <string.h>

#define ROWS_AT_ONCE 16
#define VENUES_MAX   64
#define BODIES_PER_VENUE 3
#define MEMORY_MB    24576

void scenario_init(struct scenario *scenario)
{
    *scenario = (struct scenario){ .scale = 1 };
}

void scenario_free(struct scenario *scenario)
{
    hc_free(scenario->venues);
    hc_free(scenario->orgs);
    hc_free(scenario->experiences);
    hc_free(scenario->bodies);
    hc_free(scenario->heads);
    hc_free(scenario->steps);
    hc_free(scenario->expects);
    hc_arena_free(&scenario->arena);
    *scenario = (struct scenario){ 0 };
}

/* The next row of a list that grows in steps; rows move, so only the newest one may be held. */
static void *next_row(void **list, size_t *count, size_t size, size_t most)
{
    if (*count == most)
        return NULL;
    if (*count % ROWS_AT_ONCE == 0) {
        void *more = hc_realloc(*list, (*count + ROWS_AT_ONCE) * size);
        if (more == NULL)
            return NULL;
        *list = more;
    }
    void *row = (char *)*list + (*count)++ * size;
    memset(row, 0, size);
    return row;
}

#define ROW_FUNCTION(name, type, list, count, most)                                       \
    struct type *name(struct scenario *scenario)                                          \
    {                                                                                     \
        void *rows = scenario->list;                                                      \
        struct type *row = next_row(&rows, &scenario->count, sizeof *row, most);          \
        scenario->list = rows;                                                            \
        return row;                                                                       \
    }
ROW_FUNCTION(scenario_venue, plan_venue, venues, venue_count, SCENARIO_LISTS_MAX)
ROW_FUNCTION(scenario_org, plan_org, orgs, org_count, SCENARIO_LISTS_MAX)
ROW_FUNCTION(scenario_experience, plan_experience, experiences, experience_count, SCENARIO_LISTS_MAX)
ROW_FUNCTION(scenario_body, plan_body, bodies, body_count, SCENARIO_BODIES_MAX)
ROW_FUNCTION(scenario_head, plan_head, heads, head_count, SCENARIO_HEADS_MAX)
ROW_FUNCTION(scenario_step, plan_step, steps, step_count, SCENARIO_LISTS_MAX)
ROW_FUNCTION(scenario_expect, plan_expect, expects, expect_count, SCENARIO_LISTS_MAX)

static const char *const sights[] = { "mercator-talks", "rupelmonde", "planetarium" };

static enum hc_err plan_places(struct scenario *scenario, uint32_t venues)
{
    for (uint32_t i = 0; i < venues; i++) {
        struct plan_venue *venue = scenario_venue(scenario);
        if (venue == NULL)
            return HC_ERR_NOMEM;
        (void)snprintf(venue->name, sizeof venue->name, "sim-venue-%u", i + 1);
        HC_SET(venue->owner, "sim-owner");
    }
    for (size_t i = 0; i < sizeof sights / sizeof sights[0] && scenario->experience_count < sizeof sights / sizeof sights[0]; i++) {
        struct plan_experience *experience = scenario_experience(scenario);
        if (experience == NULL)
            return HC_ERR_NOMEM;
        HC_SET(experience->name, sights[i]);
    }
    return HC_OK;
}

/* The kind whose share is furthest behind: 4, 2, 1 of 7 come out as exactly that. */
static enum head_kind next_kind(const uint32_t mix[HEAD_KINDS], uint32_t dealt[HEAD_KINDS])
{
    size_t best = HEAD_P2;
    for (size_t i = 0; i < HEAD_KINDS; i++) {
        bool first = mix[best] == 0;
        if (mix[i] > 0 && (first || (uint64_t)(dealt[i] + 1) * mix[best] < (uint64_t)(dealt[best] + 1) * mix[i]))
            best = i;
    }
    dealt[best]++;
    return (enum head_kind)best;
}

enum hc_err scenario_plan(struct scenario *scenario, const struct fleet_plan *plan)
{
    uint32_t venues = (plan->bodies + BODIES_PER_VENUE - 1) / BODIES_PER_VENUE;
    venues = venues == 0 ? 1 : venues > VENUES_MAX ? VENUES_MAX : venues;
    enum hc_err err = plan_places(scenario, venues);
    if (err != HC_OK)
        return err;
    for (uint32_t i = 0; i < plan->bodies; i++) {
        struct plan_body *body = scenario_body(scenario);
        if (body == NULL)
            return HC_ERR_NOMEM;
        (void)snprintf(body->name, sizeof body->name, "sim-body-%u", i + 1);
        (void)snprintf(body->venue, sizeof body->venue, "sim-venue-%u", i % venues + 1);
        body->legacy = i < plan->legacy_bodies;
        body->slots = 1;
        body->memory_mb = MEMORY_MB;
    }
    uint32_t dealt[HEAD_KINDS] = { 0 };
    for (uint32_t i = 0; i < plan->heads; i++) {
        struct plan_head *head = scenario_head(scenario);
        if (head == NULL)
            return HC_ERR_NOMEM;
        head->kind = next_kind(plan->mix, dealt);
        head->visits = true;
        (void)snprintf(head->name, sizeof head->name, "sim-%s-%u", head_kinds[head->kind].word, dealt[head->kind]);
        (void)snprintf(head->venue, sizeof head->venue, "sim-venue-%u", i % venues + 1);
    }
    return HC_OK;
}
