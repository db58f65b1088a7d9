#include "network.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX  64
#define V4_BYTES  4
#define V6_BYTES  16

static const uint8_t v4_in_v6[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

static bool read_address(const char *text, struct network *ret)
{
    if (inet_pton(AF_INET, text, ret->bytes) == 1) {
        ret->v6 = false;
        return true;
    }
    if (inet_pton(AF_INET6, text, ret->bytes) != 1)
        return false;
    ret->v6 = memcmp(ret->bytes, v4_in_v6, sizeof v4_in_v6) != 0;
    if (!ret->v6)
        memmove(ret->bytes, ret->bytes + sizeof v4_in_v6, V4_BYTES);
    return true;
}

static bool bit_of(const uint8_t *bytes, unsigned at)
{
    return (bytes[at / 8] >> (7 - at % 8) & 1) != 0;
}

/* Digits only, at most `most`. */
static bool read_bits(const char *text, unsigned most, unsigned *ret)
{
    char *end = NULL;
    unsigned long bits = *text < '0' || *text > '9' ? most + 1UL : strtoul(text, &end, 10);
    if (bits > most || *end != '\0')
        return false;
    *ret = (unsigned)bits;
    return true;
}

bool network_parse(const char *text, struct network *ret)
{
    char address[TEXT_MAX];
    size_t len = strcspn(text, "/");
    struct network made = { .bits = 0 };
    if (len >= sizeof address)
        return false;
    memcpy(address, text, len);
    address[len] = '\0';
    if (!read_address(address, &made))
        return false;
    unsigned most = made.v6 ? V6_BYTES * 8 : V4_BYTES * 8;
    made.bits = most;
    if (text[len] == '/' && !read_bits(text + len + 1, most, &made.bits))
        return false;
    for (unsigned i = made.bits; i < most; i++)
        if (bit_of(made.bytes, i))
            return false;                  /* 10.10.0.1/16 is a mistake: which of the two was meant? */
    *ret = made;
    return true;
}

bool network_has(const struct network *network, const char *address)
{
    struct network asked;
    if (!read_address(address, &asked) || asked.v6 != network->v6)
        return false;
    for (unsigned i = 0; i < network->bits; i++)
        if (bit_of(network->bytes, i) != bit_of(asked.bytes, i))
            return false;
    return true;
}
