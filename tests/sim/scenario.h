/* scenario.h - a story told line by line: what happens, and after the arrow what must then be true. docs/TESTING.md has the words. */
#ifndef SIM_SCENARIO_H
#define SIM_SCENARIO_H

#include "sim.h"

#define WORDS_MAX      40
#define LINE_MAX       512
#define SAID_MAX       96

struct words { size_t count; char *at[WORDS_MAX]; };
struct speaker { bool keeps; char said[SAID_MAX]; int64_t next; };      /* who goes on saying what it said */
struct pairing_answer { bool any, refused, given; enum deny_reason deny; enum op_kind op; char name[HC_NAME_SIZE]; };
struct scenario {
    struct sim sim;
    const char *file;
    unsigned line;
    char why[300];                       /* why a line failed; "" it did not */
    struct op *last;                     /* the newest request of a head, for the expectations */
    bool admitted, asked_admission;
    enum deny_reason registered;         /* how the newest registration was answered */
    struct speaker bodies[SIM_BODIES_MAX], heads[SIM_HEADS_MAX];
    struct pairing_answer pairing;       /* scenario_pair.c: what the newest agent, PIN or pair lease was answered */
    char asked_op[HC_ID_SIZE], given_op[HC_ID_SIZE], pair_lease[HC_ID_SIZE];
    char attempts[SIM_HEADS_MAX][HC_ID_SIZE];
};

bool scenario_fail(struct scenario *s, const char *format, ...) HC_PRINTF(2, 3);      /* returns false */
bool scenario_do(struct scenario *s, const struct words *w);             /* one event */
bool scenario_expect(struct scenario *s, const struct words *w);         /* one expectation */
void scenario_settle(struct scenario *s, int64_t until);
int scenario_head(struct scenario *s, const char *name);                 /* -1 and a reason: there is none */
struct machine *scenario_body(struct scenario *s, const char *name);
bool scenario_slot(struct scenario *s, const char *name, const char **ret_body, uint32_t *ret_slot);      /* "b1/0" */
bool scenario_number(struct scenario *s, const char *text, int64_t *ret);
bool scenario_report(struct scenario *s, struct machine *m, char *const *words, size_t count);
/* scenario_identity.c: certificates, revocations, trust stores. */
bool scenario_register(struct scenario *s, const char *head, const char *certificate, bool by_admin);
bool scenario_revoke_identity(struct scenario *s, const char *head);
/* pairs WHO [as UUID] | misreads | reads its clients */
bool scenario_trust(struct scenario *s, struct machine *m, const struct words *w);
void scenario_unpair(struct scenario *s, struct machine *m);                            /* carries out what it was told to remove */
bool scenario_expect_registered(struct scenario *s, const char *refusal);               /* "": it was accepted */
bool scenario_expect_trust(struct scenario *s, const char *body_id, const char *what, const char *uuid);      /* removes | keeps | lists */
bool scenario_beat(struct scenario *s, int head, char *const *words, size_t count);
/* scenario_pair.c */
bool scenario_agent(struct scenario *s, const struct words *w);
bool scenario_head_pairs(struct scenario *s, const char *head_id, const struct words *w, bool *ret_mine);
bool scenario_operator_asks(struct scenario *s, const struct words *w);
bool scenario_expect_pairing(struct scenario *s, const struct words *w);
bool scenario_expect_operation(struct scenario *s, const struct words *w);
bool scenario_expect_paired(struct scenario *s, const struct words *w);

#endif
