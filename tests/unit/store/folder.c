#include "folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hydra/store/store.h"

int folder_empty(void **state)
{
    static struct folder folder;
    (void)snprintf(folder.path, sizeof folder.path, "/tmp/hydra-store-XXXXXX");
    if (mkdtemp(folder.path) == NULL)
        return -1;
    folder.fd = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *state = &folder;
    return folder.fd < 0 ? -1 : 0;
}

int folder_init(void **state)
{
    struct hc_diag diag;
    if (folder_empty(state) != 0)
        return -1;
    return store_init(((struct folder *)*state)->path, &diag) == HC_OK ? 0 : -1;
}

int folder_remove(void **state)
{
    struct folder *folder = *state;
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

char *folder_get(const struct folder *folder, const char *name)
{
    int fd = openat(folder->fd, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    struct stat st;
    assert_int_equal(fstat(fd, &st), 0);
    char *text = calloc(1, (size_t)st.st_size + 1);
    assert_non_null(text);
    assert_int_equal(read(fd, text, (size_t)st.st_size), st.st_size);
    assert_int_equal(close(fd), 0);
    return text;
}

bool folder_has(const struct folder *folder, const char *name)
{
    return faccessat(folder->fd, name, F_OK, 0) == 0;
}

void folder_delete(const struct folder *folder, const char *name)
{
    assert_int_equal(unlinkat(folder->fd, name, 0), 0);
}

unsigned folder_mode(const struct folder *folder, const char *name)
{
    struct stat st;
    assert_int_equal(fstatat(folder->fd, name, &st, 0), 0);
    return st.st_mode & 07777;
}
