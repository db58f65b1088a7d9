/* derive.c - hc_derive() of virtual time: as deterministic as the real one and much cheaper; nothing here is secret. */
#include <string.h>

#include "hydra/base/derive.h"

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static uint64_t absorb(uint64_t state, const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < len; i++)
        state = (state ^ at[i]) * UINT64_C(0x100000001b3);
    return mix(state);
}

void hc_derive(const uint8_t key[32], const char *label, const void *data, size_t len, uint8_t out[32])
{
    uint64_t state = absorb(UINT64_C(0xcbf29ce484222325), key, 32);
    state = absorb(state, label, strlen(label) + 1);
    state = absorb(state, data, len);
    for (size_t i = 0; i < 4; i++) {
        uint64_t word = mix(state + (i + 1) * UINT64_C(0x9e3779b97f4a7c15));
        memcpy(out + 8 * i, &word, sizeof word);
    }
}
