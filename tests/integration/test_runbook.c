/* test_runbook.c - every curl line of docs/RUNBOOK.md, as it is written, against the fleet that scripts/quickstart runs.
 *
 * The shell that runs a line has $URL and $TOKEN as quickstart prints them; $BODY, $HEAD, $LEASE, $VENUE and $DISTRICT as an operator
 * reads them off /slots just before; $OP as an earlier line told it. A line's own comment names the one status outside 2xx that is an
 * answer too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/base/buf.h"
#include "hydra/os/clock.h"
#include "scene.h"

#define RUNBOOK        "docs/RUNBOOK.md"
#define RUNBOOK_MAX    (256 * 1024)
#define LINE_SIZE      1024
#define LINE_MS        30000
#define LINES_MIN      40                /* fewer: the lines were not found */
#define TRIES          5                 /* a lease that was read may have ended before it is used */
#define FLEET_SECONDS  "600"
#define VARIABLES      8

static struct process fleet;
static char variables[VARIABLES][LINE_SIZE];

/* A lease that streams is what an operator would have before his eyes. */
static bool read_ids(void *ctx)
{
    (void)ctx;
    struct call slots = fleet_slots(&scene.daemon);
    bool found = false;
    for (size_t i = 0; i < json_array_size(slots.json) && !found; i++) {
        const json_t *row = json_array_get(slots.json, i), *lease = json_object_get(row, "lease");
        const char *state = json_string_value(json_object_get(lease, "state"));
        found = state != NULL && strcmp(state, "streaming") == 0;
        if (!found)
            continue;
        (void)snprintf(variables[2], LINE_SIZE, "BODY=%s", json_string_value(json_object_get(row, "body_id")));
        (void)snprintf(variables[3], LINE_SIZE, "VENUE=%s", json_string_value(json_object_get(row, "venue")));
        (void)snprintf(variables[4], LINE_SIZE, "DISTRICT=%s", json_string_value(json_object_get(row, "district")));
        (void)snprintf(variables[5], LINE_SIZE, "HEAD=%s", json_string_value(json_object_get(lease, "head_id")));
        (void)snprintf(variables[6], LINE_SIZE, "LEASE=%s", json_string_value(json_object_get(lease, "id")));
    }
    call_free(&slots);
    return found;
}

static int set_up(void **state)
{
    char program[512], token_file[HOME_PATH_SIZE], log[HOME_PATH_SIZE];
    if (scene_open_started(state) != 0)
        return -1;
    program_path("HYDRASIM", "hydrasim", program, sizeof program);
    home_write(&scene.home, "admin.token", scene.home.admin_token);
    home_write(&scene.home, ".curlrc", "write-out = \"%{stderr}status %{http_code}\\n\"\nmax-time = 20\n");
    home_path(&scene.home, "admin.token", token_file);
    home_path(&scene.home, "fleet.log", log);
    const char *const argv[] = { program, "--server", scene.daemon.url, "--admin-token-file", token_file, "--scenario",
                                 "docs/scenarios/fleet.scenario", "--duration", FLEET_SECONDS, "--plain", NULL };
    process_start(&fleet, argv, NULL, log);
    (void)snprintf(variables[0], LINE_SIZE, "URL=%s", scene.daemon.url);
    (void)snprintf(variables[7], LINE_SIZE, "OP=");
    (void)snprintf(variables[1], LINE_SIZE, "TOKEN=%s", scene.home.admin_token);
    return 0;
}

static int tear_down(void **state)
{
    process_end(&fleet);
    return scene_close(state);
}

/* The last status that curl told, of those that the line's pipe made; 0: none. */
static long told_status(void)
{
    char *text = home_read(&scene.home, "stderr");
    long status = 0;
    for (const char *at = text; (at = strstr(at, "status ")) != NULL; at++)
        status = strtol(at + strlen("status "), NULL, 10);
    hc_free(text);
    return status;
}

