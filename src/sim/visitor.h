/* visitor.h - somebody in front of a head: comes, wants a picture, taps again at an error, stays a while, goes. Pure. */
#ifndef VISITOR_H
#define VISITOR_H

#include "head.h"

enum visitor_wish { VISITOR_NOTHING, VISITOR_ASKS, VISITOR_LEAVES };

struct visitor {
    struct rng rng;
    bool here;
    unsigned taps_left;
    int64_t comes_at, gives_up_at, taps_at, leaves_at;
    uint64_t visits;
};

#define VISITOR_LOOKS_MS 1000        /* how often it is to be asked */

void visitor_init(struct visitor *visitor, struct rng rng, int64_t now_ms);
enum visitor_wish visitor_step(struct visitor *visitor, enum head_phase phase, int64_t now_ms);

#endif
