#include "hydra/gamestream/launch.h"

#include <stdlib.h>
#include <string.h>

#include "call.h"

#define CRC32_POLYNOMIAL UINT32_C(0xedb88320)

int64_t gs_app_id(const char *name)
{
    uint32_t crc = UINT32_MAX;
    for (const unsigned char *at = (const unsigned char *)name; *at != '\0'; at++) {
        crc ^= *at;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? CRC32_POLYNOMIAL : 0);
    }
    int64_t number = (int32_t)~crc;
    return number < 0 ? -number : number;
}

static enum hc_err ask(const struct gs_host *host, const struct gs_client *client, const char *path, struct hc_buf *query,
                       const char *pinned_cert, int64_t timeout_ms, struct gs_answer *answer, struct hc_diag *diag)
{
    const struct gs_request request = { .channel = GS_HTTPS, .path = path, .query = query->data, .pinned_cert = pinned_cert,
                                        .timeout_ms = timeout_ms };
    *answer = (struct gs_answer){ 0 };
    enum hc_err err = query->failed ? hc_fail(diag, HC_ERR_NOMEM, "no memory") : gs_call(host, client, &request, answer, diag);
    hc_buf_free(query);
    return err;
}

static enum hc_err not_200(const struct gs_answer *answer, const char *what, struct hc_diag *diag)
{
    return hc_fail(diag, HC_ERR_NET, "the host answered %s with %ld %.100s", what, answer->status, answer->message);
}

static enum hc_err read_apps(const struct gs_xml *root, struct hc_arena *arena, struct gs_app **ret_apps, size_t *ret_count,
                             struct hc_diag *diag)
{
    struct gs_app *apps = hc_arena_array(arena, GS_APPS_MAX, sizeof *apps);
    size_t count = 0;
    if (apps == NULL)
        return HC_ERR_NOMEM;
    for (const struct gs_xml *app = root->child; app != NULL; app = app->next) {
        const char *title = gs_xml_text(app, "AppTitle"), *id = gs_xml_text(app, "ID");
        char *end = NULL;
        long long number = id == NULL ? 0 : strtoll(id, &end, 10);
        if (!hc_same(app->name, "App") || title == NULL || id == NULL || id[0] == '\0' || *end != '\0' || number <= 0)
            continue;                       /* without title or id it cannot be asked for */
        if (count == GS_APPS_MAX)
            return hc_fail(diag, HC_ERR_LIMIT, "the host has more than %d applications", GS_APPS_MAX);
        apps[count] = (struct gs_app){ .title = hc_arena_strdup(arena, title), .id = number };
        if (apps[count++].title == NULL)
            return HC_ERR_NOMEM;
    }
    *ret_apps = apps;
    *ret_count = count;
    return HC_OK;
}

enum hc_err gs_applist(const struct gs_host *host, const struct gs_client *client, const char *pinned_cert, int64_t timeout_ms,
                       struct hc_arena *arena, struct gs_app **ret_apps, size_t *ret_count, struct hc_diag *diag)
{
    struct hc_buf query = { 0 };
    struct gs_answer answer;
    gs_query_begin(client, &query);
    enum hc_err err = ask(host, client, "/applist", &query, pinned_cert, timeout_ms, &answer, diag);
    if (err == HC_OK && answer.status != 200)
        err = not_200(&answer, "the list of applications", diag);
    if (err == HC_OK)
        err = read_apps(answer.root, arena, ret_apps, ret_count, diag);
    gs_answer_free(&answer);
    return err;
}

static enum gs_launch_verdict verdict_of(enum gs_verdict verdict)
{
    return verdict == GS_NOT_PAIRED ? GS_LAUNCH_NOT_PAIRED : verdict == GS_ROTATED ? GS_LAUNCH_ROTATED : GS_LAUNCH_UNKNOWN;
}

