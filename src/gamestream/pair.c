/* pair.c - the five steps. Whatever ends the handshake before its last step also drops what the host keeps of it. */
#include "hydra/gamestream/pair.h"

#include <assert.h>
#include <string.h>

#include "hydra/crypto/digest.h"
#include "hydra/crypto/pairing.h"
#include "hydra/os/clock.h"

#include "call.h"

#define HASH_BYTES      32
#define CHALLENGE_BYTES (HASH_BYTES + PAIRING_BLOCK)        /* the answer to our challenge: the host's hash and its challenge */
#define SECRET_MAX      (PAIRING_BLOCK + PAIRING_SIGNATURE_MAX)
#define PIN_EVERY_MS    200
#define LOOK_EVERY_MS   50
#define CANCEL_MS       3000

struct handshake {
    const struct gs_host *host;
    const struct gs_client *client;
    const struct gs_pairing *how;
    struct hc_diag *diag;
    uint8_t salt[PAIRING_BLOCK], key[PAIRING_BLOCK], challenge[PAIRING_BLOCK], secret[PAIRING_BLOCK];
    uint8_t server_hash[HASH_BYTES], server_challenge[PAIRING_BLOCK];
    struct hc_buf host_cert;            /* PEM */
};

const char *gs_pair_verdict_word(enum gs_pair_verdict verdict)
{
    static const char *const words[] = {
        [GS_PAIR_DONE] = "paired", [GS_PAIR_WRONG_PIN] = "wrong_pin", [GS_PAIR_REFUSED] = "refused", [GS_PAIR_BUSY] = "busy",
        [GS_PAIR_OTHER_HOST] = "other_host", [GS_PAIR_TAMPERED] = "tampered", [GS_PAIR_NO_PIN] = "no_pin", [GS_PAIR_UNKNOWN] = "unknown",
    };
    return words[verdict];
}

static enum gs_pair_verdict say(struct handshake *h, enum gs_pair_verdict verdict, const char *text)
{
    (void)hc_fail(h->diag, HC_OK, "%s", text);
    return verdict;
}

/* Number of bytes, 0 when it is no hex or longer than `size`. */
static size_t from_hex(const char *hex, uint8_t *out, size_t size)
{
    size_t digits = hex == NULL ? 0 : strlen(hex);
    if (digits % 2 != 0 || digits / 2 > size)
        return 0;
    for (size_t i = 0; i < digits / 2; i++) {
        int high = hc_hex_digit(hex[2 * i]), low = hc_hex_digit(hex[2 * i + 1]);
        if (high < 0 || low < 0)
            return 0;
        out[i] = (uint8_t)(high * 16 + low);
    }
    return digits / 2;
}

static void hash_three(const uint8_t *a, size_t a_len, const uint8_t *b, size_t b_len, const uint8_t *c, size_t c_len,
                       uint8_t out[HASH_BYTES])
{
    uint8_t all[2 * PAIRING_BLOCK + PAIRING_SIGNATURE_MAX];
    assert(a_len + b_len + c_len <= sizeof all);
    memcpy(all, a, a_len);
    memcpy(all + a_len, b, b_len);
    memcpy(all + a_len + b_len, c, c_len);
    crypto_sha256(all, a_len + b_len + c_len, out);
}

static void begin(const struct handshake *h, struct hc_buf *query)
{
    gs_query_begin(h->client, query);
    hc_buf_str(query, "&devicename=hydra&updateState=1");
}

/* One step of the plain kind. True: root 200 and paired 1. */
static bool ask(struct handshake *h, enum gs_channel channel, const char *key, const void *bytes, size_t len, struct gs_answer *answer,
                enum gs_pair_verdict *ret_verdict)
{
    struct hc_buf query = { 0 };
    begin(h, &query);
    if (key != NULL)
        gs_query_hex(&query, key, bytes, len);
    else
        hc_buf_str(&query, "&phrase=pairchallenge");
    const struct gs_request request = { .channel = channel, .path = "/pair", .query = query.data,
                                        .pinned_cert = channel == GS_HTTPS ? h->host_cert.data : NULL,
                                        .timeout_ms = h->how->step_timeout_ms };
    *answer = (struct gs_answer){ 0 };
    enum hc_err err = query.failed ? HC_ERR_NOMEM : gs_call(h->host, h->client, &request, answer, h->diag);
    hc_buf_free(&query);
    *ret_verdict = answer->other_certificate ? GS_PAIR_OTHER_HOST : GS_PAIR_UNKNOWN;
    if (err != HC_OK)
        return false;
    if (answer->status == 200 && hc_same(gs_xml_text(answer->root, "paired"), "1"))
        return true;
    (void)hc_fail(h->diag, HC_OK, "the host refused a step of the pairing: %ld %.100s", answer->status, answer->message);
    *ret_verdict = GS_PAIR_REFUSED;
    return false;
}

