#include "request.h"

#include <assert.h>
#include <ctype.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>

#include "hydra/base/arena.h"

#define METHOD_MAX 8

static pthread_once_t library_once = PTHREAD_ONCE_INIT;
static CURLcode library_state;

/* curl_global_init() is safe beside itself only in some builds of the library; once per process is safe in all. */
static void library_start(void)
{
    library_state = curl_global_init(CURL_GLOBAL_DEFAULT);
}

/* Printable ASCII without blanks: such a text cannot end a header line or split a request line. */
static bool one_word(const char *text, size_t most)
{
    size_t len = strnlen(text, most + 1);
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] <= 0x20 || (unsigned char)text[i] >= 0x7f)
            return false;
    return len > 0 && len <= most;
}

static char *copy_text(const char *text, size_t len)
{
    char *copy = hc_alloc(len + 1);
    if (copy != NULL)
        memcpy(copy, text, len);
    return copy;
}

enum hc_err target_init(struct target *target, const struct client_options *options, struct hc_diag *diag)
{
    assert(options->timeout_ms > 0);
    *target = (struct target){ 0 };
    const char *url = options->server_url;
    if (url == NULL || !one_word(url, TARGET_URL_MAX))
        return hc_fail(diag, HC_ERR_CONFIG, "the server's URL is empty, longer than %zu bytes or has blanks in it", TARGET_URL_MAX);
    size_t scheme = strncasecmp(url, "https://", 8) == 0 ? 8 : strncasecmp(url, "http://", 7) == 0 ? 7 : 0;
    size_t len = strlen(url);
    while (len > scheme && url[len - 1] == '/')
        len--;
    if (scheme == 0 || len == scheme || strpbrk(url, "?#@") != NULL)
        return hc_fail(diag, HC_ERR_CONFIG, "%s is not a server's URL: write http://HOST:PORT or https://HOST:PORT", url);
    (void)pthread_once(&library_once, library_start);
    if (library_state != CURLE_OK)
        return hc_fail(diag, HC_ERR_CRYPTO, "libcurl does not start: %s", curl_easy_strerror(library_state));
    target->url = copy_text(url, len);
    if (options->ca_file != NULL)
        target->ca_file = copy_text(options->ca_file, strlen(options->ca_file));
    if (target->url == NULL || (options->ca_file != NULL && target->ca_file == NULL)) {
        target_free(target);
        return hc_fail(diag, HC_ERR_NOMEM, "no memory for the client");
    }
    target->insecure = options->insecure;
    target->timeout_ms = options->timeout_ms < CALL_TIMEOUT_MAX_MS ? options->timeout_ms : CALL_TIMEOUT_MAX_MS;
    return HC_OK;
}

void target_free(struct target *target)
{
    hc_free(target->url);
    hc_free(target->ca_file);
    *target = (struct target){ 0 };
}

enum hc_err request_init(struct request *request, struct hc_diag *diag)
{
    *request = (struct request){ .answer.retry_after_seconds = -1 };
    request->easy = curl_easy_init();
    return request->easy != NULL ? HC_OK : hc_fail(diag, HC_ERR_NOMEM, "no memory for a call");
}

void request_free(struct request *request)
{
    if (request->easy != NULL)
        curl_easy_cleanup(request->easy);
    curl_slist_free_all(request->headers);
    hc_buf_free(&request->url);
    client_answer_free(&request->answer);
    *request = (struct request){ .answer.retry_after_seconds = -1 };
}

void client_answer_free(struct client_answer *answer)
{
    hc_buf_free(&answer->body);
    *answer = (struct client_answer){ .retry_after_seconds = -1 };
}

static size_t on_body(char *bytes, size_t size, size_t count, void *ctx)
{
    struct request *request = ctx;
    size_t len = size * count;
    if (len > CLIENT_ANSWER_MAX - request->answer.body.len) {
        request->too_large = true;
        return 0;
    }
    hc_buf_add(&request->answer.body, bytes, len);
    request->no_memory = request->answer.body.failed;
    return request->no_memory ? 0 : len;
}

