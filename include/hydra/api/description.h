/* description.h - what the api's tables say beside api_routes(), for who describes it: docs/openapi.yaml is made of them. */
#ifndef HYDRA_API_DESCRIPTION_H
#define HYDRA_API_DESCRIPTION_H

#include "hydra/api/api.h"
#include "hydra/codec/field.h"
#include "hydra/core/words.h"

/* Of api_route_doc. */
enum route_flag {
    ROUTE_BODY = 1,             /* has a JSON body; 415 for another type; absent where that is allowed reads as {} */
    ROUTE_HEAD_EXISTS = 2,      /* {id} must be a node with role head: 404 node_not_found, after 413/415, before 400 (rules §6.5.5) */
    ROUTE_NODE_EXISTS = 4,      /* {id} must be a node */
    ROUTE_BODY_EXISTS = 8,      /* {id} must be a node with role body */
    ROUTE_OWN_BODY = 16,        /* the handler judges the body, its type too; without it and ROUTE_BODY one that comes must be JSON */
    ROUTE_PICTURE = 256         /* the body is a picture, larger than others: screenshots.c decides in `begin` whether it may come */
};

/* ---- the parameters that routes read from their queries ---- */
/* PARAM_OWN: its handler judges it. */
enum param_kind {
    PARAM_ID, PARAM_NAME, PARAM_NUMBER, PARAM_FLAG, PARAM_INSTANT, PARAM_SHORT, PARAM_WORD, PARAM_EVENT, PARAM_PLACE, PARAM_OWN, PARAM_KINDS
};
#define PARAM_SHORT_MAX 32
struct query_param { const char *pattern, *key; enum param_kind kind; uint32_t least, most; const struct hc_words *words; };
size_t query_params(const struct query_param **ret_rows);             /* how many there are */

#define ROUTE_BODIES_MAX 2
/* The field tables that read the body of a route, ROUTE_BODIES_MAX of them, NULL behind the last; NULL: it reads none by table. */
const struct codec_table *const *route_bodies(enum http_method method, const char *pattern);

/* The status of a refusal of the core. */
unsigned deny_status(enum deny_reason deny);

#endif
