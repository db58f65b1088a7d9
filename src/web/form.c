#include "form.h"

#include <string.h>

#include "hydra/base/id.h"

/* Decodes `len` bytes; false: see form_field(). */
static bool decode(const char *text, size_t len, char *out, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < len; i++) {
        char c = text[i] == '+' ? ' ' : text[i];
        if (c == '%') {
            int high = i + 2 < len ? hc_hex_digit(text[i + 1]) : -1;
            int low = high < 0 ? -1 : hc_hex_digit(text[i + 2]);
            if (low < 0)
                return false;
            c = (char)(high * 16 + low);
            i += 2;
        }
        if (c == '\0' || used + 1 >= size)
            return false;
        out[used++] = c;
    }
    out[used] = '\0';
    return true;
}

bool form_field(const char *form, size_t len, const char *name, char *out, size_t size)
{
    size_t name_len = strlen(name);
    for (size_t at = 0; at < len;) {
        const char *pair = form + at, *amp = memchr(pair, '&', len - at);
        size_t pair_len = amp == NULL ? len - at : (size_t)(amp - pair);
        if (pair_len > name_len && memcmp(pair, name, name_len) == 0 && pair[name_len] == '=')
            return decode(pair + name_len + 1, pair_len - name_len - 1, out, size);
        at += pair_len + 1;
    }
    return false;
}

const char *form_next(const char *next)
{
    if (next[0] != '/' || next[1] == '/')
        return "/";
    for (const char *at = next; *at != '\0'; at++)
        if ((unsigned char)*at <= 0x20 || (unsigned char)*at >= 0x7f || *at == '\\')
            return "/";
    return next;
}

void form_escape(const char *text, struct hc_buf *out)
{
    static const struct { char c; const char *as; } rows[] = { { '&', "&amp;" }, { '<', "&lt;" }, { '>', "&gt;" }, { '"', "&quot;" },
                                                               { '\'', "&#39;" } };
    for (; *text != '\0'; text++) {
        const char *as = NULL;
        for (size_t i = 0; i < sizeof rows / sizeof rows[0] && as == NULL; i++)
            if (rows[i].c == *text)
                as = rows[i].as;
        if (as != NULL)
            hc_buf_str(out, as);
        else
            hc_buf_char(out, *text);
    }
}

static const char *value_of(const char *name, size_t len, const struct form_value *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(values[i].name) == len && memcmp(values[i].name, name, len) == 0)
            return values[i].value;
    return "";
}

void form_fill(const char *text, size_t len, const struct form_value *values, size_t count, struct hc_buf *out)
{
    for (size_t at = 0; at < len;) {
        const char *open = memmem(text + at, len - at, "{{", 2);
        const char *close = open == NULL ? NULL : memmem(open, len - (size_t)(open - text), "}}", 2);
        if (close == NULL) {
            hc_buf_add(out, text + at, len - at);
            return;
        }
        hc_buf_add(out, text + at, (size_t)(open - text) - at);
        form_escape(value_of(open + 2, (size_t)(close - open) - 2, values, count), out);
        at = (size_t)(close - text) + 2;
    }
}
