/* test_hydractl.c - the operator's command line against a real daemon: what it shows, what it does, what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "ctl.h"
#include "hydra/base/arena.h"

static struct node b1, h1, h2;

static int set_up(void **state)
{
    (void)scene_open_started(state);
    ctl_set_up();
    fleet_venue(&scene.daemon, "north", "museum");
    return 0;
}

/* One modern body with one slot that h1 has; h2 waits for it. */
static void fleet_with_a_line(struct held_lease *ret)
{
    b1 = fleet_body(&scene.daemon, "b1", "north");
    h1 = fleet_head(&scene.daemon, "h1", "north");
    h2 = fleet_head(&scene.daemon, "h2", "north");
    struct call call = fleet_reports_modern(&scene.daemon, &b1, "idle", NULL);
    call_free(&call);
    call = fleet_claims(&scene.daemon, &h1, "a-1");
    assert_true(fleet_lease_of(&call, ret));
    call_free(&call);
    call = fleet_claims(&scene.daemon, &h2, "a-2");
    assert_int_equal(call.status, 202);
    call_free(&call);
}

static void test_hydractl__a_lease_and_a_line__slots_queue_sessions_explain(void **state)
{
    (void)state;
    struct held_lease lease;
    fleet_with_a_line(&lease);
    struct ran ran = ctl("slots", NULL);
    assert_int_equal(ran.code, 0);
    ctl_shows(&ran, "BODY", "STATE");
    ctl_shows(&ran, "b1", "h1");
    ctl_shows(&ran, lease.id, FLEET_EXPERIENCE);
    assert_null(strstr(ran.out, "\033"));               /* no colour, for it is no terminal */
    ran_free(&ran);
    ran = ctl("queue", NULL);
    assert_int_equal(ran.code, 0);
    ctl_shows(&ran, "h2", "waiting");
    ran_free(&ran);
    ran = ctl("sessions", NULL);
    ctl_shows(&ran, lease.id, h1.id);
    ran_free(&ran);
    ran = ctl("explain", "h2", FLEET_EXPERIENCE, NULL);
    assert_int_equal(ran.code, 0);
    ctl_shows(&ran, "A claim would get", NULL);
    ctl_shows(&ran, b1.id, "leased");
    ran_free(&ran);
    ran = ctl("explain", "--lease", lease.id, NULL);
    assert_int_equal(ran.code, 0);
    ctl_shows(&ran, "lease_granted", b1.id);
    ran_free(&ran);
}

static void test_hydractl__json_and_yaml__what_the_server_says(void **state)
{
    (void)state;
    struct held_lease lease;
    fleet_with_a_line(&lease);
    struct ran ran = ctl("-o", "json", "slots", "--body", "b1", NULL);
    json_t *json = ctl_json(&ran);
    assert_int_equal(json_array_size(json), 1);
    assert_string_equal(json_string_value(json_object_get(json_array_get(json, 0), "body_id")), b1.id);
    assert_true(json_is_object(json_object_get(json_array_get(json, 0), "lease")));
    json_decref(json);
    ran_free(&ran);
    ran = ctl("nodes", "-o", "yaml", "show", "b1", NULL);
    assert_int_equal(ran.code, 0);
    ctl_shows(&ran, "id: ", b1.id);
    ctl_shows(&ran, "  slots_total: 1", NULL);
    ran_free(&ran);
}

static void test_hydractl__every_list_and_look__exits_good(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        { "allocation" }, { "conflicts" }, { "streams" }, { "sessions", "--history" }, { "events" }, { "nodes" }, { "nodes", "list" },
        { "bodies" },
        { "heads" }, { "venues" }, { "venues", "show", "north" }, { "orgs" }, { "experiences" }, { "district", "default" }, { "migration" },
        { "pairing", "b1" }, { "health" }, { "help" }, { "--help" }, { "slots", "--help" }, { "--version" },
    };
    static const char *const formats[] = { "table", "wide", "json", "yaml" };
    struct held_lease lease;
    fleet_with_a_line(&lease);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++) {
            struct ran ran = ctl("-o", formats[f], rows[i][0], rows[i][1], rows[i][2], NULL);
            if (ran.code != 0 || ran.out[0] == '\0' || ran.err[0] != '\0')
                fail_msg("%s %s -o %s: code %d: %s", rows[i][0], rows[i][1] == NULL ? "" : rows[i][1], formats[f], ran.code, ran.err);
            ran_free(&ran);
        }
}

