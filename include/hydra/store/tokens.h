/* tokens.h - tokens.yaml: operator and fleet tokens, with a lock of its own, so that `hydraclusterd token` works beside a running daemon
 * (rules §3.1; wire §8). Only SHA-256 digests are stored. */
#ifndef HYDRA_STORE_TOKENS_H
#define HYDRA_STORE_TOKENS_H

#include "hydra/base/id.h"
#include "hydra/base/time.h"

enum token_kind { TOKEN_ADMIN, TOKEN_READ, TOKEN_FLEET, TOKEN_KINDS };
const char *token_kind_word(enum token_kind kind);
int token_kind_find(const char *word);                   /* -1 */
#define TOKENS_MAX 1024
struct token_row { char id[HC_ID_SIZE]; enum token_kind kind; char hash[HC_HASH_SIZE]; hc_time created_at, last_used_at; };
struct token_list { struct token_row *rows; size_t count; };
void token_list_free(struct token_list *list);

/* Locks, reads, adds, replaces the file, unlocks. HC_ERR_LIMIT at TOKENS_MAX. */
HC_MUST enum hc_err tokens_add(const char *data_dir, enum token_kind kind, const char *id, const char *hash, hc_time now,
                                struct hc_diag *diag);
HC_MUST enum hc_err tokens_revoke(const char *data_dir, const char *id, struct hc_diag *diag);           /* HC_ERR_NOTFOUND */
HC_MUST enum hc_err tokens_read(const char *data_dir, struct token_list *ret_list, struct hc_diag *diag);
/* Writes last_used_at of the named rows (at most once a minute per row is the caller's business). */
HC_MUST enum hc_err tokens_used(const char *data_dir, const struct token_row *used, size_t count, struct hc_diag *diag);
/* Has the file changed since `*seen`? Cheap; the daemon asks every second. Updates *seen (zero it first). */
struct tokens_seen { uint64_t words[6]; };
bool tokens_changed(const char *data_dir, struct tokens_seen *seen);

#endif
