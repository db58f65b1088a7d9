#include "gate.h"

#include <string.h>


/* Its head has paired a moment ago: the directive cannot know that entry yet, and the name is authenticated (rules §12.6). */
static bool is_of_the_lease(const struct desired_slot *slot, const char *name)
{
    size_t prefix = strlen(OUR_CLIENT_PREFIX);
    return slot->head_id[0] != '\0' && strncmp(name, OUR_CLIENT_PREFIX, prefix) == 0 && strcmp(name + prefix, slot->head_id) == 0;
}

/* Everybody, unless the slot's lease has known clients of its own: then those and the maintenance list. */
static bool should_be_let_in(const struct gate_facts *facts, const struct desired_slot *slot, const struct host_client *client)
{
    bool closed = !facts->desired->maintenance && slot->gate.mode == DIRECTIVE_GATE_ENFORCE && slot->gate.enabled.count > 0;
    return !closed || hc_among(slot->gate.enabled.items, slot->gate.enabled.count, client->uuid) ||
           is_of_the_lease(slot, client->name) || hc_among(facts->maintenance, facts->maintenance_count, client->uuid);
}

/* With an application running only strangers of a live session may be shut out, and only where that ends nobody else. */
static bool may_flip(const struct gate_facts *facts, const struct gate_flip *flip)
{
    if (!facts->app_runs && (flip->enable || !facts->may_launch))
        return true;
    bool live = facts->session_live && facts->live_uuid[0] != '\0' && strcmp(facts->live_uuid, flip->uuid) != 0;
    return live && (flip->enable || facts->ends_only_its_own);
}

static const char *why_unavailable(const struct gate_facts *facts)
{
    if (!facts->can_enable)
        return "this version of the host has no switch for a client";
    if (!facts->ends_only_its_own)
        return "on this version of the host disabling one client ends everybody's sessions";
    if (!facts->known)
        return "the host's list of clients is not known";
    return facts->host_known ? NULL : "the host does not say whether an application runs";
}

/* All that is wanted and missing from the host's list: the gate must not close before its own client is in it. */
static bool lacks_its_client(const struct gate_facts *facts, const struct desired_slot *slot)
{
    const char *const *wanted = slot->gate.enabled.items;
    for (size_t i = 0; i < slot->gate.enabled.count; i++) {
        for (size_t k = 0; k < facts->client_count; k++)
            if (strcmp(facts->clients[k].uuid, wanted[i]) == 0)
                return false;
    }
    return slot->gate.enabled.count > 0;
}

enum hc_err gate_plan(const struct gate_facts *facts, struct hc_arena *arena, struct gate_plan *ret_plan)
{
    *ret_plan = (struct gate_plan){ .outcome = GATE_IN_PLACE };
    const struct desired_slot *slot = facts->desired == NULL ? NULL : desired_slot_of(facts->desired, facts->slot);
    if (slot == NULL)
        return HC_OK;
    ret_plan->reason = why_unavailable(facts);
    if (ret_plan->reason == NULL && lacks_its_client(facts, slot))
        ret_plan->reason = "the host does not list the client that the lease names";
    if (ret_plan->reason != NULL) {
        ret_plan->outcome = GATE_UNAVAILABLE;
        return HC_OK;
    }
    ret_plan->flips = hc_arena_array(arena, facts->client_count + 1, sizeof *ret_plan->flips);
    if (ret_plan->flips == NULL)
        return HC_ERR_NOMEM;
    bool later = false, enforce = facts->desired->enforce == DIRECTIVE_ENFORCE;
    for (size_t i = 0; i < facts->client_count; i++) {
        const struct host_client *client = &facts->clients[i];
        const struct gate_flip flip = { client->uuid, should_be_let_in(facts, slot, client) };
        if (flip.enable == client->enabled)
            continue;
        /* Leaving enforce must not leave the doors locked that enforce has locked. */
        bool ours = enforce || (flip.enable && hc_among(facts->shut_by_us, facts->shut_by_us_count, client->uuid));
        ret_plan->would += !ours;
        if (ours && may_flip(facts, &flip))
            ret_plan->flips[ret_plan->flip_count++] = flip;
        else
            later = later || ours;
    }
    if (ret_plan->flip_count > 0)
        ret_plan->outcome = GATE_FLIPS;
    else if (later)
        ret_plan->outcome = GATE_LATER;
    else if (!enforce)
        ret_plan->outcome = GATE_OBSERVED;
    return HC_OK;
}
