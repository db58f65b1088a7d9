/* stranger.h - a device that a host has in its list and that has no lease: it asks for whatever it likes, with code that no product has. */
#ifndef STRANGER_H
#define STRANGER_H

#include "sunshine.h"

#define STRANGER_NO_ROOT (-1000L)

struct stranger { char cert[HOME_PATH_SIZE], key[HOME_PATH_SIZE]; };
void stranger_make(struct stranger *stranger, const struct home *home);        /* a key of its own, in the home */
void stranger_is_paired(const struct stranger *stranger, const struct sunshine *host);      /* as "stranger" */
/* GET over 47984 with its certificate. The status_code of the root; `element` (may be NULL): the number in the first <NAME> of the
 * answer, STRANGER_NO_ROOT when there is none. */
long stranger_asks(const struct stranger *stranger, const struct sunshine *host, const char *target, const char *element, long *ret_number);

#endif
