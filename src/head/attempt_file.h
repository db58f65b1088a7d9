/* attempt_file.h - what a head must know after a crash: attempt id, lease and claim token, stored (0600) before they are used (rules
 * §13.9). Without them its next claim would be "busy" until its own lease has run out. */
#ifndef HEAD_ATTEMPT_FILE_H
#define HEAD_ATTEMPT_FILE_H

#include "head_decide.h"

#define ATTEMPT_FILE "attempt.json"

/* Stores what `head` has of these, or removes the file when it has neither attempt nor lease. */
HC_MUST enum hc_err attempt_save(int dir_fd, const struct head_state *head, struct hc_diag *diag);
/* Into `head` (head_restore()). No file, or a garbled one: HC_OK and nothing restored; diag says what was garbled. HC_ERR_IO. */
HC_MUST enum hc_err attempt_load(int dir_fd, struct head_state *head, struct hc_diag *diag);

#endif
