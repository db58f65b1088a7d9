/* local_api.h - the API of the kiosk on this machine, and the queue card (wire §7). */
#ifndef HEAD_LOCAL_API_H
#define HEAD_LOCAL_API_H

#include "hydra/http/http.h"

#include "agent.h"

#define LOCAL_BODY_MAX ((size_t)4096)

struct local_api { struct agent *agent; uint16_t port; struct http_owner owner; };
/* `port` is set when it is known, before the first turn. */
void local_api_init(struct local_api *api, struct agent *agent);

#endif
