/* asked.h - refusals as a table: what is asked, by whom, and how it is answered. */
#ifndef API_ASKED_H
#define API_ASKED_H

#include "fixture.h"

#define ASKED_PATH_SIZE 512

/* "{h}" and "{b}" in the path stand for the ids given to asked_all(). */
struct asked { const char *method, *path, *token, *body; int status; const char *error, *field; };
void asked_all(struct rig *r, const struct asked *rows, size_t count, const char *head_id, const char *body_id);
/* printf into a buffer that lives until the next but seven calls. */
const char *asked_path(const char *format, ...) HC_PRINTF(1, 2);

#endif
