/* plain_text.h - what others wrote, made safe for a terminal, and how wide it stands there.
 *
 * Names of nodes, experiences and diagnostics come from machines and people that we do not know: a control character or an escape code in
 * one must be seen, never obeyed. Widths are columns of a terminal (wide East Asian characters take two). */
#ifndef CTL_PLAIN_TEXT_H
#define CTL_PLAIN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hydra/base/buf.h"

/* Length in bytes of the character at `text` (1 to 4) and its number; 0: bytes that are no UTF-8. `text` ends with NUL, which is a
 * character of one byte. */
size_t plain_decode(const char *text, uint32_t *ret_code);
/* Is it one that steers a terminal or turns the direction of a line: C0, DEL, C1, line separators, marks and overrides of direction. */
bool plain_steers(uint32_t code);
/* Appends `text` with such characters, and bytes that are no UTF-8, written as \n, \t, \r, \xHH or \u{HHHH}. */
void plain_add(const char *text, struct hc_buf *out);
size_t plain_width(const char *safe);
/* Appends `safe` filled up with blanks to `width` columns; a longer one is cut, and ends in "…", the sign that it was. True: cut. */
bool plain_add_fitted(const char *safe, size_t width, bool fill, struct hc_buf *out);

#endif
