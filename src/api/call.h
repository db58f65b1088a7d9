/* call.h - one request on its way through the api: what handlers see, and the few ways to answer.
 *
 * The pipeline (router.c, call.c) has matched the route, authenticated, checked scope and length before the handler runs in `ready`.
 * A handler is five steps: read the body by table, fill the core event, submit, map a refusal, render. It answers exactly once. */
#ifndef API_CALL_H
#define API_CALL_H

#include "hydra/api/api.h"
#include "hydra/api/description.h"
#include "hydra/auth/auth.h"
#include "hydra/codec/json.h"

#define ROUTE_IDS_MAX 2

struct call;
typedef void api_handler(struct call *call);
/* Tables end with {0}. */
struct api_route { enum http_method method; const char *pattern; unsigned scopes; unsigned flags; api_handler *handler; };
/* One table per resource file; router.c lists them all. Patterns without /api/v1 are at the root. */
extern const struct api_route node_routes[], head_routes[], slot_claim_routes[], stream_routes[], eligible_routes[], venue_routes[],
    experience_routes[], body_routes[], slots_routes[], allocation_routes[], queue_routes[], event_routes[], session_routes[],
    lease_routes[], health_routes[], district_routes[], enroll_routes[], device_identity_routes[];
extern const struct api_route backup_routes[], openapi_routes[], operation_routes[], pair_routes[], xr_session_routes[];

enum wait_kind { WAIT_FOR_BODY /* key: body id */, WAIT_FOR_HEAD /* key: head id */, WAIT_FOR_SLOT /* key: district */,
    WAIT_FOR_WORK /* key: node id */, WAIT_FOR_RESULT /* key: operation id */, WAIT_KINDS };

typedef void call_render(struct call *call, struct core_result *result);
struct call {
    struct api *api;
    struct http_request *req;
    struct hc_arena *arena;             /* the request's */
    const struct api_route *route;
    struct principal who;
    const char *ids[ROUTE_IDS_MAX];     /* {id} and the second one; "" when the route has none */
    struct engine_op op;
    call_render *render;                /* called with a committed result that is no refusal (the pipeline maps those, unless ...) */
    bool own_refusals;                  /* ... render sees refusals too */
    bool late_is_ok;                    /* body reports: when the wait is over, render is called with NULL (rules §3.4) */
    void *user;                         /* the handler's own, in the arena */
    void (*gone)(struct call *call);    /* when set: called by call_done(), for a handler that keeps calls in a list of its own */
    struct call *next, *prev;           /* in a wait list (wait.c) */
    const void *waiting_in;             /* the list's head; NULL: in none */

    /* the pipeline's own */
    bool submitted;                     /* an event with its caller went to the core: that is a sign of life */
    bool measured;                      /* a claim: its latency is observed when it is answered */
    bool tell_lost;                     /* a claiming read: the core is told when its answer becomes 503 store_unavailable (rules §6.3.1) */
    struct engine_op *seen, *lost;      /* events beside the answer; in the arena, NULL: none */
    /* wait.c's own */
    enum wait_kind wait_kind;
    char wait_key[HC_NAME_SIZE];
    int64_t wait_deadline_ms, looked_at_ms;
    bool waited;                        /* it was parked for news: who asks is looked at again before it is answered */
    enum { NEWS_NONE, NEWS_FOR_ALL, NEWS_OF_ITS_OWN } news;
    int64_t wake_at_ms;                 /* parked until it may be looked at again, not until its deadline; 0: until its deadline */
    void (*again)(struct call *call, bool last);
};

