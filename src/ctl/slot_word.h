/* slot_word.h - what a slot is, in one word that never promises more than is known: only `free` may be given to somebody. */
#ifndef CTL_SLOT_WORD_H
#define CTL_SLOT_WORD_H

#include <jansson.h>

/* Of a row of /slots: the lease's own state; without a lease `free`, `unknown` (nobody can say what runs there), `foreign` (somebody
 * without a lease is there), `closed` (known to be idle, and kept from all) or `busy`. Static. */
const char *slot_word(const json_t *row);
/* The escape sequence that begins the colour of a state's word; "": it has none. Static. */
const char *state_colour(const char *word);
#define COLOUR_END   "\033[0m"
#define COLOUR_FAULT "\033[31m"
#define COLOUR_TITLE "\033[1m"

#endif
