/* seal.h - secrets on their way to the disk: a key stream from the server's secret, so that a journal alone gives nothing away, and who has
 * the secret can repeat the decisions that a claim token brought about. */
#ifndef JOURNAL_SEAL_H
#define JOURNAL_SEAL_H

#include <stddef.h>
#include <stdint.h>

#include "hydra/base/buf.h"

#define SEAL_NONCE_SIZE 16

struct seal {
    uint8_t key[32];                     /* derived from the server's secret */
    uint8_t nonce[SEAL_NONCE_SIZE];      /* of the segment, random: no two segments share a stream */
    uint64_t line; uint32_t field;       /* within the segment: which line, which secret of it */
};
void seal_key(const uint8_t secret[32], uint8_t ret_key[32]);
/* What stands in a segment's first line to know the right secret by. */
#define SEAL_CHECK_SIZE 33
void seal_check(const struct seal *seal, char out[SEAL_CHECK_SIZE]);
void seal_line(struct seal *seal, uint64_t line);                                     /* a new line begins */
void seal_write(struct seal *seal, const char *bytes, size_t len, struct hc_buf *out);     /* hex digits */
/* Opens `len` hex digits into len / 2 bytes and a NUL. False: they are none. */
bool seal_read(struct seal *seal, const char *hex, size_t len, char *out);

#endif
