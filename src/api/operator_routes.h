/* operator_routes.h - handlers that stand in another file than their table of routes. */
#ifndef API_OPERATOR_ROUTES_H
#define API_OPERATOR_ROUTES_H

#include "call.h"

extern const struct codec_table session_row_table;                                 /* sessions.c */
void json_event(const struct feed_event *event, struct hc_buf *out);               /* events.c */

#define SCOPE_OPERATOR_READ (SCOPE_ADMIN | SCOPE_READ)

void conflicts_list(struct call *call);      /* conflicts.c, in slots_routes */
void explain_get(struct call *call);         /* explain.c, in queue_routes */
void explain_lease(struct call *call);       /* explain_lease.c, for explain.c: the query has `lease` */
void desired_get(struct call *call);         /* desired.c, in body_routes */
void pairing_get(struct call *call);         /* pairing.c, in body_routes */
void metrics_get(struct call *call);         /* metrics_route.c, in health_routes */

#endif
