#include "hydra/core/record.h"

#include <assert.h>
#include <string.h>

#include "hydra/base/arena.h"
#include "hydra/core/observed.h"
#include "record_version.h"

static const size_t rec_sizes[REC_KINDS] = {
    [REC_BODY] = sizeof(struct body_rec), [REC_STREAM] = sizeof(struct stream_rec), [REC_TICKET] = sizeof(struct ticket_rec),
    [REC_DISTRICT] = sizeof(struct district_rec), [REC_CAP] = sizeof(struct cap_rec), [REC_DEMOTION] = sizeof(struct demotion_rec),
    [REC_ATTEMPTS] = sizeof(struct attempts_rec), [REC_OP] = sizeof(struct op_rec), [REC_NODE] = sizeof(struct node_rec),
    [REC_VENUE] = sizeof(struct venue_rec), [REC_ORG] = sizeof(struct org_rec), [REC_EXPERIENCE] = sizeof(struct experience_rec),
    [OBS_BODY] = sizeof(struct body_obs), [OBS_NODE] = sizeof(struct node_obs),
    [OBS_CLOCK] = sizeof(struct clock_obs), [OBS_POOL] = sizeof(struct pool_obs),
    [OBS_OP] = sizeof(struct op_obs),
    [REC_IDENTITY] = sizeof(struct identity_rec),
};

struct rec *rec_new(enum rec_kind kind, const char *key)
{
    assert((size_t)kind < REC_KINDS);
    struct rec *rec = hc_alloc(rec_sizes[kind]);
    if (rec == NULL)
        return NULL;
    rec->kind = kind;
    rec->refs = 1;
    rec->hash = hc_fnv1a64(HC_FNV1A64_START, key);
    HC_SET(rec->key, key);
    return rec;
}

struct rec *rec_ref(struct rec *rec)
{
    assert(rec->refs > 0);
    rec->refs++;
    return rec;
}

static void free_body(struct body_rec *body)
{
    for (size_t i = 0; i < body->slot_count; i++)
        hc_free(body->slots[i].leases);
    hc_free(body->slots);
    strings_unref(body->listed_experiences);
    paired_unref(body->paired);
    strings_unref(body->maintenance_clients);
}

static void free_body_obs(struct body_obs *obs)
{
    strings_unref(obs->xr_drivers);
    strings_unref(obs->experiences);
    hc_free(obs->sessions);
    hc_free(obs->clients);
}

void rec_unref(struct rec *rec)
{
    if (rec == NULL)
        return;
    assert(rec->refs > 0);
    if (--rec->refs > 0)
        return;
    switch (rec->kind) {
    case REC_BODY:       free_body((struct body_rec *)rec); break;
    case REC_DISTRICT:   hc_free(((struct district_rec *)rec)->awaited); break;
    case REC_OP:         text_unref(((struct op_rec *)rec)->output); break;
    case REC_IDENTITY:
        text_unref(((struct identity_rec *)rec)->cert_pem);
        paired_unref(((struct identity_rec *)rec)->lost);
        break;
    case REC_NODE:
        text_unref(((struct node_rec *)rec)->wireguard_config);
        node_rare_unref(((struct node_rec *)rec)->rare);
        break;
    case REC_EXPERIENCE: strings_unref(((struct experience_rec *)rec)->venues); break;
    case OBS_BODY:       free_body_obs((struct body_obs *)rec); break;
    case OBS_NODE:       text_unref(((struct node_obs *)rec)->diagnostics); break;
    default: break;                       /* the other kinds own nothing */
    }
    hc_free(rec);
}

/* Replaces *array, which still belongs to the version that was copied, by a copy of its own. False: no memory, *array is NULL. */
static bool own_array(void **array, size_t count, size_t size)
{
    const void *from = *array;
    *array = NULL;
    if (count == 0)
        return true;
    *array = hc_alloc(count * size);
    if (*array == NULL)
        return false;
    memcpy(*array, from, count * size);
    return true;
}
#define OWN_ARRAY(field, count, ok) \
    do { \
        void *own = (field); \
        (ok) = own_array(&own, (count), sizeof *(field)); \
        (field) = own; \
    } while (0)

static bool own_body(struct body_rec *to)
{
    strings_ref(to->listed_experiences);
    paired_ref(to->paired);
    strings_ref(to->maintenance_clients);
    bool ok;
    OWN_ARRAY(to->slots, to->slot_count, ok);
    if (!ok) {
        to->slot_count = 0;
        return false;
    }
    for (size_t i = 0; i < to->slot_count; i++) {
        struct slot *slot = &to->slots[i];
        bool copied;
        OWN_ARRAY(slot->leases, slot->lease_count, copied);
        if (copied)
            continue;
        to->slot_count = i;               /* the slots behind it still name the old version's arrays */
        return false;
    }
    return true;
}

static bool own_body_obs(struct body_obs *to)
{
    strings_ref(to->xr_drivers);
    strings_ref(to->experiences);
    bool sessions, clients;
    OWN_ARRAY(to->sessions, to->session_count, sessions);
    OWN_ARRAY(to->clients, to->client_count, clients);
    return sessions && clients;
}

struct rec *rec_clone(const struct rec *from)
{
    struct rec *to = hc_alloc(rec_sizes[from->kind]);
    if (to == NULL)
        return NULL;
    memcpy(to, from, rec_sizes[from->kind]);
    to->refs = 1;
    bool ok = true;
    switch (to->kind) {
    case REC_BODY:       ok = own_body((struct body_rec *)to); break;
    case REC_DISTRICT:   OWN_ARRAY(((struct district_rec *)to)->awaited, ((struct district_rec *)to)->awaited_count, ok); break;
    case REC_OP:         text_ref(((struct op_rec *)to)->output); break;
    case REC_IDENTITY:
        text_ref(((struct identity_rec *)to)->cert_pem);
        paired_ref(((struct identity_rec *)to)->lost);
        break;
    case REC_NODE:
        text_ref(((struct node_rec *)to)->wireguard_config);
        node_rare_ref(((struct node_rec *)to)->rare);
        break;
    case REC_EXPERIENCE: strings_ref(((struct experience_rec *)to)->venues); break;
    case OBS_BODY:       ok = own_body_obs((struct body_obs *)to); break;
    case OBS_NODE:       text_ref(((struct node_obs *)to)->diagnostics); break;
    default: break;
    }
    if (ok)
        return to;
    rec_unref(to);
    return NULL;
}