/* ---- exit codes, and what is said ---- */

static void test_hydractl__wrong_command_lines__usage(void **state)
{
    (void)state;
    static const struct { const char *args[4], *says; } rows[] = {
        { { "frobnicate" }, "no such command" },
        { { "nodes", "frobnicate" }, "list, show" },
        { { "slots", "--frob" }, "no such option of slots" },
        { { "slots", "--body" }, "needs NODE" },
        { { "slots", "b1" }, "one argument too many" },
        { { "release" }, "needs LEASE" },
        { { "-o", "xml", "slots" }, "none of table" },
        { { "drain", "b1" }, "--deadline" },
        { { "drain", "b1", "--deadline", "soon" }, "no time in whole seconds" },
        { { "explain", "h1" }, "EXPERIENCE" },
        { { "streams", "--limit", "many" }, "no whole number" },
        { { "sessions", "--head", "h1" }, "--history" },
        { { "completion", "tcsh" }, "bash zsh fish" },
        { { "op", "b1", "rm" }, "sunshine.list_clients" },
        { { "restore", "x.tar" }, "--check" },
        { { "enrol", "b7" }, "--role" },
        { { "--token", "secret-1", "slots" }, "no such option" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ran ran = ctl(rows[i].args[0], rows[i].args[1], rows[i].args[2], rows[i].args[3], NULL);
        if (ran.code != 2)
            fail_msg("row %zu: code %d, %s", i, ran.code, ran.err);
        assert_true(ctl_says(&ran, rows[i].says));
        assert_null(strstr(ran.err, "secret-1"));
        ran_free(&ran);
    }
}

static void test_hydractl__nobody_listens__unreachable(void **state)
{
    (void)state;
    struct ran ran = ctl("--server", "http://127.0.0.1:1", "slots", NULL);
    assert_int_equal(ran.code, 3);
    assert_true(ctl_says(&ran, "http://127.0.0.1:1"));
    ran_free(&ran);
    ran = ctl("--server", "http://127.0.0.1:1", "watch", NULL);
    assert_int_equal(ran.code, 3);
    ran_free(&ran);
    ran = ctl("--server", "http://127.0.0.1:1", "events", "-f", NULL);
    assert_int_equal(ran.code, 3);
    ran_free(&ran);
}

static void test_hydractl__server_says_no__refused_with_its_reason(void **state)
{
    (void)state;
    b1 = fleet_body(&scene.daemon, "b1", "north");
    struct ran ran = ctl("nodes", "show", "node-00000000", NULL);
    assert_int_equal(ran.code, 1);
    assert_true(ctl_says(&ran, "404"));
    ran_free(&ran);
    ran = ctl("nodes", "show", "nobody", NULL);
    assert_int_equal(ran.code, 1);
    assert_true(ctl_says(&ran, "no node has that id or name"));
    ran_free(&ran);
    ran = ctl("enforce", "enforce", "b1", NULL);
    assert_int_equal(ran.code, 1);
    assert_true(ctl_says(&ran, "enforce_not_ready"));
    ran_free(&ran);
    ran = ctl("drain", "b1", "--deadline", "20000h", NULL);
    assert_int_equal(ran.code, 1);
    assert_true(ctl_says(&ran, "deadline_seconds"));
    ran_free(&ran);
    ran = ctl("streams", "--limit", "5000", NULL);
    assert_int_equal(ran.code, 1);
    assert_true(ctl_says(&ran, "limit"));
    ran_free(&ran);
}

static void test_hydractl__two_nodes_of_one_name__refused_with_their_ids(void **state)
{
    (void)state;
    struct node first = fleet_body(&scene.daemon, "twin", "north"), second = fleet_body(&scene.daemon, "twin", "north");
    struct ran ran = ctl("maintenance", "on", "twin", NULL);
    assert_int_equal(ran.code, 1);
    assert_true(ctl_says(&ran, first.id));
    assert_true(ctl_says(&ran, second.id));
    ran_free(&ran);
    ctl_good(ctl("maintenance", "on", second.id, NULL));
}

static void test_hydractl__a_session_nobody_was_given__divergent_is_4(void **state)
{
    (void)state;
    b1 = fleet_body(&scene.daemon, "b1", "north");
    struct call call = fleet_reports_modern(&scene.daemon, &b1, "idle", NULL);
    call_free(&call);
    struct ran ran = ctl("slots", "--divergent", NULL);
    assert_int_equal(ran.code, 0);
    ran_free(&ran);
    call = fleet_reports_modern(&scene.daemon, &b1, "streaming", NULL);
    call_free(&call);
    ran = ctl("slots", "--divergent", NULL);
    assert_int_equal(ran.code, 4);
    ctl_shows(&ran, "b1", NULL);
    ran_free(&ran);
    ctl_good(ctl("slots", NULL));                       /* asked about slots, not about divergence */
}

/* ---- tokens and settings ---- */

static void test_hydractl__token_file_readable_by_others__refused(void **state)
{
    (void)state;
    char path[HOME_PATH_SIZE];
    home_path(&scene.home, "admin.token", path);
    static const mode_t modes[] = { 0640, 0604, 0660, 0777 };
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        assert_int_equal(chmod(path, modes[i]), 0);
        struct ran ran = ctl("slots", NULL);
        assert_int_equal(ran.code, 2);
        assert_true(ctl_says(&ran, "chmod 600"));
        ran_free(&ran);
    }
    assert_int_equal(chmod(path, 0400), 0);
    ctl_good(ctl("slots", NULL));
}

