/* ctl.h - hydractl as a child of a test, against the scene's daemon.
 *
 *     struct ran ran = ctl("slots", "--divergent", NULL);
 *     assert_int_equal(ran.code, 4);
 *     ctl_shows(&ran, "b1", "unauthorized_stream");     (one line of its output has both)
 *     ran_free(&ran);
 *
 * Its home is the scene's folder; the admin token lies in admin.token there. */
#ifndef CTL_H
#define CTL_H

#include <jansson.h>

#include "scene.h"

struct ran { int code; char *out, *err; };

void ctl_set_up(void);                          /* after scene_start(): writes the token file; the environment names server and token */
struct ran ctl(const char *first, ...) __attribute__((sentinel));
struct ran ctl_shell(const char *script);       /* with $HYDRACTL the program */
void ran_free(struct ran *ran);
/* Fails the test unless a line of the output has both texts (second may be NULL); prints what it was. */
void ctl_shows(const struct ran *ran, const char *text, const char *second);
bool ctl_says(const struct ran *ran, const char *text);         /* anywhere on stderr */
json_t *ctl_json(const struct ran *ran);        /* the output parsed; to be json_decref'd */
void ctl_good(struct ran ran);                  /* fails the test unless the code is 0; frees it */

/* One that goes on: stdout by the line, stderr in `err_name` of the home. */
void ctl_start(struct process *process, const char *err_name, const char *first, ...) __attribute__((sentinel));
void ctl_start_shell(struct process *process, const char *err_name, const char *script);
/* The next line that holds the text; fails the test when none comes. */
void ctl_waits_line(struct process *process, const char *text);
bool ctl_waits_err(const char *err_name, const char *text);

#endif
