/* agent.c - events in, decisions, and the attempt file; opening and closing. */
#include "agent.h"

#include <assert.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "hydra/base/log.h"
#include "hydra/os/clock.h"
#include "hydra/os/file.h"
#include "hydra/os/random.h"

#include "attempt_file.h"

#define PINS_FOLDER  "pins"
#define CLOSE_MS     8000               /* a host call under way has 5 s of its own */
#define RANDOM_ID    16                 /* bytes */

/* ---- opening and closing ---- */

static enum hc_err open_folders(struct agent *a, struct hc_diag *diag)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf pins = { 0 };
    hc_buf_printf(&pins, "%s/%s", a->config->state_dir, PINS_FOLDER);
    if (pins.failed)
        return hc_fail(diag, HC_ERR_NOMEM, "out of memory");
    enum hc_err err = os_dir_make_private(a->config->state_dir, diag);
    if (err == HC_OK)
        err = os_dir_open(a->config->state_dir, &a->reach.state_fd, diag);
    if (err == HC_OK)
        err = os_dir_make_private(pins.data, diag);
    return err == HC_OK ? os_dir_open(pins.data, &a->reach.pins_fd, diag) : err;
}

static enum hc_err open_identity(struct agent *a, struct hc_diag *diag)
{
    struct identity identity = { 0 };
    enum hc_err err = identity_load(a->reach.state_fd, a->config->node_id, &identity, diag);
    if (err != HC_OK)
        return err;
    a->identity = identity_use_new(&identity);
    identity_free(&identity);
    return a->identity == NULL ? hc_fail(diag, HC_ERR_NOMEM, "out of memory") : HC_OK;
}

static void take_saved(struct agent *a)
{
    HC_SET(a->saved.experience, a->head.experience);
    HC_SET(a->saved.attempt_id, a->head.attempt_id);
    HC_SET(a->saved.stream_id, a->head.stream_id);
    HC_SET(a->saved.lease_id, a->head.lease.id);
    HC_SET(a->saved.claim_token, a->head.lease.claim_token);
}

static enum hc_err open_attempt(struct agent *a, struct hc_diag *diag)
{
    struct hc_diag garbled = { "" };
    head_init(&a->head, a->config->accept == ACCEPT_AUTO);
    enum hc_err err = attempt_load(a->reach.state_fd, &a->head, &garbled);
    if (err != HC_OK)
        return hc_fail(diag, err, "%s", garbled.text);
    if (garbled.text[0] != '\0')
        hc_log(HC_LOG_WARNING, "attempt_file_garbled", "detail=%s", hc_logq(garbled.text));
    take_saved(a);
    a->recovery = a->head.attempt_id[0] == '\0' ? AGENT_RECOVERED : AGENT_RECOVERING;
    return HC_OK;
}

enum hc_err agent_open(struct agent *a, const struct head_config *config, struct hc_diag *diag)
{
    *a = (struct agent){ .config = config, .child = CHILD_NONE, .beat_status = -1 };
    a->reach = (struct reach){ .config = config, .token = a->token, .state_fd = -1, .pins_fd = -1 };
    for (size_t i = 0; i < LANE_COUNT; i++)
        a->reach.lines[i] = (struct cluster_line){ .config = config, .token = a->token };
    enum hc_err err = head_token_load(config, a->token, diag);
    if (err == HC_OK)
        err = open_folders(a, diag);
    if (err == HC_OK)
        err = open_identity(a, diag);
    if (err == HC_OK)
        err = open_attempt(a, diag);
    return err == HC_OK ? lanes_open(LANE_COUNT, &a->lanes, diag) : err;
}

bool agent_close(struct agent *a)
{
    child_kill(&a->child);
    if (a->lanes != NULL && !lanes_close(a->lanes, CLOSE_MS))
        return false;
    for (size_t i = 0; i < LANE_COUNT; i++)
        cluster_line_close(&a->reach.lines[i]);
    host_memory_free(&a->reach.host);
    a->identity = identity_use_drop(a->identity);
    hc_buf_free(&a->offers);
    os_close(&a->reach.state_fd);
    os_close(&a->reach.pins_fd);
    explicit_bzero(a->token, sizeof a->token);
    explicit_bzero(&a->head, sizeof a->head);
    explicit_bzero(&a->saved, sizeof a->saved);
    return true;
}

/* ---- deciding ---- */

static bool saved_differs(const struct agent *a)
{
    const struct head_state *head = &a->head;
    const struct attempt_saved *saved = &a->saved;
    return !hc_same(saved->experience, head->experience) || !hc_same(saved->attempt_id, head->attempt_id) ||
           !hc_same(saved->stream_id, head->stream_id) || !hc_same(saved->lease_id, head->lease.id) ||
           !hc_same(saved->claim_token, head->lease.claim_token);
}

