#include "web.h"

#include <pthread.h>
#include <string.h>


#define TIMEOUT_MAX_MS 60000

static pthread_once_t library_once = PTHREAD_ONCE_INIT;
static CURLcode library_state;

static void library_start(void)
{
    library_state = curl_global_init(CURL_GLOBAL_DEFAULT);
}

const char *sunshine_outcome_word(enum sunshine_outcome outcome)
{
    static const char *const words[SUNSHINE_OUTCOMES] = {
        [SUNSHINE_OK] = "ok", [SUNSHINE_REFUSED] = "refused", [SUNSHINE_CANNOT] = "cannot", [SUNSHINE_BUSY] = "busy",
        [SUNSHINE_AWAY] = "away", [SUNSHINE_CREDENTIALS_LOST] = "credentials_lost", [SUNSHINE_UNAUTHORIZED] = "unauthorized",
        [SUNSHINE_UNKNOWN] = "unknown",
    };
    return words[outcome];
}

static char *copy_text(const char *text)
{
    size_t len = strlen(text);
    char *copy = hc_alloc(len + 1);
    if (copy != NULL)
        memcpy(copy, text, len);
    return copy;
}

static void free_secret(char *text)
{
    if (text != NULL)
        explicit_bzero(text, strlen(text));
    hc_free(text);
}

struct sunshine_api *sunshine_close(struct sunshine_api *s)
{
    if (s != NULL) {
        curl_easy_cleanup(s->easy);
        curl_slist_free_all(s->headers);
        hc_buf_free(&s->base);
        hc_free(s->username);
        free_secret(s->password);
        hc_free(s);
    }
    return NULL;
}

/* Always with a content type: versions differ in which calls need it, none minds it. No Origin and no Referer: those would need a token. */
static bool set_fixed(struct sunshine_api *s)
{
    s->headers = curl_slist_append(NULL, "Content-Type: application/json");
    struct curl_slist *longer = s->headers == NULL ? NULL : curl_slist_append(s->headers, "Expect:");
    CURL *easy = s->easy;
    return longer != NULL && curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "https") == CURLE_OK && curl_easy_setopt(easy, CURLOPT_PROXY, "") == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK && curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HTTPHEADER, s->headers) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)s->timeout_ms) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)s->timeout_ms) == CURLE_OK &&
           /* self-signed, and on the same machine */
           curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L) == CURLE_OK && curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST,
                                                                                              0L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_USERNAME, s->username) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_PASSWORD, s->password) == CURLE_OK;
}

enum hc_err sunshine_open(const struct sunshine_access *options, struct sunshine_api **ret_sunshine, struct hc_diag *diag)
{
    (void)pthread_once(&library_once, library_start);
    struct sunshine_api *s = hc_alloc(sizeof *s);
    if (s == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "no memory for Sunshine's client");
    bool number6 = strchr(options->address, ':') != NULL;
    hc_buf_printf(&s->base, "https://%s%s%s:%u", number6 ? "[" : "", options->address, number6 ? "]" : "", options->port);
    s->timeout_ms = options->timeout_ms < TIMEOUT_MAX_MS ? options->timeout_ms : TIMEOUT_MAX_MS;
    s->idle = options->idle;
    s->idle_ctx = options->idle_ctx;
    s->username = copy_text(options->username);
    s->password = copy_text(options->password);
    s->easy = library_state == CURLE_OK ? curl_easy_init() : NULL;
    if (s->base.failed || s->username == NULL || s->password == NULL || s->easy == NULL || !set_fixed(s)) {
        (void)sunshine_close(s);
        return hc_fail(diag, HC_ERR_NOMEM, "no memory for Sunshine's client");
    }
    *ret_sunshine = s;
    return HC_OK;
}

struct answer { struct hc_buf text; bool too_large; };

static size_t on_body(char *bytes, size_t size, size_t count, void *ctx)
{
    struct answer *answer = ctx;
    size_t len = size * count;
    answer->too_large = len > SUNSHINE_ANSWER_MAX - answer->text.len;
    if (!answer->too_large)
        hc_buf_add(&answer->text, bytes, len);
    return answer->too_large || answer->text.failed ? 0 : len;
}

static enum sunshine_outcome forget(struct sunshine_api *s, enum sunshine_outcome outcome)
{
    if (outcome >= SUNSHINE_AWAY)
        s->version_known = false;
    return outcome;
}

static enum sunshine_outcome say(struct hc_diag *diag, enum sunshine_outcome outcome, const char *path, const char *what)
{
    (void)hc_fail(diag, HC_OK, "Sunshine, %s: %s", path, what);
    return outcome;
}

