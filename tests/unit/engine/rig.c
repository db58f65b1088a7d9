#include "rig.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "hydra/base/arena.h"
#include "hydra/os/clock.h"

#define TURN_MS 10

int64_t rig_clock_offset_ms;

static hc_time rig_now(void)
{
    return hc_time_add(os_now(), rig_clock_offset_ms);
}

int64_t rig_ms(void)
{
    return os_monotonic_ms();
}

static void rig_random(void *out, size_t len)
{
    static uint64_t drawn;               /* only the loop thread draws */
    memset(out, 0, len);
    drawn++;
    memcpy(out, &drawn, len < sizeof drawn ? len : sizeof drawn);
}

void rig_make(struct rig *rig)
{
    static bool clock_started;
    if (!clock_started)
        os_clock_start();
    clock_started = true;
    memset(rig, 0, sizeof *rig);
    rig_clock_offset_ms = 0;
    (void)pthread_mutex_init(&rig->store.mutex, NULL);
    (void)pthread_cond_init(&rig->store.moved, NULL);
    rig->store.generation = 6;
    rig->store.hang_fd = eventfd(0, EFD_CLOEXEC);
    assert_true(rig->store.hang_fd >= 0);
    timers_default(&rig->core.timers);
    memset(rig->core.secret, 7, sizeof rig->core.secret);
    HC_SET(rig->core.default_district, "d1");
    rig->core.queue_max_tickets = QUEUE_TICKETS_DEFAULT;
    rig->metrics = metrics_new();
    assert_non_null(rig->metrics);
    HC_SET(rig->dir, "/tmp/hydra-engine-XXXXXX");
    assert_non_null(mkdtemp(rig->dir));
    rig->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    assert_true(rig->wake_fd >= 0);
    const struct feed_config feed = { rig->dir, 1000, 7, (size_t)64 * 1024 * 1024, SESSIONS_SEGMENT_BYTES, SESSIONS_KEEP_BYTES };
    assert_int_equal(feed_open(&feed, rig->wake_fd, &rig->feed, NULL), HC_OK);
}

static void add_news(void *ctx, enum rec_kind kind, const char *key)
{
    struct rig *rig = ctx;
    int len = kind == REC_KINDS ? snprintf(rig->news + rig->news_len, sizeof rig->news - rig->news_len, "end ")
                                : snprintf(rig->news + rig->news_len, sizeof rig->news - rig->news_len, "%d:%s ", (int)kind, key);
    if (len > 0 && rig->news_len + (size_t)len < sizeof rig->news)
        rig->news_len += (size_t)len;
}

void rig_start(struct rig *rig, struct alloc *loaded)
{
    if (loaded == NULL)
        assert_int_equal(alloc_new(&rig->core, &loaded), HC_OK);
    const struct engine_config config = { &fake_ops, (struct store *)&rig->store, &rig->core, rig->metrics, rig->feed, rig->wake_fd,
                                          rig_now, rig_random, rig->journal };
    const struct load_facts facts = { .saved_at = HC_TIME_NEVER };
    struct hc_diag diag = { "" };
    enum hc_err err = engine_start(&config, loaded, &facts, &rig->engine, &diag);
    if (err != HC_OK)
        fail_msg("engine_start: %s", diag.text);
    engine_on_news(rig->engine, add_news, rig);
}

void rig_open(struct rig *rig)
{
    rig_make(rig);
    rig_start(rig, NULL);
}

void rig_close(struct rig *rig)
{
    if (rig->engine != NULL)
        assert_int_equal(engine_stop(rig->engine, RIG_WAIT_MS, NULL), HC_OK);
    (void)feed_close(rig->feed);
    metrics_free(rig->metrics);
    DIR *dir = opendir(rig->dir);
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir))
        if (entry->d_name[0] != '.')
            assert_int_equal(unlinkat(dirfd(dir), entry->d_name, 0), 0);
    (void)closedir(dir);
    assert_int_equal(rmdir(rig->dir), 0);
    (void)close(rig->wake_fd);
    (void)close(rig->store.hang_fd);
    (void)pthread_mutex_destroy(&rig->store.mutex);
    (void)pthread_cond_destroy(&rig->store.moved);
}

void rig_turn(struct rig *rig)
{
    int64_t until = engine_next_due_ms(rig->engine) - os_monotonic_ms();
    struct pollfd fd = { .fd = rig->wake_fd, .events = POLLIN };
    (void)poll(&fd, 1, until < 0 ? 0 : until > TURN_MS ? TURN_MS : (int)until);
    engine_dispatch(rig->engine);
    engine_tick(rig->engine);
}

