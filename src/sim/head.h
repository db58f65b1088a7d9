/* head.h - a head as a pure machine: an event and the simulated time in, calls and acts out. Four kinds, one table.
 *
 * Legacy kinds ask by the claiming read and are told nothing more; a protocol-2 head claims, renews, releases, waits by long-poll and
 * accepts. Nothing here knows sockets or clocks. `head_next()` says when the machine wants HEAD_TIMER. */
#ifndef HEAD_H
#define HEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "hydra/base/id.h"
#include "rng.h"

#define HEAD_WORD_SIZE  48
#define HEAD_TOKEN_SIZE 65
#define HEAD_APP_SIZE   162
#define HEAD_ACTS_MAX   8

enum head_kind { HEAD_IPAD, HEAD_GO, HEAD_QUEST, HEAD_P2, HEAD_KINDS };

struct head_kind_row {
    const char *word, *node_kind;
    uint32_t protocol;
    int64_t beat_ms, beat_streaming_ms, commands_ms;     /* 0: it does not ask for commands */
    int64_t pair_least_ms, pair_most_ms;
    unsigned pair_tries;
    bool silent_while_pairing;       /* the Quest: not one heartbeat from discovery to the picture */
    bool error_until_tap;            /* iPad, Quest: an error screen until a human taps; the others go on by themselves */
    bool joins_busy;                 /* resumes whatever runs on a host that is busy */
    int64_t sure_hold_ms;            /* of a hold, from when it was asked for: the least that every allowed set of timers gives */
};
extern const struct head_kind_row head_kinds[HEAD_KINDS];

enum head_phase {
    HEAD_IDLE, HEAD_ASKING, HEAD_WAITING, HEAD_READYING, HEAD_PAIRING, HEAD_STARTING, HEAD_LAUNCHING, HEAD_STREAMING, HEAD_ERROR,
        HEAD_OFF, HEAD_PHASES
};
extern const char *const head_phase_words[HEAD_PHASES];

enum head_call {
    HEAD_BEAT, HEAD_CONFIG, HEAD_COMMANDS, HEAD_READ, HEAD_CLAIM, HEAD_RENEW, HEAD_ADMISSION, HEAD_ACCEPT, HEAD_RELEASE, HEAD_STOP,
        HEAD_CALLS
};
extern const char *const head_call_words[HEAD_CALLS];

/* All that a request needs; the rest is the head's name. */
struct head_args {
    enum head_call call;
    uint32_t round;                  /* of the visit's attempts: comes back with the answer */
    char experience[HC_NAME_SIZE], attempt_id[HC_ID_SIZE], body_id[HC_ID_SIZE], lease_id[HC_ID_SIZE], stream_id[HC_ID_SIZE];
    char claim_token[HEAD_TOKEN_SIZE];
    const char *status, *lease_state, *reason;           /* words; NULL: not sent */
    bool long_poll;
};

enum head_act_type { HEAD_ACT_CALL, HEAD_ACT_LAUNCH, HEAD_ACT_CLOSE, HEAD_ACT_HOLDS, HEAD_ACT_RENEWED, HEAD_ACT_DROPS, HEAD_ACT_SAYS,
                     HEAD_ACT_HANDSHAKE, HEAD_ACT_PAIRED };
enum head_news { HEAD_NEWS_REFUSED, HEAD_NEWS_QUEUED, HEAD_NEWS_PAIR_FAILED, HEAD_NEWS_BUSY_HOST, HEAD_NEWS_LEASE_LOST,
                 HEAD_NEWS_INTERRUPTED,
                 HEAD_NEWS_COUNT };
struct head_act {
    enum head_act_type type;
    struct head_args args;           /* CALL; LAUNCH and HOLDS: body_id, lease_id; HANDSHAKE, PAIRED: body_id */
    uint32_t slot;
    char app[HEAD_APP_SIZE];         /* LAUNCH */
    int64_t until_ms, asked_ms;      /* HOLDS, RENEWED */
    enum head_news news;             /* SAYS; args.reason tells why */
    char word[HEAD_WORD_SIZE];
};
struct head_acts { size_t count; struct head_act list[HEAD_ACTS_MAX]; };

/* An answer as the decoder gives it; durations are simulated already. status 0: none came. */
struct head_answer {
    enum head_call call;
    uint32_t round;
    long status;
    int64_t asked_ms, retry_ms, ttl_ms, renew_ms;
    char error[HEAD_WORD_SIZE], reason[HEAD_WORD_SIZE];
    bool has_body, has_lease, has_ticket, must_accept, directive_applied;
    char body_id[HC_ID_SIZE], lease_id[HC_ID_SIZE], stream_id[HC_ID_SIZE], claim_token[HEAD_TOKEN_SIZE], app[HEAD_APP_SIZE];
    uint32_t slot, position;
};

enum head_event_type { HEAD_ASK, HEAD_LEAVE, HEAD_TIMER, HEAD_ANSWERED, HEAD_LAUNCHED, HEAD_REFUSED, HEAD_LOST, HEAD_VANISH, HEAD_RETURN };
struct head_event { enum head_event_type type; const char *experience; const struct head_answer *answer; };

struct head {
    enum head_kind kind;
    char id[HC_ID_SIZE];
    struct rng rng;
    int64_t scale;                   /* simulated milliseconds in a real one */
    uint32_t pair_fails_per_mille;
    bool cannot_pair;                /* a fault: every pairing fails */

    enum head_phase phase;
    bool wants, stops_when_answered;
    char experience[HC_NAME_SIZE];
    uint32_t round, attempts;
    unsigned under_way;              /* bit per head_call */
    unsigned pair_tries;
    char attempt_id[HC_ID_SIZE], body_id[HC_ID_SIZE], lease_id[HC_ID_SIZE], stream_id[HC_ID_SIZE], claim_token[HEAD_TOKEN_SIZE],
        app[HEAD_APP_SIZE];
    uint32_t slot;
    bool ticket, lost_told, starting_told;
    int64_t hold_until_ms, renew_every_ms, ready_by_ms, starting_heard_ms;
    int64_t beat_at, phase_at, renew_at, poll_at, commands_at, farewell_at;      /* 0: not set */
    struct head_args farewell;       /* RELEASE or STOP: told until it is answered */
    unsigned farewell_left;
};

void head_init(struct head *head, enum head_kind kind, const char *id, struct rng rng, int64_t scale, int64_t now_ms);
void head_step(struct head *head, const struct head_event *event, int64_t now_ms, struct head_acts *ret_acts);
int64_t head_next(const struct head *head);              /* 0: nothing is due */

#endif
