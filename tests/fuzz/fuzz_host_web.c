/* fuzz_host_web.c - what Sunshine's web API answers: the first letter chooses the reader, the rest is the answer. A list that is no list is
 * unknown, never empty; what is read can be named and sent back. */
#include <stdlib.h>
#include <string.h>

#include "../../src/sunshine/web.h"
#include "fuzz_target.h"

static void clients(const json_t *answer, struct hc_arena *arena)
{
    struct sunshine_client *list = NULL;
    size_t count = 0;
    bool known = web_named(answer, arena, &list, &count);
    if (known && json_object_get(answer, "named_certs") == NULL)
        abort();                                        /* an answer without a list was taken for an empty one */
    for (size_t i = 0; known && i < count; i++)
        if (list[i].uuid == NULL || list[i].name == NULL)
            abort();
}

static void apps(const json_t *answer, struct hc_arena *arena)
{
    struct sunshine_app *list = NULL;
    size_t count = 0;
    if (!web_has_apps(answer))
        return;
    if (!web_app_rows(answer, arena, &list, &count))
        abort();
    for (size_t i = 0; i < count; i++) {
        json_t *entry = json_loads(list[i].json, 0, NULL);
        if (list[i].index != i || !json_is_object(entry) || !hc_same(json_string_value(json_object_get(entry, "name")), list[i].name))
            abort();                                    /* an entry that could not be put back as it was */
        json_decref(entry);
    }
}

static void version(const json_t *answer, struct hc_arena *arena)
{
    char text[SUNSHINE_VERSION_SIZE];
    (void)arena;
    web_version(answer, text);
    if (text[0] == '\0' && sunshine_features_of(text) != 0)
        abort();                                        /* nobody told the version, and something is believed of it */
    (void)sunshine_features_of(text);
}

static void status(const json_t *answer, struct hc_arena *arena)
{
    (void)arena;
    if ((web_said(answer) == SUNSHINE_UNKNOWN) != (json_object_get(answer, "status") == NULL))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* The corpus names readers by their place here ('a' is the first): new ones go to the end. */
    static void (*const readers[])(const json_t *answer, struct hc_arena *arena) = { clients, apps, version, status };
    if (size == 0)
        return 0;
    size_t which = (size_t)(data[0] >= 'a' ? data[0] - 'a' : data[0]) % (sizeof readers / sizeof readers[0]);
    struct hc_arena arena = { 0 };
    json_t *answer = web_object((const char *)data + 1, size - 1);
    if (answer != NULL)
        readers[which](answer, &arena);
    json_decref(answer);
    hc_arena_free(&arena);
    return 0;
}
