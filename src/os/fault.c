#include "fault.h"

#include <errno.h>
#include <string.h>

enum hc_err os_fault(int errnum)
{
    switch (errnum) {
    case ENOSPC:
    case EDQUOT:
        return HC_ERR_FULL;
    case ENOENT:
        return HC_ERR_NOTFOUND;
    default:
        return HC_ERR_IO;
    }
}

enum hc_err os_fail(struct hc_diag *diag, const char *what, const char *name)
{
    int errnum = errno;
    const char *reason = strerrordesc_np(errnum);    /* strerror() is not for threads */
    return hc_fail(diag, os_fault(errnum), "cannot %s %s: %s", what, name, reason == NULL ? "unknown reason" : reason);
}
