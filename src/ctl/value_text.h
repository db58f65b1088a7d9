/* value_text.h - a JSON answer looked up by path, and written out again as JSON or YAML.
 *
 * Both are for other programs to read, so the values stay what they are; characters that would steer a terminal are written as the escapes
 * that JSON and YAML have for them. */
#ifndef CTL_VALUE_TEXT_H
#define CTL_VALUE_TEXT_H

#include <jansson.h>

#include "hydra/base/buf.h"

/* "lease.head_id"; "a|b" is the first of them that is there and neither null nor "". "" is the value itself. NULL: nothing there.
 * Borrowed. */
const json_t *value_at(const json_t *value, const char *path);
const char *value_str(const json_t *value, const char *path);            /* "" when it is no text */
bool value_true(const json_t *value, const char *path);
bool value_holds(const json_t *list, const char *word);                  /* is one of the texts in the array this one */

void value_json(const json_t *value, struct hc_buf *out);                /* indented, a line end behind it */
void value_json_line(const json_t *value, struct hc_buf *out);           /* one line */
void value_yaml(const json_t *value, struct hc_buf *out);
void value_yaml_item(const json_t *value, struct hc_buf *out);           /* one item of a list that goes on: "- id: ..." */

#endif
