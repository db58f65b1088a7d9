#include "hydra/auth/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "hydra/base/derive.h"
#include "hydra/crypto/digest.h"

#define SIGNED_SIZE    (HC_ID_SIZE + 24 + HC_HASH_SIZE)
#define SECONDS_DIGITS 12

static void sign(const uint8_t secret[32], const char *token_id, int64_t until_s, const char *token_hash, char ret_mac[HC_HASH_SIZE])
{
    char text[SIGNED_SIZE];
    uint8_t bytes[32];
    int len = snprintf(text, sizeof text, "%s %" PRId64 " %s", token_id, until_s, token_hash);
    hc_derive(secret, "admin session", text, (size_t)len, bytes);
    hc_hex(bytes, sizeof bytes, ret_mac);
}

void auth_session_make(const uint8_t secret[32], const char *token_id, const char *token_hash, hc_time until, char out[AUTH_COOKIE_SIZE])
{
    char mac[HC_HASH_SIZE];
    int64_t until_s = until.ms / HC_SECOND_MS;
    sign(secret, token_id, until_s, token_hash, mac);
    (void)snprintf(out, AUTH_COOKIE_SIZE, "%s.%" PRId64 ".%s", token_id, until_s, mac);
}

/* Digits only, no more of them than any instant of ours has. */
static bool read_seconds(const char *text, size_t len, int64_t *ret)
{
    int64_t value = 0;
    if (len == 0 || len > SECONDS_DIGITS)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        value = value * 10 + (text[i] - '0');
    }
    *ret = value;
    return true;
}

/* From its end: an id may have dots. */
static bool split(const char *value, char ret_id[HC_ID_SIZE], int64_t *ret_until_s, const char **ret_mac)
{
    const char *mac_dot = strrchr(value, '.');
    if (mac_dot == NULL || strlen(mac_dot + 1) != HC_HASH_HEX)
        return false;
    const char *dot = mac_dot;
    while (dot > value && dot[-1] != '.')
        dot--;
    size_t id_len = dot > value ? (size_t)(dot - 1 - value) : 0;
    if (id_len == 0 || id_len > HC_ID_MAX || !read_seconds(dot, (size_t)(mac_dot - dot), ret_until_s))
        return false;
    memcpy(ret_id, value, id_len);
    ret_id[id_len] = '\0';
    *ret_mac = mac_dot + 1;
    return hc_id_ok(ret_id);
}

bool auth_session_read(const uint8_t secret[32], const char *value, hc_time now, auth_hash_fn *hash_of, void *ctx,
                       char ret_hash[HC_HASH_SIZE])
{
    char id[HC_ID_SIZE], right[HC_HASH_SIZE];
    const char *mac;
    int64_t until_s;
    if (!split(value, id, &until_s, &mac) || until_s * HC_SECOND_MS <= now.ms || !hash_of(ctx, id, ret_hash))
        return false;
    sign(secret, id, until_s, ret_hash, right);
    return crypto_same_text(mac, right);
}

bool auth_session_cookie(const char *header, char ret_value[AUTH_COOKIE_SIZE])
{
    const size_t name_len = strlen(AUTH_COOKIE_NAME);
    for (const char *at = header; at != NULL && *at != '\0';) {
        at += strspn(at, " ;");
        size_t len = strcspn(at, ";");
        if (len > name_len && strncmp(at, AUTH_COOKIE_NAME, name_len) == 0 && at[name_len] == '=') {
            size_t value_len = len - name_len - 1;
            if (value_len == 0 || value_len >= AUTH_COOKIE_SIZE)
                return false;
            memcpy(ret_value, at + name_len + 1, value_len);
            ret_value[value_len] = '\0';
            return true;
        }
        at += len;
    }
    return false;
}

/* Length of a host without the port that it need not name. */
static size_t bare_length(const char *host, size_t len, const char *own_port)
{
    size_t port_len = strlen(own_port);
    return len > port_len && strncmp(host + len - port_len, own_port, port_len) == 0 ? len - port_len : len;
}

bool auth_same_origin(const char *origin, const char *host)
{
    static const struct { const char *start, *own_port; } schemes[] = { { "https://", ":443" }, { "http://", ":80" } };
    if (origin == NULL || host == NULL || strlen(origin) > AUTH_ORIGIN_MAX)
        return false;
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        size_t start = strlen(schemes[i].start);
        if (strncasecmp(origin, schemes[i].start, start) != 0)
            continue;
        const char *named = origin + start;
        size_t named_len = bare_length(named, strlen(named), schemes[i].own_port);
        size_t host_len = bare_length(host, strlen(host), schemes[i].own_port);
        return named_len > 0 && named_len == host_len && strncasecmp(named, host, host_len) == 0;
    }
    return false;
}
