#include <string.h>
#include <strings.h>

#include "hydra/codec/yaml.h"

#define WORD_LONGEST 5    /* of the words below */

/* Words that some reader of YAML takes for null, a boolean or a number, in any case. */
static bool means_something(const char *text)
{
    static const char *const words[] = { "null", "true", "false", "yes", "no", "on", "off", "y", "n", "inf", "nan" };
    if (strlen(text) > WORD_LONGEST)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(text, words[i]) == 0)
            return true;
    return false;
}

static bool letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Plain is what begins with a letter (so it is no number, instant, or sign of YAML) and goes on with characters that mean nothing
 * anywhere, in flow style and in keys too. Everything else is quoted: too many quotes cost a byte, too few cost the file. */
static bool plain_ok(const char *text)
{
    if (!letter(text[0]))
        return false;
    const char *at = text + 1;
    for (; *at != '\0'; at++) {
        bool ok = letter(*at) || (*at >= '0' && *at <= '9') || *at == '.' || *at == '_' || *at == '-' || *at == '/';
        if (!ok && !(*at == ' ' && at[1] != ' ' && at[1] != '\0'))
            return false;
    }
    return !means_something(text);
}

/* Length of a character at `s` that the library does not read as it stands, or reads as a line end, and its number. 0: none such. */
static size_t unreadable(const unsigned char *s, unsigned *ret_code)
{
    if (s[0] < 0x20 || s[0] == 0x7f) {
        *ret_code = s[0];
        return 1;
    }
    if (s[0] == 0xc2 && s[1] >= 0x80 && s[1] <= 0x9f) {                     /* U+0080 to U+009F */
        *ret_code = s[1];
        return 2;
    }
    bool line_end = s[0] == 0xe2 && s[1] == 0x80 && (s[2] == 0xa8 || s[2] == 0xa9);
    bool byte_order = s[0] == 0xef && s[1] == 0xbb && s[2] == 0xbf;
    bool no_character = s[0] == 0xef && s[1] == 0xbf && (s[2] == 0xbe || s[2] == 0xbf);
    if (!line_end && !byte_order && !no_character)
        return 0;
    *ret_code = (s[0] & 0x0fu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu);
    return 3;
}

static void escape(unsigned code, struct hc_buf *out)
{
    static const char digits[] = "0123456789abcdef";
    if (code == '\n' || code == '\t' || code == '\r') {
        hc_buf_char(out, '\\');
        hc_buf_char(out, code == '\n' ? 'n' : code == '\t' ? 't' : 'r');
        return;
    }
    const char text[6] = { '\\', 'u', digits[code >> 12 & 15], digits[code >> 8 & 15], digits[code >> 4 & 15], digits[code & 15] };
    hc_buf_add(out, text, sizeof text);
}

void yaml_write_scalar(const char *text, struct hc_buf *out)
{
    if (plain_ok(text)) {
        hc_buf_str(out, text);
        return;
    }
    hc_buf_char(out, '"');
    const char *copied = text;
    while (*text != '\0') {
        unsigned code = (unsigned char)*text;
        bool mark = code == '"' || code == '\\';
        size_t len = mark ? 1 : unreadable((const unsigned char *)text, &code);
        if (len == 0) {
            text++;
            continue;
        }
        hc_buf_add(out, copied, (size_t)(text - copied));
        if (mark) {
            hc_buf_char(out, '\\');
            hc_buf_char(out, *text);
        } else {
            escape(code, out);
        }
        text += len;
        copied = text;
    }
    hc_buf_add(out, copied, (size_t)(text - copied));
    hc_buf_char(out, '"');
}

void yaml_write_indent(unsigned indent, struct hc_buf *out)
{
    static const char spaces[] = "                                ";
    for (unsigned left = indent; left > 0;) {
        unsigned now = left < sizeof spaces - 1 ? left : (unsigned)sizeof spaces - 1;
        hc_buf_add(out, spaces, now);
        left -= now;
    }
}
