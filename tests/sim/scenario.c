/* scenario.c - runs scenario files: `scenario FILE...`. A line that does not hold is told as file:line, with the last events of the daemon.
 * */
#include "scenario.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_MS       1000
#define BODY_EVERY_MS 5000
#define HEAD_EVERY_MS 30000

bool scenario_fail(struct scenario *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(s->why, sizeof s->why, format, args);
    va_end(args);
    return false;
}

bool scenario_number(struct scenario *s, const char *text, int64_t *ret)
{
    char *end;
    long long value = text == NULL ? 0 : strtoll(text, &end, 10);
    if (text == NULL || text[0] == '\0' || *end != '\0')
        return scenario_fail(s, "%s is not a number", text == NULL ? "nothing" : text);
    *ret = value;
    return true;
}

int scenario_head(struct scenario *s, const char *name)
{
    for (size_t i = 0; name != NULL && i < s->sim.head_count; i++)
        if (hc_same(s->sim.heads[i].id, name))
            return (int)i;
    (void)scenario_fail(s, "there is no head %s", name == NULL ? "" : name);
    return -1;
}

struct machine *scenario_body(struct scenario *s, const char *name)
{
    struct machine *m = name == NULL ? NULL : machine_of(&s->sim, name);
    if (m == NULL)
        (void)scenario_fail(s, "there is no body %s", name == NULL ? "" : name);
    return m;
}

bool scenario_slot(struct scenario *s, const char *name, const char **ret_body, uint32_t *ret_slot)
{
    static char body[HC_ID_SIZE];
    const char *bar = name == NULL ? NULL : strchr(name, '/');
    int64_t slot = 0;
    *ret_body = body;
    *ret_slot = 0;
    if (bar == NULL || (size_t)(bar - name) >= sizeof body)
        return scenario_fail(s, "%s is not a slot such as b1/0", name == NULL ? "nothing" : name);
    memcpy(body, name, (size_t)(bar - name));
    body[bar - name] = '\0';
    if (!scenario_number(s, bar + 1, &slot))
        return false;
    *ret_slot = (uint32_t)slot;
    return true;
}

void scenario_settle(struct scenario *s, int64_t until)
{
    struct sim *sim = &s->sim;
    while (sim->event_count > 0 && sim->events[0].at <= until && sim->violations == 0)
        (void)sim_step(sim);
    sim->now = until;
}

static void split(char *text, const char *separators, struct words *w)
{
    w->count = 0;
    for (char *at = text + strspn(text, separators); *at != '\0' && w->count < WORDS_MAX; at += strspn(at, separators)) {
        w->at[w->count++] = at;
        at += strcspn(at, separators);
        if (*at != '\0')
            *at++ = '\0';
    }
}

/* Who keeps speaking speaks. */
static bool speak(struct scenario *s)
{
    struct sim *sim = &s->sim;
    bool good = true;
    for (size_t i = 0; i < sim->body_count && good; i++) {
        struct speaker *speaker = &s->bodies[i];
        if (!speaker->keeps || speaker->next > sim->now || !sim->cluster.running)
            continue;
        char said[SAID_MAX];
        struct words w;
        HC_SET(said, speaker->said);
        split(said, " ", &w);
        good = scenario_report(s, &sim->bodies[i], w.at, w.count);
        speaker->next = sim->now + BODY_EVERY_MS;
    }
    for (size_t i = 0; i < sim->head_count && good; i++) {
        struct speaker *speaker = &s->heads[i];
        if (!speaker->keeps || speaker->next > sim->now || !sim->cluster.running)
            continue;
        char said[SAID_MAX];
        struct words w;
        HC_SET(said, speaker->said);
        split(said, " ", &w);
        good = scenario_beat(s, (int)i, w.at, w.count);
        speaker->next = sim->now + HEAD_EVERY_MS;
    }
    return good;
}

static bool pass_until(struct scenario *s, int64_t at)
{
    struct sim *sim = &s->sim;
    if (at < sim->now)
        return scenario_fail(s, "this line is before the last one");
    while (sim->now < at) {
        scenario_settle(s, sim->now + LOOK_MS < at ? sim->now + LOOK_MS : at);
        if (!speak(s))
            return false;
        scenario_settle(s, sim->now);
    }
    return true;
}

static bool expect_all(struct scenario *s, char *text)
{
    struct words parts, list;
    split(text, ",", &parts);
    for (size_t i = 0; i < parts.count; i++) {
        split(parts.at[i], " \t", &list);
        if (list.count > 0 && !scenario_expect(s, &list))
            return false;
    }
    return true;
}

static bool start(struct scenario *s)
{
    struct core_event ev = cluster_event(&s->sim, CORE_START, CALLER_SYSTEM, "");
    if (s->sim.cluster.running)
        return true;
    s->sim.cluster.running = true;
    (void)cluster_step(&s->sim, &ev, cluster_seed(&s->sim));
    cluster_first_save(&s->sim);
    s->sim.note_count = 0;
    return true;
}

