/* digest.h - all the cryptography of the daemon but TLS: SHA-256, HMAC, constant-time compare, base64url.
 * hc_derive() of base/derive.h is defined beside it. */
#ifndef HYDRA_CRYPTO_DIGEST_H
#define HYDRA_CRYPTO_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hydra/base/err.h"
#include "hydra/base/id.h"

HC_MUST enum hc_err crypto_start(struct hc_diag *diag);    /* once, before threads: checks that the library has what we use */
void crypto_sha256(const void *data, size_t len, uint8_t out[32]);
void crypto_sha256_hex(const void *data, size_t len, char out[HC_HASH_SIZE]);
bool crypto_same(const void *a, const void *b, size_t len);          /* constant time */
bool crypto_same_text(const char *a, const char *b);                  /* constant time in the content; lengths may show */
size_t crypto_base64url(const void *data, size_t len, char *out, size_t size);   /* no padding; returns the length; asserts that it fits */
void crypto_wipe(void *p, size_t len);

#endif
