/* facts_json.c - pieces of answers that several resources render: lease, body, ticket, stream, what a claim would get (wire §3, §5). */
#include "pipeline.h"

#define TEXT_ROW(key_, type_, member_, flags_)                                     \
    { .key = key_, .type = CODEC_STR, .offset = offsetof(struct type_, member_), \
      .limit = sizeof(((struct type_ *)0)->member_) - 1, .flags = flags_ }
#define STR(key_, type_, member_) TEXT_ROW(key_, type_, member_, 0)
#define NULL_STR(key_, type_, member_) TEXT_ROW(key_, type_, member_, CODEC_NULL_EMPTY)
#define WORD(key_, type_, member_, words_) \
    { .key = key_, .type = CODEC_WORD, .offset = offsetof(struct type_, member_), .words = &(words_) }
#define NULL_WORD(key_, type_, member_, words_) \
    { .key = key_, .type = CODEC_WORD, .offset = offsetof(struct type_, member_), .words = &(words_), .flags = CODEC_NULL_EMPTY }

/* ---- lease ---- */

struct lease_json {
    char id[HC_ID_SIZE]; uint64_t epoch; uint32_t slot; enum lease_state state; char claim_token[CLAIM_TOKEN_SIZE];
    int64_t ttl_ms, renew_after_ms, start_deadline_ms; char stream_id[HC_ID_SIZE];
};
static const struct codec_field lease_rows[] = {
    STR("id", lease_json, id),
    { .key = "epoch", .type = CODEC_U64, .offset = offsetof(struct lease_json, epoch), .limit = HC_EPOCH_MAX },
    { .key = "slot", .type = CODEC_U32, .offset = offsetof(struct lease_json, slot), .limit = UINT32_MAX },
    WORD("state", lease_json, state, lease_state_words),
    NULL_STR("claim_token", lease_json, claim_token),
    { .key = "ttl_seconds", .type = CODEC_SECONDS, .offset = offsetof(struct lease_json, ttl_ms) },
    { .key = "renew_after_seconds", .type = CODEC_SECONDS, .offset = offsetof(struct lease_json, renew_after_ms) },
    { .key = "start_deadline_seconds", .type = CODEC_SECONDS, .offset = offsetof(struct lease_json, start_deadline_ms) },
    NULL_STR("stream_id", lease_json, stream_id),
};
static const struct codec_table lease_table = CODEC_TABLE("lease", lease_rows, struct lease_json, CODEC_NO_PRESENT);

void json_lease(const struct core_result *result, const struct timers *timers, struct hc_buf *out)
{
    struct lease_json row = { .epoch = result->epoch, .slot = result->slot, .state = result->lease.state, .ttl_ms = result->ttl_ms,
                              .renew_after_ms = timers->renew_after_ms, .start_deadline_ms = result->start_deadline_ms };
    HC_SET(row.id, result->lease.id);
    HC_SET(row.claim_token, result->claim_token);
    HC_SET(row.stream_id, result->lease.stream_id);
    json_write(&lease_table, &row, out);
}

/* ---- body ---- */

static const struct codec_field host_rows[] = {
    NULL_STR("lan", body_facts, ip),
    NULL_STR("wireguard", body_facts, wireguard_ip),
    { .key = "same_machine", .type = CODEC_BOOL, .offset = offsetof(struct body_facts, same_machine) },
};
static const struct codec_table host_table = CODEC_TABLE("hosts", host_rows, struct body_facts, CODEC_NO_PRESENT);
static const struct codec_field body_head_rows[] = { STR("id", body_facts, id), NULL_STR("name", body_facts, name) };
static const struct codec_table body_head_table = CODEC_TABLE("body", body_head_rows, struct body_facts, CODEC_NO_PRESENT);
static const struct codec_field body_tail_rows[] = {
    NULL_STR("app_name", body_facts, app_name),
    NULL_STR("sunshine_cert_fp", body_facts, sunshine_cert_fp),
    { .key = "pair_epoch", .type = CODEC_U32, .offset = offsetof(struct body_facts, pair_epoch), .limit = UINT32_MAX },
    { .key = "directive_applied", .type = CODEC_BOOL, .offset = offsetof(struct body_facts, directive_applied) },
};
static const struct codec_table body_tail_table = CODEC_TABLE("body", body_tail_rows, struct body_facts, CODEC_NO_PRESENT);
static const struct codec_field pair_rows[] = {
    { .key = "required", .type = CODEC_BOOL, .offset = offsetof(struct body_facts, pair_required) },
    NULL_STR("reason", body_facts, pair_reason),
};
static const struct codec_table pair_table = CODEC_TABLE("pair", pair_rows, struct body_facts, CODEC_NO_PRESENT);

static void add_port(const char *key, uint32_t port, struct hc_buf *out)
{
    hc_buf_json_str(out, key);
    hc_buf_char(out, ':');
    if (port == 0)
        hc_buf_str(out, "null");
    else
        hc_buf_u64(out, port);
}

void json_body_facts(const struct body_facts *body, struct hc_buf *out)
{
    hc_buf_char(out, '{');
    (void)json_write_members(&body_head_table, body, true, out);
    hc_buf_str(out, ",\"hosts\":");
    json_write(&host_table, body, out);
    hc_buf_str(out, ",\"ports\":{");
    add_port("gamestream", body->ports.gamestream, out);
    hc_buf_char(out, ',');
    add_port("gamestream_tls", body->ports.gamestream_tls, out);
    hc_buf_char(out, ',');
    add_port("web", body->ports.web, out);
    hc_buf_char(out, '}');
    (void)json_write_members(&body_tail_table, body, false, out);
    hc_buf_char(out, '}');
}

void json_pair(const struct body_facts *body, struct hc_buf *out)
{
    json_write(&pair_table, body, out);
}

