#include "web.h"

#include <string.h>

#include "hydra/base/arena.h"
#include "app.h"
#include "clients.h"
#include "pairing.h"
#include "session.h"
#include "state.h"

json_t *web_clients_list(const struct web_call *call)
{
    struct host *host = call->host;
    json_t *rows = json_array();
    host_lock(host);
    for (size_t i = 0; i < host->client_count; i++) {
        json_t *row = json_pack("{s:s, s:s}", "name", host->clients[i].name, "uuid", host->clients[i].uuid);
        if (host->version->enabled_flag)
            (void)json_object_set_new(row, "enabled", json_boolean(host->clients[i].enabled));
        (void)json_array_append_new(rows, row);
    }
    host_unlock(host);
    return json_pack("{s:o, s:b}", "named_certs", rows, "status", 1);
}

/* Nobody is left: newer releases end the app then. */
static void after_unpair(struct host *host, bool none_left)
{
    if (none_left && host->version->last_unpair_ends_app)
        (void)app_terminate(host);
}

static void remove_all(struct host *host)
{
    host_lock(host);
    while (host->client_count > 0)
        clients_remove(host, &host->clients[host->client_count - 1]);
    state_write(host);
    host_unlock(host);
}

json_t *web_clients_unpair(const struct web_call *call)
{
    struct host *host = call->host;
    if (host->version->channels) {                      /* the old meaning of this path: all of them, whatever the body says */
        remove_all(host);
        return web_status(true);
    }
    const char *uuid = json_string_value(json_object_get(call->body, "uuid"));
    if (uuid == NULL)
        return web_error(call, 400, "key 'uuid' not found");
    host_lock(host);
    struct client *client = clients_by_uuid(host, uuid);
    bool removed = client != NULL;
    if (removed) {
        clients_remove(host, client);
        state_write(host);
    }
    bool none_left = removed && host->client_count == 0;
    host_unlock(host);
    after_unpair(host, none_left);
    return web_status(removed);
}

json_t *web_clients_unpair_all(const struct web_call *call)
{
    remove_all(call->host);
    (void)app_terminate(call->host);
    return web_status(true);
}

json_t *web_clients_update(const struct web_call *call)
{
    struct host *host = call->host;
    const char *uuid = json_string_value(json_object_get(call->body, "uuid"));
    const json_t *enabled = json_object_get(call->body, "enabled");
    if (uuid == NULL || !json_is_boolean(enabled))
        return web_error(call, 400, "uuid and enabled are needed");
    host_lock(host);
    struct client *client = clients_by_uuid(host, uuid);
    bool found = client != NULL, idle = false;
    if (found) {
        client->enabled = json_is_true(enabled);
        state_write(host);
        if (!client->enabled) {
            if (host->version->disable == DISABLE_ENDS_ONE)
                (void)session_end_of(host, client->pem);
            else
                (void)session_end_all(host);
            idle = session_count(host) == 0;
        }
    }
    host_unlock(host);
    if (idle)
        (void)app_terminate(host);                      /* even an app that the disabled client had nothing to do with */
    return web_status(found);
}

json_t *web_pin(const struct web_call *call)
{
    const char *pin = json_string_value(json_object_get(call->body, "pin"));
    const char *name = json_string_value(json_object_get(call->body, "name"));
    if (pin == NULL)
        return web_error(call, 400, "key 'pin' not found");
    if (pin[0] == '\0' || pin[strspn(pin, "0123456789")] != '\0')
        return web_error(call, 400, "The PIN must be numeric");
    return web_status(pairing_pin(call->host, pin, name == NULL ? "" : name));
}
