/* failing_libc.h - libc calls of the test program that fail on demand; the layer calls them by their libc names. */
#ifndef TESTS_UNIT_OS_FAILING_LIBC_H
#define TESTS_UNIT_OS_FAILING_LIBC_H

enum libc_call { LIBC_OPENAT, LIBC_WRITE, LIBC_FSYNC, LIBC_RENAMEAT, LIBC_CALLS };

/* The n-th call from now on fails once with `errnum` (1 = the next). */
void libc_fail(enum libc_call call, unsigned n, int errnum);
void libc_reset(void);
unsigned libc_count(enum libc_call call);          /* calls since libc_reset() */
void libc_write_at_most(unsigned long bytes);      /* short writes; 0: whole */

#endif
