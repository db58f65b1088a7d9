/* version.c - what a version can do: rows, the first release with the behaviour. */
#include <stdlib.h>
#include <string.h>

#include "web.h"

struct number { unsigned long part[3]; };
static const struct { struct number since; enum sunshine_feature feature; } feature_rows[] = {
    { { { 2025, 118, 151840 } }, SUNSHINE_NAMES },
    { { { 2026, 516, 143833 } }, SUNSHINE_ENABLE },
    { { { 2026, 816, 192458 } }, SUNSHINE_ENABLE_ONE },
};

/* "v2026.516.143833", "0.23.1", "2025.118.151840-dirty": three numbers, and what follows is not read. */
static bool read_number(const char *version, struct number *ret)
{
    const char *at = version + (version[0] == 'v');
    for (size_t i = 0; i < 3; i++) {
        char *end = NULL;
        if (*at < '0' || *at > '9')
            return false;
        ret->part[i] = strtoul(at, &end, 10);
        if (i < 2 && *end != '.')
            return false;
        at = end + (i < 2);
    }
    return true;
}

static bool not_before(const struct number *a, const struct number *b)
{
    for (size_t i = 0; i < 3; i++)
        if (a->part[i] != b->part[i])
            return a->part[i] > b->part[i];
    return true;
}

unsigned sunshine_features_of(const char *version)
{
    struct number number;
    unsigned features = 0;
    if (!read_number(version, &number))
        return 0;
    for (size_t i = 0; i < sizeof feature_rows / sizeof feature_rows[0]; i++)
        if (not_before(&number, &feature_rows[i].since))
            features |= (unsigned)feature_rows[i].feature;
    return features;
}

void web_version(const json_t *answer, char ret_version[SUNSHINE_VERSION_SIZE])
{
    const char *version = json_string_value(json_object_get(answer, "version"));
    bool fits = version != NULL && strlen(version) < SUNSHINE_VERSION_SIZE;
    hc_copy(ret_version, SUNSHINE_VERSION_SIZE, fits ? version : "");
}

enum sunshine_outcome web_ready(struct sunshine_api *s, struct hc_diag *diag)
{
    if (s->version_known)
        return SUNSHINE_OK;
    json_t *answer = NULL;
    enum sunshine_outcome outcome = web_call(s, "GET", "/api/config", NULL, &answer, NULL, diag);
    if (outcome == SUNSHINE_OK) {
        web_version(answer, s->version);
        s->features = sunshine_features_of(s->version);
        s->version_known = true;
    }
    json_decref(answer);
    return outcome;
}

enum sunshine_outcome sunshine_version(struct sunshine_api *s, char ret_version[SUNSHINE_VERSION_SIZE], unsigned *ret_features,
                                       struct hc_diag *diag)
{
    s->version_known = false;
    enum sunshine_outcome outcome = web_ready(s, diag);
    if (outcome == SUNSHINE_OK) {
        hc_copy(ret_version, SUNSHINE_VERSION_SIZE, s->version);
        *ret_features = s->features;
    }
    return outcome;
}

enum sunshine_outcome sunshine_setting(struct sunshine_api *s, const char *key, struct hc_buf *ret_value, struct hc_diag *diag)
{
    json_t *answer = NULL;
    enum sunshine_outcome outcome = web_call(s, "GET", "/api/config", NULL, &answer, NULL, diag);
    const char *value = outcome == SUNSHINE_OK ? json_string_value(json_object_get(answer, key)) : NULL;
    if (value != NULL)
        hc_buf_str(ret_value, value);
    json_decref(answer);
    return outcome;
}
