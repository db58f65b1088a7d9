/* scenario.h - what a run is made of: venues, bodies, heads, what happens when, what is expected. From a text file or from a plan.
 *
 *     title three iPads, two bodies of another venue
 *     venue sint-niklaas owner roth
 *     body  cosmic-pretzel-98 venue cloud-seven kind legacy
 *     head  ipad-head-map-35 venue sint-niklaas kind ipad
 *     at 2s heads ipad-head-map-35 ipad-head-map-37 ask mercator-talks
 *     expect by 40s pictures 2
 *
 * Strict: an unknown word, a missing value or a name that was not declared above is refused with FILE:LINE. */
#ifndef SCENARIO_H
#define SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "head.h"
#include "hydra/base/arena.h"
#include "hydra/base/err.h"

#define SCENARIO_BYTES_MAX  ((size_t)1024 * 1024)
#define SCENARIO_BODIES_MAX 5000
#define SCENARIO_HEADS_MAX  20000
#define SCENARIO_LISTS_MAX  10000        /* venues, orgs, experiences, steps, expectations: each */
#define SCENARIO_SCALE_MAX  100

struct plan_venue { char name[HC_NAME_SIZE], owner[HC_NAME_SIZE], accept[HEAD_WORD_SIZE]; uint32_t cap; };      /* cap 0: none */
struct plan_org { char name[HC_NAME_SIZE]; uint32_t cap; };
struct plan_experience { char name[HC_NAME_SIZE]; };
struct plan_body { char name[HC_NAME_SIZE], venue[HC_NAME_SIZE]; bool legacy, enforce; uint32_t slots, memory_mb; };
struct plan_head { char name[HC_NAME_SIZE], venue[HC_NAME_SIZE]; enum head_kind kind; bool visits; };

enum step_type {
    STEP_ASKS, STEP_LEAVES, STEP_VANISHES, STEP_RETURNS, STEP_CANNOT_PAIR, STEP_CAN_PAIR, STEP_HEAD_LOSES, STEP_HEAD_PARTITION,
    STEP_REBOOTS, STEP_RESTARTS_AGENT, STEP_APP_CRASHES, STEP_BODY_LOSES, STEP_BODY_PARTITION, STEP_TYPES
};
struct plan_step {
    enum step_type type;
    int64_t at_ms, duration_ms;
    uint32_t count;                  /* answers to lose */
    char experience[HC_NAME_SIZE];
    size_t target_count, *targets;   /* numbers of heads or bodies; in the arena */
};

enum expect_type {
    EXPECT_PICTURES, EXPECT_WAITING, EXPECT_SEES, EXPECT_SEES_FROM, EXPECT_DARK, EXPECT_IN_LINE, EXPECT_BODY_IDLE, EXPECT_BODY_SHOWS,
        EXPECT_TYPES
};
struct plan_expect {
    enum expect_type type;
    bool at;                         /* true: at that time; false: at some time up to it */
    int64_t from_ms, by_ms;          /* from: when all that stands above it in the file has happened */
    size_t node, other;              /* a head or a body; SEES_FROM, BODY_SHOWS: and the other */
    uint32_t count;
    unsigned line;
    char text[200];                  /* as written, for the verdict */
};

struct scenario {
    struct hc_arena arena;
    char title[200];
    uint64_t seed;
    uint32_t scale;
    int64_t duration_ms;             /* simulated; 0: until asked to stop */
    bool ends_when_expected, random_faults;
    size_t venue_count, org_count, experience_count, body_count, head_count, step_count, expect_count;
    struct plan_venue *venues;
    struct plan_org *orgs;
    struct plan_experience *experiences;
    struct plan_body *bodies;
    struct plan_head *heads;
    struct plan_step *steps;
    struct plan_expect *expects;
};

void scenario_init(struct scenario *scenario);
void scenario_free(struct scenario *scenario);
/* Adds what the text says. HC_ERR_SYNTAX with "FILE:LINE: what"; HC_ERR_NOMEM. */
HC_MUST enum hc_err scenario_parse(struct scenario *scenario, const char *file, const char *text, struct hc_diag *diag);
HC_MUST enum hc_err scenario_read(struct scenario *scenario, const char *file, struct hc_diag *diag);
/* Rows for the plan and the parser: zeroed, at the end; NULL: no memory or over the limit. */
struct plan_venue *scenario_venue(struct scenario *scenario);
struct plan_org *scenario_org(struct scenario *scenario);
struct plan_experience *scenario_experience(struct scenario *scenario);
struct plan_body *scenario_body(struct scenario *scenario);
struct plan_head *scenario_head(struct scenario *scenario);
struct plan_step *scenario_step(struct scenario *scenario);
struct plan_expect *scenario_expect(struct scenario *scenario);

/* A fleet without a file: venues, one owner, bodies and heads dealt over them, visits at random. mix: shares of head_kinds. */
struct fleet_plan { uint32_t bodies, legacy_bodies, heads, mix[HEAD_KINDS]; };
HC_MUST enum hc_err scenario_plan(struct scenario *scenario, const struct fleet_plan *plan);

#endif
