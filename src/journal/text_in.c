#include "text_in.h"

#include <stdio.h>
#include <string.h>

#include "hydra/base/id.h"

#define SHOWN_MAX 24      /* bytes of the text that a message shows */

enum hc_err text_fail(struct text_in *in, enum hc_err err, const char *what)
{
    size_t left = (size_t)(in->end - in->at);
    return hc_fail(in->diag, err, "%s at '%.*s'", what, (int)(left < SHOWN_MAX ? left : SHOWN_MAX), in->at);
}

static void skip_spaces(struct text_in *in)
{
    while (in->at < in->end && (*in->at == ' ' || *in->at == '\t'))
        in->at++;
}

bool text_take(struct text_in *in, char c)
{
    skip_spaces(in);
    if (in->at >= in->end || *in->at != c)
        return false;
    in->at++;
    return true;
}

enum hc_err text_expect(struct text_in *in, char c)
{
    char what[] = "expected 'x'";
    what[sizeof what - 3] = c;
    return text_take(in, c) ? HC_OK : text_fail(in, HC_ERR_SYNTAX, what);
}

bool text_take_word(struct text_in *in, const char *word)
{
    size_t len = strlen(word);
    skip_spaces(in);
    if ((size_t)(in->end - in->at) < len || memcmp(in->at, word, len) != 0)
        return false;
    in->at += len;
    return true;
}

enum hc_err text_u64(struct text_in *in, uint64_t *ret)
{
    skip_spaces(in);
    const char *start = in->at;
    uint64_t value = 0;
    for (; in->at < in->end && *in->at >= '0' && *in->at <= '9'; in->at++) {
        unsigned digit = (unsigned)(*in->at - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return text_fail(in, HC_ERR_SCHEMA, "number too large");
        value = value * 10 + digit;
    }
    if (in->at == start)
        return text_fail(in, HC_ERR_SCHEMA, "expected a number");
    *ret = value;
    return HC_OK;
}

enum hc_err text_i64(struct text_in *in, int64_t *ret)
{
    bool minus = text_take(in, '-');
    uint64_t value;
    enum hc_err err = text_u64(in, &value);
    if (err != HC_OK)
        return err;
    if (value > (uint64_t)INT64_MAX + (minus ? 1 : 0))
        return text_fail(in, HC_ERR_SCHEMA, "number too large");
    *ret = minus ? (int64_t)(~value + 1) : (int64_t)value;
    return HC_OK;
}

/* Our writer escapes control characters, the quote and the backslash, nothing else: \u stays below 0x80, NUL is in no text. */
static enum hc_err take_escape(struct text_in *in, char *out)
{
    char c = in->at < in->end ? *in->at++ : '\0';
    if (c == '"' || c == '\\' || c == '/') {
        *out = c;
        return HC_OK;
    }
    if (c != 'u' || in->end - in->at < 4)
        return text_fail(in, HC_ERR_SYNTAX, "unknown escape");
    unsigned value = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hc_hex_digit(*in->at++);
        if (digit < 0)
            return text_fail(in, HC_ERR_SYNTAX, "unknown escape");
        value = value * 16 + (unsigned)digit;
    }
    if (value == 0 || value >= 0x80)
        return text_fail(in, HC_ERR_SYNTAX, "unknown escape");
    *out = (char)value;
    return HC_OK;
}

enum hc_err text_string(struct text_in *in, char **ret, size_t *ret_len)
{
    if (!text_take(in, '"'))
        return text_fail(in, HC_ERR_SCHEMA, "expected a text");
    const char *close = in->at;
    while (close < in->end && *close != '"')
        close += *close == '\\' ? 2 : 1;
    if (close >= in->end)
        return text_fail(in, HC_ERR_SYNTAX, "text without an end");
    char *text = hc_alloc((size_t)(close - in->at) + 1);
    if (text == NULL)
        return HC_ERR_NOMEM;
    size_t len = 0;
    enum hc_err err = HC_OK;
    while (in->at < close && err == HC_OK) {
        char c = *in->at++;
        if (c == '\\')
            err = take_escape(in, &c);
        else if (c == '\0')
            err = text_fail(in, HC_ERR_SYNTAX, "NUL");
        text[len++] = c;
    }
    if (err != HC_OK) {
        hc_free(text);
        return err;
    }
    in->at = close + 1;
    text[len] = '\0';
    *ret = text;
    *ret_len = len;
    return HC_OK;
}

enum hc_err text_chars(struct text_in *in, char *out, size_t size)
{
    char *text;
    size_t len;
    enum hc_err err = text_string(in, &text, &len);
    if (err != HC_OK)
        return err;
    if (len < size)
        memcpy(out, text, len + 1);
    else
        err = text_fail(in, HC_ERR_SCHEMA, "text too long");
    hc_free(text);
    return err;
}

enum hc_err text_key(struct text_in *in, size_t count, char *out, size_t size, bool *ret_end)
{
    *ret_end = text_take(in, '}');
    if (*ret_end)
        return HC_OK;
    enum hc_err err = count > 0 ? text_expect(in, ',') : HC_OK;
    if (err == HC_OK)
        err = text_chars(in, out, size);
    return err == HC_OK ? text_expect(in, ':') : err;
}

enum hc_err text_end(struct text_in *in)
{
    skip_spaces(in);
    return in->at == in->end ? HC_OK : text_fail(in, HC_ERR_SYNTAX, "more than one value");
}
