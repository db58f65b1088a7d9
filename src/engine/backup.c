#include "hydra/engine/backup.h"

#include "hydra/store/store.h"

enum hc_err engine_backup_take(struct engine *engine, struct engine_backup *ret)
{
    struct engine_view view;
    *ret = (struct engine_backup){ 0 };
    enum hc_err err = engine_view_take(engine, &view);
    if (err != HC_OK)
        return err;
    ret->saved_at = view.view.now;
    err = store_format_nodes(view.saved, view.saved->nodes_generation, &ret->nodes);
    if (err == HC_OK)
        err = store_format_allocation(view.saved, view.saved->generation, ret->saved_at, &ret->allocation);
    engine_view_free(engine, &view);
    return err == HC_OK && (ret->nodes.failed || ret->allocation.failed) ? HC_ERR_NOMEM : err;
}

void engine_backup_free(struct engine_backup *backup)
{
    hc_buf_free(&backup->allocation);
    hc_buf_free(&backup->nodes);
}
