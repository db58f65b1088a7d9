#include "section.h"

static const struct section allocation[] = {
    { .key = "safe_modes", .kind = REC_DISTRICT },
    { .key = "latches", .kind = REC_DISTRICT, .part = 1 },
    { .key = "bodies", .kind = REC_BODY },
    { .key = "streams", .kind = REC_STREAM },
    { .key = "tickets", .kind = REC_TICKET },
    { .key = "identities", .kind = REC_IDENTITY, .when_used = true },
    { .group = "caps", .key = "venues", .kind = REC_CAP },
    { .group = "caps", .key = "orgs", .kind = REC_CAP, .part = 1 },
    { .key = "demotions", .kind = REC_DEMOTION, .list = true },
    { .key = "attempts", .kind = REC_ATTEMPTS, .list = true },
    { .key = "operations", .kind = REC_OP, .when_used = true },
};
static const struct section nodes[] = {
    { .key = "nodes", .kind = REC_NODE },
    { .key = "venues", .kind = REC_VENUE },
    { .key = "orgs", .kind = REC_ORG },
    { .key = "experiences", .kind = REC_EXPERIENCE },
};
const struct file_sections allocation_sections = { allocation, sizeof allocation / sizeof allocation[0] };
const struct file_sections nodes_sections = { nodes, sizeof nodes / sizeof nodes[0] };
