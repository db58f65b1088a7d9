#include "bell.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "hydra/os/file.h"

#define WAIT_MAX_MS 60000

bool bell_open(struct bell *bell)
{
    bell->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return bell->fd >= 0;
}

void bell_close(struct bell *bell)
{
    os_close(&bell->fd);
}

void bell_ring(const struct bell *bell)
{
    uint64_t one = 1;
    ssize_t n = write(bell->fd, &one, sizeof one);
    (void)n;                        /* a full counter is a bell that rings already */
}

void bell_wait(const struct bell *bell, int64_t most_ms)
{
    struct pollfd fd = { .fd = bell->fd, .events = POLLIN };
    uint64_t rings;
    if (poll(&fd, 1, most_ms < 0 ? 0 : most_ms > WAIT_MAX_MS ? WAIT_MAX_MS : (int)most_ms) > 0) {
        ssize_t n = read(bell->fd, &rings, sizeof rings);
        (void)n;
    }
}
