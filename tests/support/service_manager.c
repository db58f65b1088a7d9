#include "service_manager.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <cmocka.h>

#include "hydra/os/file.h"

#define SOCKET_NAME   "notify"
#define WATCHDOG_USEC "300000"
#define WATCHDOG_SEEN 3
#define HEAR_MS       20000               /* generous: sanitizers on a busy machine */
#define WORDS_SIZE    512

static void leave_environment(void)
{
    assert_int_equal(unsetenv("NOTIFY_SOCKET") | unsetenv("WATCHDOG_USEC"), 0);
}

void service_manager_open(struct service_manager *manager, const struct home *home)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    char path[HOME_PATH_SIZE];
    home_path(home, SOCKET_NAME, path);
    assert_true(strlen(path) < sizeof at.sun_path);
    memcpy(at.sun_path, path, strlen(path) + 1);
    manager->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(manager->fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(setenv("NOTIFY_SOCKET", path, 1) | setenv("WATCHDOG_USEC", WATCHDOG_USEC, 1), 0);
}

void service_manager_hears(struct service_manager *manager, const char *word)
{
    struct pollfd poll_fd = { .fd = manager->fd, .events = POLLIN };
    while (poll(&poll_fd, 1, HEAR_MS) > 0) {
        char text[WORDS_SIZE];
        ssize_t got = recv(manager->fd, text, sizeof text - 1, 0);
        assert_true(got > 0);
        text[got] = '\0';
        if (strstr(text, word) != NULL)
            return;
    }
    fail_msg("%s was not heard within %d ms", word, HEAR_MS);
}

void service_manager_hears_life(struct service_manager *manager)
{
    leave_environment();
    service_manager_hears(manager, "READY=1");
    for (unsigned i = 0; i < WATCHDOG_SEEN; i++)
        service_manager_hears(manager, "WATCHDOG=1");
}

void service_manager_close(struct service_manager *manager)
{
    leave_environment();
    os_close(&manager->fd);
}
