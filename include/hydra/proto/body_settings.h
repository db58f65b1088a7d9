/* body_settings.h - PUT /nodes/{id}/slots and POST /nodes/{id}/drain (wire §1). */
#ifndef HYDRA_PROTO_BODY_SETTINGS_H
#define HYDRA_PROTO_BODY_SETTINGS_H

#include "hydra/base/id.h"
#include "hydra/codec/field.h"

#define SLOTS_PUT_TOTAL_MAX     16
#define SLOTS_PUT_RESERVE_AUTO  (-1)
#define SLOTS_PUT_CLIENTS_MAX   16
#define DRAIN_DEADLINE_MAX_S    (7 * 24 * 3600)

struct slots_put {
    uint64_t present;
    uint32_t slots_total;
    int enforce;                              /* slots_put_enforce_words */
    bool maintenance;
    const char *home_venue_reserve;           /* JSON text; see slots_put_reserve() */
    struct codec_list maintenance_clients;    /* const char *: names or uuids that a closed gate lets in too */
};
struct drain_put { uint64_t present; int64_t deadline_ms; bool dry_run; };
extern const struct codec_table slots_put_table, drain_put_table;
extern const struct hc_words slots_put_enforce_words;
/* A number from 0 to SLOTS_PUT_TOTAL_MAX, or "auto"; false: neither. */
bool slots_put_reserve(const char *json, int32_t *ret_reserve);

#endif
