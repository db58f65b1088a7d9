#include "hydra/proto/claim.h"

#define CLAIM(member) offsetof(struct claim_body, member)
static const struct codec_field claim_rows[] = {
    { .key = "attempt_id",       .type = CODEC_ID,   .offset = CLAIM(attempt_id), .flags = CODEC_REQUIRED },
    { .key = "district",         .type = CODEC_NAME, .offset = CLAIM(district), .flags = CODEC_EMPTY_OK },
    { .key = "venue",            .type = CODEC_NAME, .offset = CLAIM(venue), .flags = CODEC_EMPTY_OK },
    { .key = "experience",       .type = CODEC_NAME, .offset = CLAIM(experience), .flags = CODEC_REQUIRED },
    { .key = "stream_mode",      .type = CODEC_STR,  .offset = CLAIM(stream_mode), .limit = CLAIM_MODE_MAX },
    { .key = "device_uid",       .type = CODEC_STR,  .offset = CLAIM(device_uid), .limit = CLAIM_DEVICE_MAX, .flags = CODEC_REQUIRED },
    { .key = "protocol_version", .type = CODEC_U32,  .offset = CLAIM(protocol_version), .limit = CLAIM_PROTOCOL_MAX,
      .flags = CODEC_REQUIRED },
    { .key = "prefer_body_id",   .type = CODEC_ID,   .offset = CLAIM(prefer_body_id), .flags = CODEC_EMPTY_OK },
    { .key = "claim_token",      .type = CODEC_STR,  .offset = CLAIM(claim_token), .limit = CLAIM_TOKEN_MAX },
    { .key = "stream_id",        .type = CODEC_ID,   .offset = CLAIM(stream_id), .flags = CODEC_EMPTY_OK },
};
const struct codec_table claim_table = CODEC_TABLE("claim", claim_rows, struct claim_body, CODEC_NO_PRESENT);

static const struct codec_field renew_rows[] = {
    { .key = "claim_token", .type = CODEC_STR, .offset = offsetof(struct renew_body, claim_token), .limit = CLAIM_TOKEN_MAX,
      .flags = CODEC_REQUIRED },
};
const struct codec_table renew_table = CODEC_TABLE("renew", renew_rows, struct renew_body, CODEC_NO_PRESENT);

static const char *const release_texts[RELEASE_REASONS] = {
    [RELEASE_UNSAID] = "", [RELEASE_USER_EXIT] = "user_exit", [RELEASE_ERROR] = "error", [RELEASE_ABANDON] = "abandon",
    [RELEASE_UNREACHABLE] = "unreachable", [RELEASE_INTERRUPTED] = "interrupted",
};
const struct hc_words release_words = { release_texts, RELEASE_REASONS };
static const struct codec_field release_rows[] = {
    { .key = "claim_token", .type = CODEC_STR,  .offset = offsetof(struct release_body, claim_token), .limit = CLAIM_TOKEN_MAX },
    { .key = "reason",      .type = CODEC_WORD, .offset = offsetof(struct release_body, reason), .words = &release_words },
};
const struct codec_table release_table = CODEC_TABLE("release", release_rows, struct release_body, CODEC_NO_PRESENT);
