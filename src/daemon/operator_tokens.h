/* operator_tokens.h - tokens.yaml in memory: admin, read and fleet tokens, and when each was last used.
 *
 * A thread of its own reads and writes the file, for a disk that hangs must not hang the loop: it looks once a second whether the file has
 * changed, and writes last_used at most once a minute for each token. All calls here are the loop thread's and never wait for the disk,
 * but for open. */
#ifndef DAEMON_OPERATOR_TOKENS_H
#define DAEMON_OPERATOR_TOKENS_H

#include "hydra/api/api.h"
#include "hydra/auth/auth.h"
#include "hydra/base/err.h"

struct operator_tokens;
/* `secret` is the server's, copied. */
HC_MUST enum hc_err operator_tokens_open(const char *data_dir, const uint8_t secret[32], struct operator_tokens **ret_tokens,
                                         struct hc_diag *diag);
/* Writes what it has. False: the disk hangs, and it is not done within `most_ms`; the tokens must then stay as long as the process. */
bool operator_tokens_stop(struct operator_tokens *tokens, int64_t most_ms);
void operator_tokens_close(struct operator_tokens *tokens);      /* stops, at most 10 s; accepts NULL */
/* An auth_lookup_fn whose ctx is the struct operator_tokens. False: no operator's token has this hash. */
bool operator_tokens_find(void *tokens, const char *token_hash, struct principal *ret);
/* An auth_hash_fn: the digest of the token with that id. */
bool operator_tokens_hash(void *tokens, const char *token_id, char ret_hash[HC_HASH_SIZE]);
/* An api_enrolment_fn: the token of GET /enroll. It is stored nowhere: its row has an id `enroll-...`, and the token is derived from
 * the server's secret and that id. Without such a row the thread makes one. */
enum api_enrolment operator_tokens_enrolment(void *tokens, char ret_token[API_TOKEN_SIZE], char ret_id[HC_ID_SIZE]);

#endif
