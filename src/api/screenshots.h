/* screenshots.h - what the pipeline and the heads' routes need of screenshots.c. */
#ifndef API_SCREENSHOTS_H
#define API_SCREENSHOTS_H

#include "call.h"

struct screenshots *screenshots_new(void);                          /* NULL: no memory */
void screenshots_free(struct screenshots *screenshots);             /* accepts NULL */
bool screenshot_asked(const struct call *call, const char *head_id);
void screenshot_begin(struct call *call);                           /* of a ROUTE_PICTURE, when its headers are complete; may refuse */
void screenshot_post(struct call *call);
void screenshot_get(struct call *call);

#endif
