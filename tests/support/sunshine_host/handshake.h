/* handshake.h - the arithmetic of pairing for generation 7 hosts: keys, hashes, blocks, signatures. No state, no sockets. */
#ifndef HANDSHAKE_H
#define HANDSHAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#define HS_KEY_LEN   16u
#define HS_BLOCK_LEN 16u
#define HS_HASH_LEN  32u
#define HS_SALT_LEN  16u
#define HS_SIGNATURE_MAX 512u           /* RSA of 4096 bits */

void hs_key(const uint8_t salt[HS_SALT_LEN], const char *pin, uint8_t key[HS_KEY_LEN]);
/* AES-128-ECB without padding; len is a multiple of HS_BLOCK_LEN. */
void hs_encrypt(const uint8_t key[HS_KEY_LEN], const uint8_t *plain, size_t len, uint8_t *out);
void hs_decrypt(const uint8_t key[HS_KEY_LEN], const uint8_t *secret, size_t len, uint8_t *out);
/* SHA-256 of challenge, then the certificate's own signature, then secret (16 bytes each but for the signature). */
void hs_hash(const uint8_t challenge[HS_BLOCK_LEN], const X509 *cert, const uint8_t secret[HS_BLOCK_LEN], uint8_t out[HS_HASH_LEN]);
size_t hs_sign(EVP_PKEY *key, const uint8_t *bytes, size_t len, uint8_t out[HS_SIGNATURE_MAX]);        /* 0: it cannot */
bool hs_verify(const X509 *cert, const uint8_t *bytes, size_t len, const uint8_t *signature, size_t signature_len);
/* Digits of either case. False: an odd length, no hex digit, or more than `max` bytes. */
bool hs_unhex(const char *text, uint8_t *out, size_t max, size_t *ret_len);
void hs_hex_upper(const uint8_t *bytes, size_t len, char *out);        /* out has 2*len+1 bytes */
X509 *hs_certificate(const char *pem, size_t len);                     /* NULL: not a certificate; X509_free() it */

#endif
