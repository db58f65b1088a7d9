/* test_runbook.c - every line of the pages that operators copy from, as it is written, against the fleet that scripts/quickstart runs.
 *
 * The shell that runs a line has $URL, $TOKEN and what hydractl needs as the page's first lines set them; $BODY, $HEAD, $LEASE, $VENUE and
 * $DISTRICT as an operator reads them off /slots just before; $OP and $TOKEN_ID as an earlier line told them. A line's own comment names
 * the one status outside 2xx, or the one exit code beside 0, that is an answer too. What `systemctl` does to the daemon the test does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "hydra/base/buf.h"
#include "hydra/os/clock.h"
#include "scene.h"

#define PAGE_MAX       (256 * 1024)
#define LINE_SIZE      1024
#define LINE_MS        30000
#define STREAMS_MS     60000             /* until somebody streams: visitors come when they like */
#define TRIES          5                 /* a lease that was read may have ended before it is used */
#define FLEET_SECONDS  "600"
#define FENCE          "```"

enum variable {
    V_URL, V_TOKEN, V_BODY, V_VENUE, V_DISTRICT, V_HEAD, V_LEASE, V_OP, V_TOKEN_ID, V_SERVER, V_TOKEN_FILE, V_DATA, V_COPIES, V_HOME,
    V_CURL_HOME, V_PATH, VARIABLES,
};

static struct process fleet;
static char variables[VARIABLES][LINE_SIZE];
static bool ids_known;

static void set(enum variable which, const char *name, const char *value)
{
    int len = snprintf(variables[which], LINE_SIZE, "%s=%s", name, value);
    assert_true(len > 0 && len < LINE_SIZE);
}

/* A lease that streams is what an operator would have before his eyes. */
static bool read_ids(void *ctx)
{
    (void)ctx;
    struct call slots = fleet_slots(&scene.daemon);
    bool found = false;
    for (size_t i = 0; i < json_array_size(slots.json) && !found; i++) {
        const json_t *row = json_array_get(slots.json, i), *lease = json_object_get(row, "lease");
        const char *state = json_string_value(json_object_get(lease, "state"));
        const char *head = json_string_value(json_object_get(lease, "head_id"));
        found = state != NULL && strcmp(state, "streaming") == 0 && head != NULL;
        if (!found)
            continue;
        set(V_BODY, "BODY", json_string_value(json_object_get(row, "body_id")));
        set(V_VENUE, "VENUE", json_string_value(json_object_get(row, "venue")));
        set(V_DISTRICT, "DISTRICT", json_string_value(json_object_get(row, "district")));
        set(V_HEAD, "HEAD", head);
        set(V_LEASE, "LEASE", json_string_value(json_object_get(lease, "id")));
    }
    call_free(&slots);
    ids_known = ids_known || found;
    return found;
}

/* The programs of this build come first in the path. */
static void set_path(void)
{
    char path[LINE_SIZE], program[512];
    const char *usual = getenv("PATH");
    program_path("HYDRACTL", "hydractl", program, sizeof program);
    *strrchr(program, '/') = '\0';
    int len = snprintf(path, sizeof path, "%s:%s", program, usual == NULL ? "/usr/bin:/bin" : usual);
    assert_true(len > 0 && (size_t)len < sizeof path);
    set(V_PATH, "PATH", path);
}

static int set_up(void **state)
{
    char program[512], path[HOME_PATH_SIZE], log[HOME_PATH_SIZE];
    if (scene_open_started(state) != 0)
        return -1;
    program_path("HYDRASIM", "hydrasim", program, sizeof program);
    home_write(&scene.home, "admin.token", scene.home.admin_token);
    home_write(&scene.home, ".curlrc", "write-out = \"%{stderr}status %{http_code}\\n\"\nmax-time = 20\n");
    home_path(&scene.home, "copies", path);
    assert_int_equal(mkdir(path, 0700), 0);
    set(V_COPIES, "COPIES", path);
    home_path(&scene.home, "admin.token", path);
    set(V_TOKEN_FILE, "HYDRACTL_TOKEN_FILE", path);
    home_path(&scene.home, "fleet.log", log);
    const char *const argv[] = { program, "--server", scene.daemon.url, "--admin-token-file", path, "--scenario",
                                 "docs/scenarios/fleet.scenario", "--duration", FLEET_SECONDS, "--plain", NULL };
    process_start(&fleet, argv, NULL, log);
    ids_known = false;
    for (size_t i = V_BODY; i <= V_TOKEN_ID; i++)
        set((enum variable)i, "NONE", "");
    set(V_URL, "URL", scene.daemon.url);
    set(V_SERVER, "HYDRACTL_SERVER", scene.daemon.url);
    set(V_TOKEN, "TOKEN", scene.home.admin_token);
    set(V_DATA, "DATA", scene.home.data);
    set(V_HOME, "HOME", scene.home.root);
    set(V_CURL_HOME, "CURL_HOME", scene.home.root);
    set_path();
    return 0;
}

static int tear_down(void **state)
{
    process_end(&fleet);
    return scene_close(state);
}

/* ---- one line ---- */

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

/* What stands behind `before` in the line's output, up to one of `end`. */
static void keep(enum variable which, const char *name, const char *before, const char *end)
{
    char *text = home_read(&scene.home, "out"), *at = strstr(text, before);
    if (at != NULL) {
        at += strlen(before);
        at[strcspn(at, end)] = '\0';
        set(which, name, at);
    }
    hc_free(text);
}

