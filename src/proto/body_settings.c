#include "hydra/proto/body_settings.h"

#include <string.h>

#define RESERVE_TEXT_MAX 16

static const char *const enforce_texts[] = { "observe", "enforce" };
const struct hc_words slots_put_enforce_words = { enforce_texts, sizeof enforce_texts / sizeof enforce_texts[0] };

#define SLOTS(member) offsetof(struct slots_put, member)
static const struct codec_field slots_rows[] = {
    { .key = "slots_total",        .type = CODEC_U32,  .offset = SLOTS(slots_total), .limit = SLOTS_PUT_TOTAL_MAX },
    { .key = "enforce",            .type = CODEC_WORD, .offset = SLOTS(enforce), .words = &slots_put_enforce_words },
    { .key = "maintenance",        .type = CODEC_BOOL, .offset = SLOTS(maintenance) },
    { .key = "home_venue_reserve", .type = CODEC_RAW,  .offset = SLOTS(home_venue_reserve), .limit = RESERVE_TEXT_MAX },
    { .key = "maintenance_clients", .type = CODEC_STRS, .offset = SLOTS(maintenance_clients), .limit = SLOTS_PUT_CLIENTS_MAX,
      .item_limit = HC_NAME_MAX },
};
const struct codec_table slots_put_table = CODEC_TABLE("slots", slots_rows, struct slots_put, SLOTS(present));

#define DRAIN(member) offsetof(struct drain_put, member)
static const struct codec_field drain_rows[] = {
    { .key = "deadline_seconds", .type = CODEC_SECONDS, .offset = DRAIN(deadline_ms), .limit = DRAIN_DEADLINE_MAX_S },
    { .key = "dry_run",          .type = CODEC_BOOL,    .offset = DRAIN(dry_run) },
};
const struct codec_table drain_put_table = CODEC_TABLE("drain", drain_rows, struct drain_put, DRAIN(present));

bool slots_put_reserve(const char *json, int32_t *ret_reserve)
{
    int32_t value = 0;
    if (strcmp(json, "\"auto\"") == 0) {
        *ret_reserve = SLOTS_PUT_RESERVE_AUTO;
        return true;
    }
    size_t len = strlen(json);
    if (len == 0 || len > 2 || strspn(json, "0123456789") != len)
        return false;
    for (size_t i = 0; i < len; i++)
        value = value * 10 + (json[i] - '0');
    *ret_reserve = value;
    return value <= SLOTS_PUT_TOTAL_MAX;
}
