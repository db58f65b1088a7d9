/* fault.h - a failed system call as an error and a sentence. */
#ifndef HYDRA_OS_FAULT_H
#define HYDRA_OS_FAULT_H

#include "hydra/base/err.h"

/* What errno means to callers: ENOSPC and EDQUOT are FULL, ENOENT is NOTFOUND, everything else is IO. */
enum hc_err os_fault(int errnum);
/* The same, with "cannot WHAT NAME: reason" in `diag`. Reads errno. */
enum hc_err os_fail(struct hc_diag *diag, const char *what, const char *name);

#endif
