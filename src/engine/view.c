/* view.c - what others read: committed records, by reference. */
#include <string.h>

#include "engine_state.h"

enum hc_err engine_view_take(struct engine *engine, struct engine_view *ret)
{
    struct engine *e = engine;
    struct engine_view view = { .view = { .now = e->config.now() } };
    engine_lock(e);
    enum hc_err err = alloc_snapshot(e->committed, &view.saved);
    if (err == HC_OK) {
        err = observed_snapshot(e->obs, &view.obs);
        if (err != HC_OK)
            alloc_free(view.saved);
    }
    engine_unlock(e);
    if (err != HC_OK)
        return err;
    view.view.saved = view.saved;
    view.view.obs = view.obs;
    *ret = view;
    return HC_OK;
}

void engine_view_free(struct engine *engine, struct engine_view *view)
{
    engine_lock(engine);                  /* versions are counted under the mutex */
    alloc_free(view->saved);
    observed_free(view->obs);
    engine_unlock(engine);
    memset(view, 0, sizeof *view);
}

const struct rec *engine_get(struct engine *engine, enum rec_kind kind, const char *key)
{
    engine_lock(engine);
    const struct rec *rec = alloc_get(engine->committed, kind, key);
    if (rec != NULL)
        (void)rec_ref((struct rec *)rec);
    engine_unlock(engine);
    return rec;
}

void engine_release(struct engine *engine, const struct rec *rec)
{
    if (rec == NULL)
        return;
    engine_lock(engine);
    rec_unref((struct rec *)rec);
    engine_unlock(engine);
}
