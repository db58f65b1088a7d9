/* json_place.h - in which field a text stops being readable: for refusals of the parser, which knows only how many bytes it has taken. */
#ifndef HYDRA_CODEC_JSON_PLACE_H
#define HYDRA_CODEC_JSON_PLACE_H

#include <stddef.h>

#include "hydra/codec/field.h"

/* The field of `table` whose value ends at or holds the last of the `taken` bytes: "parts[2].label", as far as the table knows the way; ""
 * when it knows none of it. The text is nested at most JSON_NESTING_MAX deep. */
void json_place(const struct codec_table *table, const char *text, size_t taken, char *out, size_t size);

#endif
