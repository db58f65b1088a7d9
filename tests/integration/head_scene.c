#include "head_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

struct head_scene heads;

#define TIMERS "renewAfter: 1s\nagentWarmup: 1s\n"
static const char *timers;

static int open_scene(void **state, const char *with_timers)
{
    timers = with_timers;
    heads = (struct head_scene){ .listen = "" };
    (void)scene_open(state);
    scene_start(&(struct daemon_options){ .timers = timers });
    (void)snprintf(heads.listen, sizeof heads.listen, "%.60s", scene.daemon.url + strlen("http://"));
    fleet_venue(&scene.daemon, HEAD_SCENE_VENUE, "museum");
    struct call call = daemon_call(&scene.daemon, scene.home.admin_token, "PUT", "/api/v1/experiences/" FLEET_EXPERIENCE,
                                   "{\"label\":\"Rupelmonde\"}");
    assert_true(call.status == 200 || call.status == 201);
    call_free(&call);
    return 0;
}

int head_scene_open(void **state) { return open_scene(state, TIMERS); }
int head_scene_open_asking(void **state) { return open_scene(state, TIMERS "ticketMax: 1s\nconfirmWindow: 60s\nwatchdogTick: 1s\n"); }

int head_scene_close(void **state)
{
    for (size_t i = 0; i < heads.head_count; i++)
        agent_head_end(&heads.heads[i]);
    for (size_t i = 0; i < heads.body_count; i++)
        stand_in_body_end(&heads.bodies[i]);
    heads.head_count = heads.body_count = 0;
    return scene_close(state);
}

struct stand_in_body *head_scene_body(const char *name)
{
    assert_true(heads.body_count < HEAD_SCENE_BODIES);
    struct stand_in_body *body = &heads.bodies[heads.body_count++];
    stand_in_body_start(body, &scene.daemon, name, HEAD_SCENE_VENUE);
    return body;
}

struct agent_head *head_scene_head(const char *name, const struct agent_head_options *options)
{
    assert_true(heads.head_count < HEAD_SCENE_HEADS);
    size_t i = heads.head_count++;
    heads.nodes[i] = fleet_head(&scene.daemon, name, HEAD_SCENE_VENUE);
    agent_head_make(&heads.heads[i], &scene.home, name, scene.daemon.url, &heads.nodes[i], options);
    return &heads.heads[i];
}

void head_scene_daemon_again(void)
{
    scene_start(&(struct daemon_options){ .timers = timers, .listen = heads.listen });
}

static void print_logs(void)
{
    for (size_t i = 0; i < heads.head_count; i++)
        agent_head_print_log(&heads.heads[i]);
}

static const struct node *node_of(const struct agent_head *agent)
{
    return &heads.nodes[agent - heads.heads];
}

struct wanted { const struct stand_in_body *body; const char *state, *head_id; struct agent_head *agent; const char *text; size_t count; };

static bool lease_is(void *ctx)
{
    const struct wanted *wanted = ctx;
    struct call slots = fleet_slots(&scene.daemon);
    bool yes = strcmp(fleet_lease_state(&slots, wanted->body->node.id), wanted->state) == 0 &&
               (wanted->head_id == NULL || strcmp(fleet_holder(&slots, wanted->body->node.id), wanted->head_id) == 0);
    call_free(&slots);
    return yes;
}

void head_scene_lease(const struct stand_in_body *body, const char *state, const struct agent_head *agent)
{
    struct wanted wanted = { .body = body, .state = state, .head_id = agent == NULL ? NULL : node_of(agent)->id };
    if (wait_until(lease_is, &wanted, SCENE_WAIT_MS))
        return;
    print_logs();
    struct call slots = fleet_slots(&scene.daemon);
    fail_msg("no lease '%s' on %s: %s", state, body->node.id, slots.text);
}

void head_scene_waits(struct agent_head *agent, const char *status)
{
    if (!agent_head_waits(agent, status, SCENE_WAIT_MS))
        fail_msg("%s is not %s", agent->name, status);
}

static bool log_has(void *ctx)
{
    const struct wanted *wanted = ctx;
    return agent_head_log_has(wanted->agent, wanted->text);
}

void head_scene_waits_log(const struct agent_head *agent, const char *text)
{
    struct wanted wanted = { .agent = (struct agent_head *)(uintptr_t)agent, .text = text };
    if (wait_until(log_has, &wanted, SCENE_WAIT_MS))
        return;
    print_logs();
    fail_msg("%s has not said: %s", agent->name, text);
}

static bool shows_one(void *ctx)
{
    return stand_in_body_sessions(((const struct wanted *)ctx)->body) == 1;
}

void head_scene_streams(struct agent_head *agent, const struct stand_in_body *body)
{
    struct wanted wanted = { .body = body };
    head_scene_waits(agent, "streaming");
    head_scene_lease(body, "streaming", agent);
    assert_true(wait_until(shows_one, &wanted, SCENE_WAIT_MS));
}

static bool history_has(void *ctx)
{
    const struct wanted *wanted = ctx;
    struct call call = daemon_call(&scene.daemon, scene.home.admin_token, "GET", "/api/v1/sessions/history", NULL);
    bool yes = json_array_size(call.json) == wanted->count && strcmp(call_str(&call, "0.reason"), wanted->text) == 0;
    call_free(&call);
    return yes;
}

void head_scene_ended(size_t count, const char *reason)
{
    struct wanted wanted = { .count = count, .text = reason };
    if (wait_until(history_has, &wanted, SCENE_WAIT_MS))
        return;
    print_logs();
    struct call call = daemon_call(&scene.daemon, scene.home.admin_token, "GET", "/api/v1/sessions/history", NULL);
    fail_msg("no %zu ended leases, the newest '%s': %s", count, reason, call.text);
}

long head_scene_asked(const struct stand_in_body *body, const char *what)
{
    char line[128];
    (void)snprintf(line, sizeof line, "requests %s", what);
    return sunshine_number(&body->host, line);
}
