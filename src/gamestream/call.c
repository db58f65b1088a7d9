/* call.c - one request on a connection of its own. The pin is the public key: libcurl checks it after the handshake and before a byte of
 * the request leaves; the certificate itself is kept for whoever must tell a rotated host from a stranger. */
#include "hydra/gamestream/host.h"

#include <pthread.h>
#include <string.h>

#include <curl/curl.h>

#include "hydra/crypto/pairing.h"

#include "call.h"

#define CALL_TIMEOUT_MAX_MS 200000
#define ADDRESS_MAX         253
#define QUERY_MAX           65536       /* a certificate in hex, and the rest */

static pthread_once_t library_once = PTHREAD_ONCE_INIT;
static CURLcode library_state;

static void library_start(void)
{
    library_state = curl_global_init(CURL_GLOBAL_DEFAULT);
}

void gs_answer_free(struct gs_answer *answer)
{
    hc_arena_free(&answer->arena);
    hc_buf_free(&answer->peer_cert);
    *answer = (struct gs_answer){ 0 };
}

static size_t on_body(char *bytes, size_t size, size_t count, void *ctx)
{
    struct gs_exchange *x = ctx;
    size_t len = size * count;
    x->too_large = len > GS_XML_BYTES_MAX - x->body.len;
    if (!x->too_large)
        hc_buf_add(&x->body, bytes, len);
    return x->too_large || x->body.failed ? 0 : len;
}

/* An IPv6 number stands in brackets in a URL. */
static bool build_url(struct gs_exchange *x, const struct gs_host *host, const struct gs_request *request)
{
    bool number6 = strchr(host->address, ':') != NULL;
    bool https = request->channel == GS_HTTPS;
    hc_buf_printf(&x->url, "%s://%s%s%s:%u%s", https ? "https" : "http", number6 ? "[" : "", host->address, number6 ? "]" : "",
                  https ? host->https_port : host->http_port, request->path);
    if (request->query != NULL && request->query[0] != '\0') {
        hc_buf_char(&x->url, '?');
        hc_buf_str(&x->url, request->query);
    }
    return !x->url.failed;
}

static bool address_ok(const char *address)
{
    size_t len = strnlen(address, ADDRESS_MAX + 1);
    return len > 0 && len <= ADDRESS_MAX && strspn(address, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:-_%") == len;
}

static bool set_common(struct gs_exchange *x, int64_t timeout_ms)
{
    CURL *easy = x->easy;
    long timeout = (long)(timeout_ms < CALL_TIMEOUT_MAX_MS ? timeout_ms : CALL_TIMEOUT_MAX_MS);
    return curl_easy_setopt(easy, CURLOPT_URL, x->url.data) == CURLE_OK && curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, timeout) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, timeout) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_PROXY, "") == CURLE_OK && curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L) == CURLE_OK && curl_easy_setopt(easy, CURLOPT_WRITEDATA, x) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, x->error) == CURLE_OK;
}

static bool set_blob(CURL *easy, CURLoption option, const char *text)
{
    struct curl_blob blob = { .data = (void *)(uintptr_t)text, .len = strlen(text), .flags = CURL_BLOB_COPY };
    return curl_easy_setopt(easy, option, &blob) == CURLE_OK;
}

static enum hc_err set_tls(struct gs_exchange *x, const struct gs_client *client, const char *pinned_cert, struct hc_diag *diag)
{
    CURL *easy = x->easy;
    /* A host's certificate is signed by nobody: the pin is the proof, and its names and dates say nothing. */
    bool ok = curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L) == CURLE_OK &&
              curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L) == CURLE_OK && curl_easy_setopt(easy, CURLOPT_CERTINFO, 1L) == CURLE_OK &&
              curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) == CURLE_OK &&
              curl_easy_setopt(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L) == CURLE_OK;
    if (ok && client->cert_pem != NULL)
        ok = set_blob(easy, CURLOPT_SSLCERT_BLOB, client->cert_pem) && set_blob(easy, CURLOPT_SSLKEY_BLOB, client->key_pem);
    if (ok && pinned_cert != NULL) {
        char pin[PUBLIC_KEY_PIN_SIZE];
        enum hc_err err = crypto_certificate_pins(pinned_cert, NULL, pin, diag);
        if (err != HC_OK)
            return HC_ERR_CONFIG;
        ok = curl_easy_setopt(easy, CURLOPT_PINNEDPUBLICKEY, pin) == CURLE_OK;
    }
    return ok ? HC_OK : hc_fail(diag, HC_ERR_NOMEM, "no memory for a call to the host");
}

