#include "hydra/base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "hydra/base/arena.h"

#define BUF_FIRST 256

static bool reserve(struct hc_buf *buf, size_t more)
{
    if (buf->failed || more >= SIZE_MAX / 2 - buf->len) {
        buf->failed = true;
        return false;
    }
    size_t want = buf->len + more + 1;
    if (want <= buf->size)
        return true;
    size_t size = buf->size < BUF_FIRST ? BUF_FIRST : buf->size;
    while (size < want)
        size *= 2;
    char *data = hc_realloc(buf->data, size);
    if (data == NULL) {
        buf->failed = true;
        return false;
    }
    buf->data = data;
    buf->size = size;
    return true;
}

void hc_buf_add(struct hc_buf *buf, const char *bytes, size_t len)
{
    if (!reserve(buf, len))
        return;
    if (len > 0)
        memcpy(buf->data + buf->len, bytes, len);
    buf->len += len;
    buf->data[buf->len] = '\0';
}

void hc_buf_str(struct hc_buf *buf, const char *text)
{
    hc_buf_add(buf, text, strlen(text));
}

void hc_buf_char(struct hc_buf *buf, char c)
{
    hc_buf_add(buf, &c, 1);
}

void hc_buf_u64(struct hc_buf *buf, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    hc_buf_add(buf, digits + at, sizeof digits - at);
}

void hc_buf_i64(struct hc_buf *buf, int64_t value)
{
    if (value < 0)
        hc_buf_char(buf, '-');
    hc_buf_u64(buf, value < 0 ? (uint64_t)0 - (uint64_t)value : (uint64_t)value);
}

void hc_buf_printf(struct hc_buf *buf, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (len >= 0 && reserve(buf, (size_t)len)) {
        (void)vsnprintf(buf->data + buf->len, (size_t)len + 1, format, again);
        buf->len += (size_t)len;
    }
    va_end(again);
}

void hc_buf_json_str(struct hc_buf *buf, const char *text)
{
    if (text == NULL) {
        hc_buf_str(buf, "null");
        return;
    }
    hc_buf_char(buf, '"');
    const char *plain = text;
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        hc_buf_add(buf, plain, (size_t)(text - plain));
        if (c == '"' || c == '\\') {
            hc_buf_char(buf, '\\');
            hc_buf_char(buf, (char)c);
        } else {
            hc_buf_printf(buf, "\\u%04x", c);
        }
        plain = text + 1;
    }
    hc_buf_add(buf, plain, (size_t)(text - plain));
    hc_buf_char(buf, '"');
}

void hc_buf_clear(struct hc_buf *buf)
{
    buf->len = 0;
    buf->failed = false;
    if (buf->data != NULL)
        buf->data[0] = '\0';
}

void hc_buf_free(struct hc_buf *buf)
{
    hc_free(buf->data);
    *buf = (struct hc_buf){ 0 };
}

void hc_buf_freep(struct hc_buf *buf)
{
    hc_buf_free(buf);
}
