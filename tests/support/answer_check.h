/* answer_check.h - holds an answer of hydraclusterd against docs/openapi.yaml: the route, its status, the error word, every key and type.
 *
 * daemon_try() does so with every answer that it gets, so a shape that changes without the description fails the test that sees it. The
 * schema is read as far as the file uses it: $ref, allOf, oneOf, nullable, type, format date-time, enum, required, properties,
 * additionalProperties, items. */
#ifndef ANSWER_CHECK_H
#define ANSWER_CHECK_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define ANSWER_WHY_SIZE 512

/* False: `why` says where it differs. `json` NULL: the body is none; `path` may have a query. */
bool answer_check(const char *method, const char *path, long status, const json_t *json, const char *text, char *why, size_t size);

/* docs/openapi.yaml as a tree, read once; borrowed. Fails the test when it cannot be read. */
const json_t *answer_description(void);

#endif
