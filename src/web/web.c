/* web.c - which path is the page's, who may see it, and how its answers are dressed. */
#include "hydra/web/web.h"

#include <stdio.h>
#include <string.h>

#include "attempts.h"
#include "embedded.h"
#include "form.h"
#include "hydra/auth/session.h"
#include "hydra/base/log.h"

#define FILES_PATH     "/page/"
#define FORM_MAX       ((size_t)4096)     /* bytes of a posted login */
#define NEXT_SIZE      257
#define TOKEN_SIZE     (AUTH_TOKEN_MAX + 64)      /* pasted with blanks around it */
#define COOKIE_SIZE    (AUTH_COOKIE_SIZE + 128)
#define MESSAGE_SIZE   160

/* The page loads from this server alone, runs nothing that stands in it, and nobody frames it. */
static const char policy[] = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                             "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

struct web {
    struct web_config config;
    struct http_owner owner;
    const struct http_owner *api;
    struct attempts attempts;
};

typedef void page_handler(struct web *web, struct http_request *req);
struct page { const char *path; enum http_method method; page_handler *handler; };

/* ---- answers ---- */

static void dress(struct http_request *req)
{
    http_header_add(req, "Content-Security-Policy", policy);
    http_header_add(req, "X-Content-Type-Options", "nosniff");
    http_header_add(req, "X-Frame-Options", "DENY");
    /* not no-referrer: a form that is posted would then tell no Origin */
    http_header_add(req, "Referrer-Policy", "same-origin");
}

/* What happens to this request is told in the page, so an error is a page too. */
static void answer_template(struct http_request *req, unsigned status, const char *name, const struct form_value *values, size_t count)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf page = { 0 };
    const struct web_file *file = web_file_find(name);
    if (file != NULL)
        form_fill((const char *)file->bytes, file->len, values, count, &page);
    dress(req);
    http_header_add(req, "Cache-Control", "no-store");
    if (file == NULL || page.failed)
        http_answer(req, 500, "text/plain", "no memory for the page\n", strlen("no memory for the page\n"));
    else
        http_answer(req, status, file->type, page.data, page.len);
}

static void redirect(struct http_request *req, const char *to)
{
    http_header_add(req, "Location", to);
    http_header_add(req, "Cache-Control", "no-store");
    http_answer(req, 303, NULL, "", 0);
}

static void answer_login(struct http_request *req, unsigned status, const char *next, const char *message)
{
    const struct form_value values[] = { { "next", next }, { "message", message } };
    answer_template(req, status, "login.html", values, sizeof values / sizeof values[0]);
}

/* ---- pages ---- */

static void board_get(struct web *web, struct http_request *req)
{
    struct principal who;
    (void)api_who(web->config.api, req, &who);
    if (who.kind == PRINCIPAL_ADMIN || who.kind == PRINCIPAL_READ) {
        const struct form_value values[] = { { "role", who.kind == PRINCIPAL_ADMIN ? "admin" : "read" } };
        answer_template(req, 200, "index.html", values, 1);
        return;
    }
    redirect(req, "/login?next=/");
}

static void login_get(struct web *web, struct http_request *req)
{
    (void)web;
    const char *next = http_query(req, "next");
    answer_login(req, 200, form_next(next == NULL ? "/" : next), "");
}

static char *trim(char *text)
{
    static const char blanks[] = " \t\r\n";
    text += strspn(text, blanks);
    size_t len = strlen(text);
    while (len > 0 && strchr(blanks, text[len - 1]) != NULL)
        text[--len] = '\0';
    return text;
}

/* The cookie goes over HTTPS alone where there is HTTPS: our own, or that of the proxy in front, which says so. */
static bool is_secure(const struct web *web, const struct http_request *req)
{
    const char *proto = http_header(req, "X-Forwarded-Proto");
    return web->config.tls || (proto != NULL && strcmp(proto, "https") == 0);
}