/* `line` is not NUL-terminated and ends in CRLF. */
static void read_retry_after(struct request *request, const char *line, size_t len)
{
    static const char name[] = "retry-after:";
    const size_t name_len = sizeof name - 1;
    if (len < name_len || strncasecmp(line, name, name_len) != 0)
        return;
    size_t at = name_len;
    while (at < len && (line[at] == ' ' || line[at] == '\t'))
        at++;
    int seconds = 0;
    bool digits = false;
    for (; at < len && isdigit((unsigned char)line[at]); at++, digits = true)
        seconds = seconds < RETRY_AFTER_MAX_SECONDS ? seconds * 10 + (line[at] - '0') : RETRY_AFTER_MAX_SECONDS;
    while (at < len && isspace((unsigned char)line[at]))
        at++;
    request->retry_after_is_date = !digits;
    if (digits && at == len)
        request->answer.retry_after_seconds = seconds < RETRY_AFTER_MAX_SECONDS ? seconds : RETRY_AFTER_MAX_SECONDS;
}

static size_t on_header(char *line, size_t size, size_t count, void *ctx)
{
    struct request *request = ctx;
    size_t len = size * count;
    request->head_bytes += len;
    if (request->head_bytes > ANSWER_HEAD_MAX) {
        request->too_large = true;
        return 0;
    }
    read_retry_after(request, line, len);
    return len;
}

/* Takes the new list over, or says that there is no memory; the old list is the request's either way. */
static bool add_header(struct request *request, const char *line)
{
    struct curl_slist *longer = curl_slist_append(request->headers, line);
    if (longer == NULL)
        return false;
    request->headers = longer;
    return true;
}

static bool build_headers(struct request *request, const char *token, bool has_body)
{
    curl_slist_free_all(request->headers);
    request->headers = NULL;
    /* Without an Expect of its own libcurl waits a second for a 100 before a larger body. */
    bool ok = add_header(request, "Expect:") && add_header(request, "Accept: application/json");
    if (ok && has_body)
        ok = add_header(request, "Content-Type: application/json");
    if (ok && token != NULL) {
        struct hc_buf line = { 0 };
        hc_buf_str(&line, "Authorization: Bearer ");
        hc_buf_str(&line, token);
        ok = !line.failed && add_header(request, line.data);
        hc_buf_free(&line);
    }
    return ok;
}

static bool set_transport(CURL *easy, const struct target *target, int64_t timeout_ms)
{
    bool ok = curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
              curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)timeout_ms) == CURLE_OK &&
              curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)timeout_ms) == CURLE_OK &&
              curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
              curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) == CURLE_OK &&
              /* The server is a machine of the site: a proxy from somebody's environment would only see the tokens. */
              curl_easy_setopt(easy, CURLOPT_PROXY, "") == CURLE_OK &&
              curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L) == CURLE_OK &&
              curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L) == CURLE_OK;
    if (ok && target->insecure)
        ok = curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L) == CURLE_OK &&
             curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L) == CURLE_OK;
    /* A CA of our own replaces the system's: what it did not sign is refused. */
    if (ok && target->ca_file != NULL)
        ok = curl_easy_setopt(easy, CURLOPT_CAINFO, target->ca_file) == CURLE_OK &&
             curl_easy_setopt(easy, CURLOPT_CAPATH, NULL) == CURLE_OK;
    return ok;
}

static bool set_exchange(struct request *request, const struct request_spec *spec)
{
    CURL *easy = request->easy;
    /* A POST or PUT without a body says so with Content-Length: 0; some servers answer 411 otherwise. */
    const char *body = spec->body;
    if (body == NULL && (strcmp(spec->method, "POST") == 0 || strcmp(spec->method, "PUT") == 0))
        body = "";
    bool ok = build_headers(request, spec->token, body != NULL) && curl_easy_setopt(easy, CURLOPT_URL, request->url.data) == CURLE_OK &&
              curl_easy_setopt(easy, CURLOPT_HTTPHEADER, request->headers) == CURLE_OK &&
              curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body) == CURLE_OK &&
              curl_easy_setopt(easy, CURLOPT_WRITEDATA, request) == CURLE_OK &&
              curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header) == CURLE_OK &&
              curl_easy_setopt(easy, CURLOPT_HEADERDATA, request) == CURLE_OK &&
              curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, request->error) == CURLE_OK;
    if (ok && body != NULL)
        ok = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(body)) == CURLE_OK &&
             curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, body) == CURLE_OK;
    if (ok && strcmp(spec->method, "HEAD") == 0)
        ok = curl_easy_setopt(easy, CURLOPT_NOBODY, 1L) == CURLE_OK;
    return ok && curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, spec->method) == CURLE_OK;
}