/* ---- call.c ---- */
/* False: 400 bad_request with `field` has been answered. */
bool call_read(struct call *call, const struct codec_table *table, void *object);
/* The pipeline has checked by query_params.c's table what the route reads of its query. */
uint32_t call_query_u32(struct call *call, const char *key, uint32_t absent);
const char *call_query(struct call *call, const char *key);                   /* "" when absent */
struct core_event *call_event(struct call *call, enum core_event_type type);  /* op.ev with caller filled from the principal */
void call_submit(struct call *call, call_render *render);                     /* parks until durable; `render` answers */
void call_try(struct call *call, call_render *render);                        /* a dry run */
void call_json(struct call *call, unsigned status, struct hc_buf *json);      /* takes the text; frees it */
void call_empty(struct call *call, unsigned status);                          /* 204 */
void call_bytes(struct call *call, unsigned status, const char *content_type, const char *bytes, size_t len);
void call_text(struct call *call, unsigned status, const char *content_type, const char *text);
/* {"error","code","detail"} and what else `extra` (members without braces, or NULL) says. retry_after_seconds 0: none. */
void call_error(struct call *call, unsigned status, const char *error, const char *detail, const char *extra, int64_t retry_after_seconds);
void call_bad(struct call *call, const char *field, const char *detail);      /* 400 bad_request */
#define CALL_WHOLE_BODY "body"      /* the field of a 400 that is about all of the body: what is no JSON has no keys */
void call_bad_json(struct call *call, const struct json_refusal *refusal);
void call_refuse(struct call *call, const struct core_result *result);        /* by deny_http.c's table: status, retry, members */
void call_fault(struct call *call, enum hc_err err);                          /* 500 internal, logged */
bool call_is_self(const struct call *call);   /* the node that {id} names */
bool call_query_flag(const struct call *call, const char *key);       /* 1 or true */
/* A view for a list route; false: 500 answered. Give back with call_view_done before or after answering. */
bool call_view(struct call *call, struct engine_view *ret);
void call_view_done(struct call *call, struct engine_view *view);

/* False: the caller's token, approval or scope is gone since `begin`, and 401 or 403 has been answered. Before each answer to a request
 * that was parked; call_wait() and call_submit() ask it themselves. */
bool call_still_allowed(struct call *call);
bool call_is_allowed(const struct call *call);      /* the same without an answer: for a stream, which has had its status */

/* ---- wait.c: requests that wait for news (desired, admission, streams) or for a slot ---- */
/* Parks; `again` is called when a record that concerns the key changed, and at the deadline with last true. It must answer, or return to
 * go on waiting (not when last). */
void call_wait(struct call *call, enum wait_kind kind, const char *key, int64_t deadline_ms, void (*again)(struct call *call, bool last));
void call_wait_over(struct call *call);       /* leaves the list; also done by answering */

/* ---- events.c: SSE; api_turn() calls it: wakes followers for whom there is news or who are due a sign of life ---- */
void events_turn(struct api *api);

/* ---- facts_json.c: pieces that several resources render ---- */
void json_lease(const struct core_result *result, const struct timers *timers, struct hc_buf *out);    /* {"id","epoch",...} of wire §3 */
void json_body_facts(const struct body_facts *body, struct hc_buf *out);       /* {"id","name","hosts",...} of wire §3; without `pair` */
void json_pair(const struct body_facts *body, struct hc_buf *out);             /* {"required","reason"} */
void json_ticket(const struct ticket_facts *ticket, struct hc_buf *out);
void json_stream(const struct stream_facts *stream, hc_time now, struct hc_buf *out);       /* wire §5 "stream" */
/* {"status","error","reason","body_id","slot","position","eta_seconds"}: what a claim would be answered; of a dry run, and of /explain. */
void json_would(const struct core_result *result, struct hc_buf *out);

/* ---- api.c ---- */
struct api {
    struct api_config config;
    struct http_owner owner;
    struct signs_of_life *signs;                /* seen.c */
    struct screenshots *screenshots;            /* screenshots.c */
    struct call *waiting[WAIT_KINDS], *waiting_last[WAIT_KINDS];       /* oldest first */
    struct call *enroll_waiting;                /* enroll.c: pages that wait for their token */
    struct call *event_readers;                 /* events.c: who follows the events */
    bool stopping;
    hc_time started_at; int64_t started_ms;
};

#endif
