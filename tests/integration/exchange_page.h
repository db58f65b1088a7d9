/* exchange_page.h - docs/API-EXAMPLES.md, whose exchanges are those that the test has had with a real daemon. */
#ifndef EXCHANGE_PAGE_H
#define EXCHANGE_PAGE_H

#include <stdbool.h>
#include <stddef.h>

struct page_route { char route[160]; bool of_page; };       /* "GET /api/v1/slots"; of the operator page */

/* Fails the test when a route of these was not asked, when another was, or when the page says otherwise: with the first line that differs.
 * HYDRA_GOLDEN_UPDATE=1 writes the page. */
void exchange_page_check(const struct page_route *routes, size_t count);

#endif
