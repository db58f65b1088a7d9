/* session.c - who asks: a bearer token, or the operator page's cookie, which changes something only from the page itself (wire §0, §5). */
#include "session.h"

#include <string.h>

#include "hydra/auth/session.h"
#include "hydra/crypto/digest.h"

static bool find_principal(void *ctx, const char *token_hash, struct principal *ret)
{
    struct api *api = ctx;
    enum approval approval;
    uint32_t roles;
    if (api->config.operator_token(api->config.operator_ctx, token_hash, ret))
        return true;
    if (!engine_node_by_token(api->config.engine, token_hash, ret->id, &approval, &roles))
        return false;
    ret->kind = PRINCIPAL_NODE;
    ret->body = (roles & ROLE_BODY) != 0;
    ret->head = (roles & ROLE_HEAD) != 0;
    ret->approval = approval == APPROVAL_APPROVED ? AUTH_APPROVED : approval == APPROVAL_DENIED ? AUTH_DENIED : AUTH_PENDING;
    return true;
}

static bool may_look(const struct principal *who)
{
    return who->kind == PRINCIPAL_ADMIN || who->kind == PRINCIPAL_READ;
}

bool api_session(struct api *api, const struct http_request *req, struct principal *ret_who)
{
    const struct api_config *config = &api->config;
    char value[AUTH_COOKIE_SIZE], hash[HC_HASH_SIZE];
    *ret_who = (struct principal){ 0 };
    bool known = config->operator_hash != NULL && auth_session_cookie(http_header(req, "Cookie"), value) &&
                 auth_session_read(config->core->secret, value, config->now(), config->operator_hash, config->operator_ctx, hash) &&
                 config->operator_token(config->operator_ctx, hash, ret_who) && may_look(ret_who);
    if (!known)
        *ret_who = (struct principal){ 0 };
    return known;
}

bool api_login(struct api *api, const char *token, struct principal *ret_who, char ret_cookie[AUTH_COOKIE_SIZE])
{
    const struct api_config *config = &api->config;
    char hash[HC_HASH_SIZE];
    *ret_who = (struct principal){ 0 };
    if (token[0] == '\0' || strlen(token) > AUTH_TOKEN_MAX)
        return false;
    crypto_sha256_hex(token, strlen(token), hash);
    if (!config->operator_token(config->operator_ctx, hash, ret_who) || !may_look(ret_who))
        return false;
    hc_time until = hc_time_add(config->now(), AUTH_SESSION_SECONDS * HC_SECOND_MS);
    auth_session_make(config->core->secret, ret_who->id, hash, until, ret_cookie);
    return true;
}

bool api_from_own_page(const struct api *api, const struct http_request *req)
{
    const char *origin = http_header(req, "Origin"), *host = http_header(req, "Host");
    const char *url = api->config.server_url;
    if (auth_same_origin(origin, host))
        return true;
    /* A proxy may have put its own name into Host: the page's address is then the one that the configuration tells. */
    const char *known = url == NULL ? NULL : strstr(url, "://");
    if (known == NULL || origin == NULL)
        return false;
    char named[AUTH_ORIGIN_MAX + 1];
    size_t len = strcspn(known + 3, "/");
    if (len == 0 || len > AUTH_ORIGIN_MAX)
        return false;
    memcpy(named, known + 3, len);
    named[len] = '\0';
    return auth_same_origin(origin, named);
}

bool api_who(struct api *api, const struct http_request *req, struct principal *ret_who)
{
    const char *authorization = http_header(req, "Authorization");
    if (authorization == NULL)
        return api_session(api, req, ret_who);
    (void)auth_principal(auth_bearer(authorization), find_principal, api, ret_who);
    return false;
}

enum auth_verdict session_judge(const struct call *call, bool from_loopback, struct principal *ret_who)
{
    enum http_method method = http_method(call->req);
    bool by_cookie = api_who(call->api, call->req, ret_who);
    enum auth_verdict verdict = auth_allow(call->route->scopes, ret_who, call->ids[0], from_loopback);
    bool changes = method != HTTP_GET && method != HTTP_HEAD;
    if (verdict == AUTH_OK && by_cookie && changes && (call->route->scopes & SCOPE_PUBLIC) == 0 &&
        !api_from_own_page(call->api, call->req))
        return AUTH_OTHER_ORIGIN;
    return verdict;
}
