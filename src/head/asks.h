/* asks.h - the agent's questions to the cluster and to hosts, as jobs of its lanes: everything that one needs is copied into it when it is
 * asked, its answer comes back in it. */
#ifndef HEAD_ASKS_H
#define HEAD_ASKS_H

#include "answer_event.h"
#include "cluster.h"
#include "host_steps.h"
#include "identity.h"
#include "lanes.h"

enum lane_name { LANE_CLUSTER, LANE_POLL /* long polls of the line */, LANE_HOST, LANE_BEAT, LANE_COUNT };

enum ask_kind {
    DO_CLAIM, DO_ADMISSION, DO_ACCEPT, DO_RENEW, DO_RELEASE, DO_LEAVE, DO_REGISTER, DO_RECOVER, DO_BEAT, DO_OFFERS, DO_VERIFY, DO_REPIN,
    DO_PAIR, DO_PROBE, DO_KINDS
};

/* An identity that more than one question may still use. Counted by the loop alone. */
struct identity_use { unsigned users; struct identity identity; };
struct identity_use *identity_use_new(struct identity *identity);      /* takes it over; NULL: no memory, *identity is still the caller's */
struct identity_use *identity_use_drop(struct identity_use *use);       /* NULL */

/* What the lanes work with; outlives them. */
struct reach {
    const struct head_config *config;
    const char *token;
    int state_fd, pins_fd;
    struct cluster_line lines[LANE_COUNT];      /* each used by its own lane only */
    struct host_memory host;                    /* the host lane's */
    int64_t polled_ms;                          /* the poll lane's: when its last question left */
};

enum recovery { RECOVER_AGAIN /* nobody answered */, RECOVER_RESUME /* the visit of the former life goes on */, RECOVER_FORGET };

struct ask {
    struct job job;                             /* first: a job is an ask */
    enum ask_kind kind;
    unsigned round;                             /* the agent's, when it was asked: of another one the answer is dropped */
    struct reach *reach;
    struct identity_use *identity;
    struct head_state head;                     /* as it was; with the token: wiped when it is freed */
    char stream_id[HC_ID_SIZE];                 /* DO_LEAVE */
    const char *reason;                         /* DO_RELEASE; a word that stays */
    struct hc_buf diagnostics;                  /* DO_BEAT: JSON */
    bool claim_waits;                           /* DO_REGISTER: a claim was refused for want of it */
    /* the answer */
    bool has_event; struct head_event event;
    long status;                                /* of the cluster; 0: none came */
    struct hc_buf text;                         /* DO_OFFERS: the body of a 200 */
    enum recovery recovery;                     /* DO_RECOVER */
    bool has_fresh; struct identity fresh;      /* DO_REGISTER: the device is another now */
    char host_id[HC_ID_SIZE], host_name[GS_TEXT_SIZE];      /* host steps: whom they met */
    struct hc_diag why;
};

/* NULL: no memory. The loop alone makes and frees them. */
struct ask *ask_new(enum ask_kind kind, struct reach *reach, const struct head_state *head, struct identity_use *identity);
void ask_free(struct ask *ask);
enum lane_name ask_lane(enum ask_kind kind);
const char *ask_word(enum ask_kind kind);       /* for the log */

#endif
