#include "append_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hydra/base/arena.h"
#include "hydra/os/file.h"

#define ROTATED_NAME_SIZE 64

void line_batches_free(struct line_batch *chain)
{
    while (chain != NULL) {
        struct line_batch *next = chain->next;
        hc_buf_free(&chain->text);
        hc_free(chain->refs);
        hc_free(chain);
        chain = next;
    }
}

static enum hc_err read_at(int fd, int64_t offset, char *out, size_t len)
{
    size_t got = 0;
    while (got < len) {
        ssize_t n = pread(fd, out + got, len - got, (off_t)offset + (off_t)got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return HC_ERR_IO;
        got += (size_t)n;
    }
    return HC_OK;
}

/* Length of `text` up to and with its last line end. */
static size_t whole_lines(const char *text, size_t len)
{
    const char *last = len == 0 ? NULL : memrchr(text, '\n', len);
    return last == NULL ? 0 : (size_t)(last - text) + 1;
}

static enum hc_err cut_torn_line(struct append_file *file, struct hc_diag *diag)
{
    char tail[LINE_BYTES_MAX];
    size_t len = file->end < (int64_t)sizeof tail ? (size_t)file->end : sizeof tail;
    int64_t start = file->end - (int64_t)len;
    if (read_at(file->fd, start, tail, len) != HC_OK)
        return hc_fail(diag, HC_ERR_IO, "%s: cannot be read: %s", file->name, strerror(errno));
    size_t whole = whole_lines(tail, len);
    if (whole == len)
        return HC_OK;
    if (whole == 0 && start > 0)
        return hc_fail(diag, HC_ERR_SYNTAX, "%s: no line end in its last %zu bytes: not a file of lines", file->name, len);
    if (ftruncate(file->fd, (off_t)start + (off_t)whole) < 0)
        return hc_fail(diag, HC_ERR_IO, "%s: its torn last line cannot be cut: %s", file->name, strerror(errno));
    file->end = start + (int64_t)whole;
    return HC_OK;
}

static enum hc_err open_fd(struct append_file *file)
{
    struct os_stamp before;
    enum hc_err err = os_file_stamp(file->dir_fd, file->name, &before);
    if (err != HC_OK)
        return err;
    file->fd = openat(file->dir_fd, file->name, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    struct stat st;
    if (file->fd < 0 || fstat(file->fd, &st) < 0)
        return HC_ERR_IO;
    file->folder_unsynced = file->folder_unsynced || !before.exists;
    if (file->folder_unsynced && fsync(file->dir_fd) < 0) {
        os_close(&file->fd);                  /* a synced line must not lie in a file that a crash takes away: opened again for the next */
        return HC_ERR_IO;
    }
    file->folder_unsynced = false;
    file->end = st.st_size;
    file->torn = false;
    return HC_OK;
}

enum hc_err append_open(struct append_file *file, int dir_fd, const char *name, struct hc_diag *diag)
{
    *file = (struct append_file){ .dir_fd = dir_fd, .fd = -1, .name = name };
    enum hc_err err = open_fd(file);
    if (err != HC_OK)
        (void)hc_fail(diag, err, "%s: cannot be opened: %s", name, strerror(errno));
    else
        err = cut_torn_line(file, diag);
    if (err == HC_OK && fsync(file->fd) < 0)
        err = hc_fail(diag, HC_ERR_IO, "%s: cannot be synced: %s", name, strerror(errno));
    if (err != HC_OK)
        append_close(file);
    return err;
}

void append_close(struct append_file *file)
{
    os_close(&file->fd);
}

/* Someone may have removed or moved the file: lines must not go into an inode without a name. */
static enum hc_err reopen_if_gone(struct append_file *file)
{
    struct stat st;
    if (file->fd >= 0 && fstat(file->fd, &st) == 0 && st.st_nlink > 0)
        return HC_OK;
    os_close(&file->fd);
    return open_fd(file);
}

static enum hc_err write_chain(struct append_file *file, struct line_batch *chain)
{
    if (file->torn) {
        if (os_write_all(file->fd, "\n", 1) != HC_OK)
            return HC_ERR_IO;
        file->end++;
        file->torn = false;
    }
    for (struct line_batch *batch = chain; batch != NULL; batch = batch->next) {
        batch->offset = file->base + file->end;
        if (os_write_all(file->fd, batch->text.data, batch->text.len) != HC_OK)
            return HC_ERR_IO;
        file->end += (int64_t)batch->text.len;
    }
    return HC_OK;
}

enum hc_err append_lines(struct append_file *file, struct line_batch *chain, bool sync)
{
    enum hc_err err = reopen_if_gone(file);
    if (err == HC_OK)
        err = write_chain(file, chain);
    if (err == HC_OK)
        return sync ? append_sync(file) : HC_OK;
    struct stat st;
    if (file->fd >= 0 && fstat(file->fd, &st) == 0) {
        file->torn = file->torn || st.st_size != file->end;
        file->end = st.st_size;
    }
    return err;
}

enum hc_err append_sync(struct append_file *file)
{
    return fsync(file->fd) < 0 ? HC_ERR_IO : HC_OK;
}

enum hc_err append_rotate(struct append_file *file, unsigned keep)
{
    char from[ROTATED_NAME_SIZE], to[ROTATED_NAME_SIZE];
    assert(keep > 0 && strlen(file->name) + 8 < sizeof from);
    if (append_sync(file) != HC_OK)
        return HC_ERR_IO;
    for (unsigned i = keep; i > 0; i--) {
        (void)snprintf(to, sizeof to, "%s.%u", file->name, i);
        if (i > 1)
            (void)snprintf(from, sizeof from, "%s.%u", file->name, i - 1);
        else
            (void)snprintf(from, sizeof from, "%s", file->name);
        if (renameat(file->dir_fd, from, file->dir_fd, to) < 0 && errno != ENOENT)
            return HC_ERR_IO;
    }
    file->folder_unsynced = true;
    os_close(&file->fd);
    return open_fd(file);
}

enum hc_err append_move(struct append_file *file, const char *to, int64_t base)
{
    struct os_stamp there;
    if (os_file_stamp(file->dir_fd, to, &there) != HC_OK || there.exists)
        return HC_ERR_IO;                     /* somebody put it there: it is not written over */
    if (renameat(file->dir_fd, file->name, file->dir_fd, to) < 0 && errno != ENOENT)
        return HC_ERR_IO;
    file->base = base;
    file->end = 0;
    file->folder_unsynced = true;
    os_close(&file->fd);
    (void)open_fd(file);                      /* the next line opens it, and tells when that cannot be */
    return HC_OK;
}

enum hc_err append_before(int fd, int64_t upto, size_t max, char **ret_text, size_t *ret_len, int64_t *ret_offset)
{
    *ret_text = NULL;
    *ret_len = 0;
    *ret_offset = 0;
    if (upto <= 0)
        return HC_OK;
    size_t len = upto < (int64_t)max ? (size_t)upto : max;
    int64_t start = upto - (int64_t)len;
    char *text = hc_alloc(len + 1);
    if (text == NULL)
        return HC_ERR_NOMEM;
    if (read_at(fd, start, text, len) != HC_OK) {
        hc_free(text);
        return HC_ERR_IO;
    }
    /* What begins in the middle of a line is left for the call before it. */
    const char *first = start == 0 ? text : memchr(text, '\n', len);
    size_t skip = first == NULL ? len : (size_t)(first - text) + (start == 0 ? 0 : 1);
    size_t whole = whole_lines(text, len);
    *ret_len = whole > skip ? whole - skip : 0;
    memmove(text, text + skip, *ret_len);
    text[*ret_len] = '\0';
    *ret_text = text;
    *ret_offset = start + (int64_t)skip;
    return HC_OK;
}

enum hc_err append_tail(int dir_fd, const char *name, size_t max, char **ret_text, size_t *ret_len, int64_t *ret_offset)
{
    *ret_text = NULL;
    *ret_len = 0;
    *ret_offset = 0;
    HC_CLEANUP(os_close) int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return errno == ENOENT ? HC_OK : HC_ERR_IO;
    struct stat st;
    if (fstat(fd, &st) < 0)
        return HC_ERR_IO;
    return append_before(fd, st.st_size, max, ret_text, ret_len, ret_offset);
}
