/* exchange_view.h - how one exchange looks in docs/API-EXAMPLES.md. */
#ifndef EXCHANGE_VIEW_H
#define EXCHANGE_VIEW_H

#include "exchange.h"

/* `head`: from the status on, without the empty line at its end. */
struct view_answer { long status; const char *head, *body; size_t len; json_t *json; };

/* Markdown, from the heading of the route on; hc_free() it. */
char *exchange_view(const struct asked *asked, const char *path, const struct view_answer *answer);

#endif
