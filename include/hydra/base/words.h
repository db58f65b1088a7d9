/* words.h - the texts of an enum, in its order: what tables of fields and lists of words are made of. */
#ifndef HYDRA_BASE_WORDS_H
#define HYDRA_BASE_WORDS_H

#include <stddef.h>

struct hc_words { const char *const *words; size_t count; };

#endif
