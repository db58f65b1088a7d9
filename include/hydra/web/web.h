/* web.h - the operator page (wire §5): `/`, its login, its files; every other path is the api's.
 *
 * The files of web/ are part of the program (scripts/embed-web). Loop thread only. The daemon makes it after the api and gives its
 * http_owner to http_start() in place of the api's. */
#ifndef HYDRA_WEB_WEB_H
#define HYDRA_WEB_WEB_H

#include "hydra/api/api.h"
#include "hydra/base/err.h"
#include "hydra/http/http.h"

struct web_config {
    struct api *api;                   /* borrowed; outlives the page */
    bool tls;                          /* the daemon itself speaks HTTPS: its cookie is Secure */
    int64_t (*monotonic_ms)(void);
};
struct web;
HC_MUST enum hc_err web_new(const struct web_config *config, struct web **ret_web, struct hc_diag *diag);
void web_free(struct web *web);        /* accepts NULL */
const struct http_owner *web_owner(struct web *web);

/* For docs and tests: the page's own routes as data. All are open to everybody; `/` sends those who are not logged in to `/login`. */
size_t web_routes(const struct api_route_doc **ret_routes);

#endif