static enum sunshine_outcome judge_status(long status, const char *path, struct hc_diag *diag)
{
    if (status == 200)
        return SUNSHINE_OK;
    if (status == 307)
        return say(diag, SUNSHINE_CREDENTIALS_LOST, path, "it has no user name and password any more: set them on the body");
    if (status == 401 || status == 403)
        return say(diag, SUNSHINE_UNAUTHORIZED, path, "it does not take our user name and password, or our address");
    if (status == 400 || status == 404)
        return say(diag, SUNSHINE_REFUSED, path, "it refuses the call");
    return say(diag, SUNSHINE_UNKNOWN, path, "its answer has a status that makes no sense");
}

static enum sunshine_outcome send_once(struct sunshine_api *s, const char *method, const char *path, const char *body,
                                       struct answer *answer,
                                       struct hc_diag *diag)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf url = { 0 };
    hc_buf_str(&url, s->base.data);
    hc_buf_str(&url, path);
    CURL *easy = s->easy;
    const char *sent = body != NULL ? body : strcmp(method, "POST") == 0 ? "" : NULL;
    bool ok = !url.failed && curl_easy_setopt(easy, CURLOPT_URL, url.data) == CURLE_OK &&
              curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body) == CURLE_OK && curl_easy_setopt(easy, CURLOPT_WRITEDATA,
                                                                                                     answer) == CURLE_OK &&
              (sent == NULL ? curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L)
                            : curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, sent)) == CURLE_OK &&
              curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method) == CURLE_OK;
    if (!ok)
        return say(diag, SUNSHINE_AWAY, path, "no memory for the call");
    CURLcode code = curl_easy_perform(easy);
    if (answer->too_large)
        return say(diag, SUNSHINE_UNKNOWN, path, "its answer is larger than 1 MiB");
    if (code != CURLE_OK)
        return say(diag, SUNSHINE_AWAY, path, curl_easy_strerror(code));
    long status = 0;
    (void)curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    return judge_status(status, path, diag);
}

json_t *web_object(const char *text, size_t len)
{
    json_t *read = json_loadb(len == 0 ? "" : text, len, 0, NULL);
    if (json_is_object(read))
        return read;
    json_decref(read);
    return NULL;
}

enum sunshine_outcome web_call(struct sunshine_api *s, const char *method, const char *path, const json_t *body, json_t **ret_answer,
                               struct hc_buf *ret_raw, struct hc_diag *diag)
{
    char *text = body == NULL ? NULL : json_dumps(body, JSON_COMPACT);
    if (body != NULL && text == NULL)
        return say(diag, SUNSHINE_AWAY, path, "no memory for the call");
    struct answer answer = { 0 };
    enum sunshine_outcome outcome = send_once(s, method, path, text, &answer, diag);
    if (text != NULL)
        explicit_bzero(text, strlen(text));         /* a PIN may be in it */
    free(text);
    json_t *read = outcome == SUNSHINE_OK ? web_object(answer.text.data, answer.text.len) : NULL;
    if (outcome == SUNSHINE_OK && read == NULL)
        outcome = say(diag, SUNSHINE_UNKNOWN, path, "its answer is no JSON object");
    if (ret_raw != NULL && answer.text.len > 0)
        hc_buf_add(ret_raw, answer.text.data, answer.text.len);
    hc_buf_free(&answer.text);
    *ret_answer = read;
    return forget(s, outcome);
}

bool web_true(const json_t *value)
{
    const char *text = json_string_value(value);
    return json_is_true(value) || json_integer_value(value) == 1 || (text != NULL && (strcmp(text, "true") == 0 || strcmp(text, "1") == 0));
}

enum sunshine_outcome web_said(const json_t *answer)
{
    const json_t *status = json_object_get(answer, "status");
    return status == NULL ? SUNSHINE_UNKNOWN : web_true(status) ? SUNSHINE_OK : SUNSHINE_REFUSED;
}

enum sunshine_outcome web_order(struct sunshine_api *s, const char *method, const char *path, const json_t *body, struct hc_diag *diag)
{
    json_t *answer = NULL;
    enum sunshine_outcome outcome = web_call(s, method, path, body, &answer, NULL, diag);
    if (outcome == SUNSHINE_OK) {
        outcome = web_said(answer);
        if (outcome != SUNSHINE_OK)
            outcome = forget(s, say(diag, outcome, path, outcome == SUNSHINE_UNKNOWN ? "its answer has no status" : "it says no"));
    }
    json_decref(answer);
    return outcome;
}