static void test_hydractl__unknown_or_broken_token__told_without_it(void **state)
{
    (void)state;
    home_write(&scene.home, "admin.token", "not-a-token-of-this-daemon\n");
    struct ran ran = ctl("slots", NULL);
    assert_int_equal(ran.code, 1);
    assert_true(ctl_says(&ran, "401"));
    assert_null(strstr(ran.err, "not-a-token"));
    ran_free(&ran);
    home_write(&scene.home, "admin.token", "two words\n");
    ran = ctl("slots", NULL);
    assert_int_equal(ran.code, 2);
    assert_true(ctl_says(&ran, "one token and nothing else"));
    assert_null(strstr(ran.err, "two"));
    ran_free(&ran);
    ctl_good(ctl("health", NULL));                      /* public: no token is read */
}

static void test_hydractl__settings_file__names_server_token_and_output(void **state)
{
    (void)state;
    char text[1024];
    b1 = fleet_body(&scene.daemon, "b1", "north");
    ctl_good(ctl_shell("mkdir -p $HOME/.config"));
    (void)snprintf(text, sizeof text, "server: %s\ntoken_file: ~/admin.token\noutput: json\n", scene.daemon.url);
    home_write(&scene.home, ".config/hydractl.yaml", text);
    struct ran ran = ctl_shell("unset HYDRACTL_SERVER HYDRACTL_TOKEN_FILE; exec $HYDRACTL bodies");
    json_t *json = ctl_json(&ran);
    assert_int_equal(json_array_size(json), 1);
    json_decref(json);
    ran_free(&ran);
    home_write(&scene.home, ".config/hydractl.yaml", "server: http://127.0.0.1:1\ntokenfile: x\n");
    ran = ctl("bodies", NULL);
    assert_int_equal(ran.code, 2);
    assert_true(ctl_says(&ran, "hydractl.yaml:2:1: tokenfile"));
    ran_free(&ran);
}

static void test_hydractl__plain_http_to_another_machine__refused(void **state)
{
    (void)state;
    struct ran ran = ctl("--server", "http://192.0.2.7:8080", "slots", NULL);
    assert_int_equal(ran.code, 2);
    assert_true(ctl_says(&ran, "unencrypted"));
    ran_free(&ran);
}

/* A name may hold what turns the direction of a line, and anything that a browser or a terminal takes for more than text. */
static void test_hydractl__hostile_name__shown_not_obeyed(void **state)
{
    (void)state;
    struct call call = daemon_call(&scene.daemon, scene.home.admin_token, "POST", "/api/v1/nodes",
                                   "{\"name\":\"<script>\xe2\x80\xaegnp\",\"roles\":[\"body\"],\"venue\":\"north\"}");
    assert_int_equal(call.status, 201);
    call_free(&call);
    struct ran ran = ctl("nodes", NULL);
    assert_int_equal(ran.code, 0);
    ctl_shows(&ran, "<script>\\u{202e}gnp", NULL);
    assert_null(strstr(ran.out, "\xe2\x80\xae"));
    ran_free(&ran);
    ran = ctl("nodes", "-o", "json", NULL);
    json_t *json = ctl_json(&ran);                      /* for programs it is the same text */
    assert_string_equal(json_string_value(json_object_get(json_array_get(json, 0), "name")), "<script>\xe2\x80\xaegnp");
    assert_null(strstr(ran.out, "\xe2\x80\xae"));
    json_decref(json);
    ran_free(&ran);
    ran = ctl("nodes", "show", "no\033[31mbody", NULL);
    assert_int_equal(ran.code, 1);
    assert_null(strstr(ran.err, "\033"));
    ran_free(&ran);
}

