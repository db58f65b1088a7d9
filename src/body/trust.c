#include "trust.h"

#include <string.h>

static bool client_is_ours(const char *name)
{
    return strncmp(name, OUR_CLIENT_PREFIX, sizeof OUR_CLIENT_PREFIX - 1) == 0 && hc_id_ok(name + sizeof OUR_CLIENT_PREFIX - 1);
}

static bool wanted(const struct trust *trust, const char *uuid)
{
    const struct trusted_client *clients = trust->desired_clients.items;
    for (size_t i = 0; i < trust->desired_clients.count; i++)
        if (strcmp(clients[i].uuid, uuid) == 0)
            return true;
    return false;
}

static bool has_newer(const struct trust_facts *facts, size_t of)
{
    for (size_t i = of + 1; i < facts->client_count; i++)
        if (strcmp(facts->clients[i].name, facts->clients[of].name) == 0)
            return true;
    return false;
}

static bool goes(const struct trust_facts *facts, size_t i)
{
    const struct host_client *client = &facts->clients[i];
    if (client->uuid[0] == '\0' || hc_among(facts->in_use, facts->in_use_count, client->uuid))
        return false;
    if (hc_among(facts->trust->remove.items, facts->trust->remove.count, client->uuid))
        return true;
    return client_is_ours(client->name) && has_newer(facts, i) && !wanted(facts->trust, client->uuid);
}

enum hc_err trust_removals(const struct trust_facts *facts, struct hc_arena *arena, const char *const **ret_uuids, size_t *ret_count)
{
    const char **uuids = hc_arena_array(arena, facts->client_count + 1, sizeof *uuids);
    size_t count = 0;
    if (uuids == NULL)
        return HC_ERR_NOMEM;
    for (size_t i = 0; facts->known && facts->trust != NULL && i < facts->client_count; i++)
        if (goes(facts, i))
            uuids[count++] = facts->clients[i].uuid;
    *ret_uuids = uuids;
    *ret_count = count;
    return HC_OK;
}
