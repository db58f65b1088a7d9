#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <openssl/rand.h>

#include "hydra/base/arena.h"
#include "hydra/base/id.h"
#include "peer.h"
#include "raw.h"

#define PIN      "4711"
#define HELD_MS  100                        /* silence that long is "held" */
#define HEX_SIZE 4096

static void step(const struct pairing *pairing, const char *name, const char *hex, struct reply *reply)
{
    char target[2048];
    (void)snprintf(target, sizeof target, "/pair?uniqueid=%s&uuid=1&devicename=roth&updateState=1&%s=%s", pairing->uniqueid, name, hex);
    peer_http(pairing->host, target, reply);
}

void pairing_begin(struct pairing *pairing, const struct sunshine *host, const struct peer *peer, const char *uniqueid)
{
    char salt[2 * HS_SALT_LEN + 1], cert[HEX_SIZE], bytes[8192], url[64];
    *pairing = (struct pairing){ .host = host, .peer = peer };
    HC_SET(pairing->uniqueid, uniqueid);
    assert_int_equal(RAND_bytes(pairing->salt, HS_SALT_LEN), 1);
    hc_hex(pairing->salt, HS_SALT_LEN, salt);
    assert_true(2 * strlen(peer->pem) < sizeof cert);
    hc_hex((const uint8_t *)peer->pem, strlen(peer->pem), cert);
    (void)snprintf(bytes, sizeof bytes, "GET /pair?uniqueid=%s&uuid=1&devicename=roth&updateState=1&phrase=getservercert&salt=%s"
                   "&clientcert=%s HTTP/1.1\r\nHost: sunshine\r\n\r\n", uniqueid, salt, cert);
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%u", host->http);
    pairing->held = raw_connect(url);
    raw_send(pairing->held, bytes);
}

bool pairing_is_held(const struct pairing *pairing)
{
    struct pollfd poll_fd = { .fd = pairing->held, .events = POLLIN };
    return poll(&poll_fd, 1, HELD_MS) == 0;
}

bool pairing_take_cert(struct pairing *pairing, const char *pin)
{
    char text[RAW_TEXT_SIZE], hex[HEX_SIZE], pem[HEX_SIZE];
    struct reply reply = { 0 };
    size_t len;
    if (!raw_read(pairing->held, "</root>", text, PEER_WAIT_MS))
        return false;
    raw_close(&pairing->held);
    reply.body = text;
    assert_int_equal(reply_root(&reply), 200);
    assert_int_equal(reply_number(&reply, "paired"), 1);
    reply_element(&reply, "plaincert", hex, sizeof hex);
    assert_true(hs_unhex(hex, (uint8_t *)pem, sizeof pem, &len));
    X509_free(pairing->server);
    pairing->server = hs_certificate(pem, len);
    assert_non_null(pairing->server);
    hs_key(pairing->salt, pin, pairing->key);
    return true;
}

void pairing_challenge(struct pairing *pairing, struct reply *reply)
{
    uint8_t secret[HS_HASH_LEN + HS_BLOCK_LEN], plain[sizeof secret];
    char hex[2 * sizeof secret + 1];
    size_t len;
    assert_int_equal(RAND_bytes(pairing->challenge, HS_BLOCK_LEN), 1);
    hs_encrypt(pairing->key, pairing->challenge, HS_BLOCK_LEN, secret);
    hc_hex(secret, HS_BLOCK_LEN, hex);
    step(pairing, "clientchallenge", hex, reply);
    if (reply_root(reply) != 200 || reply_number(reply, "paired") != 1)
        return;
    reply_element(reply, "challengeresponse", hex, sizeof hex);
    assert_true(hs_unhex(hex, secret, sizeof secret, &len));
    assert_int_equal(len, sizeof secret);
    hs_decrypt(pairing->key, secret, sizeof secret, plain);
    memcpy(pairing->server_hash, plain, HS_HASH_LEN);
    memcpy(pairing->server_challenge, plain + HS_HASH_LEN, HS_BLOCK_LEN);
}

void pairing_response(struct pairing *pairing, struct reply *reply)
{
    uint8_t hash[HS_HASH_LEN], secret[HS_HASH_LEN];
    char hex[2 * HS_HASH_LEN + 1];
    assert_int_equal(RAND_bytes(pairing->secret, HS_BLOCK_LEN), 1);
    hs_hash(pairing->server_challenge, pairing->peer->identity.cert, pairing->secret, hash);
    hs_encrypt(pairing->key, hash, sizeof hash, secret);
    hc_hex(secret, sizeof secret, hex);
    step(pairing, "serverchallengeresp", hex, reply);
}

bool pairing_right_pin(const struct pairing *pairing, const struct reply *step3)
{
    char hex[HEX_SIZE];
    uint8_t secret[HEX_SIZE / 2], hash[HS_HASH_LEN];
    size_t len;
    reply_element(step3, "pairingsecret", hex, sizeof hex);
    assert_true(hs_unhex(hex, secret, sizeof secret, &len));
    assert_true(len > HS_BLOCK_LEN);
    assert_true(hs_verify(pairing->server, secret, HS_BLOCK_LEN, secret + HS_BLOCK_LEN, len - HS_BLOCK_LEN));
    hs_hash(pairing->challenge, pairing->server, secret, hash);
    return memcmp(hash, pairing->server_hash, sizeof hash) == 0;
}

void pairing_secret(struct pairing *pairing, struct reply *reply)
{
    uint8_t secret[HS_BLOCK_LEN + HS_SIGNATURE_MAX];
    char hex[2 * sizeof secret + 1];
    memcpy(secret, pairing->secret, HS_BLOCK_LEN);
    size_t len = hs_sign(pairing->peer->identity.key, pairing->secret, HS_BLOCK_LEN, secret + HS_BLOCK_LEN);
    assert_true(len > 0);
    hc_hex(secret, HS_BLOCK_LEN + len, hex);
    step(pairing, "clientpairingsecret", hex, reply);
}

void pairing_end(struct pairing *pairing)
{
    X509_free(pairing->server);
    pairing->server = NULL;
    raw_close(&pairing->held);
}

struct pin_call { const struct sunshine *host; const char *pin, *name; };

static bool pin_taken(void *ctx)
{
    const struct pin_call *call = ctx;
    char body[256];
    (void)snprintf(body, sizeof body, "{\"pin\":\"%s\",\"name\":\"%s\"}", call->pin, call->name);
    return web_says_true(call->host, "POST", "/api/pin", body);
}

void pin_submit(const struct sunshine *host, const char *pin, const char *name)
{
    struct pin_call call = { host, pin, name };
    assert_true(wait_until(pin_taken, &call, PEER_WAIT_MS));
}

void peer_pair(const struct sunshine *host, const struct peer *peer, const char *uniqueid, const char *name)
{
    struct pairing pairing;
    struct reply reply;
    pairing_begin(&pairing, host, peer, uniqueid);
    pin_submit(host, PIN, name);
    assert_true(pairing_take_cert(&pairing, PIN));
    pairing_challenge(&pairing, &reply);
    pairing_response(&pairing, &reply);
    assert_true(pairing_right_pin(&pairing, &reply));
    pairing_secret(&pairing, &reply);
    assert_int_equal(reply_root(&reply), 200);
    assert_int_equal(reply_number(&reply, "paired"), 1);
    peer_https(host, peer, "/pair?uniqueid=x&phrase=pairchallenge", &reply);
    assert_int_equal(reply_number(&reply, "paired"), 1);
    pairing_end(&pairing);
}