enum hc_err gs_exchange_open(struct gs_exchange *x, const struct gs_host *host, const struct gs_client *client,
                             const struct gs_request *request, struct hc_diag *diag)
{
    *x = (struct gs_exchange){ 0 };
    if (!address_ok(host->address))
        return hc_fail(diag, HC_ERR_CONFIG, "'%.64s' is not the address of a host", host->address);
    if (request->query != NULL && strlen(request->query) > QUERY_MAX)
        return hc_fail(diag, HC_ERR_LIMIT, "a request to the host is longer than %d bytes", QUERY_MAX);
    (void)pthread_once(&library_once, library_start);
    x->easy = library_state == CURLE_OK ? curl_easy_init() : NULL;
    if (x->easy == NULL || !build_url(x, host, request) || !set_common(x, request->timeout_ms))
        return hc_fail(diag, HC_ERR_NOMEM, "no memory for a call to the host");
    return request->channel == GS_HTTPS ? set_tls(x, client, request->pinned_cert, diag) : HC_OK;
}

void gs_exchange_close(struct gs_exchange *x)
{
    if (x->easy != NULL)
        curl_easy_cleanup(x->easy);
    hc_buf_free(&x->url);
    hc_buf_free(&x->body);
    *x = (struct gs_exchange){ 0 };
}

/* libcurl tells the chain as lines "Cert:PEM". */
static void keep_peer(struct gs_exchange *x, struct gs_answer *answer)
{
    static const char label[] = "Cert:";
    struct curl_certinfo *chain = NULL;
    if (curl_easy_getinfo(x->easy, CURLINFO_CERTINFO, &chain) != CURLE_OK || chain == NULL || chain->num_of_certs < 1)
        return;
    for (struct curl_slist *line = chain->certinfo[0]; line != NULL; line = line->next) {
        if (strncmp(line->data, label, sizeof label - 1) != 0)
            continue;
        const char *pem = line->data + sizeof label - 1;
        if (strlen(pem) > GS_CERT_MAX || crypto_certificate_pins(pem, answer->peer_fingerprint, NULL, NULL) != HC_OK)
            return;
        hc_buf_str(&answer->peer_cert, pem);
        if (pem[strlen(pem) - 1] != '\n')
            hc_buf_char(&answer->peer_cert, '\n');
    }
}

static enum hc_err explain(const struct gs_exchange *x, CURLcode code, struct hc_diag *diag)
{
    const char *what = x->error[0] != '\0' ? x->error : curl_easy_strerror(code);
    if (x->too_large)
        return hc_fail(diag, HC_ERR_LIMIT, "the host's answer is larger than %zu bytes", GS_XML_BYTES_MAX);
    if (x->body.failed || code == CURLE_OUT_OF_MEMORY)
        return hc_fail(diag, HC_ERR_NOMEM, "no memory for the host's answer");
    if (code == CURLE_SSL_PINNEDPUBKEYNOTMATCH)
        return hc_fail(diag, HC_ERR_NET, "the host shows another certificate than the one that is stored for it");
    return hc_fail(diag, code == CURLE_OPERATION_TIMEDOUT ? HC_ERR_TIMEOUT : HC_ERR_NET, "no answer from the host: %s", what);
}

static long status_of(const struct gs_xml *root)
{
    const char *text = gs_xml_attr(root, "status_code");
    bool minus = text != NULL && text[0] == '-';
    long value = 0;
    size_t digits = 0;
    for (const char *at = text == NULL ? "" : text + minus; *at >= '0' && *at <= '9' && digits < 9; at++, digits++)
        value = value * 10 + (*at - '0');
    return digits == 0 || text[minus + digits] != '\0' ? GS_STATUS_NONE : minus ? -value : value;
}

enum hc_err gs_exchange_finish(struct gs_exchange *x, CURLcode code, struct gs_answer *answer, struct hc_diag *diag)
{
    keep_peer(x, answer);
    answer->other_certificate = code == CURLE_SSL_PINNEDPUBKEYNOTMATCH;
    if (code != CURLE_OK)
        return explain(x, code, diag);
    enum hc_err err = gs_xml_parse(x->body.len == 0 ? "" : x->body.data, x->body.len, &answer->arena, &answer->root, diag);
    if (err == HC_OK && !hc_same(answer->root->name, "root"))
        err = hc_fail(diag, HC_ERR_SYNTAX, "the host's answer is no GameStream document but <%.40s>", answer->root->name);
    if (err == HC_OK) {
        answer->status = status_of(answer->root);
        const char *message = gs_xml_attr(answer->root, "status_message");
        answer->message = message == NULL ? "" : message;
        if (answer->status == GS_STATUS_NONE)
            err = hc_fail(diag, HC_ERR_SYNTAX, "the host's answer has no status");
    }
    if (err != HC_OK)
        answer->root = NULL;
    return err;
}

enum hc_err gs_call(const struct gs_host *host, const struct gs_client *client, const struct gs_request *request,
                    struct gs_answer *ret_answer, struct hc_diag *diag)
{
    *ret_answer = (struct gs_answer){ 0 };
    struct gs_exchange x;
    enum hc_err err = gs_exchange_open(&x, host, client, request, diag);
    if (err == HC_OK)
        err = gs_exchange_finish(&x, curl_easy_perform(x.easy), ret_answer, diag);
    gs_exchange_close(&x);
    return err;
}
