/* lease_rows.h - leases and ghosts in allocation.yaml (wire §9). */
#ifndef STORE_LEASE_ROWS_H
#define STORE_LEASE_ROWS_H

#include "hydra/codec/field.h"
#include "hydra/core/records.h"

/* A file may say that a lease's history line is written (wire §9): a terminal one has nothing more to wait for and is not taken in. We
 * never write the key, such a lease leaves the state at once. */
struct lease_in_file { struct lease lease; bool history_written; };

extern const struct codec_table lease_table;           /* struct lease, for writing */
extern const struct codec_table lease_read_table;      /* struct lease_in_file */
extern const struct codec_table ghost_table;           /* struct ghost */

#endif
