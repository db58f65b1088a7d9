#include "hydra/proto/node_enrol.h"

#define HEAD(member) offsetof(struct head_enrol, member)
static const struct codec_field head_rows[] = {
    { .key = "name",     .type = CODEC_NAME, .offset = HEAD(name), .flags = CODEC_EMPTY_OK },
    { .key = "type",     .type = CODEC_STR,  .offset = HEAD(type), .limit = NODE_KIND_MAX },
    { .key = "district", .type = CODEC_NAME, .offset = HEAD(district), .flags = CODEC_EMPTY_OK },
    { .key = "venue",    .type = CODEC_NAME, .offset = HEAD(venue), .flags = CODEC_EMPTY_OK },
};
const struct codec_table head_enrol_table = CODEC_TABLE("head", head_rows, struct head_enrol, CODEC_NO_PRESENT);

#define NODE(member) offsetof(struct node_enrol, member)
static const struct codec_field node_rows[] = {
    { .key = "name",         .type = CODEC_NAME, .offset = NODE(name), .flags = CODEC_REQUIRED },
    { .key = "roles",        .type = CODEC_STRS, .offset = NODE(roles), .limit = NODE_ROLES_MAX, .item_limit = NODE_KIND_MAX,
      .flags = CODEC_REQUIRED },
    { .key = "district",     .type = CODEC_NAME, .offset = NODE(district), .flags = CODEC_EMPTY_OK },
    { .key = "venue",        .type = CODEC_NAME, .offset = NODE(venue), .flags = CODEC_EMPTY_OK },
    { .key = "owner",        .type = CODEC_NAME, .offset = NODE(owner), .flags = CODEC_EMPTY_OK },
    { .key = "machine_id",   .type = CODEC_NAME, .offset = NODE(machine_id), .flags = CODEC_EMPTY_OK },
    { .key = "ip",           .type = CODEC_STR,  .offset = NODE(ip), .limit = NODE_ADDRESS_MAX },
    { .key = "wireguard_ip", .type = CODEC_STR,  .offset = NODE(wireguard_ip), .limit = NODE_ADDRESS_MAX },
    { .key = "kind",         .type = CODEC_STR,  .offset = NODE(kind), .limit = NODE_KIND_MAX },
};
const struct codec_table node_enrol_table = CODEC_TABLE("node", node_rows, struct node_enrol, CODEC_NO_PRESENT);
