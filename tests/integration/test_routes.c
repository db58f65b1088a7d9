/* test_routes.c - a walk over the tables of the wire contract: every route is there, and answers 401 without a token, 403 to the wrong one,
 * 405 with Allow to another method. The table below is the contract; the daemon's own table of routes must be the same set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/api/api.h"
#include "hydra/web/web.h"
#include "raw.h"
#include "scene.h"

#define PATH_SIZE   512
#define ABSENT      "node-00000000"
#define ANSWER_MS   20000

/* Who: P public, F fleet, N any node, B a node with role body, H one with role head,
 * S the node that {id} names, A admin, R read, L anybody on loopback.
 * {id} stands for a head, with a b at the end for a body. */
struct row { const char *method, *path, *who; };
static const struct row rows[] = {
    { "POST", "/api/v1/heads", "F" }, { "GET", "/api/v1/heads", "AR" }, { "POST", "/api/v1/nodes", "AF" }, { "GET", "/api/v1/nodes", "AR" },
    { "GET", "/api/v1/nodes/{id}", "AR" }, { "PUT", "/api/v1/nodes/{id}", "A" }, { "DELETE", "/api/v1/nodes/{id}", "A" },
    { "POST", "/api/v1/nodes/{id}/token", "A" }, { "POST", "/api/v1/nodes/{id}/heartbeat", "S" },
    { "PUT", "/api/v1/nodes/{id}/slots", "A" }, { "POST", "/api/v1/nodes/{id}/drain", "A" }, { "DELETE", "/api/v1/nodes/{id}/drain", "A" },
    { "GET", "/api/v1/venues", "AR" }, { "GET", "/api/v1/venues/{venue}", "AR" }, { "PUT", "/api/v1/venues/{venue}", "A" },
    { "DELETE", "/api/v1/venues/{venue}", "A" }, { "GET", "/api/v1/orgs", "AR" }, { "GET", "/api/v1/orgs/{org}", "AR" },
    { "PUT", "/api/v1/orgs/{org}", "A" }, { "DELETE", "/api/v1/orgs/{org}", "A" }, { "GET", "/api/v1/experiences", "AR" },
    { "GET", "/api/v1/experiences/{name}", "AR" }, { "PUT", "/api/v1/experiences/{name}", "A" },
    { "DELETE", "/api/v1/experiences/{name}", "A" }, { "GET", "/api/v1/districts/{district}", "AR" },
    { "GET", "/api/v1/heads/{id}", "SAR" }, { "PUT", "/api/v1/heads/{id}", "SA" }, { "GET", "/api/v1/heads/{id}/experiences", "SAR" },
    { "GET", "/api/v1/heads/{id}/commands", "S" }, { "GET", "/api/v1/heads/{id}/xr-session", "S" },
    { "POST", "/api/v1/heads/{id}/xr-session", "S" }, { "DELETE", "/api/v1/heads/{id}/xr-session", "S" },
    { "DELETE", "/api/v1/heads/{id}/stream", "SA" }, { "GET", "/api/v1/heads/{id}/wireguard-config", "SA" },
    { "PUT", "/api/v1/heads/{id}/wireguard-config", "A" }, { "GET", "/api/v1/bodies/eligible", "NAR" },
    { "POST", "/api/v1/heads/{id}/slot-claims", "SA" }, { "POST", "/api/v1/heads/{id}/slot-claims/{lease_id}/renew", "SA" },
    { "DELETE", "/api/v1/heads/{id}/slot-claims/{lease_id}", "SA" }, { "GET", "/api/v1/heads/{id}/admission", "SAR" },
    { "POST", "/api/v1/heads/{id}/admission/accept", "SA" }, { "POST", "/api/v1/heads/{id}/streams", "SA" },
    { "GET", "/api/v1/heads/{id}/streams/{stream_id}", "SAR" }, { "DELETE", "/api/v1/heads/{id}/streams/{stream_id}", "SA" },
    { "GET", "/api/v1/streams", "AR" }, { "POST", "/api/v1/body/status", "B" }, { "GET", "/api/v1/bodies/{id}/desired", "Sb" },
    { "POST", "/api/v1/bodies/{id}/admit-observed", "Sb" }, { "GET", "/api/v1/bodies", "AR" }, { "GET", "/api/v1/slots", "AR" },
    { "GET", "/api/v1/allocation", "AR" }, { "GET", "/api/v1/conflicts", "AR" }, { "GET", "/api/v1/sessions", "AR" },
    { "GET", "/api/v1/sessions/history", "AR" }, { "GET", "/api/v1/queue", "AR" }, { "GET", "/api/v1/explain", "AR" },
    { "GET", "/api/v1/events", "AR" }, { "POST", "/api/v1/leases/{lease_id}/release", "A" },
    { "POST", "/api/v1/leases/{lease_id}/revoke", "A" }, { "POST", "/api/v1/nodes/{id}/circuit/reset", "A" },
    { "POST", "/api/v1/safe-mode/end", "A" }, { "GET", "/health", "P" }, { "GET", "/api/v1/health", "P" }, { "GET", "/livez", "P" },
    { "GET", "/api/v1/livez", "P" }, { "GET", "/readyz", "P" }, { "GET", "/api/v1/readyz", "P" }, { "GET", "/metrics", "ARL" },
    { "GET", "/api/v1/metrics", "ARL" }, { "POST", "/api/v1/heads/{id}/screenshot", "S" },
    { "POST", "/api/v1/heads/{id}/pair-leases", "SA" }, { "DELETE", "/api/v1/heads/{id}/pair-leases/{lease_id}", "SA" },
    { "POST", "/api/v1/nodes/{id}/ops", "A" }, { "GET", "/api/v1/nodes/{id}/ops/next", "S" },
    { "GET", "/api/v1/nodes/{id}/ops/{op_id}/result", "AR" }, { "POST", "/api/v1/nodes/{id}/ops/{op_id}/result", "S" },
    { "GET", "/api/v1/nodes/{id}/pairing", "AR" }, { "POST", "/api/v1/nodes/{id}/sunshine-pin", "Hb" },
    { "GET", "/api/v1/heads/{id}/screenshot", "A" }, { "GET", "/enroll", "A" },
    { "POST", "/api/v1/heads/{id}/device-identity", "SA" }, { "GET", "/api/v1/heads/{id}/device-identity", "SAR" },
    { "DELETE", "/api/v1/heads/{id}/device-identity", "A" }, { "PUT", "/api/v1/districts/{district}/per-device-identity", "A" },
    { "DELETE", "/api/v1/districts/{district}/per-device-identity", "A" }, { "GET", "/api/v1/migration", "AR" },
    { "GET", "/api/v1/backup", "A" }, { "GET", "/openapi.yaml", "AR" },
};
#define ROWS (sizeof rows / sizeof rows[0])

