#include "gpu.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hydra/os/clock.h"
#include "hydra/os/file.h"
#include "hydra/proto/body_status.h"

#include "kernel_file.h"

#define LISTING_SIZE  4096
#define CARDS_MAX     16
#define NUMBER_BYTES  64
#define MIB           (1024ULL * 1024ULL)

static const char nvidia_driver[] = "/proc/driver/nvidia/version";
static const char *const nvidia_smi[] = { "/usr/bin/nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader,nounits", NULL };

void gpu_read_listing(const char *text, struct gpu *ret)
{
    size_t line = strcspn(text, "\r\n"), comma = line;
    while (comma > 0 && text[comma - 1] != ',')
        comma--;
    if (comma == 0 || comma > HC_NAME_MAX)
        return;
    struct gpu found = { .memory_total_mb = 0 };
    memcpy(found.name, text, comma - 1);
    found.name[comma - 1] = '\0';
    char *end = NULL;
    unsigned long long mb = strtoull(text + comma, &end, 10);
    if (!hc_name_ok(found.name))
        return;
    found.memory_total_mb = end != text + comma && mb <= BODY_STATUS_MEMORY_MB_MAX ? (uint32_t)mb : 0;
    *ret = found;
}

/* Reads until the other side closes, the text is full, or the time is over. */
static void read_all(int fd, char text[LISTING_SIZE])
{
    size_t len = 0;
    int64_t until_ms = os_monotonic_ms() + GPU_ASK_MS;
    for (int64_t left_ms = GPU_ASK_MS; left_ms > 0 && len < LISTING_SIZE - 1; left_ms = until_ms - os_monotonic_ms()) {
        struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
        ssize_t got = poll(&poll_fd, 1, (int)left_ms) > 0 ? read(fd, text + len, LISTING_SIZE - 1 - len) : -1;
        if (got <= 0)
            break;
        len += (size_t)got;
    }
    text[len] = '\0';
}

/* What the program writes; "" when it cannot be run. */
static void run_program(const char *const *argv, char text[LISTING_SIZE])
{
    int ends[2];
    pid_t pid = 0;
    posix_spawn_file_actions_t actions;
    static char *const no_environment[] = { NULL };
    text[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    bool ready = posix_spawn_file_actions_init(&actions) == 0;
    bool started = ready && posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO) == 0 &&
                   posix_spawn(&pid, argv[0], &actions, NULL, (char *const *)(const void *)argv, no_environment) == 0;
    if (ready)
        (void)posix_spawn_file_actions_destroy(&actions);
    (void)close(ends[1]);
    if (started) {
        read_all(ends[0], text);
        (void)kill(pid, SIGKILL);               /* one that has written all of it is over by itself */
        (void)waitpid(pid, NULL, 0);
    }
    (void)close(ends[0]);
}

static bool there(const char *path)
{
    struct os_stamp stamp;
    return os_file_stamp(AT_FDCWD, path, &stamp) == HC_OK && stamp.exists;
}

/* The largest of the cards that say it: an integrated one beside it has little. */
static uint32_t amd_memory_mb(void)
{
    unsigned long long most = 0;
    for (unsigned i = 0; i < CARDS_MAX; i++) {
        char path[64], text[NUMBER_BYTES];
        (void)snprintf(path, sizeof path, "/sys/class/drm/card%u/device/mem_info_vram_total", i);
        unsigned long long bytes = kernel_file_line(path, text, sizeof text) ? strtoull(text, NULL, 10) : 0;
        most = bytes > most ? bytes : most;
    }
    return most / MIB <= BODY_STATUS_MEMORY_MB_MAX ? (uint32_t)(most / MIB) : 0;
}

void gpu_look(struct gpu *ret)
{
    char text[LISTING_SIZE];
    *ret = (struct gpu){ .memory_total_mb = 0 };
    if (there(nvidia_driver) && there(nvidia_smi[0])) {
        run_program(nvidia_smi, text);
        gpu_read_listing(text, ret);
    }
    if (ret->memory_total_mb == 0)
        ret->memory_total_mb = amd_memory_mb();
}
