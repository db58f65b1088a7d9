/* Every parameter of every route's query: a value that cannot be is refused by its name, one that can is taken. */
#include "asked.h"
#include "../../../src/api/pipeline.h"

#include <stdio.h>
#include <string.h>

struct node { char id[HC_ID_SIZE], token[RIG_TOKEN_SIZE]; };
enum who { ADMIN, BODY, HEAD };
/* `bad`: values separated by spaces. */
struct row { const char *method, *pattern, *path; enum who who; const char *body, *key, *bad, *good; };

#define V1       "/api/v1/"
#define ELIGIBLE V1 "bodies/eligible"
#define HISTORY  V1 "sessions/history"
#define IDS      "a/b %20 zz! " LONG_ID
#define LONG_ID  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define NAMES    "a%01b %ff %0a"
#define FLAGS    "zz 2 yes -1 01 %20"
#define PAGES    "0 1001 -5 x 1x 99999999999999999999 %201 0x10"
#define WAITS    "26 -1 x 1.5 99999999999999999999"
#define EVENTS   "yesterday 1 1- -1 -5 1-2-3 1-x"
static const struct row rows[] = {
    { "GET", ELIGIBLE, ELIGIBLE, ADMIN, NULL, "head_id", IDS, "" },
    { "GET", ELIGIBLE, ELIGIBLE, ADMIN, NULL, "district", NAMES, "d1" },
    { "GET", ELIGIBLE, ELIGIBLE, ADMIN, NULL, "venue", NAMES, "north" },
    { "GET", ELIGIBLE, ELIGIBLE, ADMIN, NULL, "experience", NAMES, "any" },
    { "GET", ELIGIBLE, ELIGIBLE, ADMIN, NULL, "stream_mode", NAMES " xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "flat" },
    { "GET", ELIGIBLE, ELIGIBLE, ADMIN, NULL, "protocol", NAMES, "2" },
    { "GET", ELIGIBLE, ELIGIBLE, ADMIN, NULL, "include_leased", FLAGS, "1" },
    { "GET", V1 "bodies/{id}/desired", V1 "bodies/{b}/desired", BODY, NULL, "since", IDS, "none" },
    { "GET", V1 "bodies/{id}/desired", V1 "bodies/{b}/desired", BODY, NULL, "wait", WAITS, "0" },
    { "POST", V1 "heads/{id}/slot-claims", V1 "heads/{h}/slot-claims", HEAD,
      "{\"attempt_id\":\"a\",\"experience\":\"rupelmonde\",\"device_uid\":\"0123456789abcdef\",\"protocol_version\":2}",
      "dry_run", FLAGS, "1" },
    { "GET", V1 "heads/{id}/admission", V1 "heads/{h}/admission", HEAD, NULL, "attempt_id", IDS, "a" },
    { "GET", V1 "heads/{id}/admission", V1 "heads/{h}/admission", HEAD, NULL, "wait", WAITS, "0" },
    { "GET", V1 "heads/{id}/streams/{stream_id}", V1 "heads/{h}/streams/none", HEAD, NULL, "wait", WAITS, NULL },
    { "DELETE", V1 "nodes/{id}", V1 "nodes/{h}", ADMIN, NULL, "force", FLAGS, NULL },
    { "PUT", V1 "nodes/{id}/slots", V1 "nodes/{b}/slots", ADMIN, "{}", "force", FLAGS, "0" },
    { "POST", V1 "nodes/{id}/drain", V1 "nodes/{b}/drain", ADMIN, "{\"deadline_seconds\":60}", "dry_run", FLAGS, "true" },
    { "GET", V1 "nodes/{id}/ops/next", V1 "nodes/{b}/ops/next", BODY, NULL, "wait", WAITS, NULL },
    { "GET", V1 "slots", V1 "slots", ADMIN, NULL, "district", NAMES, "d1" },
    { "GET", V1 "slots", V1 "slots", ADMIN, NULL, "venue", NAMES, "north" },
    { "GET", V1 "slots", V1 "slots", ADMIN, NULL, "body", IDS, "b" },
    { "GET", V1 "slots", V1 "slots", ADMIN, NULL, "divergent", FLAGS, "false" },
    { "GET", V1 "queue", V1 "queue", ADMIN, NULL, "district", NAMES, "d1" },
    { "GET", V1 "migration", V1 "migration", ADMIN, NULL, "district", NAMES, "d1" },
    { "GET", V1 "explain", V1 "explain", ADMIN, NULL, "lease", IDS, NULL },
    { "GET", V1 "explain", V1 "explain", ADMIN, NULL, "cursor", "-5 5 @ @-5 @x @1x lse- lse-a/b", NULL },
    { "GET", V1 "explain", V1 "explain", ADMIN, NULL, "head_id", IDS, NULL },
    { "GET", V1 "explain", V1 "explain", ADMIN, NULL, "experience", NAMES, NULL },
    { "GET", V1 "explain", V1 "explain", ADMIN, NULL, "protocol", "3 -1 x", NULL },
    { "GET", V1 "streams", V1 "streams", ADMIN, NULL, "district", NAMES, "d1" },
    { "GET", V1 "streams", V1 "streams", ADMIN, NULL, "venue", NAMES, "north" },
    { "GET", V1 "streams", V1 "streams", ADMIN, NULL, "state", "lively LIVE -1", "live" },
    { "GET", V1 "streams", V1 "streams", ADMIN, NULL, "unattended_over", "-1 x 31536001", "0" },
    { "GET", V1 "streams", V1 "streams", ADMIN, NULL, "limit", PAGES, "1" },
    { "GET", V1 "streams", V1 "streams", ADMIN, NULL, "cursor", "x 5 5. .a -5.a", "5.a" },
    { "GET", HISTORY, HISTORY, ADMIN, NULL, "head", IDS, "h" },
    { "GET", HISTORY, HISTORY, ADMIN, NULL, "body", IDS, "b" },
    { "GET", HISTORY, HISTORY, ADMIN, NULL, "venue", NAMES, "north" },
    { "GET", HISTORY, HISTORY, ADMIN, NULL, "since", "yesterday 2026-13-01T00:00:00Z -5 12", "2026-09-04T11:43:18Z" },
    { "GET", HISTORY, HISTORY, ADMIN, NULL, "limit", PAGES, "1000" },
    { "GET", HISTORY, HISTORY, ADMIN, NULL, "cursor", "-5 5 @ @-5 @x @1x @9999999999999999999 lse- lse-a/b", "lse-0" },
    { "GET", V1 "events", V1 "events", ADMIN, NULL, "since", EVENTS, "1-1" },
    { "GET", V1 "events", V1 "events", ADMIN, NULL, "cursor", EVENTS, "1-1" },
    { "GET", V1 "events", V1 "events", ADMIN, NULL, "type", "gossip lease -1", "lease_ended" },
    { "GET", V1 "events", V1 "events", ADMIN, NULL, "follow", FLAGS, "0" },
    { "GET", V1 "events", V1 "events", ADMIN, NULL, "limit", PAGES, "1000" },
};
#define ROWS (sizeof rows / sizeof rows[0])

static void ask(struct rig *r, const struct row *row, const struct node *b, const struct node *h, const char *value, struct reply *ret)
{
    char path[ASKED_PATH_SIZE];
    const char *mark = strstr(row->path, "{b}"), *id = b->id;
    if (mark == NULL) {
        mark = strstr(row->path, "{h}");
        id = h->id;
    }
    if (mark == NULL)
        (void)snprintf(path, sizeof path, "%s?%s=%s", row->path, row->key, value);
    else
        (void)snprintf(path, sizeof path, "%.*s%s%s?%s=%s", (int)(mark - row->path), row->path, id, mark + 3, row->key, value);
    rig_ask(r, row->method, path, row->who == ADMIN ? RIG_ADMIN : row->who == BODY ? b->token : h->token, row->body, ret);
}

static void test_query__every_parameter_of_the_table__is_tried_here(void **state)
{
    (void)state;
    const struct query_param *params;
    size_t count = query_params(&params);
    const struct api_route_doc *routes;
    size_t route_count = api_routes(&routes);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        bool tried = false, served = false;
        for (size_t k = 0; k < ROWS; k++)
            tried = tried || (strcmp(rows[k].pattern, params[i].pattern) == 0 && strcmp(rows[k].key, params[i].key) == 0);
        for (size_t k = 0; k < route_count; k++)
            served = served || strcmp(routes[k].pattern, params[i].pattern) == 0;
        if (!tried || !served)
            fail_msg("%s of %s: %s", params[i].key, params[i].pattern, served ? "is not tried" : "no such route");
    }
}

