/* web.h - the web API: access rules here, what the calls do in web_clients.c and web_apps.c. */
#ifndef WEB_H
#define WEB_H

#include "host.h"

extern const struct server_ops web_ops;

/* One call. Returns the answer's JSON (a new reference) and may set `answer->status`; NULL: it has filled `answer` itself. */
struct web_call { struct host *host; const struct request *request; const json_t *body; struct answer *answer; };
typedef json_t *web_run(const struct web_call *call);

json_t *web_status(bool status);
json_t *web_error(const struct web_call *call, int status, const char *message);

web_run web_clients_list, web_clients_unpair, web_clients_unpair_all, web_clients_update, web_pin;
web_run web_apps_get, web_apps_post, web_apps_delete, web_apps_close;

#endif
