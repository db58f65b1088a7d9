/* backup.h - a consistent copy of the data files while the daemon runs: both texts of one committed state, as a save would write them.
 *
 * Nothing is read from the disk and no save is waited for; what is in the copy was durable before. Loop thread only. */
#ifndef HYDRA_ENGINE_BACKUP_H
#define HYDRA_ENGINE_BACKUP_H

#include "hydra/base/buf.h"
#include "hydra/engine/engine.h"

struct engine_backup { struct hc_buf allocation, nodes; hc_time saved_at; };
/* HC_ERR_NOMEM. To be freed also after an error. */
HC_MUST enum hc_err engine_backup_take(struct engine *engine, struct engine_backup *ret);
void engine_backup_free(struct engine_backup *backup);

#endif
