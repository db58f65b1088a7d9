#include "recorded.h"

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../../src/journal/segment_file.h"
#include "hydra/os/file.h"

#define START_MS 1796000000000

static void give_back(void *ctx, struct alloc *saved, struct observed *obs)
{
    /* On the journal's thread. The versions are shared with the test's own thread: they are given back when that one has ended. */
    struct recorded *r = ctx;
    (void)saved;
    (void)obs;
    __atomic_add_fetch(&r->released, 1, __ATOMIC_SEQ_CST);
}

/* A copy of the state through deep references of its own is not needed: a test has one segment at a time under way, and waits. */
static void begin_segment(struct recorded *r)
{
    struct alloc *saved;
    struct observed *obs;
    size_t before = __atomic_load_n(&r->released, __ATOMIC_SEQ_CST);
    assert_int_equal(alloc_snapshot(r->alloc, &saved), HC_OK);
    assert_int_equal(observed_snapshot(r->obs, &obs), HC_OK);
    journal_segment(r->journal, r->now, saved, obs, give_back, r);
    for (int i = 0; i < 2000 && __atomic_load_n(&r->released, __ATOMIC_SEQ_CST) == before; i++)
        (void)poll(NULL, 0, 5);
    assert_int_not_equal(__atomic_load_n(&r->released, __ATOMIC_SEQ_CST), before);
    alloc_free(saved);
    observed_free(obs);
}

struct core_result *recorded_step(struct recorded *r, struct core_event *ev)
{
    struct journal_change changes[RECORDED_CHANGES];
    const struct rec_change *changed;
    core_result_free(&r->last);
    r->events++;
    ev->now = r->now;
    ev->store_ok = true;
    memset(ev->seed, 0, sizeof ev->seed);
    memcpy(ev->seed, &r->events, sizeof r->events);
    if (journal_wants_segment(r->journal))
        begin_segment(r);
    struct journal_step step = { .ev = ev, .generation = r->alloc->generation, .store_down_since = r->obs->store_down_since,
                                 .result = &r->last, .changes = changes };
    assert_int_equal(core_step(r->alloc, r->obs, ev, &r->last), HC_OK);
    step.notes = journal_notes_of(r->last.notes, r->last.note_count);
    step.change_count = alloc_last_step(r->alloc, &changed);
    assert_true(step.change_count <= RECORDED_CHANGES);
    for (size_t i = 0; i < step.change_count; i++) {
        changes[i].kind = changed[i].kind;
        changes[i].version = alloc_get(r->alloc, changed[i].kind, changed[i].key);
        HC_SET(changes[i].key, changed[i].key);
    }
    journal_event(r->journal, &step);
    alloc_clear_dirty(r->alloc);
    r->alloc->generation++;               /* as after a save */
    return &r->last;
}

void recorded_open(struct recorded *r, size_t segment_bytes, size_t keep_bytes)
{
    *r = (struct recorded){ .dir = "/tmp/hydra-journal-XXXXXX", .now = { START_MS } };
    assert_non_null(mkdtemp(r->dir));
    (void)snprintf(r->journal_dir, sizeof r->journal_dir, "%s/%s", r->dir, JOURNAL_FOLDER);
    timers_default(&r->core.timers);
    r->core.queue_max_tickets = QUEUE_TICKETS_DEFAULT;
    HC_SET(r->core.default_district, "d1");
    memset(r->core.secret, 42, sizeof r->core.secret);
    struct hc_diag diag = { "" };
    const struct journal_config config = { .data_dir = r->dir, .secret = r->core.secret, .segment_bytes = segment_bytes,
                                           .keep_bytes = keep_bytes, .version = "test" };
    if (journal_open(&config, &r->journal, &diag) != HC_OK)
        fail_msg("%s", diag.text);
    assert_int_equal(alloc_new(&r->core, &r->alloc), HC_OK);
    assert_int_equal(observed_new(&r->obs), HC_OK);
    r->alloc->generation = 7;
    struct core_event ev = { .type = CORE_START };
    (void)recorded_step(r, &ev);
}