static struct node body, other_body, head, other_head, denied;
static char read_token[HOME_TOKEN_SIZE];

static void make_read_token(void)
{
    char program[512], line[PROCESS_LINE_MAX];
    program_path("HYDRACLUSTERD", "hydraclusterd", program, sizeof program);
    const char *const argv[] = { program, "token", "new", "read", "--data-dir", scene.home.data, NULL };
    struct process process;
    process_start(&process, argv, NULL, scene.home.log);
    while (process_line(&process, line, DAEMON_START_MS))
        if (strncmp(line, "token: ", strlen("token: ")) == 0)
            (void)snprintf(read_token, sizeof read_token, "%.200s", line + strlen("token: "));
    assert_int_equal(process_wait(&process, DAEMON_START_MS), 0);
}

static int set_up(void **state)
{
    (void)scene_open(state);
    make_read_token();
    scene_start(NULL);
    body = fleet_body(&scene.daemon, "b1", "north");
    other_body = fleet_body(&scene.daemon, "b2", "north");
    head = fleet_head(&scene.daemon, "h1", "north");
    other_head = fleet_head(&scene.daemon, "h2", "north");
    denied = fleet_head(&scene.daemon, "h3", "north");
    return 0;
}

static bool open_to(const struct row *row, char who)
{
    return strchr(row->who, who) != NULL;
}

