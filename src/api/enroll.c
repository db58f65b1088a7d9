/* enroll.c - GET /enroll: the page with the fleet's QR code, to be looked at or printed (wire §1).
 *
 * The token is in the picture and nowhere else: not in the page's text, its address, its title or a log. The page loads nothing, runs
 * nothing, and no cache keeps it. */
#include <stdio.h>
#include <string.h>

#include "hydra/crypto/digest.h"
#include "pipeline.h"
#include "qr_svg.h"

#define WAIT_MS       5000        /* for a token that is being made: its file is written first */
#define RETRY_S       5
#define NONCE_BYTES   16
#define POLICY_SIZE   256

static const char style[] =
    ":root{color-scheme:light dark}"
    "body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:2rem auto;padding:0 1rem}"
    "svg{display:block;width:100%;max-width:22rem;height:auto;margin:1.5rem auto}"
    "code{overflow-wrap:anywhere}"
    "@media print{body{margin:0 auto}svg{max-width:12cm}.screen{display:none}}";

/* Text of an element. */
static void write_text(const char *text, struct hc_buf *out)
{
    for (; *text != '\0'; text++)
        switch (*text) {
        case '&':
            hc_buf_str(out, "&amp;");
            break;
        case '<':
            hc_buf_str(out, "&lt;");
            break;
        case '>':
            hc_buf_str(out, "&gt;");
            break;
        default:
            hc_buf_char(out, *text);
            break;
        }
}

static enum hc_err write_code(const char *server_url, const char *token, struct hc_buf *page)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf json = { 0 };
    hc_buf_str(&json, "{\"server_url\":");
    hc_buf_json_str(&json, server_url);
    hc_buf_str(&json, ",\"enrollment_token\":");
    hc_buf_json_str(&json, token);
    hc_buf_char(&json, '}');
    return json.failed ? HC_ERR_NOMEM : qr_svg(json.data, "QR code for enrolling a device", page);
}

static enum hc_err write_page(const struct api_config *config, const char *nonce, const char *token, const char *token_id,
                              struct hc_buf *page)
{
    hc_buf_str(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>Enrol a device</title>\n");
    hc_buf_printf(page, "<style nonce=\"%s\">%s</style>\n</head>\n<body>\n<h1>Enrol a device</h1>\n", nonce, style);
    hc_buf_str(page, "<p>Scan this with the Hydra app of a new head. It joins <code>");
    write_text(config->server_url, page);
    hc_buf_str(page, "</code>.</p>\n");
    enum hc_err err = write_code(config->server_url, token, page);
    hc_buf_printf(page, "\n<p>Id of its enrolment token: <code>%s</code></p>\n", token_id);
    hc_buf_str(page, "<p class=\"screen\">Whoever sees this code can enrol devices. If it got into wrong hands, run "
                     "<code>hydraclusterd token revoke</code> with the id above; this page then shows another. Devices that are "
                     "enrolled stay.</p>\n</body>\n</html>\n");
    return err == HC_OK && page->failed ? HC_ERR_NOMEM : err;
}

static void add_headers(struct call *call, const char *nonce)
{
    char policy[POLICY_SIZE];
    (void)snprintf(policy, sizeof policy, "default-src 'none'; style-src 'nonce-%s'; base-uri 'none'; form-action 'none'; "
                   "frame-ancestors 'none'", nonce);
    http_header_add(call->req, "Content-Security-Policy", policy);
    http_header_add(call->req, "Cache-Control", "no-store");
    http_header_add(call->req, "X-Content-Type-Options", "nosniff");
    http_header_add(call->req, "X-Frame-Options", "DENY");
    http_header_add(call->req, "Referrer-Policy", "no-referrer");
}

static void answer_page(struct call *call, const char *token, const char *token_id)
{
    uint8_t random[NONCE_BYTES];
    char nonce[2 * NONCE_BYTES + 1];
    struct hc_buf page = { 0 };
    call->api->config.random(random, sizeof random);
    hc_hex(random, sizeof random, nonce);
    enum hc_err err = write_page(&call->api->config, nonce, token, token_id, &page);
    if (err == HC_OK) {
        add_headers(call, nonce);
        call_bytes(call, 200, "text/html; charset=utf-8", page.data, page.len);
    } else {
        call_fault(call, err);
    }
    if (page.data != NULL)
        crypto_wipe(page.data, page.len);
    hc_buf_free(&page);
}

/* ---- the wait for a token that is being made ---- */

static void stop_waiting(struct call *call)
{
    struct call **at = &call->api->enroll_waiting;
    while (*at != NULL && *at != call)
        at = &(*at)->next;
    if (*at == call)
        *at = call->next;
}

static void unavailable(struct call *call)
{
    call_error(call, 503, "store_unavailable", "The enrolment token could not be stored; ask again.", NULL, RETRY_S);
}

static void too_late(struct http_request *req)
{
    struct call *call = http_user(req);
    stop_waiting(call);
    if (call->api->stopping)
        call_error(call, 503, "stopping", "The service is stopping; ask again.", NULL, RETRY_S);
    else
        unavailable(call);
}

/* False: not yet. */
static bool try_answer(struct call *call)
{
    const struct api_config *config = &call->api->config;
    char token[API_TOKEN_SIZE] = "", id[HC_ID_SIZE] = "";
    enum api_enrolment got = config->enrolment == NULL ? API_ENROLMENT_FAILED : config->enrolment(config->operator_ctx, token, id);
    if (got == API_ENROLMENT_READY)
        answer_page(call, token, id);
    else if (got == API_ENROLMENT_FAILED)
        unavailable(call);
    crypto_wipe(token, sizeof token);
    return got != API_ENROLMENT_LATER;
}

static void enroll_get(struct call *call)
{
    if (http_method(call->req) == HTTP_HEAD) {            /* shows no code, so it makes none */
        call_empty(call, 200);
        return;
    }
    if (try_answer(call))
        return;
    call->gone = stop_waiting;
    call->next = call->api->enroll_waiting;
    call->api->enroll_waiting = call;
    http_park(call->req, HTTP_PARK_COMMIT, call->api->config.monotonic_ms() + WAIT_MS, too_late);
}

void enroll_turn(struct api *api)
{
    for (struct call *call = api->enroll_waiting, *next; call != NULL; call = next) {
        next = call->next;
        if (!call_still_allowed(call) || try_answer(call))
            stop_waiting(call);
    }
}

const struct api_route enroll_routes[] = {
    { HTTP_GET, "/enroll", SCOPE_ADMIN, 0, enroll_get },
    { 0 },
};