/* ---- step 1: the host holds its answer until somebody gives it a PIN ---- */

static bool stopped(const struct handshake *h) { return h->how->stop != NULL && *h->how->stop; }

/* The request must lie with the host before a PIN can be for it. */
static bool was_sent(CURL *easy)
{
    curl_off_t before_transfer = 0;
    return curl_easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &before_transfer) == CURLE_OK && before_transfer > 0;
}

struct waiting { int64_t deadline_ms, next_pin_ms; bool taken, lost; };

static void give_pin(struct handshake *h, struct waiting *w)
{
    switch (h->how->submit_pin(h->how->pin_ctx, h->how->pin)) {
    case GS_PIN_TAKEN:
        w->taken = true;
        break;
    case GS_PIN_NOT_PENDING:
        w->next_pin_ms = os_monotonic_ms() + PIN_EVERY_MS;
        break;
    case GS_PIN_LOST:
        w->lost = true;
        break;
    }
}

/* True: the transfer is over and *ret_code tells how. */
static bool transfer_done(CURLM *multi, CURLcode *ret_code)
{
    int left = 0;
    const CURLMsg *message = curl_multi_info_read(multi, &left);
    if (message == NULL || message->msg != CURLMSG_DONE)
        return false;
    *ret_code = message->data.result;
    return true;
}

static bool hold(struct handshake *h, CURLM *multi, CURL *easy, CURLcode *ret_code, struct waiting *w)
{
    for (;;) {
        int running = 0;
        if (curl_multi_perform(multi, &running) != CURLM_OK)
            return false;
        if (transfer_done(multi, ret_code))
            return true;
        int64_t now = os_monotonic_ms();
        if (now >= w->deadline_ms || w->lost || stopped(h))
            return false;
        if (!w->taken && now >= w->next_pin_ms && was_sent(easy))
            give_pin(h, w);
        else if (curl_multi_poll(multi, NULL, 0, LOOK_EVERY_MS, NULL) != CURLM_OK)
            return false;
    }
}

static enum gs_pair_verdict take_host_cert(struct handshake *h, const struct gs_answer *answer)
{
    uint8_t pem[GS_CERT_MAX];
    if (answer->status != 200 || !hc_same(gs_xml_text(answer->root, "paired"), "1"))
        return say(h, GS_PAIR_REFUSED, "the host refused to pair");
    const char *plain = gs_xml_text(answer->root, "plaincert");
    if (plain == NULL || plain[0] == '\0')
        return say(h, GS_PAIR_BUSY, "another pairing is under way on the host");
    size_t len = from_hex(plain, pem, sizeof pem);
    if (len == 0 || memchr(pem, '\0', len) != NULL)
        return say(h, GS_PAIR_UNKNOWN, "the host's certificate cannot be read");
    hc_buf_add(&h->host_cert, (const char *)pem, len);
    char fingerprint[HC_HASH_SIZE];
    if (h->host_cert.failed || crypto_certificate_pins(h->host_cert.data, fingerprint, NULL, h->diag) != HC_OK)
        return GS_PAIR_UNKNOWN;
    if (h->how->expected_fingerprint[0] != '\0' && !hc_same(fingerprint, h->how->expected_fingerprint))
        return say(h, GS_PAIR_OTHER_HOST, "the host's certificate is not the one that the cluster names for this slot");
    return GS_PAIR_DONE;
}

