#include "segment_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hydra/base/arena.h"
#include "hydra/os/file.h"

#define PREFIX     "journal-"
#define SUFFIX     ".jsonl"
#define DIGITS     10
#define CREATE_TRIES_MAX 8

void segment_name(uint64_t number, char out[SEGMENT_NAME_SIZE])
{
    (void)snprintf(out, SEGMENT_NAME_SIZE, PREFIX "%0*" PRIu64 SUFFIX, DIGITS, number % UINT64_C(10000000000));
}

bool segment_number(const char *name, uint64_t *ret_number)
{
    uint64_t number = 0;
    if (strlen(name) != sizeof PREFIX - 1 + DIGITS + sizeof SUFFIX - 1 || memcmp(name, PREFIX, sizeof PREFIX - 1) != 0 ||
        strcmp(name + sizeof PREFIX - 1 + DIGITS, SUFFIX) != 0)
        return false;
    for (size_t i = 0; i < DIGITS; i++) {
        char c = name[sizeof PREFIX - 1 + i];
        if (c < '0' || c > '9')
            return false;
        number = number * 10 + (uint64_t)(c - '0');
    }
    *ret_number = number;
    return true;
}

static int by_number(const void *a, const void *b)
{
    const struct segment_entry *one = a, *other = b;
    return (one->number > other->number) - (one->number < other->number);
}

static int is_segment(const struct dirent *entry)
{
    uint64_t number;
    return segment_number(entry->d_name, &number);
}

enum hc_err segments_list(int dir_fd, struct segment_entry **ret, size_t *ret_count)
{
    struct dirent **names = NULL;
    int found = scandirat(dir_fd, ".", &names, is_segment, NULL);
    if (found < 0)
        return errno == ENOMEM ? HC_ERR_NOMEM : HC_ERR_IO;
    struct segment_entry *list = hc_alloc(((size_t)found + 1) * sizeof list[0]);
    size_t count = 0;
    for (int i = 0; i < found; i++) {
        struct stat st;
        if (list != NULL && segment_number(names[i]->d_name, &list[count].number) &&
            fstatat(dir_fd, names[i]->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
            list[count++].bytes = st.st_size;
        free(names[i]);
    }
    free(names);
    if (list == NULL)
        return HC_ERR_NOMEM;
    qsort(list, count, sizeof list[0], by_number);
    *ret = list;
    *ret_count = count;
    return HC_OK;
}

enum hc_err segments_prune(int dir_fd, uint64_t keep, uint64_t coming)
{
    struct segment_entry *list;
    size_t count;
    uint64_t total = coming;
    enum hc_err err = segments_list(dir_fd, &list, &count);
    if (err != HC_OK)
        return err;
    for (size_t i = 0; i < count; i++)
        total += (uint64_t)list[i].bytes;
    for (size_t i = 0; i + 1 < count && total > keep; i++) {
        char name[SEGMENT_NAME_SIZE];
        segment_name(list[i].number, name);
        if (os_file_remove(dir_fd, name, NULL) != HC_OK)
            err = HC_ERR_IO;
        total -= (uint64_t)list[i].bytes;
    }
    hc_free(list);
    return err;
}

enum hc_err segment_create(int dir_fd, int *ret_fd, uint64_t *ret_number)
{
    struct segment_entry *list;
    size_t count;
    enum hc_err err = segments_list(dir_fd, &list, &count);
    if (err != HC_OK)
        return err;
    uint64_t number = count == 0 ? 1 : list[count - 1].number + 1;
    hc_free(list);
    for (unsigned i = 0; i < CREATE_TRIES_MAX; i++, number++) {
        char name[SEGMENT_NAME_SIZE];
        segment_name(number, name);
        int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd >= 0) {
            *ret_fd = fd;
            *ret_number = number;
            return HC_OK;
        }
        if (errno != EEXIST)
            break;
    }
    return HC_ERR_IO;
}
