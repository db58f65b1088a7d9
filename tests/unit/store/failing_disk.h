/* failing_disk.h - the n-th write, sync or rename from now on fails, as a disk would let it; linked into every test of the store. */
#ifndef TESTS_UNIT_STORE_FAILING_DISK_H
#define TESTS_UNIT_STORE_FAILING_DISK_H

enum disk_call { DISK_CREATE, DISK_WRITE, DISK_SYNC_FILE, DISK_RENAME, DISK_SYNC_FOLDER, DISK_CALLS };

void disk_fail(enum disk_call call, unsigned n, int errnum);    /* 1: the next */
void disk_heal(void);
unsigned disk_count(enum disk_call call);                       /* calls since disk_heal() */
void disk_after_rename(void (*then)(void *), void *ctx);        /* once, right behind the next rename */

#endif