/* ---- hands ---- */

static void test_hydractl__drain__preview_arm_undo(void **state)
{
    (void)state;
    struct held_lease lease;
    fleet_with_a_line(&lease);
    struct ran ran = ctl("drain", "b1", "--dry-run", NULL);
    assert_int_equal(ran.code, 0);
    ctl_shows(&ran, "armed", "no");
    ctl_shows(&ran, "leases", lease.id);
    ran_free(&ran);
    ran = ctl("drain", "b1", "--deadline", "10min", NULL);
    assert_int_equal(ran.code, 0);
    ctl_shows(&ran, "armed", "yes");
    ran_free(&ran);
    ran = ctl("bodies", "-o", "json", NULL);
    json_t *json = ctl_json(&ran);
    assert_true(json_is_string(json_object_get(json_array_get(json, 0), "drain_deadline_at")));
    json_decref(json);
    ran_free(&ran);
    ran = ctl("undrain", "b1", NULL);
    assert_int_equal(ran.code, 0);
    ctl_shows(&ran, "b1 is not drained any more", NULL);
    ran_free(&ran);
}

static void test_hydractl__hands_on_a_body__change_what_they_say(void **state)
{
    (void)state;
    b1 = fleet_body(&scene.daemon, "b1", "north");
    ctl_good(ctl("maintenance", "on", "b1", NULL));
    ctl_good(ctl("settings", "b1", "--slots", "2", "--maintenance-clients", "bench,laptop", "--reserve", "01", NULL));
    ctl_good(ctl("enforce", "enforce", "b1", "--force", NULL));
    ctl_good(ctl("circuit", "reset", "b1", NULL));
    ctl_good(ctl("nodes", "set", "b1", "--name", "b one", "--ip", "10.1.2.3", NULL));
    ctl_good(ctl("nodes", "deny", "b one", NULL));
    struct call call = daemon_call(&scene.daemon, scene.home.admin_token, "GET", "/api/v1/bodies", NULL);
    assert_true(call_bool(&call, "0.maintenance"));
    assert_int_equal(call_int(&call, "0.slots_total"), 2);
    assert_int_equal(call_int(&call, "0.home_venue_reserve"), 1);
    assert_string_equal(call_str(&call, "0.enforce"), "enforce");
    assert_string_equal(call_str(&call, "0.name"), "b one");
    assert_string_equal(call_str(&call, "0.ip"), "10.1.2.3");
    assert_string_equal(call_str(&call, "0.approval"), "denied");
    call_free(&call);
    ctl_good(ctl("nodes", "approve", "b one", NULL));
    ctl_good(ctl("maintenance", "off", "b one", NULL));
    ctl_good(ctl("enforce", "observe", "b one", NULL));
    ctl_good(ctl("settings", "b one", "--reserve", "auto", NULL));
    struct ran ran = ctl("settings", "b one", "--reserve", "automatic", NULL);
    assert_int_equal(ran.code, 2);
    assert_true(ctl_says(&ran, "--reserve: automatic is no whole number of at most 9 digits, and not the word auto"));
    ran_free(&ran);
    call = daemon_call(&scene.daemon, scene.home.admin_token, "GET", "/api/v1/bodies", NULL);
    assert_false(call_bool(&call, "0.maintenance"));
    assert_string_equal(call_str(&call, "0.enforce"), "observe");
    assert_string_equal(call_str(&call, "0.home_venue_reserve"), "auto");
    assert_string_equal(call_str(&call, "0.approval"), "approved");
    call_free(&call);
    ctl_good(ctl("nodes", "delete", "b one", NULL));
    assert_int_equal(scene_admin("GET", "/api/v1/bodies", NULL), 200);
}

