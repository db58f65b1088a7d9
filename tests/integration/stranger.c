#include "stranger.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <curl/curl.h>

#include "hydra/base/buf.h"

#define OPENSSL_MS 30000
#define ANSWER_MS  20000L
#define ANSWER_MAX ((size_t)64 * 1024)

void stranger_make(struct stranger *stranger, const struct home *home)
{
    home_path(home, "stranger.crt", stranger->cert);
    home_path(home, "stranger.key", stranger->key);
    const char *const argv[] = { "/usr/bin/openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=a stranger", "-days",
                                 "2", "-keyout", stranger->key, "-out", stranger->cert, NULL };
    struct process process;
    process_start(&process, argv, NULL, home->log);
    assert_int_equal(process_wait(&process, OPENSSL_MS), 0);
}

void stranger_is_paired(const struct stranger *stranger, const struct sunshine *host)
{
    char line[HOME_PATH_SIZE + 64];
    (void)snprintf(line, sizeof line, "pair stranger %s", stranger->cert);
    sunshine_say(host, line);
}

static size_t on_body(char *bytes, size_t size, size_t count, void *ctx)
{
    struct hc_buf *text = ctx;
    if (text->len + size * count <= ANSWER_MAX)
        hc_buf_add(text, bytes, size * count);
    return size * count;
}

static long number_after(const char *text, const char *mark)
{
    const char *at = text == NULL ? NULL : strstr(text, mark);
    return at == NULL ? STRANGER_NO_ROOT : strtol(at + strlen(mark), NULL, 10);
}

/* The host closes after each answer, and may close before the request was read: what it said counts, however the call ended. */
static void get(const struct stranger *stranger, const char *url, struct hc_buf *text)
{
    CURL *easy = curl_easy_init();
    assert_non_null(easy);
    bool set = curl_easy_setopt(easy, CURLOPT_URL, url) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_SSLCERT, stranger->cert) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_SSLKEY, stranger->key) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L) == CURLE_OK && curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L) == CURLE_OK && curl_easy_setopt(easy, CURLOPT_PROXY, "") == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, ANSWER_MS) == CURLE_OK && curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body) == CURLE_OK && curl_easy_setopt(easy, CURLOPT_WRITEDATA, text) == CURLE_OK;
    assert_true(set);
    (void)curl_easy_perform(easy);
    curl_easy_cleanup(easy);
}

long stranger_asks(const struct stranger *stranger, const struct sunshine *host, const char *target, const char *element, long *ret_number)
{
    char url[512], mark[64];
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    int len = snprintf(url, sizeof url, "https://127.0.0.1:%u%s", host->https, target);
    assert_true(len > 0 && len < (int)sizeof url);
    get(stranger, url, &text);
    if (element != NULL) {
        (void)snprintf(mark, sizeof mark, "<%s>", element);
        *ret_number = number_after(text.data, mark);
    }
    return number_after(text.data, "status_code=\"");
}
