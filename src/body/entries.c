#include "entries.h"

#include <string.h>

#include "hydra/base/id.h"

#include "admit.h"

/* The experience whose pattern an entry of this name has; NULL: the entry is not ours. */
static const char *pattern_of(const struct entries_facts *facts, const char *name)
{
    const char *token = app_token_in(name);
    size_t len = token[0] == '\0' ? strlen(name) : (size_t)(token - 1 - name);
    for (size_t i = 0; i < facts->experience_count; i++)
        if (strlen(facts->experiences[i]) == len && strncmp(facts->experiences[i], name, len) == 0)
            return facts->experiences[i];
    return NULL;
}

static bool is_double(const struct entries_facts *facts, size_t of)
{
    for (size_t i = 0; i < of; i++)
        if (strcmp(facts->published[i], facts->published[of]) == 0)
            return true;
    return false;
}

enum hc_err entries_plan(const struct entries_facts *facts, struct hc_arena *arena, struct entry_change **ret_changes, size_t *ret_count,
                         const char **ret_missing)
{
    struct entry_change *changes = hc_arena_array(arena, facts->wanted_count + facts->published_count + 1, sizeof *changes);
    size_t count = 0;
    if (changes == NULL)
        return HC_ERR_NOMEM;
    *ret_missing = NULL;
    for (size_t i = 0; i < facts->published_count; i++) {
        const char *name = facts->published[i], *pattern = pattern_of(facts, name);
        if (pattern != NULL && (!hc_among(facts->wanted, facts->wanted_count, name) || is_double(facts, i)))
            changes[count++] = (struct entry_change){ .name = name, .pattern = pattern };
    }
    for (size_t i = 0; i < facts->wanted_count; i++) {
        const char *name = facts->wanted[i], *pattern = pattern_of(facts, name);
        if (hc_among(facts->published, facts->published_count, name))
            continue;
        if (pattern == NULL)
            *ret_missing = name;
        else
            changes[count++] = (struct entry_change){ .add = true, .name = name, .pattern = pattern };
    }
    *ret_changes = changes;
    *ret_count = count;
    return HC_OK;
}
