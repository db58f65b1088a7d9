/* stable_text.h - what is another in every run, replaced by what reads as well and is always the same.
 *
 *     stable_start();
 *     stable_keep(head.id);                            (an id that the test has chosen itself)
 *     stable_shows(home.admin_token, "TOKEN");         (this text, wherever it stands)
 *     json_t *shown = stable_json(call.json);
 *
 * Ids made by the daemon are named in the order in which they come, an id by the same name everywhere; a ticket and its stream share their
 * digits, as they do on the wire. Epochs and reports are counted in that order too, events down from the newest. Instants are told in whole
 * hours from a fixed one; ages and what is left of a time are by their key. */
#ifndef STABLE_TEXT_H
#define STABLE_TEXT_H

#include <jansson.h>

void stable_start(void);
void stable_keep(const char *id);
void stable_shows(const char *text, const char *shown);     /* the first 64 */
char *stable_text(const char *text);                        /* hc_free() it */
json_t *stable_json(const json_t *json);                    /* a new tree */

#endif