static enum gs_pair_verdict get_server_cert(struct handshake *h)
{
    struct hc_buf query = { 0 };
    begin(h, &query);
    hc_buf_str(&query, "&phrase=getservercert");
    gs_query_hex(&query, "salt", h->salt, sizeof h->salt);
    gs_query_hex(&query, "clientcert", h->client->cert_pem, strlen(h->client->cert_pem));
    const struct gs_request request = { .channel = GS_HTTP, .path = "/pair", .query = query.data, .timeout_ms = h->how->pin_timeout_ms };
    struct gs_exchange x = { 0 };
    struct gs_answer answer = { 0 };
    struct waiting w = { .deadline_ms = os_monotonic_ms() + h->how->pin_timeout_ms };
    CURLcode code = CURLE_OK;
    enum hc_err err = query.failed ? HC_ERR_NOMEM : gs_exchange_open(&x, h->host, h->client, &request, h->diag);
    CURLM *multi = err == HC_OK ? curl_multi_init() : NULL;
    bool over = false;
    if (multi != NULL && curl_multi_add_handle(multi, x.easy) == CURLM_OK) {
        over = hold(h, multi, x.easy, &code, &w);
        (void)curl_multi_remove_handle(multi, x.easy);
    }
    enum gs_pair_verdict verdict = GS_PAIR_UNKNOWN;
    if (over && gs_exchange_finish(&x, code, &answer, h->diag) == HC_OK)
        verdict = take_host_cert(h, &answer);
    else if (!over && !w.taken)
        verdict = say(h, GS_PAIR_NO_PIN, "the host was not given the PIN in time");
    else if (!over)
        verdict = say(h, GS_PAIR_UNKNOWN, "the PIN was given, and the host did not answer");
    gs_answer_free(&answer);
    (void)curl_multi_cleanup(multi);
    gs_exchange_close(&x);
    hc_buf_free(&query);
    return verdict;
}

/* ---- steps 2 to 5 ---- */

static enum gs_pair_verdict challenge_host(struct handshake *h)
{
    uint8_t sent[PAIRING_BLOCK], got[CHALLENGE_BYTES];
    struct gs_answer answer;
    enum gs_pair_verdict verdict = GS_PAIR_UNKNOWN;
    if (crypto_aes128_ecb(h->key, true, h->challenge, sizeof sent, sent) != HC_OK)
        return say(h, GS_PAIR_UNKNOWN, "the cryptographic library failed");
    if (ask(h, GS_HTTP, "clientchallenge", sent, sizeof sent, &answer, &verdict)) {
        verdict = GS_PAIR_DONE;
        if (from_hex(gs_xml_text(answer.root, "challengeresponse"), got, sizeof got) != sizeof got ||
            crypto_aes128_ecb(h->key, false, got, sizeof got, got) != HC_OK)
            verdict = say(h, GS_PAIR_UNKNOWN, "the host's answer to our challenge cannot be read");
        memcpy(h->server_hash, got, HASH_BYTES);
        memcpy(h->server_challenge, got + HASH_BYTES, PAIRING_BLOCK);
    }
    gs_answer_free(&answer);
    return verdict;
}

/* Both checks: the secret is signed by the certificate, and the host knew it, and the PIN, when it answered our challenge. */
static enum gs_pair_verdict check_host(struct handshake *h, const uint8_t *secret, size_t len)
{
    uint8_t signature[PAIRING_SIGNATURE_MAX], expected[HASH_BYTES];
    size_t signature_len = 0;
    bool good = false;
    if (len <= PAIRING_BLOCK)
        return say(h, GS_PAIR_UNKNOWN, "the host's secret is too short");
    if (crypto_rsa_verify(h->host_cert.data, secret, PAIRING_BLOCK, secret + PAIRING_BLOCK, len - PAIRING_BLOCK, &good, h->diag) != HC_OK)
        return GS_PAIR_UNKNOWN;
    if (!good)
        return say(h, GS_PAIR_TAMPERED, "the host's secret is not signed by its certificate");
    if (crypto_certificate_signature(h->host_cert.data, signature, &signature_len, h->diag) != HC_OK)
        return GS_PAIR_UNKNOWN;
    hash_three(h->challenge, PAIRING_BLOCK, signature, signature_len, secret, PAIRING_BLOCK, expected);
    if (!crypto_same(expected, h->server_hash, HASH_BYTES))
        return say(h, GS_PAIR_WRONG_PIN, "the host was given another PIN");
    return GS_PAIR_DONE;
}

static enum gs_pair_verdict answer_host(struct handshake *h)
{
    uint8_t signature[PAIRING_SIGNATURE_MAX], hash[HASH_BYTES], secret[SECRET_MAX];
    size_t signature_len = 0;
    struct gs_answer answer;
    enum gs_pair_verdict verdict = GS_PAIR_UNKNOWN;
    if (crypto_certificate_signature(h->client->cert_pem, signature, &signature_len, h->diag) != HC_OK)
        return GS_PAIR_UNKNOWN;
    hash_three(h->server_challenge, PAIRING_BLOCK, signature, signature_len, h->secret, PAIRING_BLOCK, hash);
    if (crypto_aes128_ecb(h->key, true, hash, sizeof hash, hash) != HC_OK)
        return say(h, GS_PAIR_UNKNOWN, "the cryptographic library failed");
    if (ask(h, GS_HTTP, "serverchallengeresp", hash, sizeof hash, &answer, &verdict))
        verdict = check_host(h, secret, from_hex(gs_xml_text(answer.root, "pairingsecret"), secret, sizeof secret));
    gs_answer_free(&answer);
    return verdict;
}