/* The path with its ids: `id` for {id}, something that is nowhere for the others. */
static void fill(const struct row *row, const char *id, char out[PATH_SIZE])
{
    size_t len = 0;
    for (const char *at = row->path; *at != '\0';) {
        const char *end = *at == '{' ? strchr(at, '}') : NULL, *text = strncmp(at, "{id}", 4) == 0 ? id : "nowhere";
        int added = end == NULL ? snprintf(out + len, PATH_SIZE - len, "%c", *at) : snprintf(out + len, PATH_SIZE - len, "%s", text);
        assert_true(added > 0 && (size_t)added < PATH_SIZE - len);
        len += (size_t)added;
        at = end == NULL ? at + 1 : end + 1;
    }
}

static struct call ask(const struct row *row, const char *id, const char *token)
{
    char path[PATH_SIZE];
    bool has_body = strcmp(row->method, "GET") != 0;
    fill(row, id, path);
    return daemon_call(&scene.daemon, token, row->method, path, has_body ? "{}" : NULL);
}

/* The node whose path it is: {id} of a body's route is a body. */
static const struct node *own(const struct row *row)
{
    return open_to(row, 'b') ? &body : &head;
}

static void expect_refused(const struct row *row, const char *token, const char *who, long status, const char *error)
{
    struct call call = ask(row, own(row)->id, token);
    const json_t *word = json_object_get(call.json, "error"), *code = json_object_get(call.json, "code"),
                 *detail = json_object_get(call.json, "detail");
    if (call.status != status || !json_is_string(word) || strcmp(json_string_value(word), error) != 0 ||
        json_integer_value(code) != status || !json_is_string(detail))
        fail_msg("%s %s as %s: expected %ld %s, got %ld %s", row->method, row->path, who, status, error, call.status, call.text);
    call_free(&call);
}

static void expect_served(const struct row *row, const char *id, const char *token, const char *who)
{
    struct call call = ask(row, id, token);
    if (call.status == 401 || call.status == 403 || call.status == 405 || call.status >= 500)
        fail_msg("%s %s as %s: %ld %s", row->method, row->path, who, call.status, call.text);
    call_free(&call);
}

static void check_node(const struct row *row, const struct node *node, const char *who)
{
    bool is_body = node == &body || node == &other_body;
    bool role_fits = (open_to(row, 'B') && is_body) || (open_to(row, 'H') && !is_body);
    if (open_to(row, 'N') || open_to(row, 'L') || role_fits || (open_to(row, 'S') && node == own(row)))
        expect_served(row, node->id, node->token, who);
    else
        expect_refused(row, node->token, who, 403, "forbidden");
}

static void check_operator(const struct row *row, char kind, const char *token, const char *who)
{
    if (open_to(row, kind) || open_to(row, 'L'))
        expect_served(row, ABSENT, token, who);         /* allowed; what would change is not there */
    else
        expect_refused(row, token, who, 403, "forbidden");
}

static void test_routes__every_scope__401_403_or_served(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *row = &rows[i];
        if (open_to(row, 'P')) {
            expect_served(row, "", NULL, "anybody");
            continue;
        }
        if (!open_to(row, 'L')) {
            expect_refused(row, NULL, "nobody", 401, "unauthorized");
            expect_refused(row, "no-such-token", "a stranger", 401, "unauthorized");
        }
        check_operator(row, 'A', scene.home.admin_token, "admin");
        check_operator(row, 'R', read_token, "read");
        check_operator(row, 'F', scene.home.fleet_token, "fleet");
        check_node(row, &head, "the head");
        check_node(row, &other_head, "another head");
        check_node(row, &body, "the body");
        check_node(row, &other_body, "another body");
    }
}

static void test_routes__denied_node__refused_everywhere(void **state)
{
    (void)state;
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s", denied.id);
    assert_int_equal(scene_admin("PUT", path, "{\"approval\":\"denied\"}"), 200);
    for (size_t i = 0; i < ROWS; i++)
        if (!open_to(&rows[i], 'P') && !open_to(&rows[i], 'L'))
            expect_refused(&rows[i], denied.token, "a denied node", 403, "node_denied");
}

/* ---- the operator page's cookie ---- */

#define COOKIE_SIZE  512
#define OWN_ORIGIN   "Origin: http://page.example\r\n"