/* Exit code of the whole pipe, and the status that curl saw. */
static int run(const char *line, long *ret_status)
{
    char script[LINE_SIZE + HOME_PATH_SIZE], log[HOME_PATH_SIZE], one[PROCESS_LINE_MAX];
    const char *env[VARIABLES + 1] = { NULL };
    for (size_t i = 0; i < VARIABLES; i++)
        env[i] = variables[i];
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

/* "# 2xx or 503: ...", of a line that does not begin with curl "# 0 or 4: ..."; 0: there is none. */
static long also_fine(const char *line, const char *words)
{
    const char *comment = strstr(line, words);
    return comment == NULL ? 0 : strtol(comment + strlen(words), NULL, 10);
}

static bool is_fine(const char *line, int code, long status)
{
    if (strncmp(line, "curl ", strlen("curl ")) != 0)
        return code == 0 || code == also_fine(line, "# 0 or ");
    return (status >= 200 && status <= 299 && code == 0) || (status != 0 && status == also_fine(line, "# 2xx or "));
}

/* Ids are read once, so that a line that takes something back is about the same machine; a lease, whenever one is named, for it ends. */
static bool needs_ids(const char *line)
{
    static const char *const names[] = { "$BODY", "$VENUE", "$DISTRICT", "$HEAD" };
    bool named = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        named = named || strstr(line, names[i]) != NULL;
    return strstr(line, "$LEASE") != NULL || (named && !ids_known);
}

struct asked { const char *line; int code; long status; unsigned tries; bool fine; };

/* True: the line was answered as it says, or never will be. Asked again is a lease that may have ended since it was read, and a pipe that
 * looks for what has not happened yet. */
static bool is_settled(void *ctx)
{
    struct asked *asked = ctx;
    if (needs_ids(asked->line) && !wait_until(read_ids, NULL, STREAMS_MS))
        fail_msg("nobody streams, and this line needs one who does: %s", asked->line);
    asked->code = run(asked->line, &asked->status);
    asked->fine = is_fine(asked->line, asked->code, asked->status);
    bool of_lease = strstr(asked->line, "$LEASE") != NULL && ++asked->tries < TRIES;
    bool not_yet = asked->status >= 200 && asked->status <= 299;
    return asked->fine || !(of_lease || not_yet);
}

static void expect_answer(const char *line)
{
    struct asked asked = { .line = line };
    (void)wait_until(is_settled, &asked, SCENE_WAIT_MS);
    if (asked.fine) {
        keep(V_OP, "OP", "\"op_id\":\"", "\"");
        keep(V_TOKEN_ID, "TOKEN_ID", "token_id: ", "\n");
        return;
    }
    char *out = home_read(&scene.home, "out"), *err = home_read(&scene.home, "stderr");
    fail_msg("%s\n  %s %s %s\n  exit %d, status %ld\n%.2000s\n%.2000s", line, variables[V_BODY], variables[V_HEAD], variables[V_LEASE],
             asked.code, asked.status, out, err);
}

/* True: the line was the service manager's. */
static bool served_systemctl(const char *line)
{
    static char listen[DAEMON_URL_SIZE];
    if (strcmp(line, "systemctl stop hydraclusterd") == 0) {
        (void)snprintf(listen, sizeof listen, "%s", scene.daemon.url + strlen("http://"));
        scene_stop();
        return true;
    }
    if (strcmp(line, "systemctl start hydraclusterd") == 0) {
        const struct daemon_options options = { .listen = listen };
        scene_start(&options);
        return true;
    }
    return false;
}

/* ---- a page ---- */

/* Every line of every block, but those that set the variables; how many there were. */
static size_t run_page(const char *path)
{
    static char text[PAGE_MAX];
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    size_t len = fread(text, 1, sizeof text - 1, in), count = 0;
    assert_int_equal(fclose(in), 0);
    assert_true(len < sizeof text - 1);
    text[len] = '\0';
    char *rest = text;
    bool inside = false;
    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
        if (strncmp(line, FENCE, strlen(FENCE)) == 0)
            inside = !inside;
        else if (inside && strncmp(line, "export ", strlen("export ")) != 0) {
            assert_true(strlen(line) < LINE_SIZE);
            if (!served_systemctl(line))
                expect_answer(line);
            count++;
        }
    }
    assert_false(inside);
    return count;
}

static void test_runbook__every_line__is_answered_as_it_says(void **state)
{
    (void)state;
    assert_true(run_page("docs/RUNBOOK.md") >= 40);     /* fewer, here and below: the lines were not found */
}

static void test_migration__every_line__is_answered_as_it_says(void **state)
{
    (void)state;
    assert_true(run_page("docs/MIGRATION.md") >= 40);
}

static void test_backup__every_line__is_answered_as_it_says(void **state)
{
    (void)state;
    assert_true(run_page("docs/BACKUP.md") >= 18);
    assert_true(home_has(&scene.home, "copies/before/allocation.yaml"));
    assert_true(home_has(&scene.home, "copies/tokens.yaml"));
}

static void test_security__every_line__is_answered_as_it_says(void **state)
{
    (void)state;
    assert_true(run_page("docs/SECURITY.md") >= 12);
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
        "hydractl slotz",
        "hydractl pairing no-such-body",
        "hydractl restore no-such-file --check   # 0 or 4: but not 2",
        "hydraclusterd token revoke no-such-token --data-dir $DATA",
        "cp -p $DATA/no-such-file $COPIES/",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        long status;
        int code = run(wrong[i], &status);
        if (is_fine(wrong[i], code, status))
            fail_msg("%s", wrong[i]);
    }
}

/* One fleet for all: what a page does to it the next one meets, as on a real one. */
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runbook__every_line__is_answered_as_it_says),
        cmocka_unit_test(test_migration__every_line__is_answered_as_it_says),
        cmocka_unit_test(test_security__every_line__is_answered_as_it_says),
        cmocka_unit_test(test_backup__every_line__is_answered_as_it_says),
        cmocka_unit_test(test_runbook__wrong_lines__are_noticed),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