static bool at_line(struct scenario *s, char *text)
{
    char *arrow = strstr(text, "->");
    struct words w;
    int64_t at_ms;
    if (arrow != NULL)
        *arrow = '\0';
    split(text, " \t", &w);
    if (w.count < 3 || hc_duration_parse(w.at[1], &at_ms) != HC_OK)
        return scenario_fail(s, "expected: at TIME EVENT");
    if (!start(s) || !pass_until(s, s->sim.began_at + at_ms))
        return false;
    bool looks = hc_same(w.at[2], "look");
    struct words what = { .count = w.count - 2 };
    memcpy(what.at, w.at + 2, what.count * sizeof what.at[0]);
    if (!looks) {
        s->sim.note_count = 0;
        s->asked_admission = false;
        if (!scenario_do(s, &what))
            return false;
    }
    scenario_settle(s, s->sim.now);
    return arrow == NULL || expect_all(s, arrow + 2);
}

static bool venue_line(struct scenario *s, const struct words *w)
{
    struct venue_rec *venue = (struct venue_rec *)rec_new(REC_VENUE, w->at[1]);
    if (venue == NULL)
        abort();
    HC_SET(venue->district, SIM_DISTRICT);
    HC_SET(venue->owner, "acme");
    venue->accept_mode = w->count > 2 && hc_same(w->at[2], "confirm") ? ACCEPT_CONFIRM : ACCEPT_AUTO;
    cluster_put(&s->sim, &venue->rec);
    return true;
}

static bool body_line(struct scenario *s, const struct words *w)
{
    bool modern = true, uptime = true;
    int64_t slots = 1;
    for (size_t i = 3; i < w->count; i++) {
        if (hc_same(w->at[i], "legacy"))
            modern = false;
        else if (hc_same(w->at[i], "without-uptime"))
            uptime = false;
        else if (hc_same(w->at[i], "slots") && i + 1 < w->count && scenario_number(s, w->at[i + 1], &slots))
            i++;
        else
            return scenario_fail(s, "%s: a body is legacy, without-uptime, or has slots N", w->at[i]);
    }
    int at = machine_add(&s->sim, w->at[1], w->at[2], modern, (uint32_t)slots, 3);
    s->sim.bodies[at].sends_uptime = uptime;
    fleet_node(&s->sim, w->at[1], w->at[2], ROLE_BODY, "hydrabody", (uint32_t)slots);
    return true;
}

static bool experience_line(struct scenario *s, const struct words *w)
{
    struct experience_rec *experience = (struct experience_rec *)rec_new(REC_EXPERIENCE, w->at[1]);
    if (experience == NULL)
        abort();
    HC_SET(experience->stream_mode, w->at[2]);
    cluster_put(&s->sim, &experience->rec);
    return true;
}

static bool head_line(struct scenario *s, const struct words *w)
{
    static const char *const names[] = { "ipad", "go", "quest", "p2" };
    static const char *const kinds[] = { "hydraheadipad", "hydraheadflatscreen", "hydraheadquest", "hydraheadflatscreen" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (w->count < 4 || !hc_same(w->at[3], names[i]))
            continue;
        (void)head_add(&s->sim, w->at[1], w->at[2], (enum head_kind)i);
        fleet_node(&s->sim, w->at[1], w->at[2], ROLE_HEAD, kinds[i], 0);
        return true;
    }
    return scenario_fail(s, "expected: head NAME VENUE ipad|go|quest|p2");
}

static bool run_line(struct scenario *s, char *text)
{
    char *hash = strchr(text, '#');
    char copy[LINE_MAX];
    struct words w;
    if (hash != NULL)
        *hash = '\0';
    HC_SET(copy, text);
    split(copy, " \t", &w);
    if (w.count == 0)
        return true;
    if (hc_same(w.at[0], "at"))
        return at_line(s, text);
    if (hc_same(w.at[0], "venue") && w.count >= 2)
        return venue_line(s, &w);
    if (hc_same(w.at[0], "experience") && w.count == 3)
        return experience_line(s, &w);
    if (hc_same(w.at[0], "body") && w.count >= 3)
        return body_line(s, &w);
    if (hc_same(w.at[0], "head"))
        return head_line(s, &w);
    return scenario_fail(s, "a line begins with venue, experience, body, head or at");
}

static bool run_file(struct scenario *s, const char *file)
{
    char text[LINE_MAX];
    memset(s, 0, sizeof *s);
    s->file = file;
    sim_start(&s->sim, 1, MODE_SCRIPT);
    FILE *in = fopen(file, "r");
    bool good = in != NULL || scenario_fail(s, "cannot be read"), any = false;
    while (good && fgets(text, sizeof text, in) != NULL) {
        text[strcspn(text, "\r\n")] = '\0';
        s->line++;
        any = any || strstr(text, "->") != NULL;
        good = run_line(s, text);
        if (good && s->sim.violations > 0) {
            char what[sizeof s->sim.violation];
            HC_SET(what, s->sim.violation);
            good = scenario_fail(s, "%.280s", what);
        }
    }
    if (good && !any)
        good = scenario_fail(s, "expects nothing");
    if (in != NULL)
        (void)fclose(in);
    if (!good) {
        printf("%s:%u: %s\n", file, s->line, s->why);
        sim_print_trace(&s->sim);
    }
    sim_free(&s->sim);
    return good;
}

int main(int argc, char **argv)
{
    unsigned passed = 0, failed = 0;
    struct scenario *s = malloc(sizeof *s);
    if (s == NULL || argc < 2) {
        (void)fputs("usage: scenario FILE...\n", stderr);
        free(s);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        bool good = run_file(s, argv[i]);
        passed += good ? 1 : 0;
        failed += good ? 0 : 1;
    }
    free(s);
    printf("scenarios: %u passed, %u failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
