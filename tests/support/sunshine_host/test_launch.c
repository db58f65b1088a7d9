/* test_launch.c - launch, resume, cancel, prep commands, sessions and the app's own end, by release. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "raw.h"
#include "stage.h"

static void launch(void)
{
    struct reply reply;
    stage_launch(&stage.one, "Map", &reply);
    assert_int_equal(reply_root(&reply), 200);
    assert_int_equal(reply_number(&reply, "gamesession"), 1);
}

static void ask(const struct peer *peer, const char *target, long root, const char *name, long value)
{
    struct reply reply;
    peer_https(&stage.host, peer, target, &reply);
    assert_int_equal(reply.http, 200);
    assert_int_equal(reply_root(&reply), root);
    if (name != NULL)
        assert_int_equal(reply_number(&reply, name), value);
}

static long status_number(const char *name)
{
    json_t *status = sunshine_status(&stage.host);
    const json_t *value = json_object_get(status, name);
    long number = json_is_array(value) ? (long)json_array_size(value) : (long)json_integer_value(value);
    json_decref(status);
    return number;
}

static int stream_open(void)
{
    char url[64], text[RAW_TEXT_SIZE];
    (void)snprintf(url, sizeof url, "http://127.0.0.1:%u", stage.host.rtsp);
    int fd = raw_connect(url);
    if (!raw_read(fd, "\n", text, PEER_WAIT_MS))
        raw_close(&fd);
    return fd;
}

static bool no_session(void *ctx)
{
    (void)ctx;
    return status_number("sessions") == 0;
}

static bool is_free(void *ctx)
{
    (void)ctx;
    return stage_game() <= 0;
}

static bool is_zombie(void *ctx)
{
    char path[64], text[256] = "";
    (void)snprintf(path, sizeof path, "/proc/%ld/stat", *(long *)ctx);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    (void)fclose(file);
    return strstr(text, ") Z ") != NULL;
}

static void test_launch__prep_commands__run_with_the_documented_environment(void **state)
{
    (void)state;
    char line[256];
    struct reply reply;
    stage_launch(&stage.one, "Map", &reply);
    assert_int_equal(reply_root(&reply), 200);
    char url[128], expected[128];
    reply_element(&reply, "sessionUrl0", url, sizeof url);
    (void)snprintf(expected, sizeof expected, "rtsp://127.0.0.1:%u", stage.host.rtsp);
    assert_string_equal(url, expected);
    long id = stage_app("Map");
    (void)snprintf(line, sizeof line, "first-do Map %ld 1920x1080x60 hdr=false host=false audio=5.1 sops=true gcmap=3 params=%s uuid=", id,
                   stage_since("v2025.118") ? "abc" : "");
    char *hooks = home_read(&stage.home, "sun/hooks");
    assert_non_null(strstr(hooks, line));
    assert_true(strstr(hooks, "first-do") < strstr(hooks, "second-do"));
    hc_free(hooks);
    assert_int_equal(stage_log_count("Executing Do Cmd: ["), 2);
    assert_int_equal(stage_log_count("Executing: [/bin/sleep 600] in [\""), 1);
    assert_int_equal(stage_game(), id);
    assert_true(status_number("pid") > 0);
    ask(&stage.one, "/cancel", 200, "cancel", 1);
    assert_int_equal(stage_game(), 0);
    hooks = home_read(&stage.home, "sun/hooks");
    assert_true(strstr(hooks, "second-undo") < strstr(hooks, "first-undo"));
    hc_free(hooks);
    assert_int_equal(stage_log_count("Executing Undo Cmd: ["), 2);
    ask(&stage.one, "/cancel", 200, "cancel", 1);                   /* also when nothing runs */
}

static void test_launch__app_runs__refused_without_a_hook(void **state)
{
    (void)state;
    struct reply reply;
    char text[128];
    launch();
    stage_launch(&stage.two, "Desktop", &reply);
    reply_element(&reply, "status_message", text, sizeof text);
    assert_int_equal(reply_root(&reply), 400);
    assert_string_equal(text, "An app is already running on this host");
    assert_int_equal(reply_number(&reply, "resume"), 0);
    assert_int_equal(stage_hook_count("-do "), 2);
}

static void test_launch__failing_do__undone_and_refused(void **state)
{
    (void)state;
    struct reply reply;
    stage_launch(&stage.one, "Broken", &reply);
    assert_int_equal(reply_root(&reply), -1);
    assert_int_equal(reply_number(&reply, "gamesession"), 0);
    assert_int_equal(stage_hook_count("first-do"), 1);
    assert_int_equal(stage_hook_count("first-undo"), 1);
    assert_int_equal(stage_hook_count("second-undo"), 0);           /* the failing entry's own */
    assert_int_equal(stage_hook_count("third-do"), 0);
    assert_int_equal(stage_log_count("[/bin/false] failed with code [1]"), stage_since("v2026.516") ? 0 : 1);
    assert_int_equal(stage_log_count("[/bin/false] exited with code [1]"), stage_since("v2026.516") ? 1 : 0);
    assert_int_equal(stage_game(), 0);
    assert_true(sunshine_refuses(&stage.host, "connect"));          /* nothing is armed */
}

