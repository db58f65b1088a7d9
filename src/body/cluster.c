#include "cluster.h"

#include "hydra/base/arena.h"
#include "hydra/base/log.h"
#include "hydra/os/clock.h"
#include "hydra/os/random.h"

#define TURN_MS          200        /* how soon a call under way notices that it is to stop */
#define BACKOFF_FIRST_MS 1000
#define BACKOFF_MAX_MS   30000
#define NOTICE_STOP_MS   100        /* how soon a wait notices it */
#define ANSWER_SLACK_MS  1000       /* the client ends a call by itself; this is for a client that does not */

struct cluster { struct client_multi *multi; struct client_options options; const char *token; const atomic_bool *stop; };
struct waiting { bool done; enum hc_err err; struct cluster_answer *answer; };

enum hc_err cluster_open(const struct body_config *config, const atomic_bool *stop, struct cluster **ret_cluster, struct hc_diag *diag)
{
    struct cluster *cluster = hc_alloc(sizeof *cluster);
    if (cluster == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "no memory for the connection to the cluster");
    cluster->options = (struct client_options){ .server_url = config->server_url, .ca_file = config->ca_file,
                                                .timeout_ms = CLUSTER_CALL_MS };
    cluster->token = config->token;
    cluster->stop = stop;
    enum hc_err err = client_multi_open(&cluster->options, &cluster->multi, diag);
    if (err != HC_OK) {
        hc_free(cluster);
        return err;
    }
    *ret_cluster = cluster;
    return HC_OK;
}

struct cluster *cluster_close(struct cluster *cluster)
{
    if (cluster != NULL) {
        (void)client_multi_close(cluster->multi);
        hc_free(cluster);
    }
    return NULL;
}

void cluster_answer_free(struct cluster_answer *answer)
{
    hc_buf_free(&answer->body);
    *answer = (struct cluster_answer){ 0 };
}

static void on_done(void *ctx, enum hc_err err, const struct client_answer *answer)
{
    struct waiting *waiting = ctx;
    waiting->done = true;
    waiting->err = err;
    if (err != HC_OK)
        return;
    waiting->answer->status = answer->status;
    waiting->answer->retry_after_seconds = answer->retry_after_seconds;
    if (answer->body.len > 0)
        hc_buf_add(&waiting->answer->body, answer->body.data, answer->body.len);
    if (waiting->answer->body.failed)
        waiting->err = HC_ERR_NOMEM;
}

/* A call that is given up leaves its connection in an unknown state: begin anew. */
static enum hc_err give_up(struct cluster *cluster, struct waiting *waiting, struct hc_diag *diag)
{
    struct client_multi *fresh = NULL;
    bool stopping = atomic_load(cluster->stop);
    if (!stopping && client_multi_open(&cluster->options, &fresh, NULL) != HC_OK)
        fresh = NULL;
    cluster->multi = client_multi_close(cluster->multi);       /* runs on_done() */
    cluster->multi = fresh;
    waiting->done = true;
    return stopping ? hc_fail(diag, HC_ERR_NET, "the agent is to stop")
                    : hc_fail(diag, HC_ERR_TIMEOUT, "the cluster did not answer in time");
}

enum hc_err cluster_call(struct cluster *cluster, const char *method, const char *path, const char *body, int64_t timeout_ms,
                         struct cluster_answer *ret_answer, struct hc_diag *diag)
{
    *ret_answer = (struct cluster_answer){ .retry_after_seconds = -1 };
    struct waiting waiting = { .answer = ret_answer };
    int64_t until_ms = os_monotonic_ms() + timeout_ms + ANSWER_SLACK_MS;
    if (cluster->multi == NULL && client_multi_open(&cluster->options, &cluster->multi, diag) != HC_OK)
        return HC_ERR_NOMEM;
    enum hc_err err = client_multi_call(cluster->multi, 0, method, path, cluster->token, body, timeout_ms, on_done, &waiting);
    if (err != HC_OK)
        return hc_fail(diag, err, "the call %s cannot be made: %s", path, hc_err_text(err));
    while (!waiting.done && !atomic_load(cluster->stop) && os_monotonic_ms() < until_ms)
        client_multi_turn(cluster->multi, TURN_MS);
    if (!waiting.done)
        return give_up(cluster, &waiting, diag);
    return waiting.err == HC_OK ? HC_OK : hc_fail(diag, waiting.err, "the cluster does not answer: %s", hc_err_text(waiting.err));
}

int64_t cluster_backoff_ms(unsigned failures, uint32_t random)
{
    int64_t ms = BACKOFF_FIRST_MS;
    for (unsigned i = 1; i < failures && ms < BACKOFF_MAX_MS; i++)
        ms *= 2;
    ms = ms < BACKOFF_MAX_MS ? ms : BACKOFF_MAX_MS;
    return ms - ms / 2 + (int64_t)(random % (uint32_t)(ms / 2 + 1));
}

void cluster_silent(struct cluster_silence *silence, const atomic_bool *stop, const char *event, long status, const struct hc_diag *diag)
{
    uint32_t random;
    os_random(&random, sizeof random);
    if (!silence->told || silence->told_status != status)
        hc_log(HC_LOG_WARNING, event, "status=%ld detail=%s", status, hc_logq(diag->text));
    silence->told = true;
    silence->told_status = status;
    int64_t until_ms = os_monotonic_ms() + cluster_backoff_ms(++silence->failures, random);
    while (!atomic_load(stop) && os_monotonic_ms() < until_ms)
        os_pause_ms(NOTICE_STOP_MS);
}

unsigned cluster_heard(struct cluster_silence *silence)
{
    unsigned failures = silence->failures;
    *silence = (struct cluster_silence){ 0 };
    return failures;
}
