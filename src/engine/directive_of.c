/* directive_of.c - the directive of one body, computed under the mutex: it is small, and a view of everything is not. */
#include "engine_state.h"

enum hc_err engine_directive(struct engine *engine, const char *body_id, struct hc_arena *arena, struct directive *ret)
{
    struct engine *e = engine;
    struct core_view view = { .now = e->config.now() };
    engine_lock(e);
    view.saved = e->committed;
    view.obs = e->obs;
    enum hc_err err = query_directive(&view, body_id, arena, ret);
    engine_unlock(e);
    return err;
}
