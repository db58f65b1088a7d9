/* version.h - what the releases of Sunshine do differently; one row per release, one column per difference. */
#ifndef VERSION_H
#define VERSION_H

#include <stdbool.h>

enum content_rule { CONTENT_NONE, CONTENT_POST_DELETE, CONTENT_POST, CONTENT_BODY };   /* which calls must name their content type */
enum disable_rule { DISABLE_MISSING, DISABLE_ENDS_ALL, DISABLE_ENDS_ONE };             /* whose sessions end with `enabled: false` */

struct version {
    const char *word;               /* of --version */
    const char *full;               /* what the web API says */
    bool display_modes;             /* SupportedDisplayMode in /serverinfo */
    bool channels;                  /* one session at most; /cancel is refused while one is up; unpair takes no uuid and means all */
    bool phases;                    /* pairing steps must come in order */
    bool waits_for_close;           /* 47984: the answer is followed by a TLS shutdown that waits for the client */
    bool sorts_apps;
    bool http_errors;               /* the web API uses HTTP statuses */
    bool text_json;                 /* every scalar is a string, an empty list is "" */
    bool needs_prep_list;           /* POST /api/apps fails without prep-cmd and detached */
    bool surround_params;
    bool any_issued_leaf;           /* CVE-2026-32253: a leaf of any CA is let in once somebody is paired */
    bool csrf;
    bool enabled_flag;
    bool last_unpair_ends_app;
    bool says_failed;               /* "failed with code" in the log, later "exited with code" */
    bool dashed_log;                /* dates in the log are written 2025-01-31, before 2025:01:31 */
    enum content_rule content;
    enum disable_rule disable;
};

const struct version *version_find(const char *word);       /* NULL: no such row */
const char *version_words(void);                            /* all words, for the usage text */

#endif
