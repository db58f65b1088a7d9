/* pages.c - what the local API shows of the agent: GET /stream/sessions and /status (wire §6). Copied under the mutex, written outside. */
#include "agent_state.h"

#include <string.h>

#include "hydra/os/clock.h"

#include "stream_edge.h"

/* One slot as it was at one moment. */
struct slot_copy {
    struct sessions_view view;
    struct slot_shown shown;        /* without what is counted */
    size_t client_count;
    bool clients_known;
    enum sunshine_outcome web;
};
struct agent_copy {
    struct slot_copy slots[DIRECTIVE_SLOTS_MAX];
    struct cluster_met met;
    bool has_directive, enforce, maintenance, informed;
    char digest[DIRECTIVE_DIGEST_MAX + 1];
    int64_t directive_age_ms, now_ms;
    size_t event_count;
};

static struct agent_copy *copy_agent(struct agent *agent)
{
    struct agent_copy *copy = hc_alloc(sizeof *copy);
    if (copy == NULL)
        return NULL;
    copy->now_ms = os_monotonic_ms();
    agent_lock(agent);
    for (size_t i = 0; i < agent->slot_count; i++) {
        struct slot_copy *to = &copy->slots[i];
        const struct slot *slot = &agent->slots[i];
        sessions_look(&slot->sessions, copy->now_ms, &to->view);
        to->shown = slot->shown;
        to->clients_known = slot->shown.clients != NULL;
        to->client_count = to->clients_known ? slot->shown.clients->count : 0;
        to->shown.clients = NULL;
        to->shown.experiences = NULL;
        to->web = slot_web_worst(slot);
    }
    const struct kept_directive *directive = agent->directive;
    copy->met = agent->met;
    copy->event_count = agent->events.count;
    copy->has_directive = directive != NULL;
    if (directive != NULL) {
        copy->enforce = directive->answer.desired.enforce == DIRECTIVE_ENFORCE;
        copy->maintenance = directive->answer.desired.maintenance;
        copy->informed = directive->generation >= agent->generation;
        copy->directive_age_ms = directive_age_ms(directive, copy->now_ms);
        HC_SET(copy->digest, directive->answer.desired.digest);
    }
    agent_unlock(agent);
    return copy;
}

static void add_text(struct hc_buf *out, const char *key, const char *text)
{
    hc_buf_char(out, ',');
    hc_buf_json_str(out, key);
    hc_buf_char(out, ':');
    hc_buf_json_str(out, text == NULL || text[0] == '\0' ? NULL : text);
}

static void add_bool(struct hc_buf *out, const char *key, bool yes)
{
    hc_buf_printf(out, ",\"%s\":%s", key, yes ? "true" : "false");
}

static void add_seconds(struct hc_buf *out, const char *key, int64_t ms)
{
    if (ms < 0)
        hc_buf_printf(out, ",\"%s\":null", key);
    else
        hc_buf_printf(out, ",\"%s\":%lld", key, (long long)(ms / 1000));
}

static void add_row(struct hc_buf *out, size_t slot, const struct session_row *row, int64_t now_ms)
{
    char app[BODY_STATUS_APP_MAX + 1];
    app_without_token(row->launch.app, app);
    hc_buf_printf(out, "{\"slot\":%zu", slot);
    add_text(out, "state", body_session_words.words[row->state]);
    add_text(out, "launch_id", row->launch.launch_id);
    add_text(out, "lease_id", row->launch.lease_id);
    add_text(out, "client_uuid", row->launch.client_uuid);
    add_text(out, "client_name", row->launch.client_name);
    add_text(out, "app", app);
    add_seconds(out, "since_seconds", row->launch.since_ms < 0 ? -1 : now_ms - row->launch.since_ms);
    hc_buf_char(out, '}');
}

