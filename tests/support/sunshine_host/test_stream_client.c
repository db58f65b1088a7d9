/* test_stream_client.c - Moonlight's stand-in against the host: launch, join by resume, the ends from either side. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hydra/base/arena.h"
#include "stage.h"

static void write_identity(const struct peer *peer, const char *name)
{
    char cert[HOME_PATH_SIZE], key[HOME_PATH_SIZE], file[64], line[HOME_PATH_SIZE + 64];
    (void)snprintf(file, sizeof file, "%s.crt", name);
    home_path(&stage.home, file, cert);
    (void)snprintf(file, sizeof file, "%s.key", name);
    home_path(&stage.home, file, key);
    assert_true(certificate_save(&peer->identity, cert, key));
    if (peer == &stage.stranger)
        return;
    (void)snprintf(line, sizeof line, "pair %s %s", name, cert);
    sunshine_say(&stage.host, line);
}

static int set_up(void **state)
{
    (void)stage_set_up(state);
    write_identity(&stage.one, "one");
    write_identity(&stage.two, "two");
    write_identity(&stage.stranger, "stranger");
    return 0;
}

static struct process start(const char *name, const char *app, const char *pin)
{
    struct process process;
    char program[512], port[16], cert[HOME_PATH_SIZE], key[HOME_PATH_SIZE], file[64], log[HOME_PATH_SIZE];
    program_path("STREAM_CLIENT", "stream_client", program, sizeof program);
    (void)snprintf(port, sizeof port, "%u", stage.host.http);
    (void)snprintf(file, sizeof file, "%s.crt", name);
    home_path(&stage.home, file, cert);
    (void)snprintf(file, sizeof file, "%s.key", name);
    home_path(&stage.home, file, key);
    home_path(&stage.home, "client.log", log);
    const char *const argv[] = { program, "--host", "127.0.0.1", "--port", port, "--app", app, "--cert", cert, "--key", key,
                                 pin == NULL ? NULL : "--pin", pin, NULL };
    process_start(&process, argv, NULL, log);
    return process;
}

static void assert_streams(struct process *process, const char *expected)
{
    char line[PROCESS_LINE_MAX];
    assert_true(process_line(process, line, PEER_WAIT_MS));
    assert_string_equal(line, expected);
}

static bool one_session(void *ctx)
{
    (void)ctx;
    json_t *status = sunshine_status(&stage.host);
    size_t count = json_array_size(json_object_get(status, "sessions"));
    json_decref(status);
    return count == 1;
}

static void test_stream_client__two_of_them__the_second_joins_the_first(void **state)
{
    (void)state;
    struct process first = start("one", "Map", NULL);
    assert_streams(&first, "streaming session 1");
    struct process second = start("two", "Desktop", NULL);          /* another app, and yet it resumes what runs */
    assert_streams(&second, "streaming session 2");
    assert_int_equal(sunshine_number(&stage.host, "requests https GET /resume"), 1);
    process_end(&first);                                            /* killed: its picture ends, the app stays */
    assert_true(wait_until(one_session, NULL, PEER_WAIT_MS));
    assert_true(stage_game() > 0);
    struct reply reply;
    peer_https(&stage.host, &stage.one, "/cancel", &reply);
    assert_int_equal(process_wait(&second, PEER_WAIT_MS), 0);       /* ended by the host */
}

static void test_stream_client__sigterm__says_goodbye(void **state)
{
    (void)state;
    struct process process = start("one", "Map", NULL);
    assert_streams(&process, "streaming session 1");
    process_signal(&process, SIGTERM);
    assert_int_equal(process_wait(&process, PEER_WAIT_MS), 0);
    assert_true(stage_game() > 0);
}

static void test_stream_client__not_paired_or_another_host__no_stream(void **state)
{
    (void)state;
    char pin[HOME_PATH_SIZE], other[HOME_PATH_SIZE];
    struct process process = start("stranger", "Map", NULL);
    assert_int_equal(process_wait(&process, PEER_WAIT_MS), 3);
    home_path(&stage.home, "sun/credentials/cacert.pem", pin);
    home_path(&stage.home, "one.crt", other);
    process = start("one", "Map", other);
    assert_int_equal(process_wait(&process, PEER_WAIT_MS), 1);
    assert_int_equal(stage_game(), 0);
    process = start("one", "Nothing", pin);
    assert_int_equal(process_wait(&process, PEER_WAIT_MS), 1);
    process = start("one", "Map", pin);
    assert_streams(&process, "streaming session 1");
    process_end(&process);
}

#define ROW(function, word) { #function " " word, function, set_up, stage_tear_down, (void *)(uintptr_t)word }
int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW(test_stream_client__two_of_them__the_second_joins_the_first, "v2026.816"),
        ROW(test_stream_client__sigterm__says_goodbye, "v2026.816"),
        ROW(test_stream_client__not_paired_or_another_host__no_stream, "v2026.816"),
    };
    return cmocka_run_group_tests(tests, stage_open, stage_close);
}
