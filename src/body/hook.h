/* hook.h - `hydrabody hook started|ended`: what Sunshine calls before an application starts and when it is over (wire §6).
 *
 * It asks the agent on loopback. Not 0 only when the agent says in so many words that this launch is not admitted: an agent that is dead,
 * stopped, slow or odd never costs a visitor the launch (seed I11). So it gives up after HOOK_PATIENCE_MS. */
#ifndef BODY_HOOK_H
#define BODY_HOOK_H

#include "options.h"

#define HOOK_PATIENCE_MS 3000       /* Sunshine serves nobody meanwhile */

enum hook_exit { HOOK_GO_ON = 0, HOOK_NOT_ADMITTED = 1 };

/* Slot and port: the options', else HYDRABODY_SLOT and HYDRABODY_PORT, else 0 and 47991. Says on stderr what it does; never fails. */
enum hook_exit hook_run(const struct options *options);

#endif
