#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "hydra/os/clock.h"

#include "../../../src/head/lanes.h"

#define WAIT_MS 20000

struct task { struct job job; int number; atomic_bool *gate; };
static atomic_int freed;

static void run(struct job *job)
{
    struct task *task = (struct task *)job;
    while (task->gate != NULL && !atomic_load(task->gate) && !atomic_load(&job->stop))
        os_pause_ms(1);
}

static void free_task(struct job *job)
{
    atomic_fetch_add(&freed, 1);
    free(job);
}

static struct task *task_new(int number, atomic_bool *gate)
{
    struct task *task = calloc(1, sizeof *task);
    assert_non_null(task);
    task->job.run = run;
    task->job.free = free_task;
    task->number = number;
    task->gate = gate;
    return task;
}

static int next_done(struct lanes *lanes)
{
    for (;;) {
        struct job *job = lanes_done(lanes);
        if (job != NULL) {
            int number = ((struct task *)job)->number;
            free(job);
            return number;
        }
        struct pollfd fd = { .fd = lanes_fd(lanes), .events = POLLIN };
        assert_int_equal(poll(&fd, 1, WAIT_MS), 1);
    }
}

static void test_lanes__one_lane__in_order(void **state)
{
    (void)state;
    struct lanes *lanes = NULL;
    assert_int_equal(lanes_open(2, &lanes, NULL), HC_OK);
    for (int i = 0; i < 20; i++)
        lanes_put(lanes, 0, &task_new(i, NULL)->job);
    for (int i = 0; i < 20; i++)
        assert_int_equal(next_done(lanes), i);
    assert_true(lanes_close(lanes, WAIT_MS));
}

static void test_lanes__one_hangs__the_other_works_on(void **state)
{
    (void)state;
    struct lanes *lanes = NULL;
    atomic_bool gate = false;
    assert_int_equal(lanes_open(2, &lanes, NULL), HC_OK);
    lanes_put(lanes, 0, &task_new(1, &gate)->job);
    lanes_put(lanes, 1, &task_new(2, NULL)->job);
    assert_int_equal(next_done(lanes), 2);
    atomic_store(&gate, true);
    assert_int_equal(next_done(lanes), 1);
    assert_true(lanes_close(lanes, WAIT_MS));
}

static void test_lanes__stopped_jobs__come_back_all_the_same(void **state)
{
    (void)state;
    struct lanes *lanes = NULL;
    atomic_bool never = false;
    assert_int_equal(lanes_open(1, &lanes, NULL), HC_OK);
    lanes_put(lanes, 0, &task_new(1, &never)->job);
    lanes_put(lanes, 0, &task_new(2, &never)->job);
    lanes_stop_jobs(lanes, 0);
    assert_int_equal(next_done(lanes), 1);
    assert_int_equal(next_done(lanes), 2);
    assert_true(lanes_close(lanes, WAIT_MS));
}

static void test_lanes__closed_with_work_left__frees_it(void **state)
{
    (void)state;
    struct lanes *lanes = NULL;
    atomic_bool never = false;
    atomic_store(&freed, 0);
    assert_int_equal(lanes_open(1, &lanes, NULL), HC_OK);
    for (int i = 0; i < 3; i++)
        lanes_put(lanes, 0, &task_new(i, &never)->job);
    assert_true(lanes_close(lanes, WAIT_MS));
    assert_int_equal(atomic_load(&freed), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes__one_lane__in_order),
        cmocka_unit_test(test_lanes__one_hangs__the_other_works_on),
        cmocka_unit_test(test_lanes__stopped_jobs__come_back_all_the_same),
        cmocka_unit_test(test_lanes__closed_with_work_left__frees_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
