/* pairing.h - the cryptography of the GameStream pairing handshake, generation 7: AES-128-ECB over whole blocks, RSA PKCS#1 v1.5 with
 * SHA-256, and two facts of a certificate that the handshake and the pin need. */
#ifndef HYDRA_CRYPTO_PAIRING_H
#define HYDRA_CRYPTO_PAIRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hydra/base/buf.h"
#include "hydra/base/err.h"
#include "hydra/base/id.h"

#define PAIRING_BLOCK         16        /* AES block; also the length of salts, challenges and secrets */
#define PAIRING_SIGNATURE_MAX 512       /* RSA-4096 */
#define PUBLIC_KEY_PIN_SIZE   53        /* "sha256//" and 44 digits of base64 */

/* `len` is a multiple of PAIRING_BLOCK (asserts); `out` has as many bytes and may be `in`. */
HC_MUST enum hc_err crypto_aes128_ecb(const uint8_t key[PAIRING_BLOCK], bool encrypt, const uint8_t *in, size_t len, uint8_t *out);
/* Signs with a PEM private key. *ret_len at most PAIRING_SIGNATURE_MAX. HC_ERR_SYNTAX: no such key. */
HC_MUST enum hc_err crypto_rsa_sign(const char *key_pem, const void *data, size_t len, uint8_t out[PAIRING_SIGNATURE_MAX], size_t *ret_len,
                                    struct hc_diag *diag);
/* With the key of a PEM certificate. *ret_good false: the signature is not its. HC_ERR_SYNTAX: no RSA certificate. */
HC_MUST enum hc_err crypto_rsa_verify(const char *cert_pem, const void *data, size_t len, const uint8_t *signature, size_t signature_len,
                                      bool *ret_good, struct hc_diag *diag);
/* The bytes of a certificate's signature value, without the octet of unused bits. */
HC_MUST enum hc_err crypto_certificate_signature(const char *cert_pem, uint8_t out[PAIRING_SIGNATURE_MAX], size_t *ret_len,
                                                 struct hc_diag *diag);
/* SHA-256 of the DER in hex, and the pin of the public key in libcurl's form ("sha256//BASE64"). Either may be NULL. */
HC_MUST enum hc_err crypto_certificate_pins(const char *cert_pem, char ret_fingerprint[HC_HASH_SIZE], char ret_pin[PUBLIC_KEY_PIN_SIZE],
                                            struct hc_diag *diag);

#endif