static void log_in(const char *token, char ret_cookie[COOKIE_SIZE])
{
    char form[HOME_TOKEN_SIZE + 16], request[HOME_TOKEN_SIZE + PATH_SIZE], answer[RAW_TEXT_SIZE];
    (void)snprintf(form, sizeof form, "token=%s", token);
    (void)snprintf(request, sizeof request,
                   "POST /login HTTP/1.1\r\nHost: page.example\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n%s", strlen(form), form);
    assert_int_equal(raw_ask(scene.daemon.url, request, answer, ANSWER_MS), 303);
    const char *set = strstr(answer, "Set-Cookie: ");
    assert_non_null(set);
    (void)snprintf(ret_cookie, COOKIE_SIZE, "%.*s", (int)strcspn(set + strlen("Set-Cookie: "), ";"), set + strlen("Set-Cookie: "));
}

/* `error` NULL: it must be served. */
static void check_cookie(const struct row *row, const char *cookie, const char *origin, const char *error, const char *who)
{
    char path[PATH_SIZE], request[PATH_SIZE * 4], answer[RAW_TEXT_SIZE], word[64] = "";
    bool has_body = strcmp(row->method, "GET") != 0;
    fill(row, ABSENT, path);
    (void)snprintf(request, sizeof request,
                   "%s %s HTTP/1.1\r\nHost: page.example\r\nConnection: close\r\nCookie: %s\r\n%sContent-Length: %d\r\n\r\n%s",
                   row->method, path, cookie, origin, has_body ? 2 : 0, has_body ? "{}" : "");
    long status = raw_ask(scene.daemon.url, request, answer, ANSWER_MS);
    if (error != NULL)
        (void)snprintf(word, sizeof word, "{\"error\":\"%s\"", error);
    bool refused = status == 401 || status == 403 || status == 405 || status >= 500 || status == 0;
    if (error == NULL ? refused : status != 403 || strstr(answer, word) == NULL)
        fail_msg("%s %s by the cookie of %s, %s: %ld %s", row->method, row->path, who, origin, status, answer);
}

static void test_routes__cookie__as_its_token_and_changes_from_the_page_alone(void **state)
{
    (void)state;
    char admin[COOKIE_SIZE], reader[COOKIE_SIZE];
    log_in(scene.home.admin_token, admin);
    log_in(read_token, reader);
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *row = &rows[i];
        bool changes = strcmp(row->method, "GET") != 0, anybody = open_to(row, 'P') || open_to(row, 'L');
        check_cookie(row, admin, OWN_ORIGIN, anybody || open_to(row, 'A') ? NULL : "forbidden", "admin");
        check_cookie(row, reader, OWN_ORIGIN, anybody || open_to(row, 'R') ? NULL : "forbidden", "read");
        if (changes)
            check_cookie(row, admin, "Origin: http://evil.example\r\n", open_to(row, 'A') ? "other_origin" : "forbidden", "admin");
        if (changes)
            check_cookie(row, admin, "", open_to(row, 'A') ? "other_origin" : "forbidden", "admin");
    }
}

/* ---- the operator page's own routes: open to everybody, but `/` shows itself to operators alone ---- */

struct asker { const char *who, *header; char value[COOKIE_SIZE]; bool operator; };

static long ask_page(const char *method, const char *path, const struct asker *asker, const char *origin, char answer[RAW_TEXT_SIZE])
{
    char request[PATH_SIZE * 4];
    (void)snprintf(request, sizeof request,
                   "%s %s HTTP/1.1\r\nHost: page.example\r\nConnection: close\r\n%s%s%s%sContent-Length: 0\r\n\r\n", method, path,
                   asker->header, asker->value, asker->header[0] == '\0' ? "" : "\r\n", origin);
    return raw_ask(scene.daemon.url, request, answer, ANSWER_MS);
}

static void expect_page(const char *method, const char *path, const struct asker *asker, const char *origin, long status)
{
    char answer[RAW_TEXT_SIZE];
    long got = ask_page(method, path, asker, origin, answer);
    if (got != status)
        fail_msg("%s %s as %s, %s: expected %ld, got %ld %s", method, path, asker->who, origin, status, got, answer);
}

