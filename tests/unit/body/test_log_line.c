#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../../../src/body/log_line.h"

#define DASHED "[2026-08-21 10:00:00.123]: "
#define COLONS "[2025:09:24:10:00:00]: "

static const struct { const char *line; enum log_kind kind; enum log_level level; int64_t number; } known[] = {
    { DASHED "Info: New streaming session started [active sessions: 1]", LOG_SESSION_STARTED, LOG_INFO, 1 },
    { COLONS "Info: New streaming session started [active sessions: 12]", LOG_SESSION_STARTED, LOG_INFO, 12 },
    { DASHED "Info: CLIENT CONNECTED", LOG_CLIENT_CONNECTED, LOG_INFO, 0 },
    { COLONS "Info: CLIENT DISCONNECTED", LOG_CLIENT_DISCONNECTED, LOG_INFO, 0 },
    { DASHED "Info: 192.168.1.7: Ping Timeout", LOG_PING_TIMEOUT, LOG_INFO, 0 },
    { DASHED "Error: Initial Ping Timeout", LOG_START_TIMEOUT, LOG_ERROR, 0 },
    { DASHED "Info: Process terminated", LOG_PROCESS_TERMINATED, LOG_INFO, 0 },
    { DASHED "Info: App exited with code [0]", LOG_APP_EXITED, LOG_INFO, 0 },
    { DASHED "Info: App exited with code [-11]", LOG_APP_EXITED, LOG_INFO, -11 },
    { DASHED "Info: Client is disabled -- denied", LOG_CLIENT_DISABLED, LOG_INFO, 0 },
};

static const char *const nothing[] = {
    "", "[", "[]", "[]: ", "]: Info: CLIENT CONNECTED", "CLIENT CONNECTED", "Info: CLIENT CONNECTED",
    DASHED, DASHED "Info", DASHED "Info: ", DASHED "CLIENT CONNECTED", DASHED "info: CLIENT CONNECTED",
    DASHED "Info: CLIENT CONNECTED ", DASHED "Info:  CLIENT CONNECTED", DASHED "Info: client connected",
    DASHED "Info: New streaming session started [active sessions: 0]", DASHED "Info: New streaming session started [active sessions: -1]",
    DASHED "Info: New streaming session started [active sessions: ]", DASHED "Info: New streaming session started [active sessions: x]",
    DASHED "Info: New streaming session started [active sessions: 1", DASHED "Info: New streaming session started [active sessions: 1]]",
    DASHED "Info: New streaming session started [active sessions: 1000001]",
    DASHED "Info: New streaming session started [active sessions: 99999999999999999999999999]",
    DASHED "Info: Executing Do Cmd: [CLIENT CONNECTED]", DASHED "Info: Executing: [x] in [\"Process terminated\"]",
    "[a date that never ends and goes on and on and on]: Info: CLIENT CONNECTED",
};

static bool read_text(const char *line, struct log_event *ret)
{
    return log_line_read(line, strlen(line), ret);
}

static void test_log_line__every_known_text__its_event(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct log_event event = { 0 };
        if (!read_text(known[i].line, &event) || event.kind != known[i].kind || event.level != known[i].level ||
            event.number != known[i].number)
            fail_msg("%s: %s %lld", known[i].line, log_kind_word(event.kind), (long long)event.number);
    }
}

static void test_log_line__anything_else__no_event_and_nothing_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof nothing / sizeof nothing[0]; i++) {
        struct log_event event = { LOG_CLIENT_DISABLED, LOG_FATAL, 42 };
        if (read_text(nothing[i], &event) || event.kind != LOG_CLIENT_DISABLED || event.level != LOG_FATAL || event.number != 42)
            fail_msg("%s", nothing[i]);
    }
}

/* At debug level the host writes what clients send. */
static void test_log_line__debug_and_verbose__clients_cannot_write_events(void **state)
{
    (void)state;
    struct log_event event;
    assert_false(read_text(DASHED "Debug: CLIENT DISCONNECTED", &event));
    assert_false(read_text(DASHED "Verbose: New streaming session started [active sessions: 1]", &event));
}

static void test_log_line__cut_anywhere_and_every_byte__never_another_event(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        char line[200];
        size_t len = strlen(known[i].line);
        memcpy(line, known[i].line, len);
        for (size_t cut = 0; cut < len; cut++) {
            struct log_event event;
            assert_false(log_line_read(line, cut, &event));
        }
        for (size_t at = sizeof DASHED; at < len; at++) {
            struct log_event event = { 0 };
            char was = line[at];
            line[at] = '\0';
            if (log_line_read(line, len, &event))
                assert_int_equal(event.kind, LOG_PING_TIMEOUT);         /* whatever stands before its text */
            line[at] = (char)0xff;
            if (log_line_read(line, len, &event))
                assert_int_equal(event.kind, LOG_PING_TIMEOUT);
            line[at] = was;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log_line__every_known_text__its_event),
        cmocka_unit_test(test_log_line__anything_else__no_event_and_nothing_written),
        cmocka_unit_test(test_log_line__debug_and_verbose__clients_cannot_write_events),
        cmocka_unit_test(test_log_line__cut_anywhere_and_every_byte__never_another_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
