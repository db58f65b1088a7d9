#include "admit.h"

#include <assert.h>
#include <string.h>

#define TOKEN_DIGITS  32

const char *admit_why_word(enum admit_why why)
{
    static const char *const words[ADMIT_WHYS] = {
        [ADMIT_TOKEN] = "token", [ADMIT_OBSERVE] = "observe", [ADMIT_MAINTENANCE] = "maintenance", [ADMIT_UNCLEAR] = "unclear",
        [ADMIT_BY_CLUSTER] = "cluster", [ADMIT_CLUSTER_SILENT] = "cluster_silent", [REFUSE_SECOND_LAUNCH] = "second_launch",
        [REFUSE_STALE_EPOCH] = "stale_epoch", [REFUSE_NO_LEASE] = "no_lease", [REFUSE_WRONG_CLIENT] = "wrong_client",
    };
    assert((size_t)why < ADMIT_WHYS);
    return words[why];
}

bool admit_is_refusal(enum admit_why why)
{
    return why >= REFUSE_SECOND_LAUNCH;
}

const char *app_token_in(const char *app)
{
    const char *mark = strrchr(app, '#');
    bool token = mark != NULL && strlen(mark + 1) == TOKEN_DIGITS && strspn(mark + 1, "0123456789abcdef") == TOKEN_DIGITS;
    return token ? mark + 1 : "";
}

static struct admission decided(enum admit_why why, bool enforce)
{
    struct admission made = { .verdict = ADMIT, .why = why, .would = why };
    if (admit_is_refusal(why)) {
        made.verdict = enforce ? REFUSE : ADMIT;
        made.why = enforce ? why : ADMIT_OBSERVE;
    }
    return made;
}

/* A fork of the host that names its client: then the client must be the lease's. Upstream names nobody. */
static bool other_client(const struct launch *launch, const struct desired_slot *slot)
{
    return launch->client_uuid[0] != '\0' && slot->sunshine_client_uuid[0] != '\0' &&
           strcmp(launch->client_uuid, slot->sunshine_client_uuid) != 0;
}

/* By the token in the application's name: the lease of that token is the slot's, or it is nobody's any more. */
static enum admit_why by_token(const struct launch *launch, const struct desired_slot *slot)
{
    if (!hc_among(slot->app_entries.items, slot->app_entries.count, launch->app))
        return REFUSE_NO_LEASE;
    return other_client(launch, slot) ? REFUSE_WRONG_CLIENT : ADMIT_TOKEN;
}

struct admission admit_launch(const struct launch *launch, const struct admit_facts *facts)
{
    const struct desired *desired = facts->desired;
    const struct desired_slot *slot = desired == NULL ? NULL : desired_slot_of(desired, launch->slot);
    bool enforce = desired != NULL && desired->enforce == DIRECTIVE_ENFORCE;
    struct admission made;
    bool left_over = facts->session_open && facts->host == HOST_STATE_FREE;
    if (facts->session_open && facts->host == HOST_STATE_BUSY)
        made = decided(REFUSE_SECOND_LAUNCH, enforce);
    else if (facts->session_open && !left_over)
        made = decided(ADMIT_UNCLEAR, enforce);         /* the host does not say: a missed end must not lock the slot */
    else if (desired != NULL && desired->maintenance)
        made = decided(ADMIT_MAINTENANCE, enforce);
    else if (slot == NULL || facts->directive_age_ms > facts->directive_fresh_ms)
        made = decided(ADMIT_UNCLEAR, enforce);         /* what we know is too old to refuse anybody by it */
    else if (facts->below_floor)
        made = decided(app_token_in(launch->app)[0] != '\0' ? REFUSE_STALE_EPOCH : ADMIT_UNCLEAR, enforce);
    else if (app_token_in(launch->app)[0] != '\0')
        made = decided(by_token(launch, slot), enforce);
    else
        made = (struct admission){ .verdict = ASK_CLUSTER, .why = ADMIT_UNCLEAR, .would = ADMIT_UNCLEAR };
    made.forget_session = left_over;
    return made;
}

struct admission admit_after_answer(const struct admission *asked, long status, bool enforce)
{
    assert(asked->verdict == ASK_CLUSTER);
    struct admission made = decided(status == 201 ? ADMIT_BY_CLUSTER : status == 409 ? REFUSE_NO_LEASE : ADMIT_CLUSTER_SILENT, enforce);
    made.forget_session = asked->forget_session;
    return made;
}
