/* openapi.h - docs/openapi.yaml as a tree, made of the program's own tables and of what stands only here:
 *
 * - from the router: method, path, who may (api_routes(), web_routes()); from query_params.c the parameters; from route_bodies.c the field
 *   tables of request bodies; from the core the words and the status of each refusal;
 * - from openapi_answers.c what a route answers and refuses, from openapi_shapes.c how an answer looks. Nothing in the program says
 *   these, so the integration tests and those of api hold every answer that they get against the file (tests/support/answer_check.h).
 *
 * A shape is one line of fields: `key:type`. Types: text (also when none is named), int, bool, time, any; a Name: another shape; a
 * lower-case name: one word of that list (shape_words); =a|b: one of these words; [type]: a list; {type}: an object of such values under
 * any keys; type+type: either. A `?` behind it: may be null. A `~` in front: may be absent. */
#ifndef OPENAPI_H
#define OPENAPI_H

#include <jansson.h>

#include "hydra/api/description.h"
#include "hydra/base/buf.h"

struct shape { const char *name, *fields; };
extern const struct shape shapes[];                     /* ends with {0} */
struct shape_words { const char *name; const struct hc_words *words; };
extern const struct shape_words shape_words[];          /* ends with {0} */

/* answers: "200 [SlotRow]; 204": statuses with the types of their bodies; @image/jpeg: no JSON. errors: words, each with the status that
 * error_words[] or the core's table of refusals gives it, or its own behind a slash. What every route may answer stands in openapi.c. */
struct route_answers { enum http_method method; const char *pattern, *summary, *answers, *errors; };
extern const struct route_answers route_answers[];      /* ends with {0} */
/* Refusals: their status where it is not the core's, and what else they say, as a shape. */
struct error_word { const char *word; unsigned status; const char *members; };
extern const struct error_word error_words[];           /* ends with {0} */

/* Each returns a new reference. */
json_t *schema_of_fields(const char *fields);
json_t *schema_of_type(const char *type);
json_t *schema_of_table(const struct codec_table *table);
json_t *schema_of_param(const struct query_param *param);
json_t *schema_ref(const char *name);
json_t *openapi_document(void);

/* A tree as YAML that is also easy on the eye: what fits on a line stands on one. */
void yaml_write(const json_t *value, struct hc_buf *out);

#endif
