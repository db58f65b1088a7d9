/* identities.h - certificates and trust stores of a fleet, beside fixture.h. */
#ifndef CORE_IDENTITIES_H
#define CORE_IDENTITIES_H

#include "asks.h"
#include "hydra/base/arena.h"

/* By the head itself, or by an admin; the fingerprint is the name repeated to its full length. */
struct core_result *ask_register(struct fleet *f, const char *head_id, const char *certificate);
struct core_result *ask_register_by_admin(struct fleet *f, const char *head_id, const char *certificate);
const char *fingerprint_of(const char *certificate);      /* lives until the next but three calls */
struct core_result *ask_identity_revoke(struct fleet *f, const char *head_id);
struct core_result *ask_latch(struct fleet *f, const char *district, bool allow);
void deny(struct fleet *f, const char *node_id, bool denied);

/* What the body's newest report says of its trust store. `pairs`: uuid, name, uuid, name ... */
void show_clients(struct fleet *f, const char *body_id, const char *digest, const char *const *pairs, size_t count);
#define SHOW(f, body_id, digest, ...) \
    show_clients(f, body_id, digest, (const char *const[]){ __VA_ARGS__ }, \
                 sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *) / 2)

struct told { struct hc_arena arena; struct directive d; };
void tell(struct fleet *f, const char *body_id, struct told *told);      /* free told->arena */
bool told_remove(const struct told *told, const char *uuid);
bool told_desired(const struct told *told, const char *uuid, const char *name);
bool told_enabled(const struct told *told, uint32_t slot, const char *uuid);

#endif
