/* feed_fixture.h - a feed on a folder of its own, and bounded waits for its writer thread. */
#ifndef FEED_FIXTURE_H
#define FEED_FIXTURE_H

#include "hydra/feed/feed.h"

/* The bounds of sessions.jsonl are the usual ones until a test sets others before it opens. */
struct feed_fixture { char dir[64]; int wake_fd; struct feed *feed; uint64_t segment_bytes, keep_bytes; };
void fixture_make(struct feed_fixture *f);                 /* the folder and the eventfd; no feed yet */
void fixture_open(struct feed_fixture *f, uint64_t generation, size_t keep_events, size_t rotate_bytes);
void fixture_close(struct feed_fixture *f);
void fixture_drop(struct feed_fixture *f);                 /* closes, removes the folder */
void fixture_path(const struct feed_fixture *f, const char *name, char out[128]);
/* The file's text (hc_free), "" when it is missing. */
char *fixture_read(const struct feed_fixture *f, const char *name, size_t *ret_len);
void fixture_write(const struct feed_fixture *f, const char *name, const char *text);
/* Waits until `count` ids were synced since the call; fails the test after 10 s. */
void fixture_await_synced(struct feed_fixture *f, size_t count);
void fixture_await_text(struct feed_fixture *f, const char *name, const char *text);     /* until the file has it; as long */
void fixture_await_health(struct feed_fixture *f, bool ok);
struct core_note fixture_note(enum note_type type, const char *detail);
struct session_row fixture_row(const char *lease_id, const char *head_id, int64_t ended_ms);

#endif
