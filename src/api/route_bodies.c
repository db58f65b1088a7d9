/* route_bodies.c - which field tables read the body of which route: call_read() reads by no other, and docs/openapi.yaml says it. */
#include "pipeline.h"

#include <string.h>

#include "hydra/proto/admit_observed.h"
#include "hydra/proto/body_settings.h"
#include "hydra/proto/body_status.h"
#include "hydra/proto/claim.h"
#include "hydra/proto/device_identity.h"
#include "hydra/proto/experience_put.h"
#include "hydra/proto/head_put.h"
#include "hydra/proto/node_enrol.h"
#include "hydra/proto/node_put.h"
#include "hydra/proto/operation.h"
#include "hydra/proto/operator_hand.h"
#include "hydra/proto/venue_put.h"
#include "hydra/proto/xr_session.h"

#define V1   "/api/v1/"
#define HEAD V1 "heads/{id}"
#define NODE V1 "nodes/{id}"

static const struct { enum http_method method; const char *pattern; const struct codec_table *tables[ROUTE_BODIES_MAX]; } bodies[] = {
    { HTTP_POST,   V1 "heads",                            { &head_enrol_table, NULL } },
    { HTTP_POST,   V1 "nodes",                            { &node_enrol_table, NULL } },
    { HTTP_PUT,    NODE,                                  { &node_put_table, NULL } },
    { HTTP_POST,   NODE "/heartbeat",                     { &node_beat_table, NULL } },
    { HTTP_PUT,    NODE "/slots",                         { &slots_put_table, NULL } },
    { HTTP_POST,   NODE "/drain",                         { &drain_put_table, NULL } },
    { HTTP_PUT,    HEAD,                                  { &heartbeat_table, &head_assign_table } },   /* the head itself; an operator */
    { HTTP_DELETE, HEAD "/stream",                        { &stream_stop_table, NULL } },
    { HTTP_POST,   HEAD "/slot-claims",                   { &claim_table, NULL } },
    { HTTP_POST,   HEAD "/slot-claims/{lease_id}/renew",  { &renew_table, NULL } },
    { HTTP_DELETE, HEAD "/slot-claims/{lease_id}",        { &release_table, NULL } },
    { HTTP_POST,   HEAD "/streams",                       { &claim_table, NULL } },
    { HTTP_POST,   HEAD "/xr-session",                    { &xr_session_post_table, NULL } },
    { HTTP_POST,   HEAD "/pair-leases",                   { &pair_table, NULL } },
    { HTTP_POST,   HEAD "/device-identity",               { &device_identity_table, NULL } },
    { HTTP_POST,   NODE "/sunshine-pin",                  { &pin_table, NULL } },
    { HTTP_POST,   NODE "/ops",                           { &operation_ask_table, NULL } },
    { HTTP_POST,   NODE "/ops/{op_id}/result",            { &operation_result_table, NULL } },
    { HTTP_PUT,    V1 "venues/{venue}",                   { &venue_put_table, NULL } },
    { HTTP_PUT,    V1 "orgs/{org}",                       { &org_put_table, NULL } },
    { HTTP_PUT,    V1 "experiences/{name}",               { &experience_put_table, NULL } },
    { HTTP_POST,   V1 "body/status",                      { &body_status_table, NULL } },
    { HTTP_POST,   V1 "bodies/{id}/admit-observed",       { &admit_observed_table, NULL } },
    { HTTP_POST,   V1 "leases/{lease_id}/release",        { &lease_hand_table, NULL } },
    { HTTP_POST,   V1 "leases/{lease_id}/revoke",         { &lease_hand_table, NULL } },
    { HTTP_POST,   V1 "safe-mode/end",                    { &safe_mode_end_table, NULL } },
};

const struct codec_table *const *route_bodies(enum http_method method, const char *pattern)
{
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++)
        if (bodies[i].method == method && strcmp(bodies[i].pattern, pattern) == 0)
            return bodies[i].tables;
    return NULL;
}

bool route_reads(const struct api_route *route, const struct codec_table *table)
{
    const struct codec_table *const *tables = route_bodies(route->method, route->pattern);
    for (size_t i = 0; tables != NULL && i < ROUTE_BODIES_MAX; i++)
        if (tables[i] == table)
            return true;
    return false;
}
