/* file.h - files: read whole, write and sync, replace atomically, lock (rules §3.2, §3.4; architecture §2). */
#ifndef HYDRA_OS_FILE_H
#define HYDRA_OS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "hydra/base/err.h"

#define OS_BEGIN_MAX 256      /* what os_file_begins() looks at, at most */

enum os_replace { OS_REPLACE_DURABLE, OS_REPLACE_NOT_WRITTEN, OS_REPLACE_VISIBLE };   /* VISIBLE: renamed, folder not synced */

/* What a file was when we last wrote or read it; equal stamps mean nobody touched it since. */
struct os_stamp { uint64_t device, inode; int64_t size, mtime_ns, ctime_ns; bool exists; };

void os_close(int *fd);                                   /* HC_CLEANUP: closes when >= 0, sets -1 */
HC_MUST enum hc_err os_dir_open(const char *path, int *ret_fd, struct hc_diag *diag);            /* O_DIRECTORY */
HC_MUST enum hc_err os_dir_make_private(const char *path, struct hc_diag *diag);       /* mkdir 0700; exists is HC_OK if it is a folder */
/* Reads `name` in `dir_fd` whole into *ret_text (malloc, NUL-terminated, hc_free). HC_ERR_NOTFOUND, HC_ERR_LIMIT above `limit`, HC_ERR_IO.
 * `ret_stamp` (may be NULL) is of the file as read. */
HC_MUST enum hc_err os_file_read(int dir_fd, const char *name, size_t limit, char **ret_text, size_t *ret_len, struct os_stamp *ret_stamp,
                                 struct hc_diag *diag);
HC_MUST enum hc_err os_file_stamp(int dir_fd, const char *name, struct os_stamp *ret_stamp);     /* a missing file: HC_OK, exists false */
/* A file of secrets, open as `fd`. HC_ERR_CONFIG with what to do when others than its owner may read or change it. What the service manager
 * has put into CREDENTIALS_DIRECTORY may be readable for its group. `path` is for the message, and tells a credential. */
HC_MUST enum hc_err os_secret_check(int fd, const char *path, struct hc_diag *diag);
/* os_secret_check() and os_file_read(). */
HC_MUST enum hc_err os_secret_read(const char *path, size_t limit, char **ret_text, size_t *ret_len, struct hc_diag *diag);
/* The file begins with these bytes; of a file shorter than `most`, they are all of it. False also when it cannot be read. */
bool os_file_begins(int dir_fd, const char *name, const char *bytes, size_t len, size_t most);
bool os_stamp_same(const struct os_stamp *a, const struct os_stamp *b);
/* Temporary file NAME.tmp in the same folder (0600, a fresh inode each time), write, fsync, rename, fsync of the folder. `ret_stamp` (on
 * DURABLE and VISIBLE) is of the new file. */
HC_MUST enum os_replace os_file_replace(int dir_fd, const char *name, const char *bytes, size_t len, struct os_stamp *ret_stamp,
                                        struct hc_diag *diag);
/* A file that is not there is removed already. HC_ERR_IO. */
HC_MUST enum hc_err os_file_remove(int dir_fd, const char *name, struct hc_diag *diag);
HC_MUST enum hc_err os_write_all(int fd, const char *bytes, size_t len);
/* Creates NAME 0600 if need be, takes flock(LOCK_EX|LOCK_NB), writes our PID into it. HC_ERR_LOCKED: *ret_pid (may be NULL) is what the
 * file names (0: unknown). */
HC_MUST enum hc_err os_lock_take(int dir_fd, const char *name, int *ret_fd, pid_t *ret_pid, struct hc_diag *diag);
/* The same with LOCK_EX and waiting at most `wait_ms` (tokens.yaml). */
HC_MUST enum hc_err os_lock_wait(int dir_fd, const char *name, int64_t wait_ms, int *ret_fd, struct hc_diag *diag);

#endif