void recorded_stop(struct recorded *r)
{
    if (r->journal == NULL)
        return;
    assert_true(journal_stop(r->journal, 10000));
    journal_close(r->journal);
    r->journal = NULL;
    core_result_free(&r->last);
    alloc_free(r->alloc);
    observed_free(r->obs);
}

void recorded_close(struct recorded *r)
{
    uint64_t first, bytes;
    recorded_stop(r);
    size_t count = segment_count(r, &first, &bytes);
    for (uint64_t i = first; i < first + count; i++) {
        char path[160];
        segment_path(r, i, path, sizeof path);
        (void)unlink(path);
    }
    (void)rmdir(r->journal_dir);
    assert_int_equal(rmdir(r->dir), 0);
}

static void enrol(struct recorded *r, const char *name, const char *kind, uint32_t roles, char ret_id[HC_ID_SIZE])
{
    struct core_event ev = { .type = CORE_NODE_ENROL, .caller = { .kind = CALLER_FLEET } };
    ev.u.enrol = (struct enrol_req){ .name = name, .kind = kind, .district = "d1", .venue = "north", .owner = "acme", .machine_id = "",
                                     .ip = "10.0.0.1", .wireguard_ip = "", .token_hash = "sha256-of-a-node-token", .roles = roles };
    HC_SET(r->head[0], recorded_step(r, &ev)->id);
    hc_copy(ret_id, HC_ID_SIZE, r->last.id);
    assert_int_not_equal(ret_id[0], '\0');
}

static void report(struct recorded *r)
{
    static const char *const experiences[] = { "rupelmonde" };
    const struct body_rec *body = alloc_body(r->alloc, r->body);
    struct session_obs row = { .state = SESSION_IDLE, .since_ms = -1, .has_applied_epoch = true, .applied_epoch = body->slots[0].epoch,
                               .ports = { 47989, 47984, 47990 } };
    struct core_event ev = { .type = CORE_BODY_REPORT, .caller = { .kind = CALLER_NODE } };
    HC_SET(ev.caller.node_id, r->body);
    ev.u.report = (struct report_req){
        .body_id = r->body, .modern = true, .boot_id = "boot-1", .report_seq = r->events, .uptime_ms = 3600000,
        .stream_status = STATUS_IDLE, .xr_state = "", .has_experiences = true, .experiences = experiences, .experience_count = 1,
        .gpu = "RTX 4090", .provider_status = "ok",
        .provider_version = "1", .hydrabody_version = "1.0", .gpu_memory_total_mb = 24576, .ports = { 47989, 47984, 47990 },
        .sessions = &row, .session_count = 1, .sunshine_cert_fp = "", .paired_digest = "",
    };
    (void)recorded_step(r, &ev);
}

void recorded_fleet(struct recorded *r)
{
    char heads[3][HC_ID_SIZE];
    enrol(r, "body", "hydrabody", ROLE_BODY, r->body);
    for (int i = 0; i < 3; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "head-%d", i);
        enrol(r, name, "hydraheadflatscreen", ROLE_HEAD, heads[i]);
    }
    memcpy(r->head, heads, sizeof heads);
    for (int i = 0; i < 3; i++) {
        r->now.ms += 5000;
        report(r);
    }
}

static void claim(struct recorded *r)
{
    char attempt[32];
    r->head_at = (r->head_at + 1) % 3;
    (void)snprintf(attempt, sizeof attempt, "a-%u", ++r->attempt);
    struct core_event ev = { .type = CORE_CLAIM, .caller = { .kind = CALLER_ADMIN } };
    ev.u.claim = (struct claim_req){ .head_id = r->head[r->head_at], .attempt_id = attempt, .experience = "rupelmonde", .stream_mode = "",
                                     .device_uid = "", .prefer_body_id = "", .claim_token = "", .stream_id = "", .content_digest = attempt,
                                     .protocol_version = 2 };
    const struct core_result *got = recorded_step(r, &ev);
    if (got->answer != ANSWER_LEASE_NEW && got->answer != ANSWER_LEASE_SAME)
        return;
    HC_SET(r->lease_id, got->lease.id);
    HC_SET(r->claim_token, got->claim_token);
}

