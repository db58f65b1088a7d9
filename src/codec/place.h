/* place.h - where in a document a reader stands, told only when it refuses: "slots[2].state". */
#ifndef HYDRA_CODEC_PLACE_H
#define HYDRA_CODEC_PLACE_H

#include <stddef.h>

#define PLACE_DEPTH_MAX 64              /* above both nesting limits */
#define PLACE_NO_INDEX  ((size_t)-1)

/* One key, and the item of its list when the reader is inside one. Lives on the reader's stack. */
struct place { const struct place *up; const char *key; size_t index; };

void place_text(const struct place *place, char *out, size_t size);    /* NULL: "". Cut at `size`, at a character */
void place_cut_utf8(char *text);                                       /* drops a character that a cut left incomplete */

#endif
