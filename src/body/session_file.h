/* session_file.h - what an agent must know after it was killed, in sessions.json: the open launches, and whom it has shut out at the gates
 * (rules §13.5). Without the first a stream that lives has no lease id, without the second a door stays locked.
 *
 * Launches are dropped when the machine has booted since: nothing of them can run. */
#ifndef BODY_SESSION_FILE_H
#define BODY_SESSION_FILE_H

#include "hydra/base/arena.h"
#include "hydra/base/buf.h"

#include "sessions.h"

#define SESSION_FILE      "sessions.json"
#define SESSION_FILE_MAX  ((size_t)2 * 1024 * 1024)

struct session_saved {
    uint32_t slot;
    bool has_launch; struct session_launch launch;
    struct codec_list shut;             /* const char *: uuids; those that are no ids are left out of the file */
};
/* Writes what differs from the text saved last (`last`, kept by the caller, empty at first); equal: no write. HC_ERR_IO with diag: try
 * again later, nothing depends on it but a restart. HC_ERR_NOMEM. */
HC_MUST enum hc_err session_file_save(int dir_fd, const char *boot_id, const struct session_saved *slots, size_t count, struct hc_buf *last,
                                      struct hc_diag *diag);
/* Texts are the arena's. No file: none. A garbled one: none either, HC_OK, and diag says so. HC_ERR_IO, HC_ERR_NOMEM. */
HC_MUST enum hc_err session_file_load(int dir_fd, const char *boot_id, struct hc_arena *arena, struct session_saved **ret_slots,
                                      size_t *ret_count, struct hc_diag *diag);

#endif
