/* node_row.h - a node as /nodes and /heads show it. */
#ifndef API_NODE_ROW_H
#define API_NODE_ROW_H

#include "call.h"

/* The record of wire §1: name, district, body_version, online, status and arch are what shipping readers want. */
void node_row(const struct core_view *view, const struct node_rec *node, struct hc_buf *out);
bool node_roles(const struct codec_list *words, uint32_t *ret_roles);      /* false: a word that is no role, or none */

#endif