enum hc_err request_prepare(struct request *request, const struct target *target, const struct request_spec *spec, struct hc_diag *diag)
{
    assert(one_word(spec->method, METHOD_MAX));
    assert(spec->path[0] == '/');
    assert(spec->timeout_ms >= 0);
    if (!one_word(spec->path, REQUEST_PATH_MAX))
        return hc_fail(diag, HC_ERR_SYNTAX, "the path is longer than %zu bytes or has characters that must be escaped", REQUEST_PATH_MAX);
    if (spec->token != NULL && !one_word(spec->token, TOKEN_MAX))
        return hc_fail(diag, HC_ERR_SYNTAX, "the token is empty, longer than %zu bytes or has blanks in it", TOKEN_MAX);
    client_answer_free(&request->answer);
    request->head_bytes = 0;
    request->too_large = request->no_memory = request->retry_after_is_date = false;
    request->error[0] = '\0';
    hc_buf_clear(&request->url);
    hc_buf_str(&request->url, target->url);
    hc_buf_str(&request->url, spec->path);
    int64_t timeout_ms = spec->timeout_ms > 0 ? spec->timeout_ms : target->timeout_ms;
    if (timeout_ms > CALL_TIMEOUT_MAX_MS)
        timeout_ms = CALL_TIMEOUT_MAX_MS;
    curl_easy_reset(request->easy);             /* keeps the connections */
    if (request->url.failed || !set_transport(request->easy, target, timeout_ms) || !set_exchange(request, spec))
        return hc_fail(diag, HC_ERR_NOMEM, "no memory for a call");
    return HC_OK;
}

static enum hc_err err_of(const struct request *request, CURLcode code)
{
    if (request->too_large)
        return HC_ERR_LIMIT;
    if (request->no_memory || code == CURLE_OUT_OF_MEMORY)
        return HC_ERR_NOMEM;
    switch (code) {
    case CURLE_OPERATION_TIMEDOUT: return HC_ERR_TIMEOUT;
    case CURLE_URL_MALFORMAT:
    case CURLE_SSL_CACERT_BADFILE: return HC_ERR_CONFIG;
    default: return HC_ERR_NET;
    }
}

enum hc_err request_finish(struct request *request, CURLcode code, struct hc_diag *diag)
{
    if (code != CURLE_OK) {
        enum hc_err err = err_of(request, code);
        const char *why = request->error[0] != '\0' ? request->error : curl_easy_strerror(code);
        if (request->too_large)
            why = "the answer is larger than this client takes";
        client_answer_free(&request->answer);
        return hc_fail(diag, err, "%s: %s", request->url.data, why);
    }
    curl_off_t took = 0, retry_after = 0;
    (void)curl_easy_getinfo(request->easy, CURLINFO_RESPONSE_CODE, &request->answer.status);
    (void)curl_easy_getinfo(request->easy, CURLINFO_TOTAL_TIME_T, &took);
    if (request->retry_after_is_date && curl_easy_getinfo(request->easy, CURLINFO_RETRY_AFTER, &retry_after) == CURLE_OK && retry_after > 0)
        request->answer.retry_after_seconds = retry_after < RETRY_AFTER_MAX_SECONDS ? (int)retry_after : RETRY_AFTER_MAX_SECONDS;
    request->answer.took_us = took;
    /* An empty answer still has a text to read. */
    hc_buf_str(&request->answer.body, "");
    return request->answer.body.failed ? hc_fail(diag, HC_ERR_NOMEM, "no memory for an answer") : HC_OK;
}
