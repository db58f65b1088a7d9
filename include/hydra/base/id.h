/* id.h - ids and names: their limits, their alphabet, how to copy one (wire §0). */
#ifndef HYDRA_BASE_ID_H
#define HYDRA_BASE_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hydra/base/err.h"

#define HC_ID_MAX     64            /* bytes of an id on the wire and in the files */
#define HC_ID_SIZE    (HC_ID_MAX + 1)
#define HC_NAME_MAX   128           /* bytes of UTF-8 in names of nodes, venues, districts, owners, experiences */
#define HC_NAME_SIZE  (HC_NAME_MAX + 1)
#define HC_HASH_HEX   64            /* a SHA-256 in hex */
#define HC_HASH_SIZE  (HC_HASH_HEX + 1)
#define HC_EPOCH_MAX  ((((uint64_t)1) << 53) - 2)   /* rules §6.1: what a JSON number can carry */

bool hc_id_ok(const char *text);    /* [A-Za-z0-9._-]{1,64} */
bool hc_name_ok(const char *text);  /* 1 to HC_NAME_MAX bytes of valid UTF-8, no control character */
bool hc_utf8_ok(const char *text, size_t len);

/* Copies NUL-terminated `from` into `to` of `size` bytes. The caller has checked the length against the named limit: longer asserts. */
void hc_copy(char *to, size_t size, const char *from);
#define HC_SET(array, from) hc_copy((array), sizeof(array), (from))
bool hc_same(const char *a, const char *b);          /* strcmp == 0; NULL equals "" */
bool hc_among(const char *const *items, size_t count, const char *item);     /* is one of them the same text */

void hc_hex(const uint8_t *bytes, size_t len, char *out);   /* out has 2*len+1 bytes; lower case */
int hc_hex_digit(char c);                            /* 0 to 15, of either case; -1: none */
uint64_t hc_fnv1a64(uint64_t start, const char *text);      /* start with HC_FNV1A64_START; chain for concatenation */
#define HC_FNV1A64_START UINT64_C(0xcbf29ce484222325)

#endif
