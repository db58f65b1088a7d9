#include "place.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "hydra/base/id.h"

#define UTF8_BYTES_MAX 4

void place_cut_utf8(char *text)
{
    size_t len = strlen(text);
    size_t start = len;
    for (size_t back = 1; back <= UTF8_BYTES_MAX && back <= len; back++) {
        unsigned char c = (unsigned char)text[len - back];
        if ((c & 0xc0) == 0x80)
            continue;
        start = len - back;
        break;
    }
    if (!hc_utf8_ok(text + start, len - start))
        text[start] = '\0';
}

void place_text(const struct place *place, char *out, size_t size)
{
    const struct place *chain[PLACE_DEPTH_MAX];
    size_t depth = 0;
    for (; place != NULL; place = place->up) {
        assert(depth < PLACE_DEPTH_MAX);
        chain[depth++] = place;
    }
    size_t len = 0;
    out[0] = '\0';
    for (size_t i = depth; i > 0 && len < size; i--) {
        const struct place *at = chain[i - 1];
        int put = at->index == PLACE_NO_INDEX
                      ? snprintf(out + len, size - len, "%s%s", len == 0 ? "" : ".", at->key)
                      : snprintf(out + len, size - len, "%s%s[%zu]", len == 0 ? "" : ".", at->key, at->index);
        len += put > 0 ? (size_t)put : 0;
    }
    place_cut_utf8(out);
}