uint32_t rig_count(struct rig *rig, const char *series)
{
    HC_CLEANUP(hc_buf_freep) struct hc_buf text = { 0 };
    metrics_write(rig->metrics, &text);
    assert_false(text.failed);
    char line[256];
    (void)snprintf(line, sizeof line, "\nhydracluster_%s ", series);
    const char *at = strstr(text.data, line);
    return at == NULL ? 0 : (uint32_t)strtoul(at + strlen(line), NULL, 10);
}

size_t rig_events(struct rig *rig, enum note_type type)
{
    struct hc_arena arena = { 0 };
    const struct feed_event *events;
    size_t count;
    char more[EVENT_ID_SIZE];
    assert_int_equal(feed_events(rig->feed, NULL, word_of(&note_words, (int)type), 1000, "", &arena, &events, &count, more), HC_OK);
    hc_arena_free(&arena);
    return count;
}

static void take_answer(void *ctx, enum engine_outcome outcome, enum hc_err err, struct core_result *result)
{
    struct ask *ask = ctx;
    ask->calls++;
    ask->order = ++ask->rig->answered;
    ask->outcome = outcome;
    ask->err = err;
    ask->answer = result->answer;
    ask->deny = result->deny;
    HC_SET(ask->id, result->id);
    HC_SET(ask->lease_id, result->lease.id);
    HC_SET(ask->claim_token, result->claim_token);
}

void ask_init(struct rig *rig, struct ask *ask, enum core_event_type type)
{
    memset(ask, 0, sizeof *ask);
    ask->rig = rig;
    ask->op.ev.type = type;
    ask->op.ev.caller.kind = CALLER_ADMIN;
    ask->op.done = take_answer;
    ask->op.ctx = ask;
}

void ask_send(struct ask *ask)
{
    engine_submit(ask->rig->engine, &ask->op);
}

void ask_venue(struct rig *rig, struct ask *ask, const char *name)
{
    ask_init(rig, ask, CORE_VENUE_PUT);
    ask->op.ev.u.venue.name = name;
    ask_send(ask);
}

void ask_slots(struct rig *rig, struct ask *ask, const char *body_id, uint32_t slots_total)
{
    ask_init(rig, ask, CORE_SLOTS_PUT);
    ask->op.ev.u.slots = (struct slots_req){ .body_id = body_id, .slots_total = { true, slots_total } };
    ask_send(ask);
}

void ask_enrol(struct rig *rig, struct ask *ask, const char *name, const char *token_hash)
{
    ask_init(rig, ask, CORE_NODE_ENROL);
    ask->op.ev.u.enrol = (struct enrol_req){ .name = name, .kind = "", .district = "", .venue = "v1", .owner = "", .machine_id = "",
                                             .ip = "", .wireguard_ip = "", .token_hash = token_hash, .roles = ROLE_HEAD };
    ask_send(ask);
}

void ask_nothing(struct rig *rig, struct ask *ask)
{
    ask_init(rig, ask, CORE_VENUE_DELETE);
    ask->op.ev.u.name.name = "no-such-venue";
    ask_send(ask);
}

static void put(struct alloc *alloc, struct rec *rec)
{
    assert_non_null(rec);
    assert_int_equal(alloc_put(alloc, rec->kind, rec->key, rec), HC_OK);
    rec_unref(rec);
}

void put_node(struct alloc *alloc, const char *id, uint32_t roles, const char *token_hash)
{
    struct node_rec *node = (struct node_rec *)rec_new(REC_NODE, id);
    assert_non_null(node);
    HC_SET(node->name, id);
    HC_SET(node->district, "d1");
    HC_SET(node->venue, "v1");
    HC_SET(node->token_hash, token_hash);
    node->roles = roles;
    node->enrolled_at = node->last_seen = os_now();
    put(alloc, &node->rec);
}

void put_body(struct alloc *alloc, const char *id)
{
    put_node(alloc, id, ROLE_BODY, "");
    struct body_rec *body = (struct body_rec *)rec_new(REC_BODY, id);
    assert_non_null(body);
    body->slots_total = 1;
    body->home_venue_reserve = RESERVE_AUTO;
    body->observing_since = os_now();
    body->slots = hc_alloc(sizeof body->slots[0]);
    assert_non_null(body->slots);
    body->slot_count = 1;
    put(alloc, &body->rec);
}

bool committed_has(struct rig *rig, enum rec_kind kind, const char *key)
{
    const struct rec *rec = engine_get(rig->engine, kind, key);
    bool there = rec != NULL;
    engine_release(rig->engine, rec);
    return there;
}