static enum gs_pair_verdict prove_ourselves(struct handshake *h)
{
    uint8_t secret[SECRET_MAX];
    size_t signature_len = 0;
    struct gs_answer answer;
    enum gs_pair_verdict verdict = GS_PAIR_UNKNOWN;
    memcpy(secret, h->secret, PAIRING_BLOCK);
    if (crypto_rsa_sign(h->client->key_pem, h->secret, PAIRING_BLOCK, secret + PAIRING_BLOCK, &signature_len, h->diag) != HC_OK)
        return GS_PAIR_UNKNOWN;
    if (ask(h, GS_HTTP, "clientpairingsecret", secret, PAIRING_BLOCK + signature_len, &answer, &verdict))
        verdict = GS_PAIR_DONE;
    gs_answer_free(&answer);
    return verdict;
}

/* Over TLS, and only to the certificate of step 1: over plain HTTP the same answer proves nothing. */
static enum gs_pair_verdict confirm(struct handshake *h)
{
    struct gs_answer answer;
    enum gs_pair_verdict verdict = GS_PAIR_UNKNOWN;
    if (ask(h, GS_HTTPS, NULL, NULL, 0, &answer, &verdict))
        verdict = GS_PAIR_DONE;
    gs_answer_free(&answer);
    return verdict;
}

void gs_pair_cancel(const struct gs_host *host, const struct gs_client *client, int64_t timeout_ms)
{
    struct hc_buf query = { 0 };
    struct gs_answer answer = { 0 };
    gs_query_begin(client, &query);
    hc_buf_str(&query, "&clientpairingsecret=00");
    const struct gs_request request = { .channel = GS_HTTP, .path = "/pair", .query = query.data, .timeout_ms = timeout_ms };
    enum hc_err whatever = query.failed ? HC_ERR_NOMEM : gs_call(host, client, &request, &answer, NULL);
    (void)whatever;                     /* no answer is as good as any: a host that is away keeps nothing for us either */
    gs_answer_free(&answer);
    hc_buf_free(&query);
}

enum gs_pair_verdict gs_pair(const struct gs_host *host, const struct gs_client *client, const struct gs_pairing *how,
                             struct hc_buf *ret_host_cert, struct hc_diag *diag)
{
    static enum gs_pair_verdict (*const steps[])(struct handshake *) = { get_server_cert, challenge_host, answer_host, prove_ourselves,
                                                                         confirm };
    assert(strlen(how->pin) == GS_PIN_SIZE - 1 && how->expected_fingerprint != NULL);
    struct handshake h = { .host = host, .client = client, .how = how, .diag = diag };
    uint8_t salted[PAIRING_BLOCK + GS_PIN_SIZE - 1], hash[HASH_BYTES];
    how->random(h.salt, sizeof h.salt);
    how->random(h.challenge, sizeof h.challenge);
    how->random(h.secret, sizeof h.secret);
    memcpy(salted, h.salt, PAIRING_BLOCK);
    memcpy(salted + PAIRING_BLOCK, how->pin, GS_PIN_SIZE - 1);
    crypto_sha256(salted, sizeof salted, hash);
    memcpy(h.key, hash, PAIRING_BLOCK);
    gs_pair_cancel(host, client, CANCEL_MS);
    enum gs_pair_verdict verdict = GS_PAIR_DONE;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && verdict == GS_PAIR_DONE; i++)
        verdict = steps[i](&h);
    if (verdict == GS_PAIR_DONE)
        hc_buf_add(ret_host_cert, h.host_cert.data, h.host_cert.len);
    else
        gs_pair_cancel(host, client, CANCEL_MS);
    if (ret_host_cert->failed)
        verdict = say(&h, GS_PAIR_UNKNOWN, "no memory");
    hc_buf_free(&h.host_cert);
    crypto_wipe(&h.key, sizeof h.key);
    crypto_wipe(hash, sizeof hash);
    return verdict;
}
