/* claim_answer.h - what a head reads in answers to claim, renew, admission and accept: success and refusal alike (wire §0, §3). */
#ifndef HYDRA_PROTO_CLAIM_ANSWER_H
#define HYDRA_PROTO_CLAIM_ANSWER_H

#include "hydra/base/id.h"
#include "hydra/codec/field.h"

#define ANSWER_APP_MAX      161         /* an experience, '#' and 32 hex digits */
#define ANSWER_WORD_MAX     64          /* error and reason words */
#define ANSWER_TOKEN_MAX    64
#define ANSWER_SENTENCE_MAX 500
#define ANSWER_SECONDS_MAX  ((uint64_t)7 * 24 * 3600)

struct answer_lease {
    char id[HC_ID_SIZE], state[ANSWER_WORD_MAX + 1], claim_token[ANSWER_TOKEN_MAX + 1], stream_id[HC_ID_SIZE];
    uint64_t epoch;
    uint32_t slot;
    int64_t ttl_ms, renew_after_ms, start_deadline_ms;
};
struct answer_hosts { char lan[HC_ID_SIZE], wireguard[HC_ID_SIZE]; bool same_machine; };
struct answer_ports { uint32_t gamestream, gamestream_tls, web; };              /* 0: not told */
struct answer_body {
    char id[HC_ID_SIZE], name[HC_NAME_SIZE], app_name[ANSWER_APP_MAX + 1], sunshine_cert_fp[HC_HASH_SIZE];
    struct answer_hosts hosts;
    struct answer_ports ports;
    uint32_t pair_epoch;
    bool directive_applied;
};
struct answer_pair { bool required; char reason[ANSWER_WORD_MAX + 1]; };
struct answer_ticket {
    char id[HC_ID_SIZE], stream_id[HC_ID_SIZE], reason[ANSWER_WORD_MAX + 1], state[ANSWER_WORD_MAX + 1];
    uint32_t position;
    int64_t eta_ms;                     /* 0 when it is not known: see has_eta() */
    uint64_t present;
};
struct claim_answer {
    uint64_t present;
    bool has_lease, has_body, has_ticket;
    struct answer_lease lease;
    struct answer_body body;
    struct answer_pair pair;
    struct answer_ticket ticket;
    int64_t retry_after_ms, ttl_ms;     /* ttl_ms: of a renewal */
    char lease_id[HC_ID_SIZE];          /* of a renewal: maybe another than was asked for */
    char error[ANSWER_WORD_MAX + 1], reason[ANSWER_WORD_MAX + 1];
    const char *detail;                 /* the arena's; NULL: none */
};
extern const struct codec_table claim_answer_table;
bool answer_ticket_has_eta(const struct answer_ticket *ticket);

#endif
