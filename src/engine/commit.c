/* commit.c - the commit thread: takes the cut, saves it without the mutex, says how it ended. */

#include "engine_state.h"
#include "hydra/base/log.h"
#include "hydra/os/clock.h"
#include "hydra/os/service.h"

#define TRIM_VERSIONS 1000        /* a save of so many leaves memory behind that the next ones do not use */

static bool has_work(const struct engine *e)
{
    if (e->foreign != NULL)
        return false;                     /* the loop merges first */
    if (e->probe)
        return true;
    return e->store_ok && !e->stalled && (e->live->dirty_count > 0 || e->held != NULL);
}

/* Those who are answered now mostly ask again at once. Without this pause they would always be a group behind the one that is taken now:
 * two half groups take turns, and the disk works twice as often for it. Who is alone waits for nobody: it is all that waited. */
static void gather(struct engine *e)
{
    e->gathering = true;
    while (!e->stop && !e->probe && e->waiting_count < e->gather_count && os_monotonic_us() < e->gather_until_us)
        engine_wait_until(e, e->gather_until_us);
    e->gathering = false;
}

/* How long and for how many the next group may wait: as for all who wait now, before the last group's are taken out. */
static void plan_gather(struct engine *e, size_t waiting, int64_t took_us)
{
    e->gather_count = waiting;
    e->gather_until_us = os_monotonic_us() + (took_us / 2 < GATHER_MAX_US ? took_us / 2 : GATHER_MAX_US);
}

/* What could not be finished for want of memory. false: still not. */
static bool finish_old_work(struct engine *e)
{
    struct group *group = e->unapplied != NULL ? e->unapplied : e->reverting;
    bool durable = e->unapplied != NULL;
    e->unapplied = e->reverting = NULL;
    if (group == NULL)
        return true;
    if (durable)
        outcome_commit(e, group);
    else
        outcome_revert(e, group);
    return e->unapplied == NULL && e->reverting == NULL;
}

static bool part_durable(const struct save_result *result)
{
    return result->nodes == SAVE_DURABLE && result->allocation == SAVE_DURABLE;
}

/* Without the mutex: the versions of a cut do not change. */
static void save_group(struct engine *e, struct group *group)
{
    int64_t began_us = os_monotonic_us();
    group->results[1] = (struct save_result){ SAVE_NOT_WRITTEN, SAVE_NOT_WRITTEN, { "" } };
    group->results[0] = e->config.ops->save(e->config.store, &group->parts[0]);
    if (part_durable(&group->results[0])) {
        if (group->parts[1].count > 0)
            group->results[1] = e->config.ops->save(e->config.store, &group->parts[1]);
        else
            group->results[1] = (struct save_result){ SAVE_DURABLE, SAVE_DURABLE, { "" } };
    }
    group->generation = e->config.ops->generation(e->config.store);
    tally_save(e, outcome_of(group), os_monotonic_us() - began_us);
}

struct foreign_load { struct alloc *alloc; struct load_facts facts; enum hc_err err; struct hc_diag diag; };

static void load_foreign(struct engine *e, unsigned tries, struct foreign_load *load)
{
    *load = (struct foreign_load){ .err = HC_ERR_GENERATION };
    if (tries > FOREIGN_TRIES_MAX) {
        (void)hc_fail(&load->diag, HC_ERR_GENERATION, "another process wrote the data files %u times in a row", tries);
        return;
    }
    load->err = e->config.ops->load(e->config.store, e->config.core, &load->alloc, &load->facts, &load->diag);
    if (load->err != HC_OK && load->diag.text[0] == '\0')
        (void)hc_fail(&load->diag, load->err, "%s", hc_err_text(load->err));
}

static void take_foreign(struct engine *e, struct group *group, const struct foreign_load *load)
{
    hc_time since = group->parts[0].saved_at;
    if (load->err == HC_OK) {
        e->foreign = load->alloc;
        e->foreign_group = group;
        e->foreign_facts = load->facts;
        return;
    }
    e->foreign_tries = 0;                 /* the next probe has its own tries */
    outcome_revert(e, group);
    outcome_down(e, load->diag.text, since);
}

/* Once a minute all nodes are written for their last sign of life: as many old versions go. Only told so does the allocator give their
 * pages back. */
static void trim_after(struct engine *e, size_t versions)
{
    if (versions < TRIM_VERSIONS || e->saves <= 1)     /* the first save: somebody waits for the start */
        return;
    engine_wake_loop(e);                 /* the answers of this save do not wait for it */
    engine_unlock(e);
    os_give_back_memory();
    engine_lock(e);
}

void engine_commit_once(struct engine *e)
{
    struct group *group;
    e->probe = e->stalled = false;
    if (!finish_old_work(e))
        return;
    int64_t began_us = os_monotonic_us();
    if (group_take(e, &group) != HC_OK) {
        e->stalled = true;
        return;
    }
    e->saving_since_ms = os_monotonic_ms();
    size_t versions = group->parts[0].count + group->parts[1].count;
    e->saving_count = versions;
    engine_unlock(e);
    save_group(e, group);
    struct foreign_load load = { .err = HC_OK };
    bool foreign = outcome_of(group) == SAVE_FOREIGN;
    engine_lock(e);
    unsigned tries = foreign ? ++e->foreign_tries : 0;
    engine_unlock(e);
    if (foreign) {
        hc_log(HC_LOG_WARNING, "generation_conflict", "detail=%s", hc_logq("a data file was changed by another process: loading it"));
        load_foreign(e, tries, &load);
    }
    engine_lock(e);
    e->saving_since_ms = 0;
    plan_gather(e, e->waiting_count, os_monotonic_us() - began_us);
    if (foreign)
        take_foreign(e, group, &load);
    else
        outcome_settle(e, group);
    trim_after(e, e->saving_count);
}

void engine_commit_main(void *arg)
{
    struct engine *e = arg;
    engine_lock(e);
    for (;;) {
        while (!e->stop && !has_work(e))
            engine_wait(e);
        if (!e->stop)
            gather(e);
        if (!has_work(e) && e->stop)
            break;                        /* all is on disk that can be */
        if (!has_work(e))
            continue;
        engine_commit_once(e);
        engine_wake_loop(e);
    }
    engine_unlock(e);
}
