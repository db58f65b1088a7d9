/* xml.h - the few XML documents that a GameStream host answers with: one root, flat or two levels deep.
 *
 * Strict: one well-formed element, UTF-8, attributes in quotes, the five entities and numeric ones; no document type, no processing
 * instruction but the declaration, no CDATA, comments are skipped. Anything else is HC_ERR_SYNTAX: the host's answer is then unknown. */
#ifndef HYDRA_GAMESTREAM_XML_H
#define HYDRA_GAMESTREAM_XML_H

#include <stddef.h>

#include "hydra/base/arena.h"

#define GS_XML_BYTES_MAX ((size_t)1024 * 1024)
#define GS_XML_DEPTH_MAX 8
#define GS_XML_NODES_MAX 16384          /* elements and attributes of one document */

struct gs_xml_attr { const char *name, *value; const struct gs_xml_attr *next; };
struct gs_xml {                         /* texts are the arena's */
    const char *name, *text;            /* text: all character data of this element itself, "" when there is none */
    const struct gs_xml_attr *attrs;
    const struct gs_xml *child, *next;
};
/* HC_ERR_SYNTAX, HC_ERR_LIMIT, HC_ERR_NOMEM; diag names the line. A declaration without a root is HC_ERR_SYNTAX. */
HC_MUST enum hc_err gs_xml_parse(const char *bytes, size_t len, struct hc_arena *arena, const struct gs_xml **ret_root,
                                 struct hc_diag *diag);
const char *gs_xml_attr(const struct gs_xml *element, const char *name);         /* NULL: absent */
const char *gs_xml_text(const struct gs_xml *parent, const char *child);         /* of the first child of that name; NULL: absent */

#endif
