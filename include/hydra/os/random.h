/* random.h - the kernel's random bytes. */
#ifndef HYDRA_OS_RANDOM_H
#define HYDRA_OS_RANDOM_H

#include <stddef.h>

/* Fills `out`; blocks only before the kernel's pool is ready. Aborts if the kernel has no randomness to give: nothing safe could follow. */
void os_random(void *out, size_t len);

#endif
