/* qr_svg.h - a text as a QR code in SVG. */
#ifndef API_QR_SVG_H
#define API_QR_SVG_H

#include "hydra/base/buf.h"
#include "hydra/base/err.h"

/* Appends an <svg> element: dark modules on a white ground with its quiet zone, whatever the page's colours are. `label` says what it is to
 * who cannot see it. HC_ERR_LIMIT: the text is too long for a code. */
HC_MUST enum hc_err qr_svg(const char *text, const char *label, struct hc_buf *out);

#endif
