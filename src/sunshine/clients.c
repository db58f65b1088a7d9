/* clients.c - the paired clients: list, unpair one, its switch, a PIN for a new one. */
#include <string.h>

#include "hydra/os/clock.h"
#include "web.h"

#define PIN_EVERY_MS 200

static enum sunshine_outcome needs(struct sunshine_api *s, unsigned feature, const char *what, struct hc_diag *diag)
{
    enum sunshine_outcome outcome = web_ready(s, diag);
    if (outcome != SUNSHINE_OK || (s->features & feature) != 0)
        return outcome;
    (void)hc_fail(diag, HC_OK, "Sunshine %s cannot %s", s->version[0] == '\0' ? "of an unknown version" : s->version, what);
    return SUNSHINE_CANNOT;
}

/* Without uuid it cannot be named; without a text for it the list is none that we know. */
static bool read_client(const json_t *row, struct hc_arena *arena, struct sunshine_client *client)
{
    const char *uuid = json_string_value(json_object_get(row, "uuid")), *name = json_string_value(json_object_get(row, "name"));
    const json_t *enabled = json_object_get(row, "enabled");
    if (uuid == NULL)
        return false;
    client->uuid = hc_arena_strdup(arena, uuid);
    client->name = hc_arena_strdup(arena, name == NULL ? "" : name);
    client->enabled = enabled == NULL || web_true(enabled);
    return client->uuid != NULL && client->name != NULL;
}

/* An array; the early JSON of all texts writes an empty one as "". */
bool web_named(const json_t *answer, struct hc_arena *arena, struct sunshine_client **ret_clients, size_t *ret_count)
{
    const json_t *list = json_object_get(answer, "named_certs");
    const char *text = json_string_value(list);
    size_t count = json_array_size(list);
    if ((!json_is_array(list) && (text == NULL || text[0] != '\0')) || count > SUNSHINE_CLIENTS_MAX)
        return false;
    struct sunshine_client *clients = hc_arena_array(arena, count + 1, sizeof *clients);
    for (size_t i = 0; i < count; i++)
        if (clients == NULL || !read_client(json_array_get(list, i), arena, &clients[i]))
            return false;
    *ret_clients = clients;
    *ret_count = count;
    return clients != NULL;
}

enum sunshine_outcome sunshine_clients(struct sunshine_api *s, struct hc_arena *arena, const struct sunshine_client **ret_clients,
                                       size_t *ret_count, struct hc_buf *ret_raw, struct hc_diag *diag)
{
    json_t *answer = NULL;
    struct sunshine_client *clients = NULL;
    size_t count = 0;
    enum sunshine_outcome outcome = needs(s, SUNSHINE_NAMES, "list its clients", diag);
    if (outcome == SUNSHINE_OK)
        outcome = web_call(s, "GET", "/api/clients/list", NULL, &answer, ret_raw, diag);
    if (outcome == SUNSHINE_OK && !web_named(answer, arena, &clients, &count)) {
        (void)hc_fail(diag, HC_OK, "Sunshine's list of clients is no list that we know: it is unknown, not empty");
        outcome = SUNSHINE_UNKNOWN;
        s->version_known = false;
    }
    json_decref(answer);
    if (outcome == SUNSHINE_OK) {
        *ret_clients = clients;
        *ret_count = count;
    }
    return outcome;
}

static enum sunshine_outcome order(struct sunshine_api *s, const char *path, json_t *body, struct hc_diag *diag)
{
    if (body == NULL) {
        (void)hc_fail(diag, HC_OK, "no memory for the call, or a text in it is not UTF-8");
        return SUNSHINE_AWAY;
    }
    enum sunshine_outcome outcome = web_order(s, "POST", path, body, diag);
    json_decref(body);
    return outcome;
}

enum sunshine_outcome sunshine_unpair(struct sunshine_api *s, const char *uuid, struct hc_diag *diag)
{
    enum sunshine_outcome outcome = needs(s, SUNSHINE_NAMES, "unpair one client: it would unpair all", diag);
    return outcome != SUNSHINE_OK ? outcome : order(s, "/api/clients/unpair", json_pack("{s:s}", "uuid", uuid), diag);
}

enum sunshine_outcome sunshine_enable(struct sunshine_api *s, const char *uuid, bool enabled, struct hc_diag *diag)
{
    enum sunshine_outcome outcome = needs(s, SUNSHINE_ENABLE, "switch a client", diag);
    return outcome != SUNSHINE_OK ? outcome
                                  : order(s, "/api/clients/update", json_pack("{s:s, s:b}", "uuid", uuid, "enabled", (int)enabled), diag);
}

enum sunshine_outcome sunshine_pin(struct sunshine_api *s, const char *pin, const char *name, struct hc_diag *diag)
{
    enum sunshine_outcome outcome = web_ready(s, diag);
    return outcome != SUNSHINE_OK ? outcome : order(s, "/api/pin", json_pack("{s:s, s:s}", "pin", pin, "name", name), diag);
}

enum sunshine_outcome sunshine_pin_until(struct sunshine_api *s, const char *pin, const char *name, int64_t deadline_ms,
                                         struct hc_diag *diag)
{
    for (;;) {
        enum sunshine_outcome outcome = sunshine_pin(s, pin, name, diag);
        if (outcome != SUNSHINE_REFUSED || os_monotonic_ms() + PIN_EVERY_MS > deadline_ms)
            return outcome;
        os_pause_ms(PIN_EVERY_MS);      /* its request has not arrived yet: there is no other way to know */
    }
}
