#include "kernel_file.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "hydra/base/err.h"
#include "hydra/os/file.h"

bool kernel_file_line(const char *path, char *out, size_t size)
{
    HC_CLEANUP(os_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, out, size);
    if (len < 0 || (size_t)len == size)
        return false;
    out[len] = '\0';
    out[strcspn(out, "\r\n")] = '\0';
    return true;
}
