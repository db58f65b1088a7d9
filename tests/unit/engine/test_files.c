/* The engine over the real store: what was answered is on disk; a foreign file on disk is merged; a full disk is told and left. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hydra/base/arena.h"
#include "hydra/os/clock.h"
#include "hydra/os/file.h"
#include "hydra/os/random.h"
#include "rig.h"

#define FILE_MAX ((size_t)16 * 1024 * 1024)

struct files { struct rig rig; char data[80]; struct store *store; };

static void files_start(struct files *f)
{
    struct hc_diag diag = { "" };
    struct alloc *loaded;
    struct load_facts facts;
    if (store_open(f->data, &f->store, &diag) != HC_OK)
        fail_msg("store_open: %s", diag.text);
    if (store_file_ops.load(f->store, &f->rig.core, &loaded, &facts, &diag) != HC_OK)
        fail_msg("load: %s", diag.text);
    const struct engine_config config = { &store_file_ops, f->store, &f->rig.core, f->rig.metrics, f->rig.feed, f->rig.wake_fd,
                                          os_now, os_random, NULL };
    if (engine_start(&config, loaded, &facts, &f->rig.engine, &diag) != HC_OK)
        fail_msg("engine_start: %s", diag.text);
}

static void files_stop(struct files *f)
{
    assert_int_equal(engine_stop(f->rig.engine, RIG_WAIT_MS, NULL), HC_OK);
    f->rig.engine = NULL;
    f->store = store_close(f->store);
}

static void files_open(struct files *f)
{
    rig_make(&f->rig);
    HC_SET(f->data, "/tmp/hydra-data-XXXXXX");
    assert_non_null(mkdtemp(f->data));
    struct hc_diag diag = { "" };
    if (store_init(f->data, &diag) != HC_OK)
        fail_msg("store_init: %s", diag.text);
    files_start(f);
}

static void files_close(struct files *f)
{
    static const char *const names[] = { "allocation.yaml", "allocation.yaml.lock", "nodes.yaml", "secret" };
    if (f->rig.engine != NULL)
        files_stop(f);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[160];
        (void)snprintf(path, sizeof path, "%s/%s", f->data, names[i]);
        (void)unlink(path);
    }
    assert_int_equal(rmdir(f->data), 0);
    rig_close(&f->rig);                           /* accepts that the engine is gone */
}

static char *read_file(struct files *f, const char *name, size_t *ret_len)
{
    HC_CLEANUP(os_close) int dir = open(f->data, O_DIRECTORY | O_CLOEXEC);
    char *text;
    assert_int_equal(os_file_read(dir, name, FILE_MAX, &text, ret_len, NULL, NULL), HC_OK);
    return text;
}

static void write_file(struct files *f, const char *name, const char *text, size_t len)
{
    HC_CLEANUP(os_close) int dir = open(f->data, O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(os_file_replace(dir, name, text, len, NULL, NULL), OS_REPLACE_DURABLE);
}

static void enrol(struct files *f, struct ask *ask, const char *name)
{
    ask_enrol(&f->rig, ask, name, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
    RIG_UNTIL(&f->rig, ask->calls == 1);
}

static void test_files__answered_then_started_again__it_is_there(void **state)
{
    (void)state;
    static struct files f;
    files_open(&f);
    struct ask ask;
    enrol(&f, &ask, "visitor");
    assert_int_equal(ask.outcome, ENGINE_DURABLE);
    size_t len;
    char *text = read_file(&f, "nodes.yaml", &len);
    assert_non_null(strstr(text, ask.id));        /* when it is answered it is in the file */
    hc_free(text);
    struct engine_health before, after;
    engine_health(f.rig.engine, &before);
    files_stop(&f);
    files_start(&f);
    assert_true(committed_has(&f.rig, REC_NODE, ask.id));
    engine_health(f.rig.engine, &after);
    assert_true(after.generation > before.generation);
    files_close(&f);
}

static void test_files__edited_by_hand_while_running__merged_and_the_waiting_served(void **state)
{
    (void)state;
    static struct files f;
    files_open(&f);
    struct ask first, second;
    size_t len;
    char *before = read_file(&f, "nodes.yaml", &len);
    enrol(&f, &first, "first");
    write_file(&f, "nodes.yaml", before, len);    /* someone put an older copy back */
    hc_free(before);
    enrol(&f, &second, "second");
    assert_int_equal(second.outcome, ENGINE_DURABLE);
    assert_true(committed_has(&f.rig, REC_NODE, second.id));
    RIG_UNTIL(&f.rig, rig_events(&f.rig, NOTE_GENERATION_CONFLICT) == 1);
    files_close(&f);
}

static void test_files__garbled_while_running__down_not_overwritten_and_up_when_put_right(void **state)
{
    (void)state;
    static struct files f;
    files_open(&f);
    struct ask first, second, third;
    enrol(&f, &first, "first");
    size_t len;
    char *good = read_file(&f, "allocation.yaml", &len);
    static const char garbled[] = "generation: 900\nbodys: {}\n";
    write_file(&f, "allocation.yaml", garbled, strlen(garbled));
    enrol(&f, &second, "second");
    assert_int_equal(second.outcome, ENGINE_UNAVAILABLE);
    struct engine_health health;
    engine_health(f.rig.engine, &health);
    assert_false(health.store_ok);
    assert_non_null(strstr(health.store_detail, "allocation.yaml"));
    size_t now_len;
    char *now = read_file(&f, "allocation.yaml", &now_len);
    assert_string_equal(now, garbled);
    hc_free(now);
    write_file(&f, "allocation.yaml", good, len);
    hc_free(good);
    do {
        rig_turn(&f.rig);
        engine_health(f.rig.engine, &health);
    } while (!health.store_ok && health.store_down_ms < RIG_WAIT_MS);
    assert_true(health.store_ok);
    enrol(&f, &third, "third");
    assert_int_equal(third.outcome, ENGINE_DURABLE);
    assert_true(committed_has(&f.rig, REC_NODE, first.id));
    files_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files__answered_then_started_again__it_is_there),
        cmocka_unit_test(test_files__edited_by_hand_while_running__merged_and_the_waiting_served),
        cmocka_unit_test(test_files__garbled_while_running__down_not_overwritten_and_up_when_put_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
