/* sunshine.h - client of Sunshine's web API, as every version from v0.23.1 on answers it (rules §12.9, §13).
 *
 * The version comes first: the same path means another thing before v2025.118, so what a version is not known to do is not asked of it
 * (SUNSHINE_CANNOT). No redirect is followed: 307 is "credentials lost". A list that is not a list is unknown, never empty. Blocking calls,
 * each bounded; one thread at a time. The password is wiped with the handle and stands in no message. */
#ifndef HYDRA_SUNSHINE_SUNSHINE_H
#define HYDRA_SUNSHINE_SUNSHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "hydra/base/arena.h"
#include "hydra/base/buf.h"
#include "hydra/base/err.h"
#include "hydra/base/id.h"

#define SUNSHINE_PORT          47990
#define SUNSHINE_ANSWER_MAX    ((size_t)1024 * 1024)
#define SUNSHINE_CLIENTS_MAX   4096
#define SUNSHINE_APPS_MAX      1024
#define SUNSHINE_VERSION_SIZE  65

enum sunshine_outcome {
    SUNSHINE_OK,
    SUNSHINE_REFUSED,               /* it answered, and said no */
    SUNSHINE_CANNOT,                /* this version has no such call, or none that is safe */
    SUNSHINE_BUSY,                  /* not asked: an application runs, and the change would end it (rules §13.4) */
    SUNSHINE_AWAY,                  /* no answer in time */
    SUNSHINE_CREDENTIALS_LOST,      /* 307: it has no user any more */
    SUNSHINE_UNAUTHORIZED,          /* 401, 403: not ours */
    SUNSHINE_UNKNOWN,               /* an answer that makes no sense: HTML, a cut JSON, another shape */
    SUNSHINE_OUTCOMES
};
const char *sunshine_outcome_word(enum sunshine_outcome outcome);

enum sunshine_feature {             /* bits, by version */
    SUNSHINE_NAMES = 1,             /* named clients: list, unpair by uuid, a name with the PIN */
    SUNSHINE_ENABLE = 2,            /* a client has a switch */
    SUNSHINE_ENABLE_ONE = 4         /* and switching it off ends that client's sessions alone */
};
struct sunshine_client { const char *uuid, *name; bool enabled; };
struct sunshine_app { const char *name; size_t index; const char *json; };      /* json: the whole entry, compact */

struct sunshine_access {
    const char *address; uint16_t port;
    const char *username, *password;
    int64_t timeout_ms;
    bool (*idle)(void *ctx); void *idle_ctx;    /* asked right before entries change: true only when no application runs for certain */
};
struct sunshine_api;
HC_MUST enum hc_err sunshine_open(const struct sunshine_access *options, struct sunshine_api **ret_sunshine, struct hc_diag *diag);
struct sunshine_api *sunshine_close(struct sunshine_api *s);        /* accepts NULL, returns NULL */

/* GET /api/config. "" when it answers without a version: then only what a list has proven is possible. Every other call asks for it first
 * when it is not known; it is forgotten with any outcome from SUNSHINE_AWAY on, since a restart may bring another version. */
HC_MUST enum sunshine_outcome sunshine_version(struct sunshine_api *s, char ret_version[SUNSHINE_VERSION_SIZE], unsigned *ret_features,
                                               struct hc_diag *diag);
/* One key of the same answer as text, appended; nothing is appended when it is not set. */
HC_MUST enum sunshine_outcome sunshine_setting(struct sunshine_api *s, const char *key, struct hc_buf *ret_value, struct hc_diag *diag);
unsigned sunshine_features_of(const char *version);         /* "v2026.816.192458", "0.23.1"; 0 for what cannot be read */

/* Newest last. `ret_raw` (may be NULL) gets the answer's text, also of one that makes no sense. Texts are the arena's. */
HC_MUST enum sunshine_outcome sunshine_clients(struct sunshine_api *s, struct hc_arena *arena, const struct sunshine_client **ret_clients,
                                               size_t *ret_count, struct hc_buf *ret_raw, struct hc_diag *diag);
HC_MUST enum sunshine_outcome sunshine_unpair(struct sunshine_api *s, const char *uuid, struct hc_diag *diag);
HC_MUST enum sunshine_outcome sunshine_enable(struct sunshine_api *s, const char *uuid, bool enabled, struct hc_diag *diag);
/* One PIN, once: SUNSHINE_OK says that some pending request took it, SUNSHINE_REFUSED that none did. */
HC_MUST enum sunshine_outcome sunshine_pin(struct sunshine_api *s, const char *pin, const char *name, struct hc_diag *diag);
/* The same every 200 ms while nobody takes it, until `deadline_ms` of os_monotonic_ms(). */
HC_MUST enum sunshine_outcome sunshine_pin_until(struct sunshine_api *s, const char *pin, const char *name, int64_t deadline_ms,
                                                 struct hc_diag *diag);

HC_MUST enum sunshine_outcome sunshine_apps(struct sunshine_api *s, struct hc_arena *arena, const struct sunshine_app **ret_apps,
                                            size_t *ret_count, struct hc_diag *diag);
/* A new entry like `pattern_json` (an entry's text) under `name`. Lists that older versions need are always sent. */
HC_MUST enum sunshine_outcome sunshine_app_add(struct sunshine_api *s, const char *pattern_json, const char *name, struct hc_diag *diag);
/* Removes the first entry of that name; SUNSHINE_OK also when there is none. The list is read right before: positions move. */
HC_MUST enum sunshine_outcome sunshine_app_remove(struct sunshine_api *s, const char *name, struct hc_diag *diag);
/* Ends the running application and every session. The caller has made sure that no leased one is live (rules §13.7). */
HC_MUST enum sunshine_outcome sunshine_close_app(struct sunshine_api *s, struct hc_diag *diag);
/* Often without an answer: SUNSHINE_AWAY is then as good as SUNSHINE_OK. */
HC_MUST enum sunshine_outcome sunshine_restart(struct sunshine_api *s, struct hc_diag *diag);

#endif