/* What a line that asks for an operation prints. */
static void keep_operation(void)
{
    char *text = home_read(&scene.home, "out");
    const char *at = strstr(text, "\"op_id\":\"");
    if (at != NULL)
        (void)snprintf(variables[7], LINE_SIZE, "OP=%.*s", (int)strcspn(at + 9, "\""), at + 9);
    hc_free(text);
}

/* Exit code of the whole pipe, and the status that curl saw. */
static int run(const char *line, long *ret_status)
{
    char script[LINE_SIZE + HOME_PATH_SIZE], home[HOME_PATH_SIZE + 16], log[HOME_PATH_SIZE], one[PROCESS_LINE_MAX];
    const char *env[VARIABLES + 2] = { NULL };
    for (size_t i = 0; i < VARIABLES; i++)
        env[i] = variables[i];
    (void)snprintf(home, sizeof home, "CURL_HOME=%s", scene.home.root);
    env[VARIABLES] = home;
    (void)snprintf(script, sizeof script, "set -o pipefail; cd '%s'; { %s\n} > out", scene.home.root, line);
    const char *const argv[] = { "/bin/bash", "-c", script, NULL };
    struct process shell;
    home_write(&scene.home, "stderr", "");
    home_path(&scene.home, "stderr", log);
    process_start(&shell, argv, env, log);
    while (process_line(&shell, one, LINE_MS))
        continue;
    int code = process_wait(&shell, LINE_MS);
    *ret_status = told_status();
    return code;
}

/* "# 2xx or 503: ..." */
static long also_fine(const char *line)
{
    const char *comment = strstr(line, "# 2xx or ");
    return comment == NULL ? 0 : strtol(comment + strlen("# 2xx or "), NULL, 10);
}

static void expect_answer(const char *line)
{
    long status = 0;
    int code = -1;
    for (unsigned i = 0; i < TRIES; i++) {
        bool of_before = strstr(line, "$OP") != NULL;       /* an operation is of the body that was named when it was asked for */
        if (!of_before && !wait_until(read_ids, NULL, SCENE_WAIT_MS))
            fail_msg("nobody streams");
        code = run(line, &status);
        if (status >= 200 && status <= 299 && code == 0) {
            keep_operation();
            return;
        }
        if (status != 0 && status == also_fine(line))
            return;
        if (strstr(line, "$LEASE") == NULL)
            break;
    }
    char *out = home_read(&scene.home, "out");
    fail_msg("%s\n  %s %s %s\n  exit %d, status %ld\n%.2000s", line, variables[2], variables[5], variables[6], code, status, out);
}

static void test_runbook__every_curl_line__is_answered_as_it_says(void **state)
{
    (void)state;
    static char text[RUNBOOK_MAX];
    FILE *in = fopen(RUNBOOK, "r");
    assert_non_null(in);
    size_t len = fread(text, 1, sizeof text - 1, in), count = 0;
    assert_int_equal(fclose(in), 0);
    assert_true(len < sizeof text - 1);
    char *rest = text;
    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
        if (strncmp(line, "curl ", 5) != 0)
            continue;
        assert_true(strlen(line) < LINE_SIZE);
        expect_answer(line);
        count++;
    }
    assert_true(count >= LINES_MIN);
}

/* The check itself: a line that is wrong is noticed, whatever is wrong with it. */
static void test_runbook__wrong_lines__are_noticed(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "curl -s -H \"Authorization: Bearer $TOKEN\" \"$URL/api/v1/nowhere\"",
        "curl -s \"$URL/api/v1/slots\"",
        "curl -s -H \"Authorization: Bearer $TOKEN\" \"$URL/api/v1/slots\" | jq '.[] | nonsense('",
        "curl -s -H \"Authorization: Bearer $TOKEN\" \"$URL/metrics\" | grep '^hydracluster_no_such_metric'",
    };
    assert_true(wait_until(read_ids, NULL, SCENE_WAIT_MS));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        long status;
        int code = run(wrong[i], &status);
        if (code == 0 && status >= 200 && status <= 299)
            fail_msg("%s", wrong[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_runbook__every_curl_line__is_answered_as_it_says, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_runbook__wrong_lines__are_noticed, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
