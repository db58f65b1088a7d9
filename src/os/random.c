#include "hydra/os/random.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

void os_random(void *out, size_t len)
{
    char *at = out;
    while (len > 0) {
        ssize_t got = getrandom(at, len, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            (void)fputs("<2>level=critical event=no_randomness\n", stderr);
            abort();
        }
        at += got;
        len -= (size_t)got;
    }
}
