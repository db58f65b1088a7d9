/* segment_file.h - the files of a journal's folder: names, the one being written, which of the old ones go. */
#ifndef JOURNAL_SEGMENT_FILE_H
#define JOURNAL_SEGMENT_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

#include "hydra/base/err.h"

#define SEGMENT_NAME_SIZE 32

void segment_name(uint64_t number, char out[SEGMENT_NAME_SIZE]);
bool segment_number(const char *name, uint64_t *ret_number);            /* false: not a segment's name */
struct segment_entry { uint64_t number; int64_t bytes; };
/* The folder's segments in order of their numbers, in the heap. */
HC_MUST enum hc_err segments_list(int dir_fd, struct segment_entry **ret, size_t *ret_count);
/* Removes the oldest until the others and `coming` bytes are not above `keep`; the newest stays: numbers go on from it. */
HC_MUST enum hc_err segments_prune(int dir_fd, uint64_t keep, uint64_t coming);
/* A new file behind the newest, 0600. */
HC_MUST enum hc_err segment_create(int dir_fd, int *ret_fd, uint64_t *ret_number);

#endif
