/* fake_store.c - a store without files: outcomes come from a script, a save may hang, load() gives what the test made. */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rig.h"

static struct fake_store *fake_of(const struct store *store)
{
    return (struct fake_store *)store;
}

void fake_script(struct fake_store *store, enum save_outcome nodes, enum save_outcome allocation)
{
    (void)pthread_mutex_lock(&store->mutex);
    assert_true(store->script_count < RIG_SCRIPT_MAX);
    struct save_result *result = &store->script[store->script_count++];
    *result = (struct save_result){ nodes, allocation, { "" } };
    if (nodes != SAVE_DURABLE || allocation != SAVE_DURABLE)
        HC_SET(result->diag.text, "scripted fault");
    (void)pthread_mutex_unlock(&store->mutex);
}

void fake_hang(struct fake_store *store, bool hang)
{
    (void)pthread_mutex_lock(&store->mutex);
    store->hang = hang;
    (void)pthread_cond_broadcast(&store->moved);
    (void)pthread_mutex_unlock(&store->mutex);
}

unsigned fake_saves(struct fake_store *store)
{
    (void)pthread_mutex_lock(&store->mutex);
    unsigned saves = store->saves;
    (void)pthread_mutex_unlock(&store->mutex);
    return saves;
}

unsigned fake_loads(struct fake_store *store)
{
    (void)pthread_mutex_lock(&store->mutex);
    unsigned loads = store->loads;
    (void)pthread_mutex_unlock(&store->mutex);
    return loads;
}

static void log_cut(struct fake_store *fake, const struct cut *cut)
{
    for (size_t i = 0; i < cut->count; i++) {
        const struct cut_item *item = &cut->items[i];
        int len = snprintf(fake->log + fake->log_len, sizeof fake->log - fake->log_len, "%s%d:%s ", item->version == NULL ? "-" : "",
                           (int)item->kind, item->key);
        if (len > 0 && fake->log_len + (size_t)len < sizeof fake->log)
            fake->log_len += (size_t)len;
    }
    if (fake->log_len + 3 < sizeof fake->log) {
        memcpy(fake->log + fake->log_len, "; ", 3);
        fake->log_len += 2;
    }
}

static struct save_result fake_save(struct store *store, const struct cut *cut)
{
    struct fake_store *fake = fake_of(store);
    (void)pthread_mutex_lock(&fake->mutex);
    fake->saves++;
    fake->last_items = cut->count;
    log_cut(fake, cut);
    while (fake->hang) {
        uint64_t one = 1;
        fake->hanging = true;
        if (write(fake->hang_fd, &one, sizeof one) != sizeof one)
            break;                        /* the test that waits for it fails by its bound */
        (void)pthread_cond_wait(&fake->moved, &fake->mutex);
    }
    fake->hanging = false;
    struct save_result result = { SAVE_DURABLE, SAVE_DURABLE, { "" } };
    if (fake->script_at < fake->script_count)
        result = fake->script[fake->script_at++];
    if (result.allocation == SAVE_DURABLE || result.allocation == SAVE_VISIBLE)
        fake->generation++;
    hc_alloc_fail_after(fake->fail_after);
    fake->fail_after = 0;
    (void)pthread_mutex_unlock(&fake->mutex);
    return result;
}

static enum hc_err fake_load(struct store *store, const struct core_config *core, struct alloc **ret_alloc, struct load_facts *ret_facts,
                             struct hc_diag *diag)
{
    struct fake_store *fake = fake_of(store);
    (void)pthread_mutex_lock(&fake->mutex);
    fake->loads++;
    struct alloc *(*foreign)(const struct core_config *) = fake->foreign;
    enum hc_err err = fake->load_err;
    const char *why = fake->load_diag;
    bool downgrade = fake->foreign_downgrade;
    if (foreign != NULL)
        fake->generation += 100;
    uint64_t generation = fake->generation;
    (void)pthread_mutex_unlock(&fake->mutex);
    if (foreign == NULL)
        return hc_fail(diag, err, "%s", why);
    *ret_alloc = foreign(core);
    (*ret_alloc)->generation = generation;
    *ret_facts = (struct load_facts){ .saved_at = HC_TIME_NEVER, .downgrade = downgrade };
    return HC_OK;
}

static uint64_t fake_generation(const struct store *store)
{
    struct fake_store *fake = fake_of(store);
    (void)pthread_mutex_lock(&fake->mutex);
    uint64_t generation = fake->generation;
    (void)pthread_mutex_unlock(&fake->mutex);
    return generation;
}

const struct store_ops fake_ops = { fake_load, fake_save, fake_generation };

static bool is_hanging(struct fake_store *fake)
{
    (void)pthread_mutex_lock(&fake->mutex);
    bool hanging = fake->hanging;
    (void)pthread_mutex_unlock(&fake->mutex);
    return hanging;
}

void rig_until_hanging(struct rig *rig)
{
    struct fake_store *fake = &rig->store;
    int64_t end_ms = rig_ms() + RIG_WAIT_MS;
    for (int64_t left_ms = RIG_WAIT_MS; !is_hanging(fake) && left_ms > 0; left_ms = end_ms - rig_ms()) {
        struct pollfd fd = { .fd = fake->hang_fd, .events = POLLIN };
        uint64_t count;
        if (poll(&fd, 1, (int)left_ms) == 1)
            assert_int_equal(read(fake->hang_fd, &count, sizeof count), sizeof count);
    }
    assert_true(is_hanging(fake));
}

bool rig_saved(struct rig *rig, const char *text)
{
    (void)pthread_mutex_lock(&rig->store.mutex);
    bool found = strstr(rig->store.log, text) != NULL;
    (void)pthread_mutex_unlock(&rig->store.mutex);
    return found;
}
