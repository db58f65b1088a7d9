#include "pairing.h"

#include <stdio.h>
#include <string.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>

#include "hydra/base/arena.h"
#include "clients.h"
#include "log.h"
#include "state.h"
#include "xml.h"

#define SECRET_MAX  (HS_BLOCK_LEN + HS_SIGNATURE_MAX)
#define PEM_MAX     8192u
#define PIN_DIGITS  4u

static void answer_paired(int status, const char *message, int paired, struct answer *answer)
{
    struct xml xml = { 0 };
    xml_number(&xml, "paired", paired);
    xml_answer(&xml, status, message, answer);
}

static void answer_error(int status, const char *message, struct answer *answer)
{
    struct xml xml = { 0 };
    xml_answer(&xml, status, message, answer);
}

/* Removes the entry; a request that it held is closed without an answer. */
static void drop(struct pending *pending)
{
    if (pending->held != 0)
        server_drop(pending->held_by, pending->held);
    hc_free(pending->pem);
    hc_free(pending->salt);
    *pending = (struct pending){ 0 };
}

static struct pending *find(struct host *host, const char *uniqueid)
{
    for (size_t i = 0; i < HOST_PENDING_MAX; i++)
        if (host->pending[i].used && strcmp(host->pending[i].uniqueid, uniqueid) == 0)
            return &host->pending[i];
    return NULL;
}

unsigned pairing_pending(const struct host *host)
{
    unsigned count = 0;
    for (size_t i = 0; i < HOST_PENDING_MAX; i++)
        count += host->pending[i].used;
    return count;
}

/* The client's PEM text, NUL-terminated; NULL: no hex. */
static char *unhex_text(const char *hex)
{
    char *text = hc_alloc(PEM_MAX + 1);
    size_t len = 0;
    if (text != NULL && !hs_unhex(hex, (uint8_t *)text, PEM_MAX, &len)) {
        hc_free(text);
        return NULL;
    }
    return text;
}

/* Step 1. An entry that is there already keeps its certificate and its phase: only salt and held request are new. */
static void get_server_cert(struct host *host, const struct request *request, const char *uniqueid, struct answer *answer)
{
    const char *salt = request_param(request, "salt"), *cert = request_param(request, "clientcert");
    struct pending *pending = find(host, uniqueid);
    if (salt == NULL || cert == NULL) {
        xml_empty(answer);
        return;
    }
    for (size_t i = 0; i < HOST_PENDING_MAX && pending == NULL; i++)
        if (!host->pending[i].used) {
            pending = &host->pending[i];
            *pending = (struct pending){ .used = true, .order = ++host->pending_order, .pem = unhex_text(cert) };
            (void)snprintf(pending->uniqueid, sizeof pending->uniqueid, "%s", uniqueid);
        }
    if (pending == NULL) {
        xml_empty(answer);
        return;
    }
    if (pending->held != 0)
        server_drop(pending->held_by, pending->held);
    hc_free(pending->salt);
    pending->salt = host_copy(salt);
    pending->held = request->connection;
    pending->held_by = request->server;
    answer->kind = ANSWER_HOLD;
}

static void out_of_order(struct pending *pending, const char *step, struct answer *answer)
{
    char message[128];
    (void)snprintf(message, sizeof message, "Out of order call to %s", step);
    drop(pending);
    answer_paired(400, message, 0, answer);
}

static void client_challenge(struct host *host, struct pending *pending, const char *hex, struct answer *answer)
{
    uint8_t challenge[HS_BLOCK_LEN], content[HS_HASH_LEN + HS_BLOCK_LEN], secret[sizeof content];
    char text[2 * sizeof secret + 1];
    size_t len;
    struct xml xml = { 0 };
    if (!hs_unhex(hex, content, sizeof content, &len) || len != HS_BLOCK_LEN) {
        drop(pending);
        xml_empty(answer);
        return;
    }
    hs_decrypt(pending->key, content, HS_BLOCK_LEN, challenge);
    if (RAND_bytes(pending->server_secret, HS_BLOCK_LEN) != 1 || RAND_bytes(pending->server_challenge, HS_BLOCK_LEN) != 1) {
        xml_empty(answer);
        return;
    }
    hs_hash(challenge, host->own.cert, pending->server_secret, content);
    memcpy(content + HS_HASH_LEN, pending->server_challenge, HS_BLOCK_LEN);
    hs_encrypt(pending->key, content, sizeof content, secret);
    hs_hex_upper(secret, sizeof secret, text);
    pending->phase = PAIR_CLIENT_CHALLENGE;
    xml_number(&xml, "paired", 1);
    xml_text(&xml, "challengeresponse", text);
    xml_answer(&xml, 200, NULL, answer);
}

static void server_challenge_response(struct host *host, struct pending *pending, const char *hex, struct answer *answer)
{
    uint8_t in[HS_HASH_LEN], secret[SECRET_MAX];
    char text[2 * SECRET_MAX + 1];
    size_t len;
    struct xml xml = { 0 };
    if (!hs_unhex(hex, in, sizeof in, &len) || len != HS_HASH_LEN) {
        drop(pending);
        xml_empty(answer);
        return;
    }
    hs_decrypt(pending->key, in, HS_HASH_LEN, pending->client_hash);
    memcpy(secret, pending->server_secret, HS_BLOCK_LEN);
    len = HS_BLOCK_LEN + hs_sign(host->own.key, pending->server_secret, HS_BLOCK_LEN, secret + HS_BLOCK_LEN);
    hs_hex_upper(secret, len, text);
    pending->phase = PAIR_SERVER_CHALLENGE_RESPONSE;
    xml_text(&xml, "pairingsecret", text);
    xml_number(&xml, "paired", 1);
    xml_answer(&xml, 200, NULL, answer);
}

