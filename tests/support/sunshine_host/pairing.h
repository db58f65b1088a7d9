/* pairing.h - the table of pending handshakes and the five steps. */
#ifndef PAIRING_H
#define PAIRING_H

#include "host.h"

/* GET /pair on either port; not locked. */
void pairing_request(struct host *host, const struct request *request, struct answer *answer);
/* The PIN for some pending handshake; nobody can say for which. False: nothing pending, not 4 digits, or no open request. Not locked. */
bool pairing_pin(struct host *host, const char *pin, const char *name);
unsigned pairing_pending(const struct host *host);      /* locked */

#endif
