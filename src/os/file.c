#include "hydra/os/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fault.h"
#include "hydra/base/arena.h"

#define READ_TRIES     3      /* a file that changes while it is read is read again that often */
#define TMP_NAME_SIZE  256
#define TMP_SUFFIX     ".tmp"

static void stamp_from(const struct stat *st, struct os_stamp *stamp)
{
    *stamp = (struct os_stamp){
        .device = st->st_dev,
        .inode = st->st_ino,
        .size = st->st_size,
        .mtime_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec,
        .ctime_ns = (int64_t)st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec,
        .exists = true,
    };
}

enum hc_err os_file_stamp(int dir_fd, const char *name, struct os_stamp *ret_stamp)
{
    struct stat st;
    if (fstatat(dir_fd, name, &st, 0) == 0) {
        stamp_from(&st, ret_stamp);
        return HC_OK;
    }
    if (errno != ENOENT)
        return HC_ERR_IO;
    *ret_stamp = (struct os_stamp){ 0 };
    return HC_OK;
}

bool os_stamp_same(const struct os_stamp *a, const struct os_stamp *b)
{
    if (!a->exists || !b->exists)
        return a->exists == b->exists;
    return a->device == b->device && a->inode == b->inode && a->size == b->size && a->mtime_ns == b->mtime_ns &&
           a->ctime_ns == b->ctime_ns;
}

/* Reads until `size` bytes or the end; -1 with errno on a fault. */
static ssize_t read_up_to(int fd, char *out, size_t size)
{
    size_t len = 0;
    while (len < size) {
        ssize_t got = read(fd, out + len, size - len);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        len += (size_t)got;
    }
    return (ssize_t)len;
}

/* One try. *ret_torn: somebody wrote to the file meanwhile, nothing is returned. */
static enum hc_err read_once(int dir_fd, const char *name, size_t limit, char **ret_text, size_t *ret_len, struct os_stamp *ret_stamp,
                             bool *ret_torn, struct hc_diag *diag)
{
    *ret_torn = false;
    struct stat st;
    /* O_NONBLOCK: opening a FIFO under this name must not hang the daemon; a regular file ignores it. */
    HC_CLEANUP(os_close) int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) < 0)
        return os_fail(diag, "read", name);
    if (!S_ISREG(st.st_mode))
        return hc_fail(diag, HC_ERR_IO, "cannot read %s: not a regular file", name);
    if ((uint64_t)st.st_size > limit)
        return hc_fail(diag, HC_ERR_LIMIT, "%s has %lld bytes, more than the %zu allowed", name, (long long)st.st_size, limit);
    size_t size = (size_t)st.st_size;
    char *text = hc_alloc(size + 1);
    if (text == NULL)
        return hc_fail(diag, HC_ERR_NOMEM, "no memory to read %s", name);
    ssize_t got = read_up_to(fd, text, size + 1);    /* one more than there should be: growth shows */
    struct os_stamp before, after;
    stamp_from(&st, &before);
    if (got < 0 || fstat(fd, &st) < 0) {
        hc_free(text);
        return os_fail(diag, "read", name);
    }
    stamp_from(&st, &after);
    if ((size_t)got != size || !os_stamp_same(&before, &after)) {
        hc_free(text);
        *ret_torn = true;
        return HC_OK;
    }
    text[size] = '\0';
    *ret_text = text;
    *ret_len = size;
    if (ret_stamp != NULL)
        *ret_stamp = after;
    return HC_OK;
}

enum hc_err os_file_read(int dir_fd, const char *name, size_t limit, char **ret_text, size_t *ret_len, struct os_stamp *ret_stamp,
                         struct hc_diag *diag)
{
    for (int i = 0; i < READ_TRIES; i++) {
        bool torn;
        enum hc_err err = read_once(dir_fd, name, limit, ret_text, ret_len, ret_stamp, &torn, diag);
        if (err != HC_OK || !torn)
            return err;
    }
    return hc_fail(diag, HC_ERR_IO, "cannot read %s: it changes while it is read", name);
}

bool os_file_begins(int dir_fd, const char *name, const char *bytes, size_t len, size_t most)
{
    char head[OS_BEGIN_MAX];
    assert(len <= most && most <= sizeof head);
    HC_CLEANUP(os_close) int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = fd < 0 ? -1 : read_up_to(fd, head, most);
    return got >= 0 && (size_t)got == len && memcmp(head, bytes, len) == 0;
}

enum hc_err os_write_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t put = write(fd, bytes, len);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            if (put == 0)
                errno = EIO;    /* a file that takes nothing and says nothing would loop for ever */
            return os_fault(errno);
        }
        bytes += put;
        len -= (size_t)put;
    }
    return HC_OK;
}

static enum os_replace give_up(int dir_fd, const char *tmp, const char *what, const char *name, struct hc_diag *diag)
{
    (void)os_fail(diag, what, name);
    (void)unlinkat(dir_fd, tmp, 0);
    return OS_REPLACE_NOT_WRITTEN;
}

enum os_replace os_file_replace(int dir_fd, const char *name, const char *bytes, size_t len, struct os_stamp *ret_stamp,
                                struct hc_diag *diag)
{
    char tmp[TMP_NAME_SIZE];
    if ((size_t)snprintf(tmp, sizeof tmp, "%s" TMP_SUFFIX, name) >= sizeof tmp) {
        errno = ENAMETOOLONG;
        (void)os_fail(diag, "write", name);
        return OS_REPLACE_NOT_WRITTEN;
    }
    (void)unlinkat(dir_fd, tmp, 0);    /* never write into an inode whose fsync has failed */
    HC_CLEANUP(os_close) int fd = openat(dir_fd, tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        (void)os_fail(diag, "create", tmp);
        return OS_REPLACE_NOT_WRITTEN;
    }
    if (os_write_all(fd, bytes, len) != HC_OK)
        return give_up(dir_fd, tmp, "write", tmp, diag);
    if (fsync(fd) < 0)                 /* one fsync, no second try: a repeat says 0 and the data is gone */
        return give_up(dir_fd, tmp, "sync", tmp, diag);
    if (renameat(dir_fd, tmp, dir_fd, name) < 0)
        return give_up(dir_fd, tmp, "rename to", name, diag);
    struct stat st;
    bool stamped = fstat(fd, &st) == 0;    /* after the rename, which changes ctime */
    if (ret_stamp != NULL) {
        *ret_stamp = (struct os_stamp){ 0 };    /* without a stat it matches nothing: the next save looks at the file */
        if (stamped)
            stamp_from(&st, ret_stamp);
    }
    if (fsync(dir_fd) < 0) {
        (void)os_fail(diag, "sync the folder of", name);
        return OS_REPLACE_VISIBLE;
    }
    return OS_REPLACE_DURABLE;
}

enum hc_err os_file_remove(int dir_fd, const char *name, struct hc_diag *diag)
{
    return unlinkat(dir_fd, name, 0) == 0 || errno == ENOENT ? HC_OK : os_fail(diag, "remove", name);
}
