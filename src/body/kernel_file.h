/* kernel_file.h - a short text that the kernel makes when it is read: under /proc and /sys no size and no time of a file says anything. */
#ifndef BODY_KERNEL_FILE_H
#define BODY_KERNEL_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Its first line without the line end, NUL-terminated. False: it cannot be read, or is longer than size - 1 bytes. */
bool kernel_file_line(const char *path, char *out, size_t size);

#endif
