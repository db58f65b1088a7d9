/* operation_poll.c - the thread that takes the cluster's operations, one at a time, and tells what became of each, once (wire §4). */
#include "agent_state.h"

#include <string.h>

#include "hydra/base/log.h"
#include "hydra/codec/json.h"
#include "hydra/crypto/digest.h"
#include "hydra/os/clock.h"

#include "operation_run.h"

#define REMEMBERED 8            /* ends that may not have been heard: the cluster gives such an operation again, and it is not done again */

struct end { char op_id[HC_ID_SIZE]; struct operation_became became; };
struct poll {
    struct agent *agent;
    struct cluster *cluster;
    struct operation_hands hands;
    struct end ends[REMEMBERED]; size_t end_count;      /* end_count only grows: a ring */
    struct cluster_silence silence;
};

/* The answer is an operation as it is asked for, and its id. */
static bool read_given(const struct cluster_answer *answer, char op_id[HC_ID_SIZE], struct operation_ask *ask, struct json_refusal *refusal)
{
    struct id_part { char op_id[HC_ID_SIZE]; } part;
    static const struct codec_field rows[] = {
        { .key = "op_id", .type = CODEC_ID, .offset = offsetof(struct id_part, op_id), .flags = CODEC_REQUIRED },
    };
    static const struct codec_table table = CODEC_TABLE("operation", rows, struct id_part, CODEC_NO_PRESENT);
    struct hc_arena arena = { 0 };
    bool ok = json_read(&table, answer->body.data, answer->body.len, false, &arena, &part, refusal) == HC_OK &&
              json_read(&operation_ask_table, answer->body.data, answer->body.len, false, &arena, ask, refusal) == HC_OK;
    if (ok)
        hc_copy(op_id, HC_ID_SIZE, part.op_id);
    hc_arena_free(&arena);
    return ok;
}

static struct end *done_before(struct poll *p, const char *op_id)
{
    for (size_t i = 0; i < REMEMBERED; i++)
        if (p->ends[i].op_id[0] != '\0' && strcmp(p->ends[i].op_id, op_id) == 0)
            return &p->ends[i];
    return NULL;
}

static struct end *do_it(struct poll *p, const char *op_id, const struct operation_ask *ask)
{
    struct end *end = &p->ends[p->end_count++ % REMEMBERED];
    hc_buf_free(&end->became.output);
    HC_SET(end->op_id, op_id);
    operation_run(&p->hands, ask, &end->became);
    agent_lock(p->agent);
    for (size_t i = 0; i < p->agent->slot_count; i++) {
        p->agent->slots[i].reread_until_ms = os_monotonic_ms() + REREAD_MS;
        bell_ring(&p->agent->slots[i].bell);
    }
    agent_unlock(p->agent);
    return end;
}

static void tell(struct poll *p, const struct end *end)
{
    static const char *const states[] = { [OPERATION_DONE] = "done", [OPERATION_FAILED] = "failed" };
    const struct operation_became *became = &end->became;
    HC_CLEANUP(hc_buf_freep) struct hc_buf path = { 0 };
    HC_CLEANUP(hc_buf_freep) struct hc_buf body = { 0 };
    struct cluster_answer answer = { 0 };
    struct hc_diag diag = { "" };
    hc_buf_printf(&path, "/api/v1/nodes/%s/ops/%s/result", p->agent->config->node_id, end->op_id);
    hc_buf_printf(&body, "{\"state\":\"%s\"", states[became->state]);
    if (became->output.len > 0) {
        hc_buf_str(&body, ",\"output\":");
        hc_buf_add(&body, became->output.data, became->output.len);
    }
    if (became->error[0] != '\0') {
        hc_buf_str(&body, ",\"error\":");
        hc_buf_json_str(&body, became->error);
    }
    hc_buf_char(&body, '}');
    enum hc_err err = path.failed || body.failed ? HC_ERR_NOMEM
                                                 : cluster_call(p->cluster, "POST", path.data, body.data, CLUSTER_CALL_MS, &answer, &diag);
    hc_log(HC_LOG_NOTICE, "operation", "op_id=%s state=%s error=%s told=%s status=%ld", end->op_id, states[became->state],
           hc_logq(became->error), err == HC_OK ? "yes" : "no", answer.status);
    cluster_answer_free(&answer);
}

static void take(struct poll *p, const struct cluster_answer *answer)
{
    char op_id[HC_ID_SIZE] = "";
    struct operation_ask ask = { .has_args = false };
    struct json_refusal refusal = { "", "" };
    if (!read_given(answer, op_id, &ask, &refusal)) {
        hc_log(HC_LOG_ERR, "operation_unreadable", "field=%s detail=%s", hc_logq(refusal.field), hc_logq(refusal.detail));
        os_pause_ms(1000);      /* it is given again and again until it runs out */
        return;
    }
    struct end *end = done_before(p, op_id);
    if (end == NULL)
        end = do_it(p, op_id, &ask);
    crypto_wipe(&ask, sizeof ask);
    tell(p, end);
}

static void poll_once(struct poll *p)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf path = { 0 };
    struct cluster_answer answer = { 0 };
    struct hc_diag diag = { "" };
    hc_buf_printf(&path, "/api/v1/nodes/%s/ops/next?wait=%d", p->agent->config->node_id, CLUSTER_POLL_S);
    enum hc_err err = path.failed ? HC_ERR_NOMEM : cluster_call(p->cluster, "GET", path.data, NULL, CLUSTER_POLL_MS, &answer, &diag);
    if (err == HC_OK && (answer.status == 200 || answer.status == 204)) {
        (void)cluster_heard(&p->silence);
        if (answer.status == 200)
            take(p, &answer);
    } else if (!atomic_load(&p->agent->stop)) {
        if (err == HC_OK)
            (void)hc_fail(&diag, HC_OK, "the cluster answered %ld", answer.status);
        cluster_silent(&p->silence, &p->agent->stop, "operations_not_heard", answer.status, &diag);
    }
    if (answer.body.data != NULL)
        crypto_wipe(answer.body.data, answer.body.len);         /* a PIN may stand in it */
    cluster_answer_free(&answer);
}

void operation_main(void *arg)
{
    struct agent *agent = arg;
    struct hc_diag diag = { "" };
    struct poll *p = hc_alloc(sizeof *p);
    if (p == NULL)
        return;
    p->agent = agent;
    if (operation_hands_open(agent, &p->hands, &diag) != HC_OK ||
        cluster_open(agent->config, &agent->stop, &p->cluster, &diag) != HC_OK) {
        hc_log(HC_LOG_ERR, "operations_not_opened", "detail=%s", hc_logq(diag.text));
    } else {
        while (!atomic_load(&agent->stop)) {
            agent_beat(&agent->operation_beat_ms);
            poll_once(p);
        }
    }
    for (size_t i = 0; i < REMEMBERED; i++)
        hc_buf_free(&p->ends[i].became.output);
    p->cluster = cluster_close(p->cluster);
    operation_hands_close(&p->hands);
    hc_free(p);
}
