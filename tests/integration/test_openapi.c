/* test_openapi.c - the description of the API is served as the file says it, and what holds answers against it finds what is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "answer_check.h"
#include "hydra/base/arena.h"
#include "scene.h"

#define DOC_PATH "docs/openapi.yaml"
#define DOC_MAX  ((size_t)4 * 1024 * 1024)

static void test_openapi__get__is_the_file(void **state)
{
    (void)state;
    char *text = hc_alloc(DOC_MAX);
    FILE *in = fopen(DOC_PATH, "r");
    assert_non_null(text);
    assert_non_null(in);
    size_t len = fread(text, 1, DOC_MAX - 1, in);
    assert_int_equal(fclose(in), 0);
    assert_true(len > 0);
    struct call call = daemon_call(&scene.daemon, scene.home.admin_token, "GET", "/openapi.yaml", NULL);
    assert_int_equal(call.status, 200);
    assert_string_equal(call.text, text);
    call_free(&call);
    hc_free(text);
}

/* `wrong`: what is said about it; NULL: it is as described. */
struct row { const char *method, *path; long status; const char *body, *wrong; };
#define ORG   "/api/v1/orgs/studio"
#define LIVEZ "/livez"
static const struct row rows[] = {
    { "GET", ORG, 200, "{\"name\":\"studio\",\"max_concurrent_grants\":3}", NULL },
    { "GET", ORG "/?x=/y", 200, "{\"name\":\"studio\",\"max_concurrent_grants\":null}", NULL },
    { "GET", ORG, 200, "{\"name\":\"studio\"}", "lacks max_concurrent_grants" },
    { "GET", ORG, 200, "{\"name\":null,\"max_concurrent_grants\":3}", "name is null" },
    { "GET", ORG, 200, "{\"name\":\"studio\",\"max_concurrent_grants\":\"3\"}", "max_concurrent_grants is no integer" },
    { "GET", ORG, 200, "{\"name\":\"studio\",\"max_concurrent_grants\":3,\"more\":1}", "has more, which is not described" },
    { "GET", ORG, 200, "[]", "is no object" },
    { "GET", ORG, 200, NULL, "is no JSON" },
    { "GET", ORG, 202, "{}", "status 202" },
    { "GET", ORG, 404, "{\"error\":\"not_found\",\"code\":404,\"detail\":\"No.\"}", NULL },
    { "GET", ORG, 404, "{\"error\":\"not_found\",\"code\":400,\"detail\":\"No.\"}", "another code" },
    { "GET", ORG, 404, "{\"error\":\"lost\",\"code\":404,\"detail\":\"No.\"}", "none of the words" },
    { "GET", ORG, 403, "{\"error\":\"not_approved\",\"code\":403,\"detail\":\"No.\"}", NULL },
    { "GET", ORG, 403, "{\"error\":\"not_found\",\"code\":403,\"detail\":\"No.\"}", "fits none of 3" },
    { "DELETE", ORG, 204, NULL, NULL },
    { "DELETE", ORG, 204, "{}", "should be empty" },
    { "POST", ORG, 405, "{\"error\":\"method_not_allowed\",\"code\":405,\"detail\":\"No.\"}", NULL },
    { "POST", ORG, 200, "{}", "not described" },
    { "GET", "/api/v1/nowhere", 404, "{\"error\":\"not_found\",\"code\":404,\"detail\":\"No.\"}", NULL },
    { "GET", "/api/v1/nowhere", 200, "{}", "not described" },
    { "GET", "/api/v1/orgs", 200, "[{\"name\":\"studio\",\"max_concurrent_grants\":3},{\"name\":1}]", "1 lacks" },
    { "GET", "/api/v1/conflicts", 200, "[{\"body_id\":\"b\",\"slot\":0,\"kind\":\"quarrel\",\"lease_id\":null,\"holder_head_id\":null,"
      "\"observed_head_id\":null,\"client_uuid\":null,\"client_name\":null,\"since_seconds\":1,\"expected_legacy\":false,"
      "\"source\":\"body\"}]", "0.kind is quarrel" },
    { "POST", "/api/v1/heads/h/device-identity", 201, "{\"registered_at\":\"yesterday\"}", "no instant" },
    { "POST", "/api/v1/heads/h/device-identity", 201, "{\"registered_at\":\"2026-09-04T11:43:18.042Z\"}", NULL },
    { "GET", "/api/v1/sessions/history", 200, "[]", NULL },
    { "GET", LIVEZ, 200, NULL, NULL },
};

static void test_answer_check__every_kind_of_fault__is_found_and_named(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char why[ANSWER_WHY_SIZE];
        json_t *json = rows[i].body == NULL ? NULL : json_loads(rows[i].body, JSON_DECODE_ANY, NULL);
        assert_true(rows[i].body == NULL || json != NULL);
        bool good = answer_check(rows[i].method, rows[i].path, rows[i].status, json, rows[i].body, why, sizeof why);
        if (good != (rows[i].wrong == NULL) || (!good && strstr(why, rows[i].wrong) == NULL))
            fail_msg("%s %s %ld %s: %s, expected %s", rows[i].method, rows[i].path, rows[i].status, rows[i].body, good ? "good" : why,
                     rows[i].wrong == NULL ? "good" : rows[i].wrong);
        json_decref(json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCENE_TEST_STARTED(test_openapi__get__is_the_file),
        cmocka_unit_test(test_answer_check__every_kind_of_fault__is_found_and_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
