#include "feed_fixture.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "hydra/os/file.h"

#define WAIT_TURNS 1000         /* of 10 ms */
#define FILE_MAX   ((size_t)64 * 1024 * 1024)

void fixture_make(struct feed_fixture *f)
{
    memset(f, 0, sizeof *f);
    f->segment_bytes = SESSIONS_SEGMENT_BYTES;
    f->keep_bytes = SESSIONS_KEEP_BYTES;
    HC_SET(f->dir, "/tmp/hydra-feed-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    f->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    assert_true(f->wake_fd >= 0);
}

void fixture_open(struct feed_fixture *f, uint64_t generation, size_t keep_events, size_t rotate_bytes)
{
    struct feed_config config = { f->dir, keep_events, generation, rotate_bytes, f->segment_bytes, f->keep_bytes };
    struct hc_diag diag = { "" };
    enum hc_err err = feed_open(&config, f->wake_fd, &f->feed, &diag);
    if (err != HC_OK)
        fail_msg("feed_open: %s", diag.text);
}

void fixture_close(struct feed_fixture *f)
{
    f->feed = feed_close(f->feed);
    assert_null(f->feed);
}

void fixture_path(const struct feed_fixture *f, const char *name, char out[128])
{
    (void)snprintf(out, 128, "%s/%s", f->dir, name);
}

void fixture_drop(struct feed_fixture *f)
{
    fixture_close(f);
    DIR *dir = opendir(f->dir);
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir))
        if (entry->d_name[0] != '.')
            assert_int_equal(unlinkat(dirfd(dir), entry->d_name, 0), 0);
    (void)closedir(dir);
    assert_int_equal(rmdir(f->dir), 0);
    (void)close(f->wake_fd);
}

char *fixture_read(const struct feed_fixture *f, const char *name, size_t *ret_len)
{
    HC_CLEANUP(os_close) int dir = open(f->dir, O_DIRECTORY | O_CLOEXEC);
    char *text = NULL;
    enum hc_err err = os_file_read(dir, name, FILE_MAX, &text, ret_len, NULL, NULL);
    if (err == HC_ERR_NOTFOUND) {
        *ret_len = 0;
        return hc_alloc(1);
    }
    assert_int_equal(err, HC_OK);
    return text;
}

void fixture_write(const struct feed_fixture *f, const char *name, const char *text)
{
    char path[128];
    fixture_path(f, name, path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static void await_wake(struct feed_fixture *f)
{
    struct pollfd fd = { .fd = f->wake_fd, .events = POLLIN };
    (void)poll(&fd, 1, 10);
    uint64_t count;
    if ((fd.revents & POLLIN) != 0)
        assert_int_equal(read(f->wake_fd, &count, sizeof count), sizeof count);
}

void fixture_await_synced(struct feed_fixture *f, size_t count)
{
    size_t seen = 0;
    for (unsigned turn = 0; turn < WAIT_TURNS && seen < count; turn++) {
        await_wake(f);
        struct hc_arena arena = { 0 };
        const char *const *ids;
        size_t got;
        assert_int_equal(feed_history_synced(f->feed, &arena, &ids, &got), HC_OK);
        seen += got;
        hc_arena_free(&arena);
    }
    assert_int_equal(seen, count);
}

void fixture_await_text(struct feed_fixture *f, const char *name, const char *text)
{
    bool there = false;
    for (unsigned turn = 0; turn < WAIT_TURNS && !there; turn++) {
        await_wake(f);
        size_t len;
        char *all = fixture_read(f, name, &len);
        there = strstr(all, text) != NULL;
        hc_free(all);
    }
    assert_true(there);
}

void fixture_await_health(struct feed_fixture *f, bool ok)
{
    for (unsigned turn = 0; turn < WAIT_TURNS && feed_history_ok(f->feed) != ok; turn++)
        await_wake(f);
    assert_int_equal(feed_history_ok(f->feed), ok);
}

struct core_note fixture_note(enum note_type type, const char *detail)
{
    struct core_note note = { .type = type, .at = { 1788522198042 }, .slot = -1, .waited_ms = -1, .eta_ms = -1 };
    HC_SET(note.district, "north");
    HC_SET(note.detail, detail);
    return note;
}

struct session_row fixture_row(const char *lease_id, const char *head_id, int64_t ended_ms)
{
    struct session_row row = { .slot = 1, .protocol = 2, .source = SOURCE_EXPLICIT, .mode = MODE_FLAT, .grant_epoch = 7,
                               .granted_at = { ended_ms - 60000 }, .ended_at = { ended_ms }, .state = LEASE_ENDED, .why = WHY_RELEASED };
    HC_SET(row.lease_id, lease_id);
    HC_SET(row.head_id, head_id);
    HC_SET(row.body_id, "body-1");
    HC_SET(row.stream_id, "str-1");
    HC_SET(row.head_venue, "sint-niklaas");
    HC_SET(row.body_venue, "rupelmonde");
    HC_SET(row.experience, "garden");
    return row;
}
