#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fault.h"
#include "hydra/os/file.h"

#define MODE_BITS 07777

/* The service manager hands a credential to the service's user by an access list, whose mask stands where the group's rights do; its folder
 * is that user's alone. */
static bool is_credential(const char *path)
{
    const char *folder = getenv("CREDENTIALS_DIRECTORY");
    size_t len = folder == NULL ? 0 : strlen(folder);
    return len > 0 && folder[0] == '/' && strncmp(path, folder, len) == 0 && path[len] == '/' && strstr(path + len, "/../") == NULL;
}

enum hc_err os_secret_check(int fd, const char *path, struct hc_diag *diag)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return os_fail(diag, "read", path);
    if (!S_ISREG(st.st_mode))
        return hc_fail(diag, HC_ERR_CONFIG, "%s: it is no regular file", path);
    mode_t others = S_IRWXG | S_IRWXO;
    if ((st.st_mode & (is_credential(path) ? others & ~(mode_t)S_IRGRP : others)) != 0)
        return hc_fail(diag, HC_ERR_CONFIG, "%s: others may read or change it (mode %04o); chmod 600 %s", path,
                       (unsigned)st.st_mode & MODE_BITS, path);
    return HC_OK;
}

enum hc_err os_secret_read(const char *path, size_t limit, char **ret_text, size_t *ret_len, struct hc_diag *diag)
{
    /* O_NONBLOCK: a FIFO under this name must not hang the program. */
    HC_CLEANUP(os_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return os_fail(diag, "read", path);
    enum hc_err err = os_secret_check(fd, path, diag);
    return err == HC_OK ? os_file_read(AT_FDCWD, path, limit, ret_text, ret_len, NULL, diag) : err;
}
