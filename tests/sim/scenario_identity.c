/* scenario_identity.c - the parts of a story that are about certificates and trust stores (rules §12). */
#include <stdio.h>
#include <string.h>

#include "scenario.h"

static void fingerprint_of(const char *certificate, char out[HC_HASH_SIZE])
{
    size_t len = strlen(certificate);
    for (size_t i = 0; i < HC_HASH_HEX; i++)
        out[i] = certificate[i % len];
    out[HC_HASH_HEX] = '\0';
}

static bool step(struct scenario *s, struct core_event *ev)
{
    return cluster_step(&s->sim, ev, cluster_seed(&s->sim)) == HC_OK || scenario_fail(s, "the step failed");
}

bool scenario_register(struct scenario *s, const char *head, const char *certificate, bool by_admin)
{
    char fingerprint[HC_HASH_SIZE];
    if (certificate[0] == '\0' || scenario_head(s, head) < 0)
        return s->why[0] != '\0' ? false : scenario_fail(s, "registers which certificate?");
    fingerprint_of(certificate, fingerprint);
    struct core_event ev = cluster_event(&s->sim, CORE_IDENTITY_PUT, by_admin ? CALLER_ADMIN : CALLER_NODE, by_admin ? "" : head);
    ev.u.identity = (struct identity_req){ .head_id = head, .device_uid = "0123456789abcdef", .fingerprint = fingerprint,
                                           .cert_pem = certificate, .not_after = hc_time_add(ev.now, 3650 * HC_DAY_MS) };
    if (!step(s, &ev))
        return false;
    s->registered = s->sim.cluster.last.answer == ANSWER_REFUSED ? s->sim.cluster.last.deny : DENY_NONE;
    return true;
}

bool scenario_revoke_identity(struct scenario *s, const char *head)
{
    struct core_event ev = cluster_event(&s->sim, CORE_IDENTITY_REVOKE, CALLER_ADMIN, "");
    ev.u.identity_revoke = (struct identity_revoke_req){ head };
    return step(s, &ev) && (s->sim.cluster.last.answer != ANSWER_REFUSED || scenario_fail(s, "%s has no identity", head));
}

bool scenario_trust(struct scenario *s, struct machine *m, const struct words *w)
{
    if (hc_same(w->at[2], "misreads") || hc_same(w->at[2], "reads")) {
        m->misreads = hc_same(w->at[2], "misreads");
        return true;
    }
    if (w->count < 4 || m->client_count == SIM_CLIENTS_MAX)
        return scenario_fail(s, "pairs whom? A store of this simulator has room for %d", SIM_CLIENTS_MAX);
    struct machine_client *client = &m->clients[m->client_count++];
    bool is_head = false;
    for (size_t i = 0; i < s->sim.head_count; i++)
        is_head = is_head || hc_same(s->sim.heads[i].id, w->at[3]);
    m->pairings++;
    (void)snprintf(client->name, sizeof client->name, "%s%.60s", is_head ? CLIENT_PREFIX : "", w->at[3]);
    if (w->count > 5)
        HC_SET(client->uuid, w->at[5]);
    else
        (void)snprintf(client->uuid, sizeof client->uuid, "uuid-%.40s", w->at[3]);
    return true;
}

static bool told(struct scenario *s, const char *body_id, struct hc_arena *arena, struct directive *ret)
{
    struct core_view view = committed_view(&s->sim);
    return query_directive(&view, body_id, arena, ret) == HC_OK || scenario_fail(s, "no directive for %s", body_id);
}

static bool among(const struct directive_trust *trust, const char *uuid)
{
    for (size_t i = 0; i < trust->remove_count; i++)
        if (hc_same(trust->remove[i], uuid))
            return true;
    return false;
}

void scenario_unpair(struct scenario *s, struct machine *m)
{
    struct hc_arena arena = { 0 };
    struct directive d;
    struct core_view view = committed_view(&s->sim);
    size_t kept = 0;
    if (m->client_count == 0 || query_directive(&view, m->id, &arena, &d) != HC_OK)
        return;
    for (size_t i = 0; i < m->client_count; i++)
        if (!among(&d.trust, m->clients[i].uuid))
            m->clients[kept++] = m->clients[i];
    m->client_count = kept;
    hc_arena_free(&arena);
}

bool scenario_expect_registered(struct scenario *s, const char *refusal)
{
    const char *is = word_of(&deny_words, (int)s->registered);
    return hc_same(is, refusal) || scenario_fail(s, "the registration was %s%s", is[0] == '\0' ? "accepted" : "refused: ", is);
}

bool scenario_expect_trust(struct scenario *s, const char *body_id, const char *what, const char *uuid)
{
    struct hc_arena arena = { 0 };
    struct directive d;
    const struct machine *m = scenario_body(s, body_id);
    bool right = false;
    if (m == NULL || !told(s, body_id, &arena, &d))
        return false;
    if (hc_same(what, "lists")) {
        for (size_t i = 0; i < m->client_count; i++)
            right = right || hc_same(m->clients[i].uuid, uuid);
        right = hc_same(uuid, "nobody") ? m->client_count == 0 : right;
    } else if (hc_same(what, "keeps")) {
        for (size_t i = 0; i < d.trust.desired_count; i++)
            right = right || hc_same(d.trust.desired[i].uuid, uuid);
    } else {
        right = hc_same(uuid, "nothing") ? d.trust.remove_count == 0 : among(&d.trust, uuid);
    }
    size_t removed = d.trust.remove_count, desired = d.trust.desired_count;
    hc_arena_free(&arena);
    return right || scenario_fail(s, "%s does not: %s %s; %zu are desired, %zu removed, %zu listed", body_id, what, uuid, desired, removed,
                                  m->client_count);
}
