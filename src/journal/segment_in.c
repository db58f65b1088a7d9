#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hydra/base/id.h"
#include "replay.h"

enum hc_err segment_open(struct segment_in *in, const char *path, struct hc_diag *diag)
{
    *in = (struct segment_in){ .file = NULL };
    (void)snprintf(in->path, sizeof in->path, "%s", path);
    struct stat st;
    in->file = stat(path, &st) == 0 && !S_ISREG(st.st_mode) ? NULL : fopen(path, "re");
    if (in->file != NULL)
        return HC_OK;
    return hc_fail(diag, errno == ENOENT ? HC_ERR_NOTFOUND : HC_ERR_IO, "%s: cannot be read: %s", path,
                   errno == 0 ? "not a file" : strerror(errno));
}

enum line_got segment_line(struct segment_in *in)
{
    errno = 0;
    ssize_t got = getline(&in->line, &in->size, in->file);
    if (got < 0)
        return errno == 0 ? LINE_END : LINE_FAILED;
    in->number++;
    in->len = (size_t)got;
    if (in->line[in->len - 1] != '\n')
        return LINE_TORN;
    in->line[--in->len] = '\0';
    return in->len > LINE_BYTES_MAX ? LINE_FAILED : LINE_WHOLE;
}

void segment_close(struct segment_in *in)
{
    if (in->file != NULL)
        (void)fclose(in->file);
    free(in->line);
    *in = (struct segment_in){ .file = NULL };
}