static void test_hydractl__venues_orgs_experiences__set_shown_deleted(void **state)
{
    (void)state;
    ctl_good(ctl("venues", "set", "Old Town 2 \xc3\xa9t\xc3\xa9", "--owner", "museum", "--most-grants", "007", "--accept", "confirm",
                 NULL));
    struct ran ran = ctl("venues", "show", "Old Town 2 \xc3\xa9t\xc3\xa9", NULL);
    assert_int_equal(ran.code, 0);
    ctl_shows(&ran, "max_concurrent_grants", "7");
    ctl_shows(&ran, "queue_accept_mode", "confirm");
    ran_free(&ran);
    ctl_good(ctl("venues", "delete", "Old Town 2 \xc3\xa9t\xc3\xa9", NULL));
    ctl_good(ctl("orgs", "set", "museum", "--most-grants", "3", NULL));
    ran = ctl("orgs", NULL);
    ctl_shows(&ran, "museum", "3");
    ran_free(&ran);
    ctl_good(ctl("orgs", "delete", "museum", NULL));
    ctl_good(ctl("experiences", "set", "mercator", "--label", "Mercator \"sails\"", "--microphone", "--venues", "Old Town,north", NULL));
    ran = ctl("experiences", NULL);
    ctl_shows(&ran, "Mercator \"sails\"", "Old Town, north");
    ran_free(&ran);
    ctl_good(ctl("experiences", "delete", "mercator", NULL));
}

static void test_hydractl__release_and_revoke__the_lease_ends(void **state)
{
    (void)state;
    struct held_lease lease;
    fleet_with_a_line(&lease);
    struct ran ran = ctl("release", lease.id, "--reason", "asked by the front desk", NULL);
    assert_int_equal(ran.code, 0);
    ctl_shows(&ran, lease.id, "is released");
    ran_free(&ran);
    assert_int_equal(fleet_renews(&scene.daemon, &h1, &lease), 410);
    ran = ctl("revoke", "lse-0000000000000000", NULL);
    assert_int_equal(ran.code, 1);
    assert_true(ctl_says(&ran, "404"));
    ran_free(&ran);
}

/* ---- tokens that are told once ---- */

static void test_hydractl__enrol_and_token__saved_0600_and_they_work(void **state)
{
    (void)state;
    char path[HOME_PATH_SIZE];
    struct stat facts;
    home_path(&scene.home, "b9.token", path);
    struct ran ran = ctl("enrol", "b9", "--role", "body", "--venue", "north", "--save-token", path, NULL);
    assert_int_equal(ran.code, 0);
    ctl_shows(&ran, "node_id", "node-");
    ran_free(&ran);
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 07777, 0600);
    char *token = home_read(&scene.home, "b9.token");
    token[strcspn(token, "\n")] = '\0';
    struct call call = daemon_call(&scene.daemon, token, "POST", "/api/v1/body/status", "{\"stream_status\":\"idle\"}");
    assert_int_equal(call.status, 200);
    call_free(&call);
    ran = ctl("token", "b9", "--save-token", path, NULL);
    assert_int_equal(ran.code, 2);                      /* there already: the old token must not have died for nothing */
    ran_free(&ran);
    call = daemon_call(&scene.daemon, token, "POST", "/api/v1/body/status", "{\"stream_status\":\"idle\"}");
    assert_int_equal(call.status, 200);
    call_free(&call);
    ran = ctl("nodes", "token", "b9", "-o", "json", NULL);
    json_t *json = ctl_json(&ran);
    const char *fresh = json_string_value(json_object_get(json, "token"));
    assert_non_null(fresh);
    call = daemon_call(&scene.daemon, token, "POST", "/api/v1/body/status", "{\"stream_status\":\"idle\"}");
    assert_int_equal(call.status, 401);
    call_free(&call);
    call = daemon_call(&scene.daemon, fresh, "POST", "/api/v1/body/status", "{\"stream_status\":\"idle\"}");
    assert_int_equal(call.status, 200);
    call_free(&call);
    json_decref(json);
    ran_free(&ran);
    hc_free(token);
}

/* ---- TLS ---- */

static char cert[HOME_PATH_SIZE];

