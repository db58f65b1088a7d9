/* claim_token.c - what a head proves its lease with (rules §6.5.1): derived, never stored; only its digest is. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core.h"

#define TOKEN_BYTES     32
#define TOKEN_TEXT_SIZE (3 * HC_ID_SIZE + 24)      /* three ids, an epoch and the bars between them */

static void base64url(const uint8_t bytes[TOKEN_BYTES], char out[CLAIM_TOKEN_SIZE])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    size_t n = 0;
    for (size_t i = 0; i < TOKEN_BYTES; i += 3) {
        unsigned left = (unsigned)(TOKEN_BYTES - i);
        uint32_t three = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0u);
        out[n++] = digits[three >> 18 & 63];
        out[n++] = digits[three >> 12 & 63];
        if (left > 1)
            out[n++] = digits[three >> 6 & 63];
        if (left > 2)
            out[n++] = digits[three & 63];
    }
    out[n] = '\0';
}

void claim_token(const struct core_config *config, const struct lease *lease, char out[CLAIM_TOKEN_SIZE])
{
    char text[TOKEN_TEXT_SIZE];
    int len = snprintf(text, sizeof text, "%s|%" PRIu64 "|%s|%s", lease->id, lease->grant_epoch, lease->head_id, lease->attempt_id);
    uint8_t bytes[TOKEN_BYTES];
    hc_derive(config->secret, "claim token", text, (size_t)len, bytes);
    base64url(bytes, out);
}

void token_digest(const char *token, char out[HC_HASH_SIZE])
{
    static const uint8_t no_key[32] = { 0 };
    uint8_t bytes[32];
    hc_derive(no_key, "claim token digest", token, strlen(token), bytes);
    hc_hex(bytes, sizeof bytes, out);
}
