/* node_token.h - a new token of a node: shown once, stored as its SHA-256 (rules §3.9). */
#ifndef API_NODE_TOKEN_H
#define API_NODE_TOKEN_H

#include "hydra/base/id.h"

#define NODE_TOKEN_SIZE 44             /* base64url of 32 bytes */
struct node_token { char token[NODE_TOKEN_SIZE], hash[HC_HASH_SIZE]; };
void node_token_make(void (*random)(void *out, size_t len), struct node_token *ret);

#endif
