#include "plain_text.h"

#include <wchar.h>

#define CUT_SIGN "\xe2\x80\xa6"         /* U+2026, one column */

size_t plain_decode(const char *text, uint32_t *ret_code)
{
    const unsigned char *s = (const unsigned char *)text;
    static const struct { unsigned char mask, lead; uint32_t least; } forms[] = {
        { 0x80, 0x00, 0 }, { 0xe0, 0xc0, 0x80 }, { 0xf0, 0xe0, 0x800 }, { 0xf8, 0xf0, 0x10000 },
    };
    for (size_t more = 0; more < sizeof forms / sizeof forms[0]; more++) {
        if ((s[0] & forms[more].mask) != forms[more].lead)
            continue;
        uint32_t code = s[0] & (unsigned char)~forms[more].mask;
        for (size_t i = 1; i <= more; i++) {
            if ((s[i] & 0xc0) != 0x80)
                return 0;
            code = code << 6 | (s[i] & 0x3f);
        }
        bool good = code >= forms[more].least && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
        *ret_code = code;
        return good ? more + 1 : 0;
    }
    return 0;
}

bool plain_steers(uint32_t code)
{
    static const struct { uint32_t first, last; } ranges[] = {
        { 0x00, 0x1f }, { 0x7f, 0x9f },                                      /* control characters */
        { 0x61c, 0x61c }, { 0x200e, 0x200f }, { 0x202a, 0x202e }, { 0x2066, 0x2069 },     /* direction */
        { 0x2028, 0x2029 }, { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe007f }, /* line ends, marks that nobody sees */
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return false;
}

static void add_shown(uint32_t code, struct hc_buf *out)
{
    const char *word = code == '\n' ? "\\n" : code == '\t' ? "\\t" : code == '\r' ? "\\r" : NULL;
    if (word != NULL)
        hc_buf_str(out, word);
    else
        hc_buf_printf(out, code < 0x80 ? "\\x%02x" : "\\u{%04x}", (unsigned)code);
}

void plain_add(const char *text, struct hc_buf *out)
{
    while (*text != '\0') {
        uint32_t code = 0;
        size_t len = plain_decode(text, &code);
        if (len == 0) {
            hc_buf_printf(out, "\\x%02x", (unsigned)(unsigned char)*text++);
            continue;
        }
        if (plain_steers(code))
            add_shown(code, out);
        else
            hc_buf_add(out, text, len);
        text += len;
    }
}

/* What the locale does not know takes one column. */
static size_t columns_of(uint32_t code)
{
    int width = wcwidth((wchar_t)code);
    return width < 0 ? 1 : (size_t)width;
}

size_t plain_width(const char *safe)
{
    size_t width = 0;
    while (*safe != '\0') {
        uint32_t code = 0;
        size_t len = plain_decode(safe, &code);
        width += len == 0 ? 1 : columns_of(code);
        safe += len == 0 ? 1 : len;
    }
    return width;
}

bool plain_add_fitted(const char *safe, size_t width, bool fill, struct hc_buf *out)
{
    bool cut = plain_width(safe) > width;
    size_t room = cut && width > 0 ? width - 1 : width, used = 0;
    while (*safe != '\0') {
        uint32_t code = 0;
        size_t len = plain_decode(safe, &code), wide = len == 0 ? 1 : columns_of(code);
        if (used + wide > room)
            break;
        hc_buf_add(out, safe, len == 0 ? 1 : len);
        safe += len == 0 ? 1 : len;
        used += wide;
    }
    if (cut && width > 0) {
        hc_buf_str(out, CUT_SIGN);
        used++;
    }
    for (; fill && used < width; used++)
        hc_buf_char(out, ' ');
    return cut;
}
