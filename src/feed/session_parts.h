/* session_parts.h - sessions.jsonl in parts: the file itself, and before it sessions.jsonl.1, .2, .3 ..., the oldest first.
 *
 * A part keeps its number for good, and a place in the history is one int64_t of the part's number and the offset in it: places of older
 * parts are smaller, and a cursor that names one stays right when the next part begins. sessions.jsonl has the number that it will get. */
#ifndef FEED_SESSION_PARTS_H
#define FEED_SESSION_PARTS_H

#include "append_file.h"

#define SESSIONS_NAME  "sessions.jsonl"
#define PART_NAME_SIZE 32
#define PART_MAX       999999U                    /* a date behind the name is somebody's own copy */
#define PART_SPAN      ((int64_t)1 << 40)         /* above any file's length: the configuration has a limit */

static inline int64_t part_place(uint32_t part, int64_t offset) { return (int64_t)part * PART_SPAN + offset; }
static inline uint32_t part_of(int64_t place) { return (uint32_t)(place / PART_SPAN); }
static inline int64_t part_offset(int64_t place) { return place % PART_SPAN; }

/* oldest..live-1 have their numbers in their names; live is sessions.jsonl. Some between may be missing: somebody took them away. */
struct session_parts { uint32_t oldest, live; uint64_t segment_bytes, keep_bytes; };

void part_name(uint32_t part, char out[PART_NAME_SIZE]);
/* Length of a numbered part; negative: there is none. */
int64_t part_bytes(int dir_fd, uint32_t part);
/* Sets oldest and live after what is in the folder. HC_ERR_IO, HC_ERR_NOMEM. */
HC_MUST enum hc_err parts_find(struct session_parts *parts, int dir_fd);
/* Opens a part to read it; -1: there is none. `live_at_least`: the number that sessions.jsonl has or had; the writer may be moving it. */
int part_open(int dir_fd, uint32_t part, uint32_t live_at_least);
/* When `file` (sessions.jsonl, synced) is full: it gets its number, a new one begins, and the oldest parts go while all together are above
 * keep_bytes. HC_ERR_IO: something of it failed and is left as it is, to be tried again with the next line. Each step alone leaves a folder
 * that parts_find() understands. */
HC_MUST enum hc_err parts_turn(struct session_parts *parts, struct append_file *file);

#endif