static void test_query__value_that_cannot_be__is_refused_by_its_name(void **state)
{
    struct rig *r = *state;
    struct node b, h;
    rig_body(r, "b1", "north", b.id, b.token);
    rig_head(r, "h1", "north", h.id, h.token);
    for (size_t i = 0; i < ROWS; i++) {
        for (const char *at = rows[i].bad; *at != '\0';) {
            char value[128];
            struct reply reply;
            int len = (int)strcspn(at, " ");
            (void)snprintf(value, sizeof value, "%.*s", len, at);
            at += len;
            at += *at == ' ' ? 1 : 0;
            ask(r, &rows[i], &b, &h, value, &reply);
            if (reply.status != 400 || strcmp(reply_text(&reply, "error"), "bad_request") != 0 ||
                strcmp(reply_text(&reply, "field"), rows[i].key) != 0)
                fail_msg("%s %s %s=%s: %d %s", rows[i].method, rows[i].path, rows[i].key, value, reply.status, reply.body);
            reply_free(&reply);
        }
    }
}

static void test_query__value_that_can_be__is_taken(void **state)
{
    struct rig *r = *state;
    struct node b, h;
    rig_body(r, "b1", "north", b.id, b.token);
    rig_head(r, "h1", "north", h.id, h.token);
    rig_report(r, b.id);
    for (size_t i = 0; i < ROWS; i++) {
        struct reply reply;
        if (rows[i].good == NULL)
            continue;
        ask(r, &rows[i], &b, &h, rows[i].good, &reply);
        if (reply.status != 200)
            fail_msg("%s %s %s=%s: %d %s", rows[i].method, rows[i].path, rows[i].key, rows[i].good, reply.status, reply.body);
        reply_free(&reply);
    }
}

static void test_query__second_of_two_and_what_nobody_reads__checked_and_ignored(void **state)
{
    struct rig *r = *state;
    rig_expect(r, "GET", V1 "streams?limit=5&limit=zz", RIG_ADMIN, NULL, 400, "bad_request", "limit");
    rig_expect(r, "GET", V1 "slots?limit=zz&cursor=%01", RIG_ADMIN, NULL, 200, "", "");
    rig_expect(r, "GET", V1 "streams?limit=", RIG_ADMIN, NULL, 200, "", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_query__every_parameter_of_the_table__is_tried_here),
        RIG_TEST(test_query__value_that_cannot_be__is_refused_by_its_name),
        RIG_TEST(test_query__value_that_can_be__is_taken),
        RIG_TEST(test_query__second_of_two_and_what_nobody_reads__checked_and_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
