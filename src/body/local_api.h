/* local_api.h - the agent's own small API on port 47991 (wire §6): the hook's two calls, and a look at and a hand on this body.
 *
 * The hook's calls are taken from loopback only. The others need the local token as a bearer, or an address of a trusted network. All on
 * the loop thread; what takes time is parked and done by a slot's errand thread. */
#ifndef BODY_LOCAL_API_H
#define BODY_LOCAL_API_H

#include "hydra/http/http.h"

#include "agent.h"

#define LOCAL_BODY_MAX   ((size_t)4096)
#define LOCAL_LAUNCH_MS  2800       /* the hook gives up at 3 s: an answer must be there before */
#define LOCAL_STOP_MS    20000      /* Sunshine waits for its application to end */

struct local_api;
/* Borrows both for its life. NULL: no memory. */
struct local_api *local_api_new(const struct body_config *config, struct agent *agent);
void local_api_free(struct local_api *api);             /* after http_free() */
const struct http_owner *local_api_owner(struct local_api *api);
void local_api_turn(struct local_api *api);             /* answers what the errand threads have finished */

#endif
