/* tar.h - reads the archive that GET /backup answers: plain files of POSIX ustar, each at most once. Pure. */
#ifndef CTL_TAR_H
#define CTL_TAR_H

#include <stddef.h>

#include "hydra/base/err.h"

#define TAR_FILES_MAX 8

struct tar_file { const char *name, *bytes; size_t len; };       /* borrowed from the archive; `bytes` does not end with NUL */
/* HC_ERR_SYNTAX with diag: no such archive, cut off, or with something in it that a backup has not. */
HC_MUST enum hc_err tar_read(const char *bytes, size_t len, struct tar_file ret_files[TAR_FILES_MAX], size_t *ret_count,
                             struct hc_diag *diag);

#endif
