/* apps.h - apps.json: what is published, under which ids. */
#ifndef APPS_H
#define APPS_H

#include "host.h"

void apps_open(struct host *host);                      /* reads the file, or writes one with "Desktop" */
/* locked: parses the file again; when it does not parse, the old list stays */
void apps_parse(struct host *host);
long apps_id(const struct host *host, size_t index);    /* locked */
json_t *apps_find(const struct host *host, long id);    /* locked: borrowed; NULL: no such app */
json_t *apps_file(const struct host *host);             /* the file's content, new; NULL: it does not parse */
void apps_save(const struct host *host, json_t *json);  /* takes the reference */
uint32_t apps_crc32(const char *text, uint32_t so_far); /* as zlib's: start with 0 */
char *apps_expand(const char *text);                    /* $(VAR) and $$; hc_free() it */
/* Reads what may be a JSON boolean or number, or a string of one. */
bool apps_flag(const json_t *app, const char *key, bool otherwise);
long apps_number(const json_t *app, const char *key, long otherwise);
const char *apps_text(const json_t *app, const char *key);          /* "" when it is not there */

#endif
