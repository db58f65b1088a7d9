#include "hydra/proto/claim_answer.h"

/* Every field may be absent or null: one table reads a lease, a ticket and a refusal. */
#define ID(struct_, key_, member_) \
    { .key = key_, .type = CODEC_ID, .offset = offsetof(struct struct_, member_), .flags = CODEC_EMPTY_OK }
#define TEXT(struct_, key_, member_, limit_) \
    { .key = key_, .type = CODEC_STR, .offset = offsetof(struct struct_, member_), .limit = limit_ }
#define FLAG(struct_, key_, member_) { .key = key_, .type = CODEC_BOOL, .offset = offsetof(struct struct_, member_) }
#define U32(struct_, key_, member_)  { .key = key_, .type = CODEC_U32, .offset = offsetof(struct struct_, member_), .limit = UINT32_MAX }
#define SECONDS(struct_, key_, member_) \
    { .key = key_, .type = CODEC_SECONDS, .offset = offsetof(struct struct_, member_), .limit = ANSWER_SECONDS_MAX }

static const struct codec_field lease_rows[] = {
    ID(answer_lease, "id", id), TEXT(answer_lease, "state", state, ANSWER_WORD_MAX),
    TEXT(answer_lease, "claim_token", claim_token, ANSWER_TOKEN_MAX), ID(answer_lease, "stream_id", stream_id),
    { .key = "epoch", .type = CODEC_U64, .offset = offsetof(struct answer_lease, epoch), .limit = HC_EPOCH_MAX },
    U32(answer_lease, "slot", slot), SECONDS(answer_lease, "ttl_seconds", ttl_ms),
    SECONDS(answer_lease, "renew_after_seconds", renew_after_ms), SECONDS(answer_lease, "start_deadline_seconds", start_deadline_ms),
};
static const struct codec_table lease_table = CODEC_TABLE("lease", lease_rows, struct answer_lease, CODEC_NO_PRESENT);

static const struct codec_field hosts_rows[] = {
    TEXT(answer_hosts, "lan", lan, HC_ID_MAX), TEXT(answer_hosts, "wireguard", wireguard, HC_ID_MAX),
    FLAG(answer_hosts, "same_machine", same_machine),
};
static const struct codec_table hosts_table = CODEC_TABLE("hosts", hosts_rows, struct answer_hosts, CODEC_NO_PRESENT);
static const struct codec_field ports_rows[] = {
    { .key = "gamestream",     .type = CODEC_U32, .offset = offsetof(struct answer_ports, gamestream), .limit = UINT16_MAX },
    { .key = "gamestream_tls", .type = CODEC_U32, .offset = offsetof(struct answer_ports, gamestream_tls), .limit = UINT16_MAX },
    { .key = "web",            .type = CODEC_U32, .offset = offsetof(struct answer_ports, web), .limit = UINT16_MAX },
};
static const struct codec_table ports_table = CODEC_TABLE("ports", ports_rows, struct answer_ports, CODEC_NO_PRESENT);
static const struct codec_field body_rows[] = {
    ID(answer_body, "id", id), TEXT(answer_body, "name", name, HC_NAME_MAX), TEXT(answer_body, "app_name", app_name, ANSWER_APP_MAX),
    TEXT(answer_body, "sunshine_cert_fp", sunshine_cert_fp, HC_HASH_HEX), U32(answer_body, "pair_epoch", pair_epoch),
    FLAG(answer_body, "directive_applied", directive_applied),
    { .key = "hosts", .type = CODEC_OBJECT, .offset = offsetof(struct answer_body, hosts), .sub = &hosts_table },
    { .key = "ports", .type = CODEC_OBJECT, .offset = offsetof(struct answer_body, ports), .sub = &ports_table },
};
static const struct codec_table body_table = CODEC_TABLE("body", body_rows, struct answer_body, CODEC_NO_PRESENT);
static const struct codec_field pair_rows[] = {
    FLAG(answer_pair, "required", required), TEXT(answer_pair, "reason", reason, ANSWER_WORD_MAX),
};
static const struct codec_table pair_table = CODEC_TABLE("pair", pair_rows, struct answer_pair, CODEC_NO_PRESENT);
static const struct codec_field ticket_rows[] = {
    SECONDS(answer_ticket, "eta_seconds", eta_ms), ID(answer_ticket, "id", id), ID(answer_ticket, "stream_id", stream_id),
    TEXT(answer_ticket, "reason", reason, ANSWER_WORD_MAX), TEXT(answer_ticket, "state", state, ANSWER_WORD_MAX),
    U32(answer_ticket, "position", position),
};
static const struct codec_table ticket_table = CODEC_TABLE("ticket", ticket_rows, struct answer_ticket,
    offsetof(struct answer_ticket, present));

bool answer_ticket_has_eta(const struct answer_ticket *ticket)
{
    return codec_has(&ticket_table, ticket, "eta_seconds");
}

#define PART(key_, member_, sub_, has_) \
    { .key = key_, .type = CODEC_OBJECT, .offset = offsetof(struct claim_answer, member_), .sub = &sub_, .flags = CODEC_NULLABLE_OBJECT, \
      .null_flag = offsetof(struct claim_answer, has_) }
static const struct codec_field answer_rows[] = {
    PART("lease", lease, lease_table, has_lease), PART("body", body, body_table, has_body),
    { .key = "pair", .type = CODEC_OBJECT, .offset = offsetof(struct claim_answer, pair), .sub = &pair_table },
    PART("ticket", ticket, ticket_table, has_ticket),
    SECONDS(claim_answer, "retry_after_seconds", retry_after_ms), SECONDS(claim_answer, "ttl_seconds", ttl_ms),
    ID(claim_answer, "lease_id", lease_id), TEXT(claim_answer, "error", error, ANSWER_WORD_MAX),
    TEXT(claim_answer, "reason", reason, ANSWER_WORD_MAX),
    { .key = "detail", .type = CODEC_TEXT, .offset = offsetof(struct claim_answer, detail), .limit = ANSWER_SENTENCE_MAX },
};
const struct codec_table claim_answer_table = CODEC_TABLE("answer", answer_rows, struct claim_answer, offsetof(struct claim_answer,
                                                                                                               present));