static void renew_and_release(struct recorded *r, bool release)
{
    if (r->lease_id[0] == '\0')
        return;
    const struct lease *lease = alloc_lease(r->alloc, r->lease_id, NULL, NULL);
    char head[HC_ID_SIZE];
    HC_SET(head, lease == NULL ? r->head[0] : lease->head_id);
    struct core_event ev = { .type = release ? CORE_RELEASE : CORE_RENEW, .caller = { .kind = CALLER_NODE } };
    HC_SET(ev.caller.node_id, head);
    if (release)
        ev.u.release = (struct release_req){ head, r->lease_id, r->claim_token, WHY_USER_EXIT };
    else
        ev.u.renew = (struct renew_req){ head, r->lease_id, r->claim_token };
    (void)recorded_step(r, &ev);
    if (release) {
        const char *const ids[] = { r->lease_id };
        struct core_event written = { .type = CORE_HISTORY_WRITTEN, .u.history = { ids, 1 } };
        (void)recorded_step(r, &written);
        r->lease_id[0] = '\0';
    }
}

void recorded_life(struct recorded *r, unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++) {
        struct core_event tick = { .type = CORE_TICK };
        r->now.ms += 5000;
        report(r);
        claim(r);
        renew_and_release(r, false);
        r->now.ms += 5000;
        (void)recorded_step(r, &tick);
        report(r);
        renew_and_release(r, true);
    }
}

enum hc_err recorded_replay_with(struct recorded *r, const struct replay_config *config, struct replay_report *ret, struct hc_diag *diag)
{
    recorded_stop(r);
    return journal_replay(config, ret, diag);
}

struct replay_report recorded_replay(struct recorded *r)
{
    struct replay_report report;
    struct hc_diag diag;
    const struct replay_config config = { .path = r->journal_dir, .secret = r->core.secret };
    if (recorded_replay_with(r, &config, &report, &diag) != HC_OK)
        fail_msg("%s", diag.text);
    return report;
}

void segment_path(const struct recorded *r, uint64_t number, char *out, size_t size)
{
    char name[SEGMENT_NAME_SIZE];
    segment_name(number, name);
    (void)snprintf(out, size, "%s/%s", r->journal_dir, name);
}

char *segment_text(const struct recorded *r, uint64_t number, size_t *ret_len)
{
    char path[160], *text;
    segment_path(r, number, path, sizeof path);
    assert_int_equal(os_file_read(AT_FDCWD, path, 64 * 1024 * 1024, &text, ret_len, NULL, NULL), HC_OK);
    return text;
}

void segment_put(const struct recorded *r, uint64_t number, const char *text, size_t len)
{
    char path[160];
    segment_path(r, number, path, sizeof path);
    int fd = open(path, O_WRONLY | O_TRUNC | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(os_write_all(fd, text, len), HC_OK);
    (void)close(fd);
}

size_t segment_count(const struct recorded *r, uint64_t *ret_first, uint64_t *ret_bytes)
{
    struct segment_entry *list;
    size_t count;
    int fd = open(r->journal_dir, O_RDONLY | O_DIRECTORY);
    assert_true(fd >= 0);
    assert_int_equal(segments_list(fd, &list, &count), HC_OK);
    (void)close(fd);
    *ret_first = count == 0 ? 1 : list[0].number;
    *ret_bytes = 0;
    for (size_t i = 0; i < count; i++)
        *ret_bytes += (uint64_t)list[i].bytes;
    hc_free(list);
    return count;
}