static void test_routes__the_pages_own__show_the_board_to_operators_alone(void **state)
{
    (void)state;
    char path[PATH_SIZE];
    static const char bearer[] = "Authorization: Bearer ", cookie[] = "Cookie: ";
    struct asker askers[] = {
        { "nobody", "", "", false },   { "a stranger", bearer, "no-such-token", false }, { "fleet", bearer, "", false },
        { "a head", bearer, "", false }, { "a body", bearer, "", false },                { "a denied node", bearer, "", false },
        { "admin", bearer, "", true }, { "read", bearer, "", true },                     { "admin's cookie", cookie, "", true },
        { "read's cookie", cookie, "", true },
    };
    const char *const tokens[] = { NULL, NULL, scene.home.fleet_token, head.token, body.token, denied.token, scene.home.admin_token,
                                   read_token };
    for (size_t i = 2; i < sizeof tokens / sizeof tokens[0]; i++)
        (void)snprintf(askers[i].value, sizeof askers[i].value, "%s", tokens[i]);
    log_in(scene.home.admin_token, askers[8].value);
    log_in(read_token, askers[9].value);
    (void)snprintf(path, sizeof path, "/api/v1/nodes/%s", denied.id);
    assert_int_equal(scene_admin("PUT", path, "{\"approval\":\"denied\"}"), 200);
    for (size_t i = 0; i < sizeof askers / sizeof askers[0]; i++) {
        expect_page("GET", "/", &askers[i], "", askers[i].operator ? 200 : 303);
        expect_page("GET", "/login", &askers[i], "", 200);
        expect_page("GET", "/page/login.css", &askers[i], "", 200);
        expect_page("GET", "/page/index.html", &askers[i], "", 404);
        expect_page("POST", "/logout", &askers[i], "Origin: http://evil.example\r\n", 403);
        expect_page("POST", "/logout", &askers[i], OWN_ORIGIN, 303);
        expect_page("POST", "/login", &askers[i], "Origin: http://evil.example\r\n", 403);
    }
}

static void test_routes__the_pages_own_table__is_known(void **state)
{
    (void)state;
    static const struct { enum http_method method; const char *path; } pages[] = {
        { HTTP_GET, "/" }, { HTTP_GET, "/login" }, { HTTP_POST, "/login" }, { HTTP_POST, "/logout" }, { HTTP_GET, "/page/{name}" },
    };
    const struct api_route_doc *docs;
    assert_int_equal(web_routes(&docs), sizeof pages / sizeof pages[0]);
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        assert_string_equal(docs[i].pattern, pages[i].path);
        assert_int_equal(docs[i].method, pages[i].method);
        assert_int_equal(docs[i].scopes, SCOPE_PUBLIC);
    }
}

static bool serves(const char *path, const char *method)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].path, path) == 0 && strcmp(rows[i].method, method) == 0)
            return true;
    return false;
}

/* What the answer's Allow names must be what the path serves, GET with HEAD. */
static void check_other_method(const struct row *row, const char *method)
{
    static const char *const methods[] = { "GET", "PUT", "POST", "DELETE" };
    char path[PATH_SIZE], request[PATH_SIZE * 2], answer[RAW_TEXT_SIZE];
    fill(row, own(row)->id, path);
    (void)snprintf(request, sizeof request, "%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", method, path);
    long status = raw_ask(scene.daemon.url, request, answer, ANSWER_MS);
    const char *allow = strstr(answer, "\r\nAllow: ");
    if (status != 405 || allow == NULL || strstr(answer, "\"method_not_allowed\"") == NULL)
        fail_msg("%s %s: %s", method, path, answer);
    char named[128];
    (void)snprintf(named, sizeof named, "%.*s", (int)strcspn(allow + 2, "\r"), allow + 2);
    for (size_t i = 0; i < 4; i++)
        if ((strstr(named, methods[i]) != NULL) != serves(row->path, methods[i]))
            fail_msg("%s %s: %s", method, path, named);
}

