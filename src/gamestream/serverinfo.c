#include "hydra/gamestream/serverinfo.h"

#include <stdlib.h>
#include <string.h>

#include "call.h"

#define BUSY_SUFFIX "_SERVER_BUSY"
#define PORT_MAX    65535

static bool ends_with(const char *text, const char *suffix)
{
    size_t len = strlen(text), tail = strlen(suffix);
    return len >= tail && strcmp(text + len - tail, suffix) == 0;
}

static long long number_in(const struct gs_xml *root, const char *name, long long low, long long high)
{
    const char *text = gs_xml_text(root, name);
    char *end = NULL;
    long long value = text == NULL || text[0] == '\0' ? 0 : strtoll(text, &end, 10);
    return end == NULL || *end != '\0' || value < low || value > high ? 0 : value;
}

/* Too long for its place is no host's answer. */
static bool take_text(const struct gs_xml *root, const char *name, char *to, size_t size)
{
    const char *text = gs_xml_text(root, name);
    if (text != NULL && strlen(text) >= size)
        return false;
    hc_copy(to, size, text == NULL ? "" : text);
    return true;
}

static enum hc_err read_info(const struct gs_xml *root, struct gs_serverinfo *info, struct hc_diag *diag)
{
    *info = (struct gs_serverinfo){ 0 };
    char state[GS_TEXT_SIZE];
    bool ok = take_text(root, "hostname", info->hostname, sizeof info->hostname) &&
              take_text(root, "uniqueid", info->unique_id, sizeof info->unique_id) &&
              take_text(root, "appversion", info->app_version, sizeof info->app_version) && take_text(root, "state", state, sizeof state);
    /* Its id names a file in which its certificate is kept. */
    if (!ok || !hc_id_ok(info->unique_id) || state[0] == '\0')
        return hc_fail(diag, HC_ERR_SYNTAX, "the host's answer is no serverinfo: hostname, uniqueid or state is missing or too long");
    info->busy = ends_with(state, BUSY_SUFFIX);
    info->current_game = info->busy ? number_in(root, "currentgame", 0, INT32_MAX) : 0;
    info->generation = (int)strtol(info->app_version, NULL, 10);
    info->https_port = (uint16_t)number_in(root, "HttpsPort", 0, PORT_MAX);
    info->pair_status = hc_same(gs_xml_text(root, "PairStatus"), "1");
    return HC_OK;
}

static enum hc_err ask(const struct gs_host *host, const struct gs_client *client, enum gs_channel channel, const char *pinned_cert,
                       int64_t timeout_ms, struct gs_answer *answer, struct hc_diag *diag)
{
    struct hc_buf query = { 0 };
    gs_query_begin(client, &query);
    enum hc_err err = query.failed ? HC_ERR_NOMEM : HC_OK;
    const struct gs_request request = { .channel = channel, .path = "/serverinfo", .query = query.data, .pinned_cert = pinned_cert,
                                        .timeout_ms = timeout_ms };
    *answer = (struct gs_answer){ 0 };
    if (err == HC_OK)
        err = gs_call(host, client, &request, answer, diag);
    hc_buf_free(&query);
    return err;
}

enum hc_err gs_serverinfo(const struct gs_host *host, const struct gs_client *client, int64_t timeout_ms, struct gs_serverinfo *ret_info,
                          struct hc_diag *diag)
{
    struct gs_answer answer;
    enum hc_err err = ask(host, client, GS_HTTP, NULL, timeout_ms, &answer, diag);
    if (err == HC_OK && answer.status != 200)
        err = hc_fail(diag, HC_ERR_NET, "the host answered serverinfo with %ld %.100s", answer.status, answer.message);
    if (err == HC_OK)
        err = read_info(answer.root, ret_info, diag);
    gs_answer_free(&answer);
    return err;
}

void gs_verified_free(struct gs_verified *verified)
{
    hc_buf_free(&verified->peer_cert);
    *verified = (struct gs_verified){ .verdict = GS_UNKNOWN };
}

/* The reference's table: a proof needs the pinned certificate and an answer that makes sense. */
static enum gs_verdict judge(enum hc_err err, const struct gs_answer *answer, struct gs_verified *ret)
{
    if (answer->other_certificate)
        return answer->peer_cert.len > 0 ? GS_ROTATED : GS_UNKNOWN;
    if (err != HC_OK)
        return GS_UNKNOWN;
    if (answer->status == 401) {
        (void)hc_fail(&ret->why, HC_OK, "the host does not know our certificate, or it was disabled there: %.100s", answer->message);
        return GS_NOT_PAIRED;
    }
    if (answer->status != 200) {
        (void)hc_fail(&ret->why, HC_OK, "the host answered %ld %.100s", answer->status, answer->message);
        return GS_UNKNOWN;
    }
    if (read_info(answer->root, &ret->info, &ret->why) != HC_OK)
        return GS_UNKNOWN;
    if (!ret->info.pair_status) {
        (void)hc_fail(&ret->why, HC_OK, "the host let us in and says that we are not paired: that proves nothing");
        return GS_UNKNOWN;
    }
    return GS_PAIRED;
}

void gs_verify(const struct gs_host *host, const struct gs_client *client, const char *pinned_cert, int64_t timeout_ms,
               struct gs_verified *ret_verified)
{
    *ret_verified = (struct gs_verified){ .verdict = GS_NOT_PAIRED };
    if (pinned_cert == NULL) {
        (void)hc_fail(&ret_verified->why, HC_OK, "no certificate of this host is stored");
        return;
    }
    struct gs_answer answer;
    enum hc_err err = ask(host, client, GS_HTTPS, pinned_cert, timeout_ms, &answer, &ret_verified->why);
    HC_SET(ret_verified->peer_fingerprint, answer.peer_fingerprint);
    ret_verified->verdict = judge(err, &answer, ret_verified);
    if (ret_verified->verdict == GS_ROTATED) {
        ret_verified->peer_cert = answer.peer_cert;
        answer.peer_cert = (struct hc_buf){ 0 };
    }
    gs_answer_free(&answer);
}