static void test_launch__bad_requests__each_with_its_answer(void **state)
{
    (void)state;
    ask(&stage.one, "/launch?uniqueid=x&appid=1", 400, "resume", 0);
    ask(&stage.one, "/launch?uniqueid=x&appid=12345" STAGE_LAUNCH, 404, "gamesession", 0);
    assert_int_equal(stage_log_count("Couldn't find app with ID [12345]"), 1);
    ask(&stage.one, "/resume?uniqueid=x&rikey=00&rikeyid=1", 503, "resume", 0);
    launch();
    ask(&stage.one, "/resume?uniqueid=x", 400, NULL, 0);
    ask(&stage.one, "/cancel", 200, "cancel", 1);
    sunshine_say(&stage.host, "fault no-display 1");
    struct reply reply;
    stage_launch(&stage.one, "Map", &reply);
    assert_int_equal(reply_root(&reply), 503);
    sunshine_say(&stage.host, "fault no-display 0");
    sunshine_say(&stage.host, "fault needs-encryption 1");
    stage_launch(&stage.one, "Map", &reply);
    assert_int_equal(reply_root(&reply), 403);
    ask(&stage.one, "/launch?uniqueid=x&appid=0&corever=1" STAGE_LAUNCH, 200, "gamesession", 1);     /* no app, no hook */
    assert_int_equal(stage_game(), 0);
    assert_true(stream_open() < 0);                                 /* cut off, and the host goes down ten seconds later */
    assert_int_equal(stage_log_count("Process terminated"), 1);
}

static void test_session__resume_by_anybody__both_see_the_picture(void **state)
{
    (void)state;
    launch();
    int first = stream_open();
    assert_true(first >= 0);
    assert_int_equal(stage_log_count("New streaming session started [active sessions: 1]"), 1);
    if (!stage_since("v2025.118")) {                                /* one channel: the second is turned away, and nobody may cancel */
        ask(&stage.two, "/resume?rikey=00&rikeyid=1", 503, "resume", 0);
        ask(&stage.two, "/cancel", 503, NULL, 0);
        raw_close(&first);
        assert_true(wait_until(no_session, NULL, PEER_WAIT_MS));
        ask(&stage.two, "/cancel", 200, "cancel", 1);
        return;
    }
    ask(&stage.two, "/resume?rikey=00&rikeyid=1", 200, "resume", 1);
    assert_int_equal(stage_hook_count("-do "), 2);                  /* no hook sees a join */
    int second = stream_open();
    assert_true(second >= 0);
    assert_int_equal(stage_log_count("New streaming session started [active sessions: 2]"), 1);
    ask(&stage.two, "/cancel", 200, "cancel", 1);                   /* anybody ends everybody */
    assert_true(raw_closed(first, PEER_WAIT_MS));
    assert_true(raw_closed(second, PEER_WAIT_MS));
    assert_int_equal(stage_log_count("CLIENT DISCONNECTED"), 2);
    raw_close(&first);
    raw_close(&second);
}

static void test_session__goodbye__app_stays_and_undo_waits(void **state)
{
    (void)state;
    launch();
    int fd = stream_open();
    raw_close(&fd);
    assert_true(wait_until(no_session, NULL, PEER_WAIT_MS));
    assert_true(stage_game() > 0);
    assert_int_equal(stage_hook_count("undo"), 0);
    assert_true(stream_open() < 0);                                 /* nothing is pending: cut off */
    sunshine_say(&stage.host, "open two");
    assert_int_equal(status_number("sessions"), 1);
    char line[64];
    (void)snprintf(line, sizeof line, "timeout %ld", 2L);
    sunshine_say(&stage.host, line);
    assert_int_equal(stage_log_count("127.0.0.1: Ping Timeout"), 1);
    assert_int_equal(status_number("sessions"), 0);
    assert_true(stage_game() > 0);
}

static void test_session__second_hand_over__dropped_in_silence(void **state)
{
    (void)state;
    launch();
    ask(&stage.two, "/resume?rikey=00&rikeyid=1", 200, "resume", 1);
    assert_int_equal(sunshine_number(&stage.host, "connect"), 1);
    assert_true(sunshine_refuses(&stage.host, "connect"));
    json_t *status = sunshine_status(&stage.host);
    const json_t *session = json_array_get(json_object_get(status, "sessions"), 0);
    assert_string_equal(json_string_value(json_object_get(session, "client")), "one");
    json_decref(status);
}