static void test_routes__other_methods__405_with_allow(void **state)
{
    (void)state;
    static const char *const methods[] = { "GET", "PUT", "POST", "DELETE" };
    for (size_t i = 0; i < ROWS; i++) {
        bool first = true;
        for (size_t j = 0; j < i && first; j++)
            first = strcmp(rows[i].path, rows[j].path) != 0;
        for (size_t m = 0; m < 4 && first; m++)
            if (!serves(rows[i].path, methods[m]))
                check_other_method(&rows[i], methods[m]);
    }
}

static void test_routes__trailing_slash__is_accepted(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        char path[PATH_SIZE];
        if (strcmp(rows[i].method, "GET") != 0 || !open_to(&rows[i], 'R'))
            continue;
        fill(&rows[i], head.id, path);
        struct call plain = daemon_call(&scene.daemon, read_token, "GET", path, NULL);
        (void)strncat(path, "/", sizeof path - strlen(path) - 1);
        struct call slashed = daemon_call(&scene.daemon, read_token, "GET", path, NULL);
        if (plain.status != slashed.status)
            fail_msg("%s: %ld, without the slash %ld", path, slashed.status, plain.status);
        call_free(&plain);
        call_free(&slashed);
    }
}

static void test_routes__unknown_paths__404_before_401(void **state)
{
    (void)state;
    static const char *const paths[] = { "/api/v1/nope", "/api/v2/slots", "/api/v1", "/api/v1/heads/a/b/c/d/e", "/api/v1//slots",
                                         "/api/v1/slots/x", "/api/v1/heads//commands" };
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        scene_expect(daemon_call(&scene.daemon, NULL, "GET", paths[i], NULL), 404, "not_found");
}

/* What the row's letters are to the router. Which role a node has for `H` is the handler's to ask. */
static unsigned scopes_of(const struct row *row)
{
    static const struct { char who; unsigned scope; } letters[] = {
        { 'P', SCOPE_PUBLIC }, { 'F', SCOPE_FLEET }, { 'N', SCOPE_NODE }, { 'H', SCOPE_NODE }, { 'B', SCOPE_BODY }, { 'S', SCOPE_SELF },
        { 'A', SCOPE_ADMIN },  { 'R', SCOPE_READ },  { 'L', SCOPE_LOOPBACK },
    };
    unsigned scopes = 0;
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
        if (open_to(row, letters[i].who))
            scopes |= letters[i].scope;
    return scopes;
}

static void test_routes__the_daemons_own_table__is_the_contract(void **state)
{
    (void)state;
    static const char *const words[HTTP_METHODS] = { [HTTP_GET] = "GET", [HTTP_POST] = "POST", [HTTP_PUT] = "PUT",
                                                     [HTTP_DELETE] = "DELETE" };
    const struct api_route_doc *docs;
    size_t count = api_routes(&docs);
    for (size_t i = 0; i < count; i++)
        if (words[docs[i].method] == NULL || !serves(docs[i].pattern, words[docs[i].method]))
            fail_msg("%s is served and not in the table of this test", docs[i].pattern);
    for (size_t i = 0; i < ROWS; i++) {
        const struct api_route_doc *found = NULL;
        for (size_t j = 0; j < count && found == NULL; j++)
            if (strcmp(docs[j].pattern, rows[i].path) == 0 && strcmp(words[docs[j].method], rows[i].method) == 0)
                found = &docs[j];
        if (found == NULL)
            fail_msg("%s %s is not served", rows[i].method, rows[i].path);
        else if (found->scopes != scopes_of(&rows[i]))
            fail_msg("%s %s is open to %#x, and should be to %s", rows[i].method, rows[i].path, found->scopes, rows[i].who);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, scene_close)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_routes__every_scope__401_403_or_served),
        TEST(test_routes__denied_node__refused_everywhere),
        TEST(test_routes__cookie__as_its_token_and_changes_from_the_page_alone),
        TEST(test_routes__the_pages_own__show_the_board_to_operators_alone),
        cmocka_unit_test(test_routes__the_pages_own_table__is_known),
        TEST(test_routes__other_methods__405_with_allow),
        TEST(test_routes__trailing_slash__is_accepted),
        TEST(test_routes__unknown_paths__404_before_401),
        TEST(test_routes__the_daemons_own_table__is_the_contract),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
