/* append_file.h - a file of lines that only grows: open and cut a torn end, append whole batches, sync, rotate, read its end.
 *
 * Batches are made by the loop thread and written by the writer thread, which allocates nothing: a full memory loses no line. */
#ifndef FEED_APPEND_FILE_H
#define FEED_APPEND_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "hydra/base/buf.h"
#include "hydra/base/id.h"

#define LINE_BYTES_MAX ((size_t)16 * 1024)      /* longer than any line we write: a file without a line end in it is not ours */

struct line_ref { char id[HC_ID_SIZE]; size_t at, len; };        /* where the line of this lease stands in its batch */
struct line_batch {
    struct hc_buf text;                          /* whole lines */
    struct line_ref *refs; size_t ref_count, ref_size;
    int64_t offset;                              /* of the text in the file, and its `base`; set when written */
    struct line_batch *next;
};
void line_batches_free(struct line_batch *chain);

struct append_file {
    int dir_fd, fd;
    const char *name;
    int64_t base, end;                           /* base: what offsets of batches count from, the caller's */
    bool folder_unsynced;                        /* a name was made or moved, and the folder is not on disk yet */
    bool torn;                                   /* a write stopped in the middle of a line: the next one begins with a line end */
};
/* Creates it 0600 when absent, cuts what stands behind the last line end, syncs. HC_ERR_SYNTAX: no line end in the last LINE_BYTES_MAX. */
HC_MUST enum hc_err append_open(struct append_file *file, int dir_fd, const char *name, struct hc_diag *diag);
void append_close(struct append_file *file);
/* Writes all batches in order; with `sync` they are on disk afterwards. On failure the caller appends all of them again. */
HC_MUST enum hc_err append_lines(struct append_file *file, struct line_batch *chain, bool sync);
HC_MUST enum hc_err append_sync(struct append_file *file);
/* NAME becomes NAME.1, NAME.1 becomes NAME.2 ...; the oldest of `keep` goes. Then a new, empty file. */
HC_MUST enum hc_err append_rotate(struct append_file *file, unsigned keep);
/* NAME becomes `to`, and a new, empty file begins, with this `base`. HC_ERR_IO: `to` is there already, or the disk refuses; nothing was
 * moved. A new file that cannot be made yet is made with the next line. */
HC_MUST enum hc_err append_move(struct append_file *file, const char *to, int64_t base);
/* The last whole lines, at most `max` bytes of them: malloc'd, hc_free. A missing file has none. */
HC_MUST enum hc_err append_tail(int dir_fd, const char *name, size_t max, char **ret_text, size_t *ret_len, int64_t *ret_offset);
/* Whole lines that end at or before `upto`, at most `max` bytes. */
HC_MUST enum hc_err append_before(int fd, int64_t upto, size_t max, char **ret_text, size_t *ret_len, int64_t *ret_offset);

#endif
