/* attempts.h - wrong logins by address: the first few cost nothing, then each makes the next one wait longer. Pure: no clock, no I/O.
 *
 * Nobody is locked out: an address that waits gets its turn again, others do not wait for it. */
#ifndef WEB_ATTEMPTS_H
#define WEB_ATTEMPTS_H

#include <stdint.h>

#define ATTEMPTS_FREE         10u                 /* wrong tokens before an address must wait */
#define ATTEMPTS_WAIT_MS      INT64_C(5000)       /* after the last of these; doubled by each further one */
#define ATTEMPTS_WAIT_MAX_MS  INT64_C(60000)
#define ATTEMPTS_MEMORY_MS    INT64_C(900000)     /* an address that was quiet as long starts anew */
#define ATTEMPTS_ADDRESSES    512                 /* remembered at a time: the one longest quiet gives way */
#define ATTEMPTS_ADDRESS_SIZE 64                  /* with its NUL; longer is cut: it only shares its fate with its like */

struct attempts_row { char address[ATTEMPTS_ADDRESS_SIZE]; unsigned wrong; int64_t last_ms, free_ms; };
struct attempts { struct attempts_row rows[ATTEMPTS_ADDRESSES]; };      /* all zero: nobody has failed */

/* How long the address must wait before it may try again; 0: it may. */
int64_t attempts_wait_ms(const struct attempts *attempts, const char *address, int64_t now_ms);
void attempts_wrong(struct attempts *attempts, const char *address, int64_t now_ms);
void attempts_right(struct attempts *attempts, const char *address);

#endif