/* ---- ticket ---- */

static const struct codec_field ticket_rows[] = {
    STR("id", ticket_facts, id),
    NULL_STR("stream_id", ticket_facts, stream_id),
    { .key = "position", .type = CODEC_U32, .offset = offsetof(struct ticket_facts, position), .limit = UINT32_MAX },
    { .key = "eta_seconds", .type = CODEC_SECONDS, .offset = offsetof(struct ticket_facts, eta_ms) },
    NULL_WORD("reason", ticket_facts, why, wait_words),
    { .key = "created_at", .type = CODEC_TIME, .offset = offsetof(struct ticket_facts, created_at) },
    WORD("state", ticket_facts, state, ticket_state_words),
};
static const struct codec_table ticket_table = CODEC_TABLE("ticket", ticket_rows, struct ticket_facts, CODEC_NO_PRESENT);

void json_ticket(const struct ticket_facts *ticket, struct hc_buf *out)
{
    json_write(&ticket_table, ticket, out);
}

/* ---- stream ---- */

struct stream_json { struct stream_facts facts; int64_t age_ms; };
#define FACTS(member_) offsetof(struct stream_json, facts.member_)
static const struct codec_field stream_rows[] = {
    { .key = "id", .type = CODEC_ID, .offset = FACTS(id) },
    { .key = "head_id", .type = CODEC_ID, .offset = FACTS(head_id), .flags = CODEC_NULL_EMPTY },
    { .key = "experience", .type = CODEC_NAME, .offset = FACTS(experience), .flags = CODEC_NULL_EMPTY },
    { .key = "state", .type = CODEC_WORD, .offset = FACTS(state), .words = &stream_state_words },
    { .key = "reason", .type = CODEC_WORD, .offset = FACTS(why), .words = &stream_why_words, .flags = CODEC_NULL_EMPTY },
    { .key = "created_at", .type = CODEC_TIME, .offset = FACTS(created_at) },
    { .key = "age_seconds", .type = CODEC_SECONDS, .offset = offsetof(struct stream_json, age_ms), .flags = CODEC_PAST },
    { .key = "lease_id", .type = CODEC_ID, .offset = FACTS(lease_id), .flags = CODEC_NULL_EMPTY },
    { .key = "ticket_id", .type = CODEC_ID, .offset = FACTS(ticket_id), .flags = CODEC_NULL_EMPTY },
    { .key = "unattended_seconds", .type = CODEC_SECONDS, .offset = FACTS(unattended_ms), .flags = CODEC_PAST },
};
static const struct codec_table stream_table = CODEC_TABLE("stream", stream_rows, struct stream_json, CODEC_NO_PRESENT);

void json_stream(const struct stream_facts *stream, hc_time now, struct hc_buf *out)
{
    int64_t age_ms = hc_time_since(now, stream->created_at);
    struct stream_json row = { .facts = *stream, .age_ms = age_ms < 0 ? 0 : age_ms };
    json_write(&stream_table, &row, out);
}

/* ---- what a claim would be answered ---- */

struct would_json {
    uint32_t status; char error[WORD_SIZE], reason[WORD_SIZE], body_id[HC_ID_SIZE];
    bool has_slot; uint32_t slot; bool has_position; uint32_t position; int64_t eta_ms;
};
static const struct codec_field would_rows[] = {
    { .key = "status", .type = CODEC_U32, .offset = offsetof(struct would_json, status), .limit = 599 },
    NULL_STR("error", would_json, error),
    NULL_STR("reason", would_json, reason),
    NULL_STR("body_id", would_json, body_id),
};
static const struct codec_table would_table = CODEC_TABLE("would", would_rows, struct would_json, CODEC_NO_PRESENT);
static const struct codec_field eta_rows[] = {
    { .key = "eta_seconds", .type = CODEC_SECONDS, .offset = offsetof(struct would_json, eta_ms) },
};
static const struct codec_table eta_table = CODEC_TABLE("would", eta_rows, struct would_json, CODEC_NO_PRESENT);

static void fill_would(const struct core_result *result, struct would_json *row)
{
    *row = (struct would_json){ .eta_ms = -1, .status = 200 };
    switch (result->answer) {
    case ANSWER_REFUSED:
        row->status = deny_status(result->deny);
        HC_SET(row->error, word_of(&deny_words, (int)result->deny));
        HC_SET(row->reason, result->lost_why[0] != '\0' ? result->lost_why : word_of(&wait_words, (int)result->wait));
        return;
    case ANSWER_TICKET:
        row->status = 202;
        row->has_position = result->has_ticket;
        row->position = result->ticket.position;
        row->eta_ms = result->has_ticket ? result->ticket.eta_ms : -1;
        HC_SET(row->reason, word_of(&wait_words, (int)result->wait));
        return;
    case ANSWER_LEASE_NEW:
        row->status = 201;
        break;
    default:
        break;
    }
    row->has_slot = result->has_lease;
    row->slot = result->slot;
    if (result->has_body)
        HC_SET(row->body_id, result->body.id);
}

static void add_number(const char *key, bool known, uint32_t value, struct hc_buf *out)
{
    hc_buf_char(out, ',');
    hc_buf_json_str(out, key);
    hc_buf_char(out, ':');
    if (known)
        hc_buf_u64(out, value);
    else
        hc_buf_str(out, "null");
}

void json_would(const struct core_result *result, struct hc_buf *out)
{
    struct would_json row;
    fill_would(result, &row);
    hc_buf_char(out, '{');
    (void)json_write_members(&would_table, &row, true, out);
    add_number("slot", row.has_slot, row.slot, out);
    add_number("position", row.has_position, row.position, out);
    (void)json_write_members(&eta_table, &row, false, out);
    hc_buf_char(out, '}');
}