static void launch_query(const struct gs_client *client, const struct gs_launch *launch, struct hc_buf *query)
{
    gs_query_begin(client, query);
    hc_buf_printf(query, "&appid=%lld&mode=%ux%ux%u&additionalStates=1&sops=0", (long long)launch->app_id, launch->width, launch->height,
                  launch->fps);
    gs_query_hex(query, "rikey", launch->key, sizeof launch->key);
    hc_buf_printf(query, "&rikeyid=%d&localAudioPlayMode=0&surroundAudioInfo=196610&corever=1", launch->key_id);
}

static enum gs_launch_verdict judge(enum hc_err err, const struct gs_answer *answer, struct hc_buf *ret_session_url, struct hc_diag *diag)
{
    if (answer->other_certificate)
        return GS_LAUNCH_ROTATED;
    if (err != HC_OK)
        return GS_LAUNCH_UNKNOWN;
    if (answer->status == 401)
        return GS_LAUNCH_NOT_PAIRED;
    if (answer->status == 200 && hc_same(gs_xml_text(answer->root, "gamesession"), "1")) {
        const char *url = gs_xml_text(answer->root, "sessionUrl0");
        hc_buf_str(ret_session_url, url == NULL ? "" : url);
        return ret_session_url->failed ? GS_LAUNCH_UNKNOWN : GS_LAUNCHED;
    }
    (void)not_200(answer, "the launch", diag);
    /* 400 with a game: somebody was quicker between our look and our call */
    return answer->status == 400 && gs_xml_text(answer->root, "resume") != NULL ? GS_LAUNCH_BUSY : GS_LAUNCH_REFUSED;
}

enum gs_launch_verdict gs_launch_app(const struct gs_host *host, const struct gs_client *client, const char *pinned_cert,
                                     const struct gs_launch *launch, struct hc_buf *ret_session_url, struct hc_diag *diag)
{
    if (launch->app_id <= 0) {              /* 0 starts no application, and has ended whole hosts (rules §13.7) */
        (void)hc_fail(diag, HC_ERR_RANGE, "no application has the id %lld", (long long)launch->app_id);
        return GS_LAUNCH_REFUSED;
    }
    struct gs_verified before;
    gs_verify(host, client, pinned_cert, launch->timeout_ms, &before);
    enum gs_launch_verdict verdict = GS_LAUNCH_BUSY;
    if (before.verdict != GS_PAIRED)
        verdict = verdict_of(before.verdict);
    bool may = before.verdict == GS_PAIRED && !before.info.busy;
    if (!may)
        (void)hc_fail(diag, HC_OK, "%s", before.verdict == GS_PAIRED ? "an application runs on the host" : before.why.text);
    gs_verified_free(&before);
    if (!may)
        return verdict;
    struct hc_buf query = { 0 };
    struct gs_answer answer;
    launch_query(client, launch, &query);
    enum hc_err err = ask(host, client, "/launch", &query, pinned_cert, launch->timeout_ms, &answer, diag);
    verdict = judge(err, &answer, ret_session_url, diag);
    gs_answer_free(&answer);
    return verdict;
}

enum hc_err gs_cancel_own(const struct gs_host *host, const struct gs_client *client, const char *pinned_cert, int64_t app_id,
                          int64_t timeout_ms, struct hc_diag *diag)
{
    struct gs_verified before;
    gs_verify(host, client, pinned_cert, timeout_ms, &before);
    enum hc_err err = HC_OK;
    if (before.verdict != GS_PAIRED)
        err = hc_fail(diag, HC_ERR_NET, "the host cannot be asked what it runs: %.300s", before.why.text);
    else if (before.info.busy && before.info.current_game != app_id)
        err = hc_fail(diag, HC_ERR_STATE, "another application runs on the host: it is not ours to end");
    bool ask_for_it = err == HC_OK && before.info.busy;
    gs_verified_free(&before);
    if (!ask_for_it)
        return err;
    struct hc_buf query = { 0 };
    struct gs_answer answer;
    gs_query_begin(client, &query);
    err = ask(host, client, "/cancel", &query, pinned_cert, timeout_ms, &answer, diag);
    if (err == HC_OK && answer.status != 200)
        err = not_200(&answer, "the end of our application", diag);
    gs_answer_free(&answer);
    return err;
}
