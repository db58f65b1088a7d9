/* node_rare.c - the part of a node's record that few nodes have. */
#include <string.h>

#include "hydra/base/arena.h"
#include "hydra/core/records.h"

#include "counted.h"

static const struct node_rare nothing;

const struct stream_block *node_stream(const struct node_rec *node)
{
    return node->rare == NULL ? &nothing.stream : &node->rare->stream;
}

const struct xr_session *node_xr(const struct node_rec *node)
{
    return node->rare == NULL ? &nothing.xr_session : &node->rare->xr_session;
}

struct node_rare *node_rare_ref(struct node_rare *rare)
{
    return counted_ref(rare);
}

void node_rare_unref(struct node_rare *rare)
{
    if (counted_was_last(rare))
        hc_free(rare);
}

static bool has_stream(const struct stream_block *block)
{
    return block->stream_url[0] != '\0' || block->stream_url_lan[0] != '\0' || block->stream_app_id[0] != '\0' ||
        block->stream_mode[0] != '\0';
}

static enum hc_err replace(struct node_rec *node, const struct stream_block *stream, const struct xr_session *session)
{
    struct node_rare *rare = NULL;
    if (has_stream(stream) || session->session_id[0] != '\0') {
        rare = hc_alloc(sizeof *rare);
        if (rare == NULL)
            return HC_ERR_NOMEM;
        *rare = (struct node_rare){ .refs = 1, .stream = *stream, .xr_session = *session };
    }
    node_rare_unref(node->rare);
    node->rare = rare;
    return HC_OK;
}

enum hc_err node_set_stream(struct node_rec *node, const struct stream_block *stream)
{
    return replace(node, stream, node_xr(node));
}

enum hc_err node_set_xr(struct node_rec *node, const struct xr_session *session)
{
    return replace(node, node_stream(node), session);
}
