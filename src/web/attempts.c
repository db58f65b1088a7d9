#include "attempts.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int find(const struct attempts *attempts, const char *address)
{
    for (int i = 0; i < ATTEMPTS_ADDRESSES; i++)
        if (attempts->rows[i].wrong > 0 && strncmp(attempts->rows[i].address, address, ATTEMPTS_ADDRESS_SIZE - 1) == 0)
            return i;
    return -1;
}

int64_t attempts_wait_ms(const struct attempts *attempts, const char *address, int64_t now_ms)
{
    int i = find(attempts, address);
    return i < 0 || attempts->rows[i].free_ms <= now_ms ? 0 : attempts->rows[i].free_ms - now_ms;
}

static struct attempts_row *row_for(struct attempts *attempts, const char *address)
{
    int found = find(attempts, address);
    if (found >= 0)
        return &attempts->rows[found];
    struct attempts_row *oldest = &attempts->rows[0];
    for (size_t i = 0; i < ATTEMPTS_ADDRESSES; i++) {
        struct attempts_row *row = &attempts->rows[i];
        if (row->wrong == 0) {
            oldest = row;
            break;
        }
        if (row->last_ms < oldest->last_ms)
            oldest = row;
    }
    *oldest = (struct attempts_row){ .wrong = 0 };
    (void)snprintf(oldest->address, sizeof oldest->address, "%.*s", ATTEMPTS_ADDRESS_SIZE - 1, address);
    return oldest;
}

void attempts_wrong(struct attempts *attempts, const char *address, int64_t now_ms)
{
    struct attempts_row *row = row_for(attempts, address);
    if (row->wrong > 0 && now_ms - row->last_ms > ATTEMPTS_MEMORY_MS)
        row->wrong = 0;
    row->wrong++;
    row->last_ms = now_ms;
    row->free_ms = 0;
    int64_t wait_ms = ATTEMPTS_WAIT_MS;
    for (unsigned n = ATTEMPTS_FREE; n < row->wrong && wait_ms < ATTEMPTS_WAIT_MAX_MS; n++)
        wait_ms *= 2;
    if (row->wrong >= ATTEMPTS_FREE)
        row->free_ms = now_ms + (wait_ms < ATTEMPTS_WAIT_MAX_MS ? wait_ms : ATTEMPTS_WAIT_MAX_MS);
}

void attempts_right(struct attempts *attempts, const char *address)
{
    int i = find(attempts, address);
    if (i >= 0)
        attempts->rows[i] = (struct attempts_row){ .wrong = 0 };
}
