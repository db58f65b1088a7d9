/* directive_poll.c - the thread that hears what the cluster wants, as soon as it changes (wire §4). */
#include "agent_state.h"

#include <string.h>

#include "hydra/base/log.h"
#include "hydra/codec/json.h"
#include "hydra/os/clock.h"

struct poll { struct agent *agent; struct cluster *cluster; struct cluster_silence silence; };

static struct kept_directive *read_directive(const struct cluster_answer *answer, uint64_t generation, struct hc_diag *diag)
{
    struct kept_directive *made = kept_new(sizeof *made);
    struct json_refusal refusal = { "", "" };
    if (made == NULL) {
        (void)hc_fail(diag, HC_ERR_NOMEM, "no memory for the directive");
        return NULL;
    }
    enum hc_err err = json_read(&directive_answer_table, answer->body.data, answer->body.len, false, &made->kept.arena, &made->answer,
                                &refusal);
    if (err == HC_OK && !hc_id_ok(made->answer.desired.digest)) {
        err = HC_ERR_SCHEMA;
        HC_SET(refusal.detail, "the digest is no word to ask by");
    }
    if (err == HC_OK) {
        made->received_ms = os_monotonic_ms();
        made->generation = generation;
        return made;
    }
    (void)hc_fail(diag, err, "the directive cannot be read: %s: %s", refusal.field, refusal.detail);
    kept_drop(&made->kept);
    return NULL;
}

static const char *served_lease(const struct kept_directive *directive, uint32_t slot)
{
    const struct desired_slot *row = desired_slot_of(&directive->answer.desired, slot);
    return row != NULL && row->action == DIRECTIVE_SERVE ? row->lease_id : "";
}

/* True: it differs from the last one. */
static bool publish(struct agent *agent, struct kept_directive *made)
{
    int64_t now_ms = os_monotonic_ms();
    agent_lock(agent);
    struct kept_directive *before = agent->directive;
    bool news = before == NULL || strcmp(before->answer.desired.digest, made->answer.desired.digest) != 0;
    agent->directive = made;
    for (size_t i = 0; i < agent->slot_count; i++) {
        struct slot *slot = &agent->slots[i];
        bool changed = sessions_served(&slot->sessions, served_lease(made, slot->index), now_ms);
        if (news)
            slot->fast_until_ms = now_ms + EDGE_FAST_MS;
        if (changed)
            slot_edge(slot);
        else if (news || before->generation != made->generation)
            bell_ring(&slot->bell);
    }
    kept_drop((struct kept *)before);
    agent_unlock(agent);
    return news;
}

/* Digest of the newest; "" to be answered at once, which is also wanted when the newest was made without knowing all our experiences. */
static void since_of(struct agent *agent, char digest[DIRECTIVE_DIGEST_MAX + 1], uint64_t *ret_generation)
{
    agent_lock(agent);
    const struct kept_directive *newest = agent->directive;
    *ret_generation = agent->told_generation;
    bool informed = newest != NULL && newest->generation >= agent->told_generation;
    hc_copy(digest, DIRECTIVE_DIGEST_MAX + 1, informed ? newest->answer.desired.digest : "");
    agent_unlock(agent);
}

static void poll_once(struct poll *p)
{
    struct agent *agent = p->agent;
    char digest[DIRECTIVE_DIGEST_MAX + 1];
    uint64_t generation = 0;
    HC_CLEANUP(hc_buf_freep) struct hc_buf path = { 0 };
    struct cluster_answer answer = { 0 };
    struct hc_diag diag = { "" };
    since_of(agent, digest, &generation);
    hc_buf_printf(&path, "/api/v1/bodies/%s/desired?since=%s&wait=%d", agent->config->node_id, hc_id_ok(digest) ? digest : "",
                  digest[0] == '\0' ? 0 : CLUSTER_POLL_S);
    enum hc_err err = path.failed ? HC_ERR_NOMEM : cluster_call(p->cluster, "GET", path.data, NULL, CLUSTER_POLL_MS, &answer, &diag);
    struct kept_directive *made = err == HC_OK && answer.status == 200 ? read_directive(&answer, generation, &diag) : NULL;
    if (made != NULL) {
        const struct desired *desired = &made->answer.desired;
        bool enforce = desired->enforce == DIRECTIVE_ENFORCE;
        unsigned failures = cluster_heard(&p->silence);
        if (failures > 0)
            hc_log(HC_LOG_NOTICE, "directive_heard_again", "failures=%u", failures);
        char said[DIRECTIVE_DIGEST_MAX + 1];
        HC_SET(said, desired->digest);
        if (publish(agent, made))
            hc_log(HC_LOG_INFO, "directive", "digest=%s enforce=%s", hc_logq(said), enforce ? "enforce" : "observe");
    } else if (!atomic_load(&agent->stop)) {
        if (err == HC_OK && answer.status != 200)
            (void)hc_fail(&diag, HC_OK, "the cluster answered %ld: %.200s", answer.status, answer.body.len == 0 ? "" : answer.body.data);
        cluster_silent(&p->silence, &p->agent->stop, "directive_not_heard", answer.status, &diag);
    }
    cluster_answer_free(&answer);
}

void directive_main(void *arg)
{
    struct agent *agent = arg;
    struct hc_diag diag = { "" };
    struct poll p = { .agent = agent };
    if (cluster_open(agent->config, &agent->stop, &p.cluster, &diag) != HC_OK) {
        hc_log(HC_LOG_ERR, "cluster_not_opened", "detail=%s", hc_logq(diag.text));
        return;
    }
    while (!atomic_load(&agent->stop)) {
        agent_beat(&agent->directive_beat_ms);
        poll_once(&p);
    }
    p.cluster = cluster_close(p.cluster);
}
