/* errand.h - what the local API asks of a slot's errand thread: things that take calls to other machines and an answer to whoever asked.
 *
 * Made and freed by the local API; while it is under way it belongs to the agent, and only `caller` is the local API's. */
#ifndef BODY_ERRAND_H
#define BODY_ERRAND_H

#include "admit.h"
#include "stream_edge.h"

enum errand_kind { ERRAND_LAUNCH /* the hook asks: may this launch go on? */, ERRAND_STOP /* an operator: close what runs */ };

struct errand {
    enum errand_kind kind;
    uint32_t slot;
    struct stream_edge edge;            /* LAUNCH */
    bool force;                         /* STOP: a leased session too */
    int64_t until_ms;                   /* os_monotonic_ms(): an answer after that helps nobody */
    /* the outcome */
    struct admission admission;         /* LAUNCH */
    unsigned status;                    /* STOP: 200, or a refusal with its `error` and `detail` */
    const char *error;
    char detail[HC_NAME_SIZE];
    void *caller;                       /* NULL: gone meanwhile */
    struct errand *next;
};

#endif
