/* node_tokens.c - which node has this token: a map over the committed nodes. When memory for an entry is missing, the table is walked. */
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "engine_state.h"
#include "hydra/base/arena.h"

struct node_token { char hash[HC_HASH_SIZE], node_id[HC_ID_SIZE]; UT_hash_handle hh; };

static void drop(struct engine *e, const struct node_rec *node)
{
    struct node_token *token;
    HASH_FIND_STR(e->tokens, node->token_hash, token);
    if (token == NULL || !hc_same(token->node_id, node->rec.key))
        return;
    HASH_DEL(e->tokens, token);
    hc_free(token);
}

static void add(struct engine *e, const struct node_rec *node)
{
    struct node_token *token = hc_alloc(sizeof *token);
    if (token != NULL) {
        HC_SET(token->hash, node->token_hash);
        HC_SET(token->node_id, node->rec.key);
        HASH_ADD_STR(e->tokens, hash, token);
        if (token->hh.tbl != NULL)
            return;
    }
    hc_free(token);
    e->tokens_incomplete = true;
}

void tokens_change(struct engine *e, const struct node_rec *old, const struct node_rec *now)
{
    if (old != NULL && now != NULL && hc_same(old->token_hash, now->token_hash))
        return;
    if (old != NULL && old->token_hash[0] != '\0')
        drop(e, old);
    if (now != NULL && now->token_hash[0] != '\0')
        add(e, now);
}

void tokens_fill(struct engine *e)
{
    for (size_t i = 0; i < alloc_count(e->committed, REC_NODE); i++)
        tokens_change(e, NULL, (const struct node_rec *)alloc_at(e->committed, REC_NODE, i));
}

void tokens_free(struct engine *e)
{
    struct node_token *token, *next;
    HASH_ITER(hh, e->tokens, token, next) {
        HASH_DEL(e->tokens, token);
        hc_free(token);
    }
}

static const struct node_rec *walk(const struct engine *e, const char *token_hash)
{
    for (size_t i = 0; i < alloc_count(e->committed, REC_NODE); i++) {
        const struct node_rec *node = (const struct node_rec *)alloc_at(e->committed, REC_NODE, i);
        if (hc_same(node->token_hash, token_hash))
            return node;
    }
    return NULL;
}

static const struct node_rec *node_of(const struct engine *e, const char *token_hash)
{
    struct node_token *token;
    HASH_FIND_STR(e->tokens, token_hash, token);
    const struct node_rec *node = token == NULL ? NULL : alloc_node(e->committed, token->node_id);
    if (node != NULL && hc_same(node->token_hash, token_hash))
        return node;
    return e->tokens_incomplete ? walk(e, token_hash) : NULL;
}

bool engine_node_by_token(struct engine *engine, const char *token_hash, char ret_node_id[HC_ID_SIZE], enum approval *ret_approval,
                          uint32_t *ret_roles)
{
    if (token_hash[0] == '\0')
        return false;
    engine_lock(engine);
    const struct node_rec *node = node_of(engine, token_hash);
    bool found = node != NULL;
    if (found) {
        hc_copy(ret_node_id, HC_ID_SIZE, node->rec.key);
        *ret_approval = node->approval;
        *ret_roles = node->roles;
    }
    engine_unlock(engine);
    return found;
}
