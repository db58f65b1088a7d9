/* api.c - the api as the daemon sees it: made, turned, told to stop. */
#include "pipeline.h"

#include "hydra/base/arena.h"
#include "screenshots.h"

enum hc_err api_new(const struct api_config *config, struct api **ret_api, struct hc_diag *diag)
{
    struct api *api = hc_alloc(sizeof *api);
    if (api == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "no memory for the api");
    api->config = *config;
    api->owner = (struct http_owner){ .ctx = api, .begin = call_begin, .ready = call_ready, .done = call_done };
    api->started_at = config->now();
    api->started_ms = config->monotonic_ms();
    api->signs = signs_new();
    api->screenshots = screenshots_new();
    enum hc_err err = api->signs == NULL || api->screenshots == NULL ? hc_fail(diag, HC_ERR_NOMEM, "no memory for the api") : HC_OK;
    if (err != HC_OK) {
        api_free(api);
        return err;
    }
    engine_on_news(config->engine, wait_news, api);
    *ret_api = api;
    return HC_OK;
}

void api_free(struct api *api)
{
    if (api == NULL)
        return;
    signs_free(api->signs);
    screenshots_free(api->screenshots);
    hc_free(api);
}

const struct http_owner *api_owner(struct api *api)
{
    return &api->owner;
}

void api_turn(struct api *api)
{
    wait_turn(api);
    events_turn(api);
    enroll_turn(api);
}

void api_stopping(struct api *api)
{
    api->stopping = true;
}

void api_configure(struct api *api, const struct api_config *config)
{
    api->config.sunshine = config->sunshine;
    api->config.sunshine_count = config->sunshine_count;
    api->config.enrol_pending = config->enrol_pending;
    api->config.metrics_on_loopback = config->metrics_on_loopback;
    api->config.server_url = config->server_url;
}