static void test_app__exits__first_look_says_busy_second_undoes(void **state)
{
    (void)state;
    struct reply reply;
    stage_launch(&stage.one, "Short", &reply);
    assert_int_equal(reply_root(&reply), 200);
    long pid = status_number("pid");
    assert_true(wait_until(is_zombie, &pid, PEER_WAIT_MS));
    assert_true(stage_game() > 0);
    assert_int_equal(stage_hook_count("first-undo"), 0);
    assert_int_equal(stage_game(), 0);
    assert_int_equal(stage_hook_count("first-undo"), 1);
    assert_int_equal(stage_log_count("App exited with code [0]"), 1);
    launch();
    sunshine_say(&stage.host, "app-exit");
    assert_true(wait_until(is_free, NULL, PEER_WAIT_MS));
    assert_int_equal(stage_hook_count("first-undo"), 2);
    launch();
    assert_int_equal(sunshine_number(&stage.host, "connect"), 1);
    sunshine_say(&stage.host, "app-exit");                          /* while a session is up the host looks by itself */
    assert_true(wait_until(no_session, NULL, PEER_WAIT_MS));
    assert_int_equal(stage_log_count("Process terminated"), 1);
}

static void test_app__list_changed__forgotten_without_undo(void **state)
{
    (void)state;
    launch();
    int fd = stream_open();
    assert_true(web_says_true(&stage.host, "POST", "/api/apps",
                              "{\"name\":\"New\",\"index\":-1,\"cmd\":\"\",\"prep-cmd\":[],\"detached\":[]}"));
    assert_true(raw_closed(fd, PEER_WAIT_MS));
    raw_close(&fd);
    assert_int_equal(stage_game(), 0);
    ask(&stage.one, "/cancel", 200, "cancel", 1);
    assert_int_equal(stage_hook_count("undo"), 0);
    (void)stage_app("New");
}

static void test_host__killed__no_undo_and_clients_kept(void **state)
{
    (void)state;
    launch();
    sunshine_kill(&stage.host);
    assert_int_equal(stage_hook_count("undo"), 0);
    sunshine_again(&stage.host);
    assert_int_equal(stage_game(), 0);
    assert_true(peer_is_in(&stage.host, &stage.one));
    launch();
    assert_int_equal(sunshine_stop(&stage.host), 0);                /* a graceful end undoes */
    assert_int_equal(stage_hook_count("undo"), 2);
    sunshine_again(&stage.host);
    assert_int_equal(stage_game(), 0);
}

static bool hook_started(void *ctx)
{
    (void)ctx;
    return stage_hook_count("first-do") == 1;
}

static void test_launch__hook_hangs__http_says_free_https_says_nothing(void **state)
{
    (void)state;
    char bytes[512];
    long id = stage_app("Map");
    sunshine_say(&stage.host, "fault hook-hangs 1");
    (void)snprintf(bytes, sizeof bytes, "GET /launch?uniqueid=x&appid=%ld" STAGE_LAUNCH " HTTP/1.1\r\n\r\n", id);
    struct tls tls = tls_open(&stage.one, stage.host.https, false);
    tls_send(&tls, bytes);
    assert_true(wait_until(hook_started, NULL, PEER_WAIT_MS));
    assert_int_equal(stage_game(), 0);
    assert_false(tls_is_served(stage.host.https, 200));
    tls_close(&tls);                                                /* the client gives up: the launch goes on all the same */
    sunshine_say(&stage.host, "fault hook-hangs 0");
    assert_true(peer_is_in(&stage.host, &stage.one));
    assert_int_equal(stage_game(), id);
}

static void test_launch__nobody_logged_on__desktop_is_forgiven(void **state)
{
    (void)state;
    struct reply reply;
    sunshine_say(&stage.host, "fault nobody-logged-on 1");
    stage_launch(&stage.one, "Map", &reply);
    assert_int_equal(reply_root(&reply), -1);
    stage_launch(&stage.one, "Desktop", &reply);
    assert_int_equal(reply_root(&reply), 200);
    assert_int_equal(status_number("pid"), 0);
}

#define ROW(function, word) { #function " " word, function, stage_set_up_paired, stage_tear_down, (void *)(uintptr_t)word }
#define ROWS(word)                                                                      \
    ROW(test_launch__prep_commands__run_with_the_documented_environment, word),         \
    ROW(test_launch__failing_do__undone_and_refused, word),                             \
    ROW(test_session__resume_by_anybody__both_see_the_picture, word),                   \
    ROW(test_app__list_changed__forgotten_without_undo, word),
#define ENDS_ROWS(word)                                                                 \
    ROW(test_launch__app_runs__refused_without_a_hook, word),                           \
    ROW(test_launch__bad_requests__each_with_its_answer, word),                         \
    ROW(test_session__goodbye__app_stays_and_undo_waits, word),                         \
    ROW(test_session__second_hand_over__dropped_in_silence, word),                      \
    ROW(test_app__exits__first_look_says_busy_second_undoes, word),                     \
    ROW(test_host__killed__no_undo_and_clients_kept, word),                             \
    ROW(test_launch__hook_hangs__http_says_free_https_says_nothing, word),              \
    ROW(test_launch__nobody_logged_on__desktop_is_forgiven, word),
int main(void)
{
    const struct CMUnitTest tests[] = { STAGE_TESTED(ROWS) STAGE_ENDS(ENDS_ROWS) };
    return cmocka_run_group_tests(tests, stage_open, stage_close);
}
