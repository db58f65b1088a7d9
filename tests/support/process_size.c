#include "process_size.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#define PATH_SIZE 64

struct process_size process_size_of(pid_t pid)
{
    struct process_size size = { 0 };
    char path[PATH_SIZE], line[256];
    (void)snprintf(path, sizeof path, "/proc/%ld/fd", (long)pid);
    DIR *dir = opendir(path);
    assert_non_null(dir);
    /* cppcheck-suppress readdirCalled */
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;)
        size.descriptors += entry->d_name[0] != '.';
    (void)closedir(dir);
    (void)snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    FILE *status = fopen(path, "re");
    assert_non_null(status);
    while (fgets(line, sizeof line, status) != NULL)
        (void)sscanf(line, "VmRSS: %zu kB", &size.resident_kib);
    (void)fclose(status);
    assert_true(size.resident_kib > 0);
    return size;
}
