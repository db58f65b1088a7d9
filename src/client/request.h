/* request.h - one HTTP exchange on one libcurl easy handle: what client.c (blocking) and multi.c (many at once) share. */
#ifndef HYDRA_CLIENT_REQUEST_H
#define HYDRA_CLIENT_REQUEST_H

#include <curl/curl.h>

#include "hydra/client/client.h"

#define TARGET_URL_MAX   ((size_t)512)          /* of the server's URL */
#define REQUEST_PATH_MAX ((size_t)4096)
#define TOKEN_MAX        ((size_t)512)
#define ANSWER_HEAD_MAX  ((size_t)64 * 1024)    /* all header lines of one answer */
#define CALL_TIMEOUT_MAX_MS ((int64_t)10 * 60 * 1000)
#define RETRY_AFTER_MAX_SECONDS 86400

/* Whom to call: a checked copy of the options. */
struct target { char *url; char *ca_file; bool insecure; int64_t timeout_ms; };
HC_MUST enum hc_err target_init(struct target *target, const struct client_options *options, struct hc_diag *diag);
void target_free(struct target *target);

struct request {
    CURL *easy;
    struct curl_slist *headers;
    struct hc_buf url;
    struct client_answer answer;
    size_t head_bytes;
    bool too_large, no_memory, retry_after_is_date;
    char error[CURL_ERROR_SIZE];
};
HC_MUST enum hc_err request_init(struct request *request, struct hc_diag *diag);
void request_free(struct request *request);
struct request_spec { const char *method, *path, *token, *body; int64_t timeout_ms; };   /* timeout_ms 0: the target's */
/* Sets the handle up for one call; forgets the call before. Everything is copied. HC_ERR_SYNTAX, HC_ERR_LIMIT for what must not be sent. */
HC_MUST enum hc_err request_prepare(struct request *request, const struct target *target, const struct request_spec *spec,
                                    struct hc_diag *diag);
/* What libcurl's end of the transfer means; on HC_OK request->answer is complete. */
HC_MUST enum hc_err request_finish(struct request *request, CURLcode code, struct hc_diag *diag);

#endif
