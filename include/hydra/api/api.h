/* api.h - the wire (wire §0 to §5): routes, authentication, parsing by table, one core event, one answer.
 *
 * Loop thread only. The daemon makes it, gives its http_owner to http_start(), and calls api_turn() once per loop turn. */
#ifndef HYDRA_API_API_H
#define HYDRA_API_API_H

#include "hydra/auth/auth.h"
#include "hydra/auth/session.h"
#include "hydra/engine/engine.h"
#include "hydra/http/http.h"

struct api_sunshine { const char *district, *username, *password; };     /* wire §2: to the head itself, until per_device_identity */
/* What GET /enroll shows: an enrolment token that is the same at every look until it is revoked. LATER: it is being made, ask again. */
#define API_TOKEN_SIZE 64
enum api_enrolment { API_ENROLMENT_READY, API_ENROLMENT_LATER, API_ENROLMENT_FAILED };
typedef enum api_enrolment api_enrolment_fn(void *ctx, char ret_token[API_TOKEN_SIZE], char ret_id[HC_ID_SIZE]);
struct api_config {
    struct engine *engine; struct feed *feed; struct metrics *metrics;
    const struct core_config *core;
    auth_lookup_fn *operator_token; void *operator_ctx;   /* operators' tokens: whose is this digest */
    auth_hash_fn *operator_hash;       /* its ctx is operator_ctx; NULL: nobody can log in to the page */
    api_enrolment_fn *enrolment;       /* its ctx is operator_ctx */
    const char *version, *server_url;  /* server_url: what enrolled devices are told */
    bool enrol_pending;                /* enrollment: {approve: manual} */
    bool metrics_on_loopback;
    const struct api_sunshine *sunshine; size_t sunshine_count;
    int64_t (*monotonic_ms)(void);
    hc_time (*now)(void);
    void (*random)(void *out, size_t len);
};
struct api;
HC_MUST enum hc_err api_new(const struct api_config *config, struct api **ret_api, struct hc_diag *diag);
void api_free(struct api *api);                        /* accepts NULL */
const struct http_owner *api_owner(struct api *api);
void api_turn(struct api *api);                        /* parked reads and long-polls that have news */
void api_stopping(struct api *api);                    /* readyz is 503 from now on */
void api_configure(struct api *api, const struct api_config *config);   /* SIGHUP: sunshine, enrol_pending, metrics..., server_url */

/* ---- the operator page's session (wire §5): an admin's or a read-only operator's token, told once, then a cookie ---- */
/* False: nobody's token, or one of a node or of the fleet. True: the value of the cookie, good for AUTH_SESSION_SECONDS. */
bool api_login(struct api *api, const char *token, struct principal *ret_who, char ret_cookie[AUTH_COOKIE_SIZE]);
/* Whose cookie the request has; false: none that is good. */
bool api_session(struct api *api, const struct http_request *req, struct principal *ret_who);
/* Who asks: by the Authorization header if there is one, else by the cookie. True: by the cookie. */
bool api_who(struct api *api, const struct http_request *req, struct principal *ret_who);
/* Does the Origin header name this server: the request's Host, or that of server_url? Without the header: false. */
bool api_from_own_page(const struct api *api, const struct http_request *req);

/* For docs and tests: every route as data; `flags` are enum route_flag of description.h. */
struct api_route_doc { enum http_method method; const char *pattern; unsigned scopes, flags; };
size_t api_routes(const struct api_route_doc **ret_routes);

#endif
