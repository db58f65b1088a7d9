/* test_scenarios.c - the shipped stories of docs/scenarios, played by hydrasim against a daemon of their own each, side by side: what they
 * expect comes true and no two heads hold one slot. `--all` plays the slow ones too (make scenarios). */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "daemon.h"
#include "hydra/base/buf.h"
#include "hydra/base/id.h"
#include "hydra/os/clock.h"

#define FOLDER      "docs/scenarios"
#define SUFFIX      ".scenario"
#define FAST_MS     150000              /* all fast ones together: half a minute, more on a busy machine */
#define SLOW_MS     240000
#define CHECK_MS    10000
#define LINE_MS     10
#define LAST_LINE   "no two heads held one slot"
#define PATH_SIZE   300

/* time_scale: how much faster than told machines live; the daemon keeps its clocks, so what waits for those cannot be hurried. */
struct play {
    const char *name, *test_name, *time_scale;
    bool slow, ended;
    int code;
    struct home home;
    struct daemon daemon;
    struct process sim;
    struct hc_buf said;
    char last[PROCESS_LINE_MAX];
};
#define PLAY(name_, scale_, slow_) { .name = name_, .test_name = "test_scenario__" name_ "__holds", .time_scale = scale_, .slow = slow_ }
static struct play plays[] = {
    PLAY("incident", "5", false), PLAY("two-slots", "1", false), PLAY("failover", "3", false), PLAY("quest", "2", false),
    PLAY("reboot", "2", false), PLAY("line", "2", false), PLAY("lost-answers", "2", false), PLAY("agent-restart", "1", true),
    PLAY("walked-away", "1", true),
};
#define PLAYS (sizeof plays / sizeof plays[0])
static const char *const without_an_end[] = { "fleet" };       /* the quickstart's; it is checked, not played */
static bool all;

static void start_sim(struct process *sim, const char *const *words, const char *log)
{
    char program[512];
    const char *argv[PROCESS_ARGS_MAX];
    size_t count = 0;
    program_path("HYDRASIM", "hydrasim", program, sizeof program);
    argv[count++] = program;
    for (; *words != NULL; words++)
        argv[count++] = *words;
    argv[count] = NULL;
    process_start(sim, argv, NULL, log);
}

static void raise_curtain(struct play *play)
{
    char path[PATH_SIZE], token[HOME_PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/%s%s", FOLDER, play->name, SUFFIX);
    home_init(&play->home);
    home_write(&play->home, "admin.token", play->home.admin_token);
    home_path(&play->home, "admin.token", token);
    daemon_start(&play->daemon, &play->home, NULL);
    const char *const words[] = { "--server", play->daemon.url, "--admin-token-file", token, "--scenario", path, "--plain", "--time-scale",
                                  play->time_scale, NULL };
    start_sim(&play->sim, words, play->home.log);
}

static int set_up(void **state)
{
    (void)state;
    for (size_t i = 0; i < PLAYS; i++)
        if (all || !plays[i].slow)
            raise_curtain(&plays[i]);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (size_t i = 0; i < PLAYS; i++) {
        if (plays[i].home.root[0] == '\0')
            continue;
        process_end(&plays[i].sim);
        daemon_end(&plays[i].daemon);
        home_remove(&plays[i].home);
        hc_buf_free(&plays[i].said);
    }
    return 0;
}

/* Takes what it has to say, so that no pipe fills while another play is waited for. */
static void listen_to(struct play *play)
{
    char line[PROCESS_LINE_MAX];
    while (play->sim.pid != 0 && !play->ended && process_line(&play->sim, line, LINE_MS)) {
        hc_buf_printf(&play->said, "%s\n", line);
        HC_SET(play->last, line);
    }
    if (play->sim.pid != 0 && !play->ended && !process_running(&play->sim)) {
        while (process_line(&play->sim, line, LINE_MS)) {
            hc_buf_printf(&play->said, "%s\n", line);
            HC_SET(play->last, line);
        }
        play->code = process_wait(&play->sim, CHECK_MS);
        play->ended = true;
    }
}

static void play_holds(void **state)
{
    struct play *play = *state;
    static int64_t end_ms;
    if (end_ms == 0)
        end_ms = os_monotonic_ms() + (all ? SLOW_MS : FAST_MS);
    while (!play->ended && os_monotonic_ms() < end_ms)
        for (size_t i = 0; i < PLAYS; i++)
            listen_to(&plays[i]);
    if (!play->ended)
        fail_msg("%s goes on after %d s; so far:\n%s", play->name, (all ? SLOW_MS : FAST_MS) / 1000, play->said.data);
    if (play->code != 0 || strcmp(play->last, LAST_LINE) != 0)
        fail_msg("%s ended with %d:\n%s", play->name, play->code, play->said.len == 0 ? "" : play->said.data);
    assert_int_equal(daemon_stop(&play->daemon), 0);
}

static bool has_row(const char *name)
{
    bool found = false;
    for (size_t i = 0; i < PLAYS; i++)
        found = found || strcmp(plays[i].name, name) == 0;
    for (size_t i = 0; i < sizeof without_an_end / sizeof without_an_end[0]; i++)
        found = found || strcmp(without_an_end[i], name) == 0;
    return found;
}

static void test_scenario_files__all__are_usable_and_have_a_row_here(void **state)
{
    (void)state;
    size_t count = 0;
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char name[sizeof entry->d_name], path[PATH_SIZE];
        size_t len = strlen(entry->d_name), tail = strlen(SUFFIX);
        if (len <= tail || strcmp(entry->d_name + len - tail, SUFFIX) != 0)
            continue;
        (void)snprintf(name, sizeof name, "%.*s", (int)(len - tail), entry->d_name);
        (void)snprintf(path, sizeof path, "%s/%s", FOLDER, entry->d_name);
        if (!has_row(name))
            fail_msg("%s is played by nobody: give it a row in test_scenarios.c", path);
        struct process sim;
        start_sim(&sim, (const char *const[]){ "--check", "--scenario", path, NULL }, "/dev/null");
        int code = process_wait(&sim, CHECK_MS);
        process_end(&sim);
        if (code != 0)
            fail_msg("%s is not usable: hydrasim --check ends with %d", path, code);
        count++;
    }
    assert_int_equal(closedir(folder), 0);
    assert_int_equal(count, PLAYS + sizeof without_an_end / sizeof without_an_end[0]);
}

int main(int argc, char **argv)
{
    all = argc == 2 && strcmp(argv[1], "--all") == 0;
    if (argc > 1 && !all) {
        (void)fprintf(stderr, "%s: %s: only --all is known\n", argv[0], argv[1]);
        return 2;
    }
    os_clock_start();
    /* What has no function is passed over. */
    struct CMUnitTest tests[PLAYS + 1] = { cmocka_unit_test(test_scenario_files__all__are_usable_and_have_a_row_here) };
    size_t count = 1;
    for (size_t i = 0; i < PLAYS; i++)
        if (all || !plays[i].slow)
            tests[count++] = (struct CMUnitTest){ .name = plays[i].test_name, .test_func = play_holds, .initial_state = &plays[i] };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