static int set_up_tls(void **state)
{
    char key[HOME_PATH_SIZE];
    struct process process;
    (void)scene_open(state);
    home_path(&scene.home, "cert.pem", cert);
    home_path(&scene.home, "key.pem", key);
    const char *const openssl[] = { "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                                    "-subj", "/CN=hydracluster", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2", "-keyout", key,
                                    "-out", cert, NULL };
    process_start(&process, openssl, NULL, scene.home.log);
    assert_int_equal(process_wait(&process, SCENE_WAIT_MS), 0);
    const char *const args[] = { "--tls-cert", cert, "--tls-key", key, NULL };
    const struct daemon_options options = { .args = args, .ca_file = cert };
    scene_start(&options);
    ctl_set_up();
    return 0;
}

static void test_hydractl__https__only_with_a_certificate_that_is_trusted(void **state)
{
    (void)state;
    struct ran ran = ctl("slots", NULL);
    assert_int_equal(ran.code, 3);                      /* nobody that it would talk to; the token was not sent */
    assert_true(ctl_says(&ran, "certificate"));
    ran_free(&ran);
    ctl_good(ctl("--ca-file", cert, "slots", NULL));
    ctl_good(ctl("--ca-file", cert, "sessions", "--history", NULL));
    ran = ctl("--ca-file", "/nonexistent.pem", "slots", NULL);
    assert_int_equal(ran.code, 2);
    assert_true(ctl_says(&ran, "/nonexistent.pem"));
    ran_free(&ran);
}

/* ---- completion ---- */

static void test_hydractl__completion__loads_and_completes(void **state)
{
    (void)state;
    struct ran ran = ctl_shell("source <($HYDRACTL completion bash); COMP_WORDS=(hydractl nodes sh); COMP_CWORD=2; _hydractl; "
                               "echo \"${COMPREPLY[*]}\"; COMP_WORDS=(hydractl slots --di); _hydractl; echo \"${COMPREPLY[*]}\"; "
                               "COMP_WORDS=(hydractl sl); COMP_CWORD=1; _hydractl; echo \"${COMPREPLY[*]}\"; "
                               "COMP_WORDS=(hydractl --output json op b1 sunshine.l); COMP_CWORD=5; _hydractl; echo \"${COMPREPLY[*]}\"");
    assert_int_equal(ran.code, 0);
    assert_string_equal(ran.out, "show\n--divergent --district\nslots\nsunshine.list_clients\n");
    assert_string_equal(ran.err, "");
    ran_free(&ran);
    static const char *const shells[] = { "zsh", "fish" };
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
        char script[256];
        (void)snprintf(script, sizeof script, "$HYDRACTL completion %s > $HOME/script || exit 1; command -v %s > /dev/null || exit 0; "
                       "%s -n $HOME/script", shells[i], shells[i], shells[i]);
        ran = ctl_shell(script);
        if (ran.code != 0)
            fail_msg("%s: %s", shells[i], ran.err);
        ran_free(&ran);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, scene_close)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_hydractl__a_lease_and_a_line__slots_queue_sessions_explain),
        TEST(test_hydractl__json_and_yaml__what_the_server_says),
        TEST(test_hydractl__every_list_and_look__exits_good),
        TEST(test_hydractl__wrong_command_lines__usage),
        TEST(test_hydractl__nobody_listens__unreachable),
        TEST(test_hydractl__server_says_no__refused_with_its_reason),
        TEST(test_hydractl__two_nodes_of_one_name__refused_with_their_ids),
        TEST(test_hydractl__a_session_nobody_was_given__divergent_is_4),
        TEST(test_hydractl__token_file_readable_by_others__refused),
        TEST(test_hydractl__unknown_or_broken_token__told_without_it),
        TEST(test_hydractl__settings_file__names_server_token_and_output),
        TEST(test_hydractl__plain_http_to_another_machine__refused),
        TEST(test_hydractl__hostile_name__shown_not_obeyed),
        TEST(test_hydractl__drain__preview_arm_undo),
        TEST(test_hydractl__hands_on_a_body__change_what_they_say),
        TEST(test_hydractl__venues_orgs_experiences__set_shown_deleted),
        TEST(test_hydractl__release_and_revoke__the_lease_ends),
        TEST(test_hydractl__enrol_and_token__saved_0600_and_they_work),
        TEST(test_hydractl__completion__loads_and_completes),
        cmocka_unit_test_setup_teardown(test_hydractl__https__only_with_a_certificate_that_is_trusted, set_up_tls, scene_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
