/* head_parts.h - what the two families of heads share inside the machine. */
#ifndef HEAD_PARTS_H
#define HEAD_PARTS_H

#include "head.h"

#define HEAD_BIT(call) (1u << (unsigned)(call))

struct turn { struct head *head; int64_t now_ms; struct head_acts *out; };

/* What a family does with what is common to all heads. */
struct head_ways {
    void (*begin)(struct turn *t);                                       /* a visitor wants a picture, or the head tries again */
    void (*answered)(struct turn *t, const struct head_answer *answer);
    void (*phase_due)(struct turn *t);
    void (*hold_over)(struct turn *t);                                   /* NULL: nobody tells it (legacy), as the next two */
    void (*renew_due)(struct turn *t);
    void (*poll_due)(struct turn *t);
    void (*launched)(struct turn *t);
    void (*refused)(struct turn *t);                                     /* the host did not launch */
    void (*lost)(struct turn *t);                                        /* the picture ended by itself */
    void (*leave)(struct turn *t);
};
extern const struct head_ways head_legacy_ways, head_p2_ways;

struct head_act *head_act(struct turn *t, enum head_act_type type);
struct head_args *head_send(struct turn *t, enum head_call call);        /* an act CALL with the round in it */
void head_phase_is(struct turn *t, enum head_phase phase);               /* clears phase_at; the heartbeat tells it at once */
void head_says(struct turn *t, enum head_news news, const char *why);
void head_drops(struct turn *t);                                         /* the hold, if there is one */
void head_pairs(struct turn *t);                                         /* begins one try */
bool head_pair_works(struct turn *t);                                     /* its end: the host knows the client now, or not */
void head_launches(struct turn *t);
void head_farewell(struct turn *t, enum head_call call, const char *reason);     /* told until answered; then it begins again if it wants */
bool head_holds(const struct head *head);                                /* pre-stream, with a body */
int64_t head_real_ms(const struct head *head, int64_t real_ms);

#endif
