/* target.h - the target of a request line: its path and its parameters, decoded once. */
#ifndef HYDRA_SRC_HTTP_TARGET_H
#define HYDRA_SRC_HTTP_TARGET_H

#include <stddef.h>

#include "hydra/base/arena.h"
#include "hydra/base/err.h"

#define HTTP_PARAMS_MAX 64

struct http_param { const char *key, *value; };
struct http_target { const char *path; struct http_param *params; size_t count; };

/* Decodes `raw` in place; the result points into it and `arena`. HC_ERR_SYNTAX, HC_ERR_LIMIT: *ret_detail is a sentence for the peer,
 * *ret_field what it is about: "path", "query", or the parameter, a plain name that needs no escapes. */
HC_MUST enum hc_err http_target_parse(struct hc_arena *arena, char *raw, struct http_target *ret_target, const char **ret_detail,
                                      const char **ret_field);

#endif
