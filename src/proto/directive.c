#include "hydra/proto/directive.h"

static const char *const action_texts[] = { "serve", "free", "terminate" };
const struct hc_words directive_action_words = { action_texts, sizeof action_texts / sizeof action_texts[0] };
static const char *const enforce_texts[] = { "observe", "enforce" };
const struct hc_words directive_enforce_words = { enforce_texts, sizeof enforce_texts / sizeof enforce_texts[0] };
static const char *const gate_texts[] = { "", "observe", "enforce", "unavailable" };
const struct hc_words directive_gate_words = { gate_texts, sizeof gate_texts / sizeof gate_texts[0] };

#define GATE(member) offsetof(struct desired_gate, member)
static const struct codec_field gate_rows[] = {
    { .key = "mode",    .type = CODEC_WORD, .offset = GATE(mode), .words = &directive_gate_words },
    { .key = "enabled", .type = CODEC_STRS, .offset = GATE(enabled), .limit = DIRECTIVE_CLIENTS_MAX, .item_limit = HC_ID_MAX },
};
static const struct codec_table gate_table = CODEC_TABLE("gate", gate_rows, struct desired_gate, CODEC_NO_PRESENT);

#define SLOT(member) offsetof(struct desired_slot, member)
static const struct codec_field slot_rows[] = {
    { .key = "index",       .type = CODEC_U32,    .offset = SLOT(index), .limit = DIRECTIVE_SLOTS_MAX - 1, .flags = CODEC_REQUIRED },
    { .key = "action",      .type = CODEC_WORD,   .offset = SLOT(action), .words = &directive_action_words, .flags = CODEC_REQUIRED },
    { .key = "lease_id",    .type = CODEC_ID,     .offset = SLOT(lease_id), .flags = CODEC_EMPTY_OK },
    { .key = "head_id",     .type = CODEC_ID,     .offset = SLOT(head_id), .flags = CODEC_EMPTY_OK },
    { .key = "device_uid",  .type = CODEC_ID,     .offset = SLOT(device_uid), .flags = CODEC_EMPTY_OK },
    { .key = "sunshine_client_uuid", .type = CODEC_ID, .offset = SLOT(sunshine_client_uuid), .flags = CODEC_EMPTY_OK },
    { .key = "epoch",       .type = CODEC_U64,    .offset = SLOT(epoch), .limit = HC_EPOCH_MAX, .flags = CODEC_REQUIRED },
    { .key = "app_entries", .type = CODEC_STRS,   .offset = SLOT(app_entries), .limit = DIRECTIVE_ENTRIES_MAX,
      .item_limit = DIRECTIVE_ENTRY_MAX },
    { .key = "protocol",    .type = CODEC_U32,    .offset = SLOT(protocol), .limit = UINT8_MAX },
    { .key = "evict",       .type = CODEC_STRS,   .offset = SLOT(evict), .limit = DIRECTIVE_EVICT_MAX, .item_limit = HC_ID_MAX },
    { .key = "gate",        .type = CODEC_OBJECT, .offset = SLOT(gate), .sub = &gate_table },
};
static const struct codec_table slot_table = CODEC_TABLE("slot", slot_rows, struct desired_slot, CODEC_NO_PRESENT);

#define DESIRED(member) offsetof(struct desired, member)
static const struct codec_field desired_rows[] = {
    { .key = "digest",      .type = CODEC_STR,  .offset = DESIRED(digest), .limit = DIRECTIVE_DIGEST_MAX, .flags = CODEC_REQUIRED },
    { .key = "epoch_floor", .type = CODEC_U64,  .offset = DESIRED(epoch_floor), .limit = HC_EPOCH_MAX },
    { .key = "enforce",     .type = CODEC_WORD, .offset = DESIRED(enforce), .words = &directive_enforce_words },
    { .key = "maintenance", .type = CODEC_BOOL, .offset = DESIRED(maintenance) },
    { .key = "slots",       .type = CODEC_LIST, .offset = DESIRED(slots), .limit = DIRECTIVE_SLOTS_MAX, .sub = &slot_table },
    { .key = "issued_at_seconds_ago", .type = CODEC_SECONDS, .offset = DESIRED(issued_ago_ms), .limit = DIRECTIVE_SECONDS_MAX },
};
static const struct codec_table desired_table = CODEC_TABLE("desired", desired_rows, struct desired, CODEC_NO_PRESENT);

#define CLIENT(member) offsetof(struct trusted_client, member)
static const struct codec_field client_rows[] = {
    { .key = "uuid", .type = CODEC_ID,   .offset = CLIENT(uuid), .flags = CODEC_EMPTY_OK },
    { .key = "name", .type = CODEC_NAME, .offset = CLIENT(name), .flags = CODEC_EMPTY_OK },
};
static const struct codec_table client_table = CODEC_TABLE("client", client_rows, struct trusted_client, CODEC_NO_PRESENT);

#define TRUST(member) offsetof(struct trust, member)
static const struct codec_field trust_rows[] = {
    { .key = "desired_clients", .type = CODEC_LIST, .offset = TRUST(desired_clients), .limit = DIRECTIVE_CLIENTS_MAX,
        .sub = &client_table },
    { .key = "remove",          .type = CODEC_STRS, .offset = TRUST(remove), .limit = DIRECTIVE_CLIENTS_MAX, .item_limit = HC_ID_MAX },
    { .key = "max_clients",     .type = CODEC_U32,  .offset = TRUST(max_clients), .limit = UINT16_MAX },
};
static const struct codec_table trust_table = CODEC_TABLE("trust", trust_rows, struct trust, CODEC_NO_PRESENT);

#define ANSWER(member) offsetof(struct directive_answer, member)
static const struct codec_field answer_rows[] = {
    { .key = "terminate_stream",    .type = CODEC_BOOL,    .offset = ANSWER(terminate_stream) },
    { .key = "desired",             .type = CODEC_OBJECT,  .offset = ANSWER(desired), .sub = &desired_table, .flags = CODEC_REQUIRED },
    { .key = "trust",               .type = CODEC_OBJECT,  .offset = ANSWER(trust), .sub = &trust_table },
    { .key = "next_report_seconds", .type = CODEC_SECONDS, .offset = ANSWER(next_report_ms), .limit = DIRECTIVE_SECONDS_MAX },
};
const struct codec_table directive_answer_table = CODEC_TABLE("directive", answer_rows, struct directive_answer, ANSWER(present));

const struct desired_slot *desired_slot_of(const struct desired *desired, uint32_t index)
{
    const struct desired_slot *slots = desired->slots.items;
    for (size_t i = 0; i < desired->slots.count; i++)
        if (slots[i].index == index)
            return &slots[i];
    return NULL;
}
