#include "answer_rows.h"

#include "hydra/core/records.h"

void json_mask(uint32_t mask, const struct hc_words *words, struct hc_buf *out)
{
    bool first = true;
    hc_buf_char(out, '[');
    for (size_t i = 0; i < words->count && mask >> i != 0; i++) {
        if ((mask >> i & 1) == 0)
            continue;
        if (!first)
            hc_buf_char(out, ',');
        first = false;
        hc_buf_json_str(out, words->words[i]);
    }
    hc_buf_char(out, ']');
}

static void member(const char *key, struct hc_buf *out)
{
    hc_buf_add(out, ",\"", 2);
    hc_buf_str(out, key);
    hc_buf_add(out, "\":", 2);
}

void member_mask(const char *key, uint32_t mask, const struct hc_words *words, struct hc_buf *out)
{
    member(key, out);
    json_mask(mask, words, out);
}

void member_u64(const char *key, bool known, uint64_t value, struct hc_buf *out)
{
    member(key, out);
    if (known)
        hc_buf_u64(out, value);
    else
        hc_buf_str(out, "null");
}

void member_text(const char *key, const char *text, struct hc_buf *out)
{
    member(key, out);
    hc_buf_json_str(out, text == NULL || text[0] == '\0' ? NULL : text);
}

void member_bool(const char *key, bool value, struct hc_buf *out)
{
    member(key, out);
    hc_buf_str(out, value ? "true" : "false");
}

struct codec_list strings_list(const struct strings *strings)
{
    if (strings == NULL || strings->count == 0)
        return (struct codec_list){ NULL, 0 };
    return (struct codec_list){ (void *)(uintptr_t)strings->at, strings->count };      /* writing only reads it */
}

void member_instant(const char *key, hc_time at, struct hc_buf *out)
{
    char text[HC_TIME_TEXT_SIZE];
    hc_time_format(at, text);
    member_text(key, hc_time_set(at) ? text : NULL, out);
}