static void client_pairing_secret(struct host *host, struct pending *pending, const char *hex, struct answer *answer)
{
    uint8_t secret[SECRET_MAX], hash[HS_HASH_LEN];
    size_t len = 0;
    if (!hs_unhex(hex, secret, sizeof secret, &len) || len <= HS_BLOCK_LEN) {
        drop(pending);
        answer_paired(400, "Client pairing secret too short", 0, answer);
        return;
    }
    X509 *cert = pending->pem == NULL ? NULL : hs_certificate(pending->pem, strlen(pending->pem));
    if (cert == NULL) {
        drop(pending);
        answer_paired(400, "Invalid client certificate", 0, answer);
        return;
    }
    hs_hash(pending->server_challenge, cert, secret, hash);
    bool right = CRYPTO_memcmp(hash, pending->client_hash, sizeof hash) == 0 &&
                 hs_verify(cert, secret, HS_BLOCK_LEN, secret + HS_BLOCK_LEN, len - HS_BLOCK_LEN);
    X509_free(cert);
    if (right) {
        right = clients_add(host, host->version->channels ? "" : pending->name, pending->pem, "", true) != NULL;
        state_write(host);
    }
    drop(pending);
    answer_paired(200, NULL, right ? 1 : 0, answer);
}

static void later_step(struct host *host, const struct request *request, const char *uniqueid, struct answer *answer)
{
    static const struct {
        const char *name;
        enum pair_phase after;
        void (*run)(struct host *host, struct pending *pending, const char *hex, struct answer *answer);
    } steps[] = {
        { "clientchallenge", PAIR_SERVER_CERT, client_challenge },
        { "serverchallengeresp", PAIR_CLIENT_CHALLENGE, server_challenge_response },
        { "clientpairingsecret", PAIR_SERVER_CHALLENGE_RESPONSE, client_pairing_secret },
    };
    struct pending *pending = find(host, uniqueid);
    if (pending == NULL) {
        answer_error(400, "Invalid uniqueid", answer);
        return;
    }
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        const char *hex = request_param(request, steps[i].name);
        if (hex == NULL)
            continue;
        if (host->version->phases && pending->phase != steps[i].after)
            out_of_order(pending, steps[i].name, answer);
        else
            steps[i].run(host, pending, hex, answer);
        return;
    }
    answer_error(404, "Invalid pairing request", answer);
}

void pairing_request(struct host *host, const struct request *request, struct answer *answer)
{
    const char *uniqueid = request_param(request, "uniqueid"), *phrase = request_param(request, "phrase");
    if (uniqueid == NULL) {
        answer_error(400, "Missing uniqueid parameter", answer);
        return;
    }
    host_lock(host);
    if (phrase != NULL && strcmp(phrase, "getservercert") == 0)
        get_server_cert(host, request, uniqueid, answer);
    else if (phrase != NULL && strcmp(phrase, "pairchallenge") == 0)
        answer_paired(200, NULL, 1, answer);
    else
        later_step(host, request, uniqueid, answer);
    host_unlock(host);
}

/* Step 1's answer, now that there is a PIN. False: nothing can be answered, the entry is gone. */
static bool answer_server_cert(struct host *host, struct pending *pending, const char *pin)
{
    uint8_t salt[HS_SALT_LEN];
    char digits[2 * HS_SALT_LEN + 1];
    size_t len;
    (void)snprintf(digits, sizeof digits, "%s", pending->salt);
    if ((host->version->phases && pending->phase != PAIR_NONE) || !hs_unhex(digits, salt, sizeof salt, &len) || len != HS_SALT_LEN) {
        drop(pending);
        return false;
    }
    struct answer answer = { .status = 200 };
    struct xml xml = { 0 };
    char *pem = certificate_pem(host->own.cert), *hex = pem == NULL ? NULL : hc_alloc(2 * strlen(pem) + 1);
    if (hex == NULL) {
        hc_free(pem);
        drop(pending);
        return false;
    }
    hs_hex_upper((const uint8_t *)pem, strlen(pem), hex);
    hs_key(salt, pin, pending->key);
    pending->phase = PAIR_SERVER_CERT;
    xml_number(&xml, "paired", 1);
    xml_text(&xml, "plaincert", hex);
    xml_answer(&xml, 200, NULL, &answer);
    server_answer(pending->held_by, pending->held, &answer);
    pending->held = 0;
    hc_free(pem);
    hc_free(hex);
    return true;
}

bool pairing_pin(struct host *host, const char *pin, const char *name)
{
    bool oldest = host_fault(host, FAULT_PIN_OLDEST) != 0, taken = false;
    struct pending *first = NULL;
    if (strlen(pin) != PIN_DIGITS || strspn(pin, "0123456789") != PIN_DIGITS)
        return false;
    host_lock(host);
    for (size_t i = 0; i < HOST_PENDING_MAX; i++) {
        struct pending *pending = &host->pending[i];
        if (pending->used && (first == NULL || (oldest ? pending->order < first->order : pending->order > first->order)))
            first = pending;
    }
    if (first != NULL && first->held != 0) {
        (void)snprintf(first->name, sizeof first->name, "%s", name);
        if (!answer_server_cert(host, first, pin))
            log_line("Debug", "The pending handshake was dropped");
        taken = true;
    }
    host_unlock(host);
    return taken;
}
