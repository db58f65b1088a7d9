/* web.h - one call of the web API: JSON or nothing in, JSON out. */
#ifndef SUNSHINE_WEB_H
#define SUNSHINE_WEB_H

#include <curl/curl.h>
#include <jansson.h>

#include "hydra/sunshine/sunshine.h"

struct sunshine_api {
    CURL *easy;
    struct curl_slist *headers;
    struct hc_buf base;                 /* "https://127.0.0.1:47990" */
    char *username, *password;
    int64_t timeout_ms;
    bool (*idle)(void *ctx); void *idle_ctx;
    bool version_known;
    char version[SUNSHINE_VERSION_SIZE];
    unsigned features;
};

/* `body` may be NULL; it is not taken. *ret_answer (json_decref it) with SUNSHINE_OK: an object, of a status 200 answer. SUNSHINE_REFUSED:
 * 400 or 404. `ret_raw` (may be NULL) gets the text. */
HC_MUST enum sunshine_outcome web_call(struct sunshine_api *s, const char *method, const char *path, const json_t *body,
                                       json_t **ret_answer,
                                       struct hc_buf *ret_raw, struct hc_diag *diag);
/* The same for a call whose whole answer is its `status`, a boolean or a text. */
HC_MUST enum sunshine_outcome web_order(struct sunshine_api *s, const char *method, const char *path, const json_t *body,
                                        struct hc_diag *diag);
bool web_true(const json_t *value);     /* true, "true", 1 and "1" */

/* The readers, apart from the calls; they take whatever a host may have answered. */
json_t *web_object(const char *text, size_t len);       /* json_decref() it; NULL: it is no JSON object */
enum sunshine_outcome web_said(const json_t *answer); /* SUNSHINE_OK, SUNSHINE_REFUSED; SUNSHINE_UNKNOWN: it has no status */
void web_version(const json_t *answer, char ret_version[SUNSHINE_VERSION_SIZE]);        /* "": none, or none that can be one */
bool web_has_apps(const json_t *answer);                /* a list, each entry of which has a name */
/* False: no memory. The answer has passed web_has_apps(). */
bool web_app_rows(const json_t *answer, struct hc_arena *arena, struct sunshine_app **ret_apps, size_t *ret_count);
/* False: no list that we know, or no memory: unknown, never empty. */
bool web_named(const json_t *answer, struct hc_arena *arena, struct sunshine_client **ret_clients, size_t *ret_count);
/* SUNSHINE_OK when the host's version is known, or known to be told by nobody. */
HC_MUST enum sunshine_outcome web_ready(struct sunshine_api *s, struct hc_diag *diag);

#endif
