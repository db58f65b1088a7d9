#include "node_token.h"

#include <string.h>

#include "hydra/crypto/digest.h"

#define TOKEN_BYTES 32

void node_token_make(void (*random)(void *out, size_t len), struct node_token *ret)
{
    uint8_t bytes[TOKEN_BYTES];
    random(bytes, sizeof bytes);
    (void)crypto_base64url(bytes, sizeof bytes, ret->token, sizeof ret->token);
    crypto_wipe(bytes, sizeof bytes);
    crypto_sha256_hex(ret->token, strlen(ret->token), ret->hash);
}
