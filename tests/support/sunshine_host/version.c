#include "version.h"

#include <stddef.h>
#include <string.h>

static const struct version versions[] = {
    { .word = "v0.23.1", .full = "0.23.1", .display_modes = true, .channels = true, .text_json = true, .needs_prep_list = true,
      .any_issued_leaf = true, .says_failed = true },
    { .word = "v2025.118", .full = "2025.118.151840", .phases = true, .waits_for_close = true, .sorts_apps = true, .http_errors = true,
      .text_json = true, .needs_prep_list = true, .surround_params = true, .any_issued_leaf = true, .says_failed = true,
      .dashed_log = true },
    { .word = "v2025.628", .full = "2025.628.4510", .phases = true, .waits_for_close = true, .sorts_apps = true, .http_errors = true,
      .surround_params = true, .any_issued_leaf = true, .says_failed = true, .dashed_log = true, .content = CONTENT_POST_DELETE },
    { .word = "v2025.924", .full = "2025.924.154138", .phases = true, .waits_for_close = true, .sorts_apps = true, .http_errors = true,
      .surround_params = true, .any_issued_leaf = true, .says_failed = true, .dashed_log = true, .content = CONTENT_POST },
    { .word = "v2026.516", .full = "2026.516.143833", .phases = true, .waits_for_close = true, .sorts_apps = true, .http_errors = true,
      .surround_params = true, .csrf = true, .enabled_flag = true, .last_unpair_ends_app = true, .dashed_log = true,
      .content = CONTENT_BODY, .disable = DISABLE_ENDS_ALL },
    { .word = "v2026.816", .full = "2026.816.192458", .phases = true, .waits_for_close = true, .sorts_apps = true, .http_errors = true,
      .surround_params = true, .csrf = true, .enabled_flag = true, .last_unpair_ends_app = true, .dashed_log = true,
      .content = CONTENT_BODY, .disable = DISABLE_ENDS_ONE },
};

const struct version *version_find(const char *word)
{
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++)
        if (strcmp(versions[i].word, word) == 0)
            return &versions[i];
    return NULL;
}

const char *version_words(void)
{
    return "v0.23.1 v2025.118 v2025.628 v2025.924 v2026.516 v2026.816";
}
