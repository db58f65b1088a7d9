/* auth.h - who is asking: bearer tokens to principals, and what a scope lets in (wire §0).
 *
 * Tokens are compared by their SHA-256 in constant time (rules §3.9); where they are looked up is the owner's business. */
#ifndef HYDRA_AUTH_AUTH_H
#define HYDRA_AUTH_AUTH_H

#include <stdbool.h>
#include <stddef.h>

#include "hydra/base/id.h"

enum principal_kind { PRINCIPAL_NONE, PRINCIPAL_NODE, PRINCIPAL_ADMIN, PRINCIPAL_READ, PRINCIPAL_FLEET };
enum auth_approval { AUTH_APPROVED, AUTH_DENIED, AUTH_PENDING };
struct principal {
    enum principal_kind kind;
    char id[HC_ID_SIZE];                 /* node id or token id */
    bool body, head;                     /* roles of a node */
    enum auth_approval approval;
};
/* Fills the principal of a token's SHA-256 hex; false: unknown token. */
typedef bool auth_lookup_fn(void *ctx, const char *token_hash, struct principal *ret);

#define AUTH_TOKEN_MAX 256               /* bytes of a bearer token that we look at */

/* A scope is a mask: any of them lets in. SELF: a node whose id is the route's {id}. BODY, HEAD: a node with that role. */
enum auth_scope { SCOPE_PUBLIC = 1, SCOPE_FLEET = 2, SCOPE_NODE = 4, SCOPE_SELF = 8, SCOPE_ADMIN = 16, SCOPE_READ = 32, SCOPE_BODY = 64,
    SCOPE_LOOPBACK = 128 };
enum auth_verdict { AUTH_OK, AUTH_NO_TOKEN /* 401 */, AUTH_WRONG_SCOPE /* 403 forbidden */, AUTH_NODE_DENIED /* 403 */,
    AUTH_NODE_PENDING /* 403 not_approved */, AUTH_OTHER_ORIGIN /* 403 other_origin: a cookie's owner did not ask for this */ };

/* The token of an Authorization header ("Bearer x", any case of the word); NULL: none, or longer than AUTH_TOKEN_MAX. Points into the
 * header. */
const char *auth_bearer(const char *authorization);
/* Resolves a token (NULL: none). False: no or unknown token. */
bool auth_principal(const char *token, auth_lookup_fn *lookup, void *ctx, struct principal *ret);
/* `path_id` is the route's {id}, "" when it has none. `from_loopback` counts for SCOPE_LOOPBACK only. A denied node is refused everywhere
 * but on public routes. */
enum auth_verdict auth_allow(unsigned scopes, const struct principal *who, const char *path_id, bool from_loopback);

#endif
