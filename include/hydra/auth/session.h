/* session.h - the operator page's cookie: who logged in, until when, made good by a keyed hash (wire §5).
 *
 * A session is not kept anywhere. Its cookie names the id of the token that it was opened with and its last second, under an HMAC of both
 * and of the token's digest with the server's secret: so it outlives a restart of the daemon, ends with its token, and is not the token. */
#ifndef HYDRA_AUTH_SESSION_H
#define HYDRA_AUTH_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hydra/base/id.h"
#include "hydra/base/time.h"

#define AUTH_COOKIE_NAME   "admin_session"
#define AUTH_COOKIE_SIZE   (HC_ID_SIZE + 24 + HC_HASH_SIZE)     /* a cookie's value with its NUL: id.seconds.hmac */
#define AUTH_SESSION_SECONDS ((int64_t)30 * 24 * 3600)          /* a wall screen is logged in once a month */
#define AUTH_ORIGIN_MAX    512                                  /* bytes of an Origin that we look at */

/* Fills the digest of the operator token with that id; false: there is none (any more). */
typedef bool auth_hash_fn(void *ctx, const char *token_id, char ret_hash[HC_HASH_SIZE]);

/* The value of a cookie that is good until `until`. */
void auth_session_make(const uint8_t secret[32], const char *token_id, const char *token_hash, hc_time until, char out[AUTH_COOKIE_SIZE]);
/* False: malformed, over, of another secret, or its token is gone. True: `ret_hash` is the digest of the token that opened it. */
bool auth_session_read(const uint8_t secret[32], const char *value, hc_time now, auth_hash_fn *hash_of, void *ctx,
                       char ret_hash[HC_HASH_SIZE]);
/* The session's value in a Cookie header (NULL: none). False: not there, or longer than any of ours. */
bool auth_session_cookie(const char *header, char ret_value[AUTH_COOKIE_SIZE]);
/* Does an Origin header ("https://host:port") name this host ("host:port", as in a Host header)? Letters of either case; a port that is
 * the scheme's own may stand in either or not. NULL, "null" and what is no origin: false. */
bool auth_same_origin(const char *origin, const char *host);

#endif
