#include "hydra/base/err.h"

#include <stdarg.h>
#include <stdio.h>

#define X(id, kind, text) [HC_ERR_##id] = text,
static const char *const texts[HC_ERR_COUNT] = { [HC_OK] = "ok", HC_ERR_LIST(X) };
#undef X
#define X(id, kind, text) [HC_ERR_##id] = HC_KIND_##kind,
static const enum hc_err_kind kinds[HC_ERR_COUNT] = { [HC_OK] = HC_KIND_NONE, HC_ERR_LIST(X) };
#undef X

const char *hc_err_text(enum hc_err err)
{
    return (unsigned)err < HC_ERR_COUNT ? texts[err] : "unknown error";
}

enum hc_err_kind hc_err_kind(enum hc_err err)
{
    return (unsigned)err < HC_ERR_COUNT ? kinds[err] : HC_KIND_BUG;
}

enum hc_err hc_fail(struct hc_diag *diag, enum hc_err err, const char *format, ...)
{
    if (diag == NULL)
        return err;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(diag->text, sizeof diag->text, format, args);
    va_end(args);
    return err;
}
