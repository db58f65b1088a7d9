#include "session_parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hydra/os/file.h"

void part_name(uint32_t part, char out[PART_NAME_SIZE])
{
    (void)snprintf(out, PART_NAME_SIZE, SESSIONS_NAME ".%u", (unsigned)part);
}

/* 0: not a name that we give. */
static uint32_t number_in(const char *name)
{
    uint32_t number = 0;
    if (strncmp(name, SESSIONS_NAME ".", sizeof SESSIONS_NAME) != 0)
        return 0;
    for (const char *c = name + sizeof SESSIONS_NAME; *c != '\0'; c++) {
        if (*c < '0' || *c > '9' || (number == 0 && *c == '0'))
            return 0;
        number = number * 10 + (uint32_t)(*c - '0');
        if (number > PART_MAX)
            return 0;
    }
    return number;
}

int64_t part_bytes(int dir_fd, uint32_t part)
{
    char name[PART_NAME_SIZE];
    struct stat st;
    part_name(part, name);
    return part > 0 && fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) ? (int64_t)st.st_size : -1;
}

static int is_part(const struct dirent *entry)
{
    return number_in(entry->d_name) > 0;
}

enum hc_err parts_find(struct session_parts *parts, int dir_fd)
{
    struct dirent **names = NULL;
    uint32_t oldest = 0, newest = 0;
    int found = scandirat(dir_fd, ".", &names, is_part, NULL);
    if (found < 0)
        return errno == ENOMEM ? HC_ERR_NOMEM : HC_ERR_IO;
    for (int i = 0; i < found; i++) {
        uint32_t number = number_in(names[i]->d_name);
        oldest = oldest == 0 || number < oldest ? number : oldest;
        newest = number > newest ? number : newest;
        free(names[i]);
    }
    free(names);
    parts->live = newest + 1;
    parts->oldest = oldest == 0 ? parts->live : oldest;
    return HC_OK;
}

int part_open(int dir_fd, uint32_t part, uint32_t live_at_least)
{
    char name[PART_NAME_SIZE];
    part_name(part, name);
    int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0 || part < live_at_least)
        return fd;
    /* It had no number yet, or got one between the two calls: then SESSIONS_NAME is the part after it. */
    int live = openat(dir_fd, SESSIONS_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return live;
    os_close(&live);
    return fd;
}

/* The newest of the numbered parts stays in any case: a file that grew before there was a bound is not thrown away at once. */
static enum hc_err prune(struct session_parts *parts, int dir_fd)
{
    uint64_t total = parts->segment_bytes;        /* what the new file will grow to */
    for (uint32_t part = parts->oldest; part < parts->live; part++) {
        int64_t bytes = part_bytes(dir_fd, part);
        total += bytes > 0 ? (uint64_t)bytes : 0;
    }
    for (; parts->oldest + 1 < parts->live && total > parts->keep_bytes; parts->oldest++) {
        char name[PART_NAME_SIZE];
        int64_t bytes = part_bytes(dir_fd, parts->oldest);
        part_name(parts->oldest, name);
        if (bytes >= 0 && os_file_remove(dir_fd, name, NULL) != HC_OK)
            return HC_ERR_IO;
        total -= bytes > 0 ? (uint64_t)bytes : 0;
    }
    return HC_OK;
}

enum hc_err parts_turn(struct session_parts *parts, struct append_file *file)
{
    char name[PART_NAME_SIZE];
    if (file->end < (int64_t)parts->segment_bytes || parts->live >= PART_MAX)
        return HC_OK;
    part_name(parts->live, name);
    enum hc_err err = append_move(file, name, part_place(parts->live + 1, 0));
    if (err != HC_OK)
        return err;
    parts->live++;
    return prune(parts, file->dir_fd);
}
