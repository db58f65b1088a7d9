/* identity_lost.c - the clients that bodies had of a head when its identity was revoked: they stay lost whatever is registered for that
 * head later, because who carries the lost device still has their key (rules §12.5). */
#include <string.h>

#include "identity_lost.h"

struct losing { struct paired_client at[LOST_MAX]; size_t count; };

static void lose(struct losing *l, const char *uuid, const char *name, hc_time first_seen)
{
    for (size_t i = 0; i < l->count; i++)
        if (hc_same(l->at[i].uuid, uuid))
            return;
    if (uuid[0] == '\0' || l->count == LOST_MAX)
        return;
    struct paired_client *client = &l->at[l->count++];
    HC_SET(client->uuid, uuid);
    HC_SET(client->name, name);
    client->first_seen = first_seen;
}

static void lose_all(struct losing *l, const struct paired *paired)
{
    for (size_t i = 0; paired != NULL && i < paired->count; i++)
        lose(l, paired->at[i].uuid, paired->at[i].name, paired->at[i].first_seen);
}

/* What it shows now, and what the custodian's last list had of it. */
static void lose_on(struct losing *l, const struct step *s, const struct body_rec *body, const char *head_id)
{
    const struct body_obs *obs = observed_body(s->obs, body->rec.key);
    for (size_t i = 0; obs != NULL && i < obs->client_count; i++) {
        const struct paired_client *known = paired_find(body->paired, obs->clients[i].uuid);
        if (hc_same(client_head(obs->clients[i].name), head_id))
            lose(l, obs->clients[i].uuid, obs->clients[i].name, known == NULL ? s->now : known->first_seen);
    }
    for (size_t i = 0; body->paired != NULL && i < body->paired->count; i++)
        if (hc_same(client_head(body->paired->at[i].name), head_id))
            lose(l, body->paired->at[i].uuid, body->paired->at[i].name, body->paired->at[i].first_seen);
}

static enum hc_err keep(struct identity_rec *identity, const struct losing *l)
{
    if (l->count == (identity->lost == NULL ? 0 : identity->lost->count))      /* they only grow */
        return HC_OK;
    struct paired *lost = paired_new(l->at, l->count);
    if (lost == NULL)
        return HC_ERR_NOMEM;
    paired_unref(identity->lost);
    identity->lost = lost;
    return HC_OK;
}

enum hc_err identity_lose_clients(struct step *s, struct identity_rec *identity)
{
    struct losing *l = hc_arena_alloc(&s->out->arena, sizeof *l);
    if (l == NULL)
        return HC_ERR_NOMEM;
    l->count = 0;
    lose_all(l, identity->lost);
    for (size_t i = 0; i < alloc_count(s->live, REC_BODY); i++)
        lose_on(l, s, (const struct body_rec *)alloc_at(s->live, REC_BODY, i), identity->rec.key);
    return keep(identity, l);
}

enum hc_err identity_lose_too(struct step *s, struct identity_rec *identity, const struct paired *others)
{
    struct losing *l = hc_arena_alloc(&s->out->arena, sizeof *l);
    if (l == NULL)
        return HC_ERR_NOMEM;
    l->count = 0;
    lose_all(l, identity->lost);
    lose_all(l, others);
    return keep(identity, l);
}
