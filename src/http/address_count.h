/* address_count.h - how many connections each source address has open. */
#ifndef HYDRA_SRC_HTTP_ADDRESS_COUNT_H
#define HYDRA_SRC_HTTP_ADDRESS_COUNT_H

#include "hydra/base/err.h"

#include "peer.h"

struct address_count;

/* Room for `addresses` different ones; the caller never counts more. NULL: no memory. */
struct address_count *address_count_new(unsigned addresses);
void address_count_free(struct address_count *counts);      /* accepts NULL */
unsigned address_count_get(const struct address_count *counts, const struct http_address *address);
void address_count_add(struct address_count *counts, const struct http_address *address);
void address_count_drop(struct address_count *counts, const struct http_address *address);   /* asserts that it was added */

#endif
