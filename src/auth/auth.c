#include "hydra/auth/auth.h"

#include <string.h>
#include <strings.h>

#include "hydra/crypto/digest.h"

#define BEARER "bearer "

const char *auth_bearer(const char *authorization)
{
    if (authorization == NULL || strncasecmp(authorization, BEARER, strlen(BEARER)) != 0)
        return NULL;
    const char *token = authorization + strlen(BEARER);
    while (*token == ' ')
        token++;
    size_t len = strlen(token);
    return len == 0 || len > AUTH_TOKEN_MAX ? NULL : token;
}

bool auth_principal(const char *token, auth_lookup_fn *lookup, void *ctx, struct principal *ret)
{
    *ret = (struct principal){ 0 };
    if (token == NULL)
        return false;
    char hash[HC_HASH_SIZE];
    crypto_sha256_hex(token, strlen(token), hash);
    bool known = lookup(ctx, hash, ret);
    if (!known)
        *ret = (struct principal){ 0 };
    return known;
}

static bool node_may(unsigned scopes, const struct principal *who, const char *path_id)
{
    if ((scopes & SCOPE_NODE) != 0)
        return true;
    if ((scopes & SCOPE_BODY) != 0 && who->body)
        return true;
    return (scopes & SCOPE_SELF) != 0 && path_id[0] != '\0' && strcmp(path_id, who->id) == 0;
}

enum auth_verdict auth_allow(unsigned scopes, const struct principal *who, const char *path_id, bool from_loopback)
{
    if ((scopes & SCOPE_PUBLIC) != 0 || ((scopes & SCOPE_LOOPBACK) != 0 && from_loopback))
        return AUTH_OK;
    switch (who->kind) {
    case PRINCIPAL_ADMIN:
        return (scopes & SCOPE_ADMIN) != 0 ? AUTH_OK : AUTH_WRONG_SCOPE;
    case PRINCIPAL_READ:
        return (scopes & SCOPE_READ) != 0 ? AUTH_OK : AUTH_WRONG_SCOPE;
    case PRINCIPAL_FLEET:
        return (scopes & SCOPE_FLEET) != 0 ? AUTH_OK : AUTH_WRONG_SCOPE;
    case PRINCIPAL_NODE:
        if (who->approval == AUTH_DENIED)
            return AUTH_NODE_DENIED;
        if (who->approval == AUTH_PENDING)
            return AUTH_NODE_PENDING;
        return node_may(scopes, who, path_id) ? AUTH_OK : AUTH_WRONG_SCOPE;
    case PRINCIPAL_NONE:
        break;
    }
    return AUTH_NO_TOKEN;
}
