#include "hydra/client/client.h"

#include "hydra/base/arena.h"
#include "request.h"

struct client { struct target target; struct request request; };

enum hc_err client_open(const struct client_options *options, struct client **ret_client, struct hc_diag *diag)
{
    struct client *client = hc_alloc(sizeof *client);
    if (client == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "no memory for the client");
    enum hc_err err = target_init(&client->target, options, diag);
    if (err == HC_OK)
        err = request_init(&client->request, diag);
    if (err != HC_OK) {
        (void)client_close(client);
        return err;
    }
    *ret_client = client;
    return HC_OK;
}

struct client *client_close(struct client *client)
{
    if (client != NULL) {
        request_free(&client->request);
        target_free(&client->target);
        hc_free(client);
    }
    return NULL;
}

enum hc_err client_call(struct client *client, const char *method, const char *path, const char *token, const char *body,
                        struct client_answer *ret_answer, struct hc_diag *diag)
{
    struct request *request = &client->request;
    const struct request_spec spec = { .method = method, .path = path, .token = token, .body = body };
    enum hc_err err = request_prepare(request, &client->target, &spec, diag);
    if (err != HC_OK)
        return err;
    err = request_finish(request, curl_easy_perform(request->easy), diag);
    if (err != HC_OK)
        return err;
    *ret_answer = request->answer;              /* handed over: the caller frees it */
    request->answer = (struct client_answer){ .retry_after_seconds = -1 };
    return HC_OK;
}
