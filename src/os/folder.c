#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fault.h"
#include "hydra/os/file.h"

void os_close(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

enum hc_err os_dir_open(const char *path, int *ret_fd, struct hc_diag *diag)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return os_fail(diag, "open the folder", path);
    *ret_fd = fd;
    return HC_OK;
}

enum hc_err os_dir_make_private(const char *path, struct hc_diag *diag)
{
    bool made = mkdir(path, 0700) == 0;
    if (!made && errno != EEXIST)
        return os_fail(diag, "make the folder", path);
    HC_CLEANUP(os_close) int fd = -1;
    enum hc_err err = os_dir_open(path, &fd, diag);
    if (err != HC_OK || !made)
        return err;
    /* Files synced inside a folder whose own entry is lost are lost with it. */
    HC_CLEANUP(os_close) int parent = openat(fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (parent < 0 || fsync(parent) < 0)
        return os_fail(diag, "sync the folder above", path);
    return HC_OK;
}
