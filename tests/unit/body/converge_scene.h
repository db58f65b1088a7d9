/* converge_scene.h - what the tests of converge.h stand on: one slot of one host, and a protocol-2 lease on it with everything in place. */
#ifndef CONVERGE_SCENE_H
#define CONVERGE_SCENE_H

#include "hydra/sunshine/sunshine.h"

#include "../../../src/body/converge.h"

#define TOKEN    "Rupelmonde#7c1e00112233445566778899aabbccdd"
#define FRESH_MS 90000
#define ALL_FEATURES (SUNSHINE_NAMES | SUNSHINE_ENABLE | SUNSHINE_ENABLE_ONE)
#define LIST(items) { (void *)(uintptr_t)(items), sizeof(items) / sizeof(items)[0] }

struct scene {
    struct desired_slot slot; struct desired desired; struct trust trust; struct sessions_view sessions;
    struct converge_memory memory; struct host_client clients[2]; const char *published[4];
    struct converge_facts facts; struct hc_arena arena; struct converge_step step;
};

int scene_set_up(void **state);
int scene_tear_down(void **state);
#define WITH_SCENE(test) cmocka_unit_test_setup_teardown(test, scene_set_up, scene_tear_down)

void runs(struct scene *s, enum slot_state row, unsigned viewers);      /* the launch l-1 of the lease, by the client MINE */
void stops(struct scene *s);                                            /* nothing runs, and the host says so */
const char *step_text(const struct converge_step *step);                /* valid until the next call */
const struct converge_step *next(struct scene *s);
void expect(struct scene *s, const char *text, uint64_t applied_epoch);
void carry_out(struct scene *s);                                        /* told and remembered; the host's lists are the test's */

#endif
