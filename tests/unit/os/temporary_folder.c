#include "temporary_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failing_libc.h"

int folder_setup(void **state)
{
    static struct folder folder;
    libc_reset();
    (void)snprintf(folder.path, sizeof folder.path, "/tmp/hydra-os-XXXXXX");
    if (mkdtemp(folder.path) == NULL)
        return -1;
    folder.fd = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *state = &folder;
    return folder.fd < 0 ? -1 : 0;
}

int folder_teardown(void **state)
{
    struct folder *folder = *state;
    libc_reset();
    DIR *dir = fdopendir(folder->fd);
    if (dir == NULL)
        return -1;
    rewinddir(dir);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && unlinkat(dirfd(dir), entry->d_name, 0) < 0)
            (void)unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
    (void)closedir(dir);
    return rmdir(folder->path);
}

void folder_put(const struct folder *folder, const char *name, const char *text)
{
    int fd = openat(folder->fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(close(fd), 0);
}
