#include "tar.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define BLOCK 512

/* The fields of a header block that are read. */
enum { NAME_AT = 0, NAME_LEN = 100, SIZE_AT = 124, SIZE_LEN = 12, SUM_AT = 148, SUM_LEN = 8, TYPE_AT = 156, MAGIC_AT = 257,
       PREFIX_AT = 345 };

/* Octal digits, a blank or NUL behind them. */
static bool octal(const char *field, size_t len, uint64_t *ret)
{
    uint64_t value = 0;
    size_t i = 0;
    for (; i < len && field[i] >= '0' && field[i] <= '7'; i++)
        value = value * 8 + (uint64_t)(field[i] - '0');
    *ret = value;
    return i > 0 && i < len && (field[i] == ' ' || field[i] == '\0');
}

/* The sum of all bytes, with blanks where it stands itself. */
static bool sum_fits(const char *block)
{
    uint64_t told = 0, sum = 0;
    for (size_t i = 0; i < BLOCK; i++)
        sum += i >= SUM_AT && i < SUM_AT + SUM_LEN ? ' ' : (unsigned char)block[i];
    return octal(block + SUM_AT, SUM_LEN, &told) && told == sum;
}

static bool is_empty(const char *block)
{
    for (size_t i = 0; i < BLOCK; i++)
        if (block[i] != '\0')
            return false;
    return true;
}

enum hc_err tar_read(const char *bytes, size_t len, struct tar_file ret_files[TAR_FILES_MAX], size_t *ret_count, struct hc_diag *diag)
{
    size_t count = 0, at = 0;
    for (; at + BLOCK <= len && !is_empty(bytes + at); count++) {
        const char *head = bytes + at;
        uint64_t size = 0;
        if (memcmp(head + MAGIC_AT, "ustar", 5) != 0 || !sum_fits(head) || !octal(head + SIZE_AT, SIZE_LEN, &size))
            return hc_fail(diag, HC_ERR_SYNTAX, "at byte %zu there is no file of a backup", at);
        if (head[TYPE_AT] != '0' || memchr(head + NAME_AT, '\0', NAME_LEN) == NULL || head[PREFIX_AT] != '\0' || count == TAR_FILES_MAX)
            return hc_fail(diag, HC_ERR_SYNTAX, "at byte %zu there is something that no backup has", at);
        at += BLOCK;
        if (size > len - at)
            return hc_fail(diag, HC_ERR_SYNTAX, "%s is cut off", head + NAME_AT);
        ret_files[count] = (struct tar_file){ head + NAME_AT, bytes + at, (size_t)size };
        for (size_t i = 0; i < count; i++)
            if (strcmp(ret_files[i].name, head + NAME_AT) == 0)
                return hc_fail(diag, HC_ERR_SYNTAX, "%s is there twice", head + NAME_AT);
        at += (size_t)(size + BLOCK - 1) / BLOCK * BLOCK;
    }
    if (at + BLOCK > len)
        return hc_fail(diag, HC_ERR_SYNTAX, "the archive is cut off: its end is missing");
    *ret_count = count;
    return HC_OK;
}