static void set_cookie(const struct web *web, struct http_request *req, const char *value, int64_t seconds)
{
    char cookie[COOKIE_SIZE];
    (void)snprintf(cookie, sizeof cookie, AUTH_COOKIE_NAME "=%s; Path=/; Max-Age=%lld; HttpOnly; SameSite=Lax%s", value, (long long)seconds,
                   is_secure(web, req) ? "; Secure" : "");
    http_header_add(req, "Set-Cookie", cookie);
}

/* A page of another site may not log anybody in or out. A program that sends no Origin has no cookies to be misused. */
static bool from_elsewhere(const struct web *web, struct http_request *req)
{
    return http_header(req, "Origin") != NULL && !api_from_own_page(web->config.api, req);
}

/* True: the address must wait, and was told how long. */
static bool told_to_wait(struct web *web, struct http_request *req, const char *next)
{
    int64_t wait_ms = attempts_wait_ms(&web->attempts, http_peer(req), web->config.monotonic_ms());
    if (wait_ms == 0)
        return false;
    char message[MESSAGE_SIZE], seconds[24];
    (void)snprintf(seconds, sizeof seconds, "%lld", (long long)((wait_ms + 999) / 1000));
    (void)snprintf(message, sizeof message, "Too many wrong tokens came from this address. Wait %s seconds, then try again.", seconds);
    http_header_add(req, "Retry-After", seconds);
    answer_login(req, 429, next, message);
    return true;
}

static void login_post(struct web *web, struct http_request *req)
{
    size_t len = 0;
    const char *form = http_body(req, &len);
    char text[TOKEN_SIZE] = "", next_text[NEXT_SIZE] = "/", cookie[AUTH_COOKIE_SIZE];
    struct principal who;
    const char *next = form_field(form, len, "next", next_text, sizeof next_text) ? form_next(next_text) : "/";
    if (from_elsewhere(web, req)) {
        answer_login(req, 403, "/", "This form came from another address than this page's. Open the page anew, and log in here.");
        return;
    }
    if (told_to_wait(web, req, next))
        return;
    bool read = form_field(form, len, "token", text, sizeof text);
    bool right = read && api_login(web->config.api, trim(text), &who, cookie);
    explicit_bzero(text, sizeof text);
    if (right) {
        attempts_right(&web->attempts, http_peer(req));
        hc_log(HC_LOG_INFO, "page_login", "token_id=%s address=%s", who.id, hc_logq(http_peer(req)));
        set_cookie(web, req, cookie, AUTH_SESSION_SECONDS);
        redirect(req, next);
        return;
    }
    attempts_wrong(&web->attempts, http_peer(req), web->config.monotonic_ms());
    hc_log(HC_LOG_NOTICE, "page_login_refused", "address=%s", hc_logq(http_peer(req)));
    if (!told_to_wait(web, req, next))
        answer_login(req, 401, next, "This is not the token of an operator. Tokens come from “hydraclusterd token new”.");
}

static void logout_post(struct web *web, struct http_request *req)
{
    if (from_elsewhere(web, req)) {
        answer_login(req, 403, "/", "Only the page itself logs out.");
        return;
    }
    set_cookie(web, req, "gone", 0);
    redirect(req, "/login");
}

/* ---- files ---- */

static bool has_etag(const struct http_request *req, const char *etag)
{
    const char *known = http_header(req, "If-None-Match");
    return known != NULL && strstr(known, etag) != NULL;
}

static void file_get(struct web *web, struct http_request *req)
{
    (void)web;
    const struct web_file *file = web_file_find(http_path(req) + strlen(FILES_PATH));
    dress(req);
    http_header_add(req, "Cache-Control", "no-cache");
    http_header_add(req, "ETag", file->etag);
    if (has_etag(req, file->etag))
        http_answer(req, 304, NULL, "", 0);
    else
        http_answer(req, 200, file->type, (const char *)file->bytes, file->len);
}

/* ---- dispatch ---- */

