/* pipeline.h - what api.c, router.c, call.c, wait.c and seen.c say to each other; resources use call.h. */
#ifndef API_PIPELINE_H
#define API_PIPELINE_H

#include "call.h"

/* ---- router.c ---- */
#define ALLOW_SIZE 64
enum route_found { ROUTE_FOUND, ROUTE_UNKNOWN, ROUTE_OTHER_METHOD, ROUTE_NO_MEMORY };
/* HEAD finds GET's route. On ROUTE_FOUND `ret_ids` (from the arena) and *ret_route are set; on ROUTE_OTHER_METHOD `ret_allow` says
 * "GET, HEAD, PUT". */
enum route_found route_find(enum http_method method, const char *path, struct hc_arena *arena, const struct api_route **ret_route,
                            const char *ret_ids[ROUTE_IDS_MAX], char ret_allow[ALLOW_SIZE]);
/* Name of the first id in the pattern whose value breaks its alphabet; NULL: none. {venue}, {org}, {name}, {district} are names, all others
 * ids. */
const char *route_bad_id(const struct api_route *route, const char *const ids[ROUTE_IDS_MAX]);

/* ---- call.c ---- */
void call_begin(void *api, struct http_request *req);
void call_ready(void *api, struct http_request *req);
void call_done(void *api, struct http_request *req);

/* ---- query_params.c ---- */
bool query_params_ok(struct call *call);                             /* false: 400 with the parameter as its field was answered */
bool query_number(const char *text, uint32_t most, uint32_t *ret);   /* digits only, at most `most` */
bool query_event_ok(const char *text);                               /* an event's id, <generation>-<n> */

/* ---- route_bodies.c ---- */
bool route_reads(const struct api_route *route, const struct codec_table *table);

/* ---- wait.c ---- */
void wait_news(void *api, enum rec_kind kind, const char *key);      /* an engine_news_fn */
void wait_turn(struct api *api);                                     /* runs those that have news */

/* ---- enroll.c: pages that wait for their token; api_turn() calls it ---- */
void enroll_turn(struct api *api);

/* ---- seen.c: signs of life of nodes whose requests bring no event to the core ---- */
struct signs_of_life *signs_new(void);                               /* NULL: no memory */
void signs_free(struct signs_of_life *signs);
void signs_seen(struct call *call);                                  /* at most one CORE_SEEN per node in a while */
void signs_submitted(struct call *call);                             /* the core has just heard of this node */

#endif
