/* form.h - one field of a posted form (application/x-www-form-urlencoded), and texts as they stand in a page. Pure. */
#ifndef WEB_FORM_H
#define WEB_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "hydra/base/buf.h"

/* The first field of that name, decoded. False: not there, not well formed, has a NUL, or does not fit `size` with its NUL. */
bool form_field(const char *form, size_t len, const char *name, char *out, size_t size);
/* Where to go after the login: `next` if it is a path of this server, else "/". What starts like "//host" or has a backslash or a
 * control character is none. */
const char *form_next(const char *next);
/* Text of an element or of a quoted attribute. */
void form_escape(const char *text, struct hc_buf *out);
/* The template with each {{name}} replaced by the escaped value of that row; a name without a row is left out. */
struct form_value { const char *name, *value; };
void form_fill(const char *text, size_t len, const struct form_value *values, size_t count, struct hc_buf *out);

#endif
