#include <stdio.h>
#include <string.h>

#include "states.h"

/* Every record and part of one is zeroed before it is filled, so equal content is equal memory. What is behind a pointer is
 * compared apart. */
#define SAME(a, b, from, to) \
    (memcmp((const char *)(a) + offsetof(__typeof__(*(a)), from), (const char *)(b) + offsetof(__typeof__(*(a)), from), \
            offsetof(__typeof__(*(a)), to) - offsetof(__typeof__(*(a)), from)) == 0)

static const char *slots_differ(const struct slot *a, const struct slot *b)
{
    if (!SAME(a, b, index, leases) || !SAME(a, b, ghost_count, ghosts) || memcmp(a->ghosts, b->ghosts, sizeof a->ghosts) != 0)
        return "slot";
    if (a->lease_count > 0 && memcmp(a->leases, b->leases, a->lease_count * sizeof a->leases[0]) != 0)
        return "lease";
    return NULL;
}

static const char *paired_differ(const struct paired *a, const struct paired *b)
{
    size_t count = a == NULL ? 0 : a->count;
    if (count != (b == NULL ? 0 : b->count))
        return "number of paired clients";
    return count == 0 || memcmp(a->at, b->at, count * sizeof a->at[0]) == 0 ? NULL : "paired";
}

static const char *ops_differ(const struct op_rec *a, const struct op_rec *b)
{
    if (!SAME(a, b, node_id, output) || !hc_same(a->error, b->error))
        return "op";
    return hc_same(a->output == NULL ? NULL : a->output->bytes, b->output == NULL ? NULL : b->output->bytes) ? NULL : "output";
}

static const char *bodies_differ(const struct body_rec *a, const struct body_rec *b)
{
    if (!SAME(a, b, slots_total, listed_experiences))
        return "body";
    if (!strings_same(a->listed_experiences, b->listed_experiences))
        return "listed_experiences";
    if (!strings_same(a->maintenance_clients, b->maintenance_clients))
        return "maintenance_clients";
    if (!SAME(a, b, circuit, paired) || !SAME(a, b, custodian_last_success_at, maintenance_clients))
        return "body, from circuit on";
    const char *paired = paired_differ(a->paired, b->paired);
    if (paired != NULL)
        return paired;
    const char *differs = NULL;
    for (size_t i = 0; i < a->slot_count && differs == NULL; i++)
        differs = slots_differ(&a->slots[i], &b->slots[i]);
    return differs;
}

static const char *districts_differ(const struct district_rec *a, const struct district_rec *b)
{
    if (a->safe_mode != b->safe_mode || a->safe_since.ms != b->safe_since.ms || a->awaited_count != b->awaited_count ||
        a->per_device_identity_at.ms != b->per_device_identity_at.ms ||
        a->per_device_identity_off_at.ms != b->per_device_identity_off_at.ms || a->retirement_since.ms != b->retirement_since.ms)
        return "district";
    return a->awaited_count == 0 || memcmp(a->awaited, b->awaited, a->awaited_count * sizeof a->awaited[0]) == 0 ? NULL : "awaited";
}

static const char *identities_differ(const struct identity_rec *a, const struct identity_rec *b)
{
    if (!SAME(a, b, device_uid, cert_pem))
        return "identity";
    if (paired_differ(a->lost, b->lost) != NULL)
        return "lost clients";
    return hc_same(a->cert_pem == NULL ? NULL : a->cert_pem->bytes, b->cert_pem == NULL ? NULL : b->cert_pem->bytes) ? NULL : "cert_pem";
}

static const char *nodes_differ(const struct node_rec *a, const struct node_rec *b)
{
    if (!SAME(a, b, name, rare) || memcmp(node_stream(a), node_stream(b), sizeof(struct stream_block)) != 0 ||
        memcmp(node_xr(a), node_xr(b), sizeof(struct xr_session)) != 0 || a->protocol_version != b->protocol_version ||
            a->pairing_protocol != b->pairing_protocol)
        return "node";
    const struct text *x = a->wireguard_config, *y = b->wireguard_config;
    return hc_same(x == NULL ? NULL : x->bytes, y == NULL ? NULL : y->bytes) ? NULL : "wireguard_config";
}

static const char *experiences_differ(const struct experience_rec *a, const struct experience_rec *b)
{
    if (!SAME(a, b, label, venues))
        return "experience";
    return (a->venues == NULL) == (b->venues == NULL) && strings_same(a->venues, b->venues) ? NULL : "venues";
}

#define REST_SAME(type, a, b) \
    (memcmp((const char *)(a) + sizeof(struct rec), (const char *)(b) + sizeof(struct rec), sizeof(type) - sizeof(struct rec)) == 0)

static bool caps_same(const struct cap_rec *a, const struct cap_rec *b)
{
    return a->max_concurrent_grants == b->max_concurrent_grants;
}

const char *records_differ(const struct rec *a, const struct rec *b)
{
    if (a->kind != b->kind || strcmp(a->key, b->key) != 0)
        return "kind or key";
    switch (a->kind) {
    case REC_BODY:       return bodies_differ((const struct body_rec *)a, (const struct body_rec *)b);
    case REC_STREAM:     return REST_SAME(struct stream_rec, a, b) ? NULL : "stream";
    case REC_TICKET:     return REST_SAME(struct ticket_rec, a, b) ? NULL : "ticket";
    case REC_DISTRICT:   return districts_differ((const struct district_rec *)a, (const struct district_rec *)b);
    case REC_CAP:        return caps_same((const struct cap_rec *)a, (const struct cap_rec *)b) ? NULL : "cap";
    case REC_DEMOTION:   return REST_SAME(struct demotion_rec, a, b) ? NULL : "demotion";
    case REC_ATTEMPTS:   return REST_SAME(struct attempts_rec, a, b) ? NULL : "attempts";
    case REC_OP:         return ops_differ((const struct op_rec *)a, (const struct op_rec *)b);
    case REC_IDENTITY:   return identities_differ((const struct identity_rec *)a, (const struct identity_rec *)b);
    case REC_NODE:       return nodes_differ((const struct node_rec *)a, (const struct node_rec *)b);
    case REC_VENUE:      return REST_SAME(struct venue_rec, a, b) ? NULL : "venue";
    case REC_ORG:        return NULL;
    case REC_EXPERIENCE: return experiences_differ((const struct experience_rec *)a, (const struct experience_rec *)b);
    default:             return "kind that is not saved";
    }
}

const char *states_differ(const struct alloc *a, const struct alloc *b, bool allocation, bool nodes)
{
    static char text[300];
    for (int k = 0; k < REC_SAVED_KINDS; k++) {
        enum rec_kind kind = (enum rec_kind)k;
        if (rec_in_nodes_file(kind) ? !nodes : !allocation)
            continue;
        if (alloc_count(a, kind) != alloc_count(b, kind)) {
            (void)snprintf(text, sizeof text, "kind %d: %zu and %zu records", k, alloc_count(a, kind), alloc_count(b, kind));
            return text;
        }
        for (size_t i = 0; i < alloc_count(a, kind); i++) {
            const char *differs = records_differ(alloc_at(a, kind, i), alloc_at(b, kind, i));
            if (differs == NULL)
                continue;
            (void)snprintf(text, sizeof text, "kind %d, %s: %s", k, alloc_at(a, kind, i)->key, differs);
            return text;
        }
    }
    return NULL;
}
