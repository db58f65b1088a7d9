#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hydra/os/clock.h"
#include "hydra/os/file.h"
#include "temporary_folder.h"

/* flock() locks belong to the open file, so a second open in this process stands for a second process. */
static void test_lock__taken_twice__second_names_the_pid(void **state)
{
    struct folder *folder = *state;
    int first = -1, second = -1;
    pid_t pid = 0;
    struct hc_diag diag;
    assert_int_equal(os_lock_take(folder->fd, "l", &first, &pid, &diag), HC_OK);
    assert_int_equal(pid, 0);
    assert_int_equal(os_lock_take(folder->fd, "l", &second, &pid, &diag), HC_ERR_LOCKED);
    assert_int_equal(pid, getpid());
    assert_int_equal(second, -1);
    struct stat st;
    assert_int_equal(fstat(first, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    os_close(&first);
    assert_int_equal(os_lock_take(folder->fd, "l", &second, &pid, &diag), HC_OK);
    os_close(&second);
}

static void test_lock__holder_wrote_no_number__pid_unknown(void **state)
{
    struct folder *folder = *state;
    static const char *const texts[] = { "", "abc\n", "-4\n", "12", "99999999999999999999\n" };
    int held, second;
    assert_int_equal(os_lock_take(folder->fd, "l", &held, NULL, NULL), HC_OK);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        pid_t pid = 5;
        folder_put(folder, "l", texts[i]);
        assert_int_equal(os_lock_take(folder->fd, "l", &second, &pid, NULL), HC_ERR_LOCKED);
        assert_int_equal(pid, 0);
    }
    os_close(&held);
}

static void test_lock__file_removed_under_the_holder__new_file_is_locked(void **state)
{
    struct folder *folder = *state;
    int held, fresh, third;
    assert_int_equal(os_lock_take(folder->fd, "l", &held, NULL, NULL), HC_OK);
    assert_int_equal(unlinkat(folder->fd, "l", 0), 0);
    assert_int_equal(os_lock_take(folder->fd, "l", &fresh, NULL, NULL), HC_OK);
    assert_int_equal(os_lock_take(folder->fd, "l", &third, NULL, NULL), HC_ERR_LOCKED);
    os_close(&held);
    os_close(&fresh);
}

static void test_lock_wait__held_all_along__locked_after_the_wait(void **state)
{
    struct folder *folder = *state;
    int held, second = -1;
    assert_int_equal(os_lock_take(folder->fd, "l", &held, NULL, NULL), HC_OK);
    int64_t start_ms = os_monotonic_ms();
    assert_int_equal(os_lock_wait(folder->fd, "l", 30, &second, NULL), HC_ERR_LOCKED);
    assert_true(os_monotonic_ms() - start_ms >= 30);
    assert_int_equal(second, -1);
    os_close(&held);
}

struct waiter { int dir_fd, fd; enum hc_err err; };

static void *wait_for_lock(void *arg)
{
    struct waiter *waiter = arg;
    waiter->err = os_lock_wait(waiter->dir_fd, "l", 20000, &waiter->fd, NULL);
    return NULL;
}

static void test_lock_wait__holder_lets_go__taken(void **state)
{
    struct folder *folder = *state;
    int held;
    struct waiter waiter = { .dir_fd = folder->fd, .fd = -1 };
    pthread_t thread;
    assert_int_equal(os_lock_take(folder->fd, "l", &held, NULL, NULL), HC_OK);
    assert_int_equal(pthread_create(&thread, NULL, wait_for_lock, &waiter), 0);
    os_close(&held);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(waiter.err, HC_OK);
    assert_true(waiter.fd >= 0);
    os_close(&waiter.fd);
}

static void test_lock__no_folder__fails(void **state)
{
    (void)state;
    int fd;
    struct hc_diag diag;
    assert_int_not_equal(os_lock_take(-1, "l", &fd, NULL, &diag), HC_OK);
    assert_int_not_equal(os_lock_wait(-1, "l", 1000, &fd, &diag), HC_ERR_LOCKED);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_setup, folder_teardown)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_lock__taken_twice__second_names_the_pid),
        IN_FOLDER(test_lock__holder_wrote_no_number__pid_unknown),
        IN_FOLDER(test_lock__file_removed_under_the_holder__new_file_is_locked),
        IN_FOLDER(test_lock_wait__held_all_along__locked_after_the_wait),
        IN_FOLDER(test_lock_wait__holder_lets_go__taken),
        IN_FOLDER(test_lock__no_folder__fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
