/* exchange.h - one call to the scene's daemon and its answer, kept as a piece of docs/API-EXAMPLES.md.
 *
 *     exchange_start();
 *     struct call call = exchange(&(struct asked){ .route = "GET /api/v1/nodes/{id}", .ids = { head.id }, .who = "admin",
 *                                                  .token = scene.home.admin_token, .says = "An operator looks at one node." });
 *     call_free(&call);
 *     exchange_page_check(routes, count);
 *
 * Each route once; an answer that is neither 2xx nor a redirect, or that docs/openapi.yaml does not describe, fails the test. */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include "hydra/base/buf.h"
#include "scene.h"

enum exchange_show {
    SHOW_WHOLE,                 /* JSON and short texts */
    SHOW_LINES,                 /* the first lines, or with `about` those that have it */
    SHOW_SIZE,                  /* how many bytes of what */
    SHOW_KIND,                  /* of what alone: its size is nobody's business */
    SHOW_TAR,                   /* the files in it */
};

struct asked {
    const char *route;          /* method and pattern, as the daemon's own table has them */
    const char *ids[2];         /* for the pattern's {…}, in order */
    const char *query;          /* "?limit=2"; NULL: none */
    const char *who, *token;    /* the word of the route table, and that one's token; NULL: without */
    const char *says;           /* what the caller wants: one sentence */
    json_t *json;               /* the body; taken over */
    const char *type, *bytes;   /* a body that is no JSON */
    size_t len;
    enum exchange_show show;    /* of the answer */
    const char *about;
    long again;                 /* asked again when this is the status: what it waited for came too late, and is there now */
};

struct exchange_under_way { struct asked asked; int fd; char path[512]; };

void exchange_start(void);
struct call exchange(const struct asked *asked);
/* The same in two steps, for one whose answer waits for other calls. */
void exchange_begin(const struct asked *asked, struct exchange_under_way *ret);
struct call exchange_end(struct exchange_under_way *under_way);

size_t exchange_count(void);
const char *exchange_route(size_t i);
const char *exchange_text(const char *route);       /* NULL: that one was not asked */

#endif
