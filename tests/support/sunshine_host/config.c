#include "config.h"

#include <string.h>

#include "hydra/base/arena.h"
#include "state.h"

#define FILE_NAME "sunshine.conf"

static char *trimmed(char *text)
{
    text += strspn(text, " \t");
    size_t len = strlen(text);
    while (len > 0 && strchr(" \t\r", text[len - 1]) != NULL)
        text[--len] = '\0';
    return text;
}

json_t *config_file(const struct host *host)
{
    char path[HOST_PATH_SIZE], *text = NULL;
    json_t *values = json_object();
    host_path(host, FILE_NAME, path);
    if (!state_read_file(path, &text))
        return values;
    char *rest = text;
    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
        char *value = strchr(line, '=');
        if (value == NULL || line[strspn(line, " \t")] == '#')
            continue;
        *value++ = '\0';
        (void)json_object_set_new(values, trimmed(line), json_string(trimmed(value)));
    }
    hc_free(text);
    return values;
}

bool config_write(const struct host *host, const json_t *values)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    char path[HOST_PATH_SIZE];
    const char *key;
    json_t *value;
    host_path(host, FILE_NAME, path);
    hc_buf_str(&text, "");
    json_object_foreach((json_t *)(uintptr_t)values, key, value)
        if (json_is_string(value) && json_string_length(value) > 0)
            hc_buf_printf(&text, "%s = %s\n", key, json_string_value(value));
    return state_write_file(path, text.data == NULL ? "" : text.data);
}

json_t *config_global_preps(const struct host *host)
{
    json_t *values = config_file(host);
    const char *text = json_string_value(json_object_get(values, "global_prep_cmd"));
    json_t *preps = text == NULL ? NULL : json_loads(text, 0, NULL);
    json_decref(values);
    if (json_is_array(preps))
        return preps;
    json_decref(preps);
    return json_array();
}
