/* embedded.h - the files of web/, made by scripts/embed-web when the program is built. */
#ifndef WEB_EMBEDDED_H
#define WEB_EMBEDDED_H

#include <stddef.h>

struct web_file { const char *name, *type, *etag; const unsigned char *bytes; size_t len; };
extern const struct web_file web_files[];      /* ends with {0} */
const struct web_file *web_file_find(const char *name);     /* NULL: there is none */

#endif