/* What runs; an idle slot has no row. */
void agent_sessions_json(struct agent *agent, struct hc_buf *out)
{
    struct agent_copy *copy = copy_agent(agent);
    bool first = true;
    hc_buf_char(out, '[');
    for (size_t i = 0; copy != NULL && i < agent->slot_count; i++) {
        const struct sessions_view *view = &copy->slots[i].view;
        for (size_t k = 0; k < view->row_count; k++) {
            if (view->rows[k].state == SLOT_IDLE)
                continue;
            if (!first)
                hc_buf_char(out, ',');
            first = false;
            add_row(out, i, &view->rows[k], copy->now_ms);
        }
    }
    hc_buf_char(out, ']');
    out->failed = out->failed || copy == NULL;
    hc_free(copy);
}

static void add_slot(struct hc_buf *out, size_t index, const struct slot_copy *slot)
{
    static const char *const hosts[] = { [HOST_STATE_UNKNOWN] = "away", [HOST_STATE_FREE] = "free", [HOST_STATE_BUSY] = "busy" };
    const struct slot_shown *shown = &slot->shown;
    hc_buf_printf(out, "{\"index\":%zu", index);
    add_bool(out, "known", slot->view.known);
    add_text(out, "state", body_session_words.words[slot->view.rows[0].state]);
    add_text(out, "host", hosts[slot->view.host]);
    if (slot->view.viewers_known)
        hc_buf_printf(out, ",\"viewers\":%u", slot->view.viewers);
    else
        hc_buf_str(out, ",\"viewers\":null");
    add_text(out, "version", shown->version);
    add_text(out, "web", sunshine_outcome_word(slot->web));
    add_text(out, "web_error", slot->web == SUNSHINE_OK ? "" : shown->web_error.text);
    add_text(out, "sunshine_cert_fp", shown->sunshine_cert_fp);
    if (slot->clients_known)
        hc_buf_printf(out, ",\"paired_clients\":%zu", slot->client_count);
    else
        hc_buf_str(out, ",\"paired_clients\":null");
    hc_buf_str(out, ",\"applied_epoch\":");
    hc_buf_u64(out, shown->applied_epoch);
    hc_buf_str(out, ",\"floor\":");
    hc_buf_u64(out, shown->floor);
    add_bool(out, "floor_unusable", shown->floor_unusable);
    add_bool(out, "below_floor", shown->below_floor);
    hc_buf_str(out, ",\"gate\":{\"mode\":");
    hc_buf_json_str(out, shown->gate_mode == 0 ? NULL : body_gate_words.words[shown->gate_mode]);
    add_text(out, "reason", shown->gate_reason);
    hc_buf_str(out, "}}");
}

void agent_status_json(struct agent *agent, struct hc_buf *out)
{
    struct agent_copy *copy = copy_agent(agent);
    if (copy == NULL) {
        out->failed = true;
        return;
    }
    hc_buf_str(out, "{\"node_id\":");
    hc_buf_json_str(out, agent->config->node_id);
    add_text(out, "version", HYDRA_VERSION);
    add_text(out, "boot_id", agent->boot_id);
    add_seconds(out, "uptime_seconds", copy->now_ms - agent->started_ms);
    hc_buf_str(out, ",\"cluster\":{\"server_url\":");
    hc_buf_json_str(out, agent->config->server_url);
    add_seconds(out, "reported_seconds_ago", copy->met.reported_ms == 0 ? -1 : copy->now_ms - copy->met.reported_ms);
    hc_buf_printf(out, ",\"status\":%ld", copy->met.status);
    add_text(out, "error", copy->met.error.text);
    add_seconds(out, "directive_seconds_ago", copy->has_directive ? copy->directive_age_ms : -1);
    add_text(out, "digest", copy->digest);
    add_bool(out, "enforce", copy->enforce);
    add_bool(out, "maintenance", copy->maintenance);
    add_bool(out, "knows_our_experiences", copy->informed);
    hc_buf_printf(out, ",\"events_waiting\":%zu},\"slots\":[", copy->event_count);
    for (size_t i = 0; i < agent->slot_count; i++) {
        if (i > 0)
            hc_buf_char(out, ',');
        add_slot(out, i, &copy->slots[i]);
    }
    hc_buf_str(out, "]}");
    hc_free(copy);
}
