/* xml.h - GameStream answers: one root with flat children, or with one level of groups. */
#ifndef XML_H
#define XML_H

#include "request.h"

struct xml { struct hc_buf children; };

void xml_text(struct xml *xml, const char *name, const char *value);
void xml_number(struct xml *xml, const char *name, long value);
void xml_open(struct xml *xml, const char *name);
void xml_close(struct xml *xml, const char *name);
/* Ends the document as the answer (HTTP 200, always) and frees `xml`. `message` may be NULL. */
void xml_answer(struct xml *xml, int status, const char *message, struct answer *answer);
void xml_empty(struct answer *answer);      /* the declaration and nothing else */

#endif
