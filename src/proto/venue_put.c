#include "hydra/proto/venue_put.h"

static const char *const accept_texts[] = { "auto", "confirm" };
const struct hc_words accept_words = { accept_texts, sizeof accept_texts / sizeof accept_texts[0] };

#define VENUE(member) offsetof(struct venue_put, member)
static const struct codec_field venue_rows[] = {
    { .key = "district",              .type = CODEC_NAME, .offset = VENUE(district), .flags = CODEC_EMPTY_OK },
    { .key = "owner",                 .type = CODEC_NAME, .offset = VENUE(owner), .flags = CODEC_EMPTY_OK },
    { .key = "max_concurrent_grants", .type = CODEC_U32,  .offset = VENUE(max_concurrent_grants), .limit = VENUE_CAP_MAX },
    { .key = "queue_accept_mode",     .type = CODEC_WORD, .offset = VENUE(queue_accept_mode), .words = &accept_words },
};
const struct codec_table venue_put_table = CODEC_TABLE("venue", venue_rows, struct venue_put, VENUE(present));

#define ORG(member) offsetof(struct org_put, member)
static const struct codec_field org_rows[] = {
    { .key = "max_concurrent_grants", .type = CODEC_U32, .offset = ORG(max_concurrent_grants), .limit = VENUE_CAP_MAX },
};
const struct codec_table org_put_table = CODEC_TABLE("org", org_rows, struct org_put, ORG(present));
