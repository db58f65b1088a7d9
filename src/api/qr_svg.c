#include "qr_svg.h"

#include <errno.h>
#include <qrencode.h>
#include <string.h>

#include "hydra/base/arena.h"

#define QUIET 4            /* modules of white around the code, as the standard asks */

/* One bar for each run of dark modules in a row. */
static void write_row(const unsigned char *row, int width, int y, struct hc_buf *out)
{
    for (int x = 0; x < width;) {
        int start = x;
        while (x < width && (row[x] & 1) != 0)
            x++;
        if (x > start)
            hc_buf_printf(out, "M%d %dh%dv1h-%dz", start + QUIET, y + QUIET, x - start, x - start);
        else
            x++;
    }
}

enum hc_err qr_svg(const char *text, const char *label, struct hc_buf *out)
{
    QRcode *code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M);
    if (code == NULL)
        return errno == ENOMEM ? HC_ERR_NOMEM : HC_ERR_LIMIT;
    int size = code->width + 2 * QUIET;
    hc_buf_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\" "
                  "shape-rendering=\"crispEdges\"><rect width=\"%d\" height=\"%d\" fill=\"#fff\"/><path fill=\"#000\" d=\"",
                  size, size, label, size, size);
    for (int y = 0; y < code->width; y++)
        write_row(code->data + (size_t)y * (size_t)code->width, code->width, y, out);
    hc_buf_str(out, "\"/></svg>");
    memset(code->data, 0, (size_t)code->width * (size_t)code->width);      /* it says a token */
    QRcode_free(code);
    return out->failed ? HC_ERR_NOMEM : HC_OK;
}
