#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "converge_scene.h"

static const char *const token_only[] = { TOKEN }, *const mine[] = { "MINE" }, *const experiences[] = { "Rupelmonde" };

void stops(struct scene *s)
{
    s->sessions = (struct sessions_view){ .known = true, .row_count = 1, .host = HOST_STATE_FREE, .host_idle = true, .viewers_known = true,
                                          .launch = { .since_ms = -1 } };
}

int scene_set_up(void **state)
{
    struct scene *s = calloc(1, sizeof *s);
    if (s == NULL)
        return -1;
    *state = s;
    s->slot = (struct desired_slot){ .action = DIRECTIVE_SERVE, .epoch = 7, .app_entries = LIST(token_only), .protocol = 2,
                                     .gate = { DIRECTIVE_GATE_ENFORCE, LIST(mine) } };
    HC_SET(s->slot.lease_id, "lse-1");
    HC_SET(s->slot.sunshine_client_uuid, "MINE");
    s->desired = (struct desired){ .enforce = DIRECTIVE_ENFORCE, .slots = { &s->slot, 1 } };
    stops(s);
    s->clients[0] = (struct host_client){ "MINE", "hydra-h1", true };
    s->clients[1] = (struct host_client){ "OTHER", "hydra-h2", false };
    s->published[0] = TOKEN;
    s->facts = (struct converge_facts){
        .now_ms = 1000000, .desired = &s->desired, .trust = &s->trust, .directive_fresh_ms = FRESH_MS, .floor = 7,
        .sessions = &s->sessions, .clients = s->clients, .client_count = 2, .clients_state = LIST_KNOWN,
        .published = s->published, .published_count = 1, .published_state = LIST_KNOWN, .experiences = experiences, .experience_count = 1,
        .features = ALL_FEATURES, .memory = &s->memory,
    };
    return 0;
}

int scene_tear_down(void **state)
{
    struct scene *s = *state;
    converge_forget(&s->memory);
    hc_arena_free(&s->arena);
    free(s);
    return 0;
}

void runs(struct scene *s, enum slot_state row, unsigned viewers)
{
    s->sessions.host = HOST_STATE_BUSY;
    s->sessions.app_runs = true;
    s->sessions.host_idle = false;
    s->sessions.viewers = viewers;
    s->sessions.rows[0].state = row;
    s->sessions.launch.since_ms = 1;
    HC_SET(s->sessions.launch.launch_id, "l-1");
    HC_SET(s->sessions.launch.lease_id, "lse-1");
    HC_SET(s->sessions.launch.client_uuid, "MINE");
}

const char *step_text(const struct converge_step *step)
{
    static char text[200];
    const char *what = step->evicts ? "evict" : step->terminates ? "terminate" : converge_word(step->what);
    (void)snprintf(text, sizeof text, "%s%s%s%s%s", what, step->entry == NULL ? "" : " ", step->entry == NULL ? "" : step->entry,
                   step->uuid == NULL ? "" : " ", step->uuid == NULL ? "" : step->uuid);
    return text;
}

const struct converge_step *next(struct scene *s)
{
    hc_arena_free(&s->arena);
    assert_int_equal(converge_next(&s->facts, &s->arena, &s->step), HC_OK);
    return &s->step;
}

void expect(struct scene *s, const char *text, uint64_t applied_epoch)
{
    const struct converge_step *step = next(s);
    assert_string_equal(step_text(step), text);
    assert_int_equal(step->applied_epoch, applied_epoch);
}

void carry_out(struct scene *s)
{
    bool save;
    assert_int_equal(converge_will(&s->memory, &s->step, s->facts.now_ms, &save), HC_OK);
    (void)converge_did(&s->memory, &s->step, true);
}