static const struct page pages[] = {
    { "/", HTTP_GET, board_get },
    { "/login", HTTP_GET, login_get },
    { "/login", HTTP_POST, login_post },
    { "/logout", HTTP_POST, logout_post },
};

#define PAGES (sizeof pages / sizeof pages[0])

size_t web_routes(const struct api_route_doc **ret_routes)
{
    static struct api_route_doc docs[PAGES + 1];
    for (size_t i = 0; i < PAGES; i++)
        docs[i] = (struct api_route_doc){ pages[i].method, pages[i].path, SCOPE_PUBLIC, 0 };
    docs[PAGES] = (struct api_route_doc){ HTTP_GET, FILES_PATH "{name}", SCOPE_PUBLIC, 0 };
    *ret_routes = docs;
    return PAGES + 1;
}

static bool is_file(const char *path)
{
    size_t start = strlen(FILES_PATH), len = strlen(path);
    /* templates are pages, not files */
    bool html = len > 5 && strcmp(path + len - 5, ".html") == 0;
    return strncmp(path, FILES_PATH, start) == 0 && !html && web_file_find(path + start) != NULL;
}

/* `ret_allow`: what the path serves, "" when it is not ours. */
static page_handler *find_page(const struct http_request *req, const char **ret_route, const char **ret_allow)
{
    const char *path = http_path(req);
    enum http_method method = http_method(req);
    page_handler *found = NULL;
    *ret_allow = "";
    if (is_file(path)) {
        *ret_route = FILES_PATH "{name}";
        *ret_allow = "GET, HEAD";
        return method == HTTP_GET || method == HTTP_HEAD ? file_get : NULL;
    }
    bool get = false, post = false;
    for (size_t i = 0; i < PAGES; i++) {
        if (strcmp(pages[i].path, path) != 0)
            continue;
        *ret_route = pages[i].path;
        get = get || pages[i].method == HTTP_GET;
        post = post || pages[i].method == HTTP_POST;
        if (pages[i].method == method || (pages[i].method == HTTP_GET && method == HTTP_HEAD))
            found = pages[i].handler;
    }
    *ret_allow = get && post ? "GET, HEAD, POST" : get ? "GET, HEAD" : post ? "POST" : "";
    return found;
}

static void begin(void *ctx, struct http_request *req)
{
    static const char refused[] = "{\"error\":\"method_not_allowed\",\"code\":405,\"detail\":\"This route has other methods.\"}";
    struct web *web = ctx;
    const char *route, *allow;
    page_handler *page = find_page(req, &route, &allow);
    if (allow[0] == '\0') {
        web->api->begin(web->api->ctx, req);
        return;
    }
    http_set_route(req, route);
    http_set_body_limit(req, FORM_MAX);
    if (page == NULL) {
        http_header_add(req, "Allow", allow);
        http_answer(req, 405, NULL, refused, sizeof refused - 1);
    }
}

static void ready(void *ctx, struct http_request *req)
{
    struct web *web = ctx;
    const char *route, *allow;
    page_handler *page = find_page(req, &route, &allow);
    if (page == NULL)
        web->api->ready(web->api->ctx, req);
    else
        page(web, req);
}

static void done(void *ctx, struct http_request *req)
{
    struct web *web = ctx;
    const char *route, *allow;
    (void)find_page(req, &route, &allow);
    if (allow[0] == '\0')
        web->api->done(web->api->ctx, req);
}

enum hc_err web_new(const struct web_config *config, struct web **ret_web, struct hc_diag *diag)
{
    struct web *web = hc_alloc(sizeof *web);
    if (web == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "no memory for the operator page");
    web->config = *config;
    web->api = api_owner(config->api);
    web->owner = (struct http_owner){ .ctx = web, .begin = begin, .ready = ready, .done = done };
    *ret_web = web;
    return HC_OK;
}

void web_free(struct web *web)
{
    hc_free(web);
}

const struct http_owner *web_owner(struct web *web)
{
    return &web->owner;
}
