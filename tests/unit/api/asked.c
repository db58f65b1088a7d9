#include "asked.h"

#include <stdio.h>
#include <string.h>

#define PATHS 8

const char *asked_path(const char *format, ...)
{
    static char paths[PATHS][ASKED_PATH_SIZE];
    static size_t next;
    char *path = paths[next++ % PATHS];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(path, ASKED_PATH_SIZE, format, args);
    va_end(args);
    assert_true(len > 0 && len < ASKED_PATH_SIZE);
    return path;
}

static void fill(const char *from, const char *head_id, const char *body_id, char out[ASKED_PATH_SIZE])
{
    size_t len = 0;
    while (*from != '\0') {
        const char *piece = strncmp(from, "{h}", 3) == 0 ? head_id : strncmp(from, "{b}", 3) == 0 ? body_id : NULL;
        size_t piece_len = piece == NULL ? 1 : strlen(piece);
        assert_true(len + piece_len < ASKED_PATH_SIZE);
        memcpy(out + len, piece == NULL ? from : piece, piece_len);
        len += piece_len;
        from += piece == NULL ? 1 : 3;
    }
    out[len] = '\0';
}

void asked_all(struct rig *r, const struct asked *rows, size_t count, const char *head_id, const char *body_id)
{
    for (size_t i = 0; i < count; i++) {
        char path[ASKED_PATH_SIZE];
        fill(rows[i].path, head_id, body_id, path);
        rig_expect(r, rows[i].method, path, rows[i].token, rows[i].body, rows[i].status, rows[i].error, rows[i].field);
    }
}