/* False: not written, and said. */
static bool save(struct agent *a)
{
    struct hc_diag diag = { "" };
    if (!saved_differs(a))
        return true;
    if (attempt_save(a->reach.state_fd, &a->head, &diag) != HC_OK) {
        hc_log(HC_LOG_ERR, "attempt_not_saved", "folder=%s detail=%s", hc_logq(a->config->state_dir), hc_logq(diag.text));
        return false;
    }
    take_saved(a);
    return true;
}

static void fill(struct head_event *ev)
{
    unsigned char bytes[RANDOM_ID];
    char hex[2 * RANDOM_ID + 1];
    ev->now_ms = os_monotonic_ms();
    os_random(bytes, sizeof bytes);
    hc_hex(bytes, sizeof bytes, hex);
    HC_SET(ev->fresh_id, hex);
    os_random(&ev->jitter, sizeof ev->jitter);
}

static void log_change(const struct agent *a, enum head_phase before)
{
    const struct head_state *head = &a->head;
    if (head->phase == before)
        return;
    enum hc_log_level level = head->phase == HEAD_FAILED ? HC_LOG_ERR : HC_LOG_INFO;
    hc_log(level, "phase", "from=%s to=%s attempt=%s stream=%s lease=%s body=%s detail=%s", head_phase_word(before),
           head_phase_word(head->phase), hc_logq(head->attempt_id), hc_logq(head->stream_id),
           hc_logq(head->has_lease ? head->lease.id : ""), hc_logq(head->has_lease ? head->body.id : ""), hc_logq(head->message));
}

static bool has_claim(const struct head_actions *actions)
{
    for (size_t i = 0; i < actions->count; i++)
        if (actions->at[i] == ACT_CLAIM)
            return true;
    return false;
}

static void decide(struct agent *a, struct head_event *ev)
{
    struct head_state before = a->head;
    struct head_actions actions;
    fill(ev);
    head_decide(&a->head, ev, &actions);
    log_change(a, before.phase);
    /* An attempt that is not on disk is not used: after a crash its lease would be nobody's. A lease that was granted already is used all
     * the same: giving it back needs the same token, and the visitor stands there. */
    if (!save(a) && has_claim(&actions)) {
        struct head_event unsaved = { .type = HEV_NO_ANSWER };
        HC_SET(unsaved.sentence, "the state folder cannot be written");
        agent_give(a, &unsaved);
        return;
    }
    for (size_t i = 0; i < actions.count; i++)
        agent_act(a, &before, actions.at[i]);
    explicit_bzero(&before, sizeof before);
}

/* Actions may bring their own events at once (a program that cannot be started): they wait until this one is done. */
void agent_give(struct agent *a, const struct head_event *event)
{
    assert(a->inbox_count < AGENT_INBOX);
    a->inbox[a->inbox_count++] = *event;
    if (a->deciding)
        return;
    a->deciding = true;
    while (a->inbox_count > 0) {
        struct head_event ev = a->inbox[0];
        a->inbox_count--;
        memmove(&a->inbox[0], &a->inbox[1], a->inbox_count * sizeof a->inbox[0]);
        decide(a, &ev);
        explicit_bzero(&ev, sizeof ev);
    }
    a->deciding = false;
}

/* ---- the visitor ---- */

static bool is_ending(const struct head_state *head)
{
    return !head->wanted && head->phase != HEAD_IDLE && head->phase != HEAD_FAILED;
}

const char *agent_start(struct agent *a, const char *experience)
{
    if (a->stopping)
        return "stopping";
    if (a->head.wanted)
        return hc_same(a->head.experience, experience) ? NULL : "busy";     /* a second tap on the same is none */
    if (a->recovery == AGENT_RECOVERING || is_ending(&a->head) || a->ending > 0) {
        HC_SET(a->wish, experience);        /* as soon as the last visit is over */
        return NULL;
    }
    struct head_event ev = { .type = HEV_START };
    HC_SET(ev.experience, experience);
    agent_give(a, &ev);
    return NULL;
}

void agent_stop(struct agent *a)
{
    a->wish[0] = '\0';
    a->unwanted = a->recovery == AGENT_RECOVERING;
    agent_give(a, &(struct head_event){ .type = HEV_STOP });
}

void agent_accept(struct agent *a)
{
    agent_give(a, &(struct head_event){ .type = HEV_ACCEPT });
}

bool agent_quiet(const struct agent *a)
{
    enum head_phase phase = a->head.phase;
    if (a->recovery == AGENT_RECOVERING && a->recover_at_ms == 0)
        return false;                       /* a lease of the former life may be ours to give back; unless nobody answers */
    return (phase == HEAD_IDLE || phase == HEAD_FAILED) && a->ending == 0 && a->child.pid <= 0;
}
