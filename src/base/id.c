#include "hydra/base/id.h"

#include <assert.h>
#include <string.h>

static bool id_char(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || memchr("._-", c, 3) != NULL;
}

bool hc_id_ok(const char *text)
{
    size_t n = 0;
    for (; text[n] != '\0'; n++)
        if (n >= HC_ID_MAX || !id_char(text[n]))
            return false;
    return n > 0;
}

/* Length of the UTF-8 sequence at `s` (at most `left` bytes); 0: none. Overlong forms, surrogates and beyond U+10FFFF are none. */
static size_t utf8_len(const unsigned char *s, size_t left)
{
    if (s[0] < 0x80)
        return 1;
    size_t len = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4 || left < len)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return len;
}

bool hc_utf8_ok(const char *text, size_t len)
{
    const unsigned char *s = (const unsigned char *)text;
    for (size_t i = 0; i < len;) {
        size_t n = utf8_len(s + i, len - i);
        if (n == 0)
            return false;
        i += n;
    }
    return true;
}

bool hc_name_ok(const char *text)
{
    size_t len = strlen(text);
    if (len == 0 || len > HC_NAME_MAX || !hc_utf8_ok(text, len))
        return false;
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return false;
    return true;
}

void hc_copy(char *to, size_t size, const char *from)
{
    size_t len = strlen(from);
    assert(len < size);
    memcpy(to, from, len + 1);
}

bool hc_same(const char *a, const char *b)
{
    return strcmp(a == NULL ? "" : a, b == NULL ? "" : b) == 0;
}

void hc_hex(const uint8_t *bytes, size_t len, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < len; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[2 * len] = '\0';
}

uint64_t hc_fnv1a64(uint64_t start, const char *text)
{
    for (; *text != '\0'; text++) {
        start ^= (unsigned char)*text;
        start *= UINT64_C(0x100000001b3);
    }
    return start;
}

int hc_hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool hc_among(const char *const *items, size_t count, const char *item)
{
    for (size_t i = 0; i < count; i++)
        if (hc_same(items[i], item))
            return true;
    return false;
}
