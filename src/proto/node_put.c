#include "hydra/proto/node_put.h"

static const char *const approval_texts[] = { "approved", "denied" };
const struct hc_words node_approval_words = { approval_texts, sizeof approval_texts / sizeof approval_texts[0] };

#define NODE(member) offsetof(struct node_put, member)
static const struct codec_field node_rows[] = {
    { .key = "name",               .type = CODEC_NAME, .offset = NODE(name) },
    { .key = "venue",              .type = CODEC_NAME, .offset = NODE(venue), .flags = CODEC_EMPTY_OK },
    { .key = "district",           .type = CODEC_NAME, .offset = NODE(district) },
    { .key = "owner",              .type = CODEC_NAME, .offset = NODE(owner), .flags = CODEC_EMPTY_OK },
    { .key = "roles",              .type = CODEC_STRS, .offset = NODE(roles), .limit = NODE_ROLES_MAX, .item_limit = NODE_KIND_MAX },
    { .key = "ip",                 .type = CODEC_STR,  .offset = NODE(ip), .limit = NODE_ADDRESS_MAX },
    { .key = "wireguard_ip",       .type = CODEC_STR,  .offset = NODE(wireguard_ip), .limit = NODE_ADDRESS_MAX },
    { .key = "machine_id",         .type = CODEC_NAME, .offset = NODE(machine_id), .flags = CODEC_EMPTY_OK },
    { .key = "approval",           .type = CODEC_WORD, .offset = NODE(approval), .words = &node_approval_words },
    { .key = "xr_client_hostname", .type = CODEC_NAME, .offset = NODE(xr_client_hostname), .flags = CODEC_EMPTY_OK },
};
const struct codec_table node_put_table = CODEC_TABLE("node", node_rows, struct node_put, NODE(present));

#define BEAT(member) offsetof(struct node_beat, member)
static const struct codec_field beat_rows[] = {
    { .key = "version", .type = CODEC_STR, .offset = BEAT(version), .limit = NODE_VERSION_MAX },
    { .key = "arch",    .type = CODEC_STR, .offset = BEAT(arch), .limit = NODE_VERSION_MAX },
    { .key = "ip",      .type = CODEC_STR, .offset = BEAT(ip), .limit = NODE_ADDRESS_MAX },
};
const struct codec_table node_beat_table = CODEC_TABLE("heartbeat", beat_rows, struct node_beat, CODEC_NO_PRESENT);
