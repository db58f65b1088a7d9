#include "seal.h"

#include <string.h>

#include "hydra/base/derive.h"
#include "hydra/base/id.h"

#define BLOCK_SIZE 32

void seal_key(const uint8_t secret[32], uint8_t ret_key[32])
{
    hc_derive(secret, "journal", "", 0, ret_key);
}

void seal_check(const struct seal *seal, char out[SEAL_CHECK_SIZE])
{
    uint8_t bytes[BLOCK_SIZE];
    hc_derive(seal->key, "journal check", seal->nonce, sizeof seal->nonce, bytes);
    hc_hex(bytes, (SEAL_CHECK_SIZE - 1) / 2, out);
}

void seal_line(struct seal *seal, uint64_t line)
{
    seal->line = line;
    seal->field = 0;
}

static void put_u64(uint8_t *to, uint64_t value)
{
    for (size_t i = 0; i < sizeof value; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

/* One block of the stream: of this segment, line, secret and place in it. */
static void block_of(const struct seal *seal, size_t at, uint8_t out[BLOCK_SIZE])
{
    uint8_t place[SEAL_NONCE_SIZE + 24];
    memcpy(place, seal->nonce, SEAL_NONCE_SIZE);
    put_u64(place + SEAL_NONCE_SIZE, seal->line);
    put_u64(place + SEAL_NONCE_SIZE + 8, seal->field);
    put_u64(place + SEAL_NONCE_SIZE + 16, at / BLOCK_SIZE);
    hc_derive(seal->key, "journal stream", place, sizeof place, out);
}

void seal_write(struct seal *seal, const char *bytes, size_t len, struct hc_buf *out)
{
    uint8_t block[BLOCK_SIZE], sealed[BLOCK_SIZE];
    char hex[2 * BLOCK_SIZE + 1];
    for (size_t at = 0; at < len; at += BLOCK_SIZE) {
        size_t part = len - at < BLOCK_SIZE ? len - at : BLOCK_SIZE;
        block_of(seal, at, block);
        for (size_t i = 0; i < part; i++)
            sealed[i] = (uint8_t)((uint8_t)bytes[at + i] ^ block[i]);
        hc_hex(sealed, part, hex);
        hc_buf_add(out, hex, 2 * part);
    }
    seal->field++;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool seal_read(struct seal *seal, const char *hex, size_t len, char *out)
{
    uint8_t block[BLOCK_SIZE] = { 0 };
    if (len % 2 != 0)
        return false;
    for (size_t i = 0; i < len / 2; i++) {
        int high = digit_of(hex[2 * i]), low = digit_of(hex[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        if (i % BLOCK_SIZE == 0)
            block_of(seal, i, block);
        out[i] = (char)(uint8_t)((unsigned)(high << 4 | low) ^ block[i % BLOCK_SIZE]);
    }
    out[len / 2] = '\0';
    seal->field++;
    return true;
}
