/* lease_graph.h - the table of lease transitions as text and as a picture, for docs/STATES.md and docs/lease-states.svg. */
#ifndef TEST_LEASE_GRAPH_H
#define TEST_LEASE_GRAPH_H

#include "hydra/base/buf.h"

void lease_graph_markdown(struct hc_buf *out);      /* a diagram and a table with every row */
void lease_graph_svg(struct hc_buf *out);           /* every live state with its rows, arrows between live states */

#endif
